// The pattern page: rows of emitters, their matrices, proofs, the atlas and the tables.
import { $, fetchAnswer, fetchJson, begin, makeButton, applyThemeToFrame, getCssColor, n, drawLetters, saveFile, showAnswerIn, trying } from "./common.js";
import { engine } from "./engine.js";

begin();
const storedRow = JSON.parse(localStorage.getItem("studio-row") || '{"width":21,"at":[4]}');
let width = storedRow.width, at = storedRow.at, answer = null, rows = 0, proofJob = "";

// ---- The row.
const fits = x => x >= 0 && x + 3 <= width && at.every(a => Math.abs(a - x) >= 3);
function drawRow() {
  const group = $("row"), focused = [...group.children].indexOf(document.activeElement);
  group.replaceChildren(...Array.from({ length: width }, (_, x) => {
    const emitter = at.find(a => a <= x && x < a + 3), isSet = emitter !== undefined;
    const cell = makeButton(x % 5 === 0 || isSet && x === emitter ? x : "", () => toggleEmitter(x), { "aria-pressed": isSet, "data-x": x });
    cell.classList.toggle("on", isSet);
    cell.setAttribute("aria-label", isSet ? `column ${x}: emitter at ${emitter}` : `column ${x}: free`);
    return cell;
  }));
  if (focused >= 0) group.children[Math.min(focused, width - 1)]?.focus();
  $("width").value = width;
  $("row-about").textContent = at.length ? `Emitters at ${at.join(", ")}` : "Press a column to set an emitter there: it takes this column and the next two.";
}
function toggleEmitter(x) {
  const emitter = at.find(a => a <= x && x < a + 3);
  if (emitter !== undefined) at = at.filter(a => a !== emitter);
  else {
    const column = [x, x - 1, x - 2].find(fits);
    if (column === undefined) { $("row-about").textContent = "There is no room for an emitter: it takes three columns."; return; }
    at = [...at, column].sort((a, b) => a - b);
  }
  queryRow();
}
$("row").addEventListener("keydown", e => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
  if (!step) return;
  e.preventDefault();
  const cells = [...$("row").children];
  cells[Math.max(0, Math.min(cells.length - 1, cells.indexOf(document.activeElement) + step))]?.focus();
});
$("width").addEventListener("change", () => {
  width = Math.max(3, Math.min(200, Math.round(+$("width").value) || 21));
  at = at.filter(a => a + 3 <= width);
  queryRow();
});
$("clear").addEventListener("click", () => { at = []; queryRow(); });

async function queryRow() {
  localStorage.setItem("studio-row", JSON.stringify({ width, at }));
  drawRow();
  if (!at.length) { answer = null; showHeights(); return; }
  await trying(async () => {
    answer = await fetchJson("/api/patterns/query", { method: "POST", json: { width, at } });
    const lowest = answer.heights.find(h => h.status === "matrix");
    if (!answer.heights.some(h => h.rows === rows && h.status === "matrix")) rows = lowest ? lowest.rows : 1;
    showHeights();
  });
}
const STATUS_TEXTS = { matrix: "a matrix", none: "no matrix", indivisible: "not a multiple of 4", enough: "fewer are enough", undecided: "not decided here" };
function showHeights() {
  $("heights").replaceChildren(...(answer ? answer.heights : []).map(h => {
    const b = makeButton("", () => { rows = h.rows; showHeights(); }, { "aria-pressed": h.rows === rows, "data-rows": h.rows });
    const name = document.createElement("b"), status = document.createElement("small");
    b.className = h.status;
    name.textContent = n(h.rows, "row|rows"); status.textContent = STATUS_TEXTS[h.status];
    b.append(name, status);
    return b;
  }));
  showMatrix();
}
function showMatrix() {
  const height = answer?.heights.find(h => h.rows === rows), canvas = $("matrix"), hasMatrix = height?.status === "matrix";
  $("screen").replaceChildren(); $("drop-row").hidden = !hasMatrix;
  canvas.hidden = !hasMatrix;
  $("prove").disabled = !height || !["none", "indivisible"].includes(height.status); $("proof-state").textContent = ""; $("proof-files").replaceChildren(); $("proof-text").hidden = true;
  proofJob = "";
  if (!height) { $("verdict").textContent = ""; return; }
  if (hasMatrix) {
    const size = Math.max(12, Math.min(30, Math.floor((canvas.parentElement.clientWidth - 8) / width)));
    drawLetters(canvas, height.drawing, size, at.length);
    canvas.setAttribute("aria-label", `A matrix of ${n(rows, "row|rows")}: ${height.drawing.join(" / ")}`);
    $("verdict").textContent = `${width} × ${rows}, ${n(height.free / 4, "piece|pieces")} besides the emitters; packed gap-free.`;
  } else if (height.status === "indivisible")
    $("verdict").textContent = `${width} × ${rows} − 3 × ${at.length} = ${height.free} squares are left to fill, and ${height.free} is no multiple of 4: no pieces of four squares fill them.`;
  else if (height.status === "enough") $("verdict").textContent = "A matrix of fewer rows exists, so nobody needs this one.";
  else if (height.status === "undecided") $("verdict").textContent = `No automaton decides ${n(rows, "row|rows")}, and the tables hold rows of 21 columns only. The command “tetrisprinter proofs search” searches.`;
  else $("verdict").textContent = `The automaton of ${n(rows, "row|rows")} does not accept this row: there is no gap-free matrix of that height.`;
}
$("drop").addEventListener("click", showGame);
function showGame() {
  const frame = document.createElement("iframe");
  frame.className = "player"; frame.title = "The matrix, dropped";
  frame.addEventListener("load", () => applyThemeToFrame(frame));
  showAnswerIn(frame, `/play/matrix?width=${width}&rows=${rows}&at=${at.join(",")}&piece=${$("piece").value}`);
  $("screen").replaceChildren(frame);
}
// The examples: an emitter at column 4 needs three rows, an emitter at column 3 needs seven.
for (const [id, column, height] of [["three", 4, 3], ["seven", 3, 7]]) $(id).addEventListener("click", async () => {
  width = 21; at = [column]; rows = height;
  await queryRow();
  showGame();
  $("h-matrix").scrollIntoView({ block: "start" });
});

// ---- Proofs.
$("prove").addEventListener("click", () => trying(async () => {
  const now = answer.heights.find(h => h.rows === rows);
  if (now.status === "indivisible") {
    $("proof-text").hidden = false;
    $("proof-text").textContent = $("verdict").textContent;
    return;
  }
  const job = await fetchJson("/api/proofs", { method: "POST", json: { width, rows, at } });
  proofJob = job.id; showProof(job);
}));
function showProof(job) {
  if (job.id !== proofJob) return;
  const sentence = { waiting: "Waiting in the queue.", working: "The solver is running …", failed: job.error, done: "" }[job.state] ?? job.state;
  $("proof-state").textContent = sentence;
  if (job.state !== "done") return;
  const result = job.result;
  $("proof-state").textContent = result.proved ? `Proved by ${result.solver} in ${n(result.steps, "step|steps")}; our own checker has checked every one of them. ${result.words}` : "There is one after all.";
  $("proof-files").replaceChildren(...result.files.map((name, k) => makeButton(name.replace(/^width.*?\.(?=\w+\.xz)/, "…"), () => trying(async () => {
    const answer = await fetchAnswer(`/api/jobs/${job.id}/proof/${k}`);
    saveFile(await answer.blob(), name);
  }), { "data-file": name })));
  $("proof-text").hidden = !result.proof;
  if (result.proof) $("proof-text").textContent = result.proof.join("\n") + (result.steps > result.proof.length ? "\n…" : "");
}
engine.listen(news => { for (const job of news.jobs || [news.job]) if (job) showProof(job); });

// ---- The atlas.
const HEIGHT_COLORS = ["", "#ffe08a", "#c7e9b4", "#7fcdbb", "#41b6c4", "#1d91c0", "#2a5ea8"];
let atlas = [], selectedEntry = null;
function drawAtlas() {
  const CELL = 17, LEFT = 22, TOP = 4, widths = [...new Set(atlas.map(e => e.width))], emitterCounts = [...new Set(atlas.map(e => e.emitted))];
  const w = LEFT + CELL * widths.length + 4, h = TOP + CELL * emitterCounts.length + 16;
  const cells = atlas.map((e, k) => {
    const x = LEFT + CELL * widths.indexOf(e.width), y = TOP + CELL * (e.emitted - 1);
    const fill = !e.divisible.length ? getCssColor("--empty") : e.enough ? HEIGHT_COLORS[e.enough] : "#5b5560";
    const dot = e.least && e.least !== e.enough ? `<circle cx="${x + 8}" cy="${y + 8}" r="3.5" fill="${HEIGHT_COLORS[e.least]}" pointer-events="none"/>` : "";
    return `<rect x="${x}" y="${y}" width="15" height="15" rx="3" fill="${fill}" data-k="${k}"/>${dot}`;
  }).join("");
  const labels = widths.filter(v => v % 5 === 0).map(v => `<text x="${LEFT + CELL * widths.indexOf(v) + 2}" y="${h - 3}">${v}</text>`).join("") +
    emitterCounts.map(v => `<text x="4" y="${TOP + CELL * (v - 1) + 12}">${v}</text>`).join("");
  $("atlas").innerHTML = `<svg width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" aria-hidden="true">${labels}${cells}</svg>`;
  $("legend").replaceChildren(...[1, 2, 3, 4, 5, 6].map(v => makeLegendItem(HEIGHT_COLORS[v], n(v, "row|rows"))), makeLegendItem("#5b5560", "more than 6 for some"), makeLegendItem(getCssColor("--empty"), "not a multiple of 4"));
  if (selectedEntry) selectEntry(selectedEntry);
}
function makeLegendItem(color, label) {
  const item = document.createElement("span"), swatch = document.createElement("i");
  swatch.style.background = color; item.append(swatch, label);
  return item;
}
function selectEntry(entry) {
  selectedEntry = entry;
  const k = atlas.indexOf(entry);
  for (const r of $("atlas").querySelectorAll(".here")) r.classList.remove("here");
  $("atlas").querySelector(`[data-k="${k}"]`)?.classList.add("here");
  const counts = Object.entries(entry.by_height).filter(([, c]) => c).map(([h, c]) => `${n(+h, "row|rows")} for ${c}`);
  if (entry.without) counts.push(`more than 6 for ${entry.without}`);
  $("atlas-about").textContent = `Width ${entry.width}, ${n(entry.emitted, "emitter|emitters")}, ${n(entry.rows, "way to set them|ways to set them")}: ` + (entry.divisible.length ? counts.join(", ") : "no height is divisible");
}
const findEntry = e => atlas[e.target.closest?.("rect")?.dataset.k];
$("atlas").addEventListener("pointerover", e => { const entry = findEntry(e); if (entry) selectEntry(entry); });
function useEntry(entry) {
  width = entry.width;
  at = Array.from({ length: entry.emitted }, (_, k) => 3 * k);
  queryRow(); $("h-row").scrollIntoView({ block: "start" });
}
$("atlas").addEventListener("click", e => { const entry = findEntry(e); if (entry) useEntry(entry); });
$("atlas").addEventListener("keydown", e => {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
  if (step) {
    e.preventDefault();
    const from = selectedEntry || atlas[0], next = atlas.find(a => a.width === from.width + step[0] && a.emitted === from.emitted + step[1]);
    if (next) selectEntry(next);
  } else if ((e.key === "Enter" || e.key === " ") && selectedEntry) { e.preventDefault(); useEntry(selectedEntry); }
});

// ---- The tables.
const TABLE_PAGE_SIZE = 12;
let first = 0, total = 0;
for (let k = 1; k <= 7; k++) $("table").append(new Option(k, k));
async function showTable() {
  await trying(async () => {
    const table = await fetchJson(`/api/patterns/table?emitted=${$("table").value}&first=${first}&count=${TABLE_PAGE_SIZE}`);
    total = table.total;
    $("table-at").textContent = `${first + 1}–${Math.min(total, first + TABLE_PAGE_SIZE)} of ${total}`;
    $("table-back").disabled = first === 0; $("table-on").disabled = first + TABLE_PAGE_SIZE >= total;
    $("entries").replaceChildren(...table.entries.map(entry => {
      const b = makeButton("", () => { width = table.width; at = entry.at; rows = entry.rows; queryRow(); $("h-row").scrollIntoView({ block: "start" }); });
      const canvas = document.createElement("canvas"), label = document.createElement("span");
      canvas.setAttribute("aria-hidden", "true");
      label.className = "small"; label.textContent = `${entry.at.join(", ")} · ${n(entry.rows, "row|rows")}`;
      drawLetters(canvas, entry.drawing, 10, entry.at.length);
      b.append(canvas, label);
      return b;
    }));
  });
}
$("table").addEventListener("change", () => { first = 0; showTable(); });
$("table-back").addEventListener("click", () => { first = Math.max(0, first - TABLE_PAGE_SIZE); showTable(); });
$("table-on").addEventListener("click", () => { first += TABLE_PAGE_SIZE; showTable(); });

addEventListener("studio-theme", () => { drawAtlas(); showHeights(); showTable(); });
await queryRow();
await trying(async () => { atlas = await fetchJson("/api/patterns/atlas"); drawAtlas(); });
await showTable();
document.documentElement.dataset.ready = "";
