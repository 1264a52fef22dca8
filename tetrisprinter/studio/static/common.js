// Shared by all pages: theme, requests to the server, and drawing of squares.
import { engine } from "./engine.js";
import { describeError, describeStatus } from "./faults.js";

export const $ = id => document.getElementById(id);

// Return a number with the right form of its word: "drop|drops".
export const n = (number, words) => `${number.toLocaleString("en")} ${words.split("|")[number === 1 ? 0 : 1]}`;

// ---- Theme: that of the system, until the user chooses one.
const dark = matchMedia("(prefers-color-scheme: dark)");
export function getTheme() { return localStorage.getItem("studio-theme") || (dark.matches ? "dark" : "light"); }
function applyTheme() {
  document.documentElement.dataset.theme = getTheme();
  for (const frame of document.querySelectorAll("iframe")) applyThemeToFrame(frame);
  dispatchEvent(new Event("studio-theme"));
}
export function applyThemeToFrame(frame) {
  const root = frame.contentDocument && frame.contentDocument.documentElement;
  if (!root || frame.contentWindow.location.href === "about:blank") return;
  root.dataset.theme = getTheme();
  frame.contentWindow.dispatchEvent(new Event("resize"));
}
applyTheme();
dark.addEventListener("change", applyTheme);

// ---- The head of every page.
const icons = {
  theme: '<path d="M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z"/>',
};
const at = page => new URL(`../${page}`, import.meta.url).pathname;
export function begin() {
  const header = document.querySelector("header.top");
  header.innerHTML = `
    <a class="brand" href="${at("")}"><svg viewBox="0 0 24 24" aria-hidden="true"><path fill="#d83a34" d="M1 13h10v5H6v5H1z"/><path fill="#3458d6" d="M12 1h5v10h-5z"/><path fill="#e0a63f" d="M18 7h5v16H13v-5h5z"/><path fill="#4fa59a" d="M1 2h10v10H6V7H1z"/></svg><span>tetrisprinter</span></a>
    <nav aria-label="Pages">
      ${engine.pages.map(([page, name]) => `<a href="${at(page)}">${name}</a>`).join("")}
    </nav>
    <div class="tools">
      <button class="plain icon" id="theme" aria-label="Light or dark" title="Light or dark"><svg viewBox="0 0 24 24" aria-hidden="true">${icons.theme}</svg></button>
    </div>`;
  for (const link of header.querySelectorAll("nav a"))
    if (link.pathname === location.pathname) link.setAttribute("aria-current", "page");
  $("theme").addEventListener("click", () => {
    localStorage.setItem("studio-theme", getTheme() === "dark" ? "light" : "dark"); applyTheme();
  });
  const statusLine = document.createElement("p");
  statusLine.id = "said"; statusLine.className = "sr"; statusLine.setAttribute("role", "status");
  document.body.append(statusLine);
}

// ---- Messages to the user.
let toastTimer = 0;
export function showMessage(text, { quietly = false } = {}) {
  $("said").textContent = text;
  if (quietly) return;
  document.querySelector(".toast")?.remove();
  const toast = document.createElement("div");
  toast.className = "toast"; toast.textContent = text; toast.setAttribute("aria-hidden", "true");
  document.body.append(toast);
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toast.remove(); $("said").textContent = ""; }, 6000);
}

// ---- Requests to the server; every failure is an error with one sentence.
export async function fetchAnswer(path, { method = "GET", body, json, signal } = {}) {
  let answer;
  try {
    answer = await engine.fetch(path, { method, signal, body: json === undefined ? body : JSON.stringify(json) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The studio does not answer. Is it still running?");
  }
  if (!answer.ok) {
    const reply = await answer.json().catch(() => ({}));
    throw new Error(reply.error || describeStatus(answer.status));
  }
  return answer;
}
export const fetchJson = async (path, options) => (await fetchAnswer(path, options)).json();
export async function trying(work) {
  try { return await work(); } catch (error) { if (error.name !== "AbortError") showMessage(describeError(error)); }
}

// ---- Showing an answer in an image or a frame.
export const showAnswerIn = (element, path) => engine.address(path).then(address => { element.src = address; }).catch(() => {});

// ---- Squares.
export const getCssColor = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
// Draw a picture {width, height, colors, squares}; empty squares have the field's colour, or without
// a field form a checkerboard.
export function drawPicture(canvas, picture, space, { marks = [], changed = [], grid = true, field = "" } = {}) {
  const ratio = Math.min(2, devicePixelRatio || 1);
  const fittingSize = Math.min(space.width / picture.width, space.height / picture.height);
  const size = Math.max(1, Math.min(40, Math.floor(fittingSize)) * ratio | 0), c = canvas.getContext("2d");
  canvas.width = picture.width * size; canvas.height = picture.height * size;
  canvas.style.width = canvas.width / ratio + "px"; canvas.style.height = canvas.height / ratio + "px";
  const emptyColors = field ? ["#" + field, "#" + field] : [getCssColor("--empty"), getCssColor("--empty-2")];
  for (let y = 0; y < picture.height; y++) for (let x = 0; x < picture.width; x++) {
    const color = picture.squares[y * picture.width + x];
    c.fillStyle = color < 0 ? emptyColors[x + y & 1] : "#" + picture.colors[color];
    c.fillRect(x * size, y * size, size, size);
  }
  if (grid && size >= 8 * ratio) {
    c.fillStyle = "rgb(128 128 128 / .22)";
    for (let x = 1; x < picture.width; x++) c.fillRect(x * size, 0, 1, canvas.height);
    for (let y = 1; y < picture.height; y++) c.fillRect(0, y * size, canvas.width, 1);
  }
  const line = Math.max(1, Math.round(size / 7));
  c.lineWidth = line;
  for (const [x, y] of marks) {
    c.strokeStyle = getCssColor("--mark"); c.fillStyle = "rgb(208 0 143 / .28)";
    c.fillRect(x * size, y * size, size, size);
    c.beginPath(); c.moveTo(x * size + line, (y + 1) * size - line); c.lineTo((x + 1) * size - line, y * size + line); c.stroke();
  }
  for (const [x, y] of changed) {
    c.strokeStyle = "#fff"; c.lineWidth = line + 2; c.strokeRect(x * size + line, y * size + line, size - 2 * line, size - 2 * line);
    c.strokeStyle = getCssColor("--mark"); c.lineWidth = line; c.strokeRect(x * size + line, y * size + line, size - 2 * line, size - 2 * line);
  }
}
export const PIECES = {
  I: [[0, 1], [1, 1], [2, 1], [3, 1]], J: [[0, 0], [0, 1], [1, 1], [2, 1]], L: [[2, 0], [0, 1], [1, 1], [2, 1]],
  O: [[0, 0], [1, 0], [0, 1], [1, 1]], S: [[1, 0], [2, 0], [0, 1], [1, 1]], T: [[1, 0], [0, 1], [1, 1], [2, 1]], Z: [[0, 0], [1, 0], [1, 1], [2, 1]],
};
export function drawPiece(canvas, name, color) {
  const ratio = devicePixelRatio || 1, size = Math.round(9 * ratio), cells = PIECES[name], c = canvas.getContext("2d");
  const width = 1 + Math.max(...cells.map(p => p[0]));
  canvas.width = 4 * size + 2; canvas.height = 2 * size + 2;
  canvas.style.width = canvas.width / ratio + "px"; canvas.style.height = canvas.height / ratio + "px";
  const left = (4 - width) * size / 2;
  for (const [x, y] of cells) {
    c.fillStyle = color || getCssColor("--empty");
    c.fillRect(left + x * size + 1, y * size + 1, size - 1, size - 1);
    c.strokeStyle = getCssColor("--soft"); c.lineWidth = 1; c.globalAlpha = color ? .45 : 1;
    c.strokeRect(left + x * size + 1.5, y * size + 1.5, size - 2, size - 2);
    c.globalAlpha = 1;
  }
}
const HUES = ["#e0a63f", "#d47a52", "#4fa59a", "#5488c4", "#7fab5e", "#9877b4", "#cd7490", "#9d8c74", "#6f8fa8", "#c9b458", "#6aa84f", "#b5651d"];
// Draw rows of letters, one letter for each piece: each piece in its colour, with lines between pieces.
// A space is outside of the board.
export function drawLetters(canvas, rows, size, emitterCount = 0) {
  const ratio = devicePixelRatio || 1, s = Math.round(size * ratio), c = canvas.getContext("2d");
  canvas.width = rows[0].length * s + 2; canvas.height = rows.length * s + 2;
  canvas.style.width = canvas.width / ratio + "px"; canvas.style.height = canvas.height / ratio + "px";
  const order = [...new Set(rows.join(""))].filter(l => !".# ".includes(l)).sort((a, b) => a.charCodeAt() - b.charCodeAt());
  const at = (x, y) => rows[y]?.[x] ?? " ";
  rows.forEach((row, y) => [...row].forEach((letter, x) => {
    if (letter === " ") return;
    const k = order.indexOf(letter);
    c.fillStyle = letter === "#" ? getCssColor("--ink") : k < 0 ? getCssColor("--empty") : k < emitterCount ? "#d03020" : HUES[(k - emitterCount) * 5 % HUES.length];
    c.fillRect(x * s + 1, y * s + 1, s, s);
  }));
  c.fillStyle = getTheme() === "dark" ? "#0b0c10" : "#33302b";
  const lineWidth = Math.max(1, Math.round(ratio * (size > 12 ? 1.5 : 1)));
  for (let y = 0; y <= rows.length; y++) for (let x = 0; x <= rows[0].length; x++) {
    if (at(x, y) !== at(x - 1, y) && y < rows.length) c.fillRect(x * s + 1 - (lineWidth >> 1), y * s + 1, lineWidth, s);
    if (at(x, y) !== at(x, y - 1) && x < rows[0].length) c.fillRect(x * s + 1, y * s + 1 - (lineWidth >> 1), s, lineWidth);
  }
}
export function makeButton(text, onClick, attributes = {}) {
  const element = document.createElement("button");
  element.type = "button"; element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.addEventListener("click", onClick);
  return element;
}
export function saveFile(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob); link.download = name;
  document.body.append(link); link.click(); link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
