// Keeps all files of the page, so that it works without a network after the first visit.
const SUM = "{{sum}}", FILES = "{{files}}";
const CACHE_NAME = "tetrisprinter-page-" + SUM;

addEventListener("install", event => event.waitUntil(
  caches.open(CACHE_NAME).then(cache => cache.addAll(FILES)).then(() => skipWaiting())));
addEventListener("activate", event => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("tetrisprinter-page-") && name !== CACHE_NAME) await caches.delete(name);
  await clients.claim();
})()));
addEventListener("fetch", event => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(registration.scope)) return;
  event.respondWith(caches.open(CACHE_NAME).then(async cache =>
    await cache.match(event.request, { ignoreSearch: true }) || fetch(event.request)));
});
