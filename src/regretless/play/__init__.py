"""Any learner against any environment: upper bounds of the one beside lower bounds of the other."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .horizons import Sweep, sweep
    from .result import PlayResult
    from .run import play
    from .tracing import trace

_HOMES = {"PlayResult": "result", "Sweep": "horizons", "play": "run", "sweep": "horizons", "trace": "tracing"}

__all__ = ["PlayResult", "Sweep", "play", "sweep", "trace"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
