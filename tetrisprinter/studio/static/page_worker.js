// A web worker that runs the package in Pyodide and answers one request after the other.
// It fetches files of this folder only.
import { loadPyodide } from "../engine/pyodide.mjs";
import { Pixels } from "./convert.js";
import { encodeGif, encodePng } from "./draw.js";
import { describeError } from "./faults.js";
import { encodeMp4 } from "./video.js";

const engine = new URL("../engine/", import.meta.url).href;
const START = `
import sys
sys.path.insert(0, "/package")
from tetrisprinter.support.executors import use_no_threads
use_no_threads()
from tetrisprinter.studio.page_engine import answer
answer
`;
// Report how much of the engine has come, as Pyodide and the lines below fetch it.
const plainFetch = fetch;
let loaded = 0;
self.fetch = async (...options) => {
  const answer = await plainFetch(...options);
  if (!answer.body) return answer;
  const counted = new TransformStream({ transform(chunk, controller) {
    loaded += chunk.length;
    postMessage({ loaded });
    controller.enqueue(chunk);
  } });
  return new Response(answer.body.pipeThrough(counted), { status: answer.status, headers: answer.headers });
};
const started = (async () => {
  const archive = fetch(engine + "tetrisprinter.zip").then(answer => answer.arrayBuffer());
  const pyodide = await loadPyodide({ indexURL: engine, checkAPIVersion: false });
  pyodide.unpackArchive(await archive, "zip", { extractDir: "/package" });
  const answer = pyodide.runPython(START);
  postMessage({ ready: true });
  return answer;
})();
started.catch(error => { console.error(error); postMessage({ isBroken: true }); });

// Requests whose answers are drawn in this worker, so that the page is not blocked.
// Return the pixels for each square: at least 8, and 480 on the longer side, as in the command.
const chooseScale = ({ width, height }) => Math.max(8, Math.ceil(480 / Math.max(width, height)));
const DRAWN_ANSWERS = {
  gif: ["film", film => encodeGif(film, chooseScale(film))], mp4: ["film", film => encodeMp4(film, chooseScale(film))],
  png: ["still", still => encodePng(still, chooseScale(still))], thumbnail: ["still", still => encodePng(still, 1)],
};

// The image of the last request; the page sends its pixels only once.
let lastImage = { key: "", decoded: null, crop: "", pixels: null };
function getPixels(image, crop) {
  if (!image) return undefined;
  if (image.decoded) lastImage = { ...image, crop: "", pixels: null };
  const cropKey = JSON.stringify(crop || null);
  if (lastImage.crop !== cropKey) { lastImage.crop = cropKey; lastImage.pixels = new Pixels(lastImage.decoded, crop); }
  return lastImage.pixels;
}

onmessage = async ({ data: { id, name, options, image, crop } }) => {
  try {
    const answer = await started, [engineRequest, draw] = DRAWN_ANSWERS[name] || [name];
    const pixels = getPixels(image, crop);
    const reply = JSON.parse(answer(engineRequest, options, event => postMessage({ id, event: JSON.parse(event) }), pixels));
    if (draw && reply.error === undefined) reply.answer = await draw(reply.answer);
    postMessage({ id, reply });
  } catch (error) {
    postMessage({ id, fault: describeError(error) });
  }
};
