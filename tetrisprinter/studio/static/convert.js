// Images that the browser has decoded: scaled as Pillow scales them, and reduced to few colours.
const MAX_COUNTED_COLORS = 300;  // colours are counted up to this number; a photo has more
const SAMPLE_SIZE = 4096;  // about the number of pixels in a sample of an image
const MAX_ART_COLORS = 32, MIN_DITHERED_SHARE = .04;  // most colours of pixel art; with a larger share of lone pixels it is dithered
const MARGIN = 16;  // the largest difference in a channel between a margin and its colour, as in convert.py
const PIXELS_PER_SQUARE = 16;  // pixels per side of a square that are enough for its colour
const DEFAULT_SIDE = 48, LONGEST = 2, DEFAULT_COLORS = 7;  // defaults of a first preview, as in convert.py: as many squares as a square of this side, at most so many times as long

// How Pillow scales: each pixel of a row or column is a weighted mean of those under a kernel.
const WEIGHT_UNIT = 2 ** 22;  // weights are whole numbers, as in Pillow, so the sums are the same on any machine
const LANCZOS = { support: 3, weight: x => x === 0 ? 1 : Math.abs(x) >= 3 ? 0 : 3 * Math.sin(Math.PI * x) * Math.sin(Math.PI * x / 3) / (Math.PI * x) ** 2 };
const BOX = { support: .5, weight: x => x > -.5 && x <= .5 ? 1 : 0 };
function makeKernels(from, to, { support, weight }) {
  const scale = from / to, stretch = Math.max(1, scale), kernels = [];
  for (let at = 0; at < to; at++) {
    const middle = (at + .5) * scale, first = Math.max(0, Math.floor(middle - support * stretch + .5));
    const end = Math.min(from, Math.floor(middle + support * stretch + .5)), weights = [];
    for (let k = first; k < end; k++) weights.push(weight((k - middle + .5) / stretch));
    const sum = weights.reduce((a, b) => a + b, 0);
    kernels.push([first, Float64Array.from(weights, w => Math.sign(w) * Math.floor(Math.abs(w / sum) * WEIGHT_UNIT + .5))]);
  }
  return kernels;
}
// Return an image as RGBA in another size. Colours are weighted by alpha, so hidden ones do not count.
function resample({ width, height, data, clear, half }, w, h, filter) {
  const isOpaque = clear === 0 && half === 0, premultiplied = isOpaque ? data : new Uint8ClampedArray(data.length);
  for (let k = 0; k < data.length && !isOpaque; k += 4) {
    const alpha = data[k + 3];
    for (let c = 0; c < 3; c++) { const v = data[k + c] * alpha + 128; premultiplied[k + c] = (v >> 8) + v >> 8; }
    premultiplied[k + 3] = alpha;
  }
  const rows = new Uint8ClampedArray(4 * w * height), result = new Uint8ClampedArray(4 * w * h);
  resampleLines(premultiplied, rows, height, 4 * width, 4 * w, 4, makeKernels(width, w, filter));
  resampleLines(rows, result, w, 4, 4, 4 * w, makeKernels(height, h, filter));
  for (let k = 0; k < result.length; k += 4) {
    const alpha = result[k + 3];
    if (alpha && alpha < 255) for (let c = 0; c < 3; c++) result[k + c] = Math.min(255, Math.floor(255 * result[k + c] / alpha));
  }
  return result;
}
function resampleLines(from, to, lines, fromLine, toLine, step, kernels) {
  for (let line = 0; line < lines; line++) kernels.forEach(([first, weights], at) => {
    let r = WEIGHT_UNIT / 2, g = WEIGHT_UNIT / 2, b = WEIGHT_UNIT / 2, a = WEIGHT_UNIT / 2, k = line * fromLine + first * step;
    for (let n = 0; n < weights.length; n++, k += step) {
      const weight = weights[n];
      r += weight * from[k]; g += weight * from[k + 1]; b += weight * from[k + 2]; a += weight * from[k + 3];
    }
    k = line * toLine + at * step;
    to[k] = Math.floor(r / WEIGHT_UNIT); to[k + 1] = Math.floor(g / WEIGHT_UNIT); to[k + 2] = Math.floor(b / WEIGHT_UNIT); to[k + 3] = Math.floor(a / WEIGHT_UNIT);
  });
}

// An image for the package; the protocol Pixels in convert.py describes its public methods.
export class Pixels {
  constructor({ width, height, was, data }, crop) {
    const left = Math.round((crop?.x || 0) * width), top = Math.round((crop?.y || 0) * height);
    this.width = Math.max(1, Math.min(width - left, Math.round((crop?.width ?? 1) * width)));
    this.height = Math.max(1, Math.min(height - top, Math.round((crop?.height ?? 1) * height)));
    this.was = crop ? `${this.width}x${this.height}` : was;
    this.data = crop ? cropData(data, width, left, top, this.width, this.height) : data;
    this.words = new Uint32Array(this.data.buffer, this.data.byteOffset, this.width * this.height);
    const colors = new Set(), values = new Set();
    this.clear = this.half = 0;
    for (let k = 0; k < this.words.length; k++) {
      const alpha = this.data[4 * k + 3];
      if (alpha === 0) this.clear += 1; else if (alpha < 255) this.half += 1;
      if (alpha && colors.size < MAX_COUNTED_COLORS) colors.add(this.words[k] & 0xFFFFFF);
      if (values.size <= MAX_ART_COLORS) values.add(this.words[k]);
    }
    this.colors = colors.size;
    this.block = this.findBlockSide();
    this.dithered = values.size <= MAX_ART_COLORS && this.measureLoneShare() > MIN_DITHERED_SHARE;
    this.art = values.size <= MAX_ART_COLORS && !this.dithered;
  }
  // Return the largest k such that the image consists of one-coloured blocks of k x k pixels.
  findBlockSide() {
    const { width, height, words } = this, gcd = (a, b) => b ? gcd(b, a % b) : a;
    let k = gcd(width, height);
    for (let y = 0; y < height && k > 1; y++) for (let x = 0; x < width && k > 1; x++) {
      const at = y * width + x;
      if (x && x % k && words[at] !== words[at - 1]) k = gcd(k, x);
      if (y && y % k && words[at] !== words[at - width]) k = gcd(k, y);
    }
    return k;
  }
  // Return the share of inner pixels that are unlike all four neighbours.
  measureLoneShare() {
    const { width, height, words } = this;
    let count = 0;
    for (let y = 1; y < height - 1; y++) for (let x = 1; x < width - 1; x++) {
      const at = y * width + x, word = words[at];
      if (word !== words[at - 1] && word !== words[at + 1] && word !== words[at - width] && word !== words[at + width]) count += 1;
    }
    return count / Math.max(1, (width - 2) * (height - 2));
  }
  // Return the smallest crop with all visible pixels that differ from a ground, if one is given; the image itself if there is none.
  cropVisible(...ground) {
    const { width, height, data } = this;
    const isShown = at => ground.length ? ground.some((value, n) => Math.abs(value - data[at + n]) > MARGIN) : data[at + 3];
    let left = width, top = height, right = 0, bottom = 0;
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if (isShown(4 * (y * width + x))) {
      left = Math.min(left, x); right = Math.max(right, x + 1); top = Math.min(top, y); bottom = Math.max(bottom, y + 1);
    }
    if (right - left === width && bottom - top === height || !right) return this;
    const cropped = this.derive(right - left, bottom - top, cropData(data, width, left, top, right - left, bottom - top));
    cropped.art = (cropped.art || cropped.dithered) && !this.dithered;
    cropped.dithered = this.dithered;  // soft edges look so without the margins
    return cropped;
  }
  // Return the image that keeps the middle pixel of each block of k x k pixels.
  shrink(k) {
    const width = Math.floor(this.width / k), height = Math.floor(this.height / k), middlePixels = new Uint32Array(width * height);
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) middlePixels[y * width + x] = this.words[(y * k + (k >> 1)) * this.width + x * k + (k >> 1)];
    return this.derive(width, height, new Uint8ClampedArray(middlePixels.buffer));
  }
  derive(width, height, data) { return new Pixels({ width, height, data, was: this.was }, null); }
  rgba() { return new Uint8Array(this.data.buffer, this.data.byteOffset, this.data.length); }
  // Return the image as RGBA in another size. A far larger image is first shrunk by a whole number.
  scale(w, h, filter = LANCZOS) {
    const times = Math.floor(Math.min(this.width / w, this.height / h) / PIXELS_PER_SQUARE);
    const [width, height] = times > 1 ? [Math.ceil(this.width / times), Math.ceil(this.height / times)] : [this.width, this.height];
    const smaller = times > 1 ? { width, height, data: resample(this, width, height, BOX), clear: this.clear, half: this.half } : this;
    return new Uint8Array(resample(smaller, w, h, filter).buffer);
  }
  // Return up to maxPoints x maxPoints points for each square of a smaller picture.
  points(w, h, maxPoints) {
    const pointsPerSide = Math.min(maxPoints, Math.ceil(this.width / w)), fineSize = [pointsPerSide * w, pointsPerSide * h];
    return this.width > 2 * fineSize[0] ? new Uint8Array(resample(this, ...fineSize, BOX).buffer) : this.sampleNearest(...fineSize);
  }
  sampleNearest(w, h, right = 0, down = 0) {
    const result = new Uint32Array(w * h), columns = listSampledPixels(this.width, w), rows = listSampledPixels(this.height, h);
    for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {
      const u = Math.min(this.width - 1, columns[x] + right), v = Math.min(this.height - 1, rows[y] + down);
      result[y * w + x] = this.words[v * this.width + u];
    }
    return new Uint8Array(result.buffer);
  }
  // Return some thousand pixels, or those this far to their right and below.
  sample(right, down) {
    const k = Math.min(1, Math.sqrt(SAMPLE_SIZE / this.words.length));
    return this.sampleNearest(Math.max(1, Math.round(k * this.width)), Math.max(1, Math.round(k * this.height)), right, down);
  }
}
// Return the pixels under evenly spaced points; steps are added up as in Pillow, so both round alike.
function listSampledPixels(length, count) {
  const step = length / count, indices = [];
  for (let at = step / 2; indices.length < count; at += step) indices.push(Math.floor(at));
  return indices;
}
function cropData(data, width, left, top, w, h) {
  const cropped = new Uint8ClampedArray(4 * w * h);
  for (let y = 0; y < h; y++) {
    const from = 4 * ((top + y) * width + left);
    cropped.set(data.subarray(from, from + 4 * w), 4 * y * w);
  }
  return cropped;
}

const measureDistance = (a, b) => 3 * (a[0] - b[0]) ** 2 + 6 * (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;
const formatColor = color => color.map(v => Math.round(v).toString(16).padStart(2, "0")).join("");

// Choose at most `maxColors` colours: take colours far from each other, then move each to its cluster's mean.
function choosePalette(colors, maxColors) {
  const different = [...new Map(colors.map(c => [formatColor(c), c])).values()];
  if (different.length <= maxColors) return different;
  const mean = [0, 1, 2].map(k => colors.reduce((sum, c) => sum + c[k], 0) / colors.length);
  const palette = [different.reduce((best, c) => measureDistance(c, mean) < measureDistance(best, mean) ? c : best)];
  while (palette.length < maxColors) {
    const measureGap = c => Math.min(...palette.map(f => measureDistance(f, c)));
    palette.push(different.reduce((best, c) => measureGap(c) > measureGap(best) ? c : best));
  }
  for (let turn = 0; turn < 8; turn++) {
    const sums = palette.map(() => [0, 0, 0, 0]);
    for (const c of colors) { const s = sums[findNearest(palette, c)]; s[0] += c[0]; s[1] += c[1]; s[2] += c[2]; s[3] += 1; }
    sums.forEach((s, k) => { if (s[3]) palette[k] = [s[0] / s[3], s[1] / s[3], s[2] / s[3]]; });
  }
  return palette;
}
function findNearest(palette, color) {
  let best = 0;
  for (let k = 1; k < palette.length; k++) if (measureDistance(palette[k], color) < measureDistance(palette[best], color)) best = k;
  return best;
}

// Return the preview of an image until the engine is loaded: few squares and colours, no larger board.
export function makeFirstPreview(image, { crop = null, fit = null, colors = DEFAULT_COLORS }) {
  const pixels = new Pixels(image, crop), longer = Math.max(pixels.width, pixels.height);
  const k = Math.min(1, fit ? fit / longer : Math.min(DEFAULT_SIDE / Math.sqrt(pixels.width * pixels.height), LONGEST * DEFAULT_SIDE / longer));
  const width = Math.max(1, Math.round(pixels.width * k)), height = Math.max(1, Math.round(pixels.height * k)), data = pixels.scale(width, height, BOX);
  const squares = Array.from({ length: width * height }, (_, at) => data[4 * at + 3] < 128 ? null : [...data.subarray(4 * at, 4 * at + 3)]);
  const palette = choosePalette(squares.filter(Boolean), colors);
  return {
    picture: { width, height, colors: palette.map(formatColor), squares: squares.map(c => c ? findNearest(palette, c) : -1) },
    background: null, field: "", board: [width, height], column: 0,
  };
}
