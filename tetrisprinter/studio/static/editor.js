// The pixel editor: pen, fill, pick, palette, undo, mirror, resize; mouse, touch and keyboard.
import { $, button, ink, t } from "./common.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const START = ["d03020", "f6f1e3", "2b2733", "3060c0", "f0c040", "208040", "e87830"];
const MOST = 160;

// Open the editor; resolve with the drawing as {text}, or null if it is empty or the user cancels.
export function openEditor(picture) {
  return new Promise(resolve => {
    const dialog = $("editor");
    let width = picture ? picture.width : 12, height = picture ? picture.height : 12;
    let colors = picture ? [...picture.colors] : [], squares = picture ? [...picture.squares] : Array(width * height).fill(-1);
    for (const color of START) if (colors.length < START.length && !colors.includes(color)) colors.push(color);
    colors = colors.slice(0, LETTERS.length);
    let color = 0, tool = "pen", at = [0, 0], pressed = false, done = [], undone = [], size = 1;

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
          <div class="row"><input class="grow" type="number" id="editor-width" min="1" max="${MOST}"><span>×</span><input class="grow" type="number" id="editor-height" min="1" max="${MOST}"></div>
          <p class="small quiet" id="editor-help"></p>
        </div>
      </div>
      <div class="row apart" id="editor-end"></div>`;
    $("h-editor").textContent = t("Draw");
    $("h-palette").textContent = t("Palette");
    $("editor-size").textContent = t("Columns × rows");
    $("editor-height").setAttribute("aria-label", t("Rows"));
    $("editor-color").setAttribute("aria-label", t("Another colour"));
    $("editor-help").textContent = t("Arrow keys move, Space draws, 0–9 choose a colour (0 erases), P pen, F fill, I pick, M mirror, Ctrl+Z undo, Enter is done.");
    const canvas = $("easel"), c = canvas.getContext("2d");
    canvas.setAttribute("aria-label", t("The drawing: move with the arrow keys, draw with Space"));

    const index = (x, y) => y * width + x;
    const remember = () => { done.push({ width, height, squares: [...squares], colors: [...colors] }); if (done.length > 200) done.shift(); undone = []; };
    const restore = state => { ({ width, height } = state); squares = [...state.squares]; colors = [...state.colors]; at = [Math.min(at[0], width - 1), Math.min(at[1], height - 1)]; fit(); palette(); };
    const undo = (from, to) => { const state = from.pop(); if (!state) return; to.push({ width, height, squares: [...squares], colors: [...colors] }); restore(state); };
    function fit() {
      const box = canvas.parentElement.getBoundingClientRect(), ratio = Math.min(2, devicePixelRatio || 1);
      size = Math.max(2, Math.min(36, Math.floor(Math.min((box.width - 24) / width, Math.max(200, innerHeight * .58) / height))));
      canvas.width = width * size * ratio; canvas.height = height * size * ratio;
      canvas.style.width = width * size + "px"; canvas.style.height = height * size + "px";
      c.setTransform(ratio, 0, 0, ratio, 0, 0);
      $("editor-width").value = width; $("editor-height").value = height;
      draw();
    }
    function draw() {
      const ground = [ink("--empty"), ink("--empty-2")];
      for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
        const k = squares[index(x, y)];
        c.fillStyle = k < 0 ? ground[x + y & 1] : "#" + colors[k];
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
      $("editor-at").textContent = t("column {x}, row {y}: {color}", { x: x + 1, y: y + 1, color: k < 0 ? t("empty") : colors[k] });
    }
    function applyTool(x, y) {
      if (x < 0 || y < 0 || x >= width || y >= height) return;
      at = [x, y];
      if (tool === "pick") { color = squares[index(x, y)]; tool = "pen"; tools(); palette(); }
      else if (tool === "fill") fill(x, y);
      else squares[index(x, y)] = tool === "eraser" ? -1 : color;
      draw();
    }
    function fill(x, y) {
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
      remember();
      for (let y = 0; y < height; y++) squares.splice(y * width, width, ...squares.slice(y * width, (y + 1) * width).reverse());
      draw();
    }
    function resize(w, h) {
      if (!(w >= 1 && h >= 1 && w <= MOST && h <= MOST) || w === width && h === height) { fit(); return; }
      remember();
      const old = squares, was = [width, height], left = Math.floor((w - was[0]) / 2), top = h - was[1];
      squares = Array(w * h).fill(-1);
      for (let y = 0; y < was[1]; y++) for (let x = 0; x < was[0]; x++) {
        const a = x + left, b = y + top;
        if (a >= 0 && a < w && b >= 0 && b < h) squares[b * w + a] = old[y * was[0] + x];
      }
      width = w; height = h; at = [Math.min(at[0], w - 1), Math.min(at[1], h - 1)];
      fit();
    }
    const TOOLS = [["pen", "Pen"], ["eraser", "Eraser"], ["fill", "Fill"], ["pick", "Pick"]];
    function tools() {
      $("editor-tools").replaceChildren(...TOOLS.map(([name, label]) =>
        button(t(label), () => { tool = name; tools(); canvas.focus(); }, { "aria-pressed": tool === name, "data-tool": name })));
    }
    function palette() {
      $("swatches").replaceChildren(...colors.map((one, k) => {
        const made = button("", () => { color = k; if (tool !== "fill") tool = "pen"; tools(); palette(); canvas.focus(); }, { "aria-pressed": color === k, "aria-label": t("colour {color}", { color: one }) });
        made.style.background = "#" + one;
        return made;
      }));
    }
    $("editor-add").append(button(t("Add this colour"), () => {
      const added = $("editor-color").value.slice(1).toLowerCase();
      if (!colors.includes(added) && colors.length < LETTERS.length) { remember(); colors.push(added); }
      color = colors.indexOf(added); tool = "pen"; tools(); palette(); canvas.focus();
    }));
    $("editor-acts").append(
      button(t("Undo"), () => undo(done, undone), { id: "undo" }), button(t("Redo"), () => undo(undone, done)),
      button(t("Mirror"), mirror, { id: "mirror" }), button(t("Clear"), () => { remember(); squares.fill(-1); draw(); }));
    for (const id of ["editor-width", "editor-height"])
      $(id).addEventListener("change", () => resize(+$("editor-width").value, +$("editor-height").value));

    const place = e => { const box = canvas.getBoundingClientRect(); return [Math.floor((e.clientX - box.left) / size), Math.floor((e.clientY - box.top) / size)]; };
    let last = null;
    canvas.addEventListener("pointerdown", e => {
      if (e.button > 0) return;
      e.preventDefault(); canvas.focus(); remember(); pressed = true; last = place(e); applyTool(...last); canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", e => {
      if (!pressed || tool === "fill" || tool === "pick") return;
      const next = place(e), steps = Math.max(Math.abs(next[0] - last[0]), Math.abs(next[1] - last[1]), 1);
      for (let k = 1; k <= steps; k++) applyTool(Math.round(last[0] + (next[0] - last[0]) * k / steps), Math.round(last[1] + (next[1] - last[1]) * k / steps));
      last = next;
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { pressed = false; });
    const keys = e => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "z") { e.shiftKey ? undo(undone, done) : undo(done, undone); }
      else if (e.ctrlKey || e.metaKey || e.altKey) return;
      else if (way) {
        at = [Math.max(0, Math.min(width - 1, at[0] + way[0])), Math.max(0, Math.min(height - 1, at[1] + way[1]))];
        if (e.shiftKey) { remember(); applyTool(...at); } else draw();
      } else if (e.key === " ") { remember(); applyTool(...at); }
      else if (/^[0-9]$/.test(e.key)) { if (e.key === "0") tool = "eraser"; else if (+e.key <= colors.length) { color = e.key - 1; tool = tool === "fill" ? "fill" : "pen"; } tools(); palette(); }
      else if (e.key === "Backspace" || e.key === "Delete") { remember(); squares[index(...at)] = -1; draw(); }
      else if (e.key === "Enter") finish(true);
      else {
        const act = { p: () => { tool = "pen"; tools(); }, f: () => { tool = "fill"; tools(); }, i: () => { tool = "pick"; applyTool(...at); }, m: mirror, e: () => { tool = "eraser"; tools(); } }[e.key.toLowerCase()];
        if (!act) return;
        act();
      }
      e.preventDefault();
    };
    canvas.addEventListener("keydown", keys);

    function text() {
      const used = new Set(squares.filter(k => k >= 0));
      if (!used.size) return null;
      const head = [...used].map(k => `${LETTERS[k]}=${colors[k]}`).join(" ");
      const rows = [];
      for (let y = 0; y < height; y++) rows.push(squares.slice(y * width, (y + 1) * width).map(k => k < 0 ? "." : LETTERS[k]).join(""));
      return [head, ...rows].join("\n");
    }
    let answer = null;
    function finish(taken) {
      const drawn = taken ? text() : null;
      answer = drawn && { text: drawn };
      dialog.close();
    }
    dialog.addEventListener("close", () => { removeEventListener("resize", fit); dialog.replaceChildren(); resolve(answer); }, { once: true });
    $("editor-end").append(button(t("Leave it"), () => finish(false)), button(t("Take this drawing"), () => finish(true), { class: "main", id: "editor-done" }));
    addEventListener("resize", fit);
    dialog.showModal();
    tools(); palette(); fit(); canvas.focus();
  });
}
