// The jobs: their list, the selected one, and their live updates from the server.
import { $, ask, askJson, button, dressFrame, translateMessage, language, n, save, say, showIn, t, trying } from "./common.js";
import { engine } from "./engine.js";

const jobs = new Map();
// Whether the main panel shows the selected job; otherwise it shows the picture to print.
let showsJob = true;
let chosen = sessionStorage.getItem("studio-job") || "", shown = {}, downloads = [], share = "", presets = {}, readOnly = false;
// The plan that the user fixed with "Keep this plan": {job, best}; null: the best plan is shown.
let held = JSON.parse(sessionStorage.getItem("studio-held") || "null");
const isHeld = job => held?.job === job.id && held.best.version < job.best.version;
const findPlan = job => held?.job === job.id ? held.best : job.best;
function hold(job, best) {
  held = best && { job: job.id, best };
  sessionStorage.setItem("studio-held", JSON.stringify(held));
  list(); update(jobs.get(job.id));
}

export function startJobs(state) {
  downloads = state.downloads; readOnly = state.readOnly; share = state.share; presets = state.presets || {};
  for (const job of state.jobs) jobs.set(job.id, job);
  if (!jobs.has(chosen)) chosen = "";
  list(); showPanel();
  engine.listen(news => {
    if (news.jobs) { jobs.clear(); for (const job of news.jobs) jobs.set(job.id, job); }
    if (news.job) jobs.set(news.job.id, news.job);
    if (news.removed) jobs.delete(news.removed);
    list();
    // News may be older than the job that was chosen last: it stays chosen until it is removed.
    if (news.removed === chosen) chosen = "";
    if (!news.job || news.job.id === chosen) showPanel();
  });
  addEventListener("studio-language", () => { list(); showPanel(true); });
  // Advance the shown time each second, because news arrives less often.
  setInterval(() => { const job = jobs.get(chosen); if (job?.began) { job.seconds += 1; showFigures(job); } }, 1000);
}
// Show the picture to print instead of the selected job, which stays in the list.
export function showPicture() {
  if (!showsJob) return;
  showsJob = false;
  showPanel();
}
// Select and show a job: one of the list, or a new one from an answer of the server.
export function select(job, { scroll = false } = {}) {
  if (!jobs.has(job.id)) jobs.set(job.id, job);  // else there is later news
  chosen = job.id;
  showsJob = true;
  sessionStorage.setItem("studio-job", chosen);
  shown = {};
  list(); showPanel(true);
  if ($("look")) $("job-name").focus({ preventScroll: true });
  if (scroll) $("job").scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

const STATES = { waiting: "waiting", working: "running", stopping: "stopping", stopped: "stopped", done: "done", failed: "failed" };
// Return the jobs whose pictures a slideshow can show, oldest first.
export const listPictures = () => [...jobs.values()].filter(job => job.work === "print" || job.work === "plan");
const isPrint = job => job.work !== "prove";
function list() {
  const prints = [...jobs.values()].filter(isPrint).reverse(), queue = $("queue");
  $("no-jobs").hidden = prints.length > 0;
  if ($("film")) $("film").hidden = listPictures().length < 2 || !engine.can.has("film");
  const focused = document.activeElement?.dataset?.job;
  queue.replaceChildren(...prints.map(job => {
    const item = document.createElement("li"), b = button("", () => select(job, { scroll: true }), { "data-job": job.id, "aria-pressed": job.id === chosen }), image = document.createElement("img");
    const words = document.createElement("span"), name = document.createElement("b"), state = document.createElement("small");
    showIn(image, `/api/jobs/${job.id}/thumbnail`); image.alt = "";
    name.textContent = job.name;
    state.textContent = (job.work === "film" ? t("Slideshow") + " · " : "") + (readOnly ? "" : t(STATES[job.state]) + (job.best ? " · " : "")) + (job.best ? n(findPlan(job).drops, "drop|drops") : "");
    words.append(name, state); b.append(image, words); item.append(b);
    return item;
  }));
  if (focused) queue.querySelector(`[data-job="${focused}"]`)?.focus();
}

// ---- The selected job.
function showPanel(whole = false) {
  const job = jobs.get(chosen), box = $("job");
  box.hidden = !job || !showsJob;
  if ($("look")) $("look").hidden = !box.hidden;
  if (!job) { box.replaceChildren(); box.dataset.of = ""; return; }
  if (whole || box.dataset.of !== job.id) build(job, box);
  update(job);
}
function build(job, box) {
  const version = box.dataset.of === job.id ? shown.version : 0;
  box.dataset.of = job.id;
  box.innerHTML = `
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
  const wantsQueue = kind => kind === "tetrio" || kind === "lesson";
  const offered = kind => (downloads.includes(kind) || kind === "mp4" && !engine.loading) && (!wantsQueue(kind) || kind === place);
  const made = Object.entries(names).filter(([kind]) => offered(kind)).map(([kind, name]) =>
    button(name, e => download(jobs.get(job.id), kind, e.currentTarget), { "data-kind": kind }));
  const more = document.createElement("details"), summary = document.createElement("summary");
  summary.textContent = t("More"); more.id = "more-files";
  const isFirst = one => ["gif", "png", "mp4", "html", place].includes(one.dataset.kind);
  more.append(summary, ...made.filter(one => !isFirst(one)));
  for (const [id, kind] of [["no-mp4", "mp4"], ["no-fumen", "fumen"]]) {
    const why = document.createElement("p");
    why.className = "small quiet"; why.id = id; why.hidden = true;
    made.find(one => one.dataset.kind === kind)?.setAttribute("aria-describedby", id);
    more.append(why);
  }
  // A link needs a public page that opens it; without one the game can be downloaded as a page.
  const link = share ? [button(t("Copy a link"), () => trying(() => copyLink(jobs.get(job.id))), { id: "link" })] : [];
  $("files").replaceChildren(...made.filter(isFirst), ...link, more);
  shown = { id: job.id, version: 0 };
  if (version) play(job, version);
}
// Load a player and then replace the old one by it, so that the game never disappears.
function play(job, version) {
  shown.version = version;
  for (const late of $("screen").querySelectorAll(".coming")) late.remove();
  const before = $("player"), frame = document.createElement("iframe");
  frame.className = before ? "player coming" : "player";
  frame.dataset.version = version;
  if (!before) { frame.id = "player"; $("screen").replaceChildren(frame); } else $("screen").append(frame);
  frame.title = t("The player: {name}", { name: job.name });
  frame.addEventListener("load", () => {
    const loaded = frame.contentDocument;  // null: the browser's own error page
    if (loaded?.URL === "about:blank") return;
    if (!loaded?.getElementById("seek")) {  // the next news of the job loads it again
      frame.remove();
      if (shown.id === job.id && shown.version === version) shown.version = +(before?.dataset.version || 0);
      return;
    }
    dressFrame(frame);
    if (!frame.classList.contains("coming")) return;
    continueGame(before.contentDocument, loaded);
    const hasFocus = document.activeElement === before;
    before.remove();
    frame.className = "player"; frame.id = "player";
    if (hasFocus) frame.focus();
  });
  showIn(frame, `/play/${job.id}/${version}?language=${language}`);
  if (engine.loading !== "loading") return;
  const wait = document.createElement("p");
  wait.className = "quiet wait"; wait.textContent = t("The engine is being loaded …");
  $("screen").append(wait);
  engine.loaded.then(() => wait.remove());
}
// Continue a better game at the same share of its drops; after the end of the old one, start anew.
function continueGame(before, now) {
  const [from, to] = [before, now].map(one => one?.getElementById("seek"));
  if (!from || !to || +from.value >= +from.max) return;
  to.value = Math.round(from.value / from.max * to.max);
  to.dispatchEvent(new Event("input"));
  const [was, is] = [before, now].map(one => one.getElementById("play").getAttribute("aria-label"));
  if (was !== is) now.getElementById("play").click();
}
function update(job) {
  const best = findPlan(job), working = job.state === "working" || job.state === "stopping";
  // Player, figures and files are of one plan.
  if (best && shown.version !== best.version) {
    if (shown.version) say(t("A better plan: {drops}.", { drops: n(best.drops, "drop|drops") }), { quietly: true });
    play(job, best.version);
  }
  if (!best && !$("screen").firstChild) $("screen").innerHTML = `<div class="frame"><p class="quiet"></p></div>`;
  const hope = $("screen").querySelector(".frame p");
  if (hope) hope.textContent = best ? "" : t(working ? "The first plan is being made …" : job.state === "waiting" ? "Waiting in the queue." : "There is no plan.");
  // Offer a plan that is better than the one shown; the user decides when to take it.
  const better = $("better"), newer = best && isHeld(job), known = job.progress?.drops;
  const hidden = working && best && known && known < job.best.drops, key = newer ? String(job.best.version) : hidden ? "h" + known : "";
  better.hidden = !key;
  if (key && better.dataset.version !== key) {
    const words = document.createElement("p"), drops = n(newer ? job.best.drops : known, "drop|drops");
    words.textContent = newer ? t("There is a better plan: {drops}.", { drops }) : t("The search has a plan of {drops} and continues.", { drops });
    better.replaceChildren(words, newer ? button(t("Use the best"), () => hold(job, null), { class: "main", id: "take" })
      : button(t("Stop and take it"), () => act(job, "stop"), { id: "take-stop" }));
    if (newer) say(words.textContent, { quietly: true });
  }
  better.dataset.version = key;
  listActions(job, working);
  const doing = $("doing"), said = readOnly ? "" : t(STATES[job.state]) + (working && job.progress ? ": " + translateMessage(job.progress.stage) : "") +
    (job.error ? ": " + translateMessage(job.error) : "") + (job.result?.said ? " — " + translateMessage(job.result.said) : "");
  if (doing.textContent !== said) doing.textContent = said;
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
  const key = [job.state, job.options.effort, job.best?.proof, held?.job, !job.best, document.documentElement.lang].join();
  if ($("acts").dataset.key === key) return;
  $("acts").dataset.key = key;
  const made = [];
  if (!readOnly && (job.work === "print" || job.work === "film")) {
    if (working || job.state === "waiting") made.push(button(t("Stop"), () => act(job, "stop"), { id: "stop" }));
    else if (job.state !== "done" && engine.can.has("go on")) made.push(button(t("Continue"), () => act(job, "resume"), { id: "resume" }));
    if (!working && engine.can.has("improve") && job.work === "print" && job.state === "done" && job.best?.proof !== "all games" && job.options.effort < 10)
      made.push(button(t("Improve"), () => act(job, "more"), { id: "more" }));
  }
  if (working && job.best) made.push(held?.job === job.id
    ? button(t("Keep this plan"), () => hold(job, null), { id: "hold", "aria-pressed": true })
    : button(t("Keep this plan"), () => hold(job, job.best), { id: "hold", "aria-pressed": false }));
  if ($("look")) made.push(button(t("Back to the picture"), () => { showPicture(); $("print").focus(); }, { id: "back-to-picture" }));
  if (!readOnly) made.push(button(t("Remove"), () => trying(() => remove(job.id)), { id: "remove" }));
  $("acts").replaceChildren(...made);
}
// Update the list at once: the news of the removal may come before this page listens.
async function remove(id) {
  await ask(`/api/jobs/${id}`, { method: "DELETE" });
  jobs.delete(id);
  if (id === chosen) chosen = "";
  list(); showPanel();
}
const act = (job, what) => trying(async () => {
  const known = jobs.get(job.id), answer = await askJson(`/api/jobs/${job.id}/${what}`, { method: "POST" });
  if (jobs.get(job.id) === known) jobs.set(job.id, answer);  // else there is later news
  list(); showPanel();
});
function showFigures(job) {
  const best = findPlan(job), box = $("figures");
  if (!box) return;
  const proof = { "all games": "no game of hard drops has fewer" }[best?.proof];
  const rows = [
    [t("Drops"), best ? best.drops : "–"], [t("At least"), job.progress?.bound || job.best?.bound || "–"],
    [t("Cells per square"), best ? best.cells_per_pixel.toFixed(2) : "–"], [t("Lines"), best ? best.lines : "–"],
    [t("Squares"), best ? best.pixels : "–"],
  ];
  if (job.work === "print" || job.work === "film") rows.push([t("Time"), formatTime(job.seconds)]);
  if (proof) rows.push([t("Proved"), t(proof)]);
  const html = rows.map(() => "<div><dt></dt><dd></dd></div>").join("");
  if (box.childElementCount !== rows.length) box.innerHTML = html;
  rows.forEach(([name, value], k) => {
    const [dt, dd] = box.children[k].children;
    box.children[k].classList.toggle("wide", name === t("Proved"));
    dt.textContent = name; if (dd.textContent !== String(value)) dd.textContent = value;
  });
}
const formatTime = s => s < 100 ? t("{s} s", { s: s.toFixed(s < 10 ? 1 : 0) }) : t("{m} min", { m: (s / 60).toFixed(1) });
function drawChart(job) {
  const svg = $("chart"), points = job.history.filter(p => p[1] !== null);
  if (svg.dataset.n === String(job.history.length) && svg.dataset.of === job.id) return;
  svg.dataset.n = job.history.length; svg.dataset.of = job.id;
  const hidden = points.length < 1 || job.work === "film";  // a film has one plan
  svg.parentElement.hidden = hidden;
  if (hidden) return;
  const end = Math.max(job.seconds, points.at(-1)[0], .1) * 1.03, bound = Math.max(...points.map(p => p[2] || 0));
  const most = Math.max(...points.map(p => p[1])) * 1.06, least = Math.max(0, Math.min(bound || Infinity, ...points.map(p => p[1])) * .9);
  const x = s => (300 * s / end).toFixed(1), y = d => (96 - 92 * (d - least) / Math.max(1, most - least)).toFixed(1);
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
  for (const [kind, why] of Object.entries(missing)) {
    const pressed = document.querySelector(`#files [data-kind=${kind}]`);
    if (!pressed) continue;
    pressed.disabled = why !== "";
    $("no-" + kind).hidden = !why; $("no-" + kind).textContent = why;
  }
}
async function download(job, kind, pressed) {
  pressed.disabled = true;
  await trying(async () => {
    const place = encodeURIComponent(job.options.place || "");
    const answer = await ask(`/api/jobs/${job.id}/files/${kind}?version=${findPlan(job).version}&place=${place}`);
    const named = /filename\*=UTF-8''([^;]+)/.exec(answer.headers.get("content-disposition") || "");
    save(await answer.blob(), named ? decodeURIComponent(named[1]) : `print.${kind}`);
  });
  pressed.disabled = false;
}
const LONGEST = 12000;
async function copyLink(job) {
  const answer = await ask(`/api/jobs/${job.id}/files/plan?version=${findPlan(job).version}`);
  const packed = new Uint8Array(await new Response(answer.body.pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
  let text = "";
  for (let k = 0; k < packed.length; k += 5000) text += String.fromCharCode(...packed.subarray(k, k + 5000));
  const code = btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  if (code.length > LONGEST) throw new Error(t("This plan is too long for a link; take it as a file."));
  const link = `${share}#plan=${code}&name=${encodeURIComponent(job.name)}`;
  $("link").dataset.link = link;
  try { await navigator.clipboard.writeText(link); say(t("The link is copied: it carries the whole plan.")); }
  catch { prompt(t("The link, which carries the whole plan:"), link); }
}
