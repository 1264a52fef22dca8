// The engine that answers the pages' requests: the studio's server, or the package in a web worker.
// `fetch` answers a request, and `address` returns the URL of an answer for an image or a frame.
// `loadSmallImage` decodes an uploaded or example picture. `listen` reports changes of jobs. `pages`
// lists the pages.
import { decodeImage } from "./images.js";
const root = new URL("../", import.meta.url);  // the folder in which static/ lies

class HttpEngine {
  pages = [["", "Print"], ["patterns", "Patterns"], ["tilings", "Tilings"]];
  // Features that some engines lack; page elements that need a missing feature are hidden.
  features = new Set(["film", "improve", "go on", "text", "dither", "adjust", "solver", "real time", "prove", "count", "triplex"]);
  loading = "";
  fetch(path, options) { return fetch(path, options); }
  async address(path) { return path; }
  async loadSmallImage(kind, source) {
    const answer = await fetch(`/api/${kind === "upload" ? "uploads" : "examples"}/${source}`);
    return decodeImage(await answer.blob());
  }
  // Listen only while the page is visible, because a browser allows few connections to one server.
  listen(onEvent) {
    let events = null;
    const connectWhileVisible = () => {
      if (document.hidden) { events?.close(); events = null; }
      else if (!events) {
        events = new EventSource("/api/events");
        events.onmessage = e => onEvent(JSON.parse(e.data));
      }
    };
    document.addEventListener("visibilitychange", connectWhileVisible);
    connectWhileVisible();
  }
}

const Engine = document.documentElement.dataset.engine === "worker"
  ? (await import("./worker_engine.js")).WorkerEngine : HttpEngine;
export const engine = new Engine(root);
for (const element of document.querySelectorAll("[data-needs]")) if (!engine.features.has(element.dataset.needs)) element.tagName === "OPTION" ? element.remove() : element.hidden = true;
