// The engine of the page without a server: the package answers the requests in web workers. One worker
// runs the jobs, and another worker makes previews and files, so that these need not wait.
import { describeError } from "./faults.js";
import { decodeImage, requestFirstPreview } from "./images.js";
import { BrowserStore } from "./shelf.js";
import { canEncode } from "./video.js";

const FILES = {
  png: ["png", "image/png"], gif: ["gif", "image/gif"], mp4: ["mp4", "video/mp4"], html: ["html", "text/html"], plan: ["txt", "text/plain"],
  art: ["json", "application/json"], fumen: ["fumen", "text/plain"], drops: ["drops.json", "application/json"],
  tetrio: ["tetrio", "text/plain"], lesson: ["lesson", "text/plain"],
};
const MAX_SIDE = 2048;  // most pixels a side of an image; a print shows no more detail
const DEFAULT_HOLD = 2;  // default seconds for each picture of a slideshow
const TILING_MILLISECONDS = 60000;  // milliseconds after which a search for tilings is ended
const makeIdentifier = () => [...crypto.getRandomValues(new Uint8Array(8))].map(b => b.toString(16).padStart(2, "0")).join("");
const makeJsonResponse = (value, status = 200) => new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });
class Refusal extends Error { constructor(sentence, code = 400) { super(sentence); this.code = code; } }
const makeUnknown = () => new Refusal("not found", 404);
const CANNOT_LOAD = "the engine cannot be loaded; reload the page";

// A web worker that answers one request after the other; it starts at the first request.
class RequestWorker {
  constructor(root) { this.root = root; this.worker = null; this.requests = new Map(); this.lastId = 0; this.ready = false; this.sending = Promise.resolve(); }
  start() {
    if (this.worker) return;
    this.worker = new Worker(new URL("static/page_worker.js", this.root), { type: "module" });
    this.worker.onmessage = ({ data }) => {
      if (data.loaded) { this.onProgress?.(data.loaded); return; }
      if (data.ready) { this.ready = true; this.onStateChange?.("done"); return; }
      if (data.isBroken) { this.end(CANNOT_LOAD); return; }
      const request = this.requests.get(data.id);
      if (!request) return;
      if (data.event) { request.onEvent?.(data.event); return; }
      this.requests.delete(data.id);
      const reply = data.fault ? { error: data.fault, code: 500 } : data.reply;
      reply.error === undefined ? request.resolve(reply.answer) : request.reject(new Refusal(reply.error, reply.code));
    };
    this.worker.onerror = e => { if (e.message) console.error(e.message); this.end(CANNOT_LOAD); };
  }
  // An image is given as {key, blob}; its pixels are sent unless the worker still has them.
  sendRequest(requestName, options, { onEvent, file, crop } = {}) {
    this.start();
    const id = ++this.lastId, { worker } = this;
    return new Promise((resolve, reject) => {
      this.requests.set(id, { resolve, reject, onEvent });
      const send = async () => {
        const isNew = file && worker.imageKey !== file.key, decoded = isNew ? await decodeImage(file.blob, MAX_SIDE) : null;
        if (isNew) worker.imageKey = file.key;
        const image = file && { key: file.key, decoded };
        worker.postMessage({ id, name: requestName, options: JSON.stringify(options), image, crop }, decoded ? [decoded.data.buffer] : []);
      };
      // Send the requests in order, because later ones rely on an image that was sent before.
      this.sending = this.sending.then(send).catch(error => { this.requests.delete(id); reject(new Refusal(describeError(error))); });
    });
  }
  // End the worker: open requests fail, and the next request starts a new worker.
  end(why = "stopped") {
    this.worker?.terminate();
    this.worker = null; this.ready = false;
    this.onStateChange?.("failed");
    for (const request of this.requests.values()) request.reject(new Refusal(why, 409));
    this.requests.clear();
  }
}

export class WorkerEngine {
  pages = [["index.html", "Print"], ["patterns.html", "Patterns"], ["tilings.html", "Tilings"]];
  features = new Set(["film", "text", "triplex", "improve", "go on", "dither", "adjust", "solver", "real time"]);
  constructor(root) {
    this.root = root;
    const { home } = document.documentElement.dataset;
    if (home) this.pages.push([home, "Documentation"]);
    this.previewWorker = new RequestWorker(root); this.jobWorker = new RequestWorker(root);
    this.jobs = new Map(); this.plans = new Map(); this.listeners = []; this.addresses = new Map();
    this.images = new Map(); this.smallImages = new Map();  // both by picture: {key, blob}, and the small image
    this.store = new BrowserStore();
    this.runningJob = null;
    this.loading = "loading";
    this.loaded = new Promise(resolve => {
      this.previewWorker.onStateChange = state => {
        if (this.loading === "loading" && state === "done") document.documentElement.dataset.engineReady = Math.round(performance.now());
        if (state === "done" && document.documentElement.dataset.page === "print") this.jobWorker.start();
        this.loading = state;
        resolve();
      };
    });
    this.loadedShare = 0;
    this.previewWorker.onProgress = async loaded => {
      this.loadedShare = Math.min(1, loaded / (await this.about).engineBytes);
      dispatchEvent(new Event("studio-loading"));
    };
    this.about = fetch(new URL("page.json", root)).then(answer => answer.json());
    this.storedJobs = this.store.loadJobs().then(entries => {
      for (const { job, plans } of entries) {
        if (job.state === "working" || job.state === "waiting") job.state = "stopped";
        job.began = null; job.progress = null;
        this.jobs.set(job.id, job); this.plans.set(job.id, plans);
      }
    });
    // Let the page appear first, because the engine takes seconds to load.
    setTimeout(() => this.previewWorker.start(), 50);
    if ("serviceWorker" in navigator) navigator.serviceWorker.register(new URL("sw.js", root)).catch(() => {});
  }
  listen(onEvent) { this.listeners.push(onEvent); }
  async address(path) {
    const [pathname] = path.split("?");
    if (pathname.startsWith("/api/examples/")) return new URL(`examples/${pathname.split("/").pop()}.png`, this.root).href;
    if (pathname === "/triplex") return new URL("triplex.html", this.root).href;
    if (!this.addresses.has(path)) {
      const address = this.fetch(path).then(async answer => URL.createObjectURL(await answer.blob()));
      this.addresses.set(path, address);
      address.catch(() => this.addresses.delete(path));  // so that the next call tries again
    }
    return this.addresses.get(path);
  }
  async fetch(path, { method = "GET", body, signal } = {}) {
    try {
      const url = new URL(path, this.root), parts = url.pathname.split("/").filter(Boolean);
      const answer = await this.answer(method, parts, url.searchParams, body);
      if (signal?.aborted) throw new DOMException("", "AbortError");
      return answer;
    } catch (error) {
      if (error instanceof Refusal) return makeJsonResponse({ error: error.message }, error.code);
      throw error;
    }
  }
  answer(method, parts, query, body) {
    const [first, what, id, act, kind] = parts;
    if (first === "play") return what === "matrix" ? this.matrix(query) : this.player(what, +id);
    if (what === "patterns") return this.findPatterns(id, method === "POST" ? JSON.parse(body) : Object.fromEntries(query));
    if (what === "tilings") return this.tile(JSON.parse(body));
    if (what === "demo") return fetch(new URL("demo.json", this.root));
    if (what === "state") return this.state();
    if (what === "uploads") return method === "POST" ? this.upload(body, query.get("name")) : this.getUpload(id);
    if (what === "preview") return this.preview(JSON.parse(body));
    if (what === "plans") return this.importPlan(body, query.get("name"));
    if (what === "jobs" && !id) return this.addPrint(JSON.parse(body));
    if (what === "films") return this.addSlideshow(JSON.parse(body));
    const job = this.jobs.get(id);
    if (what !== "jobs" || !job) throw makeUnknown();
    if (method === "DELETE") return this.remove(job);
    if (act === "thumbnail") return this.thumbnail(job);
    if (act === "files") return this.file(job, kind, +query.get("version") || job.best.version, query.get("place") || "");
    if (act === "stop") return this.stop(job);
    return this.restart(job, act === "more" ? job.options.effort + 1 : job.options.effort);
  }
  async state() {
    const about = await this.about;
    await this.storedJobs;
    const downloads = Object.keys(FILES), hasVideo = await canEncode();
    return makeJsonResponse({
      version: about.version, examples: about.examples, presets: about.presets, widest: 0,
      downloads: downloads.filter(kind => kind !== "mp4" || hasVideo),
      share: ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname) ? "" : new URL("index.html", this.root).href, jobs: [...this.jobs.values()],
    });
  }

  // ---- Pictures: decoded and scaled by the browser, the rest is done by the package.
  async upload(file, name) {
    let small;
    try { small = await decodeImage(file); } catch { throw new Refusal(`${name}: this browser cannot read the image; save it as PNG or JPEG`); }
    const id = makeIdentifier();
    this.smallImages.clear();  // forget the earlier pictures
    this.smallImages.set(id, small);
    await this.store.savePicture(id, file);
    const [width, height] = small.was.split("x").map(Number);
    return makeJsonResponse({ id, width, height, was: [width, height] });
  }
  async getUpload(id) {
    const file = await this.store.loadPicture(id);
    if (!file) throw makeUnknown();
    return new Response(file);
  }
  // Return the image file and crop of a picture for a worker; {} for a text or a drawing.
  async findImage({ kind, source, crop }) {
    if (kind !== "upload" && kind !== "example") return {};
    if (!this.images.has(source)) {
      const blob = kind === "upload" ? await this.store.loadPicture(source) : await (await fetch(await this.address(`/api/examples/${source}`))).blob();
      if (!blob) return {};
      this.images.set(source, { key: source, blob });
    }
    return { file: this.images.get(source), crop };
  }
  // Return an image in a small size; it is decoded only once.
  async decodeSmall({ key, blob }) {
    if (!this.smallImages.has(key)) this.smallImages.set(key, await decodeImage(blob));
    return this.smallImages.get(key);
  }
  async loadSmallImage(kind, source) {
    const { file } = await this.findImage({ kind, source });
    if (!file) throw makeUnknown();
    return this.decodeSmall(file);
  }
  async preview(options) {
    const image = await this.findImage(options);
    if (options.glance && !this.previewWorker.ready && image.file) return makeJsonResponse(await requestFirstPreview(await this.decodeSmall(image.file), options));
    if (options.glance && this.loading === "loading") return makeJsonResponse(null);  // a drawing needs the engine
    return makeJsonResponse(await this.previewWorker.sendRequest("preview", options, image));
  }

  // ---- Jobs: one runs, the others wait.
  async addPrint(options) {
    const { effort, place, ...rest } = options;
    const prepared = await this.previewWorker.sendRequest("prepare", rest, await this.findImage(rest));
    prepared.crop = rest.crop;
    return this.addJob(options.name || options.source, "print", { effort, place, prepared });
  }
  async addSlideshow({ jobs, ...settings }) {
    const prints = jobs.map(id => this.jobs.get(id)).filter(Boolean).map(job => [job.name, job.options.prepared]);
    const { name, job: jobOptions } = await this.previewWorker.sendRequest("slideshow", { ...settings, prints });
    return this.addJob(name, "film", { prepared: jobOptions });
  }
  addJob(name, work, options) {
    const job = {
      id: makeIdentifier(), name, work, state: "waiting", created: Date.now() / 1000,
      options, best: null, result: null, progress: null, history: [], error: "", seconds: 0, began: null,
    };
    this.jobs.set(job.id, job); this.plans.set(job.id, {});
    this.announceChange(job);
    this.runNextJob();
    return makeJsonResponse(job, 201);
  }
  announceChange(job) {
    if (!this.jobs.has(job.id)) return;
    for (const onEvent of this.listeners) onEvent({ job: { ...job } });
    this.store.saveJob(job, this.plans.get(job.id));
  }
  async runNextJob() {
    if (this.runningJob) return;
    const job = [...this.jobs.values()].find(candidate => candidate.state === "waiting");
    if (!job) return;
    this.runningJob = job;
    job.state = "working"; job.began = Date.now() / 1000; job.error = "";
    this.announceChange(job);
    const earlierSeconds = job.seconds;
    const measureSeconds = () => earlierSeconds + Date.now() / 1000 - job.began;
    const onEvent = news => {
      if (job.state !== "working") return;
      if (news.event === "best") {
        this.plans.get(job.id)[news.best.version] = news.plan;
        job.best = news.best;
      } else job.progress = { stage: news.stage, fraction: news.fraction, seconds_left: news.seconds_left, drops: news.drops, bound: news.bound };
      const drops = Math.min(...[job.best?.drops, job.progress?.drops].filter(Number.isFinite));
      const point = [Math.round(100 * measureSeconds()) / 100, Number.isFinite(drops) ? drops : null, job.best?.bound || null];
      const last = job.history.at(-1);
      if (!last || last[1] !== point[1] || last[2] !== point[2]) job.history.push(point);
      job.seconds = measureSeconds();
      this.announceChange(job);
    };
    try {
      const options = { work: job.work, ...job.options.prepared, name: job.name, effort: job.options.effort, seed: 0, workers: 1 };
      if (job.best) Object.assign(options, { best: job.best, plan: this.getPlan(job.id, job.best.version) });
      const image = await this.findImage({ ...options.wanted, crop: options.crop });
      job.result = await this.jobWorker.sendRequest("work", options, { ...image, onEvent });
      job.state = "done";
    } catch (error) {
      if (job.state === "working") { job.state = job.best ? "stopped" : "failed"; job.error = describeError(error); }
    }
    job.seconds = measureSeconds(); job.began = null; job.progress = null; this.runningJob = null;
    this.announceChange(job);
    this.runNextJob();
  }
  async stop(job) {
    const isRunning = job === this.runningJob;
    job.state = "stopped";
    if (isRunning) { this.jobWorker.end(); this.jobWorker.start(); }
    this.announceChange(job);
    return makeJsonResponse(job);
  }
  async restart(job, effort) {
    if (["working", "waiting"].includes(job.state)) return makeJsonResponse(job);
    if (effort !== job.options.effort) job.options.before = job.best?.drops;
    job.options.effort = effort; job.state = "waiting";
    this.announceChange(job);
    this.runNextJob();
    return makeJsonResponse(job);
  }
  async remove(job) {
    if (job === this.runningJob) await this.stop(job);
    this.jobs.delete(job.id); this.plans.delete(job.id);
    this.store.deleteJob(job.id);
    for (const onEvent of this.listeners) onEvent({ removed: job.id });
    return makeJsonResponse({});
  }
  async importPlan(body, name) {
    const text = await new Response(body).text();
    for (const [id, plans] of this.plans) if (Object.values(plans).includes(text)) return makeJsonResponse(this.jobs.get(id), 201);
    let best = null, plan = "";
    const suffix = /\.(json|fumen|txt)$/i.exec(name)?.[0].toLowerCase() || ".txt";
    const onEvent = news => { if (news.event === "best") { best = news.best; plan = news.plan; } };
    const prepared = await this.previewWorker.sendRequest("work", { work: "plan", text, suffix, name }, { onEvent });
    const job = {
      id: makeIdentifier(), name: name.replace(/\.(txt|json|fumen)$/i, ""), work: "plan", state: "done", created: Date.now() / 1000, best,
      options: { prepared }, result: null, progress: null, history: [], error: "", seconds: 0, began: null,
    };
    this.jobs.set(job.id, job); this.plans.set(job.id, { [best.version]: plan });
    this.announceChange(job);
    return makeJsonResponse(job, 201);
  }

  // ---- Thumbnails and players of jobs.
  async thumbnail(job) {
    const { drawing, background } = job.options.prepared;
    return new Response(await this.previewWorker.sendRequest("thumbnail", { drawing, background }));
  }
  getPlan(id, version) {
    const plan = this.plans.get(id)?.[version];
    if (!plan) throw makeUnknown();
    return plan;
  }
  getHold(id) { return this.jobs.get(id).options.prepared.hold || DEFAULT_HOLD; }
  async player(id, version) {
    const options = { plan: this.getPlan(id, version), kind: "html", name: this.jobs.get(id).name, hold: this.getHold(id) };
    return this.makePageResponse(await this.previewWorker.sendRequest("file", options));
  }
  makePageResponse(text) { return new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } }); }

  // ---- Patterns and tilings.
  async matrix(query) { return this.makePageResponse(await this.previewWorker.sendRequest("matrix", Object.fromEntries(query))); }
  async findPatterns(requestName, options) { return makeJsonResponse(await this.previewWorker.sendRequest(requestName, options)); }
  async tile(options) {
    const timer = setTimeout(() => this.previewWorker.end("the search took longer than a minute and was ended"), TILING_MILLISECONDS);
    try { return makeJsonResponse(await this.previewWorker.sendRequest("tile", options)); } finally { clearTimeout(timer); }
  }
  async file(job, kind, version, place) {
    const plan = this.getPlan(job.id, version), [ending, type] = FILES[kind];
    let content = plan;
    if (["png", "gif", "mp4"].includes(kind)) content = await this.previewWorker.sendRequest(kind, { plan, place, hold: this.getHold(job.id) });
    else if (kind !== "plan") content = await this.previewWorker.sendRequest("file", { plan, kind, name: job.name, hold: this.getHold(job.id) });
    const name = encodeURIComponent(`${job.name.replace(/[^\p{L}\p{N} _()-]/gu, "_")}.${ending}`);
    return new Response(content, { headers: { "content-type": type, "content-disposition": `attachment; filename*=UTF-8''${name}` } });
  }
}
