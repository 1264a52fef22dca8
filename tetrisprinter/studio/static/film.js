// The slideshow dialog: the user orders the pictures of the queue, and one game prints them.
import { $, askJson, button, say, showIn, t, trying } from "./common.js";
import { listPictures, select } from "./jobs.js";

let order = [], dragged = null, chosen = { hold: "2", board: "", loop: false };

export function startFilm() {
  $("film").addEventListener("click", () => { order = listPictures(); build(); $("strip").showModal(); });
}
function build() {
  const dialog = $("strip");
  dialog.innerHTML = `<h2 id="h-strip">${t("Slideshow")}</h2>
    <p class="small quiet">${t("One game prints them one after the other. Drag them into their order, or move them with the buttons.")}</p>
    <ol class="queue strip" id="frames"></ol>
    <div class="field"><label for="film-hold">${t("Seconds for each picture")}</label><input type="number" id="film-hold" min="0.1" max="60" step="0.1"></div>
    <div class="field"><label for="film-board">${t("Board (empty: one that holds them all)")}</label><input type="text" id="film-board" maxlength="9" placeholder="21x42"></div>
    <div class="field"><span></span><label class="check"><input type="checkbox" id="film-loop"><span>${t("Loop back to the first picture")}</span></label></div>
    <div class="row" id="strip-end"></div>`;
  $("film-hold").value = chosen.hold; $("film-board").value = chosen.board; $("film-loop").checked = chosen.loop;
  $("strip-end").append(button(t("Make the slideshow"), make, { class: "main", id: "make-film" }),
    button(t("Back"), () => dialog.close(), { id: "no-film" }));
  list();
}
function list() {
  $("frames").replaceChildren(...order.map((job, k) => {
    const item = document.createElement("li"), image = document.createElement("img"), name = document.createElement("b");
    item.draggable = true; item.dataset.at = k;
    showIn(image, `/api/jobs/${job.id}/thumbnail`); image.alt = ""; image.draggable = false;
    name.textContent = job.name;
    const named = { name: job.name };
    const up = button("↑", () => move(k, k - 1, "up"), { "aria-label": t("Move {name} up", named), "data-way": "up" });
    const down = button("↓", () => move(k, k + 1, "down"), { "aria-label": t("Move {name} down", named), "data-way": "down" });
    const out = button("×", () => leaveOut(k), { "aria-label": t("Leave {name} out", named), "data-way": "out" });
    up.disabled = k === 0; down.disabled = k === order.length - 1;
    item.append(image, name, up, down, out);
    item.addEventListener("dragstart", e => { dragged = k; e.dataTransfer.effectAllowed = "move"; e.dataTransfer.setData("text/plain", job.name); });
    item.addEventListener("dragend", () => { dragged = null; });
    // Stop the event, because the page behind opens every picture that is dropped on it.
    item.addEventListener("dragover", e => { if (dragged !== null) { e.preventDefault(); e.stopPropagation(); } });
    item.addEventListener("drop", e => { if (dragged !== null) { e.preventDefault(); e.stopPropagation(); move(dragged, k); } });
    return item;
  }));
  $("make-film").disabled = order.length < 2;
}
function move(from, to, way) {
  order.splice(to, 0, ...order.splice(from, 1));
  list();
  say(t("{name} is now number {k}.", { name: order[to].name, k: to + 1 }), { quietly: true });
  if (!way) return;
  // The focus follows the moved picture; at an end of the list the opposite button gets it.
  const item = $("frames").children[to], pressed = item.querySelector(`[data-way=${way}]`);
  (pressed.disabled ? item.querySelector(`[data-way]:not(:disabled)`) : pressed).focus();
}
function leaveOut(k) {
  order.splice(k, 1);
  list();
  ($("frames").children[Math.min(k, order.length - 1)]?.querySelector("[data-way=out]") || $("no-film")).focus();
}
const make = () => trying(async () => {
  chosen = { hold: $("film-hold").value, board: $("film-board").value.trim().replace("×", "x"), loop: $("film-loop").checked };
  const json = { jobs: order.map(one => one.id), hold: Number(chosen.hold), board: chosen.board, loop: chosen.loop };
  const job = await askJson("/api/films", { method: "POST", json });
  $("strip").close();
  select(job, { scroll: true });
  say(t("{name} is being printed.", { name: job.name }), { quietly: true });
});
