"""``regretless replay``: learn the log of a served model afresh, and hold the result against its snapshots."""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any

from ..report.terminal import many
from . import options
from .arguments import Arguments
from .files import refuse_overwriting
from .output import DONE, FAILED, UsageError, complain, write_json

if TYPE_CHECKING:
    from ..serve.live import Live
    from ..serve.replay import SnapshotComparison

HELP = "learn the log of a served model again, and compare"
DESCRIPTION = (
    "Begins with the first model of the log and learns its labels in the order of their sequence numbers. At each "
    "snapshot that the server saved the model must have the same bytes; predictions that move the model are made again "
    "and must give the same answers."
)


class ReplayOptions(Arguments):
    """Of `replay`."""

    store: str
    save: str | None
    prune: float | None
    json: bool


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("store", metavar="STORE", help="the log: MODEL.db, or postgresql://...#MODEL")
    parser.add_argument("--save", metavar="MODEL", help="write the model at the end of the log (.rgl)")
    options.add_number(
        parser,
        "--prune",
        options.duration,
        "TIME",
        "then forget what was settled longer ago than 90d, 12h, 30m, 60s, so that the log begins there",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")


def run(arguments: ReplayOptions) -> int:
    """Replay, and prune if that is asked and nothing differs."""
    _refuse_model(arguments.store)
    refuse_overwriting([arguments.store], [arguments.save])
    began = time.perf_counter()
    live, compared, begins = _replayed(arguments.store, arguments.prune)
    differing = [one for one in compared if not one.same]
    _show(arguments, live, compared, begins, began)
    if differing:
        why = "either the log was changed, or an earlier version served it, which rounds otherwise"
        complain(f"{arguments.store}: played again, the log does not give the model that was served: {why}")
        return FAILED
    return DONE


def _replayed(where: str, age: float | None) -> tuple[Live, list[SnapshotComparison], int]:
    """The model at the end of a log, the snapshots it was compared with, and after which label the log begins.

    With an age the log is pruned, where nothing differs: it is locked first, so that what is forgotten was compared.
    """
    from ..serve.databases import store_of
    from ..serve.replay import prune, replay

    before = None if age is None else time.time() - age
    store = store_of(where, writes=False)
    store.open()
    try:
        if before is not None:
            store.close()  # there is such a log
            store = store_of(where)
            store.open()
        live, compared = replay(store)
        if before is not None and all(one.same for one in compared):
            prune(store, before)
        return live, compared, store.begins_after()
    finally:
        store.close()


def _show(arguments: ReplayOptions, live: Live, compared: list[SnapshotComparison], begins: int, began: float) -> None:
    """Save the model, and print what was compared."""
    from ..atomic_write import replacing
    from ..serve.store import digest

    model = live.snapshot(0.0).model
    if arguments.save is not None:
        with replacing(arguments.save) as file:
            file.write(model)
    if arguments.json:
        seconds = time.perf_counter() - began
        write_json(_values(arguments, live, compared, begins, digest(model), seconds))
        return
    print(f"{many(live.version, 'label')} and {many(live.number, 'prediction')}: model {digest(model)[:16]}")
    for one in compared:
        print(f"snapshot after {many(one.version, 'label')}: {'the same bytes' if one.same else 'DIFFERS'}")
    if begins:
        print(f"the log begins after {many(begins, 'label')}: what was before is not known any more")


def _refuse_model(text: str) -> None:
    """Refuse the name of a model where that of its log is expected."""
    if text.endswith(".rgl") or (text.endswith(".rgl.db") and not os.path.exists(text)):
        log = text.removesuffix(".db").removesuffix(".rgl") + ".db"
        raise UsageError(f"{text}: the log of a served model is expected; of this one that is {log}")


def _values(
    arguments: ReplayOptions, live: Live, compared: list[SnapshotComparison], begins: int, sha256: str, seconds: float
) -> dict[str, Any]:
    return {
        "schema": "regretless.replay/1",
        "store": arguments.store,
        "labels": live.version,
        "predictions": live.number,
        "begins_after": begins,
        "sha256": sha256,
        "snapshots": [{"version": one.version, "number": one.number, "same": one.same} for one in compared],
        "seconds": seconds,
    }
