"""Any learner against any environment: upper bounds of the one beside lower bounds of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {"PlayResult": "result", "Sweep": "horizons", "play": "run", "sweep": "horizons", "trace": "tracing"}

# Names: made by docs/name_lists.py of MODULES
if TYPE_CHECKING:
    from .horizons import Sweep, sweep
    from .result import PlayResult
    from .run import play
    from .tracing import trace

__all__ = ["PlayResult", "Sweep", "play", "sweep", "trace"]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
