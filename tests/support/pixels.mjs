// The page's class of a decoded image under node: requests from standard input, one line of JSON
// each; the answer is a line of JSON, too. An image is named by a number.
import fs from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { Pixels } = await import(pathToFileURL(process.argv[2]));
const known = [];
function name(pixels) {
  const { width, height, block, colors, clear, half, was, art, dithered } = pixels;
  return { number: known.push(pixels) - 1, width, height, block, colors, clear, half, was, art, dithered };
}
const load = (path, width, height) =>
  name(new Pixels({ width, height, was: `${width}x${height}`, data: new Uint8ClampedArray(fs.readFileSync(path)) }, null));
for await (const line of createInterface({ input: process.stdin })) {
  const { number, what, words } = JSON.parse(line);
  const result = what === "load" ? load(...words) : known[number][what](...words);
  const answer = result instanceof Pixels ? name(result) : ArrayBuffer.isView(result) ? Buffer.from(result).toString("base64") : result;
  console.log(JSON.stringify(answer));
}
