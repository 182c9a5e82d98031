"""Short runs of what is no learner, or of learners in other hands: self-play, shards, intervals, self-calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from made_runs import Lines, Run, advice, marks

from regretless.alarms import ConfidenceSequence, EDetector, VilleAlarm
from regretless.batch import average, leave_one_out
from regretless.calibration import BinnedOffsets, PlattScaling
from regretless.distributed import mix, regress
from regretless.experts import Doubling, ExponentiallyWeightedAverage, Hedge, LabelEfficient
from regretless.games import BimatrixGame, MatrixGame, boost, boosting_game, read_efg
from regretless.games.methods import IN_TURNS, SELF_PLAY
from regretless.intervals import AdaptiveIntervals, DecayingTracker, QuantileTracker
from regretless.linear import (
    MulticlassPerceptron,
    OnlineGradientDescent,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    VotedPerceptron,
    Winnow,
)
from regretless.regression import VovkAzouryWarmuth
from regretless.theorem import Theorem

Course = Iterator[tuple[int, Lines]]
CARDS = """EFG 2 R "One card" { "First" "Second" }
c "" 1 "" { "high" 1/2 "low" 1/2 } 0
p "" 1 1 "high" { "check" "bet" } 0
t "" 1 "" { 1 -1 }
p "" 2 1 "a bet" { "fold" "call" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { 2 -2 }
p "" 1 2 "low" { "check" "bet" } 0
t "" 3 "" { -1 1 }
p "" 2 1 "a bet" { "fold" "call" } 0
t "" 1 "" { 1 -1 }
t "" 4 "" { -2 2 }
"""


def separable(count: int, seed: int) -> tuple[Any, Any]:
    """Rows of unit length with labels that a vector gives, none nearer to it than 0.15."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * count, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    score = X @ [0.6, 0.6, 0.4, np.sqrt(0.12)]
    far = np.abs(score) > 0.15
    return X[far][:count], np.sign(score[far][:count])


def self_play(method: str) -> Course:
    """Self-play of a game of 6 by 6 random payoffs between 0 and 1."""
    game = MatrixGame(np.random.default_rng(5).random((6, 6)))
    for rounds in marks(1000, 10):
        yield rounds, game.solve(method, rounds=rounds).certificates


def boosted() -> Course:
    """Boosting of 20 random hypotheses, each right on 7 of 10 of 100 examples."""
    rng = np.random.default_rng(6)
    game = boosting_game(np.where(rng.random((100, 20)) < 0.7, 1, -1), np.ones(100))
    for rounds in marks(2000, 10):
        yield rounds, boost(game, rounds=rounds).certificates


def adaboosted() -> Course:
    """AdaBoost of 20 random hypotheses, each right on 7 of 10 of 100 examples."""
    rng = np.random.default_rng(6)
    game = boosting_game(np.where(rng.random((100, 20)) < 0.7, 1, -1), np.ones(100))
    for rounds in range(5, 61, 5):
        yield rounds, boost(game, rounds=rounds, method="adaboost").certificates


def solved() -> Course:
    """Games of ever more random payoffs between 0 and 1, by the simplex method."""
    for side in range(2, 31, 2):
        yield side, MatrixGame(np.random.default_rng(side).random((side, side))).solve("simplex").certificates


def of_two_matrices(method: str) -> Course:
    """Self-play of a game of 6 by 6 random payoffs between 0 and 1, others for either player."""
    game = BimatrixGame(*np.random.default_rng(16).random((2, 6, 6)))
    for rounds in marks(1000, 10):
        yield rounds, game.self_play(method, rounds=rounds).certificates


def in_turns(method: str) -> Course:
    """A game in turns: a card of two is dealt to the first player, who may bet on it, and the second may call."""
    game = read_efg(CARDS).sequence_form()
    for rounds in marks(500, 10):
        yield rounds, game.solve(method, rounds=rounds).certificates


def left_out() -> Course:
    """Up to 120 separable rows, each left out once."""
    X, y = separable(120, 17)
    for rows in range(20, 121, 20):
        yield rows, leave_one_out(Perceptron(until_clean=True), X[:rows], y[:rows]).certificates


def mixed(learner: Any) -> Course:
    """Four shards of 200 separable rows, mixed after each epoch."""
    X, y = separable(800, 7)
    shards = [(X[k::4], y[k::4]) for k in range(4)]
    for epochs in range(1, 7):
        yield epochs, mix(learner, shards, epochs=epochs).certify()


def regressed() -> Course:
    """Four shards, each learned on its own; the rows of one after those of another."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(800, 3))
    y = X @ [2.0, -1.0, 0.5] + rng.normal(size=800)
    for count in range(50, 201, 30):
        shards = [(X[200 * k : 200 * k + count], y[200 * k : 200 * k + count]) for k in range(4)]
        yield 4 * count, regress(VovkAzouryWarmuth(), shards).certify()


def covered(intervals: Any) -> Course:
    """1,000 outcomes around 0, with noise that trebles half way."""
    outcomes = np.random.default_rng(9).normal(size=1000) * np.repeat([1.0, 3.0], 500)
    done = 0
    for rounds in marks(1000):
        intervals.play(np.zeros(rounds - done), outcomes[done:rounds])
        done = rounds
        yield rounds, intervals.certify()


def calibrated() -> Course:
    """1,000 events, with scores that are too sure of themselves."""
    rng = np.random.default_rng(10)
    logit = rng.normal(size=1000)
    happened, scaling, done = rng.random(1000) < 1 / (1 + np.exp(-logit)), PlattScaling(), 0
    for rounds in marks(1000):
        scaling.play(2.5 * logit[done:rounds], happened[done:rounds])
        done = rounds
        yield rounds, scaling.certify(2.5 * logit[:rounds], happened[:rounds])


def corrected() -> Course:
    """1,000 events, with probabilities that are too sure of themselves."""
    rng = np.random.default_rng(11)
    logit = rng.normal(size=1000)
    happened, offsets, done = rng.random(1000) < 1 / (1 + np.exp(-logit)), BinnedOffsets(bins=10, rate=0.05), 0
    for rounds in marks(1000):
        offsets.play(1 / (1 + np.exp(-2.5 * logit[done:rounds])), happened[done:rounds])
        done = rounds
        yield rounds, offsets.certify()


def restarted() -> Course:
    """1,000 rounds of losses of five experts, one a little better."""
    losses, learner, done = np.random.default_rng(12).random((1000, 5)) * [0.9, 1, 1, 1, 1], Doubling(Hedge()), 0
    for rounds in marks(1000):
        learner.play(losses[done:rounds])
        done = rounds
        yield rounds, learner.certify(losses[:rounds])


def seldom_asked() -> Course:
    """1,000 forecasts of five experts, of which a tenth of the outcomes are asked for."""
    forecasts, outcomes = advice()
    for rounds in marks(1000):
        base = ExponentiallyWeightedAverage(horizon=100, loss="absolute", value_range=(0.0, 1.0))
        learner = LabelEfficient(base, share=0.1)
        for row, outcome in zip(forecasts[:rounds], outcomes[:rounds], strict=True):
            answer = learner.predict(row)
            if answer.wanted:
                learner.update(answer, outcome)
        yield rounds, learner.certify()


def watched(alarm: Any) -> Course:
    """1,000 losses that are 1 in a tenth of the rounds, as the reference says."""
    losses, done = np.random.default_rng(13).random(1000) < 0.1, 0
    for rounds in marks(1000):
        alarm.play(losses[done:rounds])
        done = rounds
        yield rounds, alarm.certify()


def to_come() -> Course:
    """1,000 independent rows with noisy labels; what is bounded is the error on rows to come."""
    rng = np.random.default_rng(14)
    X = rng.normal(size=(1000, 4))
    y, learner, done = np.where(X[:, 0] + 0.3 * rng.normal(size=1000) > 0, 1, -1), VotedPerceptron(), 0
    for rounds in marks(1000):
        learner.partial_fit(X[done:rounds], y[done:rounds], classes=[-1, 1])
        done = rounds
        yield rounds, learner.certify_risk(delta=0.05)


def averaged() -> Course:
    """The mean of the weights of gradient descent on up to 1,000 independent rows."""
    rng = np.random.default_rng(15)
    X = rng.uniform(-1, 1, (1000, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=1000) > 0, 1, -1)
    for rounds in marks(1000, 8):
        learner = OnlineGradientDescent(loss="logistic", schedule="inverse-sqrt", radius=1.0)
        yield rounds, average(learner, X[:rounds], y[:rounds], longest=1.5).certificates


COURSES: tuple[tuple[str, str, Callable[[], Course]], ...] = (
    *((f"self-play by {method}", "Rounds", partial(self_play, method)) for method in SELF_PLAY),
    *((f"self-play by {method}", "Rounds", partial(of_two_matrices, method)) for method in SELF_PLAY),
    *((f"self-play by {method}", "Rounds", partial(in_turns, method)) for method in IN_TURNS),
    ("exact solutions", "Strategies", solved),
    ("boosting", "Rounds", boosted),
    ("boosting", "Rounds", adaboosted),
    ("a perceptron", "Rows", left_out),
    *(
        (f"mixing of {type(learner).__name__}", "Epochs", partial(mixed, learner))
        for learner in (
            Perceptron(),
            MulticlassPerceptron(),
            PNormPerceptron(p=3.0),
            Winnow(rate=0.5),
            Winnow(gamma=0.05),
            OnlineGradientDescent(radius=10.0, schedule="inverse-sqrt"),
            PassiveAggressive(),
            PassiveAggressive(variant="PA"),
            PassiveAggressive(variant="PA-II"),
        )
    ),
    ("ridge regression over shards", "Rounds", regressed),
    ("adaptive intervals", "Rounds", partial(covered, AdaptiveIntervals(coverage=0.9))),
    ("a quantile tracker", "Rounds", partial(covered, QuantileTracker(coverage=0.9))),
    ("a tracker with falling steps", "Rounds", partial(covered, DecayingTracker(coverage=0.9))),
    ("Platt scaling", "Rounds", calibrated),
    ("offsets of bins", "Rounds", corrected),
    ("Hedge, restarted", "Rounds", restarted),
    ("few outcomes", "Rounds", seldom_asked),
    ("the e-detector", "Rounds", partial(watched, EDetector(reference=0.1, mean_rounds=300))),
    ("an alarm by Ville's inequality", "Rounds", partial(watched, VilleAlarm(reference=0.1, alpha=0.05))),
    ("a confidence sequence", "Rounds", partial(watched, ConfidenceSequence(level=0.9))),
    ("the voted perceptron", "Rounds", to_come),
    ("online to batch", "Rounds", averaged),
)


def runs(page: Callable[[Theorem], str]) -> list[Run]:
    """All of them."""
    made = []
    for name, across, play in COURSES:
        run = Run(name, " ".join((getattr(play, "func", play).__doc__ or "").split()), across)
        for rounds, lines in play():
            run.read(rounds, lines, page)
        made.append(run)
    return made
