"""Losses of 0 and 1 by chance: each arm has a mean, which may change, or a fair coin decides between two."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, exp, pi, sqrt
from typing import Any

import numpy as np

from ..checks import whole
from ..errors import ParameterError, RegretlessError
from .base import Array, Oblivious
from .lower_bounds import LearnerDescription, LowerBound

GOLDEN = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio
WORD = (1 << 64) - 1
EXACTLY = 500  # pairs of rounds


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """The chances of one run.

    Attributes
    ----------
    means : ndarray, shape (stretches, arms)
        Probabilities of a loss of 1.
    starts : ndarray of int64, shape (stretches,)
        The first round of each stretch, counted from 0; ascending from 0.
    key : int
        Of the noise.
    """

    means: Array
    starts: np.ndarray[Any, np.dtype[np.int64]]
    key: int


class Stochastic(Oblivious):
    """An environment in which an arm loses 1 with some probability, and 0 otherwise; or wins 1, else 0.

    What a round brings to an arm depends on the noise's key, the round and the arm alone, as if the table had been
    written down before.
    """

    rewards: bool = False

    @abstractmethod
    def world(self, run: int = 0) -> World:
        """Means and noise of one run."""

    def expected(self, rounds: int, run: int = 0) -> Array:
        """What each arm loses in expectation, in so many rounds."""
        world = self.world(run)
        ends = np.minimum(np.append(world.starts, rounds), rounds)
        sums: Array = np.add.reduce(np.diff(ends)[:, None] * world.means, axis=0)
        return sums

    def block(self, begin: int, end: int, run: int = 0) -> Array:
        """Zeros and ones: the same as in the compiled loop."""
        world = self.world(run)
        out = np.empty((end - begin, self.arms))
        ends = np.append(world.starts[1:], end)
        for means, first, last in zip(world.means, world.starts.tolist(), ends.tolist(), strict=True):
            low, high = max(first, begin), min(last, end)
            if low < high:
                lost = uniforms(world.key, low, high, self.arms) < means
                out[low - begin : high - begin] = ~lost if self.rewards else lost
        return out


class Bernoulli(Stochastic):
    """Arms with a mean each, the same in all rounds.

    Parameters
    ----------
    means : array-like of shape (arms,)
        Mean losses from 0 to 1.
    seed : int
        Of the noise. All learners and runs that play the same seed have the same losses: they differ by what was drawn
        alone, and their regret is that on one table of luck. Another table is another seed.
    rounds : int, optional
    names : sequence of str, optional
    rewards : bool
        Whether the means are those of rewards.

    Examples
    --------
    >>> from regretless.bandits import Exp3
    >>> from regretless.environments import Bernoulli
    >>> from regretless.play import play
    >>> result = play(Exp3(seed=0), Bernoulli([0.2, 0.5]), 1000)
    >>> result.count
    222.0
    """

    def __init__(
        self,
        means: Any,
        seed: int = 0,
        rounds: int | None = None,
        names: Sequence[str] | None = None,
        *,
        rewards: bool = False,
    ) -> None:
        self.means = means_of(means, 1)
        self.seed = key_of(seed)
        self.rewards = rewards
        super().__init__(len(self.means), rounds, names)

    def world(self, run: int = 0) -> World:
        """One stretch."""
        return World(lost(self.means[None], self.rewards), np.zeros(1, dtype=np.int64), self.seed)


class FairCoins(Oblivious):
    """Two arms, and a fair coin each round: one arm loses 1, the other nothing. Every run has coins of its own.

    No learner can expect a smaller loss than half the rounds, and the better arm's is expected to be smaller by
    `regret`, at least sqrt(T / 8), by Khintchine's inequality with its best constant (Szarek 1976).

    Parameters
    ----------
    rounds : int, optional
    seed : int

    Examples
    --------
    >>> from regretless.bandits import Exp3
    >>> from regretless.environments import FairCoins
    >>> from regretless.play import play
    >>> play(Exp3(seed=0), FairCoins(), 1000).count
    491.0
    """

    alike = False
    rewards = False

    def __init__(self, rounds: int | None = None, seed: int = 0) -> None:
        self.seed = key_of(seed)
        super().__init__(2, rounds)

    def block(self, begin: int, end: int, run: int = 0) -> Array:
        """One and nothing, or nothing and one."""
        heads = uniforms(key_of_run(self.seed, run), begin, end, 1) < 0.5
        return np.concatenate([heads, ~heads], axis=1).astype(np.float64)

    def lower_bounds(self, rounds: int, opposed: LearnerDescription) -> list[LowerBound]:
        """Half the rounds, and the regret of every learner."""
        source = "Mohri, Rostamizadeh & Talwalkar 2012, Thm 7.5; Szarek 1976"
        return [
            LowerBound("Fair coins", "loss", rounds / 2, source, "expected"),
            LowerBound("Fair coins", "regret", FairCoins.regret(rounds), source, "expected"),
        ]

    @staticmethod
    def regret(rounds: int) -> float:
        """What every learner's regret is in expectation: T C(T - 1, floor((T - 1) / 2)) / 2^T.

        That is m C(2m, m) / 4^m, where T is 2m or 2m - 1; of many rounds, to the last digit or so, by Stirling's series
        of the logarithm, whose terms have alternating signs: the first one that is left out is below 1e-24.
        """
        m = (whole("rounds", rounds) + 1) // 2
        if m <= EXACTLY:
            return float(m * comb(2 * m, m) / 4**m)
        return sqrt(m / pi) * exp((-1 / 8 + (1 / 192 - (1 / 640 - 17 / 14336 / m**2) / m**2) / m**2) / m)


def lost(means: Array, rewards: bool) -> Array:
    """Probabilities of a loss of 1, from the means."""
    return 1 - means if rewards else means


def uniforms(key: int, begin: int, end: int, arms: int) -> Array:
    """The noise of some rounds: numbers from 0 to below 1, shape (end - begin, arms)."""
    bits: Any = words(key, begin, end, arms)
    numbers: Array = (bits >> np.uint64(11)) * 2.0**-53
    return numbers


def words(key: int, begin: int, end: int, count: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """The same as numbers of 64 bits, so many for each round, shape (end - begin, count).

    Number n = t count + place + 1 of a key is the finaliser of splitmix64, applied to key + n times 2^64 over the
    golden ratio, modulo 2^64 (Steele, Lea and Flood 2014), so that any of them is known without those before it.
    """
    first, last = ((place * count + 1) & WORD for place in (begin, end))
    bits = np.arange(first, last, dtype=np.uint64)
    bits *= np.uint64(GOLDEN)
    bits += np.uint64(key)
    noise: np.ndarray[Any, np.dtype[np.uint64]] = _mixed(bits).reshape(end - begin, count)
    return noise


def _mixed(bits: Any) -> Any:
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def key_of_run(seed: int, run: int) -> int:
    """A key for each run, for environments in which every run has noise of its own."""
    of_seed = int(_mixed(np.array([seed], dtype=np.uint64))[0])
    number = np.array([(of_seed + (whole("run", run + 1)) * GOLDEN) & WORD], dtype=np.uint64)
    return int(_mixed(number)[0])


def key_of(seed: int) -> int:
    """A seed that is a whole number of 64 bits.

    Raises
    ------
    RegretlessError
        If it is not.
    """
    if isinstance(seed, bool) or not hasattr(seed, "__index__") or not 0 <= seed <= WORD:
        raise ParameterError("seed", repr(seed), "it must be a whole number from 0 to 2^64 - 1")
    return int(seed)


def means_of(means: Any, dimensions: int) -> Array:
    """Probabilities, of each arm, or of each stretch and arm.

    Raises
    ------
    RegretlessError
        If they are none.
    """
    try:
        table = np.ascontiguousarray(means, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError("means", None, f"numbers are expected ({error})") from error
    if table.ndim != dimensions or 0 in table.shape:
        expected = "(arms,)" if dimensions == 1 else "(stretches, arms)"
        raise RegretlessError(f"means of shape {table.shape}: {expected} is expected")
    if not ((table >= 0) & (table <= 1)).all():
        wrong = table[~((table >= 0) & (table <= 1))][0]
        raise RegretlessError(f"a mean of {wrong:g}: probabilities from 0 to 1 are expected")
    return table


class Switching(Stochastic):
    """Arms whose means change at known rounds.

    Parameters
    ----------
    means : array-like of shape (stretches, arms)
        Mean losses from 0 to 1.
    starts : sequence of int, optional
        The first round of each stretch, counted from 0; the first is 0. By default the stretches share the rounds, of
        which there must be a known number then.
    seed : int
        Of the noise, the same for all runs: their regret is that on one table of luck.
    rounds : int, optional
    names : sequence of str, optional
    rewards : bool
        Whether the means are those of rewards.

    Examples
    --------
    >>> from regretless.bandits import Exp3
    >>> from regretless.environments import Switching
    >>> from regretless.play import play
    >>> play(Exp3(seed=0), Switching([[0.2, 0.6], [0.6, 0.2]], starts=[0, 500]), 1000).count
    337.0
    """

    def __init__(
        self,
        means: Any,
        starts: Sequence[int] | None = None,
        seed: int = 0,
        rounds: int | None = None,
        names: Sequence[str] | None = None,
        *,
        rewards: bool = False,
    ) -> None:
        self.means = means_of(means, 2)
        if starts is None:
            starts = _even(len(self.means), whole("rounds", rounds))
        self.starts = _ascending(starts, len(self.means), rounds)
        self.seed = key_of(seed)
        self.rewards = rewards
        super().__init__(self.means.shape[1], rounds, names)

    def world(self, run: int = 0) -> World:
        """All stretches."""
        return World(lost(self.means, self.rewards), self.starts, self.seed)


class Drifting(Switching):
    """Arms whose means go evenly from those at the start to those at the end, in small steps.

    Parameters
    ----------
    first, last : array-like of shape (arms,)
        Mean losses from 0 to 1.
    rounds : int
    steps : int
        How many stretches of about the same length there are, at most one a round.
    seed : int
        Of the noise, as that of `Switching`.
    names : sequence of str, optional
    rewards : bool
        Whether the means are those of rewards.

    Examples
    --------
    >>> from regretless.bandits import Exp3
    >>> from regretless.environments import Drifting
    >>> from regretless.play import play
    >>> play(Exp3(seed=0), Drifting([0.2, 0.6], [0.6, 0.2], rounds=1000), 1000).count
    406.0
    """

    def __init__(
        self,
        first: Any,
        last: Any,
        rounds: int,
        steps: int = 100,
        seed: int = 0,
        names: Sequence[str] | None = None,
        *,
        rewards: bool = False,
    ) -> None:
        begin, end = means_of(first, 1), means_of(last, 1)
        if begin.shape != end.shape:
            raise RegretlessError(f"{len(begin)} means at the start and {len(end)} at the end")
        stretches = min(whole("steps", steps), whole("rounds", rounds))
        gone = np.linspace(0, 1, stretches)[:, None] if stretches > 1 else np.zeros((1, 1))
        means = np.clip((1 - gone) * begin + gone * end, 0, 1)
        super().__init__(means, _even(stretches, rounds), seed, rounds, names, rewards=rewards)


def _even(stretches: int, rounds: int) -> list[int]:
    return [place * rounds // stretches for place in range(stretches)]


def _ascending(starts: Sequence[int], stretches: int, rounds: int | None) -> Any:
    places = np.asarray(starts)
    if places.shape != (stretches,) or places.dtype.kind not in "iu":
        raise ParameterError("starts", None, f"the first round of each of {stretches} stretches is expected")
    if places[0] != 0 or (np.diff(places.astype(np.int64)) <= 0).any():
        raise ParameterError("starts", None, "ascending round numbers are expected, the first of them 0")
    if rounds is not None and places[-1] >= rounds:
        raise ParameterError(
            "starts", None, f"a stretch begins at round {places[-1]:,}, and there are {rounds:,} rounds"
        )
    return places.astype(np.int64)
