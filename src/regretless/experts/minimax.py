"""What the best of all algorithms has to pay: the minimax regret of some experts over some rounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

from ..checks import whole
from ..errors import RegretlessError
from ..games.matrix import MatrixGame

MOST_CELLS = 100_000  # of all the games together: some tens of seconds
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
        If the games of three experts or more would have more than a hundred thousand cells.

    Examples
    --------
    >>> from regretless.experts import minimax_regret
    >>> [str(minimax_regret(3, rounds)) for rounds in (1, 2, 3)]
    ['2/3', '5/6', '1']
    """
    whole("experts", experts)
    whole("rounds", rounds)
    if experts == 2:
        return Fraction(rounds * comb(rounds - 1, (rounds - 1) // 2), 2**rounds)
    games = sum(comb(done + experts - 1, experts - 1) for done in range(rounds))
    if experts > 1 and games * experts << experts > MOST_CELLS:
        raise RegretlessError(
            f"{experts:,} experts over {rounds:,} rounds make {games:,} games of {experts:,} rows and {1 << experts:,} "
            f"columns, with more than {MOST_CELLS:,} cells: fewer experts or rounds are expected"
        )
    return by_games(experts, rounds)


def by_games(experts: int, rounds: int) -> Fraction:
    """`minimax_regret` by backward induction, also of two experts."""
    choices = [losses for losses in product((0, 1), repeat=experts) if not all(losses)]  # all alike: as none
    levels = [{(0,) * experts}]  # what may be after so many rounds: by what each has lost more than the best one
    for _ in range(rounds - 1):
        levels.append({_measured(excess, losses)[0] for excess in levels[-1] for losses in choices})
    value: dict[Excess, Fraction] = {}
    for level in reversed(levels) if experts > 1 else ():
        value = {excess: _value(excess, choices, value) for excess in level}
    return value.get((0,) * experts, Fraction(0))


def _value(excess: Excess, choices: list[Excess], after: dict[Excess, Fraction]) -> Fraction:
    """V less what the best expert has lost, from that of one round later; 0 where none is left."""
    rest = [after.get(worse, Fraction(0)) - least for worse, least in (_measured(excess, one) for one in choices)]
    cells = [[losses[i] + more for losses, more in zip(choices, rest, strict=True)] for i in range(len(excess))]
    exact = MatrixGame.from_losses(cells).solve("simplex", exact=True).exact
    assert exact is not None
    return exact.value


def _measured(excess: Excess, losses: Excess) -> tuple[Excess, int]:
    """What experts have lost more than the best one after one more round, and what the best one has lost in it."""
    total = [before + now for before, now in zip(excess, losses, strict=True)]
    least = min(total)
    return tuple(sorted((one - least for one in total), reverse=True)), least
