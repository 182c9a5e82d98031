"""A million predictions and labels."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from regretless.bandits import Exp3IX
from regretless.linear import AROW

from .asking import COLUMNS, Client, begun, rows, served

MANY, BATCH = 1_000_000, 1000
ROOM = 40_000  # kilobytes


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["rows", "bandit"])
def test_memory_is_flat(kind: str, tmp_path: Path) -> None:
    """After the first tenth of a million predictions and labels, memory grows no more."""
    learner, schema = (AROW(), {"features": COLUMNS, "classes": [0, 1]}) if kind == "rows" else (
        Exp3IX(n_arms=5, seed=1), {"arms": 5}
    )  # fmt: skip
    path, some = begun(tmp_path, learner, schema), rows(BATCH)

    async def work(client: Client) -> list[int]:
        sizes = []
        for first in range(0, MANY, BATCH):
            ids = [f"{first + place}" for place in range(BATCH)]
            answers = [
                {"id": id, "input": None if kind == "bandit" else row} for id, row in zip(ids, some, strict=True)
            ]
            assert (await client.ask("/v1/predict", {"rows": answers})).status == 200
            labels = [{"id": id, "label": float(row[0] > 0)} for id, row in zip(ids, some, strict=True)]
            assert (await client.ask("/v1/label", {"labels": labels})).status == 200
            if first % (MANY // 10) == 0:
                sizes.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return sizes

    sizes = served(path, work)
    print(sizes)
    assert sizes[-1] - sizes[1] < ROOM
