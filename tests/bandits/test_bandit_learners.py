"""Bandits as a user meets them: draws with tickets, losses that come late or never, names, sleeping arms, errors."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regretless import bandits
from regretless.bandits import EXP3S, UCB1, Exp3, Exp3IX, Exp3P, Exp4, Hedge, LossError, TsallisINF
from regretless.bandits.state import BanditState
from regretless.catalogue import BANDITS, bandit_class
from regretless.errors import RegretlessError

from ..catalogue import needed_by

RESTRICTED = [name for name, one in BANDITS.items() if not one.info.advised]
ONE_LOSS = [name for name in RESTRICTED if not BANDITS[name].info.informed]


def made(name, n_arms=5, **more):
    """A bandit of a kind, with the parameters that it cannot do without."""
    return bandit_class(name)(n_arms, **({"seed": 7} | needed_by(name, horizon=1000, n_experts=4) | more))


def table_for(rounds, arms=5, seed=3):
    """Losses in [0, 1], the arms after the first ones the better."""
    generator = np.random.default_rng(seed)
    return generator.random((rounds, arms)) * np.linspace(1, 0.5, arms)


def advice_for(rounds, arms=5, experts=4, seed=4):
    """Shares of the arms by each expert."""
    return np.random.default_rng(seed).dirichlet(np.ones(arms), (rounds, experts))


def step(learner, row, advice=None, available=None):
    """A round in turn."""
    draw = learner.draw(available, advice)
    learner.update(draw, row if learner.info.informed else row[draw])
    return draw


def played_live(learner, table):
    """All rows in turn, drawn and reported one by one."""
    advice = advice_for(len(table), table.shape[1]) if learner.info.advised else [None] * len(table)
    return [int(step(learner, row, forecasts)) for row, forecasts in zip(table, advice, strict=True)]


def state_of(learner):
    """Everything that a bandit has learned, as bytes."""
    return b"".join(array.tobytes() for array in learner._known().arrays().values())


# ---- the room


def test_public_names_are_a_sorted_flat_list():
    """Every public name is there, has a docstring, and nothing else is listed."""
    assert sorted(bandits.__all__) == sorted(set(bandits.__all__)) == sorted(dir(bandits))
    for name in bandits.__all__:
        assert getattr(bandits, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'Exp5'"):
        _ = bandits.Exp5


@pytest.mark.parametrize("name", BANDITS)
def test_every_bandit_is_called_as_the_table_says(name):
    """A class has the name that stands for it, a summary of one line, theorems, and a page with its source."""
    kind = bandit_class(name)
    assert kind.name == name
    assert kind.info.summary
    assert "\n" not in kind.info.summary
    assert kind.theorems
    assert all(word in kind.__doc__ for word in ("Parameters", "References", "regret"))


def test_a_bandit_that_is_not_there_is_refused_with_those_that_are():
    """An unknown name is answered with the known ones."""
    with pytest.raises(RegretlessError, match="no bandit called 'ucb'; there are: exp3-ix, exp3"):
        bandit_class("ucb")


def test_importing_the_package_loads_nothing_heavy():
    """`import regretless` loads neither numpy nor the core; `regretless.bandits` is found by name."""
    code = (
        "import sys, regretless\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'regretless._core', 'regretless.bandits'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "assert regretless.bandits.Exp3IX(3).n_arms == 3\n"
        "assert not {'sklearn', 'scipy', 'matplotlib', 'pyarrow', 'threadpoolctl'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ---- draws


@pytest.mark.parametrize("name", RESTRICTED)
def test_a_draw_is_an_arm_and_a_ticket(name):
    """A draw is a whole number with the number of the draw, the probability it was made with, and the arm's name."""
    learner = made(name, None, arms=["a", "b", "c"])
    for number in range(1, 6):
        chances = learner.probabilities_
        draw = learner.draw()
        assert isinstance(draw, int)
        assert 0 <= draw < 3
        assert (draw.ticket, draw.name) == (number, "abc"[draw])
        assert draw.probability == pytest.approx(chances[draw], rel=1e-12)
        assert learner.pending_ == (number,)
        learner.update(draw, [0.5, 0.25, 0.75] if learner.info.informed else 0.5)
        assert learner.pending_ == ()
    assert learner.counts_.sum() == learner.rounds_ == 5


@pytest.mark.parametrize("name", BANDITS)
def test_draws_and_losses_in_turn_are_the_same_as_a_play(name):
    """A table that is played, and its rows drawn and reported in turn, give the same arms and state, to the bit."""
    table = table_for(400)
    live, whole = made(name), made(name)
    arms = played_live(live, table)
    play = whole.play(table, advice=advice_for(400) if live.info.advised else None)
    assert play.arms.tolist() == arms
    assert play.losses.tolist() == table[np.arange(400), arms].tolist()
    assert play.total == pytest.approx(play.losses.sum(), rel=1e-12)
    assert whole.total_ == pytest.approx(play.total, rel=1e-12)
    assert state_of(whole) == state_of(live)
    assert whole.rounds_ == live.rounds_ == play.rounds == 400


@pytest.mark.parametrize("name", ONE_LOSS)
def test_bare_calls_are_the_same_as_tickets(name):
    """The compiled core draws without tickets what would have been drawn with them, and learns as much."""
    table = table_for(200)
    live, bare = made(name), made(name)
    core = bare.bare()
    arms = []
    for row in table:
        arms.append(core.draw())
        core.update(arms[-1], row[arms[-1]])
    assert arms == played_live(live, table)
    assert bare.ledger_.loss == live.ledger_.loss
    assert np.array_equal(bare.estimates_, live.estimates_)
    assert np.array_equal(bare.probabilities_, live.probabilities_)


@pytest.mark.parametrize("name", ["hedge", "exp4"])
def test_bare_calls_are_for_those_who_see_one_loss(name):
    """A learner that sees more than one arm's loss has no bare calls."""
    with pytest.raises(RegretlessError, match="bare"):
        made(name).bare()


@pytest.mark.parametrize("name", BANDITS)
def test_learning_finds_the_good_arm(name):
    """Where one arm loses far less than the others, it is drawn in most of the last rounds, by whatever rule."""
    generator = np.random.default_rng(0)
    table = (generator.random((4000, 5)) < [0.9, 0.9, 0.1, 0.9, 0.9]).astype(float)
    tunable = "horizon" in bandit_class(name).__dataclass_fields__ and not bandit_class(name).info.needs_horizon
    learner = made(name, horizon=4000) if tunable else made(name)
    advice = np.tile(np.array([0, 2, 3, 4]), (4000, 1)) if learner.info.advised else None
    arms = learner.play(table, advice=advice).arms
    assert (arms[-1000:] == 2).mean() > 0.5
    if learner.info.advised:
        assert learner.best_expert_ == int(np.argmax(learner.expert_weights_)) == 1
    else:
        assert learner.best_arm_ == 2


def test_several_draws_wait_and_are_settled_in_any_order():
    """Losses come late and out of order, by draw, by ticket, by arm or by name; each is counted where it belongs."""
    learner = Exp3IX(arms=["a", "b", "c"], seed=1)
    draws = [learner.draw() for _ in range(6)]
    assert learner.pending_ == (1, 2, 3, 4, 5, 6)
    learner.update(draws[4], 0.5)
    learner.update(loss=0.25, ticket=2)
    learner.update(ticket=np.int64(6), loss=np.float32(1))
    learner.withdraw(draws[0])
    assert learner.pending_ == (3, 4)
    learner.withdraw(ticket=4)
    learner.update(draws[2].name, 1)
    book = learner.ledger_
    assert (book.rounds, book.settled, book.lost, book.late) == (6, 4, 2, 3)
    assert book.loss == 2.75
    expected = np.zeros(3)
    for draw, loss in ((draws[4], 0.5), (draws[1], 0.25), (draws[5], 1), (draws[2], 1)):
        expected[draw] += loss
    assert book.losses == pytest.approx(expected)
    assert learner.pending_ == ()


def test_the_only_draw_that_waits_needs_no_name():
    """An arm's number, or nothing at all, stands for the only draw that can be meant."""
    learner = Exp3(4, seed=0)
    learner.update(int(learner.draw()), 0.5)
    learner.draw()
    learner.update(loss=0.25)
    learner.update(np.int32(learner.draw()), 1)
    assert learner.total_ == 1.75


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (lambda b, d: b.update(d[0], 0.5), "draw 1, of arm [abc]: its loss was reported already"),
        (lambda b, d: b.update(ticket=9, loss=0.5), r"no draw waits by the ticket 9; waiting are 2 \(arm"),
        (
            lambda b, d: b.update(ticket=True, loss=0.5),
            "ticket=True: a whole number is expected, the .ticket of",
        ),
        (lambda b, d: b.update(ticket=2.0, loss=0.5), "ticket=2.0: a whole number is expected"),
        (lambda b, d: b.update(ticket="2", loss=0.5), "ticket='2': a whole number is expected"),
        (lambda b, d: b.update(d[1], 0.5, ticket=2), "a draw or its ticket, not both"),
        (lambda b, d: b.update(loss=0.5), "say which draw is meant; waiting are 2"),
        (lambda b, d: b.update("z", 0.5), "no arm 'z'; the arms are a, b, c"),
        (lambda b, d: b.update(3, 0.5), "no arm 3: there are 3, numbered from 0"),
        (lambda b, d: b.update(-1, 0.5), "no arm -1"),
        (lambda b, d: b.update(0.0, 0.5), "0.0 is no arm"),
        (lambda b, d: b.update(True, 0.5), "True is no arm"),
        (lambda b, d: b.withdraw(d[0]), "reported already, or it was withdrawn"),
        (lambda b, d: b.update(Exp3IX(arms=["a", "b", "c"], seed=5).draw(), 0.5), "another learner made it"),
        (lambda b, d: b.update(b.clone().draw(), 0.5), "another learner made it, or this one before it was saved"),
        (lambda b, d: b.update(d[1], reward=0.5), "reward=: this bandit takes losses"),
    ],
)
def test_a_draw_that_does_not_wait_is_refused(report, words):
    """What was reported already or never drawn is refused, with a word on what waits, and nothing is learnt."""
    learner = Exp3IX(arms=["a", "b", "c"], seed=1)
    draws = [learner.draw() for _ in range(8)]
    learner.update(draws[0], 0.5)
    before = state_of(learner), learner.pending_
    with pytest.raises(RegretlessError, match=words):
        report(learner, draws)
    assert (state_of(learner), learner.pending_) == before


def test_a_draw_knows_its_maker():
    """A draw of a twin with the same seed, ticket, arm and probability is refused; one of a copy's past is not."""
    one, other = Exp3(4, seed=0), Exp3(4, seed=0)
    mine, theirs = one.draw(), other.draw()
    assert mine.record == theirs.record
    for action in (one.withdraw, lambda draw: one.update(draw, 0.5)):
        with pytest.raises(RegretlessError, match="another learner made it"):
            action(theirs)
    assert one.pending_ == (1,)
    copy.copy(one).update(mine, 0.5)
    pickle.loads(pickle.dumps(one)).update(pickle.loads(pickle.dumps(mine)), 0.5)
    one.update(mine, 0.5)


def test_a_draw_is_named_by_its_arm_and_shown_with_its_ticket():
    """Printed it is the arm; looked at in a session it is the draw; JSON and formats take it for the number."""
    draw = Exp3(4, seed=0).draw()
    assert repr(draw) == f"Draw({int(draw)}, ticket=1, probability=0.25)"
    assert str(draw) == f"{draw}" == json.dumps(draw) == str(int(draw))


def test_rewards_are_reported_as_such():
    """reward= is what loss= is with rewards=True, of one arm or of all, and never both are given."""
    first, second = (Exp3IX(3, rewards=True, value_range=(0, 5), seed=0) for _ in range(2))
    first.update(first.draw(), 4.0)
    second.update(second.draw(), reward=4.0)
    assert state_of(first) == state_of(second)
    assert second.total_ == 4.0
    draw = second.draw()
    with pytest.raises(RegretlessError, match="give loss= or reward=, which are the same here, not both"):
        second.update(draw, 4.0, reward=4.0)
    with pytest.raises(RegretlessError, match="the reward lies outside"):
        second.update(draw, reward=6.0)
    assert second.pending_ == (2,)
    hedge = Hedge(2, rewards=True, seed=0)
    hedge.update(hedge.draw(), reward=[0.25, 1])
    assert hedge.estimates_.tolist() == [0.75, 0]


def test_draws_that_wait_too_long_expire():
    """The draws after which two others were made are withdrawn, and no younger one: their losses count as the largest,
    and are refused when they come."""
    learner = Exp3IX(n_arms=2, rate=0.1, seed=0)
    draws = [learner.draw() for _ in range(5)]
    learner.update(draws[1], 0.5)
    assert learner.expire(2) == (1, 3)
    assert learner.pending_ == (4, 5)
    assert learner.expire(2) == ()
    twin = Exp3IX(n_arms=2, rate=0.1, seed=0)
    again = [twin.draw() for _ in range(5)]
    twin.update(again[1], 0.5)
    for old in (again[0], again[2]):
        twin.withdraw(old)
    assert learner.certify()[-1].bound == twin.certify()[-1].bound
    with pytest.raises(RegretlessError, match="reported already, or it was withdrawn"):
        learner.update(draws[0], 0.5)
    with pytest.raises(RegretlessError, match="age=0"):
        learner.expire(0)


@pytest.mark.parametrize(
    ("settings", "words"), [({"rate": 0.1}, " at any time"), ({}, " for this number of rounds alone")]
)
def test_a_line_says_whether_it_holds_at_any_time(settings, words):
    """With one rate for all rounds the observable bound holds at any time, with rates that fall after one number."""
    learner = Exp3IX(n_arms=2, seed=0, **settings)
    learner.play(np.full((50, 2), 0.5))
    assert f"with probability 95%{words}, against" in str(learner.certify()[-1])


def test_a_draw_of_the_bare_core_can_be_withdrawn():
    """While one is open the errors name its arm; withdraw() with nothing said, or by its ticket, gives it up."""
    learner = Exp3IX(arms=["a", "b", "c"], seed=1)
    waits, core = learner.draw(), learner.bare()
    name = "abc"[core.draw()]
    words = rf"a draw is open, number 2, of arm {name}, that bare\(\) made; report its loss .* or withdraw\(\) it"
    for action in (learner.draw, lambda: learner.play(np.zeros((2, 3))), lambda: learner.update(ticket=2, loss=0.5)):
        with pytest.raises(RegretlessError, match=words):
            action()
    for wrong in (2.0, "2", True):
        with pytest.raises(RegretlessError, match="a whole number is expected"):
            learner.withdraw(ticket=wrong)
    learner.withdraw(ticket=2)
    assert learner.pending_ == (1,)
    learner.update(waits, 0.5)
    core.draw()
    learner.withdraw()
    with pytest.raises(RegretlessError, match="none does: draw first"):
        learner.withdraw()
    core.update(core.draw(), 0.5)
    book = learner.ledger_
    assert (book.rounds, book.settled, book.lost) == (4, 2, 2)


def in_threads(many, rounds, learner):
    """What went wrong while several threads drew and reported on one learner."""
    refused = []

    def work():
        for _ in range(rounds):
            try:
                learner.update(learner.draw(), 0.5)
            except (RegretlessError, RuntimeError) as error:
                refused.append(error)

    threads = [threading.Thread(target=work) for _ in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return refused


def test_threads_share_a_learner_of_many_arms():
    """Three threads that draw and report on one learner of 5,000 arms never have to wait for each other."""
    learner = Exp3IX(5000, seed=0)
    assert not in_threads(3, 1000, learner)
    assert learner.ledger_.settled == 3000


def test_draws_of_one_arm_must_be_distinguished():
    """An arm that was drawn twice, or not at all, names no draw."""
    learner = Exp3(2, seed=0)
    draws = [learner.draw() for _ in range(30)]
    with pytest.raises(
        RegretlessError, match=r"\d+ draws of arm 0 wait \(tickets .*; give the draw itself, or ticket="
    ):
        learner.update(0, 0.5)
    for draw in draws:
        if draw == 0:
            learner.update(draw, 0.5)
    with pytest.raises(RegretlessError, match="no draw of arm 0 waits for its loss; waiting are"):
        learner.update(0, 0.5)
    with pytest.raises(RegretlessError, match="no arm 'a'; the arms have no names, but numbers below 2"):
        learner.update("a", 0.5)


@pytest.mark.parametrize("name", BANDITS)
@pytest.mark.parametrize("loss", [1.5, -0.001, np.nan, np.inf, -np.inf, "0.5", None, "high", [0.1, 0.2], 1j])
def test_a_loss_that_cannot_be_is_refused(name, loss):
    """A loss outside the range, or none at all, is refused with its arm; nothing is learnt, the draw waits on."""
    learner = made(name, None, arms=list("vwxyz"))
    draw = learner.draw(advice=advice_for(1)[0] if learner.info.advised else None)
    before = state_of(learner)
    losses = [loss if place == draw else 0.5 for place in range(5)] if learner.info.informed else loss
    with pytest.raises(RegretlessError, match=r"arm [vwxyz]|numbers are expected|losses of shape") as error:
        learner.update(draw, losses)
    if loss == 1.5:
        assert "outside [0, 1] (1.5 was found); correct it, or declare the range" in str(error.value)
        assert f"arm {draw.name}" in str(error.value)
    assert state_of(learner) == before
    assert learner.pending_ == (1,)
    learner.update(draw, np.full(5, 0.5) if learner.info.informed else 0.5)
    assert learner.pending_ == ()


@pytest.mark.parametrize("loss", [1, 0, True, np.float32(0.5), np.float64(0.5), np.int8(1), np.bool_(True)])
def test_numbers_of_every_kind_are_losses(loss):
    """Whole numbers, truth values and the numbers of numpy are losses like any others."""
    learner = Exp3IX(3, seed=0)
    learner.update(learner.draw(), loss)
    assert learner.total_ == float(loss)


def test_a_bandit_knows_its_number_of_arms_by_its_parameters_alone():
    """Without a number of arms nothing can be drawn, and the error says what to give; a table tells."""
    learner = Exp3IX(seed=0)
    for action in (learner.draw, lambda: learner.names(), lambda: learner.ledger_, lambda: learner.bare()):
        with pytest.raises(RegretlessError, match="give n_arms=, or their names as arms="):
            action()
    assert learner.rounds_ == 0
    learner.play(table_for(3, 4))
    assert learner.n_arms_ == 4
    with pytest.raises(RegretlessError, match="losses of 5 arms; there are 4"):
        learner.play(table_for(3, 5))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(ONE_LOSS), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 50), st.floats(0, 1)), max_size=60)
)
def test_the_book_adds_up_whatever_comes_when(name, actions):
    """Whatever is drawn, reported and withdrawn in whichever order, draws are settled, lost or waiting."""
    learner, waiting, total = made(name, 4), [], 0.0
    for action, place, loss in actions:
        if action < 2 or not waiting:
            waiting.append(learner.draw())
        elif action == 2:
            learner.update(waiting.pop(place % len(waiting)), loss)
            total += loss
        else:
            learner.withdraw(waiting.pop(place % len(waiting)))
    book = learner.ledger_
    assert book.rounds == book.settled + book.lost + len(waiting) == book.draws.sum()
    assert sorted(learner.pending_) == sorted(draw.ticket for draw in waiting)
    assert book.loss == pytest.approx(total)
    assert book.losses.sum() == pytest.approx(total)
    assert learner.probabilities_.sum() == pytest.approx(1)
    assert np.isfinite(book.implicit).all()


# ---- ranges and rewards


@pytest.mark.parametrize("name", BANDITS)
def test_a_range_is_a_change_of_units(name):
    """Losses from -2 to 6 are played as their places in that range are; totals come in the user's own units."""
    units = np.round(table_for(300) * 64) / 64
    advice = advice_for(300) if name == "exp4" else None
    plain, wide = made(name), made(name, value_range=(-2, 6))
    first, second = plain.play(units, advice=advice), wide.play(8 * units - 2, advice=advice)
    assert first.arms.tolist() == second.arms.tolist()
    assert wide.ledger_.loss == plain.ledger_.loss
    assert wide.ledger_.width == 8
    assert wide.total_ == second.total == 8 * first.total - 600
    assert np.array_equal(plain.estimates_, wide.estimates_)


@pytest.mark.parametrize("name", BANDITS)
def test_rewards_are_losses_from_above(name):
    """A reward r of a range is the loss high - r: the same arms are drawn, and totals are sums of rewards."""
    losses = np.round(table_for(300) * 64) / 64
    advice = advice_for(300) if name == "exp4" else None
    first, second = made(name), made(name, rewards=True)
    one, other = first.play(losses, advice=advice), second.play(1 - losses, advice=advice)
    assert one.arms.tolist() == other.arms.tolist()
    assert other.total == second.total_ == 300 - one.total
    draw = second.draw(advice=advice_for(1)[0] if second.info.advised else None)
    with pytest.raises(RegretlessError, match="reward lies outside"):
        second.update(draw, np.full(5, 2.0) if second.info.informed else 2.0)


# ---- names


def test_names_come_with_the_arms_or_with_the_table():
    """Arms are called as they were named, or as the first data frame has them; the order of columns is free."""
    pandas = pytest.importorskip("pandas")
    losses = table_for(50, 3)
    frame = pandas.DataFrame(losses, columns=["a", "b", "c"])
    learner, other = Exp3IX(seed=0), Exp3IX(3, seed=0)
    learner.play(frame)
    assert learner.names() == learner.arm_names_ == ["a", "b", "c"]
    learner.play(frame[["c", "a", "b"]])
    other.play(losses)
    assert other.names() == ["0", "1", "2"]
    other.play(losses)
    assert state_of(learner) == state_of(other)
    with pytest.raises(RegretlessError, match="arms a, b, d; the learner's are a, b, c"):
        learner.play(frame.rename(columns={"c": "d"}))


@pytest.mark.parametrize("arms", [[], ["a", "a"], ["a", ""], ["a", 3], 5])
def test_names_are_text_and_each_stands_once(arms):
    """Names that are none, or stand for two arms, are refused."""
    with pytest.raises((RegretlessError, TypeError)):
        Exp3(arms=arms)


# ---- sleeping arms


@pytest.mark.parametrize("name", RESTRICTED)
@pytest.mark.parametrize(
    "available",
    [[True, False, True, False, True], np.array([1, 0, 1, 0, 1], bool), [0, 2, 4], ["a", "c", "e"], {"a", "c", "e"}],
)
def test_arms_that_are_asleep_are_not_drawn(name, available):
    """A mask, numbers and names say alike who may be drawn; the probabilities of these sum to one."""
    learner = made(name, None, arms=list("abcde"))
    step(learner, np.full(5, 0.5))
    for _ in range(60):
        chances = learner.probabilities(available)
        assert chances.sum() == pytest.approx(1)
        assert (chances[[1, 3]] == 0).all()
        draw = step(learner, np.array([0.5, np.nan, 0.25, np.nan, 0.75]), available=available)
        assert draw in (0, 2, 4)
        assert draw.probability == pytest.approx(chances[draw])
    book = learner.ledger_
    assert book.restricted == 60
    assert book.asleep.tolist() == [0, 60, 0, 60, 0]
    assert book.missed[1] == book.missed[3] == pytest.approx(book.loss - 0.5)


def test_a_restriction_to_all_arms_is_none():
    """A mask that leaves every arm awake changes nothing, and no draw counts as restricted."""
    first, second = made("exp3-ix"), made("exp3-ix")
    for row in table_for(100):
        assert step(first, row) == step(second, row, available=range(5))
    assert state_of(first) == state_of(second)
    assert second.ledger_.restricted == 0


@pytest.mark.parametrize("name", RESTRICTED)
def test_gaps_of_a_table_are_arms_asleep(name):
    """A table with gaps is played as its rows are drawn among the arms that have a loss."""
    table = table_for(300)
    table[np.random.default_rng(1).random((300, 5)) < 0.4] = np.nan
    table[np.isnan(table).all(1), 0] = 0.5
    live, whole = made(name), made(name)
    arms = [int(step(live, row, available=None if not np.isnan(row).any() else ~np.isnan(row))) for row in table]
    play = whole.play(table)
    assert play.arms.tolist() == arms
    assert state_of(live) == state_of(whole)
    assert np.isfinite(play.losses).all()


@pytest.mark.parametrize(
    ("available", "words"),
    [
        ([False] * 3, "leaves no arm awake"),
        ([], "leaves no arm awake"),
        ([True, False], "a mask of 2 arms; there are 3"),
        ([3], "no arm 3"),
        (["z"], "no arm 'z'"),
        ("a", "a mask over the arms, or a list of arms"),
        (1, "a mask over the arms, or a list of arms"),
        ([0.5, 0.5, 0.5], "0.5 is no arm"),
        (np.ones((3, 1), bool), "mask"),
        ([1, 0, 1], "arm b stands there twice; a mask holds True and False"),
        (np.array([1, 0, 1]), "arm b stands there twice; a mask holds True and False"),
        (["a", "a"], "arm a stands there twice"),
    ],
)
def test_a_restriction_without_meaning_is_refused(available, words):
    """Masks of another length, unknown arms, and nobody at all are refused before anything is drawn."""
    learner = Exp3IX(arms=list("abc"), seed=0)
    with pytest.raises(RegretlessError, match=words):
        learner.draw(available)
    assert learner.rounds_ == 0


@pytest.mark.parametrize("available", [[1, 0], [0, 1], (0, 1), np.array([1, 0])])
def test_zeros_and_ones_of_two_arms_are_neither_mask_nor_list(available):
    """Of two arms, [1, 0] may mean one or both: it is refused, while truth values, sets, ranges and names are not."""
    learner = Exp3IX(arms=["a", "b"], seed=0)
    with pytest.raises(RegretlessError, match="two arms, or a mask"):
        learner.draw(available)
    for clear in ([True, False], {0, 1}, range(2), ["b", "a"], [1], [0]):
        learner.draw(clear)
    assert learner.rounds_ == 6


def test_a_mask_is_stored_as_it_was():
    """A mask that its owner changes after the draw settles the draw as it was made."""
    first, second = Exp3IX(3, seed=0), Exp3IX(3, seed=0)
    mask = np.array([True, True, False])
    draws = first.draw(mask), second.draw(mask.copy())
    mask[:] = [False, False, True]
    first.update(draws[0], 0.5)
    second.update(draws[1], 0.5)
    assert state_of(first) == state_of(second)


# ---- full information, and advice


def test_hedge_learns_from_all_losses():
    """Hedge adds up what every arm lost, whichever it drew, and refuses a row with a hole."""
    learner = Hedge(arms=["a", "b"], rate=0.5, seed=0)
    learner.update(learner.draw(), [0.25, 1])
    learner.update(learner.draw(), np.array([0.5, 0], np.float32))
    assert learner.estimates_.tolist() == [0.75, 1]
    weights = np.exp(-0.5 * learner.estimates_)
    assert learner.probabilities_ == pytest.approx(weights / weights.sum())
    draw = learner.draw()
    for row, words in (([0.5], "one for each of the 2 arms"), (0.5, "one for each"), ([0.5, np.nan], "arm b")):
        with pytest.raises(RegretlessError, match=words):
            learner.update(draw, row)
    assert learner.estimates_.tolist() == [0.75, 1]


def test_experts_advise_by_shares_or_by_arms():
    """An expert who names an arm gives it the whole share; there are as many experts as the first advice has."""
    picks = np.random.default_rng(0).integers(0, 5, (200, 3))
    shares, table = np.eye(5)[picks], table_for(200)
    first, second, third = Exp4(5, seed=0), Exp4(5, n_experts=3, seed=0), Exp4(seed=0)
    for row, values, named in zip(table, shares, picks, strict=True):
        assert step(first, row, values) == step(second, row, named.tolist())
    third.play(table, advice=picks)
    assert first.n_experts_ == second.n_experts_ == third.n_experts_ == 3
    assert state_of(first) == state_of(second) == state_of(third)
    assert first.expert_weights_.sum() == pytest.approx(1)
    chances = first.probabilities(advice=shares[0])
    assert chances == pytest.approx(first.expert_weights_ @ shares[0])


def test_experts_name_arms_by_their_names():
    """Advice in names is that in numbers, in a draw and in a table; an unknown name is refused."""
    picks = np.random.default_rng(0).integers(0, 3, (50, 4))
    first, second, third = (Exp4(arms=["x", "y", "z"], seed=0) for _ in range(3))
    table, advice_names = table_for(50, 3), np.array(["x", "y", "z"])[picks]
    for row, numbers, names in zip(table, picks, advice_names, strict=True):
        assert step(first, row, numbers) == step(second, row, names.tolist())
    third.play(table, advice=advice_names)
    assert state_of(first) == state_of(second) == state_of(third)
    assert np.array_equal(
        first.probabilities(advice=picks[0]), first.probabilities(advice=advice_names[0].astype(object))
    )
    with pytest.raises(RegretlessError, match="no arm 'w'; the arms are x, y, z"):
        first.draw(advice=["x", "w", "x", "x"])


@pytest.mark.parametrize(
    ("advice", "words"),
    [
        (None, "advice= is missing"),
        (np.ones((4, 5)), "shares of expert 0 sum to 5"),
        (np.array([[1.5, -0.5, 0, 0, 0]] * 4), "are not all >= 0"),
        (np.full((4, 5), np.nan), "expert 0"),
        (np.full((4, 4), 0.25), r"advice of shape \(4, 4\) a round"),
        (np.full((3, 5), 0.2), "advice of 3 experts; there are 4"),
        ([0, 1, 2, 5], "expert 3 names arm 5 of 5"),
        ([0, 1, 2, -1], "expert 3 names arm -1"),
        ([0.0, 1.0, 2.0, 3.0], "an arm is named by its number, a whole one"),
        (["a", "b", "c", "d"], "no arm 'a'; the arms have no names, but numbers below 5"),
        ([], "advice of shape"),
    ],
)
def test_advice_without_meaning_is_refused(advice, words):
    """Advice that is no distribution, of other experts, or missing is refused before anything is drawn."""
    learner = made("exp4")
    with pytest.raises(RegretlessError, match=words):
        learner.draw(advice=advice)
    assert learner.rounds_ == 0


def test_advice_goes_with_exp4_and_restrictions_with_the_others():
    """Learners without experts take no advice, one with experts no mask; neither is passed over in silence."""
    with pytest.raises(RegretlessError, match="has no experts, unlike Exp4"):
        Exp3(3).draw(advice=[0, 1])
    with pytest.raises(RegretlessError, match="has no experts, unlike Exp4"):
        Exp3(3).play(table_for(3, 3), advice=np.zeros((3, 2), int))
    with pytest.raises(RegretlessError, match="the advice says which arms may be drawn"):
        made("exp4").draw([0, 1], advice=[0, 1, 2, 3])
    with pytest.raises(RegretlessError, match="advice= is missing"):
        made("exp4").play(table_for(3))
    with pytest.raises(RegretlessError, match="advice of 2 rounds, and losses of 3"):
        made("exp4").play(table_for(3), advice=advice_for(2))
    with pytest.raises(RegretlessError, match="how many experts"):
        _ = Exp4(3).probabilities_
    with pytest.raises(RegretlessError, match="see best_expert_"):
        _ = made("exp4").best_arm_


# ---- tables


@pytest.mark.parametrize("name", BANDITS)
@pytest.mark.parametrize(
    ("bad", "words"), [(1.5, "row 7 .*, arm 2: the loss lies outside"), (None, "row 7 .*: no arm is awake")]
)
def test_a_row_that_cannot_be_played_is_named(name, bad, words):
    """The row and the arm are named, and the rows before are learned."""
    if name == "exp4" and bad is None:
        pytest.skip("experts say who is awake")
    table = table_for(20)
    table[7, 2 if bad else slice(None)] = bad or np.nan
    learner, other = made(name), made(name)
    advice = advice_for(20) if name == "exp4" else None
    with pytest.raises(LossError, match=words) as error:
        learner.play(table, advice=advice)
    assert (error.value.row, error.value.column) == (7, 2 if bad else None)
    other.play(table[:7], advice=None if advice is None else advice[:7])
    assert state_of(learner) == state_of(other)


@pytest.mark.parametrize(
    "table", [np.zeros(3), np.zeros((3, 0)), np.zeros((3, 2, 2)), [["a", "b", "c"]], np.zeros((3, 3), complex)]
)
def test_what_is_no_table_is_refused(table):
    """A play needs a row of numbers for each round."""
    with pytest.raises(RegretlessError, match="losses"):
        Exp3(3).play(table)


@pytest.mark.parametrize("kind", ["float32", "int64", "fortran", "strided", "list", "empty"])
def test_tables_of_every_kind_are_played(kind):
    """Single precision, whole numbers, other layouts, lists, and tables without a row are played as they are."""
    table = (table_for(40, 3) > 0.4).astype(float)
    game = {
        "float32": table.astype(np.float32),
        "int64": table.astype(np.int64),
        "fortran": np.asfortranarray(table),
        "strided": np.repeat(table, 2, axis=0)[::2],
        "list": table.tolist(),
        "empty": table[:0],
    }[kind]
    learner, other = Exp3(3, seed=0), Exp3(3, seed=0)
    play = learner.play(game)
    other.play(table[: len(game)])
    assert state_of(learner) == state_of(other)
    assert play.rounds == len(game) == len(play.arms)


def test_a_play_may_forget_what_it_drew():
    """With arms=False only the sum is reported."""
    play = Exp3(3, seed=0).play(table_for(40, 3), arms=False)
    assert play.arms is None
    assert play.losses is None
    assert play.total == pytest.approx(Exp3(3, seed=0).play(table_for(40, 3)).losses.sum())


def test_a_play_is_shown_without_its_arrays():
    """A play of many rounds is shown in a line: how many, and their total."""
    play = Exp3(3, seed=0).play(np.full((1000, 3), 0.25))
    assert repr(play) == "Play(rounds=1000, total=250)"


@pytest.mark.parametrize("name", BANDITS)
def test_totals_of_the_widest_ranges_are_numbers(name):
    """With the widest range that is taken, and shares as small as may be, what is learned stays finite."""
    small = {"exp3-p": {"rate": 0.1, "beta": 0.0, "explore": 1e-200, "horizon": None}}
    small["exp3-s"] = {"rate": 0.1, "share": 1e-200, "horizon": None, "switches": None}
    learner = made(name, value_range=(-1e292, 1e292), **small.get(name, {}))
    learner.play(2e292 * table_for(300) - 1e292, advice=advice_for(300) if learner.info.advised else None)
    assert np.isfinite(learner.total_)
    assert np.isfinite(learner.estimates_).all()


def test_totals_are_read_off_the_book(monkeypatch):
    """Neither a total nor a play copies what is kept of each arm."""
    learner = Exp3(3, seed=0)
    learner.play(np.full((8, 3), 0.5))
    monkeypatch.setattr(BanditState, "ledger", None)
    assert learner.total_ == 4
    assert learner.play(np.full((8, 3), 0.25)).total == 2


def test_a_board_that_is_unpacked_is_not_built_twice(monkeypatch):
    """A core makes its caches when it is made; nobody asks it to again after a board was copied or unpickled."""
    board = pickle.dumps(Exp3(3, seed=0)._known())
    monkeypatch.setattr(BanditState, "_core", lambda board: "a core that cannot rebuild")
    assert pickle.loads(board).core == "a core that cannot rebuild"


def test_a_play_leaves_draws_that_wait_alone():
    """Draws that wait when a table is played go on waiting, and can be settled afterwards."""
    learner = Exp3IX(3, seed=0)
    draw = learner.draw()
    learner.play(table_for(40, 3))
    learner.update(draw, 0.5)
    assert (learner.rounds_, learner.ledger_.settled, learner.ledger_.late) == (41, 41, 1)


# ---- seeds


@pytest.mark.parametrize("name", RESTRICTED)
def test_draws_are_a_function_of_seed_and_run(name):
    """The same seed and run draw the same, another run or seed draws otherwise."""
    table = table_for(200)
    first = made(name).play(table).arms
    assert np.array_equal(made(name).play(table).arms, first)
    for other in (made(name, seed=8), made(name, run=1)):  # an index leaves nothing to chance
        assert np.array_equal(other.play(table).arms, first) == (not made(name).info.draws)
    assert np.array_equal(made(name, seed=2**64 - 1, run=2**64 - 1).play(table).arms.shape, (200,))


def test_a_seed_that_was_not_given_is_stored():
    """A bandit without a seed draws one and keeps it, so that the run can be played again; its clone draws another."""
    first = Exp3(5)
    again = first.clone(seed=first.seed_)
    assert np.array_equal(first.play(table_for(300)).arms, again.play(table_for(300)).arms)
    assert first.clone().seed_ != first.seed_
    assert first.seed is None


def test_uniforms_are_those_of_numpys_philox():
    """Among arms of equal weights, the n-th draw is the n-th uniform of Philox(key=[seed, run]) times their number."""
    learner = Exp3(8, rate=1.0, seed=11, run=3)
    uniforms = np.random.Generator(np.random.Philox(key=[11, 3])).random(50)
    assert [int(learner.draw()) for _ in range(50)] == np.floor(8 * uniforms).astype(int).tolist()


# ---- one arm


@pytest.mark.parametrize("name", BANDITS)
@pytest.mark.parametrize("more", [{}, {"horizon": 10}])
def test_one_arm_is_always_drawn(name, more):
    """With one arm there is nothing to learn: it is drawn with probability one, and the regret is zero."""
    if "horizon" not in bandit_class(name).__dataclass_fields__:
        more = {}
    learner = made(name, 1, **({"n_experts": 1} if name == "exp4" else {}) | more)
    advice = np.ones((20, 1, 1)) if name == "exp4" else None
    play = learner.play(np.linspace(0, 1, 20)[:, None], advice=advice)
    assert play.arms.tolist() == [0] * 20
    row_advice = None if advice is None else advice[0]
    assert learner.draw(advice=row_advice).probability == pytest.approx(1)
    assert learner.probabilities(advice=row_advice).tolist() == pytest.approx([1])


# ---- parameters and copies


@pytest.mark.parametrize("name", BANDITS)
def test_parameters_are_given_once(name):
    """get_params gives the constructor's arguments, clone changes some, repr names them, and none changes later."""
    learner = made(name, value_range=(0, 2))
    assert type(learner)(**learner.get_params()).get_params() == learner.get_params()
    assert learner.clone(run=3).get_params() == learner.get_params() | {"run": 3}
    assert repr(learner).startswith(f"{type(learner).__name__}(n_arms=5, ")
    with pytest.raises(RegretlessError, match=r"delta= is given when a bandit is made; see clone\(delta=...\)"):
        learner.delta = 0.1
    with pytest.raises(TypeError):
        learner.clone(speed=3)


@pytest.mark.parametrize("name", BANDITS)
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_go_their_own_way(name, way):
    """A copy has learned as much, waits for the same draws, draws the same next, and shares nothing."""
    table, learner = table_for(100), made(name)
    played_live(learner, table)
    row_advice = advice_for(1)[0] if learner.info.advised else None
    draw = learner.draw(advice=row_advice)
    other = way(learner)
    before = state_of(other)
    assert before == state_of(learner)
    loss = table[0] if learner.info.informed else 0.5
    learner.update(draw, loss)
    assert state_of(other) == before
    assert other.pending_ == (101,)
    other.update(way(draw), loss)
    assert played_live(other, table) == played_live(learner, table)
    assert state_of(other) == state_of(learner)
    assert np.array_equal(other.estimates_, learner.estimates_)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Exp3(0), "n_arms=0; it must be a whole number >= 1"),
        (lambda: Exp3(2.0), "n_arms=2.0"),
        (lambda: Exp3(True), "n_arms=True"),
        (lambda: Exp3(2**31), "n_arms=2147483648; it must be 2147483647 at most"),
        (lambda: Exp3(3, arms=["a", "b"]), "n_arms=3, and arms= has 2 names"),
        (lambda: Exp3(3, rate=0.1, horizon=10), "rate= and horizon= exclude each other"),
        (lambda: Exp3(3, rate=0), "rate=0; it must be a finite number > 0"),
        (lambda: Exp3(3, rate=np.inf), "rate=inf"),
        (lambda: Exp3(3, horizon=0), "horizon=0"),
        (lambda: Exp3(3, horizon=1.5), "horizon=1.5"),
        (lambda: Exp3(3, horizon=10**400), "horizon="),
        (lambda: Exp3IX(3, delta=0), "delta=0"),
        (lambda: Exp3IX(3, delta=1), "delta=1; it must lie between 0 and 1"),
        (lambda: Exp3IX(3, delta="0.1"), "delta='0.1'"),
        (lambda: Exp3(3, value_range=(1, 0)), "a finite number and a larger one"),
        (lambda: Exp3(3, value_range=(0, np.inf)), "a finite number and a larger one"),
        (lambda: Exp3(3, value_range=(-1e308, 1e308)), "a finite number and a larger one"),
        (lambda: Exp3(3, value_range=(-8e307, 8e307)), "a sum of losses would not be finite"),
        (lambda: Exp3(3, value_range=(0, 1e300)), "a sum of losses would not be finite"),
        (lambda: Exp3(3, value_range=(0, np.nan)), "a finite number and a larger one"),
        (lambda: Exp3(3, value_range=5), "two numbers are expected"),
        (lambda: Exp3(3, value_range=(0, 1, 2)), "two numbers are expected"),
        (lambda: Exp3(3, rewards="yes"), "rewards='yes'"),
        (lambda: Exp3(3, seed=-1), r"seed=-1; it must be a whole number from 0 to 2\^64 - 1"),
        (lambda: Exp3(3, seed=2**64), "seed="),
        (lambda: Exp3(3, seed=0.5), "seed=0.5"),
        (lambda: Exp3(3, run=-1), "run=-1"),
        (lambda: Exp3(3, run=None), "run=None"),
        (lambda: Exp3(3, epochs=1), "epochs=1; it must be True or False"),
        (lambda: Exp3(3, epochs=False, horizon=9), "epochs=False is for a rate that falls"),
        (lambda: Exp3P(3), "give horizon=, or rate=, beta= and explore="),
        (lambda: Exp3P(3, rate=0.1, beta=0.1), "give horizon=, or rate=, beta= and explore="),
        (lambda: Exp3P(3, horizon=10, rate=0.1), "give it, or these three, not both"),
        (lambda: Exp3P(3, horizon=10, delta=None), "delta=None: exp3-p is tuned for it"),
        (lambda: Exp3P(3, rate=0.1, beta=2, explore=0.1), "neither may exceed 1"),
        (lambda: Exp3P(3, rate=0.1, beta=0.1, explore=0), "explore=0; it must be a finite number > 0"),
        (lambda: EXP3S(3), "give horizon= and switches=, or rate= and share="),
        (lambda: EXP3S(3, horizon=10), "give horizon= and switches=, or rate= and share="),
        (lambda: EXP3S(3, horizon=10, switches=2, rate=1), "give horizon= and switches=, or rate= and share="),
        (lambda: EXP3S(3, horizon=10, switches=10), "switches=10; it must be a whole number from 0, below the horizon"),
        (lambda: EXP3S(3, horizon=10, switches=-1), "switches=-1"),
        (lambda: Exp3P(3, rate=0.1, beta=0.1, explore=5e-324), "explore=5e-324; it must be 1e-200 at least"),
        (lambda: EXP3S(3, rate=0.1, share=5e-324), "share=5e-324; it must be 1e-200 at least"),
        (lambda: EXP3S(3, rate=0.1, share=1), "share=1; it must lie between 0 and 1"),
        (lambda: TsallisINF(3, estimator="best"), "estimator='best'; it must be one of 'importance', 'reduced'"),
        (lambda: Exp4(3, n_experts=0), "n_experts=0"),
        (lambda: Exp4(3, n_experts=2**31), "n_experts=2147483648; it must be 2147483647 at most"),
        (lambda: Exp4(3, rate=-1), "rate=-1"),
    ],
)
def test_parameters_without_meaning_are_refused_at_once(make, words):
    """A parameter that cannot be meant is refused when the bandit is made, with what was found and what to give."""
    with pytest.raises(RegretlessError, match=words):
        make()


def test_rates_are_those_of_the_books():
    """Tuned and anytime rates are as the theorems ask."""
    rounds, arms = 1000, 8
    log_k = np.log(arms)
    assert Exp3(arms, horizon=rounds).rate_ == pytest.approx(np.sqrt(2 * log_k / (rounds * arms)))
    assert Exp3IX(arms, horizon=rounds).rate_ == pytest.approx(np.sqrt(2 * log_k / (rounds * arms)))
    assert Exp3(arms).rate_ == pytest.approx(np.sqrt(log_k / arms))
    played = {epochs: Exp3(arms, epochs=epochs) for epochs in (True, False)}
    for one in played.values():
        one.play(np.zeros((44, arms)))
    assert played[True].rate_ == pytest.approx(np.sqrt(log_k / (45 * arms)), rel=0.05)  # an epoch began at 45 or before
    assert played[False].rate_ == pytest.approx(np.sqrt(log_k / (45 * arms)), rel=1e-15)
    assert Exp3IX(arms, rate=0.3).rate_ == 0.3
    assert Hedge(arms, horizon=rounds).rate_ == pytest.approx(np.sqrt(8 * log_k / rounds))
    assert Hedge(arms).rate_ == pytest.approx(2 * np.sqrt(log_k))
    assert Exp4(arms, n_experts=3, horizon=rounds).rate_ == pytest.approx(np.sqrt(2 * np.log(3) / (rounds * arms)))
    assert Exp3P(arms, horizon=rounds).rate_ == pytest.approx(0.95 * np.sqrt(log_k / (rounds * arms)))
    facts = Exp3P(arms, horizon=rounds, delta=0.1).facts()
    assert facts.beta == pytest.approx(np.sqrt(np.log(arms / 0.1) / (rounds * arms)))
    assert facts.explore == pytest.approx(1.05 * np.sqrt(arms * log_k / rounds))
    assert Exp3P(arms, horizon=2).facts().explore == 0.5
    facts = EXP3S(arms, horizon=rounds, switches=9).facts()
    assert facts.share == pytest.approx(9 / 999)
    nats = 10 * log_k + 9 * np.log(999 / 9) - 990 * np.log(1 - 9 / 999)
    assert facts.rate == pytest.approx(np.sqrt(2 * nats / (arms * rounds)))
    assert EXP3S(arms, horizon=rounds, switches=0).facts().share == 1 / rounds


# ---- certificates


@pytest.mark.parametrize("name", BANDITS)
def test_certificates_of_a_live_run_bound_what_nobody_saw(name):
    """Without the losses of the other arms the regret is not observed, and its bounds are numbers all the same."""
    learner = made(name)
    played_live(learner, table_for(200))
    certificates = learner.certify()
    assert [one.theorem for one in certificates] == list(learner.theorems)
    shown = [one for one in certificates if one.applies]
    assert shown
    assert all((one.observed is None) == ("(not observed)" in str(one)) == (name != "hedge") for one in shown)


def test_who_sees_all_losses_knows_its_regret():
    """Hedge reads its regret off its own book, as hindsight does, until arms have slept."""
    table, learner = table_for(200), made("hedge")
    played_live(learner, table)
    learner.draw()
    assert learner.comparators()[0].regret == pytest.approx(learner.total_ - table.sum(0).min())
    step(learner, table[0], available=[0, 1])
    assert np.isnan(learner.comparators()[0].regret)


@pytest.mark.parametrize("name", BANDITS)
def test_certificates_in_hindsight_hold_the_regret(name):
    """With the table of the rounds the observed regret is that against the best arm or expert, and its bound holds."""
    table, width = table_for(500), 4.0
    advice = advice_for(500) if name == "exp4" else None
    learner = made(name, value_range=(0, 4))
    play = learner.play(width * table, advice=advice)
    best = table.sum(0).min() if advice is None else np.einsum("tnk,tk->n", advice, table).min()
    certificates = {one.theorem.name: one for one in learner.certify(width * table, advice=advice)}
    observable = certificates["observable"]
    assert observable.observed == pytest.approx(play.total - width * best)
    assert observable.holds
    for one in certificates.values():
        assert one.observed is None or one.holds


def test_the_best_arm_of_losses_that_answer_is_nobodys_choice():
    """Where losses answer to the draws, bounds in expectation do not speak of the best arm in hindsight."""
    table = table_for(100)
    learner = made("exp3")
    learner.play(table)
    first = {one.theorem.name: one for one in learner.certify(table)}["exp3_pseudo_regret"]
    other = {one.theorem.name: one for one in learner.certify(table, oblivious=False)}["exp3_pseudo_regret"]
    assert first.applies
    assert not other.applies
    assert other.bound is None
    hedge = made("hedge")
    hedge.play(table)
    assert all(one.applies for one in hedge.certify(table, oblivious=False))


def test_draws_that_wait_are_judged_by_the_table():
    """In hindsight the losses of draws that wait are those of the table; nobody knows those of draws withdrawn."""
    table = table_for(60, 3)
    table[::7, 1] = np.nan
    learner, lost = Exp3IX(3, seed=0), 0.0
    missed = np.zeros(3)
    for place, row in enumerate(table):
        draw = learner.draw(None if not np.isnan(row).any() else ~np.isnan(row))
        lost += row[draw]
        missed[np.isnan(row)] += row[draw]
        if place % 3:
            learner.update(draw, row[draw])
    comparator = learner.comparators(table)[0]
    regrets = lost - missed - np.nansum(table, axis=0)
    assert comparator.regret == pytest.approx(regrets.max())
    with pytest.raises(RegretlessError, match="losses of 59 rounds; 60 were drawn"):
        learner.certify(table[:-1])
    learner.withdraw(ticket=learner.pending_[0])
    with pytest.raises(RegretlessError, match=r"draws were withdrawn \(1\)"):
        learner.certify(table)


@pytest.mark.parametrize("name", BANDITS)
def test_another_table_of_as_many_rows_is_refused(name):
    """Losses that cannot add up to those that were reported are refused; a table of 32 bits, or with NaN, is not."""
    table = table_for(200)
    advice = {"advice": advice_for(200)} if name == "exp4" else {}
    learner = made(name, value_range=(-1, 3))
    learner.play(4 * table - 1, **advice)
    learner.certify((4 * table - 1).astype(np.float32), **advice)
    for other in (-np.ones(table.shape), np.full(table.shape, 3.0), 2 * table - 1):
        with pytest.raises(RegretlessError, match=r"arm \d: these are not the losses .* a row for each draw"):
            learner.certify(other, **advice)


def test_tables_are_compared_with_what_was_reported():
    """Full information tells two tables apart by one loss of an arm that was never drawn, if no arm ever slept."""
    table = table_for(50, 3)
    learner = made("hedge", 3)
    learner.play(table)
    altered = table.copy()
    altered[7, 2] += 0.01
    with pytest.raises(RegretlessError, match="arm 2: these are not"):
        learner.certify(altered)
    sleepy, asleep = made("hedge", 3), table.copy()
    asleep[::3, 2] = np.nan
    sleepy.play(asleep)
    sleepy.certify(asleep)
    gone = np.full(50, np.nan)
    for column, arm in ((gone, 2), (np.where(np.isnan(asleep[:, 2]), np.nan, 0.0), 2)):
        with pytest.raises(RegretlessError, match=f"arm {arm}: these are not"):
            sleepy.certify(np.column_stack([asleep[:, :2], column]))
    waits = made("exp3", 2)
    first, second = waits.draw(), waits.draw()
    waits.update(first, 1.0)
    rows = np.zeros((2, 2))
    rows[0, first] = 1.0
    waits.certify(rows)
    with pytest.raises(RegretlessError, match="these are not"):
        waits.certify(np.full((2, 2), 0.5))
    assert second.ticket in waits.pending_


def test_two_threads_leave_a_bandit_whole():
    """Draws and losses from several threads are all counted, or refused as such; nothing is half learnt."""
    learner = Exp3IX(4, seed=0)
    refused = in_threads(4, 500, learner)
    book = learner.ledger_
    assert book.rounds == book.settled + len(learner.pending_)
    assert book.rounds + len(refused) >= 2000
    assert book.loss == book.settled / 2


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Exp3IX(3, rate=1e308), "rate"),
        (lambda: Exp3IX(3, rate=1e-320), "rate"),
        (lambda: Exp3IX(arms=5), "list of names"),
        (lambda: Exp3IX(3, seed=0).draw(available={0: False, 1: True, 2: False}), "mask"),
        (lambda: Exp4(3, seed=0).draw(advice=[[1, 0, 0], [0, 0]]), "as much from each expert"),
        (lambda: EXP3S(2, horizon=9, switches=1, seed=0).comparators(switches=-1), "switches=-1"),
    ],
)
def test_what_means_nothing_is_reported_in_words(wrong, words):
    """Rates beyond floats, dictionaries as masks, ragged advice and negative switches are errors of the library."""
    with pytest.raises(RegretlessError, match=words):
        wrong()


@pytest.mark.parametrize("made", [Exp3IX, UCB1, Hedge])
def test_a_table_with_losses_of_an_arm_that_could_not_be_drawn_is_refused(made):
    """The table must miss an arm where it was asleep, no more and no less: else other rounds are compared."""
    losses = np.random.default_rng(0).random((40, 3))
    table = losses.copy()
    table[20:, 2] = np.nan
    learner = made(3, seed=0)
    for row in table:
        draw = learner.draw(available=~np.isnan(row))
        learner.update(draw, row if learner.info.informed else row[draw])
    assert learner.certify(table)[-1].applies
    with pytest.raises(RegretlessError, match=r"arm 2: it could not be drawn in 20 rounds, and .* missing in 0; nan"):
        learner.certify(losses)
    awake = np.flatnonzero(losses[:20, 2] > 0)[-1]
    table[awake, 2] = np.nan
    with pytest.raises(RegretlessError, match="arm 2: "):
        learner.certify(table)
