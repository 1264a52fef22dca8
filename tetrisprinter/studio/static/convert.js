// A picture as the browser decodes it, made small and of few colours.
const SIDE = 512;  // more pixels than these show nothing that a print could
const USUAL = 48, FLAT = 7;  // squares of a photo, colours of a print
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

export async function pixelsOf(file) {
  const image = await createImageBitmap(file);
  const k = Math.min(1, SIDE / Math.max(image.width, image.height));
  const width = Math.max(1, Math.round(image.width * k)), height = Math.max(1, Math.round(image.height * k));
  const canvas = new OffscreenCanvas(width, height), c = canvas.getContext("2d", { willReadFrequently: true });
  c.imageSmoothingQuality = "high";
  c.drawImage(image, 0, 0, width, height);
  image.close();
  return { width, height, data: c.getImageData(0, 0, width, height).data };
}

// The mean of the pixels under each square, weighted by how much is seen of them.
function scaled({ width, height, data }, crop, side) {
  const box = crop || { x: 0, y: 0, width: 1, height: 1 };
  const left = box.x * width, top = box.y * height, wide = Math.max(1, box.width * width), high = Math.max(1, box.height * height);
  const k = Math.min(1, side / Math.max(wide, high)), w = Math.max(1, Math.round(wide * k)), h = Math.max(1, Math.round(high * k));
  const squares = [];
  for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {
    const x0 = Math.floor(left + x * wide / w), x1 = Math.max(x0 + 1, Math.floor(left + (x + 1) * wide / w));
    const y0 = Math.floor(top + y * high / h), y1 = Math.max(y0 + 1, Math.floor(top + (y + 1) * high / h));
    let r = 0, g = 0, b = 0, a = 0, count = 0;
    for (let v = y0; v < Math.min(y1, height); v++) for (let u = x0; u < Math.min(x1, width); u++) {
      const at = 4 * (v * width + u), alpha = data[at + 3];
      r += data[at] * alpha; g += data[at + 1] * alpha; b += data[at + 2] * alpha; a += alpha; count += 1;
    }
    squares.push(a < 128 * count ? null : [r / a, g / a, b / a]);
  }
  return { width: w, height: h, squares };
}
const apart = (a, b) => 3 * (a[0] - b[0]) ** 2 + 6 * (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;
const name = color => color.map(v => Math.round(v).toString(16).padStart(2, "0")).join("");

// At most so many colours: the farthest ones first, each then the mean of what is nearest to it.
function palette(colors, most) {
  const different = [...new Map(colors.map(c => [name(c), c])).values()];
  if (different.length <= most) return different;
  const mean = [0, 1, 2].map(k => colors.reduce((sum, c) => sum + c[k], 0) / colors.length);
  const found = [different.reduce((best, c) => apart(c, mean) < apart(best, mean) ? c : best)];
  while (found.length < most) {
    const far = c => Math.min(...found.map(f => apart(f, c)));
    found.push(different.reduce((best, c) => far(c) > far(best) ? c : best));
  }
  for (let turn = 0; turn < 8; turn++) {
    const sums = found.map(() => [0, 0, 0, 0]);
    for (const c of colors) { const s = sums[nearest(found, c)]; s[0] += c[0]; s[1] += c[1]; s[2] += c[2]; s[3] += 1; }
    sums.forEach((s, k) => { if (s[3]) found[k] = [s[0] / s[3], s[1] / s[3], s[2] / s[3]]; });
  }
  return found;
}
function nearest(found, color) {
  let best = 0;
  for (let k = 1; k < found.length; k++) if (apart(found[k], color) < apart(found[best], color)) best = k;
  return best;
}

// The drawing of a picture, as the package reads drawings.
export function toDrawing(pixels, { crop = null, fit = USUAL, colors = FLAT }) {
  const { width, height, squares } = scaled(pixels, crop, fit), found = palette(squares.filter(Boolean), colors);
  const rows = Array.from({ length: height }, (_, y) => squares.slice(y * width, (y + 1) * width).map(c => c ? LETTERS[nearest(found, c)] : ".").join(""));
  const names = found.map((c, k) => `${LETTERS[k]}=${name(c)}`).filter(one => rows.some(row => row.includes(one[0])));
  return [names.join(" "), ...rows].join("\n");
}

// What is seen of a drawing before the engine is there: the picture on no board.
export function firstLook({ source }) {
  const [names, ...rows] = source.split("\n"), pairs = names.split(" ").map(pair => pair.split("="));
  const width = Math.max(...rows.map(row => row.length)), order = pairs.map(([letter]) => letter);
  return {
    picture: { width, height: rows.length, colors: pairs.map(([, color]) => color), squares: rows.flatMap(row => [...row.padEnd(width, ".")].map(letter => order.indexOf(letter))) },
    background: null, field: "", board: [width, rows.length], column: 0,
  };
}
