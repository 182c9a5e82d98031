"""Real files against counts that were taken independently."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regretless.data import open_stream
from regretless.linear import Perceptron

COUNTED = {
    "a9a": 6948,
    "a9a_test": 3522,
    "agaricus_test": 48,
    "agaricus_train": 61,
    "imdb_train": 6210,
    "german_numer_scale": 322,
    "heart_scale": 69,
    "svmguide1": 4,
    "spamassassin_stream": 195,
}


@pytest.mark.parametrize("name", COUNTED)
def test_one_pass_makes_as_many_updates_as_were_counted(name: str, data: Path) -> None:
    """In file order, with a constant feature 1 and ties counted, the updates are those of the index of the data."""
    entry = next(e for e in json.loads((data / "INDEX.json").read_text()) if e["name"] == name)
    learner, rows = Perceptron(intercept=1.0), 0
    for batch in open_stream(str(data / entry["file"])).batches():
        learner.observe(batch)
        rows += len(batch)
    assert rows == entry["rows"]
    assert learner.ledger_.updates == entry["checks"]["onepass_perceptron_mistakes"] == COUNTED[name]
