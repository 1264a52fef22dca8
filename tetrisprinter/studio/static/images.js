// Images as pixels: a worker decodes them and counts their colours, so that the page never waits.
// A worker that is idle ends, which frees its memory.
const IDLE_MILLISECONDS = 2000;  // time without work until the worker ends
export const SMALL_SIDE = 560;  // pixels a side that are enough for a first preview and for cropping
const SVG_SIDE = 1024;  // pixels a side of an SVG, which has no size of its own

let worker = null, lastId = 0, endTimer = 0;
const pending = new Map();
function startWorker() {
  worker = new Worker(new URL("image_worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data: { id, result, error } }) => {
    const { resolve, reject } = pending.get(id);
    pending.delete(id);
    result ? resolve(result) : reject(new Error(error));
    if (!pending.size) endTimer = setTimeout(endWorker, IDLE_MILLISECONDS);
  };
  worker.onerror = e => { if (e.message) console.error(e.message); endWorker("the image cannot be decoded; save it as PNG or JPEG"); };
}
function endWorker(reason) {
  worker?.terminate();
  worker = null;
  for (const { reject } of pending.values()) reject(new Error(reason));
  pending.clear();
}

function send(message) {
  clearTimeout(endTimer);
  if (!worker) startWorker();
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    pending.set(id, { resolve, reject });
    worker.postMessage({ ...message, id });
  });
}

// Return an image as {width, height, was, data}: RGBA of at most `side` pixels a side; `was` is the full size.
export const decodeImage = (file, side = SMALL_SIDE) => send({ file, side });

// Return the preview of a decoded image until the engine is ready.
export const requestFirstPreview = (image, request) => send({ image, request });

// Return an SVG as a PNG: workers cannot decode it, and neither can the studio.
export async function drawSvg(file) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([file], { type: "image/svg+xml" }));
  try {
    await image.decode();
    const ratio = SVG_SIDE / Math.max(image.naturalWidth, image.naturalHeight, 1);
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round((image.naturalWidth || 1) * ratio)); canvas.height = Math.max(1, Math.round((image.naturalHeight || 1) * ratio));
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new File([await new Promise(resolve => canvas.toBlob(resolve))], file.name.replace(/\.svg$/i, ".png"), { type: "image/png" });
  } finally { URL.revokeObjectURL(image.src); }
}
