// The pixel editor: pen, fill, pick, palette, undo, mirror, resize; mouse, touch and keyboard.
import { $, makeButton, getCssColor } from "./common.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const START_COLORS = ["d03020", "f6f1e3", "2b2733", "3060c0", "f0c040", "208040", "e87830"];
const MAX_SIDE = 160;

// Open the editor; resolve with the drawing as {text}, or null if it is empty or the user cancels.
export function openEditor(picture) {
  return new Promise(resolve => {
    const dialog = $("editor");
    let width = picture ? picture.width : 12, height = picture ? picture.height : 12;
    let colors = picture ? [...picture.colors] : [], squares = picture ? [...picture.squares] : Array(width * height).fill(-1);
    for (const color of START_COLORS) if (colors.length < START_COLORS.length && !colors.includes(color)) colors.push(color);
    colors = colors.slice(0, LETTERS.length);
    let color = 0, tool = "pen", at = [0, 0], pressed = false, undoStates = [], redoStates = [], size = 1;

    dialog.innerHTML = `
      <div class="row apart"><h2 id="h-editor"></h2><p class="small quiet" id="editor-at" role="status"></p></div>
      <div class="editor">
        <div class="easel"><canvas id="easel" tabindex="0" role="application"></canvas></div>
        <div class="stage">
          <div class="segments" role="group" id="editor-tools"></div>
          <div><h3 id="h-palette"></h3><div class="swatches" id="swatches" role="group"></div></div>
          <div class="row"><input type="color" id="editor-color" value="#d03020"><span id="editor-add"></span></div>
          <div class="row" id="editor-acts"></div>
          <div class="row"><label for="editor-width" id="editor-size"></label></div>
          <div class="row"><input class="grow" type="number" id="editor-width" min="1" max="${MAX_SIDE}"><span>×</span><input class="grow" type="number" id="editor-height" min="1" max="${MAX_SIDE}"></div>
          <p class="small quiet" id="editor-help"></p>
        </div>
      </div>
      <div class="row apart" id="editor-end"></div>`;
    $("h-editor").textContent = "Draw";
    $("h-palette").textContent = "Palette";
    $("editor-size").textContent = "Columns × rows";
    $("editor-height").setAttribute("aria-label", "Rows");
    $("editor-color").setAttribute("aria-label", "Another colour");
    $("editor-help").textContent = "Arrow keys move, Space draws, 0–9 choose a colour (0 erases), P pen, F fill, I pick, M mirror, Ctrl+Z undo, Enter is done.";
    const canvas = $("easel"), c = canvas.getContext("2d");
    canvas.setAttribute("aria-label", "The drawing: move with the arrow keys, draw with Space");

    const index = (x, y) => y * width + x;
    const saveState = () => { undoStates.push({ width, height, squares: [...squares], colors: [...colors] }); if (undoStates.length > 200) undoStates.shift(); redoStates = []; };
    const restore = state => { ({ width, height } = state); squares = [...state.squares]; colors = [...state.colors]; at = [Math.min(at[0], width - 1), Math.min(at[1], height - 1)]; fitCanvas(); showPalette(); };
    const undo = (from, to) => { const state = from.pop(); if (!state) return; to.push({ width, height, squares: [...squares], colors: [...colors] }); restore(state); };
    function fitCanvas() {
      const box = canvas.parentElement.getBoundingClientRect(), ratio = Math.min(2, devicePixelRatio || 1);
      size = Math.max(2, Math.min(36, Math.floor(Math.min((box.width - 24) / width, Math.max(200, innerHeight * .58) / height))));
      canvas.width = width * size * ratio; canvas.height = height * size * ratio;
      canvas.style.width = width * size + "px"; canvas.style.height = height * size + "px";
      c.setTransform(ratio, 0, 0, ratio, 0, 0);
      $("editor-width").value = width; $("editor-height").value = height;
      draw();
    }
    function draw() {
      const emptyColors = [getCssColor("--empty"), getCssColor("--empty-2")];
      for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
        const k = squares[index(x, y)];
        c.fillStyle = k < 0 ? emptyColors[x + y & 1] : "#" + colors[k];
        c.fillRect(x * size, y * size, size, size);
      }
      if (size >= 7) {
        c.fillStyle = "rgb(128 128 128 / .25)";
        for (let x = 1; x < width; x++) c.fillRect(x * size, 0, 1, height * size);
        for (let y = 1; y < height; y++) c.fillRect(0, y * size, width * size, 1);
      }
      const [x, y] = at;
      c.lineWidth = 3; c.strokeStyle = "#fff"; c.strokeRect(x * size + 1.5, y * size + 1.5, size - 3, size - 3);
      c.lineWidth = 1; c.strokeStyle = "#000"; c.strokeRect(x * size + .5, y * size + .5, size - 1, size - 1);
      const k = squares[index(x, y)];
      $("editor-at").textContent = `column ${x + 1}, row ${y + 1}: ${k < 0 ? "empty" : colors[k]}`;
    }
    function applyTool(x, y) {
      if (x < 0 || y < 0 || x >= width || y >= height) return;
      at = [x, y];
      if (tool === "pick") { color = squares[index(x, y)]; tool = "pen"; showTools(); showPalette(); }
      else if (tool === "fill") floodFill(x, y);
      else squares[index(x, y)] = tool === "eraser" ? -1 : color;
      draw();
    }
    function floodFill(x, y) {
      const old = squares[index(x, y)], todo = [[x, y]];
      if (old === color) return;
      while (todo.length) {
        const [a, b] = todo.pop();
        if (a < 0 || b < 0 || a >= width || b >= height || squares[index(a, b)] !== old) continue;
        squares[index(a, b)] = color;
        todo.push([a + 1, b], [a - 1, b], [a, b + 1], [a, b - 1]);
      }
    }
    function mirror() {
      saveState();
      for (let y = 0; y < height; y++) squares.splice(y * width, width, ...squares.slice(y * width, (y + 1) * width).reverse());
      draw();
    }
    function resize(w, h) {
      if (!(w >= 1 && h >= 1 && w <= MAX_SIDE && h <= MAX_SIDE) || w === width && h === height) { fitCanvas(); return; }
      saveState();
      const oldSquares = squares, oldSize = [width, height], left = Math.floor((w - oldSize[0]) / 2), top = h - oldSize[1];
      squares = Array(w * h).fill(-1);
      for (let y = 0; y < oldSize[1]; y++) for (let x = 0; x < oldSize[0]; x++) {
        const a = x + left, b = y + top;
        if (a >= 0 && a < w && b >= 0 && b < h) squares[b * w + a] = oldSquares[y * oldSize[0] + x];
      }
      width = w; height = h; at = [Math.min(at[0], w - 1), Math.min(at[1], h - 1)];
      fitCanvas();
    }
    const TOOLS = [["pen", "Pen"], ["eraser", "Eraser"], ["fill", "Fill"], ["pick", "Pick"]];
    function showTools() {
      $("editor-tools").replaceChildren(...TOOLS.map(([name, label]) =>
        makeButton(label, () => { tool = name; showTools(); canvas.focus(); }, { "aria-pressed": tool === name, "data-tool": name })));
    }
    function showPalette() {
      $("swatches").replaceChildren(...colors.map((swatchColor, k) => {
        const swatch = makeButton("", () => { color = k; if (tool !== "fill") tool = "pen"; showTools(); showPalette(); canvas.focus(); }, { "aria-pressed": color === k, "aria-label": `colour ${swatchColor}` });
        swatch.style.background = "#" + swatchColor;
        return swatch;
      }));
    }
    $("editor-add").append(makeButton("Add this colour", () => {
      const added = $("editor-color").value.slice(1).toLowerCase();
      if (!colors.includes(added) && colors.length < LETTERS.length) { saveState(); colors.push(added); }
      color = colors.indexOf(added); tool = "pen"; showTools(); showPalette(); canvas.focus();
    }));
    $("editor-acts").append(
      makeButton("Undo", () => undo(undoStates, redoStates), { id: "undo" }), makeButton("Redo", () => undo(redoStates, undoStates)),
      makeButton("Mirror", mirror, { id: "mirror" }), makeButton("Clear", () => { saveState(); squares.fill(-1); draw(); }));
    for (const id of ["editor-width", "editor-height"])
      $(id).addEventListener("change", () => resize(+$("editor-width").value, +$("editor-height").value));

    const findCell = e => { const box = canvas.getBoundingClientRect(); return [Math.floor((e.clientX - box.left) / size), Math.floor((e.clientY - box.top) / size)]; };
    let lastCell = null;
    canvas.addEventListener("pointerdown", e => {
      if (e.button > 0) return;
      e.preventDefault(); canvas.focus(); saveState(); pressed = true; lastCell = findCell(e); applyTool(...lastCell); canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", e => {
      if (!pressed || tool === "fill" || tool === "pick") return;
      const next = findCell(e), steps = Math.max(Math.abs(next[0] - lastCell[0]), Math.abs(next[1] - lastCell[1]), 1);
      for (let k = 1; k <= steps; k++) applyTool(Math.round(lastCell[0] + (next[0] - lastCell[0]) * k / steps), Math.round(lastCell[1] + (next[1] - lastCell[1]) * k / steps));
      lastCell = next;
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { pressed = false; });
    const handleKey = e => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "z") { e.shiftKey ? undo(redoStates, undoStates) : undo(undoStates, redoStates); }
      else if (e.ctrlKey || e.metaKey || e.altKey) return;
      else if (step) {
        at = [Math.max(0, Math.min(width - 1, at[0] + step[0])), Math.max(0, Math.min(height - 1, at[1] + step[1]))];
        if (e.shiftKey) { saveState(); applyTool(...at); } else draw();
      } else if (e.key === " ") { saveState(); applyTool(...at); }
      else if (/^[0-9]$/.test(e.key)) { if (e.key === "0") tool = "eraser"; else if (+e.key <= colors.length) { color = e.key - 1; tool = tool === "fill" ? "fill" : "pen"; } showTools(); showPalette(); }
      else if (e.key === "Backspace" || e.key === "Delete") { saveState(); squares[index(...at)] = -1; draw(); }
      else if (e.key === "Enter") finish(true);
      else {
        const action = { p: () => { tool = "pen"; showTools(); }, f: () => { tool = "fill"; showTools(); }, i: () => { tool = "pick"; applyTool(...at); }, m: mirror, e: () => { tool = "eraser"; showTools(); } }[e.key.toLowerCase()];
        if (!action) return;
        action();
      }
      e.preventDefault();
    };
    canvas.addEventListener("keydown", handleKey);

    function formatDrawing() {
      const used = new Set(squares.filter(k => k >= 0));
      if (!used.size) return null;
      const head = [...used].map(k => `${LETTERS[k]}=${colors[k]}`).join(" ");
      const rows = [];
      for (let y = 0; y < height; y++) rows.push(squares.slice(y * width, (y + 1) * width).map(k => k < 0 ? "." : LETTERS[k]).join(""));
      return [head, ...rows].join("\n");
    }
    let answer = null;
    function finish(isAccepted) {
      const drawing = isAccepted ? formatDrawing() : null;
      answer = drawing && { text: drawing };
      dialog.close();
    }
    dialog.addEventListener("close", () => { removeEventListener("resize", fitCanvas); dialog.replaceChildren(); resolve(answer); }, { once: true });
    $("editor-end").append(makeButton("Cancel", () => finish(false)), makeButton("Use this drawing", () => finish(true), { class: "main", id: "editor-done" }));
    addEventListener("resize", fitCanvas);
    dialog.showModal();
    showTools(); showPalette(); fitCanvas(); canvas.focus();
  });
}
