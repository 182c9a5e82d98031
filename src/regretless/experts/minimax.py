"""What the best of all algorithms has to pay: the minimax regret of some experts over some rounds."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

from ..checks import whole
from ..errors import RegretlessError
from ..games.matrix import MatrixGame

MOST_CELLS = 1_000_000  # of all the games together; ten thousand take less than a second
Excess = tuple[int, ...]


def minimax_regret(experts: int, rounds: int) -> Fraction:
    """The smallest regret against the best expert that any algorithm can promise, losses being in [0, 1].

    In each round the learner gives the experts probabilities p, then each of them gets its loss in [0, 1], and the
    learner loses <p, losses>. The value is exact, by backward induction: the most regret from some losses L of the
    experts on, with r rounds to go, is ::

        V_0(L) = -min L,    V_r(L) = min over p of max over l of <p, l> + V_{r-1}(L + l),

    a zero-sum game at each L. V is convex in L, and so what is maximised over l: losses of 0 and 1 are the worst. Nor
    does it matter which expert is which, and what all of them have lost alike; so there are few L to look at.

    Two experts give T C(T - 1, floor((T - 1) / 2)) / 2^T: fair coins, one for the first expert and its opposite for the
    second, are as bad as anything (Cover 1967).

    Parameters
    ----------
    experts, rounds : int
        How many there are, 1 at least. The games grow with 2^experts and with rounds^experts.

    Returns
    -------
    Fraction

    Raises
    ------
    RegretlessError
        If the games would have more than a million cells.

    Examples
    --------
    >>> from regretless.experts import minimax_regret
    >>> [str(minimax_regret(3, rounds)) for rounds in (1, 2, 3)]
    ['2/3', '5/6', '1']
    """
    whole("experts", experts)
    whole("rounds", rounds)
    games = sum(comb(done + experts - 1, experts - 1) for done in range(rounds))
    if experts > 1 and games * experts << experts > MOST_CELLS:
        raise RegretlessError(
            f"{experts} experts over {rounds} rounds make {games:,} games of {experts} rows and {1 << experts:,} "
            f"columns, with more than {MOST_CELLS:,} cells: fewer experts or rounds are expected"
        )
    choices = [losses for losses in product((0, 1), repeat=experts) if not all(losses)]  # all alike: as none

    @cache
    def most(excess: Excess, left: int) -> Fraction:
        """V less what the best expert has lost, by what each of the others has lost more, in descending order."""
        if left == 0 or experts == 1:
            return Fraction(0)
        after = [_measured(excess, losses) for losses in choices]
        rest = [most(worse, left - 1) - least for worse, least in after]
        cells = [[losses[i] + value for losses, value in zip(choices, rest, strict=True)] for i in range(experts)]
        exact = MatrixGame.from_losses(cells).solve("simplex", exact=True).exact
        assert exact is not None
        return exact.value

    return most((0,) * experts, rounds)


def _measured(excess: Excess, losses: Excess) -> tuple[Excess, int]:
    """What experts have lost more than the best one after one more round, and what the best one has lost in it."""
    total = [before + now for before, now in zip(excess, losses, strict=True)]
    least = min(total)
    return tuple(sorted((one - least for one in total), reverse=True)), least
