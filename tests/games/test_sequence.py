"""Games in sequence form: their values are those of the strategic forms, intervals are true, and certificates hold."""

from __future__ import annotations

import pickle
from fractions import Fraction
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import coo_array

from regretless.data.gambit_efg import Outcome
from regretless.errors import RegretlessError
from regretless.games.extensive_form.extensive import ExtensiveGame, read_efg
from regretless.games.extensive_form.sequence import COARSE, LARGEST_PROGRAM, SequenceGame, plan
from regretless.games.extensive_form.sequence_form import SequenceSolution
from regretless.games.matrix import MatrixGame
from regretless.games.methods import IN_TURNS
from regretless.games.play import TreePlay
from regretless.games.solution import SolveError
from regretless.games.solvers import exact

from ..finite_classes.trees import Draw, kuhn, strategic_form, strategies

SEEDS = st.integers(0, 2**32 - 1)
CHOICE = [[1, 0, 0], [-1, 1, 1]]
PENNIES = [[0, 0, 0], [0, 1, -1], [0, -1, 1]]


def drawn(seed: int, **options: Any) -> tuple[list[list[Fraction]], SequenceGame]:
    """A random game twice: by its pure strategies, and in sequence form."""
    tree = Draw(seed, **options).tree
    assume(len(strategies(tree, 1)) * len(strategies(tree, 2)) <= 300)
    return strategic_form(tree), ExtensiveGame(tree).sequence_form()


def violations(solution: SequenceSolution) -> list[str]:
    return [str(certificate) for certificate in solution.certificates if certificate.violated]


@given(SEEDS, st.sampled_from((Fraction(0), Fraction(7, 3))))
def test_value_is_that_of_the_strategic_form(seed: int, total: Fraction) -> None:
    """The sequence form's value is that of the matrix of all pure strategies, in floats and in fractions."""
    matrix, game = drawn(seed, total=total)
    solution = game.solve(exact=True)
    assert solution.exact is not None
    true = MatrixGame(matrix).solve(exact=True).exact
    assert true is not None
    assert solution.exact.value == true.value
    assert Fraction(solution.lower) <= true.value <= Fraction(solution.upper)
    assert solution.gap <= 1e-9 * max(game.spread, 1e-4)
    assert not violations(solution)


@given(SEEDS, st.sampled_from(IN_TURNS), st.sampled_from(("uniform", "linear", "quadratic")), st.booleans())
def test_self_play(seed: int, method: str, average: str, alternate: bool) -> None:
    """Two learners' averages enclose the value, no theorem is broken, and the course ends where they do."""
    matrix, game = drawn(seed)
    solution = game.solve(method, rounds=200, average=average, alternate=alternate)
    value = MatrixGame(matrix).solve(method="linear-programming").value
    assert solution.lower - 1e-9 <= value <= solution.upper + 1e-9
    assert not violations(solution)
    course = solution.course
    assert course is not None
    assert course.rounds[-1] == solution.iterations == 200
    assert course.gap[-1] == pytest.approx(solution.gap, abs=1e-9)
    assert (solution.gap_bound is None) == (method == "pcfr+" and alternate)
    if solution.gap_bound is not None:
        title, bound = solution.gap_bound
        assert all(course.gap <= [bound(rounds) + 1e-9 for rounds in course.rounds.tolist()]), title


@given(SEEDS)
def test_interval_of_any_plans(seed: int) -> None:
    """Whatever both players do, the value lies in what their plans guarantee, and best answers attain it."""
    matrix, game = drawn(seed)
    true = MatrixGame(matrix).solve(exact=True).exact
    assert true is not None
    random = np.random.default_rng(seed)
    plans = []
    for tree in (game.row, game.column):
        steps = random.random(len(tree)) * (random.random(len(tree)) < 0.7)
        plans.append(tree.outward(tree.plan(tree.behaviour(steps))))
    lower, upper = game.interval(*plans)
    assert Fraction(lower) <= true.value <= Fraction(upper)
    assert game.gap(*plans) == upper - lower
    low, high = game.range
    assert low - 1e-9 <= lower <= upper <= high + 1e-9


@pytest.mark.parametrize("method", ["auto", "linear-programming", *IN_TURNS])
def test_kuhn(method: str) -> None:
    """Every method finds that Kuhn's poker is worth -1/18."""
    tolerance = {"cfr": 1e-2, "cfr+": 1e-4}.get(method, 1e-6)
    solution = read_efg(kuhn()).sequence_form().solve(method, tolerance)
    assert solution.gap <= tolerance
    assert solution.lower <= -1 / 18 <= solution.upper
    assert not violations(solution)


def test_real_games(data: Path) -> None:
    """Kuhn's and Leduc poker have the values that are known of them."""
    for name, value in (
        ("kuhn_poker", -1 / 18),
        ("leduc_poker", -0.085606424),
        ("leduc_suit_isomorphic", -0.085606424),
    ):
        with np.load(data / "games" / f"seqform_{name}.npz") as arrays:
            game = SequenceGame.from_arrays(arrays)
        solution = game.solve()
        assert solution.value == pytest.approx(value, abs=1e-9)
        assert solution.gap <= 1e-12
        coarse = game.solve(tolerance=1e-3)
        assert (coarse.method, coarse.gap <= 1e-3) == ("cfr+", True)
        assert coarse.lower <= solution.upper
        assert solution.lower <= coarse.upper
        assert not violations(solution) + violations(coarse)


def test_forms_of_matrices() -> None:
    """Matrices may be lists, arrays, sparse, or triplets, in any order of the information sets."""
    plain = SequenceGame(PENNIES, CHOICE, CHOICE)
    entries = coo_array(np.array(PENNIES, dtype=float))
    triplets = ([0, 1, 1, 1], [0, 0, 1, 2], [1, -1, 1, 1], (2, 3))
    turned = SequenceGame(entries, triplets, np.array(CHOICE)[::-1])
    assert plain.value == pytest.approx(turned.value, abs=1e-12)
    parts = dict(zip(("row", "col", "val", "shape"), triplets, strict=True))
    names: dict[str, Any] = {f"{letter}_{part}": value for letter in "EF" for part, value in parts.items()}
    names |= {"A_row": entries.row, "A_col": entries.col, "A_val": entries.data, "A_shape": np.array(entries.shape)}
    assert SequenceGame.from_arrays(names).value == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(RegretlessError, match="F_val: missing"):
        SequenceGame.from_arrays({name: value for name, value in names.items() if name != "F_val"})


@pytest.mark.parametrize(
    ("constraints", "words"),
    [
        ([[1, 0, 0], [0, 1, 1]], "row 1 is no information set"),
        ([[1, 0, 0], [-1, 0, 0]], "row 1 is no information set"),
        ([[1, 0, 0], [-1, 1, 2]], "row 1 is no information set"),
        ([[1, 0, 0], [-1, 1, -1]], "row 1 is no information set"),
        ([[-1, 1, 1]], "0 rows"),
        ([[1, 0, 0], [1, 0, 0]], "2 rows"),
        ([[1, 0, 0], [-1, 1, 0]], "sequence 2 ends in no information set"),
        ([[1, 0, 0], [-1, 1, 1], [-1, 1, 0]], "sequence 1 ends in two"),
        ([[1, 0, 0], [1, -1, 0], [-1, 0, 1]], "sequence 0 ends in two"),
        ([[1, 0, 0], [0, -1, 1], [0, 1, -1]], "sequence 1 does not come from the empty"),
        ([[1, 0], [-1, 1]], "A: shape"),
        ([[1, 0, nan], [-1, 1, 1]], "finite"),
        ([["x"]], "numbers"),
        (([0], [0], [1]), "row 0"),
        (([0.5], [0], [1], (1, 1)), "numbers"),
    ],
)
def test_no_sequence_form(constraints: Any, words: str) -> None:
    """Matrices that are no sequence form are refused with what is wrong."""
    with pytest.raises(RegretlessError, match=words):
        SequenceGame(PENNIES, constraints, CHOICE)


def test_names() -> None:
    """Names are shown where they are given, and refused where they are too few or occur twice."""
    named = {"rows": ["", "h", "t"], "row_infosets": ["coin"], "row_actions": ["", "heads", "tails"]}
    game = SequenceGame(PENNIES, CHOICE, CHOICE, **named)  # type: ignore[arg-type]
    assert game.solve().behaviour("row") == {"coin": {"heads": pytest.approx(0.5), "tails": pytest.approx(0.5)}}
    assert game.solve().behaviour("column") == {"1": {"1": pytest.approx(0.5), "2": pytest.approx(0.5)}}
    assert repr(game) == "<SequenceGame: 3 and 3 sequences, 1 and 1 information sets>"
    for wrong in (
        {"rows": ["", "h", "h"]},
        {"cols": ["a"]},
        {"rows": "abc"},
        {"row_infosets": ["a", "b"]},
        {"col_actions": ["a"]},
    ):
        with pytest.raises(RegretlessError):
            SequenceGame(PENNIES, CHOICE, CHOICE, **wrong)  # type: ignore[arg-type]


def test_stated_payoffs() -> None:
    """Payoffs that are no floats widen the interval, and are what an exact solution is about."""
    third = Fraction(1, 3)
    stated = {(1, 1): third, (1, 2): -third, (2, 1): -third, (2, 2): third / 2}
    floats = np.zeros((3, 3))
    for place, payoff in stated.items():
        floats[place] = float(payoff)
    exact = SequenceGame(floats, CHOICE, CHOICE, exact_payoffs=stated)
    solution = exact.solve(exact=True)
    assert solution.exact is not None
    assert solution.exact.value == Fraction(-1, 21)
    assert exact.interval(solution.row, solution.column) == (solution.lower, solution.upper)
    assert solution.gap > SequenceGame(floats, CHOICE, CHOICE).gap(solution.row, solution.column)
    with pytest.raises(RegretlessError, match="not the payoffs"):
        SequenceGame(PENNIES, CHOICE, CHOICE, exact_payoffs=stated)


def test_no_fractions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no fractions are found there is an error with the interval, not an answer."""
    monkeypatch.setattr(exact, "vertex", lambda *_: None)
    game = SequenceGame(
        np.array(PENNIES) * [[0, 0, 0], [0, 0.1234567891234, 1], [0, 1, 0.9876543219876]], CHOICE, CHOICE
    )
    with pytest.raises(SolveError, match="no fractions") as caught:
        game.solve(exact=True)
    assert caught.value.lower <= caught.value.upper


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "simplex"}, "method"),
        ({"rounds": 5}, "self-play"),
        ({"start": ([1, 1, 0], [1, 1, 0])}, "self-play"),
        ({"method": "linear-programming", "average": "linear"}, "self-play"),
        ({"method": "cfr", "rounds": 0}, "rounds"),
        ({"method": "cfr", "rounds": 1.5}, "rounds"),
        ({"method": "cfr", "average": "cubic"}, "average"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"tolerance": nan}, "tolerance"),
        ({"tolerance": "much"}, "tolerance"),
        ({"method": "cfr", "rounds": 5, "start": ([1, 1, 1], [1, 1, 0])}, "do not sum"),
    ],
)
def test_parameters(options: dict[str, Any], words: str) -> None:
    """Parameters without a meaning are refused by name."""
    with pytest.raises(RegretlessError, match=words):
        SequenceGame(PENNIES, CHOICE, CHOICE).solve(**options)


@pytest.mark.parametrize("wrong", [[1, 1], [1, 0.5, 0.6], [0.5, 0.5, 0], [1, 2, -1], [1, nan, 1], "x"])
def test_plans(wrong: Any) -> None:
    """What is no plan is refused."""
    with pytest.raises(RegretlessError):
        SequenceGame(PENNIES, CHOICE, CHOICE).interval(wrong, [1, 1, 0])


def test_failure_is_an_error() -> None:
    """A tolerance that is not reached is an error that carries an interval with the value in it."""
    words = "not solved to a gap of 1e-09: cfr left a gap of .* after 50 iterations; its value lies between"
    with pytest.raises(SolveError, match=words) as caught:
        read_efg(kuhn()).sequence_form().solve("cfr", 1e-9, rounds=50)
    assert caught.value.lower <= -1 / 18 <= caught.value.upper


def test_stopped() -> None:
    """A search that is stopped gives what was found so far, and its gap."""
    game = read_efg(kuhn()).sequence_form()
    solution = game.solve("cfr", 1e-9, stop=lambda: True)
    assert solution.stopped == "asked to stop"
    assert solution.lower <= -1 / 18 <= solution.upper


def test_progress() -> None:
    """A long self-play tells how far it is."""
    calls: list[tuple[int, float]] = []
    game = read_efg(kuhn()).sequence_form()
    with pytest.raises(SolveError):
        game.solve("cfr", 1e-12, rounds=3_000_000, on_progress=lambda rounds, gap: calls.append((rounds, gap)))
    assert [rounds for rounds, _ in calls] == sorted({rounds for rounds, _ in calls})
    assert calls
    assert all(gap > 0 for _, gap in calls)


@given(SEEDS, st.sampled_from(IN_TURNS))
def test_start(seed: int, method: str) -> None:
    """Players who begin with given plans play them in the first round, and no theorem is broken by it."""
    _, game = drawn(seed)
    random = np.random.default_rng(seed)
    trees = game.row, game.column
    plans = [tree.outward(tree.plan(tree.behaviour(random.random(len(tree))))) for tree in trees]
    play = TreePlay(game, method, start=(plans[0], plans[1]), alternate=False)
    play.play(1)
    for average, tree, given_plan in zip(play.plans(), trees, plans, strict=True):
        np.testing.assert_allclose(tree.outward(average), given_plan, atol=1e-12)
    assert not violations(game.solve(method, rounds=50, start=(plans[0], plans[1])))


def test_methods_with_underscores() -> None:
    """A method may be named as names in Python are."""
    assert SequenceGame(PENNIES, CHOICE, CHOICE).solve("linear_programming").method == "linear-programming"


def test_plan_of_auto() -> None:
    """What auto tries first goes by the tolerance and by the number of payoffs."""
    game = SequenceGame(PENNIES, CHOICE, CHOICE)
    assert plan(game, 2 * COARSE * game.spread)[0] == "cfr+"
    assert plan(game, 1e-9)[0] == "linear-programming"
    side = int(LARGEST_PROGRAM**0.5) + 2
    wide = [[1] + [0] * side, [-1] + [1] * side]
    payoffs = np.ones((side + 1, side + 1))
    assert plan(SequenceGame(payoffs, wide, wide), 1e-9)[0] == "pcfr+"


@given(SEEDS, st.sampled_from((10**9, -(10**9))))
def test_far_from_zero(seed: int, offset: int) -> None:
    """That everybody wins or loses a billion besides costs digits, but no more of them than floats lack."""
    tree = Draw(seed, inner=False).tree
    for node in tree.nodes:
        if node.moves is None and node.outcome is not None:
            won = node.outcome.payoffs[0] + offset
            node.outcome = Outcome(node.outcome.number, "", (won, -won))
    game = ExtensiveGame(tree).sequence_form()
    assert game.spread <= 1000
    assert game.solve().gap <= 32 * np.spacing(1e9)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e285])
@pytest.mark.parametrize("method", ["linear-programming", "pcfr+"])
def test_extreme_sizes(scale: float, method: str) -> None:
    """Payoffs near both ends of what floats can be are solved too."""
    solution = SequenceGame(np.array(PENNIES) * scale, CHOICE, CHOICE).solve(method, 1e-6 * scale)
    assert solution.gap <= 1e-6 * scale
    assert not violations(solution)
    with pytest.raises(RegretlessError, match="1e\\+300 is in it"):
        SequenceGame(np.array(PENNIES) * 1e300, CHOICE, CHOICE)


@pytest.mark.parametrize("method", ["auto", "linear-programming", *IN_TURNS])
def test_nothing_is_won(method: str) -> None:
    """A game that is worth 0 whatever is done is solved by every method, with a gap of exactly 0."""
    for total in (0, 5):
        text = f'EFG 2 R "" {{ "a" "b" }}\np "" 1 1 "" {{ "x" "y" }} 0\nt "" 1 "" {{ 0 {total} }}\nt "" 1\n'
        for game in (SequenceGame(np.zeros((3, 3)), CHOICE, CHOICE), read_efg(text).sequence_form()):
            solution = game.solve(method)
            assert (solution.lower, solution.upper, game.spread, game.size) == (0.0, 0.0, 0.0, 0.0)
            assert not violations(solution)


def test_payoffs_that_cancel() -> None:
    """Payoffs of which always the same sums are won are solved, though they are rounded and their range is 0."""
    single, third = [[1, 0], [-1, 1]], Fraction(1, 3)
    stated = {(0, 0): third, (1, 1): -third}
    game = SequenceGame([[1 / 3, 0], [0, -1 / 3]], single, single, exact_payoffs=stated)
    assert game.spread == 0
    solution = game.solve()
    assert Fraction(solution.lower) <= 0 <= Fraction(solution.upper)
    assert 0 < solution.gap <= 4 * np.spacing(1 / 3)


@pytest.mark.parametrize("scale", [5e-324, 1e-320, 1e-310])
def test_payoffs_near_nothing(scale: float) -> None:
    """Of payoffs among the smallest floats there is an answer with an interval that is true."""
    for method in ("auto", *IN_TURNS):
        solution = SequenceGame(np.array(PENNIES) * scale, CHOICE, CHOICE).solve(method, tolerance=2 * scale)
        assert solution.lower <= 0 <= solution.upper
        assert solution.gap <= 2 * scale
        assert not violations(solution)


def test_stated_payoffs_near_nothing() -> None:
    """Fractions below the smallest normal float are rounded coarsely, and the interval allows for it."""
    odd = Fraction(1, 3) / 2**1070
    stated = {(1, 1): odd, (1, 2): -odd, (2, 1): -odd / 2**10, (2, 2): odd}
    floats = np.zeros((3, 3))
    for place, payoff in stated.items():
        floats[place] = float(payoff)
    game = SequenceGame(floats, CHOICE, CHOICE, exact_payoffs=stated)
    lower, upper = game.interval([1, 0, 1], [1, 1, 0])
    assert Fraction(lower) <= -odd / 2**10 <= odd <= Fraction(upper)


@given(SEEDS, st.sampled_from((1e289, 1e-295, 1e-150)), st.sampled_from(IN_TURNS), st.booleans())
def test_learners_of_any_size(seed: int, scale: float, method: str, alternate: bool) -> None:
    """Payoffs however large or small are learnt as well as those near 1, as far as the theorems promise."""
    _, plain = drawn(seed)
    factor = 2.0 ** round(np.log2(scale) - np.log2(max(plain.size, 1e-9)))
    game = SequenceGame(plain.payoffs * factor, plain.row.constraints, plain.column.constraints)
    plain = SequenceGame(plain.payoffs, plain.row.constraints, plain.column.constraints)
    scaled, unscaled = (one.solve(method, rounds=150, alternate=alternate) for one in (game, plain))
    assert not violations(scaled)
    assert all(one.applies for one in scaled.certificates if one.theorem.name == "sequence_final_regrets")
    np.testing.assert_allclose(scaled.row, unscaled.row, atol=1e-12)
    assert scaled.gap == pytest.approx(unscaled.gap * factor, rel=1e-9, abs=1e-13 * plain.size * factor)
    assert scaled.course is not None
    if scaled.gap_bound is not None:
        bound = scaled.gap_bound[1]
        slack = 1e-12 * game.size
        assert all(scaled.course.gap <= [bound(rounds) + slack for rounds in scaled.course.rounds.tolist()])


def test_learners_in_units_are_paid_no_other_game() -> None:
    """Where payoffs are too large for their squares the plans are the very ones of the same game in a unit."""
    factor = 2.0**950
    small, large = (SequenceGame(np.array(PENNIES) * scale + 0.0, CHOICE, CHOICE) for scale in (1.0, factor))
    plays = [TreePlay(game, "cfr+", start=([1, 1, 0], [1, 0.25, 0.75])) for game in (small, large)]
    for play in plays:
        play.play(77)
    looks = [np.array(play.interval()) for play in plays]
    np.testing.assert_array_equal(looks[0] * factor, looks[1])
    assert plays[0].ledger.gap * factor == plays[1].ledger.gap
    for mine, others in zip(plays[0].plans(), plays[1].plans(), strict=True):
        np.testing.assert_array_equal(mine, others)


@pytest.mark.parametrize("method", IN_TURNS)
def test_play_goes_on(method: str) -> None:
    """A play that is copied, or taken up from its arrays, goes on bit by bit as it would have."""
    game = read_efg(kuhn()).sequence_form()
    whole, first = TreePlay(game, method), TreePlay(game, method)
    whole.play(30)
    first.play(11)
    copied = pickle.loads(pickle.dumps(first))
    adopted = TreePlay(game, method)
    adopted.adopt(first.arrays())
    for play in (first, copied, adopted):
        assert play.rounds == 11
        play.play(19)
        assert play.interval() == whole.interval()
        assert play.ledger == whole.ledger
        assert {name: array.tobytes() for name, array in play.arrays().items()} == {
            name: array.tobytes() for name, array in whole.arrays().items()
        }
    assert all(getattr(copied, name) is not getattr(first, name) for name in TreePlay.ARRAYS)


def test_before_the_first_round() -> None:
    """Before anything is played the plans are those that it begins with, and a look says what they guarantee."""
    game = read_efg(kuhn()).sequence_form()
    play = TreePlay(game, "cfr+")
    plans = play.plans()
    np.testing.assert_array_equal(plans[0], game.row.uniform())
    np.testing.assert_array_equal(plans[1], game.column.uniform())
    assert play.interval() == game.interval(game.row.outward(plans[0]), game.column.outward(plans[1]))
    plans[0][:] = 7
    assert play.plans()[0][0] == 1


def test_topology_is_preserved() -> None:
    """What leads where cannot be changed by accident, and the compiled core reads arrays of its own."""
    game = SequenceGame(PENNIES, CHOICE, CHOICE)
    for numbers in (game.row.first, game.row.parent, game.column.order, game.column.places):
        with pytest.raises(ValueError, match="read-only"):
            numbers[0] = 99
    plan = np.array([1, 0.25, 0.75])
    before = game._enclose(plan, plan)
    for tree in (game.row, game.column):
        for numbers in (tree.first, tree.parent):
            numbers.flags.writeable = True
            numbers[:] = 10**6
    for numbers in (game.inward.indices, game.inward.indptr, game.inward.data, game.payoffs.data):
        numbers[:] = 7
    assert game._enclose(plan, plan) == before


def test_constant_game() -> None:
    """A game in which nothing matters is solved with its value."""
    solution = SequenceGame([[2.5, 0, 0], [0, 0, 0], [0, 0, 0]], CHOICE, CHOICE).solve()
    assert solution.value == 2.5
    assert solution.gap <= 1e-12


def test_describe() -> None:
    """The solution as JSON values says what to do in each information set, and how probable each sequence is."""
    solution = read_efg(kuhn()).sequence_form().solve("pcfr+", 1e-3, start=None)
    record = solution.describe()
    assert (record["rows"], record["information_sets"]) == (13, {"row": 6, "column": 6})
    assert record["row_strategy"]["J"].keys() == {"check", "bet"}
    assert record["row_sequences"]["∅"] == 1.0
    assert sum(record["column_strategy"]["K"].values()) == pytest.approx(1.0)
    assert (record["total"], record["stopped"]) == (0.0, None)
    assert repr(solution).startswith("<Solution: value -0.055")
    with pytest.raises(RegretlessError, match="no fractions"):
        solution.behaviour("row", exact=True)
    with pytest.raises(RegretlessError, match="player='Row'"):
        solution.behaviour("Row")  # type: ignore[arg-type]


def test_pickle() -> None:
    """A game that is kept and taken out again is solved as before."""
    game = read_efg(kuhn()).sequence_form()
    value = game.value
    assert pickle.loads(pickle.dumps(game)).solve().value == value


def test_cards_never_dealt() -> None:
    """Information sets that a player never comes to by its own doing are left out of what it does."""
    game = SequenceGame([[0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0] * 5, [0] * 5], TWICE, TWICE)
    behaviour = game.solve().behaviour("row")
    assert set(behaviour) == {"1"}
    assert behaviour["1"]["2"] == pytest.approx(1.0)


TWICE = [[1, 0, 0, 0, 0], [-1, 1, 1, 0, 0], [0, -1, 0, 1, 1]]
