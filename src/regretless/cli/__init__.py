"""The command line: a module for each verb, and what they share."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    """The process is about to end: no signal is to interrupt that."""
    import signal
    from threading import current_thread, main_thread

    from .signals import CODES

    for number in CODES if current_thread() is main_thread() else ():
        signal.signal(number, signal.SIG_IGN)
