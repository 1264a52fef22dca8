"""The queue of jobs; each job runs in a process that can be stopped.

One job runs at a time, the others wait in their order. Every change is written to the store, so a
server that was killed resumes: the job that was running waits again, with its plans.

Short tasks for a request (reading a picture, writing an animation) run in processes of the same
kind, a few at a time, and are not stored.
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
from tetrisprinter.studio.store import Store, draw_identifier

_PATIENCE: Final = 10.0  # seconds from a stop request until the process is killed
_MAX_WAITING: Final = 200  # waiting jobs
_MAX_SHORT_TASKS: Final = 2  # short tasks that run in parallel
_SHORT_TASK_SECONDS: Final = 120  # the longest time of a short task
_MAX_HISTORY: Final = 400  # points of a job's history; above that, every second one is deleted
_MAX_LINE: Final = 2**24  # bytes of the longest line that a process may send


@dataclass(frozen=True, slots=True)
class JobLimits:
    """The limits of a job's process."""

    memory: int = 6 * 2**30  # bytes of address space
    seconds: int = 3600  # wall time, after which the job stops with its best plan
    # parallel threads or processes
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)


@dataclass(slots=True)
class Job:
    """A job as plain data."""

    id: str
    name: str
    work: str  # one of :data:`tetrisprinter.studio.job_handlers.JOB_HANDLERS`
    options: dict[str, Any]  # the request that the process receives
    created: float = field(default_factory=time.time)
    # ``waiting``, ``working``, ``stopping``, ``stopped``, ``done`` or ``failed``
    state: str = "waiting"
    best: dict[str, Any] | None = None  # figures of the best plan
    result: dict[str, Any] | None = None
    progress: dict[str, Any] | None = None
    # ``[seconds, drops, bound]`` at each change
    history: list[list[float | None]] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0  # total working time, without the current run
    began: float | None = None  # ``time.time()`` at which it started; None: it is not running

    @property
    def has_ended(self) -> bool:
        """Whether the job is over."""
        return self.state in ("done", "stopped", "failed")

    def describe(self) -> dict[str, Any]:
        """Return the job's data for the browser."""
        values = asdict(self)
        values["options"] = {
            k: self.options[k]
            for k in ("effort", "place", "width", "rows", "at")
            if k in self.options
        }
        if self.began is not None:
            values["seconds"] = self.seconds + time.time() - self.began
        return values


class Jobs:
    """All jobs of a server."""

    def __init__(self, store: Store, limits: JobLimits) -> None:
        self.store, self.limits = store, limits
        self.by_id: dict[str, Job] = {}
        self._listeners: set[asyncio.Queue[dict[str, Any]]] = set()
        self._wake = asyncio.Event()
        self._short_tasks = asyncio.Semaphore(_MAX_SHORT_TASKS)
        self._process: asyncio.subprocess.Process | None = None
        self._processes: set[asyncio.subprocess.Process] = set()
        self._running_job: Job | None = None
        self._store_times: dict[str, float] = {}
        self.closing = False
        for values, best in store.read_jobs():
            with contextlib.suppress(TypeError):
                job = Job(**values)
                job.best = best or job.best
                if not job.has_ended:
                    job.state, job.began, job.progress = "waiting", None, None
                self.by_id[job.id] = job

    # ---- Requests.

    def add(self, name: str, work: str, options: dict[str, Any], identifier: str = "") -> Job:
        """Add a job to the queue."""
        if sum(job.state == "waiting" for job in self.by_id.values()) >= _MAX_WAITING:
            raise JobError(
                f"{_MAX_WAITING} jobs are already waiting; let some finish or remove some"
            )
        job = Job(identifier or draw_identifier(), name, work, options)
        self.by_id[job.id] = job
        self._announce_change(job, store_now=True)
        self._wake.set()
        return job

    def add_finished(self, job: Job) -> None:
        """Add a job that is already done."""
        self.by_id[job.id] = job
        self._announce_change(job, store_now=True)

    def get(self, identifier: str) -> Job:
        """Return a job."""
        return self.by_id[identifier]

    async def stop(self, job: Job) -> None:
        """End a job with its best plan; kill its process if it does not end in time."""
        if job.state == "waiting":
            job.state = "stopped"
            self._announce_change(job, store_now=True)
            return
        process = self._process
        if job is not self._running_job or process is None:
            return
        if job.state == "working":
            job.state = "stopping"
            self._announce_change(job, store_now=True)
            _write_line(process, b"stop\n")
        loop = asyncio.get_running_loop()
        loop.call_later(_PATIENCE, _kill, process)

    def restart(self, job: Job, effort: int | None = None) -> None:
        """Queue a finished job again; it continues from its best plan."""
        if not job.has_ended:
            return
        if effort is not None:
            job.options["effort"] = effort
        job.state, job.error, job.progress = "waiting", "", None
        self._announce_change(job, store_now=True)
        self._wake.set()

    def remove(self, job: Job) -> None:
        """Cancel a job and delete it."""
        self.by_id.pop(job.id, None)
        if job is self._running_job and self._process is not None:
            _kill(self._process)
        self.store.remove(job.id)
        self._publish({"removed": job.id})

    # ---- Listeners.

    async def listen(self) -> AsyncGenerator[dict[str, Any] | None, None]:
        """Yield all jobs, then every change; a None after ten idle seconds keeps the connection."""
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue(500)
        self._listeners.add(queue)
        try:
            yield {"jobs": [job.describe() for job in self.by_id.values()]}
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
        """Send news to all listeners; drop a listener whose queue is full."""
        for queue in list(self._listeners):
            if queue.full():  # the browser reconnects when it reads again
                self._listeners.discard(queue)
            else:
                queue.put_nowait(news)

    def _announce_change(self, job: Job, *, store_now: bool = False) -> None:
        """Publish a change of a job; store it at once if requested, else every two seconds."""
        if job.id not in self.by_id:
            return
        now = time.monotonic()
        if store_now or now - self._store_times.get(job.id, 0.0) > 2:
            self._store_times[job.id] = now
            self.store.write(job.id, asdict(job))
        self._publish({"job": job.describe()})

    # ---- Work.

    async def run(self) -> None:
        """Run the jobs one after the other, until cancelled."""
        while True:
            job = next((job for job in self.by_id.values() if job.state == "waiting"), None)
            if job is None:
                self._wake.clear()
                await self._wake.wait()
                continue
            await self._run_job(job)

    async def _run_job(self, job: Job) -> None:
        """Run a job in a process and set its final state."""
        job.state, job.began, self._running_job = "working", time.time(), job
        self._announce_change(job, store_now=True)
        folder = self.store.get_job_folder(job.id)
        options = {**job.options, "name": job.name, "folder": str(folder)}
        answer: dict[str, Any] = {"event": "failed", "error": "its process could not be started"}
        try:
            answer = await self._run_process(
                job.work,
                options,
                self.limits.seconds,
                on_news=lambda news: self._handle_news(job, news),
                on_start=self._note_process,
            )
        finally:
            self._process = self._running_job = None
            job.seconds += time.time() - (job.began or time.time())
            job.began, job.progress = None, None
            if job.state in ("working", "stopping") and not self.closing:
                self._set_final_state(job, answer)

    def _set_final_state(self, job: Job, answer: dict[str, Any]) -> None:
        """Set and store the final state of a job from the last answer of its process."""
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
        self._announce_change(job, store_now=True)

    def _note_process(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    def _handle_news(self, job: Job, news: dict[str, Any]) -> None:
        """Update a job from news of its process, and extend its history if a figure changed."""
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
            if len(job.history) > _MAX_HISTORY:
                del job.history[1::2]
        self._announce_change(job, store_now=news["event"] == "best")

    async def run_small(self, work: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """Run a short task in its own process and return its answer."""
        async with self._short_tasks:
            answer = await self._run_process(work, options, _SHORT_TASK_SECONDS)
        if answer["event"] == "done":
            return answer
        error_type: type[TetrisPrinterError] = InputError if answer.get("code") == 400 else JobError
        raise error_type(str(answer.get("error") or "it took too long and was ended"))

    async def _run_process(
        self,
        work: str,
        options: Mapping[str, Any],
        seconds: int,
        on_news: Callable[[dict[str, Any]], None] = lambda _: None,
        on_start: Callable[[asyncio.subprocess.Process], None] = lambda _: None,
    ) -> dict[str, Any]:
        """Run a request in a new process, pass its news on, and return the last news."""
        limits = {"memory": self.limits.memory, "seconds": seconds, "workers": self.limits.workers}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tetrisprinter.studio.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
            limit=_MAX_LINE,
        )
        self._processes.add(process)
        on_start(process)
        loop = asyncio.get_running_loop()
        timers = [
            loop.call_later(seconds, _write_line, process, b"stop\n"),
            loop.call_later(seconds + _PATIENCE, _kill, process),
        ]
        final_news: dict[str, Any] = {"event": "failed", "error": _KILLED_MESSAGE}
        try:
            _write_line(process, json.dumps({**options, **limits, "work": work}).encode() + b"\n")
            assert process.stdout is not None
            async for line in process.stdout:
                news = json.loads(line)
                if news["event"] in ("done", "failed", "stopped"):
                    final_news = news
                else:
                    on_news(news)
            await process.wait()
        finally:
            for timer in timers:
                timer.cancel()
            _kill(process)
            if process.stdin is not None:
                process.stdin.close()
            await process.wait()
            self._processes.discard(process)
        return final_news

    async def close(self) -> None:
        """Kill every process; their plans are stored already."""
        self.closing = True
        processes = list(self._processes)
        for process in processes:
            _kill(process)
        await asyncio.gather(*(process.wait() for process in processes))
        if self._running_job is not None:
            self.store.write(self._running_job.id, asdict(self._running_job))


_KILLED_MESSAGE: Final = (
    "its process ended before it was done: it may have needed more memory or time than a job "
    "may have"
)


def _write_line(process: asyncio.subprocess.Process, line: bytes) -> None:
    if process.stdin is not None and process.returncode is None:
        with contextlib.suppress(OSError, RuntimeError):
            process.stdin.write(line)


def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill a process and its children."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
