"""What holds of every finite class, every learner of it, and every way to pick the rounds."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from math import comb, log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless
from regretless.catalogue import CLASS_LEARNERS, class_learner
from regretless.environments import RandomizedTree, RandomTarget, ShatteredTree
from regretless.experts import WeightedMajority
from regretless.finite_classes import (
    FiniteClass,
    Halving,
    MistakeTree,
    StandardOptimal,
    littlestone_dimension,
    randomized_littlestone_dimension,
    vc_dimension,
    worst_case,
)
from regretless.finite_classes.learners.base import ClassLearner
from regretless.finite_classes.learners.state import rank
from regretless.finite_classes.vc import check_shattered
from regretless.linear import Perceptron, Winnow
from regretless.play import play

from ..command_line import CommandLine
from .small_classes import KNOWN, every_class

CLASSES = every_class()
EVERY = pytest.mark.parametrize("name", CLASSES)
LEARNERS: dict[str, dict[str, Any]] = {name: {} for name in CLASS_LEARNERS} | {
    "halving, ties to 0": {"tie": 0},
    "halving, on mistakes alone": {"prune": "mistake"},
    "standard-optimal, ties to 0": {"tie": 0},
    "randomized-optimal": {"random_state": 3},
}
MATES = {"weighted-majority": WeightedMajority, "perceptron": Perceptron, "winnow": Winnow}
KEYS = "hypotheses distinct points vc_dimension shattered littlestone_dimension tree floor_log2 exact seconds"
CERTAIN = [name for name in LEARNERS if not CLASS_LEARNERS[name.partition(",")[0]].info.draws]
EACH = pytest.mark.parametrize("learner", LEARNERS)
EACH_CERTAIN = pytest.mark.parametrize("learner", CERTAIN)


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def made(learner: str, finite_class: FiniteClass) -> ClassLearner:
    """The learner of that name, for a class."""
    return class_learner(learner.partition(",")[0])(finite_class, **LEARNERS[learner])


def rounds_of(finite_class: FiniteClass, seed: int = 0, rounds: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Points drawn, and what a hypothesis that was drawn says of them."""
    random = np.random.default_rng(seed)
    points = random.integers(0, finite_class.points, rounds)
    return points, finite_class.matrix[random.integers(finite_class.hypotheses), points].astype(np.int64)


def one_by_one(learner: ClassLearner, points: np.ndarray, labels: np.ndarray) -> list[int]:
    """What is predicted in each round."""
    predictions = []
    for point, label in zip(points.tolist(), labels.tolist(), strict=True):
        predictions.append(int(learner.predict(point)))
        learner.update(label)
    return predictions


@pytest.mark.parametrize("name", KNOWN)
def test_dimensions_are_those_of_the_books(name):
    """The dimensions of the named classes are what is known of them."""
    finite_class = FiniteClass.named(name)
    assert (vc_dimension(finite_class).value, littlestone_dimension(finite_class).value) == KNOWN[name]


@EVERY
def test_dimensions_and_worst_cases_stand_in_their_order(name):
    """VC <= Littlestone <= halving's worst <= floor(log2), and consistent's worst <= rank <= size - 1 and points."""
    finite_class = CLASSES[name]
    vc, depth = vc_dimension(finite_class).value, littlestone_dimension(finite_class).value
    halving = [made(each, finite_class) for each in CERTAIN if each.startswith("halving")]
    floor = finite_class.hypotheses.bit_length() - 1
    assert 0 <= vc <= depth <= floor
    for learner in halving:
        assert depth <= worst_case(learner).mistakes <= floor
    least = min(finite_class.hypotheses - 1, finite_class.points)
    assert depth <= worst_case(made("consistent", finite_class)).mistakes <= rank(finite_class) <= least
    assert finite_class.hypotheses <= sum(comb(finite_class.points, size) for size in range(vc + 1))


@EVERY
def test_the_standard_optimal_algorithm_errs_exactly_as_often_as_the_dimension_says(name):
    """The worst case of the standard optimal algorithm is the Littlestone dimension, whatever its ties."""
    finite_class = CLASSES[name]
    depth = littlestone_dimension(finite_class).value
    assert [worst_case(StandardOptimal(finite_class, tie=tie)).mistakes for tie in (0, 1)] == [depth, depth]


@EVERY
def test_chance_is_worth_half_of_the_mistakes_at_most(name):
    """The randomised dimension lies between half of the other one and the least of it and half of log2."""
    finite_class = CLASSES[name]
    depth = littlestone_dimension(finite_class).value
    drawn = randomized_littlestone_dimension(finite_class).value
    assert Fraction(depth, 2) <= drawn <= depth
    assert drawn <= log2(finite_class.hypotheses) / 2 + 1e-12


@EVERY
def test_witnesses_are_proofs_also_after_a_journey(name):
    """Shattered sets, which are trees as well, and trees pass their checks, after JSON and pickle too."""
    finite_class = CLASSES[name]
    vc, littlestone = vc_dimension(finite_class), littlestone_dimension(finite_class)
    check_shattered(finite_class, vc.witness)
    shattered = MistakeTree.of_shattered(finite_class, vc.witness)
    shattered.check(finite_class)
    assert len(vc.witness) == shattered.depth == vc.value
    sent = json.loads(json.dumps(littlestone.witness.nested()))
    for tree in (littlestone.witness, MistakeTree.from_nested(sent), pickle.loads(pickle.dumps(littlestone)).witness):
        tree.check(finite_class)
        assert tree.depth == littlestone.value


@EACH_CERTAIN
@EVERY
def test_the_worst_case_is_met_when_it_is_played(name, learner):
    """The labels that worst_case finds force as many mistakes on a new learner, and a hypothesis agrees with them."""
    finite_class = CLASSES[name]
    worst = worst_case(made(learner, finite_class))
    played = made(learner, finite_class)
    predictions = one_by_one(played, worst.points, worst.labels)
    assert sum(p != y for p, y in zip(predictions, worst.labels.tolist(), strict=True)) == worst.mistakes
    assert finite_class.matrix[worst.hypothesis, worst.points].tolist() == [bool(y) for y in worst.labels]
    assert played.realizable_


@EACH
@EVERY
def test_certificates_hold_where_a_hypothesis_agrees(name, learner):
    """Each theorem of each learner gives one certificate; on labels of a hypothesis all apply and none is violated."""
    finite_class = CLASSES[name]
    for seed in range(3):
        played = made(learner, finite_class)
        one_by_one(played, *rounds_of(finite_class, seed))
        certificates = played.certify()
        assert [certificate.theorem for certificate in certificates] == list(played.theorems)
        assert any(certificate.applies for certificate in certificates)
        for certificate in certificates:
            assert not certificate.violated, str(certificate)
            assert certificate.applies or certificate.why


@EACH
def test_nothing_is_certified_where_no_hypothesis_agrees(learner):
    """After labels that no hypothesis has, the round is named and every certificate says why it does not apply."""
    played = made(learner, FiniteClass.named("thresholds:5"))
    one_by_one(played, np.array([3, 1, 4, 4, 0]), np.array([1, 0, 0, 0, 1]))
    assert (played.realizable_, played.died_) == (False, 3)
    for certificate in played.certify():
        assert not certificate.applies
        assert "round 3" in certificate.why


@EACH
@EVERY
def test_rounds_one_by_one_are_the_rounds_of_a_table(name, learner):
    """`play` predicts, errs and remembers as predict and update do."""
    finite_class = CLASSES[name]
    points, labels = rounds_of(finite_class, 5)
    single, whole = made(learner, finite_class), made(learner, finite_class)
    predictions = one_by_one(single, points, labels)
    played = whole.play(points, labels)
    assert played.predictions.tolist() == predictions
    assert whole.ledger_ == single.ledger_
    assert whole.alive_.tolist() == single.alive_.tolist()


@EACH
@EVERY
def test_a_saved_learner_goes_on_as_if_it_had_not_been(tmp_path, name, learner):
    """A learner that was saved half way predicts and certifies as the one that was not."""
    finite_class = CLASSES[name]
    points, labels = rounds_of(finite_class, 6)
    result = made(learner, finite_class)
    one_by_one(result, points[:20], labels[:20])
    result.save(tmp_path / "c.rgl")
    read = regretless.load(tmp_path / "c.rgl")
    assert one_by_one(result, points[20:], labels[20:]) == one_by_one(read, points[20:], labels[20:])
    assert result.ledger_ == read.ledger_
    assert [str(each) for each in result.certify()] == [str(each) for each in read.certify()]


@EACH
@EVERY
def test_what_is_observed_lies_between_promises_and_certificates(name, learner):
    """Against both trees and against drawn targets no promise and no theorem fails, and some theorem applies."""
    finite_class = CLASSES[name]
    for environment in (ShatteredTree(finite_class), RandomizedTree(finite_class), RandomTarget(finite_class, seed=4)):
        met = play(made(learner, finite_class), environment, 30, runs=3)
        assert met.violated == []
        assert all(rest.holds and rest.observed is not None for rest in met.lower_bounds)
        assert any(certificate.applies for certificate in met.certificates)


@EVERY
def test_no_learner_escapes_the_tree_and_the_best_one_pays_no_more(name):
    """The tree forces its depth on every deterministic learner, and the standard optimal one errs no oftener."""
    finite_class = CLASSES[name]
    environment, depth = ShatteredTree(finite_class), littlestone_dimension(finite_class).value
    assert play(StandardOptimal(finite_class), environment, 40).count == depth
    for make in MATES.values():
        met = play(make(), environment, 40)
        assert met.quantities["mistakes"][0] >= depth
        assert met.violated == []


@EVERY
def test_the_randomised_optimal_learner_pays_exactly_what_the_other_tree_takes(name):
    """Against the randomised tree the optimal randomised learner's expected mistakes are the randomised dimension."""
    finite_class = CLASSES[name]
    met = play(made("randomized-optimal", finite_class), RandomizedTree(finite_class), finite_class.hypotheses)
    paid = met.quantities["expected mistakes"][0]
    assert paid == pytest.approx(float(randomized_littlestone_dimension(finite_class).value), abs=1e-9)


@EVERY
def test_what_is_certified_without_the_randomised_dimension_holds_as_well(name, monkeypatch):
    """A randomised learner whose search never ends goes by less, and is certified for no more than that."""
    monkeypatch.setattr("regretless.finite_classes.learners.randomized.searched", lambda *_: False)
    finite_class = CLASSES[name]
    for environment in (ShatteredTree(finite_class), RandomizedTree(finite_class), RandomTarget(finite_class, seed=5)):
        met = play(made("randomized-optimal", finite_class), environment, 90)
        assert met.violated == []
        assert any(certificate.applies for certificate in met.certificates)


@pytest.mark.parametrize("name", KNOWN)
def test_the_command_line_finds_the_same_in_a_family_and_in_its_file(run, tmp_path, name):
    """`dimension --json` says what is promised of a named class and of its table as a file, and both alike."""
    finite_class = FiniteClass.named(name)
    np.savetxt(tmp_path / "c.csv", finite_class.matrix, fmt="%d", delimiter=",")
    named, read = run("dimension", "--named", name, "--json"), run("dimension", tmp_path / "c.csv", "--json")
    assert (named.code, read.code) == (0, 0), named.err + read.err
    for report in (named.json, read.json):
        assert set(KEYS.split()) <= set(report)
        assert (report["vc_dimension"], report["littlestone_dimension"]) == KNOWN[name]
        assert (report["hypotheses"], report["points"]) == (finite_class.hypotheses, finite_class.points)
        assert (report["exact"], report["floor_log2"]) == (True, finite_class.floor_log2)
        assert len(report["shattered"]) == report["vc_dimension"]


@pytest.mark.parametrize("environment", ["shattered-tree", "randomized-tree", "random-target"])
@EACH
def test_every_learner_plays_every_environment_of_classes_on_the_command_line(run, tmp_path, learner, environment):
    """`play` counts as many mistakes as the result in Python, and its model goes on."""
    kind = learner.partition(",")[0]
    words = ["play", "--learner", kind, "--environment", environment, "--named", "intervals:5", "--rounds", 25]
    for key, value in LEARNERS[learner].items():
        if key != "random_state":
            words += ["--set", f"{key}={value}"]
    command = run(*words, "--seed", 3, "--save", tmp_path / "c.rgl", "--json")
    assert command.code == 0, command.err
    assert command.json["certificates"]
    assert regretless.load(tmp_path / "c.rgl").rounds_ == 25
    text = run(*words, "--seed", 3)
    for theorem in class_learner(kind).theorems:
        assert theorem.title in text.out


tables = st.integers(1, 6).flatmap(
    lambda points: st.lists(st.lists(st.integers(0, 1), min_size=points, max_size=points), min_size=1, max_size=14)
)


def measured(finite_class: FiniteClass) -> tuple[int, int, Fraction]:
    """The three dimensions."""
    drawn = randomized_littlestone_dimension(finite_class).value
    return vc_dimension(finite_class).value, littlestone_dimension(finite_class).value, drawn


@given(tables, st.randoms(use_true_random=False))
def test_dimensions_do_not_see_order_or_names_of_labels(table, random):
    """Rows, columns and the two labels of a point may be exchanged, and rows repeated: no dimension changes."""
    rows, points = len(table), len(table[0])
    order, columns = random.choices(range(rows), k=rows), random.sample(range(points), points)
    flipped = [random.randint(0, 1) for _ in range(points)]
    other = [[table[h][x] ^ flipped[x] for x in columns] for h in [*range(rows), *order]]
    assert measured(FiniteClass(other)) == measured(FiniteClass(table))


@given(tables, tables)
def test_dimensions_of_two_classes_side_by_side_add_up(one, other):
    """A hypothesis of each of two classes, on their own points: all three dimensions are sums."""
    both = FiniteClass([[*a, *b] for a in one for b in other[:6]])
    sums = [sum(pair) for pair in zip(measured(FiniteClass(one)), measured(FiniteClass(other[:6])), strict=True)]
    assert list(measured(both)) == sums


@given(tables, st.integers(0, 14))
def test_dimensions_of_a_union_are_those_of_its_parts_and_one(table, place):
    """Parts have no larger dimensions, and the union of two at most their sum and one."""
    whole = measured(FiniteClass(table))
    parts = [measured(FiniteClass(part)) for part in (table[:place], table[place:]) if part]
    for part in parts:
        assert all(a <= b for a, b in zip(part, whole, strict=True))
    if len(parts) == 2:
        assert whole[0] <= parts[0][0] + parts[1][0] + 1
        assert whole[1] <= parts[0][1] + parts[1][1] + 1


@given(tables, st.integers(0, 1))
def test_a_tree_of_the_dimension_forces_its_depth_on_everybody(table, tie):
    """Walking down the witness against halving's predictions costs it a mistake at every node."""
    finite_class = FiniteClass(table)
    tree = littlestone_dimension(finite_class).witness
    learner, labels = Halving(finite_class, tie=tie), []
    for _ in range(tree.depth):
        labels.append(1 - int(learner.predict(tree.point(labels))))
        learner.update(labels[-1])
    assert learner.mistakes_ == tree.depth
    assert learner.realizable_
