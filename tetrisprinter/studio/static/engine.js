// What the pages ask: the studio's server, or the package itself in a worker of the browser.
// An engine has five things: `fetch` answers a request, `address` names an answer that an image or a
// frame shows, `small` decodes a picture that was brought, `listen` receives what happens to jobs, and
// `pages` are the pages that there are.
import { decodeImage } from "./images.js";
const root = new URL("../", import.meta.url);  // the folder in which static/ lies

class HttpEngine {
  pages = [["", "Print"], ["patterns", "Patterns"], ["tilings", "Tilings"], ["gallery", "Gallery"]];
  // What not every engine can; what needs something else is not shown.
  can = new Set(["film", "improve", "go on", "text", "dither", "adjust", "solver", "real time", "prove", "count", "triplex"]);
  loading = "";
  fetch(path, how) { return fetch(path, how); }
  async address(path) { return path; }
  async small(kind, source) {
    const answer = await fetch(`/api/${kind === "upload" ? "uploads" : "examples"}/${source}`);
    return decodeImage(await answer.blob());
  }
  // While the page is seen only: a browser has few connections to a server.
  listen(onEvent) {
    let events = null;
    const tune = () => {
      if (document.hidden) { events?.close(); events = null; }
      else if (!events) {
        events = new EventSource("/api/events");
        events.onmessage = e => onEvent(JSON.parse(e.data));
      }
    };
    document.addEventListener("visibilitychange", tune);
    tune();
  }
}

const Engine = document.documentElement.dataset.engine === "worker"
  ? (await import("./worker_engine.js")).WorkerEngine : HttpEngine;
export const engine = new Engine(root);
for (const one of document.querySelectorAll("[data-needs]")) if (!engine.can.has(one.dataset.needs)) one.tagName === "OPTION" ? one.remove() : one.hidden = true;
