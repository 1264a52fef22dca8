// A game as MP4 with one H.264 track: the browser encodes it, this file writes the boxes (ISO 14496-12).
const CODEC = "avc1.4d0033";  // main profile, up to 4096 x 2304 pixels
const KEY = 100, QUEUE = 20;  // frames from one key frame to the next, and in the encoder at once
const settings = (width, height) => ({ codec: CODEC, width, height, bitrate: 4e6, avc: { format: "avc" } });
export async function canEncode() {
  return "VideoEncoder" in self && VideoEncoder.isConfigSupported(settings(640, 640)).then(found => found.supported, () => false);
}
export async function mp4({ width, height, colors, frames }, scale) {
  const even = size => size * scale + (size * scale & 1);
  const canvas = new OffscreenCanvas(even(width), even(height)), c = canvas.getContext("2d");
  c.fillStyle = "#" + colors[0]; c.fillRect(0, 0, canvas.width, canvas.height);
  const samples = [];
  let about = null, fault = null, before = "", time = 0;
  const encoder = new VideoEncoder({
    output(chunk, { decoderConfig }) {
      about ||= decoderConfig && [...new Uint8Array(decoderConfig.description)];
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      samples.push({ data, isKey: chunk.type === "key" });
    },
    error(error) { fault = error; },
  });
  encoder.configure(settings(canvas.width, canvas.height));
  const durations = [];
  for (const [k, [squares, seconds]] of frames.entries()) {
    for (let at = 0; at < squares.length; at++) if (squares[at] !== before[at]) {
      c.fillStyle = "#" + colors[squares[at]];
      c.fillRect(at % width * scale, Math.floor(at / width) * scale, scale, scale);
    }
    before = squares;
    const frame = new VideoFrame(canvas, { timestamp: 1e6 * time });
    encoder.encode(frame, { keyFrame: k % KEY === 0 });
    frame.close();
    durations.push(Math.round(1000 * (time + seconds)) - Math.round(1000 * time));
    time += seconds;
    while (encoder.encodeQueueSize > QUEUE && !fault) await new Promise(done => setTimeout(done));
    if (fault) break;
  }
  if (!fault) await encoder.flush();
  if (fault) throw fault;
  encoder.close();
  return makeMp4(canvas, samples, durations, about);
}
const bytes = (size, values) => values.flatMap(v => Array.from({ length: size }, (_, k) => v / 256 ** (size - 1 - k) & 255));
const u16 = (...values) => bytes(2, values), u32 = (...values) => bytes(4, values);
const letters = text => [...text].map(one => one.charCodeAt(0));
const box = (kind, ...parts) => { const inside = parts.flat(); return [...u32(8 + inside.length), ...letters(kind), ...inside]; };
const UNITY = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000), ENGLISH = 0x55c4;
function makeMp4({ width, height }, samples, durations, about) {
  const whole = durations.reduce((sum, one) => sum + one, 0), none = count => Array(count).fill(0);
  const keys = samples.flatMap(({ isKey }, k) => isKey ? [k + 1] : []);
  const format = box("avc1", none(6), u16(1), none(16), u16(width, height), u32(72 << 16, 72 << 16, 0), u16(1), none(32), u16(24, 0xffff), box("avcC", about));
  const tables = start => box("stbl",
    box("stsd", u32(0, 1), format), box("stts", u32(0, durations.length), ...durations.map(one => u32(1, one))),
    box("stss", u32(0, keys.length, ...keys)), box("stsc", u32(0, 1, 1, samples.length, 1)),
    box("stsz", u32(0, 0, samples.length, ...samples.map(({ data }) => data.length))), box("stco", u32(0, 1, start)));
  const film = start => box("moov",
    box("mvhd", u32(0, 0, 0, 1000, whole, 0x10000), u16(0x100), none(10), UNITY, none(24), u32(2)),
    box("trak", box("tkhd", u32(3, 0, 0, 1, 0, whole), none(16), UNITY, u32(width << 16, height << 16)),
      box("mdia", box("mdhd", u32(0, 0, 0, 1000, whole), u16(ENGLISH, 0)), box("hdlr", u32(0, 0), letters("vide"), none(13)),
        box("minf", box("vmhd", u32(1), none(8)), box("dinf", box("dref", u32(0, 1), box("url ", u32(1)))), tables(start)))));
  const kind = box("ftyp", letters("isom"), u32(0x200), letters("isomiso2avc1mp41"));
  const head = [...kind, ...film(kind.length + film(0).length + 8)];
  const size = samples.reduce((sum, { data }) => sum + data.length, 8);
  return new Blob([new Uint8Array([...head, ...u32(size), ...letters("mdat")]), ...samples.map(({ data }) => data)], { type: "video/mp4" });
}
