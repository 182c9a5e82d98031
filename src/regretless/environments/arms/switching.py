"""Means that change while the rounds go by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...checks import whole
from ...errors import ParameterError, RegretlessError
from .stochastic import Stochastic, World, key_of, lost, means_of


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
        raise ParameterError("starts", None, f"a stretch begins at round {places[-1]}, and there are {rounds} rounds")
    return places.astype(np.int64)
