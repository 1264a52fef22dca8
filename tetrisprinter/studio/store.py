"""The folder of a studio: jobs and pictures.

Files are written atomically, so they can be read after a power cut. A job is a folder named by a
random number, never by text of a request. The server writes ``job.json``. The job's process writes
``best.json`` after the ``plan-N.txt`` that it names, so every reported plan exists.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import time
from pathlib import Path
from typing import Any, Final

from tetrisprinter.errors import InputError
from tetrisprinter.studio.print_request import IDENTIFIER
from tetrisprinter.support.files import write_text

JOB: Final = "job.json"
BEST: Final = "best.json"
SIZE_READ: Final = "size read"
"""The text key in a stored PNG for the size in pixels that the uploaded image had."""

_UPLOAD_LIFETIME: Final = 7 * 24 * 3600
"""Seconds after which an uploaded picture is deleted, at the next start of the server."""


def default_folder() -> Path:
    """Return the default folder of jobs."""
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "tetrisprinter-studio"


def read_json(path: Path) -> dict[str, Any] | None:
    """Read a JSON object from a file; None if the file is missing or holds anything else."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return values if isinstance(values, dict) else None


class Store:
    """A studio's folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: int | None = None
        try:
            for name in ("jobs", "uploads", "incoming"):
                (folder / name).mkdir(parents=True, exist_ok=True)
            for unfinished in (folder / "incoming").iterdir():
                unfinished.unlink()
        except OSError as error:
            raise InputError(f"{folder}: cannot be used: {error.strerror}") from error
        self._lock_folder()
        self._delete_old_uploads()

    def _lock_folder(self) -> None:
        """Lock the folder for this server."""
        try:
            import fcntl
        except ImportError:  # no such locks on this system
            return
        self._lock = os.open(self.folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            self._lock = None
            raise InputError(f"{self.folder}: another studio uses this folder") from error

    def close(self) -> None:
        """Unlock the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _delete_old_uploads(self) -> None:
        for path in (self.folder / "uploads").iterdir():
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < time.time() - _UPLOAD_LIFETIME:
                    path.unlink()

    def get_token(self) -> str:
        """Return the access token of this folder; the first call draws a random token."""
        path = self.folder / "token"
        with contextlib.suppress(OSError):
            token = path.read_text(encoding="utf-8").strip()
            if len(token) >= 20:
                return token
        token = secrets.token_urlsafe(24)
        path.touch(mode=0o600)
        path.write_text(token + "\n", encoding="utf-8")
        return token

    def make_temporary_path(self) -> Path:
        """Return a new path for an unfinished upload; the caller deletes the file."""
        return self.folder / "incoming" / secrets.token_hex(8)

    def get_upload_path(self, identifier: str) -> Path:
        """Return the file of an uploaded picture."""
        assert IDENTIFIER.fullmatch(identifier)
        return self.folder / "uploads" / f"{identifier}.png"

    def get_job_folder(self, identifier: str) -> Path:
        """Return the folder of a job."""
        assert IDENTIFIER.fullmatch(identifier)
        return self.folder / "jobs" / identifier

    def write(self, identifier: str, values: dict[str, Any]) -> None:
        """Write the server's data of a job."""
        self.get_job_folder(identifier).mkdir(exist_ok=True)
        write_text(self.get_job_folder(identifier) / JOB, json.dumps(values))

    def remove(self, identifier: str) -> None:
        """Delete a job with all its files."""
        shutil.rmtree(self.get_job_folder(identifier), ignore_errors=True)

    def read_jobs(self) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
        """Return the data of all jobs with their best plans, oldest first."""
        jobs = []
        for folder in (self.folder / "jobs").iterdir():
            job_data = read_json(folder / JOB)
            if job_data is not None and IDENTIFIER.fullmatch(folder.name):
                jobs.append((job_data, read_json(folder / BEST)))
        return sorted(jobs, key=lambda pair: (pair[0].get("created", 0), pair[0].get("id", "")))


def draw_identifier() -> str:
    """Return a random identifier for an upload or a job: 16 hex digits."""
    return secrets.token_hex(8)
