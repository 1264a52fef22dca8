// Decodes images in a web worker, because a photo of 12 megapixels would block the page.
import { makeFirstPreview } from "./convert.js";

async function decode(file, side) {
  const image = await createImageBitmap(file);
  const ratio = Math.min(1, side / Math.max(image.width, image.height)), was = `${image.width}x${image.height}`;
  const width = Math.max(1, Math.round(image.width * ratio)), height = Math.max(1, Math.round(image.height * ratio));
  const canvas = new OffscreenCanvas(width, height), c = canvas.getContext("2d", { willReadFrequently: true });
  c.imageSmoothingQuality = "high";
  c.drawImage(image, 0, 0, width, height);
  image.close();
  return { width, height, was, data: c.getImageData(0, 0, width, height).data };
}

onmessage = async ({ data: { id, file, side, image, request } }) => {
  try {
    const result = file ? await decode(file, side) : makeFirstPreview(image, request);
    postMessage({ id, result }, file ? [result.data.buffer] : []);
  } catch (error) { postMessage({ id, error: String(error.message || error) }); }
};
