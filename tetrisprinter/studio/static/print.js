// The print page: the user chooses a picture, looks at its preview and prints it.
import { $, ask, askJson, begin, button, translateMessage, n, paint, save, say, showIn, t, trying } from "./common.js";
import { engine } from "./engine.js";
import { openEditor } from "./editor.js";
import { startFilm } from "./film.js";
import { drawSvg } from "./images.js";
import { startJobs, select, showPicture } from "./jobs.js";
import { typesPanel } from "./types.js";

begin();

// ---- The chosen picture and settings, which are stored for the next visit.
const fresh = { kind: "example", source: "mushroom", name: "mushroom", panel: "upload", crop: null, types: "auto", repair: true };
const wanted = { ...fresh, ...JSON.parse(localStorage.getItem("studio-wanted") || "{}") };
let seen = null;
const TONES = ["contrast", "saturation", "sharpness"];
const SETTINGS = ["fit", "fit-auto", "colors", "colors-auto", "dither", ...TONES, "original", "background", "background-color", "board", "board-size", "dealt", "dealt-queue", "dealt-hold", "steered", "text-color", "effort", "place"];
function keep() {
  wanted.settings = Object.fromEntries(SETTINGS.map(id => [id, $(id).type === "checkbox" ? $(id).checked : $(id).value]));
  localStorage.setItem("studio-wanted", JSON.stringify(wanted));
}
for (const [id, value] of Object.entries(wanted.settings || {})) if ($(id)) $(id)[$(id).type === "checkbox" ? "checked" : "value"] = value;
$("background-color").hidden = $("background").value !== "color";
$("board-size").hidden = $("board").value !== "own";
$("dealt-queue").hidden = $("dealt-how").hidden = $("dealt").value !== "own";

function describeRequest() {
  const said = { kind: wanted.kind, source: wanted.source, name: wanted.name, types: wanted.types, repair: wanted.repair };
  if (wanted.crop && wanted.kind !== "text" && wanted.kind !== "drawing") said.crop = wanted.crop;
  if (!$("fit-auto").checked) said.fit = +$("fit").value;
  if (!$("colors-auto").checked) said.colors = +$("colors").value;
  said.dither = $("dither").checked;
  if (engine.can.has("adjust")) {
    for (const id of TONES) said[id] = +$(id).value;
    said.original = $("original").checked;
  }
  said.background = $("background").value === "color" ? $("background-color").value.slice(1) : $("background").value;
  said.board = $("board").value === "own" ? $("board-size").value.replace(/[×X ]/g, m => m === " " ? "" : "x") : $("board").value;
  if ($("dealt").value === "own") {
    said.pieces = $("dealt-queue").value.trim(); said.no_hold = !$("dealt-hold").checked; said.steered = $("steered").checked;
  }
  if (wanted.kind === "text") said.text_color = $("text-color").value.slice(1);
  return said;
}

// ---- The preview: one request at a time, and only the newest one is shown.
let waiting = false, again = false, begun = false, uploads = 0, refused = "", follows = false;
const isBusy = () => refused || uploads;  // an upload is not finished or was refused
async function requestPreview({ opens = begun } = {}) {
  keep();
  if (opens) showPicture();
  if (refused) { showRefusal(refused); return; }
  if (waiting) { again = true; return; }
  waiting = true;
  do {
    again = false;
    try {
      const said = describeRequest();
      // First the picture alone, because the search for its obstacles takes longer.
      const first = await askJson("/api/preview", { method: "POST", json: { ...said, glance: true } });
      if (again || isBusy()) continue;
      if (first) showGlance(first);
      // An engine that is still loading must not keep the next picture waiting.
      if (engine.loading === "loading") { lookWhenLoaded(); continue; }
      const whole = await askJson("/api/preview", { method: "POST", json: said });
      if (again || isBusy()) continue;
      show(whole);
    } catch (error) { if (!isBusy()) showRefusal(error.message); }
  } while (again);
  waiting = false;
}
function lookWhenLoaded() {
  if (follows) return;
  follows = true;
  engine.loaded.then(() => requestPreview({ opens: false }));  // a job that the user has opened stays open
}
function showGlance(found) {
  const frame = $("preview").parentElement;
  place(found.picture, found, measureRoom(frame), [], []);
}
// Draw a picture at the bottom of its board; without the board if it is unknown or too small.
function place(shown, found, space, marks, changed) {
  const [width, height] = found.board || [0, 0], left = found.column, above = height - shown.height;
  const fits = left >= 0 && left + shown.width <= width && above >= 0;
  const at = cells => fits ? cells.map(([x, y]) => [x + left, y + above]) : cells;
  const squares = Array(fits ? width * height : 0).fill(-1);
  if (fits) shown.squares.forEach((color, k) => {
    squares[(above + Math.floor(k / shown.width)) * width + left + k % shown.width] = color;
  });
  paint($("preview"), fits ? { width, height, colors: shown.colors, squares } : shown, space,
    { field: found.field, marks: at(marks), changed: at(changed) });
}
const measureRoom = frame => ({ width: frame.clientWidth - 28, height: Math.max(240, Math.min(560, innerHeight * .55)) });
function showRefusal(sentence) {
  seen = null;
  $("print").disabled = true;
  $("about").textContent = "";
  const trouble = $("trouble");
  trouble.hidden = false; trouble.textContent = translateMessage(sentence);
  const canvas = $("preview");
  canvas.width = canvas.height = 1; canvas.style.width = canvas.style.height = "1px";
  canvas.setAttribute("aria-label", t("No picture"));
}
const SENTENCES = {
  "full row": "A row fills the whole board, and a full row vanishes.",
  "gap row": "A row is empty, but there are squares above it; a game never leaves an empty row below a square.",
  "count": "No game on this board leaves this number of squares: pieces have four squares, and only full rows vanish.",
  "O alone": "A colour that only the O can show has to come in pairs of neighbours, and here it does not.",
  "cut": "Above one of the rows lies a number of squares that no choice of pieces can leave.",
};
function show(found) {
  seen = found;
  const after = found.repaired || found.picture;
  draw();
  if (document.activeElement !== $("name")) $("name").value = wanted.name;
  $("fit-out").textContent = $("fit-auto").checked ? Math.max(after.width, after.height) : $("fit").value;
  if ($("fit-auto").checked) $("fit").value = Math.max(after.width, after.height);
  for (const id of TONES) $(`${id}-out`).textContent = `${Math.round(100 * $(id).value)} %`;
  $("colors-out").textContent = $("colors-auto").checked ? after.colors.length : $("colors").value;
  if ($("colors-auto").checked) $("colors").value = after.colors.length;
  const parts = [`${after.width} × ${after.height}`, n(found.pixels, "square|squares")];
  if (found.board) parts.push(t("board {w} × {h}", { w: found.board[0], h: found.board[1] }));
  if (found.bound) parts.push(t("at least {drops}", { drops: n(found.bound, "drop|drops") }));
  $("about").textContent = parts.join(" · ") + (found.done.length ? " — " + found.done.map(translateMessage).join(", ") : "");
  $("preview").setAttribute("aria-label", t("The picture: {about}", { about: parts.join(", ") }));
  showTrouble(found);
  types.show(found, wanted.types);
  $("print").disabled = found.still !== null;
  showCrop();
}
function draw() {
  if (!seen) return;
  const space = measureRoom($("preview").parentElement), after = seen.repaired;
  if (after) place(after, seen, space, [], seen.changes.map(c => [c.x, c.y + after.height - seen.picture.height]));
  else place(seen.picture, seen, space, marks(seen), []);
}
const marks = found => {
  const all = new Map((found.obstacle ? found.obstacle.cells : []).map(c => [String(c), c]));
  if (found.obstacle) for (const c of found.changes) if (c.y >= 0) all.set(String([c.x, c.y]), [c.x, c.y]);
  return [...all.values()];
};
function showTrouble(found) {
  const box = $("trouble");
  box.replaceChildren();
  box.hidden = !found.obstacle;
  if (!found.obstacle) return;
  const heading = document.createElement("strong"), why = document.createElement("p");
  const mended = found.repaired && !found.still;
  box.classList.toggle("bad", !mended);
  heading.textContent = mended ? t("Repaired: {squares} changed.", { squares: n(found.changes.length, "square is|squares are") })
    : t(SENTENCES[found.obstacle.theorem] || "This cannot be printed as it is.");
  why.className = "small"; why.textContent = translateMessage(found.obstacle.sentence);
  box.append(heading);
  if (!mended) {
    const more = document.createElement("details"), summary = document.createElement("summary");
    summary.textContent = t("Details");
    more.open = !SENTENCES[found.obstacle.theorem];
    more.append(summary, why); box.append(more);
  }
  if (found.changes.length && !wanted.repair) {
    const compare = document.createElement("div"); compare.className = "compare";
    const [before, after] = [found.picture, repairPicture(found)].map((picture, k) => {
      const cell = document.createElement("div"), canvas = document.createElement("canvas"), label = document.createElement("p");
      label.className = "small quiet"; label.textContent = t(k ? "after" : "before");
      canvas.setAttribute("role", "img"); canvas.setAttribute("aria-label", label.textContent);
      paint(canvas, picture, { width: 150, height: 130 }, { field: found.field, grid: false, marks: k ? [] : marks(found), changed: [] });
      cell.append(canvas, label); return cell;
    });
    const arrow = document.createElement("span"); arrow.textContent = "→"; arrow.setAttribute("aria-hidden", "true");
    compare.append(before, arrow, after); box.append(compare, listChanges(found));
    const repair = button(t("Repair: change {squares}", { squares: n(found.changes.length, "square|squares") }),
      () => { wanted.repair = true; requestPreview().then(() => $("unrepair")?.focus()); }, { class: "main", id: "repair" });
    box.append(repair);
  } else if (found.changes.length) {
    if (!mended) { const p = document.createElement("p"); p.textContent = found.still ? translateMessage(found.still.sentence) : ""; box.append(p); }
    const undo = button(t("Undo the repair"), () => { wanted.repair = false; requestPreview(); }, { id: "unrepair" });
    box.append(listChanges(found), undo);
  }
}
function listChanges(found) {
  const more = document.createElement("details"), summary = document.createElement("summary"), list = document.createElement("ul");
  summary.textContent = t("Which squares");
  for (const c of found.changes) {
    const item = document.createElement("li");
    item.textContent = t("column {x}, row {y}: {before} → {after}", { x: c.x + 1, y: c.y + 1, before: c.before || t("empty"), after: c.after || t("empty") });
    list.append(item);
  }
  more.append(summary, list);
  return more;
}
function repairPicture(found) {
  const { width, height } = found.picture, above = Math.max(0, ...found.changes.map(c => -c.y));
  const colors = [...found.picture.colors], squares = [...Array(above * width).fill(-1), ...found.picture.squares];
  for (const c of found.changes) {
    if (c.after && !colors.includes(c.after)) colors.push(c.after);
    squares[(c.y + above) * width + c.x] = c.after ? colors.indexOf(c.after) : -1;
  }
  return { width, height: height + above, colors, squares };
}

// ---- The source of the picture.
function usePicture(kind, source, name) {
  Object.assign(wanted, { kind, source, name, crop: null, types: "auto", repair: true });
  if (kind !== "drawing") { $("fit-auto").checked = true; $("colors-auto").checked = true; }
  refused = "";
  showPanel(kind === "drawing" ? wanted.panel : kind);
  return requestPreview();
}
function showPanel(kind) {
  wanted.panel = kind || "upload";
  for (const b of document.querySelectorAll("[data-source]")) b.setAttribute("aria-pressed", b.dataset.source === wanted.panel);
  for (const p of document.querySelectorAll("[data-panel]")) p.hidden = p.dataset.panel !== wanted.panel;
}
// After a refused file nothing can be printed, so that no earlier picture is printed by mistake.
let newest = 0;
async function upload(file) {
  const mine = ++newest;
  refused = ""; seen = null;
  showPicture();
  $("print").disabled = true; $("trouble").hidden = true; $("crop").hidden = true;
  $("about").textContent = t("reading {name} …", { name: file.name });
  uploads += 1;
  let kept, why = "";
  try {
    if (!file.size) throw new Error(`${file.name}: this file is empty`);
    if (/\.svg$/i.test(file.name)) file = await drawSvg(file).catch(() => file);
    if (file.size > 20e6) throw new Error(`${file.name}: the file is too large; expected at most 20 MB`);
    kept = await askJson("/api/uploads?name=" + encodeURIComponent(file.name.slice(0, 150)), { method: "POST", body: file });
  } catch (error) { why = error.message; }
  uploads -= 1;
  if (mine !== newest) return;
  if (!why) { await usePicture("upload", kept.id, file.name.replace(/\.[a-z0-9]+$/i, "")); return; }
  refused = why;
  showRefusal(why);
  say(translateMessage(why));
}
for (const b of document.querySelectorAll("[data-source]")) b.addEventListener("click", () => {
  showPanel(b.dataset.source);
  if (b.dataset.source === "text") lookAtText();
});
$("choose").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", e => { if (e.target.files[0]) upload(e.target.files[0]); e.target.value = ""; });
const isFile = e => [...(e.dataTransfer?.types || [])].includes("Files");
addEventListener("dragover", e => { if (isFile(e)) { e.preventDefault(); document.body.classList.add("dropping"); } });
addEventListener("dragleave", e => { if (!e.relatedTarget) document.body.classList.remove("dropping"); });
addEventListener("drop", e => {
  document.body.classList.remove("dropping");
  if (!isFile(e)) return;
  e.preventDefault();
  const file = e.dataTransfer.files[0];
  if (file) /\.(txt|fumen|json)$/i.test(file.name) ? openPlan(file, file.name) : upload(file);
});
addEventListener("paste", e => {
  const item = [...(e.clipboardData?.items || [])].find(i => i.type.startsWith("image/"));
  if (item) { e.preventDefault(); const file = item.getAsFile(); upload(new File([file], file.name === "image.png" ? t("pasted") + ".png" : file.name, { type: file.type })); }
});
function lookAtText() {
  const text = $("text").value;
  if (text.trim()) { Object.assign(wanted, { kind: "text", source: text, name: text.split("\n")[0].slice(0, 40), crop: null, repair: true, types: "auto" }); refused = ""; requestPreview(); }
}
$("text").addEventListener("input", lookAtText);
$("text-color").addEventListener("input", lookAtText);

function listExamples(names) {
  for (const name of names) {
    const b = button("", () => usePicture("example", name, name)), image = document.createElement("img"), label = document.createElement("span");
    showIn(image, `/api/examples/${name}`); image.alt = ""; label.textContent = name;
    b.append(image, label);
    document.querySelector("[data-panel=example]").append(b);
  }
}

// ---- Settings.
for (const id of ["fit", "colors"]) {
  $(id).addEventListener("input", () => { $(id + "-auto").checked = false; $(id + "-out").textContent = $(id).value; requestPreview(); });
  $(id + "-auto").addEventListener("change", requestPreview);
}
for (const id of ["dither", ...TONES, "original", "background-color", "board-size"]) $(id).addEventListener(id === "board-size" ? "change" : "input", requestPreview);
for (const id of ["dealt-queue", "dealt-hold", "steered"]) $(id).addEventListener("change", requestPreview);
$("dealt").addEventListener("change", () => { $("dealt-how").hidden = $("dealt").value !== "own"; });
for (const [id, other, value] of [["dealt", "dealt-queue", "own"], ["background", "background-color", "color"], ["board", "board-size", "own"]])
  $(id).addEventListener("change", () => { $(other).hidden = $(id).value !== value; requestPreview(); });
// A preset for the place where the print is shown: it sets board and pieces, which can be changed later.
$("place").addEventListener("change", () => {
  const { board, pieces } = state.presets[$("place").value] || {};
  const listed = [...$("board").options].some(option => option.value === board);
  $("board").value = !board ? "auto" : listed ? board : "own";
  if (board && !listed) $("board-size").value = board;
  $("dealt").value = pieces ? "own" : "";
  if (pieces) $("dealt-queue").value = pieces;
  $("steered").checked = Boolean(pieces);
  for (const id of ["board", "dealt"]) $(id).dispatchEvent(new Event("change"));
});
function listPlaces(presets) {
  const names = { tetrio: "TETR.IO", jstris: "Jstris", fumen: "Fumen", square: "a square animation", "9:16": "a tall animation (9:16)" };
  for (const [name, one] of Object.entries(presets || {})) {
    const option = document.createElement("option");
    option.value = name; option.textContent = names[name] || name.replace("x", " × ");
    if (one.shape) { option.dataset.t = names[name]; option.textContent = t(names[name]); }
    $("place").append(option);
  }
  $("place").value = wanted.settings?.place || "";
}
$("name").addEventListener("input", () => { wanted.name = $("name").value; keep(); });
$("effort").addEventListener("change", keep);
const types = typesPanel(value => { wanted.types = value; requestPreview(); });

// ---- Cropping, with the pointer or the arrow keys.
let picture = null, cropOf = "";
function showCrop() {
  const { kind, source } = wanted, isImage = kind === "upload" || kind === "example", name = `${kind}/${source}`;
  $("crop").hidden = !isImage;
  $("whole").hidden = !wanted.crop;
  if (!isImage || name === cropOf) { drawCrop(); return; }
  cropOf = name; picture = null;
  engine.small(kind, source).then(found => {
    if (name !== cropOf) return;
    picture = document.createElement("canvas");
    picture.width = found.width; picture.height = found.height;
    picture.getContext("2d").putImageData(new ImageData(found.data, found.width, found.height), 0, 0);
    drawCrop();
  }).catch(() => {});
}
function drawCrop() {
  if (!picture) return;
  const canvas = $("cropper"), fits = Math.min(280 / picture.width, 170 / picture.height), k = fits < 1 ? fits : Math.floor(fits);
  canvas.width = Math.max(1, picture.width * k); canvas.height = Math.max(1, picture.height * k);
  const c = canvas.getContext("2d");
  c.imageSmoothingEnabled = k < 1; c.imageSmoothingQuality = "high";
  c.drawImage(picture, 0, 0, canvas.width, canvas.height);
  if (!wanted.crop) return;
  const { x, y, width, height } = wanted.crop, W = canvas.width, H = canvas.height;
  c.fillStyle = "rgb(0 0 0 / .55)";
  c.fillRect(0, 0, W, y * H); c.fillRect(0, (y + height) * H, W, H); c.fillRect(0, y * H, x * W, height * H); c.fillRect((x + width) * W, y * H, W, height * H);
  c.strokeStyle = "#fff"; c.lineWidth = 2; c.strokeRect(x * W, y * H, width * W, height * H);
}
{
  const canvas = $("cropper");
  let start = null;
  const place = e => {
    const box = canvas.getBoundingClientRect();
    return [Math.max(0, Math.min(1, (e.clientX - box.left) / box.width)), Math.max(0, Math.min(1, (e.clientY - box.top) / box.height))];
  };
  canvas.addEventListener("pointerdown", e => { start = place(e); canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointermove", e => {
    if (!start) return;
    const [x, y] = place(e), crop = { x: Math.min(x, start[0]), y: Math.min(y, start[1]), width: Math.abs(x - start[0]), height: Math.abs(y - start[1]) };
    if (crop.width > .02 && crop.height > .02) { wanted.crop = crop; requestPreview(); drawCrop(); }
  });
  canvas.addEventListener("pointerup", () => { start = null; });
  canvas.addEventListener("keydown", e => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (!way) return;
    e.preventDefault();
    const c = wanted.crop || { x: 0, y: 0, width: 1, height: 1 }, step = .02;
    if (e.shiftKey) { c.width = Math.max(.04, Math.min(1 - c.x, c.width + way[0] * step)); c.height = Math.max(.04, Math.min(1 - c.y, c.height + way[1] * step)); }
    else { c.x = Math.max(0, Math.min(1 - c.width, c.x + way[0] * step)); c.y = Math.max(0, Math.min(1 - c.height, c.y + way[1] * step)); }
    wanted.crop = c; requestPreview(); drawCrop();
  });
  $("whole").addEventListener("click", () => { wanted.crop = null; requestPreview(); });
}

// ---- The editor.
async function edit(blank) {
  const start = blank || !seen || !seen.drawing ? null : seen.repaired || seen.picture;
  const drawing = await openEditor(start);
  if (drawing) usePicture("drawing", drawing.text, blank ? t("drawing") : wanted.name);
}
$("draw").addEventListener("click", () => edit(true));
$("edit").addEventListener("click", () => edit(false));

// ---- Printing.
$("print").addEventListener("click", () => trying(async () => {
  const job = await askJson("/api/jobs", { method: "POST", json: { ...describeRequest(), effort: +$("effort").value, place: $("place").value } });
  select(job, { scroll: true });
  say(t("{name} is being printed.", { name: job.name }), { quietly: true });
}));
addEventListener("keydown", e => {
  if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey) || document.querySelector("dialog[open]")) return;
  e.preventDefault();
  if (!$("print").disabled) $("print").click();
});
async function openPlan(body, name) {
  await trying(async () => {
    const job = await askJson("/api/plans?name=" + encodeURIComponent(name.slice(0, 150)), { method: "POST", body });
    select(job, { scroll: true });
  });
}
$("plan-file").addEventListener("change", e => { const file = e.target.files[0]; if (file) openPlan(file, file.name); e.target.value = ""; });

// ---- A link that carries a plan.
async function openLink() {
  const found = /^#plan=([\w-]+)(?:&name=([^&]*))?/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, "", location.pathname);
  await trying(async () => {
    const bytes = Uint8Array.from(atob(found[1].replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const reader = stream.getReader(), parts = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > 1e6) throw new Error(t("The link contains too much data."));
      parts.push(value);
    }
    await openPlan(new Blob(parts), decodeURIComponent(found[2] || "") || t("from a link"));
  }).catch(() => say(t("The link cannot be read.")));
}

$("effort").parentElement.hidden = $("effort").options.length < 2;  // there is nothing to choose

// ---- A note while the engine is loading; afterwards, that the page sends nothing.
function describeEngine() {
  $("engine").hidden = !["loading", "done"].includes(engine.loading);
  $("engine").textContent = engine.loading === "done"
    ? t("This page prints in your browser and sends nothing.")
    : t("The engine is being loaded …");
}
if (engine.loading) { describeEngine(); engine.loaded.then(describeEngine); }
addEventListener("studio-language", describeEngine);

addEventListener("resize", draw);
new ResizeObserver(draw).observe($("preview").parentElement);
addEventListener("studio-theme", () => { if (seen) show(seen); });
addEventListener("studio-language", () => { if (seen) show(seen); });
addEventListener("hashchange", openLink);

const state = await askJson("/api/state").catch(error => { say(error.message); return { examples: [], presets: {}, jobs: [], downloads: [], share: "" }; });
listExamples(state.examples);
listPlaces(state.presets);
showPanel(wanted.panel || wanted.kind);
if (wanted.kind === "text") $("text").value = wanted.source;
startJobs(state);
startFilm();
await requestPreview();
begun = true;
await openLink();
document.documentElement.dataset.ready = "";
