"""Interruption of exact solvers, which may take long."""

from __future__ import annotations

from collections.abc import Callable

Look = Callable[[], None]
# Why a solution in floats is all there is.
NO_FRACTIONS = "asked to stop before there were fractions"


class Halted(Exception):
    """Somebody asked a solver to stop."""


def unheard() -> None:
    """Never stop."""


def looking(stop: Callable[[], bool] | None) -> Look:
    """What a solver calls now and then: it raises Halted if `stop` says so."""

    def look() -> None:
        if stop is not None and stop():
            raise Halted

    return look
