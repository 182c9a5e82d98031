"""Model files of combiners that somebody made up: refused as models, before memory is set aside for what they claim."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from regretless.catalogue import EXPERT_LEARNERS, expert_class
from regretless.errors import ModelError, RegretlessError
from regretless.experts import online
from regretless.experts.state import ABSENT, FIELDS
from regretless.persist.format import read_model, write_model
from regretless.persist.model import KEYS, read

MORE = {
    "aggregating": {"value_range": (0, 1)},
    "hedge": {"loss": "square"},
    "eg": {"loss": "square"},
    "weighted-majority": {"beta": 0.0},
    "randomized-weighted-majority": {"beta": 0.5, "random_state": 3},
}
DRAWING = "randomized-weighted-majority"


def learnt(name):
    """A learner of three experts after eight rounds, with two predictions that wait."""
    generator = np.random.default_rng(5)
    advice, outcomes = generator.integers(0, 2, (10, 3)).astype(float), generator.integers(0, 2, 10).astype(float)
    learner = expert_class(name)(**MORE.get(name, {}))
    learner.play(advice[:8], outcomes[:8])
    learner.predict(advice[8])
    learner.predict(advice[9])
    return learner


@pytest.fixture
def model(tmp_path):
    """Writes a learner's model, with changes to its description and its arrays, and gives the path."""

    def make(name, description=None, **arrays):
        path = tmp_path / "m.rgl"
        learnt(name).save(path)
        meta, tensors = read_model(path)
        tensors |= arrays
        write_model(path, meta | (description or {}), {one: a for one, a in tensors.items() if a is not None})
        return path

    return make


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


@pytest.mark.parametrize("name", EXPERT_LEARNERS)
def test_what_was_saved_is_read(model, name):
    """The checks refuse no model that a learner has written."""
    learner, extra = read(model(name))
    assert extra == {}
    assert learner.pending_ == (0, 1)
    assert np.array_equal(learner.weights, learnt(name).weights)


@pytest.mark.parametrize("name", EXPERT_LEARNERS)
@pytest.mark.parametrize(
    "claim",
    [
        {"experts": 10**13},
        {"experts": 10**6},
        {"experts": 10**400},
        {"experts": 4},
        {"width": 2**45},
        {"width": 2**24},
        {"width": 10**400},
        {"experts": 10**9, "width": 10**9},
    ],
)
@pytest.mark.parametrize("waits", [True, False])
def test_no_memory_is_set_aside_for_a_claim(model, name, claim, waits):
    """A model that claims more experts or wider forecasts than its arrays show is refused, whatever learner it has."""
    idle = {} if waits else {"pending": []} | ({"draws": _undrawn(model)} if name == DRAWING else {})
    if not waits and claim == {"width": 2**24}:
        claim = {"width": 2**24 + 1}
    path = model(name, idle | claim, **({} if waits else {"waiting": None}))
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match="does not fit together"):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


def _undrawn(model):
    return read_model(model(DRAWING))[0]["draws"] | {"drawn": []}


@pytest.mark.parametrize(
    "claim",
    [
        {"learner": "os.system"},
        {"learner": ["squint"]},
        {"parameters": None},
        {"parameters": [["tau", 0.5]]},
        {"parameters": {"speed": 1}},
        {"parameters": {"self": 1}},
        {"parameters": {"eta": 1.0}},
        {"parameters": {"tau": "0.5"}},
        {"parameters": {"tau": [0.5]}},
        {"parameters": {"tau": 2}},
        {"parameters": {"loss": 5}},
        {"parameters": {"loss": "__import__"}},
        {"parameters": {"n_experts": 4}},
        {"parameters": {"n_experts": 3.0}},
        {"parameters": {"n_experts": "3"}},
        {"parameters": {"value_range": 5}},
        {"parameters": {"value_range": "01"}},
        {"parameters": {"value_range": ["0", "1"]}},
        {"parameters": {"value_range": [0, 10**400]}},
        {"parameters": {"value_range": {"0": 1, "1": 2}}},
        {"parameters": {"linearize": "no"}},
        {"parameters": {"prior": [1, 2]}},
        {"parameters": {"prior": [1, 2, -3]}},
        {"parameters": {"prior": [1, 2, [3]]}},
        {"parameters": {"prior": [1, 2, 10**400]}},
        {"parameters": {"prior": {"a": 1}}},
        {"experts": 3.0},
        {"experts": "3"},
        {"experts": True},
        {"experts": 0},
        {"experts": -3},
        {"width": 0},
        {"width": 1.0},
        {"width": 2},
        {"names": "abc"},
        {"names": ["a", "b"]},
        {"names": ["a", "b", 3]},
        {"names": ["a", "b", ["c"]]},
        {"names": {"a": 1, "b": 2, "c": 3}},
        {"tickets": -1},
        {"tickets": "2"},
        {"tickets": 2.5},
        {"tickets": 1},
        {"pending": [0, 0]},
        {"pending": [0, -1]},
        {"pending": [0, 2]},
        {"pending": [0]},
        {"pending": [0, 1.0]},
        {"pending": ["0", "1"]},
        {"pending": 2},
        {"pending": None},
        {"draws": {"drawn": []}},
        {"extra": None},
        {"extra": [["a", 1]]},
        {"surprise": 1},
    ],
)
def test_a_description_that_lies_is_refused(model, claim):
    """Whatever stands in a description, what does not fit is a ModelError."""
    with pytest.raises(ModelError):
        read(model("squint", claim))


def test_a_description_that_lacks_a_key_is_refused(model):
    """Every key is needed."""
    path = model("squint")
    meta, tensors = read_model(path)
    for key in KEYS["experts"].split():
        write_model(path, {name: value for name, value in meta.items() if name != key}, tensors)
        with pytest.raises(ModelError, match="does not fit together"):
            read(path, "experts")


@pytest.mark.parametrize("name", EXPERT_LEARNERS)
def test_arrays_that_no_run_wrote_are_refused(model, name):
    """Missing arrays, strange ones, and those of another shape, type or content."""
    path = model(name)
    meta, tensors = read_model(path)
    bad = [{"strange": np.zeros(3)}]
    for key, array in tensors.items():
        bad += [{key: None}, {key: array.astype(np.float32)}, {key: array[:-1]}, {key: array[None]}]
        if key != "waiting":
            bad.append({key: changed(array, (-1,) * array.ndim, np.nan)})
    rounds = FIELDS.index("rounds")
    bad += [{"book": changed(tensors["book"], rounds, value)} for value in (-1.0, 0.5, np.inf, -np.inf, np.nan)]
    bad += [{"book": changed(tensors["book"], FIELDS.index(one), -1.0)} for one in ("spread", "spread2", "mistakes")]
    bad += [{"tallies": changed(tensors["tallies"], (ABSENT, 1), value)} for value in (-1.0, 0.5, np.inf)]
    bad.append({"waiting": changed(tensors["waiting"], (0, 4), np.nan)})
    if "memory" in tensors:
        bad += [{"memory": changed(tensors["memory"], 0, value)} for value in (-1.0, 0.5, np.inf)]
    if name == "weighted-majority":
        bad += [{"state": changed(tensors["state"], (0, 1), value)} for value in (-1.0, -1e300, 0.5, np.inf)]
    if name == "ridge":
        bad.append({"triangle": changed(tensors["triangle"], (1, 1), 0.0)})
    for arrays in bad:
        write_model(path, meta, {one: a for one, a in (tensors | arrays).items() if a is not None})
        with pytest.raises(ModelError, match="does not fit together"):
            read(path)


@pytest.mark.parametrize(
    "change",
    [
        {"drawn": []},
        {"drawn": [[0, 1]]},
        {"drawn": [[0, 1], [1, 3]]},
        {"drawn": [[0, 1], [1, -1]]},
        {"drawn": [[0, 1], [1, 1.0]]},
        {"drawn": [[0, 1], [1, True]]},
        {"drawn": [[0, 1], ["1", 1]]},
        {"drawn": [[0, 1], [1, 1], [1, 2]]},
        {"drawn": [[0, 1], [1, 1], [2, 1]]},
        {"drawn": [0, 1]},
        {"drawn": None},
        {"seed": 3},
        {"seed": "-3"},
        {"seed": "three"},
        {"state": {"state": "1"}},
        {"state": {"state": "1", "inc": "3", "more": "5"}},
        {"state": {"state": "-1", "inc": "3"}},
        {"state": {"state": "1", "inc": "2"}},
        {"state": {"state": str(2**128), "inc": "3"}},
        {"state": {"state": 1, "inc": 3}},
        {"state": "1"},
    ],
)
def test_draws_that_no_run_made_are_refused(model, change):
    """Each prediction that waits has one drawn expert, among those that there are, and the generator a state."""
    draws = read_model(model(DRAWING))[0]["draws"] | change
    with pytest.raises(ModelError, match="does not fit together"):
        read(model(DRAWING, {"draws": draws}))


def test_a_drawing_learner_without_draws_is_refused(model):
    """Predictions that wait for an outcome would have nobody to blame."""
    with pytest.raises(ModelError, match="does not fit together"):
        read(model(DRAWING, {"draws": None}))


def test_a_parameter_that_divides_by_zero_is_refused(model):
    """A declared range so short that its square is zero has no rate."""
    with pytest.raises(ModelError, match="does not fit together"):
        read(model("aggregating", {"parameters": {"value_range": [0.0, 1e-200]}}))


def test_what_could_not_be_read_is_not_written(tmp_path, monkeypatch):
    """Forecasts of more numbers than a model may have are refused when the model is saved."""
    learner = expert_class("ewa")()
    learner.predict(np.zeros((2, 5)))
    monkeypatch.setattr(online, "WIDEST", 4)
    with pytest.raises(RegretlessError, match="5 numbers: a model file keeps those of 4 at most"):
        learner.save(tmp_path / "m.rgl")
    assert not list(tmp_path.iterdir())
