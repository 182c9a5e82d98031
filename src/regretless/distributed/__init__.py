"""Learners past one machine: every shard of the data is played where it is, and only weights travel."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .certificates.certified import certify_shards
    from .engines.engine import Engine, Here
    from .engines.pools import OnExecutor
    from .engines.processes import workers
    from .history import Epoch
    from .mixing import mix
    from .mixture import Mixture
    from .once import average_once
    from .rows.shards import Shard, arrays, calls, files
    from .sums.combined import Combined
    from .sums.combining import combine
    from .sums.simulating import simulate

_MODULES = {
    "Combined": "sums.combined",
    "Engine": "engines.engine",
    "Epoch": "history",
    "Here": "engines.engine",
    "Mixture": "mixture",
    "OnExecutor": "engines.pools",
    "Shard": "rows.shards",
    "arrays": "rows.shards",
    "average_once": "once",
    "calls": "rows.shards",
    "certify_shards": "certificates.certified",
    "combine": "sums.combining",
    "files": "rows.shards",
    "mix": "mixing",
    "simulate": "sums.simulating",
    "workers": "engines.processes",
}

__all__ = [
    "Combined",
    "Engine",
    "Epoch",
    "Here",
    "Mixture",
    "OnExecutor",
    "Shard",
    "arrays",
    "average_once",
    "calls",
    "certify_shards",
    "combine",
    "files",
    "mix",
    "simulate",
    "workers",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
