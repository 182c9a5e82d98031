"""Rows whose labels are those of a linear target, but for noise: a hyperplane, which may turn, or few of many votes."""

from __future__ import annotations

from math import cos, pi, sin, sqrt
from typing import ClassVar

import numpy as np

from ..checks import positive, share, whole
from ..errors import ParameterError
from ..finite_classes.finite_class import unpacked
from .asker import Array, Places
from .labels import ObliviousLabels
from .lower_bounds import LearnerDescription, LowerBound
from .points import noise_bounds, noise_of, signed
from .stochastic import key_of, key_of_run, uniforms, words

ROUNDING = 1e-9  # by which margins and lengths are kept away from what is claimed


class Separable(ObliviousLabels):
    """Rows no longer than 1, drawn anew in each round, with y <u, x> >= margin for a direction u drawn for each run.

    The part of a row along u is drawn evenly from -1 to -margin and from margin to 1. What is across it is that of a
    point of the cube whose corners are 1 long, made shorter so that the row stays in the ball. Without noise a
    perceptron makes at most 1 / margin^2 updates, whatever the number of columns (Novikoff 1962).

    Parameters
    ----------
    columns : int
    margin : float
        Between 0 and 1.
    noise : float
        The probability with which a label is turned round.
    seed : int
    rounds : int, optional

    Examples
    --------
    >>> from regretless.linear import Perceptron
    >>> from regretless.environments import Separable
    >>> from regretless.play import play
    >>> result = play(Perceptron(), Separable(columns=5, margin=0.1, seed=0), 1000)
    >>> result.count
    10.0
    """

    name = "separable"

    def __init__(
        self,
        columns: int = 10,
        margin: float = 0.1,
        noise: float = 0.0,
        seed: int = 0,
        rounds: int | None = None,
    ) -> None:
        if share("margin", margin) > 1 - 2 * ROUNDING:
            raise ParameterError("margin", repr(margin), "it must be well below 1, or all rows are alike")
        self.margin, self.noise, self.seed = float(margin), noise_of(noise), key_of(seed)
        super().__init__(columns, rounds)

    def target(self, run: int = 0) -> Array:
        """The direction u of a run, at its start."""
        direction: Array = _directions(key_of_run(self.seed, run), 1, self.columns)[0]
        return direction

    def targets(self, begin: int, end: int, run: int = 0) -> Array:
        """The directions of some rounds: one for all of them, or one for each; shape (1 or rounds, columns)."""
        return self.target(run)[None]

    def block(self, begin: int, end: int, run: int = 0) -> tuple[Array, Array]:
        """Rows about a direction, and on which side they are."""
        luck = uniforms(key_of_run(self.seed, run), begin, end, self.columns + 2)
        targets = self.targets(begin, end, run)
        across = (2 * luck[:, :-2] - 1) * ((1 - ROUNDING) / sqrt(self.columns))
        across -= (across * targets).sum(1, keepdims=True) * targets
        side = 2 * luck[:, -2] - 1
        labels = np.where(side < 0, -1.0, 1.0)
        least = self.margin + (1 - self.margin) * ROUNDING
        along = labels * (least + (1 - ROUNDING - least) * np.abs(side))
        rows = along[:, None] * targets + np.sqrt(1 - along**2)[:, None] * across
        labels[luck[:, -1] < self.noise] *= -1
        return rows, labels

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """The noise cannot be foreseen."""
        return noise_bounds(self.noise, rounds)


class DriftingTarget(Separable):
    """Rows as those of `Separable`, but the direction turns in a plane, evenly, round by round.

    Parameters
    ----------
    columns : int
        At least 2.
    margin : float
        Between 0 and 1; of the direction of the round.
    turn : float
        How far it turns in a round, in whole turns.
    noise : float
        The probability with which a label is turned round.
    seed : int
    rounds : int, optional

    Examples
    --------
    >>> from regretless.environments import DriftingTarget
    >>> from regretless.linear import Perceptron
    >>> from regretless.play import play
    >>> play(Perceptron(), DriftingTarget(columns=5, seed=0), 1000).count
    7.0
    """

    name = "drifting-target"

    def __init__(
        self,
        columns: int = 10,
        margin: float = 0.1,
        turn: float = 0.0001,
        noise: float = 0.0,
        seed: int = 0,
        rounds: int | None = None,
    ) -> None:
        if whole("columns", columns) < 2:
            raise ParameterError("columns", str(columns), "it must be at least 2, or there is no plane to turn in")
        self.turn = positive("turn", turn, or_zero=True)
        super().__init__(columns, margin, noise, seed, rounds)

    def targets(self, begin: int, end: int, run: int = 0) -> Array:
        """A direction for each round."""
        first, second = _directions(key_of_run(self.seed, run), 2, self.columns)
        gone = [2 * pi * (self.turn * place % 1) for place in range(begin, end)]
        cosines, sines = ([wave(angle) for angle in gone] for wave in (cos, sin))
        targets: Array = np.outer(cosines, first) + np.outer(sines, second)
        return targets


def _directions(key: int, count: int, columns: int) -> Array:
    """Directions at right angles to each other, drawn from the cube."""
    directions = 2 * uniforms(key ^ 1, 0, count, columns) - 1
    for place in range(count):
        for other in directions[:place]:
            directions[place] -= (directions[place] * other).sum() * other
        directions[place] /= sqrt((directions[place] ** 2).sum())
    return directions


class SparseTarget(ObliviousLabels):
    """Rows of fair coins, -1 or 1, labelled by the majority of k of the N columns, drawn for each run.

    The weights 1 / k on these columns have a margin of at least 1 / k while no entry is larger than 1: Winnow makes at
    most 2 k^2 ln N updates (Littlestone 1988), and for k = 1 one column is an expert that is never wrong. Rows are
    sqrt(N) long, which leaves a perceptron a bound of k N: it does not see that the target is sparse.

    Parameters
    ----------
    columns : int
        N.
    relevant : int
        k, an odd number.
    noise : float
        The probability with which a label is turned round.
    seed : int
    rounds : int, optional

    Examples
    --------
    >>> from regretless.linear import Perceptron
    >>> from regretless.environments import SparseTarget
    >>> from regretless.play import play
    >>> result = play(Perceptron(), SparseTarget(columns=50, relevant=3, seed=0), 1000)
    >>> result.count
    72.0
    """

    name = "sparse-target"
    votes: ClassVar[bool] = True

    def __init__(
        self, columns: int = 100, relevant: int = 1, noise: float = 0.0, seed: int = 0, rounds: int | None = None
    ) -> None:
        if whole("relevant", relevant) > whole("columns", columns) or relevant % 2 == 0:
            raise ParameterError(
                "relevant", str(relevant), f"an odd number of the {columns:,} columns is expected", ": "
            )
        self.relevant, self.noise, self.seed = relevant, noise_of(noise), key_of(seed)
        super().__init__(columns, rounds)

    def target(self, run: int = 0) -> Places:
        """The columns that matter in a run."""
        luck = uniforms(key_of_run(self.seed, run) ^ 1, 0, 1, self.columns)[0]
        columns: Places = np.sort(np.argsort(luck, kind="stable")[: self.relevant])
        return columns

    def block(self, begin: int, end: int, run: int = 0) -> tuple[Array, Array]:
        """Coins, and their majority."""
        key = key_of_run(self.seed, run)
        rows = signed(unpacked(words(key, begin, end, -(-self.columns // 64)), self.columns))
        labels = np.sign(rows[:, self.target(run)].sum(1))
        labels[uniforms(key ^ 2, begin, end, 1)[:, 0] < self.noise] *= -1
        return rows, labels

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """The noise cannot be foreseen."""
        return noise_bounds(self.noise, rounds)
