"""Many runs of a bandit on any engine: the same runs, bit for bit, as on one machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..bandits.simulation import simulate as locally
from .pools import engine_of

if TYPE_CHECKING:
    from ..bandits.base import Bandit
    from ..bandits.simulation import Pulls


def simulate(learner: Bandit, environment: Any, executor: Any = None, **how: Any) -> Pulls:
    """Let a learner play an environment many times, wherever an engine runs work.

    Run r depends on the learner's seed and on r alone, and runs are summed in their order, so that what comes back is
    what `regretless.bandits.simulate` gives on this machine, bit for bit: ledgers, curves and certificates.

    Parameters
    ----------
    learner : Bandit
    environment : Environment, or array-like of shape (rounds, arms)
        It travels to the workers, a table with all its numbers: an environment that makes its losses is better off.
    executor : Executor or Engine, optional
        By default this process, one group of up to 64 runs after the other. `regretless.bandits.simulate` itself takes
        an executor too, and after a stop gives back the runs that were over; an engine gives all of them or none.
    **how
        As for `regretless.bandits.simulate`: rounds, runs, first, advice, marks, shares, on_rounds, stop.

    Returns
    -------
    Pulls

    Raises
    ------
    Interrupted
        If `stop` was true.
    RegretlessError
        If anything does not fit.

    Notes
    -----
    The books of the runs add: the sum of `Pulls.ledgers` over all runs is the book of all draws, whichever of them were
    simulated together. Certificates are not read on that sum but on every run, and bounds in expectation on the mean:
    the regret of a sum of runs says nothing that its runs do not.

    Examples
    --------
    >>> from regretless.bandits import Exp3IX
    >>> from regretless.environments import Bernoulli
    >>> pulls = simulate(Exp3IX(2, horizon=1000, seed=0), Bernoulli([0.2, 0.8]), rounds=1000, runs=20)
    >>> pulls.best_arm
    '0'
    """
    return locally(learner, environment, executor=engine_of(executor), **how)
