// The tilings page: tilings of a board that the user draws, and the Triplex game.
import { $, fetchJson, begin, makeButton, applyThemeToFrame, n, drawLetters, showAnswerIn, trying } from "./common.js";
import { describeError } from "./faults.js";

begin();
let width = 8, height = 8, blocked = new Set();
function drawBoard() {
  const board = $("board"), focused = [...board.children].indexOf(document.activeElement);
  board.style.gridTemplateColumns = `repeat(${width}, auto)`;
  board.replaceChildren(...Array.from({ length: width * height }, (_, k) => {
    const cell = makeButton("", () => { blocked.has(k) ? blocked.delete(k) : blocked.add(k); cell.setAttribute("aria-pressed", blocked.has(k)); }, { "aria-pressed": blocked.has(k) });
    cell.setAttribute("aria-label", `column ${k % width + 1}, row ${Math.floor(k / width) + 1}`);
    return cell;
  }));
  if (focused >= 0) board.children[Math.min(focused, board.children.length - 1)]?.focus();
}
$("board").addEventListener("keydown", e => {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -width, ArrowDown: width }[e.key];
  if (!step) return;
  e.preventDefault();
  const cells = [...$("board").children];
  cells[cells.indexOf(document.activeElement) + step]?.focus();
});
for (const id of ["columns", "rows"]) $(id).addEventListener("change", () => {
  const size = [$("columns"), $("rows")].map(i => Math.max(1, Math.min(24, Math.round(+i.value) || 8)));
  [width, height] = size; $("columns").value = width; $("rows").value = height;
  blocked = new Set(); drawBoard();
});

// ---- The pieces: every shape of two to five squares, with its count.
const SHAPES = {
  I2: "##", I3: "###", V3: "#./##", I4: "####", L4: "#./#./##", O4: "##/##", S4: ".##/##.", T4: "###/.#.", F5: ".##/##./.#.", I5: "#####",
  L5: "#./#./#./##", N5: ".#/.#/##/#.", P5: "##/##/#.", T5: "###/.#./.#.", U5: "#.#/###", V5: "#../#../###", W5: "#../##./.##", X5: ".#./###/.#.", Y5: ".#/##/.#/.#", Z5: "##./.#./.##",
};
const counts = new Map([["I2", 1]]);
function drawShapes() {
  const isCounted = $("how-many").value === "counted", focused = document.activeElement?.dataset?.shape;
  $("shapes").replaceChildren(...Object.entries(SHAPES).map(([name, drawing]) => {
    const count = counts.get(name) || 0, canvas = document.createElement("canvas"), label = document.createElement("span");
    const button = makeButton("", () => {
      if (isCounted) counts.set(name, count + 1); else if (count) counts.delete(name); else counts.set(name, 1);
      choosePieces();
    }, { "aria-pressed": count > 0, "data-shape": name, "aria-label": `${name}: ${isCounted ? count : count ? "as many as fit" : "none"}` });
    drawLetters(canvas, drawing.replace(/#/g, "A").replace(/\./g, " ").split("/"), 9);
    label.textContent = !count ? name : isCounted ? `${name} × ${count}` : `${name} ✓`;
    button.append(canvas, label);
    return button;
  }));
  if (focused) $("shapes").querySelector(`[data-shape=${focused}]`).focus();
}
function choosePieces() {
  drawShapes();
  const isCounted = $("how-many").value === "counted";
  $("pieces").value = [...counts].map(([name, count]) => `${name}*${isCounted ? count : "inf"}`).join(",");
}
$("how-many").addEventListener("change", choosePieces);
$("no-pieces").addEventListener("click", () => { counts.clear(); choosePieces(); });
addEventListener("studio-theme", drawShapes);

async function findTilings(choice) {
  const rows = Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => blocked.has(y * width + x) ? "#" : ".").join(""));
  const options = { board: rows.join("\n"), pieces: $("pieces").value, orientations: $("orientations").value, up_to_symmetry: $("symmetry").checked, use_all: $("use-all").checked, ...choice };
  if (!options.pieces.trim()) { $("answer").textContent = "No piece is chosen: press a shape."; return; }
  for (const id of ["one", "some", "count"]) $(id).disabled = true;
  $("answer").textContent = "looking …";
  $("tilings").replaceChildren(); $("weights").hidden = true;
  try { showTilings(await fetchJson("/api/tilings", { method: "POST", json: options })); }
  catch (error) { $("answer").textContent = describeError(error); }
  for (const id of ["one", "some", "count"]) $(id).disabled = false;
}
function showTilings(answer) {
  if (answer.reason) {
    $("answer").textContent = `There is no tiling: ${answer.reason === "searched exhaustively" ? "the search was exhaustive" : answer.reason}`;
    if (answer.weights?.length) { $("weights").hidden = false; $("weights").textContent = answer.weights.map(r => r.join(" ")).join("\n"); }
  } else if (answer.count) $("answer").textContent = `There are exactly ${BigInt(answer.count).toLocaleString("en")}. One of them:`;
  else $("answer").textContent = n(answer.tilings.length, "tiling|tilings");
  const size = answer.tilings.length > 1 ? 13 : 26;
  $("tilings").replaceChildren(...answer.tilings.map(text => {
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img"); canvas.setAttribute("aria-label", text.split("\n").join(" / "));
    drawLetters(canvas, text.split("\n"), size);
    return canvas;
  }));
}
$("one").addEventListener("click", () => findTilings({ first: 1 }));
$("some").addEventListener("click", () => findTilings({ first: 12 }));
$("count").addEventListener("click", () => findTilings({ count: true }));
$("play").addEventListener("click", () => trying(async () => {
  const frame = document.createElement("iframe");
  frame.className = "triplex"; frame.title = "Triplex";
  frame.addEventListener("load", () => applyThemeToFrame(frame));
  showAnswerIn(frame, "/triplex");
  $("triplex").replaceChildren(frame);
}));
drawBoard();
drawShapes();
document.documentElement.dataset.ready = "";
