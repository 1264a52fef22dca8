"""The jobs of a studio: their queue, their processes and the files of finished prints.

One job runs at a time, each in its own process that can be stopped; the others wait in their order.
Short tasks for a request (reading a picture, writing an animation) run in processes of the same
kind, a few at a time.

Jobs live as long as the server. A print is a folder, named by a random number and never by text of
a request: ``job.json`` and every ``plan-N.txt`` that was found. The next server lists these prints
again. What was still waiting is forgotten; what was running is listed with its best plan.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import shutil
import signal
import sys
import time
import traceback
from collections.abc import AsyncGenerator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import InputError, JobError, TetrisPrinterError
from tetrisprinter.studio.prints import IDENTIFIER
from tetrisprinter.support.files import write_text

_PATIENCE: Final = 10.0  # seconds from a stop request until the process is killed
_MAX_WAITING: Final = 200  # waiting jobs
_MAX_SHORT_TASKS: Final = 2  # short tasks that run in parallel
_SHORT_TASK_SECONDS: Final = 120  # the longest time of a short task
_MAX_HISTORY: Final = 400  # points of a job's history; above that, every second one is deleted
_MAX_LINE: Final = 2**24  # bytes of the longest line that a process may send

_UPLOAD_LIFETIME: Final = 7 * 24 * 3600
"""Seconds after which an uploaded picture is deleted, at the next start of the server."""

_KILLED_MESSAGE: Final = (
    "its process ended before it was done: it may have needed more memory or time than a job "
    "may have"
)


def default_folder() -> Path:
    """Return the default folder of prints."""
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "tetrisprinter-studio"


def draw_identifier() -> str:
    """Return a random identifier for an upload or a job: 16 hex digits."""
    return secrets.token_hex(8)


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
    work: str  # one of :data:`tetrisprinter.studio.worker.JOB_HANDLERS`
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
        shown = ("effort", "before", "place", "width", "rows", "at")
        seconds = self.seconds + (0.0 if self.began is None else time.time() - self.began)
        options = {name: self.options[name] for name in shown if name in self.options}
        return asdict(self) | {"options": options, "seconds": seconds}


class Jobs:
    """All jobs of a server, and the folder of its prints and uploaded pictures."""

    def __init__(self, folder: Path, limits: JobLimits) -> None:
        self.folder, self.uploads, self.limits = folder, folder / "uploads", limits
        self.by_id: dict[str, Job] = {}
        self.closing = False
        self._listeners: set[asyncio.Queue[dict[str, Any]]] = set()
        self._wake = asyncio.Event()
        self._short_tasks = asyncio.Semaphore(_MAX_SHORT_TASKS)
        self._processes: set[asyncio.subprocess.Process] = set()
        # The job that runs, and its process
        self._running: tuple[Job, asyncio.subprocess.Process] | None = None
        try:
            for name in ("jobs", "uploads"):
                (folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder}: cannot be used: {error.strerror}") from error
        self._list_prints()
        for path in self.uploads.iterdir():
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < time.time() - _UPLOAD_LIFETIME:
                    path.unlink()

    # ---- Files.

    def get_job_folder(self, identifier: str) -> Path:
        """Return the folder of a job."""
        assert IDENTIFIER.fullmatch(identifier)
        return self.folder / "jobs" / identifier

    def get_upload_path(self, identifier: str) -> Path:
        """Return the file of an uploaded picture."""
        assert IDENTIFIER.fullmatch(identifier)
        return self.uploads / f"{identifier}.png"

    def _list_prints(self) -> None:
        """List the prints of earlier servers, oldest first; damaged files are left alone."""
        found = []
        for path in (self.folder / "jobs").glob("*/job.json"):
            with contextlib.suppress(OSError, ValueError, TypeError):
                job = Job(**json.loads(path.read_text(encoding="utf-8")))
                if job.id == path.parent.name and IDENTIFIER.fullmatch(job.id):
                    found.append(job)
        for job in sorted(found, key=lambda job: (job.created, job.id)):
            if not job.has_ended:
                job.state = "stopped"
            job.began = job.progress = None
            self.by_id[job.id] = job

    def _write(self, job: Job) -> None:
        """Write the data of a job, unless it was removed."""
        if job.id in self.by_id:
            self.get_job_folder(job.id).mkdir(exist_ok=True)
            write_text(self.get_job_folder(job.id) / "job.json", json.dumps(asdict(job)))

    # ---- Requests.

    def add(self, name: str, work: str, options: dict[str, Any]) -> Job:
        """Add a job to the queue."""
        if sum(job.state == "waiting" for job in self.by_id.values()) >= _MAX_WAITING:
            raise JobError(
                f"{_MAX_WAITING} jobs are already waiting; let some finish or remove some"
            )
        job = Job(draw_identifier(), name, work, options)
        self.by_id[job.id] = job
        self._announce_change(job)
        self._wake.set()
        return job

    def add_finished(self, job: Job) -> None:
        """Add a job that is already done."""
        self.by_id[job.id] = job
        self._write(job)
        self._announce_change(job)

    async def stop(self, job: Job) -> None:
        """End a job with its best plan; kill its process if it does not end in time."""
        if job.state == "waiting":
            job.state = "stopped"
            self._announce_change(job)
        elif self._running is not None and job is self._running[0]:
            process = self._running[1]
            if job.state == "working":
                job.state = "stopping"
                self._announce_change(job)
                _write_line(process, b"stop\n")
            asyncio.get_running_loop().call_later(_PATIENCE, _kill, process)

    def restart(self, job: Job, effort: int | None = None) -> None:
        """Queue a finished job again; it continues from its best plan."""
        if not job.has_ended:
            return
        if effort is not None:
            job.options["effort"] = effort
            job.options["before"] = job.best and job.best["drops"]
        job.state, job.error, job.progress = "waiting", "", None
        self._announce_change(job)
        self._wake.set()

    def remove(self, job: Job) -> None:
        """Cancel a job and delete it."""
        self.by_id.pop(job.id, None)
        if self._running is not None and job is self._running[0]:
            _kill(self._running[1])
        shutil.rmtree(self.get_job_folder(job.id), ignore_errors=True)
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

    def _announce_change(self, job: Job) -> None:
        """Publish a change of a job, unless it was removed."""
        if job.id in self.by_id:
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
            try:
                await self._run_job(job)
            except Exception:  # the next jobs are run all the same
                traceback.print_exc()

    async def _run_job(self, job: Job) -> None:
        """Run a job in a process and set its final state."""
        job.state, job.began = "working", time.time()
        self._announce_change(job)
        folder = self.get_job_folder(job.id)
        folder.mkdir(exist_ok=True)
        options = {**job.options, "name": job.name, "folder": str(folder), "best": job.best}
        answer: dict[str, Any] = {"event": "failed", "error": "its process could not be started"}
        try:
            answer = await self._run_process(job.work, options, self.limits.seconds, job)
        finally:
            self._running = None
            job.seconds += time.time() - (job.began or time.time())
            job.began, job.progress = None, None
            if job.state in ("working", "stopping") and not self.closing:
                self._set_final_state(job, answer)

    def _set_final_state(self, job: Job, answer: dict[str, Any]) -> None:
        """Set and store the final state of a job from the last answer of its process."""
        event = answer.get("event")
        if event == "done":
            job.result = _remove_event(answer)
            job.state = "stopped" if answer.get("stopped") else "done"
        elif event == "stopped" or job.state == "stopping":
            job.state = "stopped"
        else:
            job.state = "failed" if job.best is None else "stopped"
            job.error = str(answer.get("error", ""))
        if job.best is None and job.result is None:
            shutil.rmtree(self.get_job_folder(job.id), ignore_errors=True)
        else:
            self._write(job)
        self._announce_change(job)

    def _handle_news(self, job: Job, news: dict[str, Any]) -> None:
        """Update a job from news of its process, and extend its history if a figure changed."""
        if news["event"] == "best":
            job.best = news["best"]
            self._write(job)
        elif news["event"] == "progress":
            job.progress = _remove_event(news)
        seconds = job.seconds + time.time() - (job.began or time.time())
        best, progress = job.best or {}, job.progress or {}
        drops = min(
            (d for d in (best.get("drops"), progress.get("drops")) if d is not None), default=None
        )
        point = [round(seconds, 2), drops, best.get("bound")]
        if not job.history or job.history[-1][1:] != point[1:]:
            job.history.append(point)
            if len(job.history) > _MAX_HISTORY:
                del job.history[1::2]
        self._announce_change(job)

    async def run_small(self, work: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """Run a short task in its own process and return its answer."""
        async with self._short_tasks:
            answer = await self._run_process(work, options, _SHORT_TASK_SECONDS)
        if answer["event"] == "done":
            return _remove_event(answer)
        error_type: type[TetrisPrinterError] = InputError if answer.get("code") == 400 else JobError
        raise error_type(str(answer.get("error") or "it took too long and was ended"))

    async def _run_process(
        self,
        work: str,
        options: Mapping[str, Any],
        seconds: int,
        job: Job | None = None,
    ) -> dict[str, Any]:
        """Run a request in a new process, update its job by the news, and return the last news."""
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
        if job is not None:
            self._running = job, process
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
                elif job is not None:
                    self._handle_news(job, news)
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


def _remove_event(news: dict[str, Any]) -> dict[str, Any]:
    """Return news without the word that names their kind."""
    return {key: value for key, value in news.items() if key != "event"}


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
