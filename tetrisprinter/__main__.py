"""What a process of the command begins with, ``python -m tetrisprinter`` among them.

Until the command line is there to say that it was interrupted, Ctrl-C just ends the process.
"""

from __future__ import annotations

import signal

__all__ = ["run"]


def run() -> None:
    """Run the command line and exit."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:  # else whoever started us wants it otherwise
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from tetrisprinter.cli import main

    signal.signal(signal.SIGINT, handler)
    main()


if __name__ == "__main__":
    run()
