"""From online to batch: bounds on the risk of what a run has learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {
    "LeaveOneOut": "left_out",
    "Mean": "mean",
    "PacRun": "pac",
    "SampleSize": "pac",
    "average": "mean",
    "leave_one_out": "left_out",
    "pac_run": "pac",
    "sample_size": "pac",
}

# Names: made by docs/name_lists.py of MODULES
if TYPE_CHECKING:
    from .left_out import LeaveOneOut, leave_one_out
    from .mean import Mean, average
    from .pac import PacRun, SampleSize, pac_run, sample_size

__all__ = ["LeaveOneOut", "Mean", "PacRun", "SampleSize", "average", "leave_one_out", "pac_run", "sample_size"]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
