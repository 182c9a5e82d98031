"""Bodies that nobody would send on purpose."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.bandits import Exp3IX, Hedge
from regretless.experts import Squint
from regretless.linear import AggregatedClassifier
from regretless.regression import AggregatedRegressor
from regretless.serve.databases import store_of
from regretless.serve.replay import replay

from .asking import COLUMNS, Client, begun, served

SCHEMAS: dict[str, tuple[Any, dict[str, Any]]] = {
    "rows": (AggregatedClassifier, {"features": COLUMNS, "classes": [0, 1]}),
    "table": (AggregatedClassifier, {"columns": {"a": "number", "b": "text"}, "classes": ["no", "yes"]}),
    "numbers": (AggregatedRegressor, {"features": COLUMNS}),
    "experts": (lambda: Squint(loss="square", value_range=(0, 1)), {"experts": ["a", "b"]}),
    "bandit": (lambda: Exp3IX(n_arms=2, seed=1), {"arms": ["a", "b"]}),
    "informed": (lambda: Hedge(n_arms=2, seed=1), {"arms": ["a", "b"]}),
}
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
LEAVES = st.none() | st.booleans() | st.integers() | FLOATS | st.text(max_size=5) | st.sampled_from(["yes", "a"])
NAMES = st.sampled_from(["a", "b", "id", "available", "advice", ""]) | st.text(max_size=3)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(NAMES, inner, max_size=4))
ROWS = st.lists(FLOATS | st.integers(-3, 3), min_size=COLUMNS, max_size=COLUMNS)
INPUTS = VALUES | ROWS | st.fixed_dictionaries({"a": FLOATS}, optional={"b": st.text(max_size=4)})
IDS = st.sampled_from(["x", "y", "z"]) | LEAVES


@pytest.mark.parametrize("kind", SCHEMAS)
def test_no_body_is_too_strange(kind: str, tmp_path: Path) -> None:
    """Whatever is sent as an input, an id or a label is answered with a success or a reason, and the log played again
    gives the model that was served."""
    make, schema = SCHEMAS[kind]
    path = begun(tmp_path, make(), schema)

    async def work(client: Client) -> None:
        loop, sent = asyncio.get_running_loop(), []

        @given(st.lists(st.tuples(IDS, INPUTS, IDS, VALUES | FLOATS | st.sampled_from([0, 1, "no"])), max_size=8))
        def collect(rounds: list[Any]) -> None:
            sent.extend(rounds)

        await loop.run_in_executor(None, collect)
        for id, value, labelled, label in sent:
            for verb, body in (
                ("predict", {"id": id, "input": value}),
                ("label", {"id": labelled, "label": label}),
                ("label", {"label": label, "input": value}),
                ("predict", value),
                ("label", label),
            ):
                answer = await client.ask(f"/v1/{verb}", json.dumps(body).encode())
                assert answer.status in (200, 207, 400, 404, 409, 410, 413, 422), (verb, body, answer.body)
                assert isinstance(json.loads(answer.body), dict)

    served(path, work)
    store = store_of(path.with_suffix(".db"), writes=False)
    store.open()
    _, compared = replay(store)
    store.close()
    assert all(one.same for one in compared)
