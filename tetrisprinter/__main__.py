"""What a process of the command begins with, ``python -m tetrisprinter`` among them.

Until the command line is there to say that it was interrupted, Ctrl-C just ends the process.
"""

from __future__ import annotations

import os
import signal

__all__ = ["run"]


def run() -> None:
    """Run the command line and exit."""
    # Our arrays are long and three columns wide: threads would wait for each other, and take
    # twenty times as long to tell colours apart. numpy reads this when it is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:  # else whoever started us wants it otherwise
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from tetrisprinter.cli import main

    signal.signal(signal.SIGINT, handler)
    main()


if __name__ == "__main__":
    run()
