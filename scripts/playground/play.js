// Plays ready plans and any plan that a link carries (#plan=..., as the studio writes it), without a
// server. plans.js has the ready plans, the player's page, and what is known of the pieces.
"use strict";
{
  const $ = id => document.getElementById(id);
  const { plans, page, shapes, names, muted } = PLAYGROUND;

  // ---- From the text of a plan to what the player is told (render/page.py tells it the same).
  const key = cells => cells.map(c => c.join()).sort().join(" ");
  const known = new Map(shapes.map((shape, at) => [key(shape.cells), at]));
  function placed(cells) {
    const x = Math.min(...cells.map(c => c[0])), y = Math.min(...cells.map(c => c[1]));
    const at = known.get(key(cells.map(c => [c[0] - x, c[1] - y])));
    if (at === undefined) throw new Error("the squares of a letter are no piece");
    return [at, x];
  }
  function read(text) {
    const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/).map(line => line.trimEnd());
    let head = lines.shift().trim(), background = null;
    const behind = /^(.*?)\s+background=([0-9a-f]{6})$/.exec(head);
    if (behind) [, head, background] = behind;
    const board = /^board (\d+)x(\d+)((?: [IJLOSTZ]=[0-9a-f]{6})*)/.exec(head);
    const three = /^([0-9a-f]{6}) ([0-9a-f]{6}) ([0-9a-f]{6})$/.exec(head);
    if (!board && !three) throw new Error("the first line is that of no plan");
    const width = board ? +board[1] : 21, height = board ? +board[2] : 42;
    const colors = new Map(three ? [["J", three[1]], ["T", three[2]], ["L", three[3]]]
      : board[3].trim().split(" ").filter(Boolean).map(word => word.split("=")));
    if (!(width > 0 && width <= 400 && height > 0 && height <= 2000)) throw new Error("the board is too large");
    const passes = [], drops = [];
    for (const block of lines.join("\n").split(/\n{2,}/)) {
      const rows = block.split("\n").filter(Boolean).reverse(), pieces = new Map();
      if (!rows.length) continue;
      rows.forEach((row, y) => {
        if (row.length !== width) throw new Error("a line is not as wide as the board");
        [...row].forEach((letter, x) => {
          if (letter === ".") return;
          if (!pieces.has(letter)) pieces.set(letter, []);
          pieces.get(letter).push([x, y]);
        });
      });
      passes.push(pieces.size);
      for (const letter of [...pieces.keys()].sort()) {
        const [shape, x] = placed(pieces.get(letter));
        drops.push(shape * width + x);
      }
    }
    if (drops.length > 40000) throw new Error("the plan has too many pieces");
    return { width, height, colors, background, passes, drops };
  }
  const channels = color => [0, 2, 4].map(at => parseInt(color.slice(at, at + 2), 16));
  function shade(color, amount) {
    const goal = amount > 0 ? 255 : 0;
    return channels(color).map(c => Math.round(c + (goal - c) * Math.abs(amount)).toString(16).padStart(2, "0")).join("");
  }
  function told({ width, height, colors, background, passes, drops }) {
    const field = background || "000000", spare = [...muted];
    const shown = name => colors.has(name) ? colors.get(name) : spare.shift();
    const bright = color => channels(color).reduce((sum, c) => sum + c) > 150;
    const drawn = [["#" + field]];
    for (const name of names.slice(1)) {
      const color = shown(name), dark = shade(color, -.38), light = shade(color, .38);
      drawn.push([color, light, dark, bright(color) ? dark : light].map(c => "#" + c));
    }
    const seen = name => colors.has(name) && colors.get(name) !== background;
    return {
      width, height, names, colors: drawn, visible: [false, ...names.slice(1).map(seen)],
      unseen: names.map((name, at) => colors.has(name) && !seen(name) ? at : 0).filter(Boolean),
      line: "#" + shade(field, channels(field)[1] > 128 ? -.18 : .18), bevel: false, grid: false, outlined: 4,
      autoplay: true, speed: Math.min(500, Math.max(2, drops.length / 20)), shapes, passes, drops, detours: {},
    };
  }

  // ---- Links.
  async function pass(bytes, through) {
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());
  }
  async function packed(text) {
    const bytes = await pass(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
    let all = "";
    for (let k = 0; k < bytes.length; k += 5000) all += String.fromCharCode(...bytes.subarray(k, k + 5000));
    return btoa(all).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }
  async function unpacked(code) {
    const bytes = Uint8Array.from(atob(code.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const parts = [];
    for (let size = 0;;) {
      const { done, value } = await reader.read();
      if (done) return new Blob(parts).text();
      if ((size += value.length) > 1e6) throw new Error("the link carries too much");
      parts.push(value);
    }
  }

  // ---- Showing one.
  const safe = text => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
  async function show(text, name, data = null) {
    try {
      const json = JSON.stringify(data || told(read(text))).replace(/</g, "\\u003c");
      $("player").srcdoc = page.replaceAll("%TITLE%", () => safe(name)).replace("%DATA%", () => json);
      $("wrong").textContent = "";
      for (const one of document.querySelectorAll("#plans button")) one.setAttribute("aria-pressed", one.dataset.name === name);
      $("link").href = `#plan=${await packed(text)}&name=${encodeURIComponent(name)}`;
    } catch (error) {
      $("wrong").textContent = `This is no plan that can be played: ${error.message}.`;
    }
  }
  for (const plan of plans) {
    const item = document.createElement("li"), button = document.createElement("button");
    const image = new Image(), name = document.createElement("span"), size = document.createElement("small");
    image.src = plan.image; image.alt = ""; name.textContent = plan.name; size.textContent = `${plan.drops} pieces`;
    button.append(image, name, size); button.dataset.name = plan.name; button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => { history.replaceState(null, "", location.pathname); show(plan.text, plan.name, plan.data); scrollTo({ top: 0 }); });
    item.append(button); $("plans").append(item);
  }
  $("file").addEventListener("change", async e => {
    const file = e.target.files[0];
    if (file && file.size < 1e6) show(await file.text(), file.name.replace(/\.txt$/, ""));
  });
  async function begin() {
    const found = /^#plan=([\w-]+)(?:&name=([^&]*))?/.exec(location.hash);
    if (!found) return show(plans[0].text, plans[0].name, plans[0].data);
    let text = null;
    try { text = await unpacked(found[1]); } catch { $("wrong").textContent = "The link cannot be read."; return; }
    await show(text, decodeURIComponent(found[2] || "") || "A plan from a link");
  }
  addEventListener("hashchange", begin);
  begin();
}
