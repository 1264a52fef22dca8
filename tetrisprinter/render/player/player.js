// Plays a print in the page around it: page.html has the elements, page.py the numbers.
// A page that is one file holds this text; a page of the studio links to it.
"use strict";
{
  const data = JSON.parse(document.getElementById("data").textContent);
  const { width: W, height: H, shapes, colors, visible, drops, passes, detours } = data;
  // Drops with a tuck or spin: all placements on the path of the piece, by drop.
  const slides = data.slides || {};
  const $ = id => document.getElementById(id);
  const N = drops.length;

  // ---- Language: that of the browser, unless the address or the page names one; texts are looked
  // up by their English text.
  const wanted = new URLSearchParams(location.search).get("language") || document.documentElement.dataset.language;
  const russian = /^ru/i.test([wanted, ...(navigator.languages || [])].find(l => /^(en|ru)/i.test(l)));
  const t = (text, values = {}) =>
    (russian && RUSSIAN[text] || text).replace(/\{(\w+)\}/g, (_, name) => values[name]);
  // Return a number with the right form of its word: "drop|drops"; in Russian one, few and many.
  function n(number, words) {
    const forms = t(words).split("|"), rule = new Intl.PluralRules(russian ? "ru" : "en").select(number);
    return number + " " + forms[Math.min({ one: 0, few: 1 }[rule] ?? 2, forms.length - 1)];
  }
  function translate() {
    document.documentElement.lang = "ru";
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode, said = text.data.trim();
      if (!text.parentElement.closest("script, h1")) text.data = text.data.replace(said, () => t(said));
    }
    for (const name of ["aria-label", "title"])
      for (const one of document.body.querySelectorAll(`[${name}]`)) one.setAttribute(name, t(one.getAttribute(name)));
  }
  if (russian) translate();

  // ---- The game. A square holds 1 + the index of its drop, which gives its type, its colour and
  // the time at which it was printed.
  const shapeOf = i => shapes[Math.floor(drops[i] / W)];
  const columnOf = i => drops[i] % W;
  // A square of the start board holds 1 + the number of all drops + its type.
  const typeOf = square => square > N ? square - N - 1 : square ? shapeOf(square - 1).type : 0;
  const start = data.start || [], stops = new Set(data.stops || []);

  function land(board, i) {
    const shape = shapeOf(i), x = columnOf(i), slid = slides[i];
    if (slid) return slid[slid.length - 1][2];
    let y = 0;
    for (const [dx, dy] of shape.cells) {
      let top = H;
      while (top > 0 && !board[(top - 1) * W + x + dx]) top--;
      y = Math.max(y, top - dy);
    }
    return y;
  }
  function lock(board, i, y) {
    for (const [dx, dy] of shapeOf(i).cells) board[(y + dy) * W + columnOf(i) + dx] = i + 1;
  }
  function fullRows(board) {
    const full = [];
    for (let y = 0; y < H; y++) {
      let x = 0;
      while (x < W && board[y * W + x]) x++;
      if (x === W) full.push(y);
    }
    return full;
  }
  function clear(board, full) {
    for (const y of full.slice().reverse()) {
      board.copyWithin(y * W, (y + 1) * W);
      board.fill(0, (H - 1) * W);
    }
  }
  function drop(board, i) {
    lock(board, i, land(board, i));
    const full = fullRows(board);
    clear(board, full);
    return full.length;
  }

  // Play the whole game once. Store snapshots of the board for seeking, the lines so far, and the
  // final picture; in a slideshow the picture at every stop.
  const EVERY = 64, snapshots = [], lines = new Int32Array(N + 1);
  const passOf = new Int32Array(N + 1), passEnd = [];
  {
    let end = 0;
    for (const [p, size] of passes.entries()) { passOf.fill(p, end, end + size); passEnd.push(end += size); }
    passOf[N] = Math.max(0, passes.length - 1);
  }
  const board = new Int32Array(W * H);
  start.forEach((type, i) => { if (type) board[i] = N + 1 + type; });
  const isPicture = s => s > 0 && visible[typeOf(s)];
  const picture = { left: W, right: -1, top: -1 };
  const rowsOf = passes.map(() => []), scenes = [];
  function recordScene(end) {
    const begin = scenes.length ? scenes[scenes.length - 1].end : 0;
    scenes.push({ end, squares: board.slice() });
    for (let y = 0; y < H; y++) for (let x = 0; x < W; x++) {
      const s = board[y * W + x];
      if (!isPicture(s)) continue;
      picture.left = Math.min(picture.left, x); picture.right = Math.max(picture.right, x); picture.top = Math.max(picture.top, y);
      if (s > N || s <= begin) continue;  // it lay there before
      const rows = rowsOf[passOf[s - 1]];
      if (rows[rows.length - 1] !== y) rows.push(y);
    }
  }
  for (let i = 0; i < N; i++) {
    if (i % EVERY === 0) snapshots.push(board.slice());
    lines[i + 1] = lines[i] + drop(board, i);
    if (i + 1 === N || stops.has(i + 1)) recordScene(i + 1);
  }
  if (!N) recordScene(0);
  if (N % EVERY === 0) snapshots.push(board.slice());

  // ---- The current position: `at` drops are done, and `share` of the next one has been played.
  let at = 0, share = 0, playing = false, bevel = data.bevel, grid = data.grid, scale = 8;
  let speed = data.speed;
  // The user's last choices; a sandboxed frame, for example, cannot store them.
  const KEPT = "tetrisprinter.player";
  const kept = (() => { try { return JSON.parse(localStorage.getItem(KEPT)) || {}; } catch { return {}; } })();
  function keep(changes) {
    Object.assign(kept, changes);
    try { localStorage.setItem(KEPT, JSON.stringify(kept)); } catch { /* then not */ }
  }
  if (typeof kept.bevel === "boolean") bevel = kept.bevel;
  if (typeof kept.grid === "boolean") grid = kept.grid;
  // At more drops a second than this, a falling piece would be only a flicker.
  const FLICKER = 15;
  const falling = () => share > 0 && at < N && speed <= FLICKER;
  function seekTo(n) {
    const k = Math.floor(n / EVERY);
    board.set(snapshots[k]);
    for (let i = k * EVERY; i < n; i++) drop(board, i);
    at = n; share = 0; route = null;
  }

  // ---- How the next piece gets there: the player's key presses, with positions.
  let route = null;
  function plan(i) {
    const slid = slides[i];
    if (slid) {
      const y = land(board, i), locked = board.slice();
      lock(locked, i, y);
      return { steps: slid.map(([s, x, y]) => [shapes[s], x, y]), y, shape: shapeOf(i), x: columnOf(i), locked, full: fullRows(locked) };
    }
    const shape = shapeOf(i), states = shapes.filter(s => s.type === shape.type);
    const [lift, keys] = detours[i] || [0, null];
    let turn = 0, x = W >> 1, y = H - 1 + lift;
    const steps = [];
    const put = () => { const s = states[turn]; steps.push([s, x - s.center[0], y - s.center[1]]); };
    put();
    const press = key => {
      if (key === "c") turn = (turn + 1) % states.length;
      if (key === "k") turn = (turn + states.length - 1) % states.length;
      x += (key === "r") - (key === "l"); y -= key === "d";
      put();
    };
    if (keys !== null) for (const key of keys) press(key);
    else {
      const turns = states.indexOf(shape), way = columnOf(i) + shape.center[0] - x;
      for (const key of turns === 3 ? "k" : "c".repeat(turns)) press(key);
      for (const key of (way > 0 ? "r" : "l").repeat(Math.abs(way))) press(key);
    }
    const y1 = land(board, i), locked = board.slice();
    lock(locked, i, y1);
    return { steps, y: y1, shape, x: columnOf(i), locked, full: fullRows(locked) };
  }

  // ---- Drawing, in device pixels.
  const screen = $("board").getContext("2d"), tiles = [];
  // A type that the finished picture does not show has a line around each of its squares.
  const unseen = type => data.unseen.includes(type);
  function makeTile(type, s) {
    const shades = colors[type];
    const tile = document.createElement("canvas");
    tile.width = tile.height = s;
    const c = tile.getContext("2d");
    c.fillStyle = shades[0]; c.fillRect(0, 0, s, s);
    const first = grid && s >= 3 ? 1 : 0;
    if (bevel && s - first >= 3 && shades.length > 1) {
      for (let i = first; i < first + Math.max(1, Math.floor(s / 6)); i++) {
        const last = s - 1 - (i - first);
        c.fillStyle = shades[2]; c.fillRect(i, last, last - i + 1, 1); c.fillRect(last, i, 1, last - i + 1);
        c.fillStyle = shades[1]; c.fillRect(i, i, last - i, 1); c.fillRect(i, i, 1, last - i);
      }
    }
    if (unseen(type) && data.outlined && s >= data.outlined) {
      c.fillStyle = shades[3];
      c.fillRect(0, 0, s, 1); c.fillRect(0, 0, 1, s); c.fillRect(0, s - 1, s, 1); c.fillRect(s - 1, 0, 1, s);
    }
    if (grid && s >= 3) { c.fillStyle = data.line; c.fillRect(0, 0, s, 1); c.fillRect(0, 0, 1, s); }
    return tile;
  }
  function stamp(c, s, type, x, y, height) {
    c.drawImage(tiles[type], Math.round(x * s), height - s - Math.round(y * s));
  }
  // What each square of the canvas shows: only those that change are drawn again.
  const drawn = new Int32Array(W * H);
  const markForRedraw = (x, y) => { if (x >= 0 && x < W && y >= 0 && y < H) drawn[y * W + x] = 0; };
  function draw() {
    const s = scale, height = H * s, end = at === N || stops.has(at) && !falling();
    let squares = board, piece = null, gone = 0;
    if (falling()) {
      route = route || plan(at);
      const fallen = route.full.length ? .75 : 1;
      if (share >= fallen) { squares = route.locked; gone = (share - fallen) / (1 - fallen) * (W / 2 + 1); }
      else if (share < .4) {
        const place = share / .4 * (route.steps.length - 1), k = Math.floor(place), part = place - k;
        const a = route.steps[k], b = route.steps[Math.min(k + 1, route.steps.length - 1)];
        piece = a[0] === b[0] ? [a[0], a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2])] : b;
      } else {
        const top = route.steps[route.steps.length - 1], f = ((share - .4) / (fallen - .4)) ** 2;
        piece = [top[0], top[1], top[2] + f * (route.y - top[2])];
      }
    }
    const lined = !(grid && s >= 3) && !end && data.outlined && s >= data.outlined && !gone;
    for (let y = 0; y < H; y++) {
      const opening = gone && route.full.includes(y);
      for (let x = 0; x < W; x++) {
        const k = y * W + x, here = squares[k];
        let type = typeOf(here);
        if (end && !visible[type]) type = 0;
        if (opening && Math.abs(x + .5 - W / 2) < gone) type = 0;
        // A line left of and above every square that touches another piece there.
        const left = lined && here && x && squares[k - 1], above = lined && here && y + 1 < H && squares[k + W];
        const hasLeft = left && left !== here, hasAbove = above && above !== here;
        const look = 1 + (hasLeft ? 1 : 0) + (hasAbove ? 2 : 0) + 4 * type;
        if (drawn[k] === look) continue;
        drawn[k] = look;
        stamp(screen, s, type, x, y, height);
        screen.fillStyle = colors[type][3];
        if (hasLeft) screen.fillRect(x * s, height - (y + 1) * s, 1, s);
        if (hasAbove) screen.fillRect(x * s, height - (y + 1) * s, s, 1);
      }
    }
    if (grid && s >= 3) {  // grid lines are the squares' left and upper edges; these close the board
      screen.fillStyle = data.line;
      screen.fillRect(0, height, W * s + 1, 1); screen.fillRect(W * s, 0, 1, height);
    }
    // Frames mark the last and the next piece, unless they come faster than the eye can follow.
    const followed = !end && (!playing || speed <= FLICKER);
    if (followed && at > 0 && squares === board) {
      frame(cellsOf(at), s, height, "#fff", Math.max(1, Math.round(s / 12)), "#000");
    }
    if (followed && !gone && squares === board) {
      const shape = shapeOf(at), x = columnOf(at), y = falling() ? route.y : land(board, at);
      frame(shape.cells.map(([dx, dy]) => [x + dx, y + dy]), s, height, colors[shape.type][unseen(shape.type) ? 3 : 0], Math.max(1, Math.round(s / 7)));
    }
    if (piece) for (const [dx, dy] of piece[0].cells) {
      const x = piece[1] + dx, y = piece[2] + dy;
      stamp(screen, s, piece[0].type, x, y, height);
      for (const u of [Math.floor(x), Math.ceil(x)]) for (const v of [Math.floor(y), Math.ceil(y)]) markForRedraw(u, v);
    }
  }
  function cellsOf(square) {
    const found = [];
    for (let i = 0; i < W * H; i++) if (board[i] === square) found.push([i % W, Math.floor(i / W)]);
    return found;
  }
  // A frame inside the outline of some squares, with a thin line of another colour within it.
  function frame(cells, s, height, color, thick, within) {
    const has = (x, y) => cells.some(c => c[0] === x && c[1] === y);
    const edges = (c, from, to) => {
      screen.fillStyle = c;
      for (const [x, y] of cells) {
        const l = x * s, t = height - (y + 1) * s, wide = to - from;
        const open = (dx, dy) => !has(x + dx, y + dy);
        if (open(-1, 0)) screen.fillRect(l + from, t, wide, s);
        if (open(1, 0)) screen.fillRect(l + s - to, t, wide, s);
        if (open(0, 1)) screen.fillRect(l, t + from, s, wide);
        if (open(0, -1)) screen.fillRect(l, t + s - to, s, wide);
        // The corners of squares that lie inside an angle of the outline.
        for (const dx of [-1, 1]) for (const dy of [-1, 1])
          if (!open(dx, 0) && !open(0, dy) && open(dx, dy))
            screen.fillRect(dx < 0 ? l : l + s - to, dy > 0 ? t : t + s - to, to, to);
      }
    };
    if (within && s >= 8) edges(within, thick, thick + 1);
    edges(color, 0, thick);
    for (const [x, y] of cells) markForRedraw(x, y);
  }
  function drawNext() {
    const canvas = $("next"), ratio = devicePixelRatio || 1, s = Math.round(14 * ratio);
    // On the field's colour, for which the colours of the pieces were chosen.
    canvas.width = 5 * s; canvas.height = 3 * s;
    canvas.style.width = 5 * s / ratio + "px"; canvas.style.height = 3 * s / ratio + "px";
    canvas.style.background = colors[0][0];
    // A falling piece is the current one, so show the piece after it.
    const next = falling() || playing && speed <= FLICKER ? at + 1 : at;
    if (next >= N) { canvas.setAttribute("aria-label", t("No next piece")); return; }
    const spawn = shapes.find(shape => shape.type === shapeOf(next).type), c = canvas.getContext("2d");
    const wide = 1 + Math.max(...spawn.cells.map(p => p[0])), high = 1 + Math.max(...spawn.cells.map(p => p[1]));
    const kept = grid; grid = false;
    const tile = makeTile(spawn.type, s);
    grid = kept;
    for (const [dx, dy] of spawn.cells)
      c.drawImage(tile, Math.round(((5 - wide) / 2 + dx) * s), Math.round(((3 + high) / 2 - dy - 1) * s));
    canvas.setAttribute("aria-label", t("Next piece: {name}", { name: data.names[spawn.type] }));
  }
  let pictured = null;  // what each square of the small picture shows
  function drawPicture() {
    const canvas = $("picture"), c = canvas.getContext("2d");
    const across = picture.right - picture.left + 1, down = picture.top + 1;
    canvas.hidden = across < 1;
    if (across < 1) return;
    const ratio = devicePixelRatio || 1, room = canvas.parentElement.clientWidth - 40;
    if (room <= 0) return;  // a small screen shows no picture so far
    const s = Math.max(1, Math.floor(Math.min(room / across, innerHeight * .26 / down) * ratio));
    const bar = Math.round(6 * ratio), mark = Math.round(4 * ratio);
    if (!pictured || canvas.width !== across * s + 2 * bar || canvas.height !== down * s) {
      canvas.width = across * s + 2 * bar; canvas.height = down * s;
      pictured = new Int32Array(across * down);
    }
    canvas.style.width = canvas.width / ratio + "px"; canvas.style.height = canvas.height / ratio + "px";
    const { squares } = scenes.find(scene => at <= scene.end);
    for (let y = 0; y < down; y++) for (let x = 0; x < across; x++) {
      const q = squares[y * W + picture.left + x], type = isPicture(q) ? typeOf(q) : 0, isThere = q <= at || q > N;
      const look = 1 + (type && isThere ? 1 : 0) + 2 * type;
      if (pictured[y * across + x] === look) continue;
      pictured[y * across + x] = look;
      for (const [shown, alpha] of [[0, 1], [type, isThere ? 1 : .22]]) {
        c.globalAlpha = alpha; c.fillStyle = colors[shown][0];
        c.fillRect(bar + x * s, (down - 1 - y) * s, s, s);
      }
    }
    c.clearRect(0, 0, bar, canvas.height); c.clearRect(canvas.width - bar, 0, bar, canvas.height);
    c.globalAlpha = 1; c.fillStyle = getComputedStyle(canvas).color;
    if (at < N) for (const y of rowsOf[passOf[at]]) {
      c.fillRect(0, (down - 1 - y) * s, mark, s); c.fillRect(canvas.width - mark, (down - 1 - y) * s, mark, s);
    }
  }
  function printing() {
    if (at === N) return t("done");
    const rows = rowsOf[passOf[at]];
    if (!rows.length) return t("support");
    const low = rows[0] + 1, high = rows[rows.length - 1] + 1;
    return t(low === high ? "row {low}" : "rows {low}–{high}", { low, high });
  }
  function showStatus() {
    const pass = N ? passOf[at] + 1 : 0;
    $("n-drop").textContent = at; $("of-drop").textContent = t("of {all}", { all: N });
    $("n-line").textContent = lines[at]; $("of-line").textContent = t("of {all}", { all: lines[N] });
    $("n-pass").textContent = pass; $("of-pass").textContent = t("of {all}", { all: passes.length });
    $("n-row").textContent = printing();
    if (data.keys) $("n-keys").textContent = at < N ? keysInShort(data.keys[at]) : t("nothing more");
    if (data.dealt) $("n-dealt").textContent = at < N ? data.dealt[at] : t("nothing more");
    const seek = $("seek"), byPass = $("seek-pass");
    seek.value = at; seek.setAttribute("aria-valuetext", t("drop {at} of {all}", { at, all: N }));
    byPass.value = at === N ? passes.length : passOf[at];
    byPass.setAttribute("aria-valuetext", t("pass {at} of {all}", { at: pass, all: passes.length }));
    for (const id of ["start", "back", "pass-back"]) $(id).disabled = at === 0 && !falling();
    for (const id of ["end", "step", "pass-on"]) $(id).disabled = at === N;
    $("board").setAttribute("aria-label", t("The board after drop {at} of {all}", { at, all: N }));
    drawNext(); drawPicture();
  }
  function announce() {
    $("status").textContent = t("{state}: drop {at} of {all}, lines {lines}, pass {pass}, {row}", {
      state: t(playing ? "Playing" : "Paused"), at, all: N, lines: lines[at], pass: passOf[at] + 1,
      row: at === N ? t("done") : t("Printing").toLowerCase() + " " + printing(),
    });
  }
  // The keys that a player presses for the next piece, if the page contains them.
  function keysInShort(keys) {
    const signs = { left: "\u2190", right: "\u2192", down: "\u2193", cw: "\u21bb", ccw: "\u21ba", drop: t("drop") };
    return keys.split(" ").map(key => signs[key] || key).join(" ");
  }
  document.querySelector(".dealt").hidden = !data.dealt;
  for (const one of document.querySelectorAll(".press")) one.hidden = !data.keys;

  function show() { draw(); showStatus(); }

  // ---- Sound, which is off until the user turns it on: a tick for a piece, a chord for full rows.
  let audio = null, lastSound = 0;
  function tone(pitch, seconds, volume) {
    const wave = audio.createOscillator(), gain = audio.createGain(), now = audio.currentTime;
    wave.type = "triangle"; wave.frequency.value = pitch;
    gain.gain.setValueAtTime(volume, now);
    gain.gain.exponentialRampToValueAtTime(.0001, now + seconds);
    wave.connect(gain).connect(audio.destination);
    wave.start(now); wave.stop(now + seconds);
  }
  function sound(from, to) {
    const rows = lines[to] - lines[from];
    if (!audio || to <= from || !rows && performance.now() - lastSound < 50) return;
    lastSound = performance.now();
    // Each type has a note of a pentatonic scale; more rows sound higher.
    if (!rows) tone([220, 247, 277, 330, 370, 440, 494][typeOf(to) % 7], .08, .05);
    else for (const third of [1, 1.26, 1.5]) tone(440 * third * (1 + .12 * (rows - 1)), .35, .05);
  }

  // ---- Playing.
  function setPlaying(on) {
    if (on && at === N) seekTo(0);
    playing = on && N > 0; clock = 0;
    $("play").setAttribute("aria-label", t(playing ? "Pause" : "Play"));
    $("play-icon").setAttribute("d", playing ? "M6 5h4.3v14H6zM13.7 5H18v14h-4.3z" : "M7 4.5v15l13-7.5z");
    if (playing) requestAnimationFrame(tick);
    show(); announce();
  }
  let clock = 0, waits = 0;
  // In a clock: return how many drops are due at this time of day. Each picture is complete when its
  // minute begins; outside of the planned minutes all drops are due.
  const MINUTE = 60, DAY = 86400, USUAL = 4, SPARE = .5;
  function countDueDrops() {
    const date = new Date(Date.now()), midnight = new Date(date).setHours(0, 0, 0, 0);
    const since = ((date - midnight) / 1000 - data.minute * MINUTE + DAY) % DAY;
    const k = Math.floor(since / MINUTE);
    if (k >= data.stops.length - 1) return N;
    const here = data.stops[k], many = data.stops[k + 1] - here;
    const pace = Math.max(USUAL, many / (MINUTE - 2 * SPARE));
    const late = (since % MINUTE - (MINUTE - SPARE - many / pace)) * pace;
    return here + Math.max(0, Math.min(many, late));
  }
  function followClock() {
    const whole = Math.floor(countDueDrops()), before = at;
    if (whole < at || whole > at + EVERY) seekTo(whole);
    while (at < whole) { drop(board, at); at++; route = null; }
    share = countDueDrops() % 1;
    draw();
    if (at !== before) showStatus();
    requestAnimationFrame(tick);
  }
  function tick(now) {
    if (!playing) return;
    if (data.minute !== undefined) { followClock(); return; }
    // A slideshow shows each picture for a while.
    if (now < waits) { clock = now; requestAnimationFrame(tick); return; }
    if (at === N) seekTo(0);
    const passed = clock ? Math.min(.25, (now - clock) / 1000) : 0;
    clock = now;
    let todo = share + passed * speed;
    const before = at;
    while (todo >= 1 && at < N) {
      drop(board, at); at++; route = null; todo -= 1;
      if (stops.has(at)) { waits = now + 1000 * data.hold; todo = 0; }
    }
    share = at < N ? todo : 0;
    draw();
    if (at !== before) { showStatus(); sound(before, at); }
    if (at === N && !data.loops) { setPlaying(false); return; }
    requestAnimationFrame(tick);
  }
  function go(n) {
    seekTo(Math.max(0, Math.min(N, n)));
    if (playing && at === N) setPlaying(false); else { show(); announce(); }
  }
  function pause() { if (playing) setPlaying(false); }
  const passStart = p => p > 0 ? passEnd[Math.min(p, passEnd.length) - 1] : 0;
  const goPass = p => go(passStart(Math.max(0, p)));
  const actions = {
    start: () => { pause(); go(0); },
    "pass-back": () => goPass(at > passStart(passOf[at]) && at < N ? passOf[at] : at === N ? passOf[N] : passOf[at] - 1),
    back: () => { pause(); go(falling() ? at : at - 1); },
    play: () => setPlaying(!playing),
    step: () => { pause(); go(at + 1); },
    "pass-on": () => go(N ? passEnd[passOf[at]] : 0),
    end: () => { pause(); go(N); },
    bevel: () => { bevel = !bevel; keep({ bevel }); look(); },
    grid: () => { grid = !grid; keep({ grid }); fit(); },
    sound() {
      if (audio) { audio.close(); audio = null; } else if (window.AudioContext) audio = new AudioContext();
      $("sound").setAttribute("aria-pressed", audio !== null);
    },
    async link() {
      const here = location.href.replace(/#.*/, "") + "#drop=" + at;
      try { history.replaceState(null, "", "#drop=" + at); } catch { /* some viewers forbid it */ }
      try { await navigator.clipboard.writeText(here); note(t("Link to drop {at} copied.", { at })); }
      catch { note(t("The address of this page leads to drop {at} now: copy it there.", { at })); }
    },
    save() {
      pause();
      const a = document.createElement("a");
      a.href = $("board").toDataURL("image/png");
      a.download = (document.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "print") + (at < N ? "-" + at : "") + ".png";
      a.click();
      note(t("Saved as {name}.", { name: a.download }));
    },
    theme: () => {
      const root = document.documentElement;
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      keep({ theme: root.dataset.theme = dark ? "light" : "dark" });
      show();
    },
  };
  // A page in a blob has no address that a link could lead to.
  $("link").hidden = location.protocol === "blob:";
  let noted = 0;
  function note(text) {
    $("note").textContent = text; $("note").hidden = false; $("status").textContent = text;
    clearTimeout(noted);
    noted = setTimeout(() => { $("note").hidden = true; }, 4000);
  }
  for (const [id, act] of Object.entries(actions)) $(id).addEventListener("click", e => {
    act();
    // A clicked button loses the focus, so that the space bar plays or pauses.
    if (e.detail) e.currentTarget.blur();
  });
  $("board").addEventListener("click", actions.play);
  $("seek").addEventListener("input", e => go(+e.target.value));
  $("seek-pass").addEventListener("input", e => goPass(+e.target.value));

  // Speed: 0 to 100 on the slider is half a drop to 500 drops a second.
  const slow = .5, fast = 500;
  const toSpeed = v => slow * (fast / slow) ** (v / 100);
  function setSpeed(value) {
    const v = Math.max(0, Math.min(100, value));
    $("speed").value = v;
    speed = toSpeed(v);
    const text = speed < 10 ? speed.toFixed(1).replace(/\.0$/, "") : String(Math.round(speed));
    $("speed-text").textContent = t("{speed} drops/s", { speed: text });
    $("speed").setAttribute("aria-valuetext", t("{speed} drops a second", { speed: text }));
  }
  const chooseSpeed = v => { setSpeed(v); keep({ speed }); };
  $("speed").addEventListener("input", e => chooseSpeed(+e.target.value));

  const keys = {
    " ": "play", k: "play", ArrowLeft: "back", ArrowRight: "step", ArrowUp: "pass-on", ArrowDown: "pass-back",
    PageUp: "pass-on", PageDown: "pass-back", Home: "start", End: "end", b: "bevel", g: "grid", t: "theme",
    l: "link", s: "save", m: "sound",
  };
  addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    // A focused slider keeps its own keys, a focused button its space bar.
    if (e.target.matches("input") && key !== " ") { if (/^(Arrow|Page|Home|End)/.test(key)) return; }
    if (e.target.matches("button, summary") && (key === " " || key === "Enter")) return;
    if (key === "+" || key === "=") chooseSpeed(+$("speed").value + 5);
    else if (key === "-") chooseSpeed(+$("speed").value - 5);
    else if (keys[key]) { if (!$(keys[key]).disabled) actions[keys[key]](); }
    else return;
    e.preventDefault();
  });

  // ---- Looks and sizes: as many whole device pixels per square as fit on the page.
  function look() {
    $("bevel").setAttribute("aria-pressed", bevel); $("grid").setAttribute("aria-pressed", grid);
    for (let type = 0; type < colors.length; type++) tiles[type] = makeTile(type, scale);
    drawn.fill(0);
    show();
  }
  function fit() {
    drawNext();  // its size counts below
    const ratio = devicePixelRatio || 1, main = document.querySelector("main"), style = getComputedStyle(main);
    // The figures are beside the board, or above it on a phone that is held upright.
    const aside = document.querySelector("aside"), above = style.flexDirection === "column";
    const wide = main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) -
      (above ? 0 : aside.offsetWidth + parseFloat(style.columnGap));
    const high = main.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom) -
      (above ? aside.offsetHeight + parseFloat(style.rowGap) : 0);
    scale = Math.max(1, Math.floor(Math.min((wide - grid / ratio) / W, (high - grid / ratio) / H) * ratio));
    const canvas = $("board"), closed = grid && scale >= 3 ? 1 : 0;
    canvas.width = W * scale + closed; canvas.height = H * scale + closed;
    canvas.style.width = canvas.width / ratio + "px"; canvas.style.height = canvas.height / ratio + "px";
    look();
  }
  addEventListener("resize", fit);

  $("summary").textContent = `${n(N, "drop|drops")}, ${n(lines[N], "line|lines")}, ` +
    t("board {width} × {height}", { width: W, height: H });
  $("seek").max = N; $("seek-pass").max = passes.length;
  // With a single pass, the slider for passes has no use.
  for (const e of document.querySelectorAll(".by-pass")) e.hidden = passes.length < 2;
  if (kept.speed > 0) speed = kept.speed;
  setSpeed(100 * Math.log(speed / slow) / Math.log(fast / slow));
  if (["light", "dark"].includes(kept.theme)) document.documentElement.dataset.theme = kept.theme;
  // page.html#drop=120 opens there; without it the print begins at once, unless the
  // reader prefers less motion.
  const findRequestedDrop = () => { const found = /^#drop=(\d+)$/.exec(location.hash); return found ? Math.min(N, +found[1]) : -1; };
  addEventListener("hashchange", () => { if (findRequestedDrop() >= 0) { pause(); go(findRequestedDrop()); } });
  const requestedDrop = findRequestedDrop();
  seekTo(data.minute !== undefined && requestedDrop < 0 ? Math.floor(countDueDrops()) : Math.max(0, requestedDrop));
  fit();
  if (data.autoplay && requestedDrop < 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches) setPlaying(true);
}
