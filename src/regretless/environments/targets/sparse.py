"""A target that few of many votes know of: where multiplicative updates win."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...checks import whole
from ...errors import ParameterError
from ...finite_classes.finite_class import unpacked
from ..arms.stochastic import key_of, key_of_run, uniforms, words
from ..asker import Array, Places
from ..labels import ObliviousLabels
from ..lower_bounds import LearnerDescription, LowerBound
from .points import noise_bounds, noise_of, signed


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
            raise ParameterError("relevant", str(relevant), f"an odd number of the {columns} columns is expected", ": ")
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
