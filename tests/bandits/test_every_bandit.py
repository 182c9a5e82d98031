"""What every bandit of the table promises, whatever it draws by."""

from __future__ import annotations

import numpy as np
import pytest

import regretless
from regretless.bandits.simulation import simulate
from regretless.catalogue import BANDITS, bandit_class
from regretless.environments import Table
from regretless.errors import RegretlessError

from ..catalogue import Entry
from ..command_line import CommandLine

EVERY = pytest.mark.parametrize("name", list(BANDITS))
ARMS, ROUNDS = 4, 400


@pytest.fixture
def run(capsys, monkeypatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


def made(name: str, **more: object):
    """The bandit of that name."""
    horizon = {"horizon": ROUNDS} if bandit_class(name).info.needs_horizon else {}
    return Entry("bandits", name).made(**(horizon | more))


def losses(seed: int = 0, rounds: int = ROUNDS) -> np.ndarray:
    """A table whose best arm changes half way."""
    random = np.random.default_rng(seed)
    table = random.random((rounds, ARMS))
    table[: rounds // 2, 1] *= 0.3
    table[rounds // 2 :, 2] *= 0.4
    return table


def recommended(seed: int = 0, rounds: int = ROUNDS) -> np.ndarray:
    """What three experts say: always the first arm, always the second, and anything."""
    random = np.random.default_rng(seed)
    return np.column_stack([np.zeros(rounds), np.ones(rounds), random.integers(0, ARMS, rounds)]).astype(np.int64)


def advice_of(name: str, seed: int = 0, rounds: int = ROUNDS) -> dict[str, np.ndarray]:
    """The advice, as a keyword, for a learner that takes some."""
    return {"advice": recommended(seed, rounds)} if bandit_class(name).info.advised else {}


def one_round(bandit, table: np.ndarray, advice: dict[str, np.ndarray], t: int):
    """Draw in round t, and report."""
    draw = bandit.draw(advice=advice["advice"][t]) if advice else bandit.draw()
    bandit.update(draw, table[t] if bandit.info.informed else table[t, draw])
    return int(draw), draw.probability


def same(one, other) -> bool:
    """Whether two ledgers agree to the bit."""
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in type(one).__slots__)


@EVERY
def test_rounds_one_by_one_are_the_rounds_of_a_table(name):
    """Tickets settled in turn give the arms and the books of the compiled loop, to the bit."""
    table, advice = losses(), advice_of(name)
    whole, single = made(name), made(name)
    played = whole.play(table, **advice)
    arms = [one_round(single, table, advice, t)[0] for t in range(ROUNDS)]
    assert arms == played.arms.tolist()
    assert np.array_equal(single.estimates_, whole.estimates_)
    assert same(single.ledger_, whole.ledger_)


@EVERY
def test_a_saved_bandit_goes_on_to_the_same_draws(tmp_path, name):
    """A model saved with an open draw draws, learns and certifies as the bandit that was never saved."""
    table, advice = losses(), advice_of(name)
    bandit = made(name)
    for t in range(ROUNDS // 2):
        one_round(bandit, table, advice, t)
    inputs = {"advice": advice["advice"][0]} if advice else {}
    waiting = bandit.draw(**inputs)
    bandit.save(tmp_path / "b.rgl")
    twin = regretless.load(tmp_path / "b.rgl")
    for each in (bandit, twin):
        each.update(ticket=waiting.ticket, loss=table[0] if each.info.informed else 0.5)
    for t in range(ROUNDS // 2, ROUNDS):
        assert one_round(bandit, table, advice, t) == one_round(twin, table, advice, t)
    assert same(bandit.ledger_, twin.ledger_)
    assert [str(c) for c in bandit.certify()] == [str(c) for c in twin.certify()]


@EVERY
def test_certificates_hold_and_say_why_they_do_not_apply(name):
    """Each theorem gives one certificate, in hindsight and live; one applies at least, and all that apply hold."""
    table, advice = losses(), advice_of(name)
    bandit = made(name)
    bandit.play(table, **advice)
    for certificates in (bandit.certify(), bandit.certify(table, **advice)):
        assert [c.theorem for c in certificates] == list(bandit.theorems)
        assert any(c.applies for c in certificates)
        assert all(c.holds and not c.violated for c in certificates)
        assert all(c.applies or c.why for c in certificates)
    # Who sees all losses knows its regret; nobody else does before hindsight.
    assert all((c.observed is None) != bandit.info.informed for c in bandit.certify() if c.applies)


@EVERY
def test_observable_bounds_fail_no_oftener_than_they_say(name):
    """At delta = 0.3 no certificate that is read with confidence is exceeded by more than a share 0.3 of 150 runs."""
    table, advice = losses(rounds=150), advice_of(name, rounds=150)
    settings = {"horizon": 150} if bandit_class(name).info.needs_horizon else {}
    pulls = simulate(made(name, delta=0.3, **settings), Table(table), runs=150, **advice)
    for certificate in pulls.certificates():
        assert certificate.holds, str(certificate)


@EVERY
def test_runs_depend_on_the_seed_and_their_number_alone(name):
    """The fifth run of many is the fifth run played alone, whatever the number of workers."""
    table, advice = losses(), advice_of(name)
    many = simulate(made(name), Table(table), runs=8, workers=2, **advice)
    alone = made(name, run=4)
    alone.play(table, **advice)
    assert many.ledgers[4].loss == alone.ledger_.loss
    assert np.array_equal(many.ledgers[4].draws, alone.ledger_.draws)


@EVERY
@pytest.mark.parametrize("more", [{}, {"horizon": 4000}, {"estimator": "reduced"}])
def test_a_bad_arm_that_never_sleeps_is_seldom_drawn(name, more):
    """Where a good arm is awake, which all are in 40% of the rounds, the bad one, which always is, has under 5%."""
    if bandit_class(name).info.advised or not set(more) <= set(bandit_class(name).__dataclass_fields__):
        pytest.skip("it has no such parameter, or experts")
    rounds = 4000
    table = np.full((rounds, 5), 0.1)
    table[np.random.default_rng(0).random(table.shape) < 0.6] = np.nan
    table[:, 0] = 0.9
    bandit = made(name, n_arms=5, **({"horizon": rounds} if bandit_class(name).info.needs_horizon else {}) | more)
    play = bandit.play(table)
    choice = ~np.isnan(table[:, 1:]).all(1)
    choice[: rounds // 2] = False
    assert (play.arms[choice] == 0).mean() < 0.05
    assert all(c.holds for c in bandit.certify(table) if c.applies)


@EVERY
@pytest.mark.parametrize("estimator", ["importance", "reduced"])
def test_a_bad_arm_that_mostly_sleeps_is_seldom_drawn(name, estimator):
    """Nobody gets ahead by sleeping: a bad arm, awake in 20% of the rounds, has under 10% of the draws then."""
    if bandit_class(name).info.advised or (estimator == "reduced" and name != "tsallis-inf"):
        pytest.skip("it has no such parameter, or experts")
    rounds = 4000
    table = np.full((rounds, 5), 0.5)
    table[:, 0] = np.where(np.random.default_rng(0).random(rounds) < 0.2, 0.9, np.nan)
    more = {"estimator": estimator} if name == "tsallis-inf" else {}
    bandit = made(name, n_arms=5, **({"horizon": rounds} if bandit_class(name).info.needs_horizon else {}) | more)
    late = bandit.play(table).arms[rounds // 2 :]
    assert (late[~np.isnan(table[rounds // 2 :, 0])] == 0).mean() < 0.1


@EVERY
def test_a_single_arm_costs_nothing_to_find(name):
    """With one arm every draw is that arm, and no finite bound on the regret is negative."""
    changes = {"n_arms": 1}
    bandit = made(name).clone(**changes)
    table = np.full((50, 1), 0.5)
    advice = {"advice": np.zeros((50, 3), dtype=np.int64)} if bandit.info.advised else {}
    assert set(bandit.play(table, **advice).arms.tolist()) == {0}
    for certificate in bandit.certify(table, **advice):
        if certificate.applies:
            assert certificate.observed == pytest.approx(0)
            assert certificate.bound >= -1e-9


@EVERY
@pytest.mark.parametrize("bad", [-0.1, 1.1, np.nan, np.inf, "much", None])
def test_a_loss_that_is_none_teaches_nothing(name, bad):
    """A loss outside the range, or no number, is an error that names the arm, and the books stay as they were."""
    bandit, advice = made(name), advice_of(name)
    inputs = {"advice": advice["advice"][0]} if advice else {}
    draw = bandit.draw(**inputs)
    before = bandit.ledger_
    row = [0.5] * ARMS
    row[int(draw)] = bad
    with pytest.raises(RegretlessError):
        bandit.update(draw, row if bandit.info.informed else bad)
    assert same(bandit.ledger_, before)
    bandit.update(draw, [0.5] * ARMS if bandit.info.informed else 0.5)
    assert bandit.ledger_.settled == 1


@EVERY
def test_a_table_becomes_json_a_report_and_text(run, tmp_path, name):
    """`pull` with every learner gives the keys that are promised, a page, and text that names each theorem."""
    table = losses(rounds=60)
    path = tmp_path / "losses.csv"
    np.savetxt(path, table, delimiter=",", header="a,b,c,d", comments="")
    words = ["pull", path, "--learner", name, "--runs", "20", "--seed", "3"]
    if bandit_class(name).info.advised:
        value = tmp_path / "advice.csv"
        value.write_text("x,y\n" + "a,b\n" * 60)
        words += ["--advice", value]
    command = run(*words, "--json", "--report", tmp_path / "r.html")
    assert command.code == 0, command.err
    keys = "learner parameters runs rounds arms loss pseudo_regret regret best_arm best_arm_loss certificates seconds"
    assert set(keys.split()) <= set(command.json)
    assert set(command.json["loss"]) >= {"mean", "sd"}
    assert set(command.json["regret"]) >= {"mean", "q05", "q50", "q95"}
    assert "</html>" in (tmp_path / "r.html").read_text()
    text = run(*words)
    assert text.code == 0, text.err
    for theorem in bandit_class(name).theorems:
        assert theorem.title in text.out


@EVERY
@pytest.mark.parametrize("asleep", [False, True])
@pytest.mark.parametrize("anytime", [False, True])
def test_curves_of_bounds_end_where_the_certificates_stand(name, asleep, anytime):
    """What is drawn of a theorem ends at the bound of its certificate, arms asleep or not, horizon known or not."""
    if anytime and bandit_class(name).info.needs_horizon:
        pytest.skip("it cannot be played without a horizon")
    table = losses()
    table[::3, 3] = np.nan if asleep else 0.5
    tuned = "horizon" in bandit_class(name).__dataclass_fields__ and not anytime
    settings = {"horizon": ROUNDS} if tuned else {}
    advice = {"advice": np.minimum(recommended(), 2)} if bandit_class(name).info.advised else {}
    pulls = simulate(made(name, **settings), Table(table), runs=3, **advice)
    curves = pulls.bounds()
    for certificate in pulls.certificates():
        if asleep and certificate.theorem.kind == "expected":
            continue  # it is about an arm that is fixed beforehand, the curve about the best one of each run
        if certificate.applies and certificate.comparator.switches:
            continue  # the curve is that of a single arm
        if certificate.applies and certificate.theorem.title in curves:
            assert curves[certificate.theorem.title][-1] == pytest.approx(certificate.bound, rel=1e-9)


def test_a_learner_of_sequences_is_compared_with_one():
    """The theorem of EXP3.S is read against the best sequence with as many switches as it was tuned for."""
    bandit = made("exp3-s")
    bandit.play(losses())
    proven = bandit.certify(losses())[0]
    assert proven.comparator.switches == 2
    assert proven.observed > bandit.certify(losses())[-1].observed  # the regret against a single arm is smaller
