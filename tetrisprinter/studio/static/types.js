// The panel for the colours of pieces: drag a colour onto a piece, or select it and press the piece.
import { $, PIECES, paintPiece, t } from "./common.js";

export function typesPanel(change) {
  const chips = $("chips"), pieces = $("pieces");
  let types = {}, isCustom = false, chosen = null, colors = [], offered = {};

  const reportTypes = () => {
    const pairs = Object.entries(types).filter(([, color]) => color);
    change(pairs.length ? pairs.map(([piece, color]) => `${piece}=${color}`).join(",") : "auto");
  };
  function setPieceColor(piece, color) {
    if (!isCustom) { types = { ...offered }; isCustom = true; }
    if (color) types[piece] = color; else delete types[piece];
    reportTypes();
  }
  $("types-auto").addEventListener("click", () => { isCustom = false; types = {}; chosen = null; change("auto"); });

  for (const name of Object.keys(PIECES)) {
    const button = document.createElement("button"), canvas = document.createElement("canvas"), label = document.createElement("span");
    button.type = "button"; button.className = "piece"; button.dataset.piece = name; label.textContent = name;
    button.append(canvas, label); paintPiece(canvas, name);
    button.addEventListener("click", () => { if (chosen !== null) setPieceColor(name, chosen); });
    pieces.append(button);
  }

  function chip(color) {
    const made = document.createElement("button");
    made.type = "button"; made.className = "chip"; made.dataset.color = color;
    if (color) made.style.background = "#" + color;
    else made.innerHTML = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18"/></svg>';
    made.setAttribute("aria-label", color ? t("colour {color}", { color }) : t("no colour"));
    made.setAttribute("aria-pressed", chosen === color);
    made.addEventListener("click", () => { chosen = chosen === color ? null : color; mark(); });
    let fly = null, from = null;
    made.addEventListener("pointerdown", e => { from = [e.clientX, e.clientY]; made.setPointerCapture(e.pointerId); });
    made.addEventListener("pointermove", e => {
      if (!from || (!fly && Math.hypot(e.clientX - from[0], e.clientY - from[1]) < 6)) return;
      if (!fly) { fly = made.cloneNode(true); fly.classList.add("fly"); fly.setAttribute("aria-hidden", "true"); document.body.append(fly); }
      fly.style.left = e.clientX + "px"; fly.style.top = e.clientY + "px";
      for (const piece of pieces.children) piece.classList.toggle("over", piece === under(e));
    });
    const end = e => {
      const piece = fly && e.type === "pointerup" ? under(e) : null;
      if (fly) { fly.remove(); for (const one of pieces.children) one.classList.remove("over"); }
      fly = from = null;
      if (piece) setPieceColor(piece.dataset.piece, color);
    };
    made.addEventListener("pointerup", end); made.addEventListener("pointercancel", end);
    return made;
  }
  const under = e => document.elementFromPoint(e.clientX, e.clientY)?.closest(".piece");
  function mark() { for (const one of chips.children) one.setAttribute("aria-pressed", one.dataset.color === chosen); }

  function show(found, value) {
    isCustom = value !== "auto";
    if (isCustom) types = Object.fromEntries(value.split(",").map(pair => pair.split("=")));
    offered = found.types;
    const next = [...(found.repaired || found.picture).colors].slice(0, 12);
    if (found.background && !next.includes(found.background)) next.push(found.background);
    if (String(next) !== String(colors) || chips.childElementCount !== next.length + 1) {
      colors = next;
      if (!colors.includes(chosen)) chosen = null;
      chips.replaceChildren(...colors.map(chip), chip(""));
    }
    const shown = isCustom ? types : offered;
    for (const button of pieces.children) {
      const name = button.dataset.piece, color = shown[name];
      paintPiece(button.firstChild, name, color && "#" + color);
      button.setAttribute("aria-label", color ? t("piece {name}: colour {color}", { name, color }) : t("piece {name}: no colour", { name }));
      button.classList.toggle("quiet", !isCustom);
    }
    $("types-auto").hidden = !isCustom;
  }
  return { show };
}
