// Stores jobs with their plans, and uploaded pictures, in the browser's database.
const toPromise = request => new Promise((done, failed) => {
  request.onsuccess = () => done(request.result);
  request.onerror = () => failed(request.error);
});
const MOST = 60;  // jobs; older ones are dropped

export class Shelf {
  constructor() {
    this.open = new Promise((done, failed) => {
      const request = indexedDB.open("tetrisprinter-page", 1);
      request.onupgradeneeded = () => { request.result.createObjectStore("jobs"); request.result.createObjectStore("pictures"); };
      request.onsuccess = () => done(request.result);
      request.onerror = () => failed(request.error);
    });
    this.open.catch(() => {});  // without the database, jobs are lost when the page is closed
    this.memory = new Map();
  }
  async in(store, how, work) {
    try { return await toPromise(work((await this.open).transaction(store, how).objectStore(store))); } catch { return undefined; }
  }
  async all() {
    const found = (await this.in("jobs", "readonly", store => store.getAll()) || []).sort((a, b) => a.job.created - b.job.created);
    for (const { job } of found.splice(0, Math.max(0, found.length - MOST))) this.drop(job.id);
    return found;
  }
  keep(job, plans) { return this.in("jobs", "readwrite", store => store.put({ job, plans }, job.id)); }
  drop(id) { return this.in("jobs", "readwrite", store => store.delete(id)); }
  // Store only the newest picture, which a reloaded page shows.
  async keepPicture(id, file) {
    this.memory.set(id, file);
    await this.in("pictures", "readwrite", store => store.clear());
    await this.in("pictures", "readwrite", store => store.put(file, id));
  }
  async picture(id) { return this.memory.get(id) || this.in("pictures", "readonly", store => store.get(id)); }
}
