// The jobs: their list, the selected one, and their live updates from the server.
import { $, fetchAnswer, fetchJson, makeButton, applyThemeToFrame, translateMessage, language, n, saveFile, showMessage, showAnswerIn, t, trying } from "./common.js";
import { engine } from "./engine.js";

const jobs = new Map();
// Whether the main panel shows the selected job; otherwise it shows the picture to print.
let showsJob = true;
let selectedId = sessionStorage.getItem("studio-job") || "", shownPlan = {}, downloads = [], share = "", presets = {}, readOnly = false;
// The plan that the user fixed with "Keep this plan": {job, best}; null: the best plan is shown.
let keptPlan = JSON.parse(sessionStorage.getItem("studio-held") || "null");
const hasBetterPlan = job => keptPlan?.job === job.id && keptPlan.best.version < job.best.version;
const findShownPlan = job => keptPlan?.job === job.id ? keptPlan.best : job.best;
function keepPlan(job, best) {
  keptPlan = best && { job: job.id, best };
  sessionStorage.setItem("studio-held", JSON.stringify(keptPlan));
  showList(); showJob(jobs.get(job.id));
}

export function startJobs(state) {
  downloads = state.downloads; readOnly = state.readOnly; share = state.share; presets = state.presets || {};
  for (const job of state.jobs) jobs.set(job.id, job);
  if (!jobs.has(selectedId)) selectedId = "";
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
  addEventListener("studio-language", () => { showList(); showPanel(true); });
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

const STATES = { waiting: "waiting", working: "running", stopping: "stopping", stopped: "stopped", done: "done", failed: "failed" };
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
    state.textContent = (job.work === "film" ? t("Slideshow") + " · " : "") + (readOnly ? "" : t(STATES[job.state]) + (job.best ? " · " : "")) + (job.best ? n(findShownPlan(job).drops, "drop|drops") : "");
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
    <div class="bar" id="bar" hidden><i></i></div>
    <div id="better" class="note better" hidden></div>
    <div class="shop">
      <div id="screen"></div>
      <div class="stage">
        <dl class="figures" id="figures"></dl>
        <div><h3 id="chart-title"></h3><svg class="chart" id="chart" role="img" preserveAspectRatio="none" viewBox="0 0 300 100"></svg></div>
        <div id="taking" hidden><h3 id="h-files"></h3><div class="files" id="files"></div><p class="small quiet" id="patchy" hidden></p></div>
      </div>
    </div>`;
  $("job-name").textContent = job.name;
  $("chart-title").textContent = t("The best so far, over time");
  $("h-files").textContent = t("Download");
  const names = { gif: "GIF", png: "PNG", mp4: "MP4", html: t("Page"), apng: "APNG", webp: "WebP", plan: t("Plan"), art: t("Art file"), fumen: "Fumen", drops: t("Drops"), tetrio: "TETR.IO", lesson: "Jstris" };
  // The studio always shows the MP4 button, and says if a library is missing; a page hides it then.
  const place = presets[job.options.place]?.plan;  // the kind of file that the chosen place reads
  const needsQueue = kind => kind === "tetrio" || kind === "lesson";
  const isOffered = kind => (downloads.includes(kind) || kind === "mp4" && !engine.loading) && (!needsQueue(kind) || kind === place);
  const buttons = Object.entries(names).filter(([kind]) => isOffered(kind)).map(([kind, name]) =>
    makeButton(name, e => download(jobs.get(job.id), kind, e.currentTarget), { "data-kind": kind }));
  const moreFiles = document.createElement("details"), summary = document.createElement("summary");
  summary.textContent = t("More"); moreFiles.id = "more-files";
  const isAlwaysShown = fileButton => ["gif", "png", "mp4", "html", place].includes(fileButton.dataset.kind);
  moreFiles.append(summary, ...buttons.filter(fileButton => !isAlwaysShown(fileButton)));
  for (const [id, kind] of [["no-mp4", "mp4"], ["no-fumen", "fumen"]]) {
    const reason = document.createElement("p");
    reason.className = "small quiet"; reason.id = id; reason.hidden = true;
    buttons.find(fileButton => fileButton.dataset.kind === kind)?.setAttribute("aria-describedby", id);
    moreFiles.append(reason);
  }
  // A link needs a public page that opens it; without one the game can be downloaded as a page.
  const link = share ? [makeButton(t("Copy a link"), () => trying(() => copyLink(jobs.get(job.id))), { id: "link" })] : [];
  $("files").replaceChildren(...buttons.filter(isAlwaysShown), ...link, moreFiles);
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
  frame.title = t("The player: {name}", { name: job.name });
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
  showAnswerIn(frame, `/play/${job.id}/${version}?language=${language}`);
  if (engine.loading !== "loading") return;
  const note = document.createElement("p");
  note.className = "quiet wait"; note.textContent = t("The engine is being loaded …");
  $("screen").append(note);
  engine.loaded.then(() => note.remove());
}
// Start the new game at the same share of its drops; if the old game was over, at the beginning.
function continueGame(oldPage, newPage) {
  const [oldSlider, newSlider] = [oldPage, newPage].map(page => page?.getElementById("seek"));
  if (!oldSlider || !newSlider || +oldSlider.value >= +oldSlider.max) return;
  newSlider.value = Math.round(oldSlider.value / oldSlider.max * newSlider.max);
  newSlider.dispatchEvent(new Event("input"));
  const [oldLabel, newLabel] = [oldPage, newPage].map(page => page.getElementById("play").getAttribute("aria-label"));
  if (oldLabel !== newLabel) newPage.getElementById("play").click();
}
function showJob(job) {
  const best = findShownPlan(job), working = job.state === "working" || job.state === "stopping";
  // Player, figures and files belong to the same plan.
  if (best && shownPlan.version !== best.version) {
    if (shownPlan.version) showMessage(t("A better plan: {drops}.", { drops: n(best.drops, "drop|drops") }), { quietly: true });
    loadPlayer(job, best.version);
  }
  if (!best && !$("screen").firstChild) $("screen").innerHTML = `<div class="frame"><p class="quiet"></p></div>`;
  const placeholder = $("screen").querySelector(".frame p");
  if (placeholder) placeholder.textContent = best ? "" : t(working ? "The first plan is being made …" : job.state === "waiting" ? "Waiting in the queue." : "There is no plan.");
  // Offer a plan that is better than the one shown; the user decides when to take it.
  const better = $("better"), isNewer = best && hasBetterPlan(job), searchDrops = job.progress?.drops;
  const isSearchAhead = working && best && searchDrops && searchDrops < job.best.drops, key = isNewer ? String(job.best.version) : isSearchAhead ? "h" + searchDrops : "";
  better.hidden = !key;
  if (key && better.dataset.version !== key) {
    const sentence = document.createElement("p"), drops = n(isNewer ? job.best.drops : searchDrops, "drop|drops");
    sentence.textContent = isNewer ? t("There is a better plan: {drops}.", { drops }) : t("The search has a plan of {drops} and continues.", { drops });
    better.replaceChildren(sentence, isNewer ? makeButton(t("Use the best"), () => keepPlan(job, null), { class: "main", id: "take" })
      : makeButton(t("Stop and take it"), () => sendAction(job, "stop"), { id: "take-stop" }));
    if (isNewer) showMessage(sentence.textContent, { quietly: true });
  }
  better.dataset.version = key;
  listActions(job, working);
  const doing = $("doing"), status = readOnly ? "" : t(STATES[job.state]) + (working && job.progress ? ": " + translateMessage(job.progress.stage) : "") +
    (job.error ? ": " + translateMessage(job.error) : "") + (job.result?.said ? " — " + translateMessage(job.result.said) : "");
  if (doing.textContent !== status) doing.textContent = status;
  $("bar").hidden = !working;
  $("bar").firstElementChild.style.width = Math.round(100 * (job.progress?.fraction || 0)) + "%";
  $("taking").hidden = !best;
  if (best) updateDownloads(best);
  // A game or editor that reads a plan shows each piece type in its own colour.
  const patchy = presets[job.options.place]?.plan ? best?.patchy || [] : [];
  $("patchy").hidden = !patchy.length;
  $("patchy").textContent = t("Each piece has its own colour there, so {colors} will look patchy: several pieces print it. One piece for each colour takes more drops.", { colors: patchy.join(", ") });
  showFigures(job); drawChart(job);
}
function listActions(job, working) {
  const key = [job.state, job.options.effort, job.best?.proof, keptPlan?.job, !job.best, document.documentElement.lang].join();
  if ($("acts").dataset.key === key) return;
  $("acts").dataset.key = key;
  const buttons = [];
  if (!readOnly && (job.work === "print" || job.work === "film")) {
    if (working || job.state === "waiting") buttons.push(makeButton(t("Stop"), () => sendAction(job, "stop"), { id: "stop" }));
    else if (job.state !== "done" && engine.features.has("go on")) buttons.push(makeButton(t("Continue"), () => sendAction(job, "resume"), { id: "resume" }));
    if (!working && engine.features.has("improve") && job.work === "print" && job.state === "done" && job.best?.proof !== "all games" && job.options.effort < 10)
      buttons.push(makeButton(t("Improve"), () => sendAction(job, "more"), { id: "more" }));
  }
  if (working && job.best) buttons.push(keptPlan?.job === job.id
    ? makeButton(t("Keep this plan"), () => keepPlan(job, null), { id: "hold", "aria-pressed": true })
    : makeButton(t("Keep this plan"), () => keepPlan(job, job.best), { id: "hold", "aria-pressed": false }));
  if ($("look")) buttons.push(makeButton(t("Back to the picture"), () => { showPicture(); $("print").focus(); }, { id: "back-to-picture" }));
  if (!readOnly) buttons.push(makeButton(t("Remove"), () => trying(() => remove(job.id)), { id: "remove" }));
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
function showFigures(job) {
  const best = findShownPlan(job), list = $("figures");
  if (!list) return;
  const proof = { "all games": "no game of hard drops has fewer" }[best?.proof];
  const rows = [
    [t("Drops"), best ? best.drops : "–"], [t("At least"), job.progress?.bound || job.best?.bound || "–"],
    [t("Cells per square"), best ? best.cells_per_pixel.toFixed(2) : "–"], [t("Lines"), best ? best.lines : "–"],
    [t("Squares"), best ? best.pixels : "–"],
  ];
  if (job.work === "print" || job.work === "film") rows.push([t("Time"), formatTime(job.seconds)]);
  if (proof) rows.push([t("Proved"), t(proof)]);
  const html = rows.map(() => "<div><dt></dt><dd></dd></div>").join("");
  if (list.childElementCount !== rows.length) list.innerHTML = html;
  rows.forEach(([name, value], k) => {
    const [dt, dd] = list.children[k].children;
    list.children[k].classList.toggle("wide", name === t("Proved"));
    dt.textContent = name; if (dd.textContent !== String(value)) dd.textContent = value;
  });
}
const formatTime = s => s < 100 ? t("{s} s", { s: s.toFixed(s < 10 ? 1 : 0) }) : t("{m} min", { m: (s / 60).toFixed(1) });
function drawChart(job) {
  const svg = $("chart"), points = job.history.filter(p => p[1] !== null);
  if (svg.dataset.n === String(job.history.length) && svg.dataset.of === job.id) return;
  svg.dataset.n = job.history.length; svg.dataset.of = job.id;
  const isHidden = points.length < 1 || job.work === "film";  // a slideshow has one plan
  svg.parentElement.hidden = isHidden;
  if (isHidden) return;
  const end = Math.max(job.seconds, points.at(-1)[0], .1) * 1.03, bound = Math.max(...points.map(p => p[2] || 0));
  const highest = Math.max(...points.map(p => p[1])) * 1.06, lowest = Math.max(0, Math.min(bound || Infinity, ...points.map(p => p[1])) * .9);
  const x = s => (300 * s / end).toFixed(1), y = d => (96 - 92 * (d - lowest) / Math.max(1, highest - lowest)).toFixed(1);
  let path = `M${x(points[0][0])} ${y(points[0][1])}`;
  for (const [s, d] of points.slice(1)) path += `H${x(s)}V${y(d)}`;
  path += `H${x(end)}`;
  svg.innerHTML = `<path class="best" d="${path}"/>` + (bound ? `<line class="bound" x1="0" x2="300" y1="${y(bound)}" y2="${y(bound)}"/>` : "");
  svg.setAttribute("aria-label", t("From {first} to {last} drops; no game of hard drops has fewer than {bound}", { first: points[0][1], last: points.at(-1)[1], bound: bound || "?" }));
}

// ---- Downloads.
// Disable the downloads that cannot be written, and say why.
function updateDownloads(best) {
  const missing = {
    mp4: downloads.includes("mp4") ? "" : t("MP4 needs the extra video: pip install 'tetrisprinter[video]'"),
    fumen: best.board[0] === 10 ? "" : t("A fumen has ten columns; this board has {n}.", { n: best.board[0] }),
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
const MAX_LINK_LENGTH = 12000;
async function copyLink(job) {
  const answer = await fetchAnswer(`/api/jobs/${job.id}/files/plan?version=${findShownPlan(job).version}`);
  const compressed = new Uint8Array(await new Response(answer.body.pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
  let text = "";
  for (let k = 0; k < compressed.length; k += 5000) text += String.fromCharCode(...compressed.subarray(k, k + 5000));
  const code = btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  if (code.length > MAX_LINK_LENGTH) throw new Error(t("This plan is too long for a link; take it as a file."));
  const link = `${share}#plan=${code}&name=${encodeURIComponent(job.name)}`;
  $("link").dataset.link = link;
  try { await navigator.clipboard.writeText(link); showMessage(t("The link is copied: it carries the whole plan.")); }
  catch { prompt(t("The link, which carries the whole plan:"), link); }
}
