// The gallery: visitors can watch and download finished prints, but change nothing.
import { askJson, begin, say } from "./common.js";
import { startJobs } from "./jobs.js";

begin();
const state = await askJson("/api/state").catch(error => { say(error.message); return { jobs: [], downloads: [], readOnly: true }; });
startJobs(state);
document.documentElement.dataset.ready = "";
