"""The two ways in which a request can go wrong.

The command line turns them into one sentence on stderr and an exit code: what the
user gave cannot be used (2), or the job itself could not be done (1). A library user
catches :class:`TetrisPrinterError` for both.
"""

from __future__ import annotations

__all__ = ["InputError", "JobError", "TetrisPrinterError"]


class TetrisPrinterError(Exception):
    """Base of every error this package raises on purpose; ``str()`` is one sentence."""

    exit_code = 1


class InputError(TetrisPrinterError):
    """The input cannot be used: a bad file, a bad option, a malformed text."""

    exit_code = 2


class JobError(TetrisPrinterError):
    """The input is fine but the job failed: a top-out, an unprintable picture."""

    exit_code = 1
