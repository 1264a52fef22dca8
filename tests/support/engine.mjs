// Runs the page's engine under node: questions from standard input, one line of JSON each; answers
// with their events on standard output.
import fs from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, worker] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
process.on("uncaughtException", error => { console.error(String(error.message).slice(-1500)); process.exit(1); });
const pyodide = await loadPyodide({ indexURL: folder });
pyodide.unpackArchive(new Uint8Array(fs.readFileSync(`${folder}/tetrisprinter.zip`)), "zip", { extractDir: "/package" });
// Started as the page's worker starts it.
const start = /const START = `([^`]*)`/.exec(fs.readFileSync(worker, "utf8"))[1];
const answer = pyodide.runPython(start);
for await (const line of createInterface({ input: process.stdin })) {
  const { what, asked } = JSON.parse(line), events = [], began = performance.now();
  const told = JSON.parse(answer(what, JSON.stringify(asked), event => events.push(JSON.parse(event))));
  console.log(JSON.stringify({ ...told, events, seconds: (performance.now() - began) / 1000 }));
}
