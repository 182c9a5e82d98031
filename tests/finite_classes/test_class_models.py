"""Model files of learners of finite classes: class, books and draws come back to the bit, and what lies is refused."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import regretless
from regretless.catalogue import CLASS_LEARNERS, class_learner
from regretless.errors import ModelError, RegretlessError
from regretless.finite_classes import Consistent, FiniteClass, Halving, RandomizedOptimal, StandardOptimal
from regretless.finite_classes.learners import randomized
from regretless.persist.format import read_model, write_model
from regretless.persist.model import read, write

from ..command_line import CommandLine
from .test_class_learners import impatient

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "consistent": [{}, {"order": [4, 3, 2, 1, 0]}],
    "halving": [{"tie": 0}, {"prune": "mistake"}],
    "standard-optimal": [{"tie": 0}],
    "randomized-optimal": [{"random_state": 2**62 + 1}],
}
MADE = [(name, more) for name in CLASS_LEARNERS for more in SETTINGS.get(name, [{}])]
TABLE = np.array([[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0], [1, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0]])


def learnt(name, **more):
    """A learner of five functions, two of them left, that waits for a label."""
    finite_class = FiniteClass(TABLE, hypotheses=list("abcdee"), points=["p", "q", "r", "s"])
    learner = class_learner(name)(finite_class, **more)
    learner.play(["p", "s"], [0, 1])
    learner.predict("r")
    return learner


def went_on(learner):
    """What a learner does next."""
    learner.update(1)
    return learner.play([1, 2, 0, 3, 2], [0, 1, 0, 1, 1]).predictions.tolist(), learner.ledger_, learner.state()


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture
def stored_model(tmp_path):
    """A model file, its description and its arrays."""
    path = tmp_path / "m.rgl"
    learnt("halving", prune="mistake").save(path)
    return path, *read_model(path)


@pytest.mark.parametrize(("name", "more"), MADE)
def test_what_is_loaded_goes_on_as_it_would_have(name, more, tmp_path):
    """A model that comes back has the class with its names, the books and the open prediction, and learns on alike."""
    path = tmp_path / "m.rgl"
    learner = learnt(name, **more)
    learner.save(path)
    other = regretless.load(path)
    assert type(other) is type(learner)
    assert other.finite_class == learner.finite_class
    assert other.finite_class.table_rows == 6
    assert other.finite_class.point_names == ["p", "q", "r", "s"]
    assert other.finite_class.hypothesis_names == list("abcde")
    assert (other.ledger_, other.pending_, other.state()) == (learner.ledger_, (2,), learner.state())
    same = {name: value for name, value in learner.get_params().items() if name != "order"}
    assert {name: value for name, value in other.get_params().items() if name != "order"} == same
    assert [str(one) for one in other.certify()] == [str(one) for one in learner.certify()]
    assert went_on(other) == went_on(learner)


@pytest.mark.parametrize(("name", "more"), MADE)
def test_saving_what_was_loaded_gives_the_same_bytes(name, more, tmp_path):
    """A model file that is read and written again does not change."""
    first, second = tmp_path / "a.rgl", tmp_path / "b.rgl"
    learnt(name, **more).save(first)
    regretless.load(first).save(second)
    assert first.read_bytes() == second.read_bytes()


def test_a_dead_class_comes_back_dead(tmp_path):
    """A model whose labels no hypothesis agreed with says in which round the last one died, and certifies nothing."""
    path = tmp_path / "m.rgl"
    for learner in (Halving(TABLE), Halving(TABLE, prune="mistake"), StandardOptimal(TABLE)):
        learner.play([0, 3, 0, 3], [0, 1, 1, 0])
        learner.save(path)
        other = regretless.load(path)
        assert (other.died_, other.ledger_, other.realizable_) == (3, learner.ledger_, False)
        assert not any(one.applies for one in other.certify())


def test_a_seed_that_nobody_gave_is_stored(tmp_path):
    """Draws go on where they stood, also of a learner that chose its own seed or took one from a generator."""
    path = tmp_path / "m.rgl"
    for state in (None, np.random.default_rng(3)):
        learner = RandomizedOptimal(FiniteClass.named("all:6"), random_state=state)
        learner.play([0, 1], [1, 0])
        learner.save(path)
        other = regretless.load(path)
        assert other.seed_ == learner.seed_
        assert [other.predict(2), other.update(1)] == [learner.predict(2), learner.update(1)]
        next_ones, others = (each.play([3, 4, 5], [1] * 3).predictions for each in (learner, other))
        assert next_ones.tolist() == others.tolist()


def test_a_search_that_lost_its_patience_is_saved_so(tmp_path, monkeypatch):
    """A learner that goes by half the bits, and one that found the dimension only later, go on alike when loaded."""
    path, finite_class = tmp_path / "m.rgl", FiniteClass.named("at-most-k:12,3")
    monkeypatch.setattr(randomized, "searched", impatient)
    for rounds in (1, 9):
        learner = RandomizedOptimal(finite_class, random_state=2, patience=1)
        learner.play(range(rounds), [1, *[0] * (rounds - 1)])
        learner.save(path)
        other = regretless.load(path)
        assert other.patience == 1
        assert [other.forecast(point) for point in range(12)] == [learner.forecast(point) for point in range(12)]
        assert other.facts() == learner.facts()
        assert (other.facts().randomized_left[0] > 0) == (rounds == 9)


def test_what_is_stored_beside_comes_back(tmp_path):
    """JSON values that a caller keeps with a model are read back as they are."""
    path = tmp_path / "m.rgl"
    write(path, Consistent(TABLE), {"environment": "tree", "rounds": [1, 2]})
    assert read(path)[1] == {"environment": "tree", "rounds": [1, 2]}


LIES = {
    "another room": {"room": "attic"},
    "no such learner": {"learner": "doubling"},
    "a parameter of another learner": {"parameters": {"order": [0]}},
    "a parameter of another type": {"parameters": {"tie": "1", "prune": "mistake"}},
    "a parameter without meaning": {"parameters": {"tie": 1, "prune": "seldom"}},
    "another kind of pruning": {"parameters": {"tie": 1, "prune": "always"}},
    "more points than there are bits": {"points": 65},
    "fewer points than speak": {"points": 3},
    "fewer hypotheses given than kept": {"given": 4},
    "names of other points": {"point_names": ["p", "q", "r"]},
    "names that are numbers": {"names": [1, 2, 3, 4, 5]},
    "fewer tickets than rounds": {"tickets": 1},
    "no ticket for what waits": {"tickets": 2},
    "what waits at no point": {"open": [4, 1]},
    "what waits was never said": {"open": [2, 0]},
    "what waits is no label": {"open": [2, 2]},
    "what waits is text": {"open": "2"},
    "more than it keeps": {"more": {"seed": "1"}},
    "extra that is a list": {"extra": []},
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_descriptions_that_lie_are_refused(lie, stored_model):
    """A description that does not fit its arrays, or that no learner has, is no model."""
    path, description, tensors = stored_model
    write_model(path, description | lie, tensors)
    with pytest.raises(ModelError, match=r"m\.rgl: .*"):
        regretless.load(path)


def changed(tensors, name, *, to=None, at=0, by=None):
    array = tensors[name].copy() if to is None else to
    if by is not None:
        array.reshape(-1)[at] = by
    return {**tensors, name: array}


ARRAYS = {
    "a hypothesis twice": lambda t: changed(t, "rows", at=1, by=t["rows"][0, 0]),
    "points that are not there": lambda t: changed(t, "rows", at=1, by=1 << 9),
    "rows of another type": lambda t: changed(t, "rows", to=t["rows"].astype(np.int64)),
    "no rows": lambda t: changed(t, "rows", to=t["rows"][:0]),
    "nobody is kept": lambda t: changed(t, "kept", by=0),
    "nobody is alive": lambda t: changed(t, "alive", by=0),
    "hypotheses that are not there": lambda t: changed(t, "kept", by=1 << 5),
    "sets of another length": lambda t: changed(t, "kept", to=np.ones(2, np.uint64)),
    "sets of another type": lambda t: changed(t, "kept", to=t["kept"].astype(np.float64)),
    "alive without a vote": lambda t: changed(changed(t, "kept", by=1), "book", at=3, by=1),
    "some of those that agree": lambda t: changed(changed(t, "kept", by=0b1011), "book", at=3, by=3),
    "more mistakes than rounds": lambda t: changed(t, "book", at=1, by=3),
    "fewer mistakes than none": lambda t: changed(t, "book", at=1, by=-1),
    "others alive": lambda t: changed(t, "book", at=2, by=1),
    "others kept": lambda t: changed(t, "book", at=3, by=4),
    "a death to come": lambda t: changed(t, "book", at=4, by=3),
    "a book of another length": lambda t: changed(t, "book", to=t["book"][:4]),
    "a book of floats": lambda t: changed(t, "book", to=t["book"].astype(float)),
    "no book": lambda t: {name: array for name, array in t.items() if name != "book"},
    "one array more": lambda t: {**t, "weights": np.ones(3)},
    "an order nobody asked for": lambda t: {**t, "order": np.arange(5)},
}


@pytest.mark.parametrize("lie", ARRAYS.values(), ids=ARRAYS.keys())
def test_arrays_that_lie_are_refused(lie, stored_model):
    """Arrays of another shape or type, and numbers that no run can have left, are no model."""
    path, description, tensors = stored_model
    write_model(path, description, lie(tensors))
    with pytest.raises(ModelError, match=r"m\.rgl: .*"):
        regretless.load(path)


DRAWS = {
    "nothing": None,
    "nothing in it": {},
    "no number": {"seed": 1},
    "a seed in letters": {"seed": "one"},
    "more mistakes than rounds": {"expected": 3.0},
    "fewer than none": {"expected": -0.5},
    "mistakes that are true": {"expected": True},
    "fewer hypotheses than are left": {"tried": 1},
    "more hypotheses than there were": {"tried": 11},
    "settled with fewer than are left": {"settled_at": 1},
    "settled with more than there were": {"settled_at": 6},
    "settled in between": {"settled_at": 3.5},
}


@pytest.mark.parametrize("lie", DRAWS.values(), ids=DRAWS.keys())
def test_draws_that_lie_are_refused(lie, tmp_path):
    """What no run of draws can have left is refused: no seed, too many mistakes, hypotheses that were not there."""
    path = tmp_path / "m.rgl"
    learnt("randomized-optimal", random_state=1).save(path)
    description, tensors = read_model(path)
    write_model(path, description | {"more": description["more"] | lie if lie else lie}, tensors)
    with pytest.raises(ModelError):
        regretless.load(path)


def test_any_change_of_any_byte_is_refused_or_harmless(tmp_path):
    """A file with a flipped bit is refused with its name, and nothing but a model error comes of it."""
    path = tmp_path / "m.rgl"
    learnt("consistent").save(path)
    whole, drawn = path.read_bytes(), random.Random(7)
    for _ in range(200):
        broken = bytearray(whole)
        broken[drawn.randrange(len(whole))] ^= 1 << drawn.randrange(8)
        path.write_bytes(bytes(broken))
        with pytest.raises(ModelError, match=r"m\.rgl"):
            regretless.load(path)


@pytest.mark.parametrize(("name", "more"), MADE)
def test_inspect_shows_what_is_left(name, more, run, tmp_path):
    """The verb prints the class, the books and the hypotheses that agree with all labels; JSON holds the same."""
    path = tmp_path / "m.rgl"
    learnt(name, **more).save(path)
    shown = run("inspect", path)
    assert "class       5 hypotheses on 4 points" in shown.out
    assert "agreeing    2 hypotheses agree with all labels" in shown.out
    report = run("inspect", path, "--json").json
    assert (report["learner"], report["rounds"], report["alive"], report["left"]) == (name, 2, 2, ["a", "b"])
    assert (report["expected_mistakes"] is None) == (name != "randomized-optimal")


@pytest.mark.parametrize("verb", ["predict", "certify", "combine"])
def test_other_verbs_say_whose_model_it_is(verb, run, tmp_path):
    """A verb that cannot use such a model says so and names what can."""
    path = tmp_path / "m.rgl"
    learnt("halving").save(path)
    (tmp_path / "d.svm").write_text("1 1:1\n")
    arguments = ["--resume", path] if verb == "combine" else [path]
    shown = run(verb, *arguments, tmp_path / "d.svm")
    assert shown.code == 1
    assert "learned a finite class (halving); inspect shows it" in shown.err


def test_a_refusal_is_a_regretless_error():
    """A model error is one of the library's own, so that one except clause catches both."""
    assert issubclass(ModelError, RegretlessError)
