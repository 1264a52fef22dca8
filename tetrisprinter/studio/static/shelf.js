// Stores jobs with their plans, and uploaded pictures, in the browser's database.
const toPromise = request => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const MAX_JOBS = 60;  // jobs; older ones are deleted

export class BrowserStore {
  constructor() {
    this.database = new Promise((resolve, reject) => {
      const request = indexedDB.open("tetrisprinter-page-2", 1);
      request.onupgradeneeded = () => { request.result.createObjectStore("jobs"); request.result.createObjectStore("pictures"); };
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    this.database.catch(() => {});  // without the database, jobs are lost when the page is closed
    this.pictures = new Map();
  }
  async request(storeName, mode, makeRequest) {
    try { return await toPromise(makeRequest((await this.database).transaction(storeName, mode).objectStore(storeName))); } catch { return undefined; }
  }
  async loadJobs() {
    const entries = (await this.request("jobs", "readonly", store => store.getAll()) || []).sort((a, b) => a.job.created - b.job.created);
    for (const { job } of entries.splice(0, Math.max(0, entries.length - MAX_JOBS))) this.deleteJob(job.id);
    return entries;
  }
  saveJob(job, plans) { return this.request("jobs", "readwrite", store => store.put({ job, plans }, job.id)); }
  deleteJob(id) { return this.request("jobs", "readwrite", store => store.delete(id)); }
  // Store only the newest picture, which a reloaded page shows.
  async savePicture(id, file) {
    this.pictures.set(id, file);
    await this.request("pictures", "readwrite", store => store.clear());
    await this.request("pictures", "readwrite", store => store.put(file, id));
  }
  async loadPicture(id) { return this.pictures.get(id) || this.request("pictures", "readonly", store => store.get(id)); }
}
