"""Learners past one machine: every shard of the data is played where it is, and only weights travel."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .certified import certify_shards
    from .combined import Combined
    from .combining import combine
    from .engine import Engine, Here
    from .history import Epoch
    from .mixing import mix
    from .mixture import Mixture
    from .once import average_once
    from .pools import OnExecutor
    from .processes import workers
    from .shards import Shard, arrays, calls, files
    from .simulating import simulate

_MODULES = {
    "Combined": "combined",
    "Engine": "engine",
    "Epoch": "history",
    "Here": "engine",
    "Mixture": "mixture",
    "OnExecutor": "pools",
    "Shard": "shards",
    "arrays": "shards",
    "average_once": "once",
    "calls": "shards",
    "certify_shards": "certified",
    "combine": "combining",
    "files": "shards",
    "mix": "mixing",
    "simulate": "simulating",
    "workers": "processes",
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
