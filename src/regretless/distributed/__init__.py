"""Learning from shards, on one machine or many: every shard is played where it is, and only weights travel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {
    "Combined": "combined",
    "Engine": "engine",
    "Epoch": "history",
    "Here": "engine",
    "Mixture": "result",
    "OnExecutor": "pools",
    "Regressed": "regression_shards",
    "Shard": "shards",
    "arrays": "sources",
    "average_once": "mixing",
    "calls": "sources",
    "certify_shards": "certify",
    "combine": "combined",
    "files": "sources",
    "mix": "mixing",
    "regress": "regression_shards",
    "simulate": "simulation",
    "workers": "processes",
}

# Names: made by docs/name_lists.py of MODULES
if TYPE_CHECKING:
    from .certify import certify_shards
    from .combined import Combined, combine
    from .engine import Engine, Here
    from .history import Epoch
    from .mixing import average_once, mix
    from .pools import OnExecutor
    from .processes import workers
    from .regression_shards import Regressed, regress
    from .result import Mixture
    from .shards import Shard
    from .simulation import simulate
    from .sources import arrays, calls, files

__all__ = [
    "Combined",
    "Engine",
    "Epoch",
    "Here",
    "Mixture",
    "OnExecutor",
    "Regressed",
    "Shard",
    "arrays",
    "average_once",
    "calls",
    "certify_shards",
    "combine",
    "files",
    "mix",
    "regress",
    "simulate",
    "workers",
]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
