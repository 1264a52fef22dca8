// The panel for the colours of pieces: drag a colour onto a piece, or select it and press the piece.
import { $, PIECES, drawPiece } from "./common.js";

export function makeTypesPanel(onChange) {
  const chips = $("chips"), pieces = $("pieces");
  let types = {}, isCustom = false, chosenColor = null, colors = [], autoTypes = {};

  const reportTypes = () => {
    const pairs = Object.entries(types).filter(([, color]) => color);
    onChange(pairs.length ? pairs.map(([piece, color]) => `${piece}=${color}`).join(",") : "auto");
  };
  function setPieceColor(piece, color) {
    if (!isCustom) { types = { ...autoTypes }; isCustom = true; }
    if (color) types[piece] = color; else delete types[piece];
    reportTypes();
  }
  $("types-auto").addEventListener("click", () => { isCustom = false; types = {}; chosenColor = null; onChange("auto"); });

  for (const name of Object.keys(PIECES)) {
    const button = document.createElement("button"), canvas = document.createElement("canvas"), label = document.createElement("span");
    button.type = "button"; button.className = "piece"; button.dataset.piece = name; label.textContent = name;
    button.append(canvas, label); drawPiece(canvas, name);
    button.addEventListener("click", () => { if (chosenColor !== null) setPieceColor(name, chosenColor); });
    pieces.append(button);
  }

  function makeChip(color) {
    const chip = document.createElement("button");
    chip.type = "button"; chip.className = "chip"; chip.dataset.color = color;
    if (color) chip.style.background = "#" + color;
    else chip.innerHTML = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18"/></svg>';
    chip.setAttribute("aria-label", color ? `colour ${color}` : "no colour");
    chip.setAttribute("aria-pressed", chosenColor === color);
    chip.addEventListener("click", () => { chosenColor = chosenColor === color ? null : color; markChosenChip(); });
    let dragImage = null, dragStart = null;
    chip.addEventListener("pointerdown", e => { dragStart = [e.clientX, e.clientY]; chip.setPointerCapture(e.pointerId); });
    chip.addEventListener("pointermove", e => {
      if (!dragStart || (!dragImage && Math.hypot(e.clientX - dragStart[0], e.clientY - dragStart[1]) < 6)) return;
      if (!dragImage) { dragImage = chip.cloneNode(true); dragImage.classList.add("fly"); dragImage.setAttribute("aria-hidden", "true"); document.body.append(dragImage); }
      dragImage.style.left = e.clientX + "px"; dragImage.style.top = e.clientY + "px";
      for (const piece of pieces.children) piece.classList.toggle("over", piece === findPieceUnder(e));
    });
    const endDrag = e => {
      const piece = dragImage && e.type === "pointerup" ? findPieceUnder(e) : null;
      if (dragImage) { dragImage.remove(); for (const other of pieces.children) other.classList.remove("over"); }
      dragImage = dragStart = null;
      if (piece) setPieceColor(piece.dataset.piece, color);
    };
    chip.addEventListener("pointerup", endDrag); chip.addEventListener("pointercancel", endDrag);
    return chip;
  }
  const findPieceUnder = e => document.elementFromPoint(e.clientX, e.clientY)?.closest(".piece");
  function markChosenChip() { for (const chip of chips.children) chip.setAttribute("aria-pressed", chip.dataset.color === chosenColor); }

  function show(preview, value) {
    isCustom = value !== "auto";
    if (isCustom) types = Object.fromEntries(value.split(",").map(pair => pair.split("=")));
    autoTypes = preview.types;
    const newColors = [...(preview.repaired || preview.picture).colors].slice(0, 12);
    if (preview.background && !newColors.includes(preview.background)) newColors.push(preview.background);
    if (String(newColors) !== String(colors) || chips.childElementCount !== newColors.length + 1) {
      colors = newColors;
      if (!colors.includes(chosenColor)) chosenColor = null;
      chips.replaceChildren(...colors.map(makeChip), makeChip(""));
    }
    const shownTypes = isCustom ? types : autoTypes;
    for (const button of pieces.children) {
      const name = button.dataset.piece, color = shownTypes[name];
      drawPiece(button.firstChild, name, color && "#" + color);
      button.setAttribute("aria-label", color ? `piece ${name}: colour ${color}` : `piece ${name}: no colour`);
      button.classList.toggle("quiet", !isCustom);
    }
    $("types-auto").hidden = !isCustom;
  }
  return { show };
}
