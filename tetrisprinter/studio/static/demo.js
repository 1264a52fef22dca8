// Plays a known game on a canvas, over and over, until the user chooses a picture.
const FALL_MILLISECONDS = 160, END_MILLISECONDS = 2500;

// Play the game of the player's data; return a function that ends it. A reader who asked for less
// motion sees the finished picture.
export function playDemo(canvas, data) {
  const { width, height, shapes, colors, visible, drops } = data, context = canvas.getContext("2d");
  const SCALE = 12, ratio = Math.min(2, devicePixelRatio || 1), size = SCALE * ratio;
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  canvas.width = width * size; canvas.height = height * size;
  canvas.style.width = width * SCALE + "px"; canvas.style.height = height * SCALE + "px";
  let board = new Uint8Array(width * height), next = 0, began = performance.now(), frame = 0;

  const listCells = (shape, x, y) => shape.cells.map(([dx, dy]) => [x + dx, y + dy]);
  function findLandingRow(shape, x) {
    for (let y = 0; ; y++) if (listCells(shape, x, y).every(([cx, cy]) => {
      for (let above = cy; above < height; above++) if (board[above * width + cx]) return false;
      return true;
    })) return y;
  }
  const getDrop = number => [shapes[Math.floor(drops[number] / width)], drops[number] % width];
  function land(number) {
    const [shape, x] = getDrop(number), y = findLandingRow(shape, x);
    for (const [cx, cy] of listCells(shape, x, y)) board[cy * width + cx] = shape.type;
    const rows = Array.from({ length: height }, (_, row) => board.slice(row * width, (row + 1) * width)).filter(row => row.includes(0));
    board = new Uint8Array(width * height);
    rows.forEach((row, k) => board.set(row, k * width));
  }
  function drawSquare(x, y, type) {
    context.fillStyle = colors[type][0];
    context.fillRect(x * size, (height - 1 - y) * size, size - ratio, size - ratio);
  }
  function draw(fallen, isOver) {
    context.fillStyle = colors[0][0]; context.fillRect(0, 0, canvas.width, canvas.height);
    board.forEach((type, k) => { if (type && (!isOver || visible[type])) drawSquare(k % width, Math.floor(k / width), type); });
    if (isOver) return;
    const [shape, x] = getDrop(next), end = findLandingRow(shape, x), start = height - 1;
    for (const [cx, cy] of listCells(shape, x, Math.round(start + (end - start) * fallen))) if (cy < height) drawSquare(cx, cy, shape.type);
  }
  function advance(now) {
    if (next === drops.length) {
      draw(0, true);
      if (now - began > END_MILLISECONDS) { board.fill(0); next = 0; began = now; }
    } else if (now - began >= FALL_MILLISECONDS) { land(next); next += 1; began = now; } else draw((now - began) / FALL_MILLISECONDS, false);
    frame = requestAnimationFrame(advance);
  }
  if (isStill) { while (next < drops.length) land(next++); draw(0, true); } else frame = requestAnimationFrame(advance);
  return () => cancelAnimationFrame(frame);
}
