// A picture as the browser decodes it, made small and of few colours.
const SIDE = 2048;  // more pixels than these show nothing that a print could
const COUNTED = 300;  // more colours than these are a photo's
const SAMPLED = 4096;  // pixels by which an image is judged
const USUAL = 48, FLAT = 7;  // squares of a photo, colours of a print

export async function pixelsOf(file, side = SIDE) {
  const image = await createImageBitmap(file);
  const k = Math.min(1, side / Math.max(image.width, image.height)), was = `${image.width}x${image.height}`;
  const width = Math.max(1, Math.round(image.width * k)), height = Math.max(1, Math.round(image.height * k));
  const canvas = new OffscreenCanvas(width, height), c = canvas.getContext("2d", { willReadFrequently: true });
  c.imageSmoothingQuality = "high";
  c.drawImage(image, 0, 0, width, height);
  image.close();
  return { width, height, was, data: c.getImageData(0, 0, width, height).data };
}

// An image as the package asks about it: page_pictures.py says what each answer is.
export class Pixels {
  constructor({ width, height, was, data }, crop) {
    const left = Math.round((crop?.x || 0) * width), top = Math.round((crop?.y || 0) * height);
    this.width = Math.max(1, Math.min(width - left, Math.round((crop?.width ?? 1) * width)));
    this.height = Math.max(1, Math.min(height - top, Math.round((crop?.height ?? 1) * height)));
    this.was = crop ? `${this.width}x${this.height}` : was;
    this.data = data;
    if (crop) {
      this.data = new Uint8ClampedArray(4 * this.width * this.height);
      for (let y = 0; y < this.height; y++) {
        const from = 4 * ((top + y) * width + left);
        this.data.set(data.subarray(from, from + 4 * this.width), 4 * y * this.width);
      }
    }
    this.words = new Uint32Array(this.data.buffer, this.data.byteOffset, this.width * this.height);
    const seen = new Set();
    this.clear = this.half = 0;
    for (let k = 0; k < this.words.length; k++) {
      const alpha = this.data[4 * k + 3];
      if (alpha === 0) this.clear += 1; else if (alpha < 255) this.half += 1;
      if (alpha && seen.size < COUNTED) seen.add(this.words[k] & 0xFFFFFF);
    }
    this.colors = seen.size;
    this.block = this.blocks();
  }
  // The largest k such that all of it is blocks of k x k pixels of one colour.
  blocks() {
    const { width, height, words } = this, gcd = (a, b) => b ? gcd(b, a % b) : a;
    let k = gcd(width, height);
    for (let y = 0; y < height && k > 1; y++) for (let x = 0; x < width && k > 1; x++) {
      const at = y * width + x;
      if (x && x % k && words[at] !== words[at - 1]) k = gcd(k, x);
      if (y && y % k && words[at] !== words[at - width]) k = gcd(k, y);
    }
    return k;
  }
  // The middle of each block; without blocks the mean of what lies under each square.
  scaled(width, height, block) {
    const made = new Uint8Array(4 * width * height), { data } = this;
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
      const to = 4 * (y * width + x);
      if (block) {
        const at = 4 * ((y * block + (block >> 1)) * this.width + x * block + (block >> 1));
        made.set(data.subarray(at, at + 4), to);
        continue;
      }
      const x0 = x * this.width / width, x1 = (x + 1) * this.width / width, y0 = y * this.height / height, y1 = (y + 1) * this.height / height;
      let [r, g, b, a, all] = [0, 0, 0, 0, 0];
      for (let v = Math.floor(y0); v < y1; v++) for (let u = Math.floor(x0); u < x1; u++) {
        const share = (Math.min(v + 1, y1) - Math.max(v, y0)) * (Math.min(u + 1, x1) - Math.max(u, x0));
        const at = 4 * (v * this.width + u), alpha = share * data[at + 3];
        r += alpha * data[at]; g += alpha * data[at + 1]; b += alpha * data[at + 2]; a += alpha; all += share;
      }
      if (a) { made[to] = Math.round(r / a); made[to + 1] = Math.round(g / a); made[to + 2] = Math.round(b / a); made[to + 3] = Math.round(a / all); }
    }
    return made;
  }
  sample(right, down) {
    const k = Math.min(1, Math.sqrt(SAMPLED / this.words.length));
    const w = Math.max(1, Math.round(k * this.width)), h = Math.max(1, Math.round(k * this.height)), made = new Uint8Array(4 * w * h);
    for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {
      const u = Math.min(this.width - 1, Math.floor((x + .5) * this.width / w) + right), v = Math.min(this.height - 1, Math.floor((y + .5) * this.height / h) + down);
      made.set(this.data.subarray(4 * (v * this.width + u), 4 * (v * this.width + u) + 4), 4 * (y * w + x));
    }
    return made;
  }
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

// What is seen of an image before the engine is there: fewer squares and colours, on no board.
export function firstLook(pixels, { crop = null, fit = USUAL, colors = FLAT }) {
  const { width, height, squares } = scaled(pixels, crop, fit), found = palette(squares.filter(Boolean), colors);
  return {
    picture: { width, height, colors: found.map(name), squares: squares.map(c => c ? nearest(found, c) : -1) },
    background: null, field: "", board: [width, height], column: 0,
  };
}
