// Decodes images away from the page, which a photo of 12 megapixels would block.
onmessage = async ({ data: { id, file, side } }) => {
  try {
    const image = await createImageBitmap(file);
    const k = Math.min(1, side / Math.max(image.width, image.height)), was = `${image.width}x${image.height}`;
    const width = Math.max(1, Math.round(image.width * k)), height = Math.max(1, Math.round(image.height * k));
    const canvas = new OffscreenCanvas(width, height), c = canvas.getContext("2d", { willReadFrequently: true });
    c.imageSmoothingQuality = "high";
    c.drawImage(image, 0, 0, width, height);
    image.close();
    const { data } = c.getImageData(0, 0, width, height);
    postMessage({ id, found: { width, height, was, data } }, [data.buffer]);
  } catch (error) { postMessage({ id, fault: String(error.message || error) }); }
};
