// Writes pictures and games as files: PNG by the browser's canvas, GIF by the encoder below.
const rgb = color => [0, 2, 4].map(k => parseInt(color.slice(k, k + 2), 16));

// Return a picture {width, height, colors, squares, field} as PNG, `scale` pixels for each square.
export async function encodePng({ width, height, colors, squares, field }, scale) {
  const canvas = new OffscreenCanvas(width * scale, height * scale), c = canvas.getContext("2d");
  squares.forEach((color, k) => {
    c.fillStyle = "#" + (color < 0 ? field : colors[color]);
    c.fillRect(k % width * scale, Math.floor(k / width) * scale, scale, scale);
  });
  return canvas.convertToBlob({ type: "image/png" });
}

// Return a GIF89a with one palette of eight colours; a frame is the rectangle that changed.
export function encodeGif({ width, height, colors, frames }, scale) {
  const out = [...new TextEncoder().encode("GIF89a")], pushUint16 = n => out.push(n & 255, n >> 8 & 255);
  const SIZE = 8;
  pushUint16(width * scale); pushUint16(height * scale); out.push(0xF2, 0, 0);
  for (let k = 0; k < SIZE; k++) out.push(...rgb(colors[k] || "000000"));
  out.push(0x21, 0xFF, 11, ...new TextEncoder().encode("NETSCAPE2.0"), 3, 1, 0, 0, 0);
  let previous = null, time = 0, shownTime = 0;
  for (const [squares, seconds] of frames) {
    time += 100 * seconds;
    let [left, top, right, bottom] = [width, height, -1, -1];
    for (let k = 0; k < squares.length; k++) if (!previous || squares[k] !== previous[k]) {
      const x = k % width, y = Math.floor(k / width);
      left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); bottom = Math.max(bottom, y);
    }
    if (right < 0) left = top = right = bottom = 0;
    previous = squares;
    // Rounded such that rounding errors do not add up.
    const delay = Math.round(time) - shownTime;
    shownTime += delay;
    out.push(0x21, 0xF9, 4, 4); pushUint16(delay); out.push(0, 0);
    out.push(0x2C); pushUint16(left * scale); pushUint16(top * scale); pushUint16((right - left + 1) * scale); pushUint16((bottom - top + 1) * scale); out.push(0);
    const indices = [];
    for (let y = top; y <= bottom; y++) {
      const line = [];
      for (let x = left; x <= right; x++) for (let k = 0; k < scale; k++) line.push(+squares[y * width + x]);
      for (let k = 0; k < scale; k++) indices.push(line);
    }
    compress(indices.flat(), 3, out);
  }
  out.push(0x3B);
  return new Blob([new Uint8Array(out)], { type: "image/gif" });
}
// LZW with codes of growing width, in blocks of at most 255 bytes.
function compress(indices, bits, out) {
  const clear = 1 << bits, end = clear + 1, bytes = [];
  let width = bits + 1, next = end + 1, table = new Map(), bitBuffer = 0, bitCount = 0;
  const writeCode = code => {
    bitBuffer |= code << bitCount; bitCount += width;
    while (bitCount >= 8) { bytes.push(bitBuffer & 255); bitBuffer >>>= 8; bitCount -= 8; }
  };
  writeCode(clear);
  let prefix = indices[0];
  for (let k = 1; k < indices.length; k++) {
    const key = prefix << 8 | indices[k], knownCode = table.get(key);
    if (knownCode !== undefined) { prefix = knownCode; continue; }
    writeCode(prefix);
    if (next < 4096) {
      table.set(key, next);
      if (next === 1 << width) width += 1;
      next += 1;
    } else { writeCode(clear); table = new Map(); width = bits + 1; next = end + 1; }
    prefix = indices[k];
  }
  writeCode(prefix); writeCode(end);
  if (bitCount) bytes.push(bitBuffer & 255);
  out.push(bits);
  for (let k = 0; k < bytes.length; k += 255) { const block = bytes.slice(k, k + 255); out.push(block.length, ...block); }
  out.push(0);
}
