// The jobs: their list, the selected one, and their live updates from the server.
import { $, fetchAnswer, fetchJson, makeButton, applyThemeToFrame, n, saveFile, showMessage, showAnswerIn, trying } from "./common.js";
import { engine } from "./engine.js";

const jobs = new Map();
// Whether the main panel shows the selected job; otherwise it shows the picture to print.
let showsJob = true;
let selectedId = sessionStorage.getItem("studio-job") || "", shownPlan = {}, downloads = [], share = "", videoCommand = "", presets = {};
// The plan that the user fixed with "Keep this game": {job, best}; null: the best plan is shown.
let keptPlan = JSON.parse(sessionStorage.getItem("studio-held") || "null");
const hasBetterPlan = job => keptPlan?.job === job.id && keptPlan.best.version < job.best.version;
const findShownPlan = job => keptPlan?.job === job.id ? keptPlan.best : job.best;
function keepPlan(job, best) {
  keptPlan = best && { job: job.id, best };
  sessionStorage.setItem("studio-held", JSON.stringify(keptPlan));
  showList(); showJob(jobs.get(job.id));
}

export function startJobs(state) {
  downloads = state.downloads; share = state.share; videoCommand = state.videoCommand; presets = state.presets || {};
  for (const job of state.jobs) jobs.set(job.id, job);
  // A page that is loaded while something is printed shows it first.
  const running = state.jobs.find(job => ["working", "stopping"].includes(job.state) && isPrint(job));
  if (!jobs.has(selectedId)) selectedId = running?.id || "";
  showList(); showPanel();
  engine.listen(news => {
    if (news.jobs) { jobs.clear(); for (const job of news.jobs) jobs.set(job.id, job); }
    if (news.job) jobs.set(news.job.id, news.job);
    if (news.removed) jobs.delete(news.removed);
    showList();
    // News may be older than the job that was chosen last: it stays chosen until it is removed.
    if (news.removed === selectedId) selectedId = "";
    if (!news.job || news.job.id === selectedId) showPanel();
  });
  // Advance the shown time each second, because news arrives less often.
  setInterval(() => { const job = jobs.get(selectedId); if (job?.began) { job.seconds += 1; showFigures(job); } }, 1000);
}
// Show the picture to print instead of the selected job, which stays in the list.
export function showPicture() {
  if (!showsJob) return;
  showsJob = false;
  showPanel();
}
// Select and show a job of the list, or a new job from an answer of the server.
export function selectJob(job, { scroll = false } = {}) {
  if (!jobs.has(job.id)) jobs.set(job.id, job);  // else there is later news
  selectedId = job.id;
  showsJob = true;
  sessionStorage.setItem("studio-job", selectedId);
  shownPlan = {};
  showList(); showPanel(true);
  if ($("look")) $("job-name").focus({ preventScroll: true });
  if (scroll) $("job").scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

const STATES = { waiting: "waiting", working: "planning", stopping: "stopping", stopped: "stopped", done: "done", failed: "failed" };
// Return the jobs whose pictures a slideshow can show, oldest first.
export const listPictures = () => [...jobs.values()].filter(job => job.work === "print" || job.work === "plan");
const isPrint = job => job.work !== "prove";
function showList() {
  const prints = [...jobs.values()].filter(isPrint).reverse(), queue = $("queue");
  $("no-jobs").hidden = prints.length > 0;
  if ($("film")) $("film").hidden = listPictures().length < 2 || !engine.features.has("film");
  const focused = document.activeElement?.dataset?.job;
  queue.replaceChildren(...prints.map(job => {
    const item = document.createElement("li"), itemButton = makeButton("", () => selectJob(job, { scroll: true }), { "data-job": job.id, "aria-pressed": job.id === selectedId }), image = document.createElement("img");
    const label = document.createElement("span"), name = document.createElement("b"), state = document.createElement("small");
    showAnswerIn(image, `/api/jobs/${job.id}/thumbnail`); image.alt = "";
    name.textContent = job.name;
    state.textContent = (job.work === "film" ? "Slideshow · " : "") + STATES[job.state] + (job.best ? " · " : "") + (job.best ? n(findShownPlan(job).drops, "drop|drops") : "");
    label.append(name, state); itemButton.append(image, label); item.append(itemButton);
    return item;
  }));
  if (focused) queue.querySelector(`[data-job="${focused}"]`)?.focus();
}

// ---- The selected job.
function showPanel(rebuild = false) {
  const job = jobs.get(selectedId), panel = $("job");
  panel.hidden = !job || !showsJob;
  if ($("look")) $("look").hidden = !panel.hidden;
  if (!job) { panel.replaceChildren(); panel.dataset.of = ""; return; }
  if (rebuild || panel.dataset.of !== job.id) buildPanel(job, panel);
  showJob(job);
}
function buildPanel(job, panel) {
  const version = panel.dataset.of === job.id ? shownPlan.version : 0;
  panel.dataset.of = job.id;
  panel.innerHTML = `
    <div class="row apart"><h2 id="job-name" tabindex="-1"></h2><div class="row" id="acts"></div></div>
    <p class="small quiet" id="doing" role="status"></p>
    <div class="bar" id="bar"><i></i></div>
    <div id="screen"></div>
    <div id="taking" hidden><h3 id="h-files">Download</h3><div class="files" id="files"></div><p class="small quiet" id="patchy" hidden></p></div>
    <div id="better" class="note better" hidden></div>
    <p class="small quiet" id="improving" hidden></p>
    <details id="more-figures"><summary>Figures</summary>
      <dl class="figures" id="figures"></dl>
      <div><h3 id="chart-title">Drops of the best game, over time</h3><svg class="chart" id="chart" role="img" preserveAspectRatio="none" viewBox="0 0 300 100"></svg></div>
    </details>`;
  $("job-name").textContent = job.name;
  const names = { gif: "GIF", mp4: "MP4", html: "Page", png: "PNG", plan: "Plan", apng: "APNG", webp: "WebP", art: "Art file", fumen: "Fumen", drops: "Drops", tetrio: "TETR.IO", lesson: "Jstris" };
  // The studio always shows the MP4 button, and says if a library is missing; a page hides it then.
  const place = presets[job.options.place]?.plan;  // the kind of file that the chosen place reads
  const needsQueue = kind => kind === "tetrio" || kind === "lesson";
  const isOffered = kind => (downloads.includes(kind) || kind === "mp4" && !engine.loading) && (!needsQueue(kind) || kind === place);
  const buttons = Object.entries(names).filter(([kind]) => isOffered(kind)).map(([kind, name]) =>
    makeButton(name, e => download(jobs.get(job.id), kind, e.currentTarget), { "data-kind": kind }));
  const moreFiles = document.createElement("details"), summary = document.createElement("summary");
  summary.textContent = "More"; moreFiles.id = "more-files";
  const isAlwaysShown = fileButton => ["gif", "mp4", "html", "png", "plan", place].includes(fileButton.dataset.kind);
  moreFiles.append(summary, ...buttons.filter(fileButton => !isAlwaysShown(fileButton)));
  for (const [id, kind] of [["no-mp4", "mp4"], ["no-fumen", "fumen"]]) {
    const reason = document.createElement("p");
    reason.className = "small quiet"; reason.id = id; reason.hidden = true;
    buttons.find(fileButton => fileButton.dataset.kind === kind)?.setAttribute("aria-describedby", id);
    moreFiles.append(reason);
  }
  const shareButton = makeButton(share ? "Copy a link" : "Send it", () => trying(() => shareJob(jobs.get(job.id))), { id: "link" });
  $("files").replaceChildren(...buttons.filter(isAlwaysShown), shareButton, moreFiles);
  shownPlan = { id: job.id, version: 0 };
  if (version) loadPlayer(job, version);
}
// Load a new player, which replaces the old one when it is ready, so that the game never disappears.
function loadPlayer(job, version) {
  shownPlan.version = version;
  for (const pendingFrame of $("screen").querySelectorAll(".coming")) pendingFrame.remove();
  const oldFrame = $("player"), frame = document.createElement("iframe");
  frame.className = oldFrame ? "player coming" : "player";
  frame.dataset.version = version;
  if (!oldFrame) { frame.id = "player"; $("screen").replaceChildren(frame); } else $("screen").append(frame);
  frame.title = `The player: ${job.name}`;
  frame.addEventListener("load", () => {
    const page = frame.contentDocument;  // null: the browser's own error page
    if (page?.URL === "about:blank") return;
    if (!page?.getElementById("seek")) {  // the next news of the job loads it again
      frame.remove();
      if (shownPlan.id === job.id && shownPlan.version === version) shownPlan.version = +(oldFrame?.dataset.version || 0);
      return;
    }
    applyThemeToFrame(frame);
    if (!frame.classList.contains("coming")) return;
    continueGame(oldFrame.contentDocument, page);
    const hasFocus = document.activeElement === oldFrame;
    oldFrame.remove();
    frame.className = "player"; frame.id = "player";
    if (hasFocus) frame.focus();
  });
  showAnswerIn(frame, `/play/${job.id}/${version}`);
  if (engine.loading !== "loading") return;
  const note = document.createElement("p");
  note.className = "quiet wait"; note.textContent = "The engine is being loaded …";
  $("screen").append(note);
  engine.loaded.then(() => note.remove());
}
// Show the new game at the same share of its drops, never earlier; a game that was over stays over.
function continueGame(oldPage, newPage) {
  const [oldSlider, newSlider] = [oldPage, newPage].map(page => page?.getElementById("seek"));
  if (!oldSlider || !newSlider) return;
  newSlider.value = Math.ceil(oldSlider.value / oldSlider.max * newSlider.max);
  newSlider.dispatchEvent(new Event("input"));
  const [oldLabel, newLabel] = [oldPage, newPage].map(page => page.getElementById("play").getAttribute("aria-label"));
  if (oldLabel !== newLabel) newPage.getElementById("play").click();
}
function showJob(job) {
  const best = findShownPlan(job), working = job.state === "working" || job.state === "stopping";
  // Player, figures and files belong to the same plan.
  if (best && shownPlan.version !== best.version) {
    if (shownPlan.version) showMessage(`A shorter game: ${n(best.drops, "drop|drops")}.`, { quietly: true });
    loadPlayer(job, best.version);
  }
  if (!best) showPending(job, working);
  // Offer a plan that is better than the one shown; the user decides when to take it.
  const better = $("better"), isNewer = best && hasBetterPlan(job), searchDrops = job.progress?.drops;
  const isSearchAhead = working && best && searchDrops && searchDrops < job.best.drops, key = isNewer ? String(job.best.version) : isSearchAhead ? "h" + searchDrops : "";
  better.hidden = !key;
  if (key && better.dataset.version !== key) {
    const sentence = document.createElement("p"), drops = n(isNewer ? job.best.drops : searchDrops, "drop|drops");
    sentence.textContent = isNewer ? `There is a shorter game: ${drops}.` : `The search has a game of ${drops} and continues.`;
    better.replaceChildren(sentence, isNewer ? makeButton("Use it", () => keepPlan(job, null), { class: "main", id: "take" })
      : makeButton("Stop and use it", () => sendAction(job, "stop"), { id: "take-stop" }));
    if (isNewer) showMessage(sentence.textContent, { quietly: true });
  }
  better.dataset.version = key;
  listActions(job, working);
  const left = formatTimeLeft(job.progress?.seconds_left), doing = $("doing");
  const status = (job.state === "working" ? (best ? "Looking for a shorter game" : "Planning the first game") + left : STATES[job.state]) +
    (job.error ? ": " + job.error : "") + (job.result?.said ? " — " + job.result.said : "");
  if (doing.textContent !== status) doing.textContent = status;
  $("bar").classList.toggle("idle", !working);  // it keeps its place
  $("bar").firstElementChild.style.width = Math.round(100 * (job.progress?.fraction || 0)) + "%";
  $("taking").hidden = !best;
  if (best) updateDownloads(best);
  // A game or editor that reads a plan shows each piece type in its own colour.
  const patchy = presets[job.options.place]?.plan ? best?.patchy || [] : [];
  $("patchy").hidden = !patchy.length;
  $("patchy").textContent = `Each piece has its own colour there, so ${patchy.join(", ")} will look patchy: several pieces print it. One piece for each colour takes more drops.`;
  showFigures(job); drawChart(job);
}
// Until the first game exists, the picture fills row by row, as far as the planner is.
function showPending(job, working) {
  if (!$("pending")) {
    $("screen").innerHTML = `<div class="frame"><div class="pending" id="pending"><img alt=""><img alt=""></div><p class="small quiet"></p></div>`;
    for (const image of $("pending").children) showAnswerIn(image, `/api/jobs/${job.id}/thumbnail`);
  }
  const [, row, rows] = /row (\d+) of (\d+)/.exec(job.progress?.stage || "") || [0, job.progress?.fraction || 0, 1];
  $("pending").lastElementChild.style.clipPath = `inset(${Math.round(100 - 100 * row / rows)}% 0 0 0)`;
  $("screen").querySelector("p").textContent = working ? "The first game is being planned …" : job.state === "waiting" ? "It waits until the print before it is done." : "No game was found.";
}
// What "Improve" does and how long it takes, or what came of it.
const EFFORT_STEPS = { 0: 10, 1: 4 };  // how much longer the next level searches; each other doubles the work
function describeImprovement(job, isOffered) {
  const { before } = job.options, drops = job.best?.drops;
  const came = !before || job.state !== "done" ? "" : drops < before ? `Improved: ${n(before, "drop|drops")} became ${drops.toLocaleString("en")}. ` : `No game of fewer than ${n(drops, "drop|drops")} was found. `;
  const factor = EFFORT_STEPS[job.options.effort] || 2;
  return came + (isOffered ? `Improve searches ${factor} times as long for a game of fewer pieces${job.seconds >= 1 ? `: about ${formatTime(factor * job.seconds)}` : ""}.` : "");
}
function listActions(job, working) {
  const key = [job.state, job.options.effort, job.best?.proof, keptPlan?.job, !job.best, document.documentElement.lang].join();
  if ($("acts").dataset.key === key) return;
  $("acts").dataset.key = key;
  const buttons = [];
  if (job.work === "print" || job.work === "film") {
    if (working || job.state === "waiting") buttons.push(makeButton(job.best ? "Stop" : "Cancel", () => sendAction(job, "stop"), { id: "stop" }));
    else if (job.state !== "done" && engine.features.has("go on")) buttons.push(makeButton("Continue", () => sendAction(job, "resume"), { id: "resume" }));
    const isOffered = !working && engine.features.has("improve") && job.work === "print" && job.state === "done" && job.best?.proof !== "all games" && job.options.effort < 10;
    if (isOffered) buttons.push(makeButton("Improve", () => sendAction(job, "more"), { id: "more", "aria-describedby": "improving" }));
    const sentence = describeImprovement(job, isOffered);
    $("improving").hidden = !sentence; $("improving").textContent = sentence;
  }
  if (working && job.best) buttons.push(keptPlan?.job === job.id
    ? makeButton("Keep this game", () => keepPlan(job, null), { id: "hold", "aria-pressed": true })
    : makeButton("Keep this game", () => keepPlan(job, job.best), { id: "hold", "aria-pressed": false }));
  if ($("look")) buttons.push(makeButton("Back to the picture", () => { showPicture(); $("print").focus(); }, { id: "back-to-picture" }));
  buttons.push(makeButton("Remove", () => trying(() => remove(job.id)), { id: "remove" }));
  $("acts").replaceChildren(...buttons);
}
// Update the list at once: the news of the removal may come before this page listens.
async function remove(id) {
  await fetchAnswer(`/api/jobs/${id}`, { method: "DELETE" });
  jobs.delete(id);
  if (id === selectedId) selectedId = "";
  showList(); showPanel();
}
const sendAction = (job, action) => trying(async () => {
  const oldJob = jobs.get(job.id), answer = await fetchJson(`/api/jobs/${job.id}/${action}`, { method: "POST" });
  if (jobs.get(job.id) === oldJob) jobs.set(job.id, answer);  // else there is later news
  showList(); showPanel();
});
// A bound far below the drops says little about the game, and reads like a defect.
const isWorthShowing = (bound, drops) => bound && bound >= .8 * drops;
function showFigures(job) {
  const best = findShownPlan(job), list = $("figures");
  if (!list) return;
  const rows = [["Drops (pieces played)", best ? best.drops : "–"]];
  if (isWorthShowing(best?.bound, best?.drops)) rows.push(["No game has fewer than", best.bound]);
  if (best) rows.push(["Squares dropped for each one printed", best.cells_per_pixel.toFixed(2)], ["Lines cleared", best.lines],
    [job.work === "film" ? "Squares of all pictures" : "Squares of the picture", best.pixels]);
  if (job.work === "print" || job.work === "film") rows.push(["Time of the search", formatTime(job.seconds)]);
  if (best?.proof === "all games") rows.push(["Proved", `no game of hard drops on this board of ${best.board.join("x")} has fewer`]);
  const html = rows.map(() => "<div><dt></dt><dd></dd></div>").join("");
  if (list.childElementCount !== rows.length) list.innerHTML = html;
  rows.forEach(([name, value], k) => {
    const [dt, dd] = list.children[k].children;
    list.children[k].classList.toggle("wide", name === "Proved");
    dt.textContent = name; if (dd.textContent !== String(value)) dd.textContent = value;
  });
}
const formatTimeLeft = s => s > 0 ? `: about ${s < 100 ? `${Math.round(s)} s` : formatTime(s)} left` : "";
const formatTime = s => s < 100 ? `${s.toFixed(s < 10 ? 1 : 0)} s` : `${(s / 60).toFixed(1)} min`;
function drawChart(job) {
  const svg = $("chart"), points = job.history.filter(p => p[1] !== null);
  if (svg.dataset.n === String(job.history.length) && svg.dataset.of === job.id) return;
  svg.dataset.n = job.history.length; svg.dataset.of = job.id;
  const isHidden = points.length < 1 || job.work === "film";  // a slideshow has one plan
  svg.parentElement.hidden = isHidden;
  if (isHidden) return;
  const end = Math.max(job.seconds, points.at(-1)[0], .1) * 1.03, best = findShownPlan(job);
  const bound = isWorthShowing(best?.bound, best?.drops) ? best.bound : 0;
  const highest = Math.max(...points.map(p => p[1])) * 1.06, lowest = Math.max(0, Math.min(bound || Infinity, ...points.map(p => p[1])) * .9);
  const x = s => (300 * s / end).toFixed(1), y = d => (96 - 92 * (d - lowest) / Math.max(1, highest - lowest)).toFixed(1);
  let path = `M${x(points[0][0])} ${y(points[0][1])}`;
  for (const [s, d] of points.slice(1)) path += `H${x(s)}V${y(d)}`;
  path += `H${x(end)}`;
  svg.innerHTML = `<path class="best" d="${path}"/>` + (bound ? `<line class="bound" x1="0" x2="300" y1="${y(bound)}" y2="${y(bound)}"/>` : "");
  const first = points[0][1], last = points.at(-1)[1];
  svg.setAttribute("aria-label", bound
    ? `From ${first} to ${last} drops; no game of hard drops on this board of ${best.board.join("x")} has fewer than ${bound}`
    : `From ${first} to ${last} drops`);
}

// ---- Downloads.
// Disable the downloads that cannot be written, and say why.
function updateDownloads(best) {
  const missing = {
    mp4: downloads.includes("mp4") ? "" : `MP4 needs another package: ${videoCommand}`,
    fumen: best.board[0] === 10 ? "" : `A fumen has ten columns; this board has ${best.board[0]}.`,
  };
  for (const [kind, reason] of Object.entries(missing)) {
    const fileButton = document.querySelector(`#files [data-kind=${kind}]`);
    if (!fileButton) continue;
    fileButton.disabled = reason !== "";
    $("no-" + kind).hidden = !reason; $("no-" + kind).textContent = reason;
  }
}
async function download(job, kind, fileButton) {
  fileButton.disabled = true;
  await trying(async () => {
    const place = encodeURIComponent(job.options.place || "");
    const answer = await fetchAnswer(`/api/jobs/${job.id}/files/${kind}?version=${findShownPlan(job).version}&place=${place}`);
    const nameMatch = /filename\*=UTF-8''([^;]+)/.exec(answer.headers.get("content-disposition") || "");
    saveFile(await answer.blob(), nameMatch ? decodeURIComponent(nameMatch[1]) : `print.${kind}`);
  });
  fileButton.disabled = false;
}
// Give what another person can open: a link to the public page if there is one, otherwise the one-file
// page. The address of this studio opens on this machine only.
async function shareJob(job) {
  if (share) { await copyLink(job); return; }
  await download(job, "html", $("link"));
  showMessage("The page is saved. Send the file: it opens in any browser and needs no network.");
}
const MAX_LINK_LENGTH = 12000;
async function copyLink(job) {
  const answer = await fetchAnswer(`/api/jobs/${job.id}/files/plan?version=${findShownPlan(job).version}`);
  const compressed = new Uint8Array(await new Response(answer.body.pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
  let text = "";
  for (let k = 0; k < compressed.length; k += 5000) text += String.fromCharCode(...compressed.subarray(k, k + 5000));
  const code = btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  if (code.length > MAX_LINK_LENGTH) throw new Error("This game is too long for a link; save it as a page.");
  const link = `${share}#plan=${code}&name=${encodeURIComponent(job.name)}`;
  $("link").dataset.link = link;
  try { await navigator.clipboard.writeText(link); showMessage("The link is copied: it carries the whole game."); }
  catch { prompt("The link, which carries the whole game:", link); }
}
