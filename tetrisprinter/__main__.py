"""The entry point of the command ``tetrisprinter`` and of ``python -m tetrisprinter``.

Until the command line is loaded, a signal ends the process at once.
"""

from __future__ import annotations

import os
import signal

__all__ = ["run"]


def run() -> None:
    """Run the command line and exit."""
    # numpy reads this at import. On long arrays of three columns, threads would wait for each
    # other and take twenty times as long to compare colours.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from tetrisprinter.support.signals import SIGNALS, exit_at_once

    for number in SIGNALS:
        # Any other handler was chosen by the parent, as nohup does, and stays.
        if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
            signal.signal(number, exit_at_once)
    from tetrisprinter.cli import main

    main()


if __name__ == "__main__":
    run()
