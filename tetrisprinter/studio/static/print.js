// The print page: the user chooses a picture, looks at its preview and prints it.
import { $, fetchAnswer, fetchJson, begin, makeButton, n, drawPicture, saveFile, showMessage, showAnswerIn, trying } from "./common.js";
import { engine } from "./engine.js";
import { playDemo } from "./demo.js";
import { openEditor } from "./editor.js";
import { describeError } from "./faults.js";
import { startSlideshowDialog } from "./film.js";
import { drawSvg } from "./images.js";
import { startJobs, selectJob, showPicture } from "./jobs.js";
import { makeTypesPanel } from "./types.js";

begin();

// ---- The chosen picture and settings, which are stored for the next visit.
const defaults = { kind: "example", source: "mushroom", name: "mushroom", panel: "upload", crop: null, types: "auto", repair: true };
const choice = { ...defaults, ...JSON.parse(localStorage.getItem("studio-wanted") || "{}") };
let lastPreview = null;
const TONES = ["contrast", "saturation", "sharpness"];
const SETTINGS = ["fit", "fit-auto", "colors", "colors-auto", "dither", "allowed", ...TONES, "original", "background", "background-color", "board", "board-size", "dealt", "dealt-queue", "dealt-hold", "steered", "text-color", "effort", "place"];
function storeChoice() {
  choice.settings = Object.fromEntries(SETTINGS.map(id => [id, $(id).type === "checkbox" ? $(id).checked : $(id).value]));
  localStorage.setItem("studio-wanted", JSON.stringify(choice));
}
for (const [id, value] of Object.entries(choice.settings || {})) if ($(id)) $(id)[$(id).type === "checkbox" ? "checked" : "value"] = value;
$("more-settings").open = Boolean(choice.showsMore);
$("more-settings").addEventListener("toggle", () => { choice.showsMore = $("more-settings").open; storeChoice(); });
$("preview").hidden = $("edit").hidden = !choice.isChosen;
$("background-color").hidden = $("background").value !== "color";
$("board-size").hidden = $("board").value !== "own";
$("dealt-queue").hidden = $("dealt-how").hidden = $("dealt").value !== "own";

function describeRequest() {
  const request = { kind: choice.kind, source: choice.source, name: choice.name, types: choice.types, repair: choice.repair };
  if (choice.crop && choice.kind !== "text" && choice.kind !== "drawing") request.crop = choice.crop;
  if (!$("fit-auto").checked) request.fit = +$("fit").value;
  if (!$("colors-auto").checked) request.colors = +$("colors").value;
  request.dither = $("dither").checked;
  if (engine.features.has("adjust")) {
    for (const id of TONES) request[id] = +$(id).value;
    request.original = $("original").checked;
    if ($("allowed").value) request.palette = $("allowed").value;
  }
  request.background = $("background").value === "color" ? $("background-color").value.slice(1) : $("background").value;
  request.board = $("board").value === "own" ? $("board-size").value.replace(/[×X ]/g, m => m === " " ? "" : "x") : $("board").value;
  if ($("dealt").value === "own") {
    request.pieces = $("dealt-queue").value.trim(); request.no_hold = !$("dealt-hold").checked; request.steered = $("steered").checked;
  }
  if (choice.kind === "text") request.text_color = $("text-color").value.slice(1);
  return request;
}

// ---- The preview: one request at a time, and only the newest preview is shown.
let isRequesting = false, isOutdated = false, isStarted = false, uploads = 0, refusal = "", isQueued = false;
const isBusy = () => refusal || uploads;  // an upload is not finished or was refused
async function requestPreview({ showsPicture = isStarted } = {}) {
  if (isStarted && showsPicture) endDemo();
  storeChoice();
  if (showsPicture) showPicture();
  if (refusal) { showRefusal(refusal); return; }
  if (isRequesting) { isOutdated = true; return; }
  isRequesting = true;
  do {
    isOutdated = false;
    try {
      const request = describeRequest();
      // First the picture alone, because the search for its obstacles takes longer.
      const quickPreview = await fetchJson("/api/preview", { method: "POST", json: { ...request, glance: true } });
      if (isOutdated || isBusy()) continue;
      if (quickPreview) showQuickPreview(quickPreview);
      // An engine that is still loading must not keep the next picture waiting.
      if (engine.loading === "loading") { previewWhenLoaded(); continue; }
      const fullPreview = await fetchJson("/api/preview", { method: "POST", json: request });
      if (isOutdated || isBusy()) continue;
      showPreview(fullPreview);
    } catch (error) { if (!isBusy()) showRefusal(describeError(error)); }
  } while (isOutdated);
  isRequesting = false;
}

// ---- Until the user has chosen something, a known game plays where the preview will be.
let stopDemo = null;
async function startDemo() {
  if (choice.isChosen) return;
  const game = await fetchJson("/api/demo").catch(() => null);
  if (!game) $("preview").hidden = false;
  if (!game || choice.isChosen) return;
  stopDemo = playDemo($("demo"), game);
  $("demo").hidden = false;
  $("h-preview").textContent = "A game that prints a mushroom";
  $("about").textContent = `${n(game.drops.length, "piece|pieces")}. Choose a picture of your own, or print this one.`;
}
function endDemo() {
  choice.isChosen = true; $("preview").hidden = $("edit").hidden = false;
  if (!stopDemo) return;
  stopDemo(); stopDemo = null;
  $("demo").hidden = true;
  $("h-preview").textContent = "What will be printed";
}
function previewWhenLoaded() {
  if (isQueued) return;
  isQueued = true;
  engine.loaded.then(() => requestPreview({ showsPicture: false }));  // a job that the user has opened stays open
}
function showQuickPreview(quickPreview) {
  const frame = $("preview").parentElement;
  drawOnBoard(quickPreview.picture, quickPreview, measureSpace(frame), [], []);
}
// Draw a picture at the bottom of its board, or alone if the board is unknown or too small.
function drawOnBoard(picture, preview, space, markedCells, changedCells) {
  const [width, height] = preview.board || [0, 0], left = preview.column, above = height - picture.height;
  const fits = left >= 0 && left + picture.width <= width && above >= 0;
  const moveToBoard = cells => fits ? cells.map(([x, y]) => [x + left, y + above]) : cells;
  const squares = Array(fits ? width * height : 0).fill(-1);
  if (fits) picture.squares.forEach((color, k) => {
    squares[(above + Math.floor(k / picture.width)) * width + left + k % picture.width] = color;
  });
  drawPicture($("preview"), fits ? { width, height, colors: picture.colors, squares } : picture, space,
    { field: preview.field, marks: moveToBoard(markedCells), changed: moveToBoard(changedCells) });
}
const measureSpace = frame => ({ width: frame.clientWidth - 28, height: Math.max(240, Math.min(560, innerHeight * .55)) });
function showRefusal(sentence) {
  lastPreview = null;
  $("print").disabled = true;
  $("about").textContent = "";
  const trouble = $("trouble");
  trouble.hidden = false; trouble.textContent = sentence;
  const canvas = $("preview");
  canvas.width = canvas.height = 1; canvas.style.width = canvas.style.height = "1px";
  canvas.setAttribute("aria-label", "No picture");
}
const SENTENCES = {
  "full row": "A row fills the whole board, and a full row vanishes.",
  "gap row": "A row is empty, but there are squares above it; a game never leaves an empty row below a square.",
  "count": "No game on this board leaves this number of squares: pieces have four squares, and only full rows vanish.",
  "O alone": "A colour that only the O can show has to come in pairs of neighbours, and here it does not.",
  "cut": "Above one of the rows lies a number of squares that no choice of pieces can leave.",
};
function showPreview(newPreview) {
  lastPreview = newPreview;
  const shownPicture = newPreview.repaired || newPreview.picture;
  redraw();
  if (document.activeElement !== $("name")) $("name").value = choice.name;
  $("fit-out").textContent = $("fit-auto").checked ? Math.max(shownPicture.width, shownPicture.height) : $("fit").value;
  if ($("fit-auto").checked) $("fit").value = Math.max(shownPicture.width, shownPicture.height);
  for (const id of TONES) $(`${id}-out`).textContent = `${Math.round(100 * $(id).value)} %`;
  $("colors-out").textContent = $("colors-auto").checked ? shownPicture.colors.length : $("colors").value;
  if ($("colors-auto").checked) $("colors").value = shownPicture.colors.length;
  const parts = [`${shownPicture.width} × ${shownPicture.height}`, n(newPreview.pixels, "square|squares")];
  if (newPreview.board) parts.push(`board ${newPreview.board[0]} × ${newPreview.board[1]}`);
  if (newPreview.bound) parts.push(`at least ${n(newPreview.bound, "drop|drops")}`);
  if (!stopDemo) $("about").textContent = parts.join(" · ") + (newPreview.done.length ? " — " + newPreview.done.join(", ") : "");
  $("preview").setAttribute("aria-label", `The picture: ${parts.join(", ")}`);
  $("animated").hidden = !(choice.kind === "upload" && choice.frames > 1);
  $("animated").firstElementChild.textContent = `Frame 1 of ${choice.frames}.`;
  showTrouble(newPreview);
  types.show(newPreview, choice.types);
  $("palette").replaceChildren(...shownPicture.colors.map(color => {
    const swatch = document.createElement("i");
    swatch.style.background = "#" + color;
    return swatch;
  }));
  $("print").disabled = newPreview.still !== null;
  showCrop();
}
function redraw() {
  if (!lastPreview) return;
  const space = measureSpace($("preview").parentElement), repaired = lastPreview.repaired;
  if (repaired) drawOnBoard(repaired, lastPreview, space, [], lastPreview.changes.map(c => [c.x, c.y + repaired.height - lastPreview.picture.height]));
  else drawOnBoard(lastPreview.picture, lastPreview, space, listMarkedCells(lastPreview), []);
}
const listMarkedCells = preview => {
  const cells = new Map((preview.obstacle ? preview.obstacle.cells : []).map(c => [String(c), c]));
  if (preview.obstacle) for (const c of preview.changes) if (c.y >= 0) cells.set(String([c.x, c.y]), [c.x, c.y]);
  return [...cells.values()];
};
function showTrouble(preview) {
  const box = $("trouble");
  box.replaceChildren();
  box.hidden = !preview.obstacle;
  if (!preview.obstacle) return;
  const heading = document.createElement("strong"), reason = document.createElement("p");
  const isRepaired = preview.repaired && !preview.still;
  box.classList.toggle("bad", !isRepaired);
  heading.textContent = isRepaired ? `Repaired: ${n(preview.changes.length, "square is|squares are")} changed.`
    : (SENTENCES[preview.obstacle.theorem] || "This cannot be printed as it is.");
  reason.className = "small"; reason.textContent = preview.obstacle.sentence;
  box.append(heading);
  if (!isRepaired) {
    const more = document.createElement("details"), summary = document.createElement("summary");
    summary.textContent = "Details";
    more.open = !SENTENCES[preview.obstacle.theorem];
    more.append(summary, reason); box.append(more);
  }
  if (preview.changes.length && !choice.repair) {
    const compare = document.createElement("div"); compare.className = "compare";
    const [before, after] = [preview.picture, repairPicture(preview)].map((picture, k) => {
      const cell = document.createElement("div"), canvas = document.createElement("canvas"), label = document.createElement("p");
      label.className = "small quiet"; label.textContent = k ? "after" : "before";
      canvas.setAttribute("role", "img"); canvas.setAttribute("aria-label", label.textContent);
      drawPicture(canvas, picture, { width: 150, height: 130 }, { field: preview.field, grid: false, marks: k ? [] : listMarkedCells(preview), changed: [] });
      cell.append(canvas, label); return cell;
    });
    const arrow = document.createElement("span"); arrow.textContent = "→"; arrow.setAttribute("aria-hidden", "true");
    compare.append(before, arrow, after); box.append(compare, listChanges(preview));
    const repair = makeButton(`Repair: change ${n(preview.changes.length, "square|squares")}`,
      () => { choice.repair = true; requestPreview().then(() => $("unrepair")?.focus()); }, { class: "main", id: "repair" });
    box.append(repair);
  } else if (preview.changes.length) {
    if (!isRepaired) { const p = document.createElement("p"); p.textContent = preview.still ? preview.still.sentence : ""; box.append(p); }
    const undo = makeButton("Undo the repair", () => { choice.repair = false; requestPreview(); }, { id: "unrepair" });
    box.append(listChanges(preview), undo);
  }
}
function listChanges(preview) {
  const details = document.createElement("details"), summary = document.createElement("summary"), list = document.createElement("ul");
  summary.textContent = "Which squares";
  for (const c of preview.changes) {
    const item = document.createElement("li");
    item.textContent = `column ${c.x + 1}, row ${c.y + 1}: ${c.before || "empty"} → ${c.after || "empty"}`;
    list.append(item);
  }
  details.append(summary, list);
  return details;
}
function repairPicture(preview) {
  const { width, height } = preview.picture, above = Math.max(0, ...preview.changes.map(c => -c.y));
  const colors = [...preview.picture.colors], squares = [...Array(above * width).fill(-1), ...preview.picture.squares];
  for (const c of preview.changes) {
    if (c.after && !colors.includes(c.after)) colors.push(c.after);
    squares[(c.y + above) * width + c.x] = c.after ? colors.indexOf(c.after) : -1;
  }
  return { width, height: height + above, colors, squares };
}

// ---- The source of the picture.
function usePicture(kind, source, name, frames = 1) {
  Object.assign(choice, { kind, source, name, frames, crop: null, types: "auto", repair: true });
  if (kind !== "drawing") { $("fit-auto").checked = true; $("colors-auto").checked = true; }
  refusal = "";
  showPanel(kind === "drawing" ? choice.panel : kind);
  return requestPreview();
}
function showPanel(kind) {
  choice.panel = kind || "upload";
  for (const b of document.querySelectorAll("[data-source]")) b.setAttribute("aria-pressed", b.dataset.source === choice.panel);
  for (const p of document.querySelectorAll("[data-panel]")) p.hidden = p.dataset.panel !== choice.panel;
}
// After a refused file nothing can be printed, so that no earlier picture is printed by mistake.
let newestUpload = 0;
async function upload(file) {
  const uploadNumber = ++newestUpload;
  endDemo();
  refusal = ""; lastPreview = null;
  showPicture();
  $("print").disabled = true; $("trouble").hidden = true; $("crop").hidden = true;
  $("about").textContent = `reading ${file.name} …`;
  uploads += 1;
  let stored, reason = "";
  try {
    if (!file.size) throw new Error(`${file.name}: this file is empty`);
    if (/\.svg$/i.test(file.name)) file = await drawSvg(file).catch(() => file);
    if (file.size > 20e6) throw new Error(`${file.name}: the file is too large; expected at most 20 MB`);
    stored = await fetchJson("/api/uploads?name=" + encodeURIComponent(file.name.slice(0, 150)), { method: "POST", body: file });
  } catch (error) { reason = describeError(error); }
  uploads -= 1;
  if (uploadNumber !== newestUpload) return;
  if (!reason) scrollToPreview();
  if (!reason) { await usePicture("upload", stored.id, file.name.replace(/\.[a-z0-9]+$/i, ""), stored.frames); return; }
  refusal = reason;
  showRefusal(reason);
  showMessage(reason);
}
for (const b of document.querySelectorAll("[data-source]")) b.addEventListener("click", () => {
  showPanel(b.dataset.source);
  if (b.dataset.source === "text") useText();
});
$("choose").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", e => { if (e.target.files[0]) upload(e.target.files[0]); e.target.value = ""; });
// On a narrow screen the preview and its button are below the choice of the picture.
const scrollToPreview = () => { if (matchMedia("(max-width: 780px)").matches) $("look").scrollIntoView({ block: "start" }); };
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
  if (item) { e.preventDefault(); const file = item.getAsFile(); upload(new File([file], file.name === "image.png" ? "pasted.png" : file.name, { type: file.type })); }
});
function useText() {
  const text = $("text").value;
  if (!text.trim() && choice.kind !== "text") return;  // the panel was opened: the picture stays until a text is typed
  Object.assign(choice, { kind: "text", source: text, name: text.split("\n")[0].slice(0, 40), crop: null, repair: true, types: "auto" });
  refusal = "";
  requestPreview();
}
$("text").addEventListener("input", useText);
$("text-color").addEventListener("input", useText);

function listExamples(names) {
  for (const name of names) {
    const b = makeButton("", () => { usePicture("example", name, name); scrollToPreview(); }), image = document.createElement("img"), label = document.createElement("span");
    showAnswerIn(image, `/api/examples/${name}`); image.alt = ""; label.textContent = name;
    b.append(image, label);
    document.querySelector("[data-panel=example]").append(b);
  }
}

// ---- Settings.
for (const id of ["fit", "colors"]) {
  $(id).addEventListener("input", () => { $(id + "-auto").checked = false; $(id + "-out").textContent = $(id).value; requestPreview(); });
  $(id + "-auto").addEventListener("change", requestPreview);
}
for (const id of ["dither", "allowed", ...TONES, "original", "background-color", "board-size"]) $(id).addEventListener(id === "board-size" ? "change" : "input", requestPreview);
for (const id of ["dealt-queue", "dealt-hold", "steered"]) $(id).addEventListener("change", requestPreview);
$("dealt").addEventListener("change", () => { $("dealt-how").hidden = $("dealt").value !== "own"; });
for (const [id, dependentId, value] of [["dealt", "dealt-queue", "own"], ["background", "background-color", "color"], ["board", "board-size", "own"]])
  $(id).addEventListener("change", () => { $(dependentId).hidden = $(id).value !== value; requestPreview(); });
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
  for (const [name, preset] of Object.entries(presets || {})) {
    const option = document.createElement("option");
    option.value = name; option.textContent = names[name] || name.replace("x", " × ");
    $("place").append(option);
  }
  $("place").value = choice.settings?.place || "";
}
$("name").addEventListener("input", () => { choice.name = $("name").value; storeChoice(); });
$("effort").addEventListener("change", storeChoice);
const types = makeTypesPanel(value => { choice.types = value; requestPreview(); });

// ---- Cropping, with the pointer or the arrow keys.
let cropImage = null, cropSource = "";
function showCrop() {
  const { kind, source } = choice, isImage = kind === "upload" || kind === "example", name = `${kind}/${source}`;
  $("crop").hidden = !isImage || !choice.isChosen;
  $("whole").hidden = !choice.crop;
  if (!isImage || name === cropSource) { drawCrop(); return; }
  cropSource = name; cropImage = null;
  engine.loadSmallImage(kind, source).then(image => {
    if (name !== cropSource) return;
    cropImage = document.createElement("canvas");
    cropImage.width = image.width; cropImage.height = image.height;
    cropImage.getContext("2d").putImageData(new ImageData(image.data, image.width, image.height), 0, 0);
    drawCrop();
  }).catch(() => {});
}
function drawCrop() {
  if (!cropImage) return;
  const canvas = $("cropper"), ratio = Math.min(280 / cropImage.width, 170 / cropImage.height), k = ratio < 1 ? ratio : Math.floor(ratio);
  canvas.width = Math.max(1, cropImage.width * k); canvas.height = Math.max(1, cropImage.height * k);
  const c = canvas.getContext("2d");
  c.imageSmoothingEnabled = k < 1; c.imageSmoothingQuality = "high";
  c.drawImage(cropImage, 0, 0, canvas.width, canvas.height);
  if (!choice.crop) return;
  const { x, y, width, height } = choice.crop, W = canvas.width, H = canvas.height;
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
    if (crop.width > .02 && crop.height > .02) { choice.crop = crop; requestPreview(); drawCrop(); }
  });
  canvas.addEventListener("pointerup", () => { start = null; });
  canvas.addEventListener("keydown", e => {
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (!direction) return;
    e.preventDefault();
    const c = choice.crop || { x: 0, y: 0, width: 1, height: 1 }, step = .02;
    if (e.shiftKey) { c.width = Math.max(.04, Math.min(1 - c.x, c.width + direction[0] * step)); c.height = Math.max(.04, Math.min(1 - c.y, c.height + direction[1] * step)); }
    else { c.x = Math.max(0, Math.min(1 - c.width, c.x + direction[0] * step)); c.y = Math.max(0, Math.min(1 - c.height, c.y + direction[1] * step)); }
    choice.crop = c; requestPreview(); drawCrop();
  });
  $("whole").addEventListener("click", () => { choice.crop = null; requestPreview(); });
}

// ---- The editor.
async function editDrawing(startsEmpty) {
  const start = startsEmpty || !lastPreview || !lastPreview.drawing ? null : lastPreview.repaired || lastPreview.picture;
  const drawing = await openEditor(start);
  if (drawing) usePicture("drawing", drawing.text, startsEmpty ? "drawing" : choice.name);
}
$("draw").addEventListener("click", () => editDrawing(true));
$("edit").addEventListener("click", () => editDrawing(false));

// ---- Printing.
$("print").addEventListener("click", () => trying(async () => {
  const job = await fetchJson("/api/jobs", { method: "POST", json: { ...describeRequest(), effort: +$("effort").value, place: $("place").value } });
  selectJob(job, { scroll: true });
  showMessage(`${job.name} is being printed.`, { quietly: true });
  endDemo(); storeChoice();
}));
$("all-frames").addEventListener("click", () => trying(async () => {
  const job = await fetchJson("/api/films", { method: "POST", json: { request: describeRequest() } });
  selectJob(job, { scroll: true });
}));
addEventListener("keydown", e => {
  if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey) || document.querySelector("dialog[open]")) return;
  e.preventDefault();
  if (!$("print").disabled) $("print").click();
});
async function openPlan(body, name) {
  await trying(async () => {
    const job = await fetchJson("/api/plans?name=" + encodeURIComponent(name.slice(0, 150)), { method: "POST", body });
    selectJob(job, { scroll: true });
  });
}
$("plan-file").addEventListener("change", e => { const file = e.target.files[0]; if (file) openPlan(file, file.name); e.target.value = ""; });

// ---- A link that carries a plan.
async function openLink() {
  const match = /^#plan=([\w-]+)(?:&name=([^&]*))?/.exec(location.hash);
  if (!match) return;
  history.replaceState(null, "", location.pathname);
  await trying(async () => {
    const bytes = Uint8Array.from(atob(match[1].replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const reader = stream.getReader(), parts = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > 1e6) throw new Error("The link contains too much data.");
      parts.push(value);
    }
    await openPlan(new Blob(parts), decodeURIComponent(match[2] || "") || "from a link");
  }).catch(() => showMessage("The link cannot be read."));
}

$("effort").parentElement.hidden = $("effort").options.length < 2;  // there is nothing to choose

// ---- A note that the engine is loading, and later that the page sends nothing.
function describeEngine() {
  $("engine").hidden = !["loading", "done"].includes(engine.loading);
  $("engine").setAttribute("aria-live", engine.loading === "loading" ? "off" : "polite");  // no reader says each per cent
  $("engine").textContent = engine.loading === "done"
    ? "This page prints in your browser and sends nothing."
    : `The engine is being loaded: ${Math.round(100 * (engine.loadedShare || 0))} %`;
}
if (engine.loading) { describeEngine(); engine.loaded.then(describeEngine); addEventListener("studio-loading", describeEngine); }

addEventListener("resize", redraw);
new ResizeObserver(redraw).observe($("preview").parentElement);
addEventListener("studio-theme", () => { if (lastPreview) showPreview(lastPreview); });
addEventListener("hashchange", openLink);

const state = await fetchJson("/api/state").catch(error => { showMessage(describeError(error)); return { examples: [], presets: {}, jobs: [], downloads: [], share: "" }; });
listExamples(state.examples);
listPlaces(state.presets);
showPanel(choice.panel || choice.kind);
if (choice.kind === "text") $("text").value = choice.source;
startJobs(state);
startSlideshowDialog();
startDemo();
await requestPreview();
isStarted = true;
await openLink();
document.documentElement.dataset.ready = "";
