// The tilings page: tilings of a board that the user draws, and the Triplex game.
import { $, fetchJson, begin, makeButton, applyThemeToFrame, language, n, drawLetters, showAnswerIn, t, trying } from "./common.js";

begin();
let width = 8, height = 8, blocked = new Set();
function drawBoard() {
  const board = $("board"), focused = [...board.children].indexOf(document.activeElement);
  board.style.gridTemplateColumns = `repeat(${width}, auto)`;
  board.replaceChildren(...Array.from({ length: width * height }, (_, k) => {
    const cell = makeButton("", () => { blocked.has(k) ? blocked.delete(k) : blocked.add(k); cell.setAttribute("aria-pressed", blocked.has(k)); }, { "aria-pressed": blocked.has(k) });
    cell.setAttribute("aria-label", t("column {x}, row {y}", { x: k % width + 1, y: Math.floor(k / width) + 1 }));
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
async function findTilings(choice) {
  const rows = Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => blocked.has(y * width + x) ? "#" : ".").join(""));
  const options = { board: rows.join("\n"), pieces: $("pieces").value, orientations: $("orientations").value, up_to_symmetry: $("symmetry").checked, use_all: $("use-all").checked, ...choice };
  for (const id of ["one", "some", "count"]) $(id).disabled = true;
  $("answer").textContent = t("looking …"); delete $("answer").dataset.t;
  $("tilings").replaceChildren(); $("weights").hidden = true;
  try { showTilings(await fetchJson("/api/tilings", { method: "POST", json: options })); }
  catch (error) { $("answer").textContent = error.message; }
  for (const id of ["one", "some", "count"]) $(id).disabled = false;
}
function showTilings(answer) {
  if (answer.reason) {
    $("answer").textContent = t("There is no tiling: {reason}", { reason: answer.reason === "searched exhaustively" ? t("the search was exhaustive") : answer.reason });
    if (answer.weights?.length) { $("weights").hidden = false; $("weights").textContent = answer.weights.map(r => r.join(" ")).join("\n"); }
  } else if (answer.count) $("answer").textContent = t("There are exactly {count}. One of them:", { count: BigInt(answer.count).toLocaleString(language) });
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
  showAnswerIn(frame, `/triplex?language=${language}`);
  $("triplex").replaceChildren(frame);
}));
addEventListener("studio-language", drawBoard);
drawBoard();
document.documentElement.dataset.ready = "";
