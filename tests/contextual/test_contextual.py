"""Bandits that draw by features: the rules of the textbook, tickets, arms that come and go, errors, files."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy import sparse as sp

import regretless
from regretless import _core
from regretless.bandits import LossError
from regretless.catalogue import CONTEXTUAL_BANDITS, class_of
from regretless.cli import main
from regretless.contextual import EpsilonGreedy, SquareCB
from regretless.data.rows import open_stream
from regretless.errors import ModelError, ParameterError, RegretlessError
from regretless.persist.format import read_model, write_model
from regretless.regression import AggregatedQuantile, AggregatedRegressor, OnlineGradientDescent, VovkAzouryWarmuth
from regretless.textbook import contextual as book

from .test_known_contextual import RULES

EVERY = pytest.mark.parametrize("name", list(CONTEXTUAL_BANDITS))


def made(name: str, arms: Any = 3, **more: Any) -> Any:
    """A bandit of so many arms, or with arms of these names."""
    return class_of("contextual", name)(
        **({"n_arms": arms} if isinstance(arms, int) else {"arms": arms}), seed=7, **more
    )


def trial(rounds: int = 80, arms: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and losses that are nearly linear in them."""
    random = np.random.default_rng(2)
    X = random.normal(size=(rounds, 4)) * [1, 10, 0.1, 1]
    X[:10, 3] = 0
    return X, np.clip(0.5 + 0.2 * (X / [1, 10, 0.1, 1]) @ random.normal(size=(4, arms)), 0, 1)


@EVERY
def test_a_run_is_that_of_the_textbook(name):
    """Arms and probabilities are those of the rule on inverted matrices, with the same numbers."""
    X, losses = trial()
    played = made(name).play(X, losses)
    numbers = np.random.Generator(np.random.Philox(key=np.array([7, 0], np.uint64))).random(len(X))
    rule = book.PLAYS[getattr(book, class_of("contextual", name).info.twin)](RULES[name], 3)
    regression = book.odds() if name == "fast-cb" else book.ridge(0.01)
    run = book.explored(np.column_stack([np.ones(len(X)), X]), losses, rule, regression, numbers)
    assert played.actions.tolist() == run["choices"].tolist()
    probabilities = run["chances"][range(len(X)), run["choices"]]
    np.testing.assert_allclose(played.probabilities, probabilities, rtol=1e-9)
    assert played.total == pytest.approx(losses[range(len(X)), run["choices"]].sum())


def test_the_probabilities_of_thompson_sampling_are_those_of_an_integral():
    """Sums over 64 parts with a tail to eight digits are within a percent of an integral of normal densities."""
    draw = np.random.default_rng(4)
    for _ in range(20):
        means, deviations = draw.normal(size=3), draw.uniform(0.5, 2, 3)
        exact = book.lin_thompson(means, deviations, 1.0)
        sums = book.lin_thompson(means, deviations, 1.0, 64, 5.5, book.nearly_exceeds)
        np.testing.assert_allclose(sums, exact, rtol=0.01, atol=1e-3)


@EVERY
@pytest.mark.parametrize("regressor", [None, AggregatedRegressor()])
def test_a_table_leaves_the_bits_of_single_decisions(name, regressor, tmp_path):
    """The compiled loop over a table, with arms that come and go, leaves the file of `act` and `learn` in turn."""
    if regressor is not None and name.startswith(("lin-", "fast-")):
        return  # intervals are those of one full matrix, and log losses those of one regression
    X, losses = trial()
    losses[np.random.default_rng(3).random(losses.shape) < 0.2] = np.nan
    losses[np.isnan(losses).all(1), 0] = 0.5
    table, single = (made(name, regressor=regressor, value_range=(-1, 3)) for _ in range(2))
    played = table.play(X, 4 * losses - 1)
    for place, (x, lost) in enumerate(zip(X, 4 * losses - 1, strict=True)):
        ticket = single.act(x, ~np.isnan(lost))
        assert (ticket.action, ticket.probability) == (played.actions[place], played.probabilities[place])
        single.learn(ticket, lost[ticket.action])
    table.save(tmp_path / "a.rgl")
    single.save(tmp_path / "b.rgl")
    assert (tmp_path / "a.rgl").read_bytes() == (tmp_path / "b.rgl").read_bytes()


@pytest.mark.parametrize("times", [1 + 1e-15, 1.001, 1.3, 1.6, 40.0, 1e6, 1e15, 1e40])
@pytest.mark.parametrize("some", [[0], [3, 5], [1, 2, 4], list(range(11)), [6, 11]])
def test_rows_with_features_larger_than_any_before_are_foreseen_as_by_a_matrix_that_has_grown(times, some):
    """However much some of the features grow, the forecast of an arm is what its regression predicts, which raises a
    copy of its matrix; also beside a feature that was always 0, the last one."""
    random = np.random.default_rng(9)
    X = random.normal(size=(120, 12)) + 3 * random.normal(size=(120, 1)) * (np.arange(12) < 5)
    X[:, 11] = 0
    bandit = made("lin-ucb", 2)
    bandit.play(X, random.random((120, 2)))
    x = X[7].copy()
    x[some] = abs(X[:, some]).max(axis=0) * times + (np.array(some) == 11)
    theirs = [model.predict_one(x) for model in bandit.models_]
    np.testing.assert_allclose(bandit.forecasts(x), theirs, rtol=1e-9)


@EVERY
def test_instruction_sets_and_layouts_leave_the_same_bits(name):
    """Draws, probabilities, sums and forecasts are those of every other instruction set, of dense and of sparse rows,
    also where features grow."""
    X, losses = trial(60, 5)
    before, runs = _core.isa(), []
    try:
        for isa in _core.isas():
            _core.use_isa(isa)
            for rows in (X**3, sp.csr_matrix(X**3)):
                bandit = made(name, 5)
                played, ledger = bandit.play(rows, losses), bandit.ledger_
                runs.append([played.actions, played.probabilities, ledger.estimates, bandit.forecasts(3 * X[0])])
    finally:
        _core.use_isa(before)
    for run in runs[1:]:
        for one, other in zip(run, runs[0], strict=True):
            np.testing.assert_array_equal(one, other)


def test_every_rule_has_its_twin_here():
    """No rule is left out of the comparison with the textbook."""
    assert set(RULES) == set(CONTEXTUAL_BANDITS)


@EVERY
def test_tickets_may_come_late_out_of_order_or_never(name):
    """Reported backwards, every loss is learned once, by the arm that was drawn, and counted as late."""
    X, losses = trial(12)
    bandit = made(name)
    tickets = [bandit.act(x) for x in X]
    assert bandit.pending_ == tuple(range(1, 13))
    bandit.withdraw(tickets[0])
    for ticket in reversed(tickets[1:-1]):
        bandit.learn(ticket.number, losses[ticket.number - 1, ticket.action])
    ledger = bandit.ledger_
    assert (ledger.rounds, ledger.settled, ledger.lost, ledger.late) == (12, 10, 1, 10)
    assert bandit.pending_ == (12,)
    assert sum(model.ledger_.updates for model in bandit.models_) == 10
    for gone in (tickets[0], tickets[3], 4, 99):
        with pytest.raises(RegretlessError, match="does not wait for a loss; waiting are 12"):
            bandit.learn(gone, 0.5)


@pytest.mark.parametrize("rewards", [False, True])
def test_a_trial_has_its_regret(rewards):
    """Of losses 0 and 1 it is how often the worse arm was drawn, of rewards too; where an arm is missing it is none."""
    better = np.tile([1.0, 0.0] if rewards else [0.0, 1.0], (20, 1))
    bandit = EpsilonGreedy(2, seed=3, rewards=rewards)
    assert bandit.play(np.ones((20, 1)), better).regret == bandit.counts_[1] > 0
    better[3, 0] = np.nan
    assert bandit.play(np.ones((20, 1)), better).regret is None


def test_old_decisions_expire():
    """`expire(age)` gives up those after which so many others were made; each counts as lost."""
    bandit = made("epsilon-greedy")
    tickets = [bandit.act([1.0]) for _ in range(6)]
    bandit.learn(tickets[1], 0.5)
    assert bandit.expire(3) == (1, 3)
    assert (bandit.pending_, bandit.ledger_.lost, bandit.expire(3)) == ((4, 5, 6), 2, ())
    with pytest.raises(ParameterError, match="age"):
        bandit.expire(0)


@pytest.mark.parametrize(
    ("shared", "x", "expected"),
    [
        (False, [1.0, np.nan], r"feature 1 \(counted from 0\) is nan; a finite number"),
        (True, [[1.0], [np.inf]], r"feature 0 \(counted from 0\) of arm 1 \(counted from 0\) is inf"),
        (False, 0.5, "a row of numbers is expected, and 0.5 was found"),
        (True, None, "a row of numbers is expected, and None was found"),
        (False, ["a", 1], "a row of numbers is expected, and .* was found"),
    ],
)
def test_a_row_that_is_none_is_refused_in_words(shared, x, expected):
    """What is wrong with a row is an error of the library, and names the feature; nothing is drawn."""
    bandit = made("epsilon-greedy", 2, shared=shared)
    for ask in (bandit.act, bandit.probabilities, bandit.forecasts):
        with pytest.raises(RegretlessError, match=expected):
            ask(x)
    assert bandit.rounds_ == 0


def test_a_text_is_no_list_of_arms():
    """`arms="ab"` is refused, and not one arm, or two, of that name."""
    with pytest.raises(ParameterError, match="a list of names is expected"):
        EpsilonGreedy(arms="ab")


@EVERY
def test_arms_come_and_go(name):
    """No arm is drawn that is not there; probabilities of the others add up to 1, and its rounds are its own."""
    X, losses = trial(40)
    bandit = made(name, ["a", "b", "c"])
    for x, lost in zip(X, losses, strict=True):
        shares = bandit.probabilities(x, ["a", "c"])
        assert shares[1] == 0
        assert shares.sum() == pytest.approx(1)
        ticket = bandit.act(x, ["a", "c"])
        assert ticket.name in ("a", "c")
        assert ticket.probability == shares[ticket.action]
        bandit.learn(ticket, lost[ticket.action])
    ledger = bandit.ledger_
    assert ledger.asleep.tolist() == [0, 40, 0]
    assert ledger.missed[1] == pytest.approx(ledger.loss)
    table = np.where(np.arange(3) == 1, np.nan, losses)
    again = made(name, ["a", "b", "c"])
    again.play(X, table)
    np.testing.assert_array_equal(again.ledger_.estimates, ledger.estimates)


def test_a_range_is_scaled_and_rewards_are_losses_the_other_way_round():
    """Losses from -2 to 2, and rewards that are their negatives, give the same draws, and totals in their own units."""
    X, losses = trial()
    plain, wide, turned = made("square-cb"), made("square-cb", value_range=(-2, 2)), None
    turned = made("square-cb", value_range=(-2, 2), rewards=True)
    rounded = np.round(losses * 64) / 64
    runs = [plain.play(X, rounded), wide.play(X, 4 * rounded - 2), turned.play(X, 2 - 4 * rounded)]
    assert runs[0].actions.tolist() == runs[1].actions.tolist() == runs[2].actions.tolist()
    assert wide.total_ == pytest.approx(runs[1].total) == pytest.approx(-turned.total_)
    np.testing.assert_allclose(wide.forecasts(X[0]), -turned.forecasts(X[0]), rtol=1e-12)
    assert wide.certify()[0].bound == pytest.approx(4 * plain.certify()[0].bound)


@pytest.mark.parametrize(
    "regressor", [AggregatedRegressor(), OnlineGradientDescent(), VovkAzouryWarmuth(prior=1.0, matrix="diagonal")]
)
def test_any_regressor_of_squares_will_do(regressor, tmp_path):
    """Each arm has a copy of it; theorems that need a matrix say so where there is none; a file keeps all of it."""
    X, losses = trial()
    bandit = made("square-cb", regressor=regressor)
    bandit.play(X[:40], losses[:40])
    bandit.save(tmp_path / "m.rgl")
    twin = regretless.load(tmp_path / "m.rgl")
    assert twin.play(X[40:], losses[40:]).actions.tolist() == bandit.play(X[40:], losses[40:]).actions.tolist()
    assert type(twin.models_[0]) is type(regressor)
    full = isinstance(regressor, AggregatedRegressor)
    assert bandit.certify()[1].applies == full


@EVERY
def test_waiting_tickets_are_saved(name, tmp_path):
    """A decision that waits when the bandit is saved can be settled by its number after it was read."""
    X, losses = trial(20)
    bandit = made(name, ["a", "b", "c"])
    bandit.play(X[:10], losses[:10])
    tickets = [bandit.act(X[10]), bandit.act(X[11], ["b", "c"])]
    bandit.save(tmp_path / "m.rgl")
    twin = regretless.load(tmp_path / "m.rgl")
    for ticket in tickets:
        for one in (bandit, twin):
            one.learn(ticket.number, 0.25)
    bandit.save(tmp_path / "a.rgl")
    twin.save(tmp_path / "b.rgl")
    assert (tmp_path / "a.rgl").read_bytes() == (tmp_path / "b.rgl").read_bytes()


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("book", 0, 99.0),
        ("book", 1, 0.5),
        ("book", 3, 1e9),
        ("tallies", (0, 0), -1.0),
        ("waiting", (0, 0), 77.0),
        ("waiting", (0, 1), 3.0),
        ("waiting", (0, 2), 0.0),
        ("awake", (0, 0), 0.5),
        ("rows", (0, 0), np.nan),
    ],
)
def test_a_file_that_no_run_can_have_left_is_refused(name, place, value, tmp_path):
    """A number of the file that contradicts the others is noticed, though its checksum is right."""
    bandit = made("square-cb")
    bandit.play(*trial(10))
    bandit.act(trial(1)[0][0])
    bandit.save(tmp_path / "m.rgl")
    meta, tensors = read_model(tmp_path / "m.rgl")
    tensors[name][place] = value
    write_model(tmp_path / "bad.rgl", meta, tensors)
    with pytest.raises(ModelError, match="does not fit together"):
        regretless.load(tmp_path / "bad.rgl")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "how many arms are there"),
        ({"n_arms": 2, "arms": ["a"]}, "arms= has 1 names"),
        ({"n_arms": 2, "epsilon": 1.5}, "epsilon"),
        ({"n_arms": 2, "norm": 0.0}, "norm"),
        ({"n_arms": 2, "delta": None}, "delta"),
        ({"n_arms": 2, "regressor": "ridge"}, "a learner of regretless.regression"),
        ({"n_arms": 2, "regressor": AggregatedQuantile()}, "one of the square loss"),
        ({"n_arms": 2, "seed": -1}, "seed"),
    ],
)
def test_parameters_without_a_meaning_are_refused(parameters, words):
    """The message names the parameter."""
    with pytest.raises(ParameterError, match=words):
        EpsilonGreedy(**parameters)


def test_a_round_that_cannot_be_played_is_named():
    """Row and arm, what was found, and what is expected; the rows before it are learned."""
    X, losses = trial(6)
    bandit = SquareCB(arms=["a", "b", "c"], seed=0)
    bad = losses.copy()
    bad[3, 1] = 1.5
    with pytest.raises(LossError, match=r"row 3 \(from 0\), arm b: the loss lies outside \[0, 1\]"):
        bandit.play(X, bad)
    assert bandit.rounds_ == 3
    with pytest.raises(LossError, match=r"row 0 \(from 0\): no arm is awake"):
        bandit.play(X, np.full((6, 3), np.nan))
    with pytest.raises(LossError, match=r"row 1 \(from 0\): feature 2 is inf"):
        bandit.play(np.where(np.arange(24).reshape(6, 4) == 6, np.inf, X), losses)
    with pytest.raises(RegretlessError, match="a row of 4 numbers is expected"):
        bandit.act([1.0, 2.0])
    with pytest.raises(RegretlessError, match="a row for each round"):
        bandit.play(X[:2], losses)


def test_a_loss_that_is_none_is_refused_and_nothing_learned():
    """The ticket still waits after a loss out of range, a word, or a reward where losses are taken."""
    bandit = made("epsilon-greedy")
    ticket = bandit.act([1.0])
    for loss in (1.5, float("nan"), "much"):
        with pytest.raises(RegretlessError, match="arm"):
            bandit.learn(ticket, loss)
    with pytest.raises(RegretlessError, match="takes losses"):
        bandit.learn(ticket, reward=0.5)
    with pytest.raises(RegretlessError, match="what act"):
        bandit.learn("1", 0.5)
    bandit.learn(ticket, 0.5)
    assert bandit.total_ == 0.5


def test_a_ticket_of_another_bandit_is_refused():
    """Its number is one that waits, but it is another decision."""
    ours, theirs = made("square-cb"), made("square-cb")
    ours.act([1.0])
    with pytest.raises(RegretlessError, match="does not wait"):
        ours.learn(theirs.act([1.0]), 0.5)


def test_the_command_line_shows_a_model_and_says_what_it_is_not_for(tmp_path, capsys):
    """`inspect` prints the draws of each arm, and as JSON the certificates; `predict` refuses it in words."""
    bandit = made("square-cb", ["left", "right", "up"], regressor=VovkAzouryWarmuth(prior=0.5))
    bandit.play(*trial(30))
    bandit.act(trial(1)[0][0])
    path = str(tmp_path / "m.rgl")
    bandit.save(path)
    assert main(["inspect", path]) == 0
    text = capsys.readouterr().out
    assert "waiting     1 decision" in text
    assert all(f"{draws:,}" in text for draws in bandit.counts_)
    assert main(["inspect", path, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["draws"] == dict(zip(["left", "right", "up"], bandit.counts_.tolist(), strict=True))
    assert [one["theorem"] for one in shown["certificates"]] == ["observable_by_features", "realised_square_cb"]
    (tmp_path / "x.csv").write_text("a,b,c,d\n1,2,3,4\n")
    assert main(["predict", path, str(tmp_path / "x.csv")]) == 1
    assert (
        "this model draws actions by features (square-cb); explore --resume goes on with it" in capsys.readouterr().err
    )


def test_what_others_decided_is_learned_and_is_no_draw(tmp_path):
    """A decision of a log teaches its arm's regression what a draw of it would; draws, ledger and theorems stay."""
    X, losses = trial(20)
    bandit, drew = made("square-cb"), made("square-cb")
    for x, lost in zip(X, losses, strict=True):
        probabilities, forecasts = bandit.foreseen(x)
        np.testing.assert_array_equal(probabilities, bandit.probabilities(x))
        np.testing.assert_array_equal(forecasts, bandit.forecasts(x))
        bandit.observe(x, 1, lost[1])
        drew.learn(drew.act(x, [1]), lost[1])
    assert bandit.counts_.tolist() == [0, 0, 0]
    assert bandit.ledger_.rounds == 0
    assert not any(one.applies for one in bandit.certify())
    np.testing.assert_array_equal(bandit.forecasts(X[0]), drew.forecasts(X[0]))
    with pytest.raises(RegretlessError, match="loss"):
        bandit.observe(X[0], 1, 2.0)
    bandit.save(tmp_path / "m.rgl")
    again = regretless.load(tmp_path / "m.rgl")
    np.testing.assert_array_equal(again.probabilities(X[0]), bandit.probabilities(X[0]))


def test_taught_rows_loosen_the_realised_bound():
    """A row of others lowers what the mean losses must have missed by, though least squares grow: it may have been
    missed by 1."""
    X, losses = trial(30)
    bandit = made("square-cb")
    bandit.play(X, losses)
    before = bandit.facts().least
    bandit.observe(X[0], 0, losses[0, 0])
    assert bandit.facts().least <= before


@EVERY
def test_arms_with_features_of_their_own_share_a_regression(name, tmp_path):
    """One regression on rows of arms, by hand; a table and single decisions leave one file, which goes on alike."""
    random = np.random.default_rng(5)
    X = random.normal(size=(40, 3, 2))
    losses = np.clip(0.5 + X @ [0.2, -0.1], 0, 1)
    table, single = made(name, shared=True), made(name, shared=True)
    played = table.play(X, losses)
    assert len(table.models_) == 1
    for x, lost, arm in zip(X, losses, played.actions, strict=True):
        ticket = single.act(x)
        assert (ticket.action, ticket.row.tolist()) == (arm, x[arm].tolist())
        single.learn(ticket, lost[arm])
    table.save(tmp_path / "a.rgl")
    single.save(tmp_path / "b.rgl")
    assert (tmp_path / "a.rgl").read_bytes() == (tmp_path / "b.rgl").read_bytes()
    if name == "fast-cb":
        return  # its regression is another one
    model = VovkAzouryWarmuth().fit(
        np.vstack([np.zeros(2), X[range(40), played.actions]]), np.append(0.5, losses[range(40), played.actions])
    )
    np.testing.assert_allclose(table.models_[0].coef_, model.coef_, rtol=1e-12)
    assert regretless.load(tmp_path / "a.rgl").act(X[0]).action == single.act(X[0]).action


def test_fewer_rows_leave_the_last_arms_out():
    """With two rows of three arms the third is not drawn; a row too many, or of other features, is refused in words."""
    bandit = SquareCB(3, seed=0, shared=True)
    for _ in range(30):
        ticket = bandit.act([[1.0], [2.0]])
        assert ticket.action < 2
        bandit.learn(ticket, 0.5)
    assert bandit.ledger_.asleep.tolist() == [0, 0, 30]
    with pytest.raises(RegretlessError, match="at most 3 arms"):
        bandit.act(np.ones((4, 1)))
    with pytest.raises(RegretlessError, match="rows of 2 features; there were 1"):
        bandit.act(np.ones((3, 2)))
    with pytest.raises(RegretlessError, match="arm 2 has no row among the 2"):
        bandit.observe([[1.0], [2.0]], 2, 0.5)
    with pytest.raises(RegretlessError, match="3 arms, features"):
        bandit.play(np.ones((5, 2, 1)), np.ones((5, 3)))


def test_policies_that_are_named_are_estimated_alike_by_table_and_tickets(tmp_path):
    """Estimates are sums of losses over probability plus g where the policy drew alike; tickets wait with advice."""
    X, losses = trial(30)
    advice = np.random.default_rng(1).integers(0, 3, (30, 2))
    table, single = (made("epsilon-greedy", ["a", "b", "c"], policies=["old", "new"]) for _ in range(2))
    played = table.play(X, losses, advice=advice)
    for x, lost, one in zip(X, losses, advice, strict=True):
        ticket = single.act(x, advice=["abc"[arm] for arm in one])
        if ticket.number == 20:
            single.save(tmp_path / "m.rgl")
            single = regretless.load(tmp_path / "m.rgl")
        single.learn(ticket.number, lost[ticket.action])
    table.save(tmp_path / "a.rgl")
    single.save(tmp_path / "b.rgl")
    assert (tmp_path / "a.rgl").read_bytes() == (tmp_path / "b.rgl").read_bytes()
    alike = advice == played.actions[:, None]
    sums = (alike * (played.losses / (played.probabilities + 0.5))[:, None]).sum(0)
    np.testing.assert_allclose(table.ledger_.advised[0], sums)
    assert not any(one.theorem.name == "observable_by_policies" for one in made("epsilon-greedy").certify())


def test_advice_that_says_nothing_is_refused():
    """Missing, unasked for, of too few policies, of an arm that cannot be drawn; no decision is made then."""
    bandit = made("square-cb", policies=["old", "new"])
    for more, words in (
        ({}, "is missing"),
        ({"advice": [0]}, "advice of 1 policies; there are 2"),
        ({"advice": [0, 7]}, "there is no arm 7"),
        ({"advice": [0, 2], "available": [True, True, False]}, "policy new names arm 2, which cannot be drawn"),
    ):
        with pytest.raises(RegretlessError, match=words):
            bandit.act([1.0], **more)
    assert bandit.rounds_ == 0
    with pytest.raises(ParameterError, match="policies that were named"):
        made("square-cb").act([1.0], advice=[0])
    with pytest.raises(ParameterError, match="policies"):
        made("square-cb", policies=["old", "old"])
    with pytest.raises(RegretlessError, match="advice of 1 rounds, and losses of 4"):
        bandit.play(np.ones((4, 1)), np.ones((4, 3)), advice=[[0, 1]])


def test_a_report_of_more_than_ten_actions_is_verified(tmp_path, capsys):
    """Ten estimates of each of fourteen actions are in the report, and every certificate is checked by them."""
    random, names = np.random.default_rng(0), [f"a{place}" for place in range(14)]
    table = random.integers(0, 9, (12, 15)) / 8
    text = "\n".join(",".join(map(str, row)) for row in table.tolist())
    (tmp_path / "t.csv").write_text(f"x,{','.join(names)}\n{text}\n")
    for learner in ("square-cb", "fast-cb"):
        words = ["explore", str(tmp_path / "t.csv"), "--costs", ",".join(names), "--learner", learner, "--json"]
        assert main(words) == 0
        (tmp_path / "r.json").write_text(capsys.readouterr().out)
        assert main(["verify", str(tmp_path / "r.json"), str(tmp_path / "t.csv")]) == 0
        output = capsys.readouterr().out
        assert output.count("agrees: ") == 4
        assert "cannot be checked" not in output


@EVERY
def test_values_by_their_names_are_hashed_as_those_of_tables(name, tmp_path):
    """A mapping, and its row of a table that is read with as many bits, are drawn for alike, from the file too."""
    (tmp_path / "t.csv").write_text("rain,town,y\n1.5,north,0\n-2,south,1\n0,north,1\n")
    table = open_stream(tmp_path / "t.csv", target="y", hash_bits=4)
    (batch,) = table.batches()
    dense = np.zeros((3, 16))
    for row, (begin, end) in enumerate(zip(batch.starts[:-1], batch.starts[1:], strict=True)):
        dense[row, batch.indices[begin:end]] = batch.values[begin:end]
    rows = [{"rain": 1.5, "town": "north"}, {"rain": -2, "town": "south"}, {"rain": 0, "town": "north"}]
    ours, theirs = made(name, hash_bits=4), made(name)
    for named, row in zip(rows, dense, strict=True):
        np.testing.assert_array_equal(ours.probabilities(named), theirs.probabilities(row))
        for one, x in ((ours, named), (theirs, row)):
            one.learn(one.act(x), 0.25)
    ours.save(tmp_path / "m.rgl")
    again = regretless.load(tmp_path / "m.rgl")
    np.testing.assert_array_equal(again.forecasts(rows[1]), theirs.forecasts(dense[1]))


def test_features_of_a_decision_are_crossed_with_those_of_each_arm():
    """With products the better arm depends on the weather, which no sum of the two can say; play is act and learn."""
    bandit, table = (SquareCB(2, shared=True, seed=1, hash_bits=6) for _ in range(2))
    ways = [{"way": "walk"}, {"way": "bus"}]
    days = [({"rain": day % 2, "sun": 1 - day % 2}, ways) for day in range(200)]
    losses = np.array([[day % 2, 1 - day % 2] for day in range(200)], float)
    for day, lost in zip(days, losses, strict=True):
        ticket = bandit.act(day)
        bandit.learn(ticket, lost[ticket.action])
    assert bandit.probabilities(({"rain": 1, "sun": 0}, ways))[1] > 0.99
    assert bandit.probabilities(({"rain": 0, "sun": 1}, ways))[0] > 0.99
    assert table.play(days, losses).total == bandit.total_


def test_values_by_their_names_are_refused_where_they_say_nothing():
    """Without a hash, as the wrong kind, with a number that is none, or with rows of another width: said in words."""
    plain, shared = made("square-cb", hash_bits=4), made("square-cb", hash_bits=4, shared=True)
    for bandit, x, words in (
        (made("square-cb"), {"rain": 1}, "hash_bits=8"),
        (plain, [{"rain": 1}], "one mapping"),
        (shared, {"rain": 1}, "a list of them"),
        (plain, {"rain": float("nan")}, "'rain' holds nan"),
        (plain, {"rain": None}, "'rain' holds None"),
        (plain, [1.0, 2.0], r"2 features; a hash of 4 bits has 2\^4"),
    ):
        with pytest.raises(RegretlessError, match=words):
            bandit.act(x)
    with pytest.raises(ParameterError, match="hash_bits"):
        made("square-cb", hash_bits=17)
