// Runs the page's engine under node: questions from standard input, one line of JSON each; answers
// with their events on standard output. The question "modules" imports everything,
// and looks for modules by name.
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
const MODULES = `
import importlib, json, pathlib
faults = {}
for path in sorted(pathlib.Path("/package").rglob("*.pyc")):
    name = ".".join(path.relative_to("/package").with_suffix("").parts)
    try:
        importlib.import_module(name.removesuffix(".__init__"))
    except ImportError as error:
        faults[name] = str(error)
def is_missing(name):
    try:
        return importlib.util.find_spec(name) is None
    except ImportError:
        return True
missing = [name for name in json.loads(names) if is_missing(name)]
json.dumps({"answer": {"faults": faults, "missing": missing}})
`;
for await (const line of createInterface({ input: process.stdin })) {
  const { what, options } = JSON.parse(line), events = [];
  const before = process.cpuUsage();
  if (what === "modules") pyodide.globals.set("names", JSON.stringify(options.names));
  const text = what === "modules" ? pyodide.runPython(MODULES) : answer(what, JSON.stringify(options), event => events.push(JSON.parse(event)));
  const { user } = process.cpuUsage(before);
  console.log(JSON.stringify({ ...JSON.parse(text), events, seconds: user / 1e6 }));
}
