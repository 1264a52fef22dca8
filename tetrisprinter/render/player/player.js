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

  // Return a number with the right form of its word: "drop|drops".
  const n = (number, words) => `${number} ${words.split("|")[number === 1 ? 0 : 1]}`;

  // ---- The game. A square holds 1 + the index of its drop, which gives its type, its colour and
  // the time at which it was printed.
  const shapeOf = i => shapes[Math.floor(drops[i] / W)];
  const columnOf = i => drops[i] % W;
  // A square of the start board holds 1 + the number of all drops + its type.
  const typeOf = square => square > N ? square - N - 1 : square ? shapeOf(square - 1).type : 0;
  const startBoard = data.start || [], stops = new Set(data.stops || []);

  function findLandingRow(board, i) {
    const shape = shapeOf(i), x = columnOf(i), path = slides[i];
    if (path) return path[path.length - 1][2];
    let y = 0;
    for (const [dx, dy] of shape.cells) {
      let top = H;
      while (top > 0 && !board[(top - 1) * W + x + dx]) top--;
      y = Math.max(y, top - dy);
    }
    return y;
  }
  function placePiece(board, i, y) {
    for (const [dx, dy] of shapeOf(i).cells) board[(y + dy) * W + columnOf(i) + dx] = i + 1;
  }
  function findFullRows(board) {
    const full = [];
    for (let y = 0; y < H; y++) {
      let x = 0;
      while (x < W && board[y * W + x]) x++;
      if (x === W) full.push(y);
    }
    return full;
  }
  function clearRows(board, full) {
    for (const y of full.slice().reverse()) {
      board.copyWithin(y * W, (y + 1) * W);
      board.fill(0, (H - 1) * W);
    }
  }
  function dropPiece(board, i) {
    placePiece(board, i, findLandingRow(board, i));
    const full = findFullRows(board);
    clearRows(board, full);
    return full.length;
  }

  // Play the whole game once. Store snapshots of the board for seeking, the lines so far, and the
  // final picture; in a slideshow the picture at every stop.
  const SNAPSHOT_INTERVAL = 64, snapshots = [], lines = new Int32Array(N + 1);
  const passOf = new Int32Array(N + 1), passEnds = [];
  {
    let end = 0;
    for (const [p, size] of passes.entries()) { passOf.fill(p, end, end + size); passEnds.push(end += size); }
    passOf[N] = Math.max(0, passes.length - 1);
  }
  const board = new Int32Array(W * H);
  startBoard.forEach((type, i) => { if (type) board[i] = N + 1 + type; });
  const isVisible = s => s > 0 && visible[typeOf(s)];
  const picture = { left: W, right: -1, top: -1 };
  const rowsOf = passes.map(() => []), scenes = [];
  function recordScene(end) {
    const firstDrop = scenes.length ? scenes[scenes.length - 1].end : 0;
    scenes.push({ end, squares: board.slice() });
    for (let y = 0; y < H; y++) for (let x = 0; x < W; x++) {
      const square = board[y * W + x];
      if (!isVisible(square)) continue;
      picture.left = Math.min(picture.left, x); picture.right = Math.max(picture.right, x); picture.top = Math.max(picture.top, y);
      if (square > N || square <= firstDrop) continue;  // it was there before this scene
      const rows = rowsOf[passOf[square - 1]];
      if (rows[rows.length - 1] !== y) rows.push(y);
    }
  }
  for (let i = 0; i < N; i++) {
    if (i % SNAPSHOT_INTERVAL === 0) snapshots.push(board.slice());
    lines[i + 1] = lines[i] + dropPiece(board, i);
    if (i + 1 === N || stops.has(i + 1)) recordScene(i + 1);
  }
  if (!N) recordScene(0);
  if (N % SNAPSHOT_INTERVAL === 0) snapshots.push(board.slice());

  // ---- The current position: `at` drops are done, and `share` of the next one has been played.
  let at = 0, share = 0, playing = false, bevel = data.bevel, grid = data.grid, scale = 8;
  let speed = data.speed;
  // The user's last choices; a sandboxed frame, for example, cannot store them.
  const STORAGE_KEY = "tetrisprinter.player";
  const stored = (() => { try { return JSON.parse(localStorage.getItem(STORAGE_KEY)) || {}; } catch { return {}; } })();
  function storeChoices(changes) {
    Object.assign(stored, changes);
    try { localStorage.setItem(STORAGE_KEY, JSON.stringify(stored)); } catch { /* storage is blocked */ }
  }
  if (typeof stored.bevel === "boolean") bevel = stored.bevel;
  if (typeof stored.grid === "boolean") grid = stored.grid;
  // At more drops a second than this, a falling piece would be only a flicker.
  const FLICKER_SPEED = 15;
  const isFalling = () => share > 0 && at < N && speed <= FLICKER_SPEED;
  function seekTo(n) {
    const k = Math.floor(n / SNAPSHOT_INTERVAL);
    board.set(snapshots[k]);
    for (let i = k * SNAPSHOT_INTERVAL; i < n; i++) dropPiece(board, i);
    at = n; share = 0; route = null;
  }

  // ---- How the next piece gets there: the player's key presses, with positions.
  let route = null;
  function planRoute(i) {
    const path = slides[i];
    if (path) {
      const y = findLandingRow(board, i), locked = board.slice();
      placePiece(locked, i, y);
      return { steps: path.map(([s, x, y]) => [shapes[s], x, y]), y, shape: shapeOf(i), x: columnOf(i), locked, full: findFullRows(locked) };
    }
    const shape = shapeOf(i), states = shapes.filter(s => s.type === shape.type);
    const [extraRows, keys] = detours[i] || [0, null];
    let turn = 0, x = W >> 1, y = H - 1 + extraRows;
    const steps = [];
    const addStep = () => { const s = states[turn]; steps.push([s, x - s.center[0], y - s.center[1]]); };
    addStep();
    const pressKey = key => {
      if (key === "c") turn = (turn + 1) % states.length;
      if (key === "k") turn = (turn + states.length - 1) % states.length;
      x += (key === "r") - (key === "l"); y -= key === "d";
      addStep();
    };
    if (keys !== null) for (const key of keys) pressKey(key);
    else {
      const turns = states.indexOf(shape), shift = columnOf(i) + shape.center[0] - x;
      for (const key of turns === 3 ? "k" : "c".repeat(turns)) pressKey(key);
      for (const key of (shift > 0 ? "r" : "l").repeat(Math.abs(shift))) pressKey(key);
    }
    const landingRow = findLandingRow(board, i), locked = board.slice();
    placePiece(locked, i, landingRow);
    return { steps, y: landingRow, shape, x: columnOf(i), locked, full: findFullRows(locked) };
  }

  // ---- Drawing, in device pixels.
  const boardContext = $("board").getContext("2d"), tiles = [];
  // A type that the finished picture does not show has a line around each of its squares.
  const isUnseen = type => data.unseen.includes(type);
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
    if (isUnseen(type) && data.outlined && s >= data.outlined) {
      c.fillStyle = shades[3];
      c.fillRect(0, 0, s, 1); c.fillRect(0, 0, 1, s); c.fillRect(0, s - 1, s, 1); c.fillRect(s - 1, 0, 1, s);
    }
    if (grid && s >= 3) { c.fillStyle = data.line; c.fillRect(0, 0, s, 1); c.fillRect(0, 0, 1, s); }
    return tile;
  }
  function drawTile(c, s, type, x, y, height) {
    c.drawImage(tiles[type], Math.round(x * s), height - s - Math.round(y * s));
  }
  // What each square of the canvas shows: only those that change are drawn again.
  const drawnLooks = new Int32Array(W * H);
  const markForRedraw = (x, y) => { if (x >= 0 && x < W && y >= 0 && y < H) drawnLooks[y * W + x] = 0; };
  function draw() {
    const s = scale, height = H * s, isFinal = at === N || stops.has(at) && !isFalling();
    let squares = board, piece = null, clearedWidth = 0;
    if (isFalling()) {
      route = route || planRoute(at);
      const landingShare = route.full.length ? .75 : 1;
      if (share >= landingShare) { squares = route.locked; clearedWidth = (share - landingShare) / (1 - landingShare) * (W / 2 + 1); }
      else if (share < .4) {
        const position = share / .4 * (route.steps.length - 1), k = Math.floor(position), fraction = position - k;
        const a = route.steps[k], b = route.steps[Math.min(k + 1, route.steps.length - 1)];
        piece = a[0] === b[0] ? [a[0], a[1] + fraction * (b[1] - a[1]), a[2] + fraction * (b[2] - a[2])] : b;
      } else {
        const top = route.steps[route.steps.length - 1], f = ((share - .4) / (landingShare - .4)) ** 2;
        piece = [top[0], top[1], top[2] + f * (route.y - top[2])];
      }
    }
    const hasLines = !(grid && s >= 3) && !isFinal && data.outlined && s >= data.outlined && !clearedWidth;
    for (let y = 0; y < H; y++) {
      const isClearing = clearedWidth && route.full.includes(y);
      for (let x = 0; x < W; x++) {
        const k = y * W + x, square = squares[k];
        let type = typeOf(square);
        if (isFinal && !visible[type]) type = 0;
        if (isClearing && Math.abs(x + .5 - W / 2) < clearedWidth) type = 0;
        // A line left of and above every square that touches another piece there.
        const left = hasLines && square && x && squares[k - 1], above = hasLines && square && y + 1 < H && squares[k + W];
        const hasLeft = left && left !== square, hasAbove = above && above !== square;
        const look = 1 + (hasLeft ? 1 : 0) + (hasAbove ? 2 : 0) + 4 * type;
        if (drawnLooks[k] === look) continue;
        drawnLooks[k] = look;
        drawTile(boardContext, s, type, x, y, height);
        boardContext.fillStyle = colors[type][3];
        if (hasLeft) boardContext.fillRect(x * s, height - (y + 1) * s, 1, s);
        if (hasAbove) boardContext.fillRect(x * s, height - (y + 1) * s, s, 1);
      }
    }
    if (grid && s >= 3) {  // grid lines are the squares' left and upper edges; these close the board
      boardContext.fillStyle = data.line;
      boardContext.fillRect(0, height, W * s + 1, 1); boardContext.fillRect(W * s, 0, 1, height);
    }
    // Frames mark the last and the next piece, unless they come faster than the eye can follow.
    const marksPieces = !isFinal && (!playing || speed <= FLICKER_SPEED);
    if (marksPieces && at > 0 && squares === board) {
      drawFrame(findCells(at), s, height, "#fff", Math.max(1, Math.round(s / 12)), "#000");
    }
    if (marksPieces && !clearedWidth && squares === board) {
      const shape = shapeOf(at), x = columnOf(at), y = isFalling() ? route.y : findLandingRow(board, at);
      drawFrame(shape.cells.map(([dx, dy]) => [x + dx, y + dy]), s, height, colors[shape.type][isUnseen(shape.type) ? 3 : 0], Math.max(1, Math.round(s / 7)));
    }
    if (piece) for (const [dx, dy] of piece[0].cells) {
      const x = piece[1] + dx, y = piece[2] + dy;
      drawTile(boardContext, s, piece[0].type, x, y, height);
      for (const u of [Math.floor(x), Math.ceil(x)]) for (const v of [Math.floor(y), Math.ceil(y)]) markForRedraw(u, v);
    }
  }
  function findCells(square) {
    const cells = [];
    for (let i = 0; i < W * H; i++) if (board[i] === square) cells.push([i % W, Math.floor(i / W)]);
    return cells;
  }
  // A frame inside the outline of some squares, with a thin line of another colour within it.
  function drawFrame(cells, s, height, color, thickness, innerColor) {
    const isInside = (x, y) => cells.some(c => c[0] === x && c[1] === y);
    const drawEdges = (c, from, to) => {
      boardContext.fillStyle = c;
      for (const [x, y] of cells) {
        const l = x * s, t = height - (y + 1) * s, lineWidth = to - from;
        const isOpen = (dx, dy) => !isInside(x + dx, y + dy);
        if (isOpen(-1, 0)) boardContext.fillRect(l + from, t, lineWidth, s);
        if (isOpen(1, 0)) boardContext.fillRect(l + s - to, t, lineWidth, s);
        if (isOpen(0, 1)) boardContext.fillRect(l, t + from, s, lineWidth);
        if (isOpen(0, -1)) boardContext.fillRect(l, t + s - to, s, lineWidth);
        // The corners of squares that lie inside an angle of the outline.
        for (const dx of [-1, 1]) for (const dy of [-1, 1])
          if (!isOpen(dx, 0) && !isOpen(0, dy) && isOpen(dx, dy))
            boardContext.fillRect(dx < 0 ? l : l + s - to, dy > 0 ? t : t + s - to, to, to);
      }
    };
    if (innerColor && s >= 8) drawEdges(innerColor, thickness, thickness + 1);
    drawEdges(color, 0, thickness);
    for (const [x, y] of cells) markForRedraw(x, y);
  }
  function drawNext() {
    const canvas = $("next"), ratio = devicePixelRatio || 1, s = Math.round(14 * ratio);
    // On the field's colour, for which the colours of the pieces were chosen.
    canvas.width = 5 * s; canvas.height = 3 * s;
    canvas.style.width = 5 * s / ratio + "px"; canvas.style.height = 3 * s / ratio + "px";
    canvas.style.background = colors[0][0];
    // A falling piece is the current one, so show the piece after it.
    const next = isFalling() || playing && speed <= FLICKER_SPEED ? at + 1 : at;
    if (next >= N) { canvas.setAttribute("aria-label", "No next piece"); return; }
    const spawn = shapes.find(shape => shape.type === shapeOf(next).type), c = canvas.getContext("2d");
    const width = 1 + Math.max(...spawn.cells.map(p => p[0])), height = 1 + Math.max(...spawn.cells.map(p => p[1]));
    const oldGrid = grid; grid = false;
    const tile = makeTile(spawn.type, s);
    grid = oldGrid;
    for (const [dx, dy] of spawn.cells)
      c.drawImage(tile, Math.round(((5 - width) / 2 + dx) * s), Math.round(((3 + height) / 2 - dy - 1) * s));
    canvas.setAttribute("aria-label", `Next piece: ${data.names[spawn.type]}`);
  }
  let drawnPicture = null;  // what each square of the small picture shows
  function drawPicture() {
    const canvas = $("picture"), c = canvas.getContext("2d");
    const columnCount = picture.right - picture.left + 1, rowCount = picture.top + 1;
    canvas.hidden = columnCount < 1;
    if (columnCount < 1) return;
    const ratio = devicePixelRatio || 1, maxWidth = canvas.parentElement.clientWidth - 40;
    if (maxWidth <= 0) return;  // a small screen shows no picture so far
    const s = Math.max(1, Math.floor(Math.min(maxWidth / columnCount, innerHeight * .26 / rowCount) * ratio));
    const bar = Math.round(6 * ratio), mark = Math.round(4 * ratio);
    if (!drawnPicture || canvas.width !== columnCount * s + 2 * bar || canvas.height !== rowCount * s) {
      canvas.width = columnCount * s + 2 * bar; canvas.height = rowCount * s;
      drawnPicture = new Int32Array(columnCount * rowCount);
    }
    canvas.style.width = canvas.width / ratio + "px"; canvas.style.height = canvas.height / ratio + "px";
    const { squares } = scenes.find(scene => at <= scene.end);
    for (let y = 0; y < rowCount; y++) for (let x = 0; x < columnCount; x++) {
      const square = squares[y * W + picture.left + x], type = isVisible(square) ? typeOf(square) : 0, isPlaced = square <= at || square > N;
      const look = 1 + (type && isPlaced ? 1 : 0) + 2 * type;
      if (drawnPicture[y * columnCount + x] === look) continue;
      drawnPicture[y * columnCount + x] = look;
      for (const [shown, alpha] of [[0, 1], [type, isPlaced ? 1 : .22]]) {
        c.globalAlpha = alpha; c.fillStyle = colors[shown][0];
        c.fillRect(bar + x * s, (rowCount - 1 - y) * s, s, s);
      }
    }
    c.clearRect(0, 0, bar, canvas.height); c.clearRect(canvas.width - bar, 0, bar, canvas.height);
    c.globalAlpha = 1; c.fillStyle = getComputedStyle(canvas).color;
    if (at < N) for (const y of rowsOf[passOf[at]]) {
      c.fillRect(0, (rowCount - 1 - y) * s, mark, s); c.fillRect(canvas.width - mark, (rowCount - 1 - y) * s, mark, s);
    }
  }
  function describeRows() {
    if (at === N) return "done";
    const rows = rowsOf[passOf[at]];
    if (!rows.length) return "support";
    const low = rows[0] + 1, high = rows[rows.length - 1] + 1;
    return low === high ? `row ${low}` : `rows ${low}–${high}`;
  }
  function showStatus() {
    const pass = N ? passOf[at] + 1 : 0;
    $("n-drop").textContent = at; $("of-drop").textContent = `of ${N}`;
    $("n-line").textContent = lines[at]; $("of-line").textContent = `of ${lines[N]}`;
    $("n-pass").textContent = pass; $("of-pass").textContent = `of ${passes.length}`;
    $("n-row").textContent = describeRows();
    if (data.keys) $("n-keys").textContent = at < N ? formatKeys(data.keys[at]) : "nothing more";
    if (data.dealt) $("n-dealt").textContent = at < N ? data.dealt[at] : "nothing more";
    const seek = $("seek"), byPass = $("seek-pass");
    seek.value = at; seek.setAttribute("aria-valuetext", `drop ${at} of ${N}`);
    byPass.value = at === N ? passes.length : passOf[at];
    byPass.setAttribute("aria-valuetext", `pass ${pass} of ${passes.length}`);
    for (const id of ["start", "back", "pass-back"]) $(id).disabled = at === 0 && !isFalling();
    for (const id of ["end", "step", "pass-on"]) $(id).disabled = at === N;
    $("board").setAttribute("aria-label", `The board after drop ${at} of ${N}`);
    drawNext(); drawPicture();
  }
  function announce() {
    $("status").textContent = `${playing ? "Playing" : "Paused"}: drop ${at} of ${N}, lines ${lines[at]}, pass ${passOf[at] + 1}, ${at === N ? "done" : "printing" + " " + describeRows()}`;
  }
  // The keys that a player presses for the next piece, if the page contains them.
  function formatKeys(keys) {
    const signs = { left: "\u2190", right: "\u2192", down: "\u2193", cw: "\u21bb", ccw: "\u21ba", drop: "drop" };
    return keys.split(" ").map(key => signs[key] || key).join(" ");
  }
  document.querySelector(".dealt").hidden = !data.dealt;
  for (const one of document.querySelectorAll(".press")) one.hidden = !data.keys;

  function showAll() { draw(); showStatus(); }

  // ---- Sound, which is off until the user turns it on: a short tone for a piece, a chord for full rows.
  let audio = null, lastSound = 0;
  function playTone(pitch, seconds, volume) {
    const oscillator = audio.createOscillator(), gain = audio.createGain(), now = audio.currentTime;
    oscillator.type = "triangle"; oscillator.frequency.value = pitch;
    gain.gain.setValueAtTime(volume, now);
    gain.gain.exponentialRampToValueAtTime(.0001, now + seconds);
    oscillator.connect(gain).connect(audio.destination);
    oscillator.start(now); oscillator.stop(now + seconds);
  }
  function playSound(from, to) {
    const rows = lines[to] - lines[from];
    if (!audio || to <= from || !rows && performance.now() - lastSound < 50) return;
    lastSound = performance.now();
    // Each type has a note of a pentatonic scale; more rows sound higher.
    if (!rows) playTone([220, 247, 277, 330, 370, 440, 494][typeOf(to) % 7], .08, .05);
    else for (const third of [1, 1.26, 1.5]) playTone(440 * third * (1 + .12 * (rows - 1)), .35, .05);
  }

  // ---- Playing.
  function setPlaying(on) {
    if (on && at === N) seekTo(0);
    playing = on && N > 0; clock = 0;
    $("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    $("play-icon").setAttribute("d", playing ? "M6 5h4.3v14H6zM13.7 5H18v14h-4.3z" : "M7 4.5v15l13-7.5z");
    if (playing) requestAnimationFrame(playFrame);
    showAll(); announce();
  }
  let clock = 0, waitEnd = 0;
  // In a clock: return how many drops are due at this time of day. Each picture is complete when its
  // minute begins; outside of the planned minutes all drops are due.
  const MINUTE = 60, DAY = 86400, USUAL_PACE = 4, SPARE_SECONDS = .5;
  function countDueDrops() {
    const date = new Date(Date.now()), midnight = new Date(date).setHours(0, 0, 0, 0);
    const seconds = ((date - midnight) / 1000 - data.minute * MINUTE + DAY) % DAY;
    const k = Math.floor(seconds / MINUTE);
    if (k >= data.stops.length - 1) return N;
    const firstDrop = data.stops[k], dropCount = data.stops[k + 1] - firstDrop;
    const dropsPerSecond = Math.max(USUAL_PACE, dropCount / (MINUTE - 2 * SPARE_SECONDS));
    const printed = (seconds % MINUTE - (MINUTE - SPARE_SECONDS - dropCount / dropsPerSecond)) * dropsPerSecond;
    return firstDrop + Math.max(0, Math.min(dropCount, printed));
  }
  function followClock() {
    const dueDrops = Math.floor(countDueDrops()), oldAt = at;
    if (dueDrops < at || dueDrops > at + SNAPSHOT_INTERVAL) seekTo(dueDrops);
    while (at < dueDrops) { dropPiece(board, at); at++; route = null; }
    share = countDueDrops() % 1;
    draw();
    if (at !== oldAt) showStatus();
    requestAnimationFrame(playFrame);
  }
  function playFrame(now) {
    if (!playing) return;
    if (data.minute !== undefined) { followClock(); return; }
    // A slideshow shows each picture for a while.
    if (now < waitEnd) { clock = now; requestAnimationFrame(playFrame); return; }
    if (at === N) seekTo(0);
    const seconds = clock ? Math.min(.25, (now - clock) / 1000) : 0;
    clock = now;
    let dueDrops = share + seconds * speed;
    const oldAt = at;
    while (dueDrops >= 1 && at < N) {
      dropPiece(board, at); at++; route = null; dueDrops -= 1;
      if (stops.has(at)) { waitEnd = now + 1000 * data.hold; dueDrops = 0; }
    }
    share = at < N ? dueDrops : 0;
    draw();
    if (at !== oldAt) { showStatus(); playSound(oldAt, at); }
    if (at === N && !data.loops) { setPlaying(false); return; }
    requestAnimationFrame(playFrame);
  }
  function goToDrop(n) {
    seekTo(Math.max(0, Math.min(N, n)));
    if (playing && at === N) setPlaying(false); else { showAll(); announce(); }
  }
  function pause() { if (playing) setPlaying(false); }
  const passStart = p => p > 0 ? passEnds[Math.min(p, passEnds.length) - 1] : 0;
  const goToPass = p => goToDrop(passStart(Math.max(0, p)));
  const actions = {
    start: () => { pause(); goToDrop(0); },
    "pass-back": () => goToPass(at > passStart(passOf[at]) && at < N ? passOf[at] : at === N ? passOf[N] : passOf[at] - 1),
    back: () => { pause(); goToDrop(isFalling() ? at : at - 1); },
    play: () => setPlaying(!playing),
    step: () => { pause(); goToDrop(at + 1); },
    "pass-on": () => goToDrop(N ? passEnds[passOf[at]] : 0),
    end: () => { pause(); goToDrop(N); },
    bevel: () => { bevel = !bevel; storeChoices({ bevel }); applyLook(); },
    grid: () => { grid = !grid; storeChoices({ grid }); fitBoard(); },
    sound() {
      if (audio) { audio.close(); audio = null; } else if (window.AudioContext) audio = new AudioContext();
      $("sound").setAttribute("aria-pressed", audio !== null);
    },
    async link() {
      const address = location.href.replace(/#.*/, "") + "#drop=" + at;
      try { history.replaceState(null, "", "#drop=" + at); } catch { /* some viewers forbid it */ }
      try { await navigator.clipboard.writeText(address); showNote(`Link to drop ${at} copied.`); }
      catch { showNote(`The address of this page leads to drop ${at} now: copy it there.`); }
    },
    save() {
      pause();
      const a = document.createElement("a");
      a.href = $("board").toDataURL("image/png");
      a.download = (document.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "print") + (at < N ? "-" + at : "") + ".png";
      a.click();
      showNote(`Saved as ${a.download}.`);
    },
    theme: () => {
      const root = document.documentElement;
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      storeChoices({ theme: root.dataset.theme = dark ? "light" : "dark" });
      showAll();
    },
  };
  // A page in a blob has no address that a link could lead to.
  $("link").hidden = location.protocol === "blob:";
  let noteTimer = 0;
  function showNote(text) {
    $("note").textContent = text; $("note").hidden = false; $("status").textContent = text;
    clearTimeout(noteTimer);
    noteTimer = setTimeout(() => { $("note").hidden = true; }, 4000);
  }
  for (const [id, act] of Object.entries(actions)) $(id).addEventListener("click", e => {
    act();
    // A clicked button loses the focus, so that the space bar plays or pauses.
    if (e.detail) e.currentTarget.blur();
  });
  $("board").addEventListener("click", actions.play);
  $("seek").addEventListener("input", e => goToDrop(+e.target.value));
  $("seek-pass").addEventListener("input", e => goToPass(+e.target.value));

  // Speed: 0 to 100 on the slider is half a drop to 500 drops a second.
  const MIN_SPEED = .5, MAX_SPEED = 500;
  const toSpeed = v => MIN_SPEED * (MAX_SPEED / MIN_SPEED) ** (v / 100);
  function setSpeed(value) {
    const v = Math.max(0, Math.min(100, value));
    $("speed").value = v;
    speed = toSpeed(v);
    const text = speed < 10 ? speed.toFixed(1).replace(/\.0$/, "") : String(Math.round(speed));
    $("speed-text").textContent = `${text} drops/s`;
    $("speed").setAttribute("aria-valuetext", `${text} drops a second`);
  }
  const chooseSpeed = v => { setSpeed(v); storeChoices({ speed }); };
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
  function applyLook() {
    $("bevel").setAttribute("aria-pressed", bevel); $("grid").setAttribute("aria-pressed", grid);
    for (let type = 0; type < colors.length; type++) tiles[type] = makeTile(type, scale);
    drawnLooks.fill(0);
    showAll();
  }
  function fitBoard() {
    drawNext();  // its size counts below
    const ratio = devicePixelRatio || 1, main = document.querySelector("main"), style = getComputedStyle(main);
    // The figures are beside the board, or above it on a phone that is held upright.
    const aside = document.querySelector("aside"), above = style.flexDirection === "column";
    const maxWidth = main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) -
      (above ? 0 : aside.offsetWidth + parseFloat(style.columnGap));
    const maxHeight = main.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom) -
      (above ? aside.offsetHeight + parseFloat(style.rowGap) : 0);
    scale = Math.max(1, Math.floor(Math.min((maxWidth - grid / ratio) / W, (maxHeight - grid / ratio) / H) * ratio));
    const canvas = $("board"), edge = grid && scale >= 3 ? 1 : 0;
    canvas.width = W * scale + edge; canvas.height = H * scale + edge;
    canvas.style.width = canvas.width / ratio + "px"; canvas.style.height = canvas.height / ratio + "px";
    applyLook();
  }
  addEventListener("resize", fitBoard);

  $("summary").textContent = `${n(N, "drop|drops")}, ${n(lines[N], "line|lines")}, ` +
    `board ${W} × ${H}`;
  $("seek").max = N; $("seek-pass").max = passes.length;
  // With a single pass, the slider for passes has no use.
  for (const e of document.querySelectorAll(".by-pass")) e.hidden = passes.length < 2;
  if (stored.speed > 0) speed = stored.speed;
  setSpeed(100 * Math.log(speed / MIN_SPEED) / Math.log(MAX_SPEED / MIN_SPEED));
  if (["light", "dark"].includes(stored.theme)) document.documentElement.dataset.theme = stored.theme;
  // page.html#drop=120 opens there; without it the print begins at once, unless the
  // reader prefers less motion.
  const findRequestedDrop = () => { const match = /^#drop=(\d+)$/.exec(location.hash); return match ? Math.min(N, +match[1]) : -1; };
  addEventListener("hashchange", () => { if (findRequestedDrop() >= 0) { pause(); goToDrop(findRequestedDrop()); } });
  const requestedDrop = findRequestedDrop();
  seekTo(data.minute !== undefined && requestedDrop < 0 ? Math.floor(countDueDrops()) : Math.max(0, requestedDrop));
  fitBoard();
  if (data.autoplay && requestedDrop < 0 && !matchMedia("(prefers-reduced-motion: reduce)").matches) setPlaying(true);
}
