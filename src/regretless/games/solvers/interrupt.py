"""Interruption of exact solvers, which may take long."""

from __future__ import annotations

from collections.abc import Callable

StopCheck = Callable[[], None]
# Why a solution has no fractions.
NO_FRACTIONS = "asked to stop before there were fractions"


class Stopped(Exception):
    """A solver was asked to stop."""


def never_stop() -> None:
    """No-op: never stop."""


def stop_check(stop: Callable[[], bool] | None) -> StopCheck:
    """A function for a solver to call at intervals: it raises Stopped once `stop` returns true."""

    def check_stop() -> None:
        if stop is not None and stop():
            raise Stopped

    return check_stop
