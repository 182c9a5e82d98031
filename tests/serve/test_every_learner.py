"""Every learner of the catalogue that can go on, as it is served."""

from __future__ import annotations

from typing import Any

import pytest

from regretless.catalogue import SERVED, TABLES
from regretless.persist.model import model_bytes
from regretless.serve.live import Live
from regretless.serve.startup import new_model
from regretless.serve.store import LEARNT, Event, Snapshot
from regretless.serve.wire import write_json

from ..catalogue import COLUMNS, Entry, forecasts, losses, numbers, recommended, rows

ENTRIES = [Entry(kind, name) for kind in SERVED for name in TABLES[kind]]
SCHEMAS: dict[str, dict[str, Any]] = {
    "linear": {"features": COLUMNS, "classes": [-1, 1]},
    "regression": {"features": COLUMNS},
    "experts": {"experts": COLUMNS},
    "bandits": {"arms": COLUMNS},
    "contextual": {"arms": COLUMNS, "features": COLUMNS},
}
MANY, LATE = 12, 3  # rounds, and after how many a label comes


def asked_and_labels(entry: Entry) -> tuple[list[Any], list[Any]]:
    """Inputs and labels."""
    if entry.kind in ("linear", "regression"):
        X, y = rows() if entry.kind == "linear" else numbers()
        return X[:MANY].tolist(), y[:MANY].tolist()
    if entry.kind == "experts":
        predictions, outcomes = forecasts(binary="majority" in entry.name)
        return predictions[:MANY].tolist(), outcomes[:MANY].tolist()
    if entry.kind == "contextual":
        return rows()[0][:MANY].tolist(), losses()[:MANY, 0].tolist()
    table, advised = losses()[:MANY], entry.cls.info.advised
    advice = recommended()[:MANY].tolist()
    requests = [{"advice": one} if advised else None for one in advice]
    return requests, table.tolist() if entry.cls.info.informed else table[:, 0].tolist()


def go_on(live: Live, inputs: list[Any], labels: list[Any], waiting: list[Event], begin: int, end: int) -> None:
    """Predict, and learn the labels of earlier predictions."""
    for place in range(begin, end):
        (event,) = live.predict([f"{place}"], [live.served.read(inputs[place])], float(place))
        waiting.append(event)
        if len(waiting) > LATE:
            late = waiting.pop(0)
            label = live.served.read_label(labels[late.number - 1], late)
            late.state, late.label, late.sequence = LEARNT, write_json(label).decode(), live.version + 1
            late.settled = float(place)
            live.settle([late])
            assert not live.refused


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.kind}-{entry.name}")
def test_saved_and_read_again_it_goes_on(entry: Entry) -> None:
    """After late labels a model that was saved in the middle and read again has the bytes of one that went on."""
    queries, labels = asked_and_labels(entry)
    begun = Snapshot(0, 0, 0.0, model_bytes(*new_model(entry.made(), SCHEMAS[entry.kind])))
    whole, first = Live.of(begun, entry.name), Live.of(begun, entry.name)
    go_on(whole, queries, labels, [], 0, MANY)
    waiting: list[Event] = []
    go_on(first, queries, labels, waiting, 0, MANY // 2)
    again = Live.of(first.snapshot(0.0), entry.name)
    go_on(again, queries, labels, waiting, MANY // 2, MANY)
    assert again.snapshot(0.0) == whole.snapshot(0.0)
    assert whole.version == MANY - LATE
