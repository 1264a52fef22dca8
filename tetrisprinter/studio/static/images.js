// Images as pixels: a worker decodes them and counts their colours, so that the page never waits.
// When it has nothing to do it ends, which frees its memory.
const REST = 2000;  // milliseconds without work until it ends
export const SMALL = 560;  // pixels a side that are enough for a first look and for cropping
const DRAWN = 1024;  // pixels a side of an SVG, which has no size of its own

let worker = null, number = 0, endTimer = 0;
const pending = new Map();
function start() {
  worker = new Worker(new URL("image_worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data: { id, found, fault } }) => {
    const { done, failed } = pending.get(id);
    pending.delete(id);
    found ? done(found) : failed(new Error(fault));
    if (!pending.size) endTimer = setTimeout(end, REST);
  };
  worker.onerror = e => end(e.message);
}
function end(why) {
  worker?.terminate();
  worker = null;
  for (const { failed } of pending.values()) failed(new Error(why));
  pending.clear();
}

function send(message) {
  clearTimeout(endTimer);
  if (!worker) start();
  const id = ++number;
  return new Promise((done, failed) => {
    pending.set(id, { done, failed });
    worker.postMessage({ ...message, id });
  });
}

// Return an image as {width, height, was, data}: RGBA of at most `side` pixels a side; `was` is the full size.
export const decodeImage = (file, side = SMALL) => send({ file, side });

// Return how a decoded image is shown before the engine is ready.
export const drawFirstLook = (image, request) => send({ image, request });

// Return an SVG as a PNG: workers cannot decode it, and neither can the studio.
export async function drawSvg(file) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([file], { type: "image/svg+xml" }));
  try {
    await image.decode();
    const k = DRAWN / Math.max(image.naturalWidth, image.naturalHeight, 1);
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round((image.naturalWidth || 1) * k)); canvas.height = Math.max(1, Math.round((image.naturalHeight || 1) * k));
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new File([await new Promise(done => canvas.toBlob(done))], file.name.replace(/\.svg$/i, ".png"), { type: "image/png" });
  } finally { URL.revokeObjectURL(image.src); }
}
