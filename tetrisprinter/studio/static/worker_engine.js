// The engine of the page without a server: the package answers the requests in web workers. One worker
// makes previews and files, so that it always has time; another one runs the jobs.
import { decodeImage, drawFirstLook } from "./images.js";
import { Shelf } from "./shelf.js";
import { canEncode } from "./video.js";

const FILES = {
  png: ["png", "image/png"], gif: ["gif", "image/gif"], mp4: ["mp4", "video/mp4"], html: ["html", "text/html"], plan: ["txt", "text/plain"],
  art: ["json", "application/json"], fumen: ["fumen", "text/plain"], drops: ["drops.json", "application/json"],
  tetrio: ["tetrio", "text/plain"], lesson: ["lesson", "text/plain"],
};
const SIDE = 2048;  // most pixels a side of an image; a print shows no more detail
const HOLD = 2;  // default seconds for each picture of a slideshow
const TILING = 60000;  // milliseconds after which a search for tilings is ended
const identifier = () => [...crypto.getRandomValues(new Uint8Array(8))].map(b => b.toString(16).padStart(2, "0")).join("");
const json = (value, status = 200) => new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });
class Refusal extends Error { constructor(sentence, code = 400) { super(sentence); this.code = code; } }

// A web worker that answers one request after the other; it starts at the first request.
class RequestWorker {
  constructor(root) { this.root = root; this.worker = null; this.open = new Map(); this.number = 0; this.ready = false; this.sent = Promise.resolve(); }
  start() {
    if (this.worker) return;
    this.worker = new Worker(new URL("static/page_worker.js", this.root), { type: "module" });
    this.worker.onmessage = ({ data }) => {
      if (data.ready) { this.ready = true; this.onstart?.("done"); return; }
      if (data.broken) { this.end(data.broken); return; }
      const options = this.open.get(data.id);
      if (!options) return;
      if (data.event) { options.onEvent?.(data.event); return; }
      this.open.delete(data.id);
      const reply = data.fault ? { error: data.fault, code: 500 } : data.reply;
      reply.error === undefined ? options.done(reply.answer) : options.failed(new Refusal(reply.error, reply.code));
    };
    this.worker.onerror = e => this.end(e.message || "the engine cannot be loaded");
  }
  // An image is given as {key, blob}; its pixels are sent unless the worker still has them.
  sendRequest(what, options, { onEvent, file, crop } = {}) {
    this.start();
    const id = ++this.number, { worker } = this;
    return new Promise((done, failed) => {
      this.open.set(id, { done, failed, onEvent });
      const send = async () => {
        const isNew = file && worker.imageKey !== file.key, decoded = isNew ? await decodeImage(file.blob, SIDE) : null;
        if (isNew) worker.imageKey = file.key;
        const image = file && { key: file.key, decoded };
        worker.postMessage({ id, what, options: JSON.stringify(options), image, crop }, decoded ? [decoded.data.buffer] : []);
      };
      // Send the requests in order, because later ones rely on an image that was sent before.
      this.sent = this.sent.then(send).catch(error => { this.open.delete(id); failed(new Refusal(error.message)); });
    });
  }
  // End the worker: open requests fail, and the next request starts a new worker.
  end(why = "stopped") {
    this.worker?.terminate();
    this.worker = null; this.ready = false;
    this.onstart?.("failed");
    for (const one of this.open.values()) one.failed(new Refusal(why, 409));
    this.open.clear();
  }
}

export class WorkerEngine {
  pages = [["index.html", "Print"], ["patterns.html", "Patterns"], ["tilings.html", "Tilings"]];
  can = new Set(["film", "text", "triplex", "improve", "go on", "dither", "adjust", "solver", "real time"]);
  constructor(root) {
    this.root = root;
    const { home } = document.documentElement.dataset;
    if (home) this.pages.push([home, "Documentation"]);
    this.previewWorker = new RequestWorker(root); this.jobWorker = new RequestWorker(root);
    this.jobs = new Map(); this.plans = new Map(); this.listeners = []; this.addresses = new Map();
    this.images = new Map(); this.glances = new Map();  // by picture: {key, blob}, small image
    this.shelf = new Shelf();
    this.atWork = null;
    this.loading = "loading";
    this.loaded = new Promise(done => {
      this.previewWorker.onstart = how => {
        if (this.loading === "loading" && how === "done") document.documentElement.dataset.engineReady = Math.round(performance.now());
        if (how === "done" && document.documentElement.dataset.page === "print") this.jobWorker.start();
        this.loading = how;
        done();
      };
    });
    this.about = fetch(new URL("page.json", root)).then(answer => answer.json());
    this.kept = this.shelf.all().then(found => {
      for (const { job, plans } of found) {
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
    const [place] = path.split("?");
    if (place.startsWith("/api/examples/")) return new URL(`examples/${place.split("/").pop()}.png`, this.root).href;
    if (place === "/triplex") return new URL(`triplex-${path.endsWith("ru") ? "ru" : "en"}.html`, this.root).href;
    if (!this.addresses.has(path)) {
      const made = this.fetch(path).then(async answer => URL.createObjectURL(await answer.blob()));
      this.addresses.set(path, made);
      made.catch(() => this.addresses.delete(path));  // so that the next call tries again
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
      if (error instanceof Refusal) return json({ error: error.message }, error.code);
      throw error;
    }
  }
  answer(method, parts, query, body) {
    const [first, what, id, act, kind] = parts;
    if (first === "play") return what === "matrix" ? this.matrix(query) : this.player(what, +id, query);
    if (what === "patterns") return this.findPatterns(id, method === "POST" ? JSON.parse(body) : Object.fromEntries(query));
    if (what === "tilings") return this.tile(JSON.parse(body));
    if (what === "state") return this.state();
    if (what === "uploads") return method === "POST" ? this.upload(body, query.get("name")) : this.getUpload(id);
    if (what === "preview") return this.preview(JSON.parse(body));
    if (what === "plans") return this.bringPlan(body, query.get("name"));
    if (what === "jobs" && !id) return this.add(JSON.parse(body));
    if (what === "films") return this.addSlideshow(JSON.parse(body));
    const job = this.jobs.get(id);
    if (what !== "jobs" || !job) throw new Refusal("not found", 404);
    if (method === "DELETE") return this.remove(job);
    if (act === "thumbnail") return this.thumbnail(job);
    if (act === "files") return this.file(job, kind, +query.get("version") || job.best.version, query.get("place") || "");
    if (act === "stop") return this.stop(job);
    return this.restart(job, act === "more" ? job.options.effort + 1 : job.options.effort);
  }
  async state() {
    const about = await this.about;
    await this.kept;
    const downloads = Object.keys(FILES), hasVideo = await canEncode();
    return json({
      version: about.version, readOnly: false, examples: about.examples, presets: about.presets, widest: 0,
      downloads: downloads.filter(kind => kind !== "mp4" || hasVideo),
      share: new URL("index.html", this.root).href, jobs: [...this.jobs.values()],
    });
  }

  // ---- Pictures: decoded and scaled by the browser, the rest is done by the package.
  async upload(file, name) {
    let small;
    try { small = await decodeImage(file); } catch { throw new Refusal(`${name}: this browser cannot read the image; save it as PNG or JPEG`); }
    const id = identifier();
    this.glances.clear();  // forget the earlier pictures
    this.glances.set(id, small);
    await this.shelf.keepPicture(id, file);
    const [width, height] = small.was.split("x").map(Number);
    return json({ id, width, height, was: [width, height] });
  }
  async getUpload(id) {
    const file = await this.shelf.picture(id);
    if (!file) throw new Refusal("not found", 404);
    return new Response(file);
  }
  // Return the image file and crop of a picture for a worker; {} for a text or a drawing.
  async image({ kind, source, crop }) {
    if (kind !== "upload" && kind !== "example") return {};
    if (!this.images.has(source)) {
      const blob = kind === "upload" ? await this.shelf.picture(source) : await (await fetch(await this.address(`/api/examples/${source}`))).blob();
      if (!blob) return {};
      this.images.set(source, { key: source, blob });
    }
    return { file: this.images.get(source), crop };
  }
  // Return an image in a small size; it is decoded only once.
  async glance({ key, blob }) {
    if (!this.glances.has(key)) this.glances.set(key, await decodeImage(blob));
    return this.glances.get(key);
  }
  async small(kind, source) {
    const { file } = await this.image({ kind, source });
    if (!file) throw new Refusal("not found", 404);
    return this.glance(file);
  }
  async preview(options) {
    const image = await this.image(options);
    if (!image.file && options.kind === "upload") throw new Refusal(`${options.name}: this picture is no longer stored; open it again`);
    if (options.glance && !this.previewWorker.ready && image.file) return json(await drawFirstLook(await this.glance(image.file), options));
    if (options.glance && this.loading === "loading") return json(null);  // a drawing needs the engine
    return json(await this.previewWorker.sendRequest("preview", options, image));
  }

  // ---- Jobs: one at work, the others wait.
  async add(options) {
    const { effort, place, ...rest } = options;
    const prepared = await this.previewWorker.sendRequest("prepare", rest, await this.image(rest));
    prepared.crop = rest.crop;
    return this.queue(options.name || options.source, "print", { effort, place, prepared });
  }
  async addSlideshow({ jobs, ...how }) {
    const prints = jobs.map(id => this.jobs.get(id)).filter(Boolean).map(job => [job.name, job.options.prepared.task]);
    const { name, job } = await this.previewWorker.sendRequest("slideshow", { ...how, prints });
    return this.queue(name, "film", { prepared: job });
  }
  queue(name, work, options) {
    const job = {
      id: identifier(), name, work, state: "waiting", created: Date.now() / 1000,
      options, best: null, result: null, progress: null, history: [], error: "", seconds: 0, began: null,
    };
    this.jobs.set(job.id, job); this.plans.set(job.id, {});
    this.announceChange(job);
    this.next();
    return json(job, 201);
  }
  announceChange(job) {
    if (!this.jobs.has(job.id)) return;
    for (const onEvent of this.listeners) onEvent({ job: { ...job } });
    this.shelf.keep(job, this.plans.get(job.id));
  }
  async next() {
    if (this.atWork) return;
    const job = [...this.jobs.values()].find(one => one.state === "waiting");
    if (!job) return;
    this.atWork = job;
    job.state = "working"; job.began = Date.now() / 1000; job.error = "";
    this.announceChange(job);
    const from = job.seconds;
    const passed = () => from + Date.now() / 1000 - job.began;
    const onEvent = news => {
      if (job.state !== "working") return;
      if (news.event === "best") {
        this.plans.get(job.id)[news.best.version] = news.plan;
        job.best = news.best;
      } else job.progress = { stage: news.stage, fraction: news.fraction, drops: news.drops, bound: news.bound };
      const drops = Math.min(...[job.best?.drops, job.progress?.drops].filter(Number.isFinite));
      const point = [Math.round(100 * passed()) / 100, Number.isFinite(drops) ? drops : null, job.best?.bound || null];
      const last = job.history.at(-1);
      if (!last || last[1] !== point[1] || last[2] !== point[2]) job.history.push(point);
      job.seconds = passed();
      this.announceChange(job);
    };
    try {
      const options = { work: job.work, ...job.options.prepared, name: job.name, effort: job.options.effort, seed: 0, workers: 1 };
      if (job.best) Object.assign(options, { best: job.best, plan: this.planOf(job.id, job.best.version) });
      const image = await this.image({ ...options.wanted, crop: options.crop });
      job.result = await this.jobWorker.sendRequest("work", options, { ...image, onEvent });
      job.state = "done";
    } catch (error) {
      if (job.state === "working") { job.state = job.best ? "stopped" : "failed"; job.error = error.message; }
    }
    job.seconds = passed(); job.began = null; job.progress = null; this.atWork = null;
    this.announceChange(job);
    this.next();
  }
  async stop(job) {
    const working = job === this.atWork;
    job.state = "stopped";
    if (working) { this.jobWorker.end(); this.jobWorker.start(); }
    this.announceChange(job);
    return json(job);
  }
  async restart(job, effort) {
    if (["working", "waiting"].includes(job.state)) return json(job);
    job.options.effort = effort; job.state = "waiting";
    this.announceChange(job);
    this.next();
    return json(job);
  }
  async remove(job) {
    if (job === this.atWork) await this.stop(job);
    this.jobs.delete(job.id); this.plans.delete(job.id);
    this.shelf.drop(job.id);
    for (const onEvent of this.listeners) onEvent({ removed: job.id });
    return json({});
  }
  async bringPlan(body, name) {
    const text = await new Response(body).text();
    for (const [id, plans] of this.plans) if (Object.values(plans).includes(text)) return json(this.jobs.get(id), 201);
    let best = null, plan = "";
    const suffix = /\.(json|fumen|txt)$/i.exec(name)?.[0].toLowerCase() || ".txt";
    const onEvent = news => { if (news.event === "best") { best = news.best; plan = news.plan; } };
    const prepared = await this.previewWorker.sendRequest("work", { work: "plan", text, suffix, name }, { onEvent });
    const job = {
      id: identifier(), name: name.replace(/\.(txt|json|fumen)$/i, ""), work: "plan", state: "done", created: Date.now() / 1000, best,
      options: { prepared: { task: prepared } }, result: null, progress: null, history: [], error: "", seconds: 0, began: null,
    };
    this.jobs.set(job.id, job); this.plans.set(job.id, { [best.version]: plan });
    this.announceChange(job);
    return json(job, 201);
  }

  // ---- Thumbnails and players of jobs.
  async thumbnail(job) {
    const { drawing, background } = job.options.prepared.task;
    return new Response(await this.previewWorker.sendRequest("thumbnail", { drawing, background }));
  }
  planOf(id, version) {
    const plan = this.plans.get(id)?.[version];
    if (!plan) throw new Refusal("not found", 404);
    return plan;
  }
  hold(id) { return this.jobs.get(id).options.prepared.hold || HOLD; }
  async player(id, version, query) {
    const options = { plan: this.planOf(id, version), kind: "html", name: this.jobs.get(id).name, hold: this.hold(id) };
    return this.page(await this.previewWorker.sendRequest("file", options), query);
  }
  page(text, query) {
    const language = query.get("language") === "ru" ? "ru" : "en";
    return new Response(text.replace("<html ", `<html data-language="${language}" `), { headers: { "content-type": "text/html; charset=utf-8" } });
  }

  // ---- Patterns and tilings.
  async matrix(query) { return this.page(await this.previewWorker.sendRequest("matrix", Object.fromEntries(query)), query); }
  async findPatterns(what, options) { return json(await this.previewWorker.sendRequest(what, options)); }
  async tile(options) {
    const late = setTimeout(() => this.previewWorker.end("the search took longer than a minute and was ended"), TILING);
    try { return json(await this.previewWorker.sendRequest("tile", options)); } finally { clearTimeout(late); }
  }
  async file(job, kind, version, place) {
    const plan = this.planOf(job.id, version), [ending, type] = FILES[kind];
    let made = plan;
    if (["png", "gif", "mp4"].includes(kind)) made = await this.previewWorker.sendRequest(kind, { plan, place, hold: this.hold(job.id) });
    else if (kind !== "plan") made = await this.previewWorker.sendRequest("file", { plan, kind, name: job.name, hold: this.hold(job.id) });
    const name = encodeURIComponent(`${job.name.replace(/[^\p{L}\p{N} _()-]/gu, "_")}.${ending}`);
    return new Response(made, { headers: { "content-type": type, "content-disposition": `attachment; filename*=UTF-8''${name}` } });
  }
}
