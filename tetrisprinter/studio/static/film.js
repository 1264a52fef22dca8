// The slideshow dialog: the user orders the pictures of the queue, and one game prints them.
import { $, fetchJson, makeButton, showMessage, showAnswerIn, trying } from "./common.js";
import { listPictures, selectJob } from "./jobs.js";

let jobs = [], dragged = null, settings = { hold: "2", board: "", loop: false };

export function startSlideshowDialog() {
  $("film").addEventListener("click", () => { jobs = listPictures(); buildDialog(); $("strip").showModal(); });
}
function buildDialog() {
  const dialog = $("strip");
  dialog.innerHTML = `<h2 id="h-strip">Slideshow</h2>
    <p class="small quiet">One game prints them one after the other. Drag them into their order, or move them with the buttons.</p>
    <ol class="queue strip" id="frames"></ol>
    <div class="field"><label for="film-hold">Seconds for each picture</label><input type="number" id="film-hold" min="0.1" max="60" step="0.1"></div>
    <div class="field"><label for="film-board">Board (empty: one that holds them all)</label><input type="text" id="film-board" maxlength="9" placeholder="21x42"></div>
    <div class="field"><span></span><label class="check"><input type="checkbox" id="film-loop"><span>Loop back to the first picture</span></label></div>
    <div class="row" id="strip-end"></div>`;
  $("film-hold").value = settings.hold; $("film-board").value = settings.board; $("film-loop").checked = settings.loop;
  $("strip-end").append(makeButton("Make the slideshow", makeSlideshow, { class: "main", id: "make-film" }),
    makeButton("Cancel", () => dialog.close(), { id: "no-film" }));
  showOrder();
}
function showOrder() {
  $("frames").replaceChildren(...jobs.map((job, k) => {
    const item = document.createElement("li"), image = document.createElement("img"), name = document.createElement("b");
    item.draggable = true; item.dataset.at = k;
    showAnswerIn(image, `/api/jobs/${job.id}/thumbnail`); image.alt = ""; image.draggable = false;
    name.textContent = job.name;
    const up = makeButton("↑", () => move(k, k - 1, "up"), { "aria-label": `Move ${job.name} up`, "data-way": "up" });
    const down = makeButton("↓", () => move(k, k + 1, "down"), { "aria-label": `Move ${job.name} down`, "data-way": "down" });
    const remove = makeButton("×", () => leaveOut(k), { "aria-label": `Leave ${job.name} out`, "data-way": "out" });
    up.disabled = k === 0; down.disabled = k === jobs.length - 1;
    item.append(image, name, up, down, remove);
    item.addEventListener("dragstart", e => { dragged = k; e.dataTransfer.effectAllowed = "move"; e.dataTransfer.setData("text/plain", job.name); });
    item.addEventListener("dragend", () => { dragged = null; });
    // Stop the event, because the page behind opens every picture that is dropped on it.
    item.addEventListener("dragover", e => { if (dragged !== null) { e.preventDefault(); e.stopPropagation(); } });
    item.addEventListener("drop", e => { if (dragged !== null) { e.preventDefault(); e.stopPropagation(); move(dragged, k); } });
    return item;
  }));
  $("make-film").disabled = jobs.length < 2;
}
function move(from, to, direction) {
  jobs.splice(to, 0, ...jobs.splice(from, 1));
  showOrder();
  showMessage(`${jobs[to].name} is now number ${to + 1}.`, { quietly: true });
  if (!direction) return;
  // The focus follows the moved picture; at an end of the list the opposite button gets it.
  const item = $("frames").children[to], pressedButton = item.querySelector(`[data-way=${direction}]`);
  (pressedButton.disabled ? item.querySelector(`[data-way]:not(:disabled)`) : pressedButton).focus();
}
function leaveOut(k) {
  jobs.splice(k, 1);
  showOrder();
  ($("frames").children[Math.min(k, jobs.length - 1)]?.querySelector("[data-way=out]") || $("no-film")).focus();
}
const makeSlideshow = () => trying(async () => {
  settings = { hold: $("film-hold").value, board: $("film-board").value.trim().replace("×", "x"), loop: $("film-loop").checked };
  const json = { jobs: jobs.map(picture => picture.id), hold: Number(settings.hold), board: settings.board, loop: settings.loop };
  const job = await fetchJson("/api/films", { method: "POST", json });
  $("strip").close();
  selectJob(job, { scroll: true });
  showMessage(`${job.name} is being printed.`, { quietly: true });
});
