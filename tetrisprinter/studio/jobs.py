"""Jobs: waiting, at work, done; each in a process of its own that can really be stopped.

One job works at a time, the others wait in the order in which they came. What a job is and
what came of it lies in the store whenever it changes, so a server that is killed and started
again goes on where it was: what was at work waits again, with the plans it had.

Small works that somebody waits for (reading a picture, writing a film) run in processes of
the same kind, a few at a time, and are not kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.studio.store import Store, new_identifier

__all__ = ["Grants", "Job", "Jobs"]

_PATIENCE: Final = 10.0  # seconds until a job that was asked to stop is ended
_MOST_WAITING: Final = 200
_SMALL_AT_ONCE: Final = 2
_SMALL_SECONDS: Final = 120
_HISTORY: Final = 400
_LINE: Final = 2**24  # bytes of the longest line that a process may say


@dataclass(frozen=True, slots=True)
class Grants:
    """What a job's process may take."""

    memory: int = 6 * 2**30  # bytes of address space
    seconds: int = 3600  # wall time; then the best there is counts
    # Threads or processes side by side
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)


@dataclass(slots=True)
class Job:
    """A job as the browser sees it; all of it is plain data."""

    id: str
    name: str
    work: str  # one of :data:`tetrisprinter.studio.works.WORKS`
    asked: dict[str, Any]  # what the process is told
    created: float = field(default_factory=time.time)
    # ``waiting``, ``working``, ``stopping``, ``stopped``, ``done`` or ``failed``
    state: str = "waiting"
    best: dict[str, Any] | None = None  # what is known of the best plan
    result: dict[str, Any] | None = None
    progress: dict[str, Any] | None = None
    # ``[seconds, drops, bound]`` whenever there was news
    history: list[list[float | None]] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0  # how long it worked, all told
    began: float | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing is going to happen unless somebody asks for it."""
        return self.state in ("done", "stopped", "failed")

    def seen(self) -> dict[str, Any]:
        """Return what a browser is told."""
        values = asdict(self)
        values["asked"] = {
            k: self.asked[k] for k in ("effort", "place", "width", "rows", "at") if k in self.asked
        }
        if self.began is not None:
            values["seconds"] = self.seconds + time.time() - self.began
        return values


class Jobs:
    """All jobs of a server."""

    def __init__(self, store: Store, grants: Grants) -> None:
        self.store, self.grants = store, grants
        self.known: dict[str, Job] = {}
        self._listeners: set[asyncio.Queue[dict[str, Any]]] = set()
        self._wake = asyncio.Event()
        self._small = asyncio.Semaphore(_SMALL_AT_ONCE)
        self._process: asyncio.subprocess.Process | None = None
        self._processes: set[asyncio.subprocess.Process] = set()
        self._at_work: Job | None = None
        self._saved: dict[str, float] = {}
        self.closing = False
        for values, best in store.jobs():
            with contextlib.suppress(TypeError):
                job = Job(**values)
                job.best = best or job.best
                if not job.ended:
                    job.state, job.began, job.progress = "waiting", None, None
                self.known[job.id] = job

    # ---- What somebody asks for.

    def add(self, name: str, work: str, asked: dict[str, Any], identifier: str = "") -> Job:
        """Let a new job wait for its turn."""
        if sum(job.state == "waiting" for job in self.known.values()) >= _MOST_WAITING:
            raise JobError(f"{_MOST_WAITING} jobs wait already; let some finish or remove them")
        job = Job(identifier or new_identifier(), name, work, asked)
        self.known[job.id] = job
        self._announce_change(job, whole=True)
        self._wake.set()
        return job

    def adopt(self, job: Job) -> None:
        """Take in a job that is done already."""
        self.known[job.id] = job
        self._announce_change(job, whole=True)

    def get(self, identifier: str) -> Job:
        """Return a job."""
        return self.known[identifier]

    async def stop(self, job: Job) -> None:
        """End a job with the best it has; if it does not end by itself, its process is ended."""
        if job.state == "waiting":
            job.state = "stopped"
            self._announce_change(job, whole=True)
            return
        process = self._process
        if job is not self._at_work or process is None:
            return
        if job.state == "working":
            job.state = "stopping"
            self._announce_change(job, whole=True)
            _send(process, b"stop\n")
        loop = asyncio.get_running_loop()
        loop.call_later(_PATIENCE, _end, process)

    def again(self, job: Job, effort: int | None = None) -> None:
        """Let a job that ended wait once more, going on from what it has."""
        if not job.ended:
            return
        if effort is not None:
            job.asked["effort"] = effort
        job.state, job.error, job.progress = "waiting", "", None
        self._announce_change(job, whole=True)
        self._wake.set()

    def remove(self, job: Job) -> None:
        """Cancel a job for good and forget it."""
        self.known.pop(job.id, None)
        if job is self._at_work and self._process is not None:
            _end(self._process)
        self.store.remove(job.id)
        self._publish({"removed": job.id})

    # ---- Who listens.

    async def listen(self) -> AsyncGenerator[dict[str, Any] | None, None]:
        """Yield everything there is and then everything that changes; None now and then."""
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue(500)
        self._listeners.add(queue)
        try:
            yield {"jobs": [job.seen() for job in self.known.values()]}
            idle = 0.0
            while not self.closing:
                try:
                    news = await asyncio.wait_for(queue.get(), 0.5)
                except TimeoutError:
                    idle += 0.5
                    if idle >= 10:
                        idle = 0.0
                        yield None
                    continue
                yield news
        finally:
            self._listeners.discard(queue)

    def _publish(self, news: dict[str, Any]) -> None:
        for queue in list(self._listeners):
            if queue.full():  # a browser that does not read is told everything again later
                self._listeners.discard(queue)
            else:
                queue.put_nowait(news)

    def _announce_change(self, job: Job, *, whole: bool = False) -> None:
        """Tell everybody, and write it down: at once if it matters, else now and then."""
        if job.id not in self.known:
            return
        now = time.monotonic()
        if whole or now - self._saved.get(job.id, 0.0) > 2:
            self._saved[job.id] = now
            self.store.write(job.id, asdict(job))
        self._publish({"job": job.seen()})

    # ---- Work.

    async def run(self) -> None:
        """Do one job after the other, until cancelled."""
        while True:
            job = next((job for job in self.known.values() if job.state == "waiting"), None)
            if job is None:
                self._wake.clear()
                await self._wake.wait()
                continue
            await self._do(job)

    async def _do(self, job: Job) -> None:
        job.state, job.began, self._at_work = "working", time.time(), job
        self._announce_change(job, whole=True)
        folder = self.store.job(job.id)
        asked = {**job.asked, "name": job.name, "folder": str(folder)}
        answer: dict[str, Any] = {"event": "failed", "error": "its process could not be started"}
        try:
            answer = await self._talk(
                job.work,
                asked,
                self.grants.seconds,
                hear=lambda news: self._heard(job, news),
                began=self._began,
            )
        finally:
            self._process = self._at_work = None
            job.seconds += time.time() - (job.began or time.time())
            job.began, job.progress = None, None
            if job.state in ("working", "stopping") and not self.closing:
                self._settle(job, answer)

    def _settle(self, job: Job, answer: dict[str, Any]) -> None:
        event = answer.get("event")
        if event == "done":
            job.result = {k: v for k, v in answer.items() if k != "event"}
            job.state = "stopped" if answer.get("stopped") else "done"
        elif event == "stopped" or (job.state == "stopping"):
            job.state = "stopped"
        else:
            job.state = "failed"
            job.error = str(answer.get("error", ""))
            if job.best is not None:
                job.state = "stopped"
        self._announce_change(job, whole=True)

    def _began(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    def _heard(self, job: Job, news: dict[str, Any]) -> None:
        if news["event"] == "best":
            job.best = news["best"]
        elif news["event"] == "progress":
            job.progress = {k: v for k, v in news.items() if k != "event"}
        seconds = job.seconds + time.time() - (job.began or time.time())
        best, progress = job.best or {}, job.progress or {}
        drops = min(
            (d for d in (best.get("drops"), progress.get("drops")) if d is not None), default=None
        )
        bound = max(best.get("bound") or 0, progress.get("bound") or 0) or None
        point = [round(seconds, 2), drops, bound]
        if not job.history or job.history[-1][1:] != point[1:]:
            job.history.append(point)
            if len(job.history) > _HISTORY:
                del job.history[1::2]
        self._announce_change(job, whole=news["event"] == "best")

    async def small(self, work: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Do something that somebody waits for, in a process of its own."""
        async with self._small:
            answer = await self._talk(work, asked, _SMALL_SECONDS)
        if answer["event"] == "done":
            return answer
        kind: type[TetrisPrinterError] = InputError if answer.get("code") == 400 else JobError
        raise kind(str(answer.get("error") or "it took too long and was ended"))

    async def _talk(
        self,
        work: str,
        asked: Mapping[str, Any],
        seconds: int,
        hear: Callable[[dict[str, Any]], None] = lambda _: None,
        began: Callable[[asyncio.subprocess.Process], None] = lambda _: None,
    ) -> dict[str, Any]:
        """Start a process, tell it what to do, and listen until it ends."""
        grants = {"memory": self.grants.memory, "seconds": seconds, "workers": self.grants.workers}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tetrisprinter.studio.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
            limit=_LINE,
        )
        self._processes.add(process)
        began(process)
        loop = asyncio.get_running_loop()
        alarms = [
            loop.call_later(seconds, _send, process, b"stop\n"),
            loop.call_later(seconds + _PATIENCE, _end, process),
        ]
        last: dict[str, Any] = {"event": "failed", "error": _GONE}
        try:
            _send(process, json.dumps({**asked, **grants, "work": work}).encode() + b"\n")
            assert process.stdout is not None
            async for line in process.stdout:
                news = json.loads(line)
                if news["event"] in ("done", "failed", "stopped"):
                    last = news
                else:
                    hear(news)
            await process.wait()
        finally:
            for alarm in alarms:
                alarm.cancel()
            _end(process)
            if process.stdin is not None:
                process.stdin.close()
            await process.wait()
            self._processes.discard(process)
        return last

    async def close(self) -> None:
        """End every process at once; what they found is kept."""
        self.closing = True
        ended = list(self._processes)
        for process in ended:
            _end(process)
        await asyncio.gather(*(process.wait() for process in ended))
        if self._at_work is not None:
            self.store.write(self._at_work.id, asdict(self._at_work))


_GONE: Final = (
    "its process ended before it was done: it may have needed more memory or time than a job "
    "may have"
)


def _send(process: asyncio.subprocess.Process, line: bytes) -> None:
    if process.stdin is not None and process.returncode is None:
        with contextlib.suppress(OSError, RuntimeError):
            process.stdin.write(line)


def _end(process: asyncio.subprocess.Process) -> None:
    """End a process with all that it has started."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
