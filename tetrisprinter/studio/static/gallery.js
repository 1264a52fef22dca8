// The gallery: visitors can watch and download finished prints, but change nothing.
import { fetchJson, begin, showMessage } from "./common.js";
import { startJobs } from "./jobs.js";

begin();
const state = await fetchJson("/api/state").catch(error => { showMessage(error.message); return { jobs: [], downloads: [], readOnly: true }; });
startJobs(state);
document.documentElement.dataset.ready = "";
