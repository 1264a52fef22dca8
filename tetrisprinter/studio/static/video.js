// A game as MP4 with one H.264 track: the browser encodes it, this file writes the boxes (ISO 14496-12).
const CODEC = "avc1.4d0033";  // main profile, up to 4096 x 2304 pixels
const KEY_FRAME_INTERVAL = 100, MAX_QUEUE = 20;  // frames from one key frame to the next, and in the encoder at once
const makeSettings = (width, height) => ({ codec: CODEC, width, height, bitrate: 4e6, avc: { format: "avc" } });
export async function canEncode() {
  return "VideoEncoder" in self && VideoEncoder.isConfigSupported(makeSettings(640, 640)).then(support => support.supported, () => false);
}
export async function encodeMp4({ width, height, colors, frames }, scale) {
  const scaleToEven = size => size * scale + (size * scale & 1);
  const canvas = new OffscreenCanvas(scaleToEven(width), scaleToEven(height)), c = canvas.getContext("2d");
  c.fillStyle = "#" + colors[0]; c.fillRect(0, 0, canvas.width, canvas.height);
  const samples = [];
  let decoderDescription = null, encodingError = null, before = "", time = 0;
  const encoder = new VideoEncoder({
    output(chunk, { decoderConfig }) {
      decoderDescription ||= decoderConfig && [...new Uint8Array(decoderConfig.description)];
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      samples.push({ data, isKey: chunk.type === "key" });
    },
    error(error) { encodingError = error; },
  });
  encoder.configure(makeSettings(canvas.width, canvas.height));
  const durations = [];
  for (const [k, [squares, seconds]] of frames.entries()) {
    for (let at = 0; at < squares.length; at++) if (squares[at] !== before[at]) {
      c.fillStyle = "#" + colors[squares[at]];
      c.fillRect(at % width * scale, Math.floor(at / width) * scale, scale, scale);
    }
    before = squares;
    const frame = new VideoFrame(canvas, { timestamp: 1e6 * time });
    encoder.encode(frame, { keyFrame: k % KEY_FRAME_INTERVAL === 0 });
    frame.close();
    durations.push(Math.round(1000 * (time + seconds)) - Math.round(1000 * time));
    time += seconds;
    while (encoder.encodeQueueSize > MAX_QUEUE && !encodingError) await new Promise(resolve => setTimeout(resolve));
    if (encodingError) break;
  }
  if (!encodingError) await encoder.flush();
  if (encodingError) throw encodingError;
  encoder.close();
  return makeMp4(canvas, samples, durations, decoderDescription);
}
const encodeNumbers = (size, values) => values.flatMap(v => Array.from({ length: size }, (_, k) => v / 256 ** (size - 1 - k) & 255));
const u16 = (...values) => encodeNumbers(2, values), u32 = (...values) => encodeNumbers(4, values);
const encodeText = text => [...text].map(letter => letter.charCodeAt(0));
const makeBox = (kind, ...parts) => { const content = parts.flat(); return [...u32(8 + content.length), ...encodeText(kind), ...content]; };
const UNITY = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000), ENGLISH = 0x55c4;
function makeMp4({ width, height }, samples, durations, decoderDescription) {
  const totalDuration = durations.reduce((sum, duration) => sum + duration, 0), makeZeros = count => Array(count).fill(0);
  const keys = samples.flatMap(({ isKey }, k) => isKey ? [k + 1] : []);
  const format = makeBox("avc1", makeZeros(6), u16(1), makeZeros(16), u16(width, height), u32(72 << 16, 72 << 16, 0), u16(1), makeZeros(32), u16(24, 0xffff), makeBox("avcC", decoderDescription));
  const makeSampleTable = start => makeBox("stbl",
    makeBox("stsd", u32(0, 1), format), makeBox("stts", u32(0, durations.length), ...durations.map(duration => u32(1, duration))),
    makeBox("stss", u32(0, keys.length, ...keys)), makeBox("stsc", u32(0, 1, 1, samples.length, 1)),
    makeBox("stsz", u32(0, 0, samples.length, ...samples.map(({ data }) => data.length))), makeBox("stco", u32(0, 1, start)));
  const makeMovieBox = start => makeBox("moov",
    makeBox("mvhd", u32(0, 0, 0, 1000, totalDuration, 0x10000), u16(0x100), makeZeros(10), UNITY, makeZeros(24), u32(2)),
    makeBox("trak", makeBox("tkhd", u32(3, 0, 0, 1, 0, totalDuration), makeZeros(16), UNITY, u32(width << 16, height << 16)),
      makeBox("mdia", makeBox("mdhd", u32(0, 0, 0, 1000, totalDuration), u16(ENGLISH, 0)), makeBox("hdlr", u32(0, 0), encodeText("vide"), makeZeros(13)),
        makeBox("minf", makeBox("vmhd", u32(1), makeZeros(8)), makeBox("dinf", makeBox("dref", u32(0, 1), makeBox("url ", u32(1)))), makeSampleTable(start)))));
  const fileType = makeBox("ftyp", encodeText("isom"), u32(0x200), encodeText("isomiso2avc1mp41"));
  const header = [...fileType, ...makeMovieBox(fileType.length + makeMovieBox(0).length + 8)];
  const size = samples.reduce((sum, { data }) => sum + data.length, 8);
  return new Blob([new Uint8Array([...header, ...u32(size), ...encodeText("mdat")]), ...samples.map(({ data }) => data)], { type: "video/mp4" });
}
