"""From online to batch: bounds on the risk of what a run has learned."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .left_out import LeaveOneOut, leave_one_out
    from .mean import Mean, average
    from .pac import PacRun, SampleSize, pac_run, sample_size

__all__ = ["LeaveOneOut", "Mean", "PacRun", "SampleSize", "average", "leave_one_out", "pac_run", "sample_size"]

_HOMES = {
    "LeaveOneOut": "left_out",
    "Mean": "mean",
    "PacRun": "pac",
    "SampleSize": "pac",
    "average": "mean",
    "leave_one_out": "left_out",
    "pac_run": "pac",
    "sample_size": "pac",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
