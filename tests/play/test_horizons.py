"""Several learners over several numbers of rounds: each point is a play of its own beside the least bound on it."""

from __future__ import annotations

import pytest

from regretless.bandits import Exp3IX, TsallisINF
from regretless.environments import Bernoulli, SparseTarget
from regretless.errors import ParameterError, RegretlessError
from regretless.experts import FollowTheLeader, Hedge
from regretless.linear import Perceptron, Winnow
from regretless.play import play, sweep

COINS = Bernoulli([0.3, 0.5, 0.5])


def test_each_point_is_the_play_of_as_many_rounds():
    """Regret and bound are those that `play` gives, of a learner that is tuned for that number of rounds."""
    swept = sweep([Exp3IX(3, horizon=7, seed=0), TsallisINF(3, seed=0)], COINS, [50, 200], runs=12)
    assert (swept.quantity, swept.environment, [name for name, _ in swept.learners]) == (
        "regret", "Bernoulli", ["exp3-ix", "tsallis-inf"]
    )  # fmt: skip
    for rounds, point in zip((50, 200), swept.learners[0][1], strict=True):
        alone = play(Exp3IX(3, horizon=rounds, seed=0), COINS, rounds, runs=12)
        bounds = {one.theorem.title: one.bound for one in alone.certificates if one.applies}
        assert (point.rounds, point.observed) == (rounds, alone.regret)
        assert point.bound == min(bounds.values()) == bounds[point.theorem]


def test_a_learner_without_a_horizon_is_not_tuned():
    """One whose rate falls is played as it is."""
    swept = sweep({"falls": Exp3IX(3, seed=0)}, COINS, [100])
    assert swept.learners[0][1][0].observed == play(Exp3IX(3, seed=0), COINS, 100).regret


def test_combiners_and_learners_of_weights_are_swept_too():
    """Combiners by their regret, learners of weights by their mistakes, against the same environment."""
    world = SparseTarget(columns=20, seed=1)
    combiners = sweep([Hedge(loss="zero-one"), FollowTheLeader(loss="zero-one")], world, [20, 60])
    learners = sweep([Perceptron(), Winnow()], world, [20, 60])
    assert (combiners.quantity, learners.quantity) == ("regret", "mistakes")
    for swept in (combiners, learners):
        for _, points in swept.learners:
            assert all(point.bound is None or point.observed <= point.bound + 1e-9 for point in points)
    with pytest.raises(RegretlessError, match="sweep them apart"):
        sweep([Hedge(loss="zero-one"), Perceptron()], world, [20])


def test_the_page_has_every_learner_with_its_bound(tmp_path):
    """One file with a line for each learner and for each bound, and all numbers in words."""
    swept = sweep({"first": Exp3IX(3, seed=0), "second": TsallisINF(3, seed=0)}, COINS, [50, 200])
    swept.report(str(tmp_path / "s.html"))
    text = (tmp_path / "s.html").read_text()
    for words in ("first and second against Bernoulli", "Bound of first", "Bound of second", "After 200"):
        assert words in text


def test_the_figure_has_a_line_for_each_learner_and_bound():
    """Two learners are four lines on one pair of axes."""
    pytest.importorskip("matplotlib")
    figure = sweep([Exp3IX(3, seed=0), TsallisINF(3, seed=0)], COINS, [50, 200]).plot()
    (axes,) = figure.axes
    assert len(axes.get_lines()) == 4
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Rounds", "Regret")


@pytest.mark.parametrize("horizons", [[], [10, 10], [20, 10]])
def test_numbers_of_rounds_ascend(horizons):
    """No number, one twice or a smaller one later is refused."""
    with pytest.raises(ParameterError, match="numbers of rounds that ascend"):
        sweep([Exp3IX(3, seed=0)], COINS, horizons)


def test_learners_have_names_and_are_few():
    """Two of one name, none, and more than a picture tells apart are refused."""
    with pytest.raises(ParameterError, match="two of them have one name"):
        sweep([Exp3IX(3, seed=0), Exp3IX(3, seed=1)], COINS, [10])
    for many in (0, 5):
        with pytest.raises(ParameterError, match="from one to 4"):
            sweep({str(k): Exp3IX(3, seed=k) for k in range(many)}, COINS, [10])
