"""The command line: a file for each verb, and what they share."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, that of the process by default, and return its exit code."""
    try:  # from here on, for importing takes its time
        from .entry import run

        return run(argv)
    except KeyboardInterrupt:
        print("regretless: interrupted", file=sys.stderr)
        return 130
    finally:
        if argv is None:
            _settle()


def _settle() -> None:
    """The process is about to end: no Ctrl-C is to interrupt that."""
    import signal
    from threading import current_thread, main_thread

    if current_thread() is main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
