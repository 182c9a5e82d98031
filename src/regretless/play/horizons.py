"""Several learners against one environment, over several numbers of rounds, in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..checks import whole
from ..errors import ParameterError, RegretlessError
from ..report.play_page import HUES, SweepReport, SweptPoint, page_of_sweep
from ..report.template import write_report
from .result import PlayResult, called
from .run import play

MOST = len(HUES)  # learners that one picture tells apart, with a bound each


@dataclass(frozen=True, eq=False)
class Sweep(SweepReport):
    """What `sweep` gives back: a point for each learner and number of rounds.

    Attributes
    ----------
    environment, quantity, runs, learners
        As for `regretless.report.play_page.SweepReport`.
    """

    def __repr__(self) -> str:
        names, rounds = ", ".join(name for name, _ in self.learners), [p.rounds for p in self.learners[0][1]]
        return f"<Sweep: {self.quantity} of {names} against {self.environment} after {rounds}>"

    def plot(self) -> Any:
        """A matplotlib figure: what each learner lost, and its bound, over the numbers of rounds.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        RegretlessError
            If matplotlib is missing.
        """
        from ..plot import figure

        return figure(page_of_sweep(self))

    def report(self, path: str) -> None:
        """Write the picture and its numbers as one file of HTML.

        Parameters
        ----------
        path : str
        """
        write_report(path, page_of_sweep(self))


def sweep(
    learners: Mapping[str, Any] | Sequence[Any], environment: Any, horizons: Sequence[int], *, runs: int = 1
) -> Sweep:
    """Let each learner play each number of rounds anew, and set what it lost beside the least bound on it.

    Parameters
    ----------
    learners : mapping of str to learner, or sequence of learners
        One to four of them, by names of your own or by theirs. One with a ``horizon=`` that is given is tuned for each
        number of rounds; one without is played as it is.
    environment : Labels or Environment
        As for `play`.
    horizons : sequence of int
        Numbers of rounds, ascending.
    runs : int
        Of each learner, for each number of rounds.

    Returns
    -------
    Sweep
        Of bandits and combiners with their regret, of other learners with their mistakes.

    Raises
    ------
    RegretlessError
        If a learner cannot play against this environment, or there are none, too many, or some of different quantities.

    Examples
    --------
    >>> from regretless.bandits import Exp3IX, TsallisINF
    >>> from regretless.environments import Bernoulli
    >>> both = [Exp3IX(3, horizon=1, seed=0), TsallisINF(3, seed=0)]
    >>> swept = sweep(both, Bernoulli([0.3, 0.5, 0.5]), [100, 1000], runs=10)
    >>> swept
    <Sweep: regret of exp3-ix, tsallis-inf against Bernoulli after [100, 1000]>
    >>> all(point.observed <= point.bound for _, points in swept.learners for point in points)
    True
    """
    named = _named(learners)
    numbers = [whole("horizons", one) for one in horizons]
    if not numbers or sorted(set(numbers)) != numbers:
        raise ParameterError("horizons", repr(list(horizons)), "numbers of rounds that ascend are expected")
    results = {name: [play(_tuned(one, T), environment, T, runs=runs) for T in numbers] for name, one in named.items()}
    quantities = {_quantity(result) for each in results.values() for result in each}
    if len(quantities) > 1:
        raise RegretlessError("some learners are counted by their regret and others by mistakes; sweep them apart")
    points = [(name, [_point(result) for result in each]) for name, each in results.items()]
    return Sweep(called(environment), quantities.pop(), runs, points)


def _named(learners: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """The learners by their names."""
    named = dict(learners) if isinstance(learners, Mapping) else {one.name: one for one in learners}
    if len(named) < len(learners):
        raise ParameterError("learners", "", "two of them have one name; give names as a mapping", ": ")
    if not 0 < len(named) <= MOST:
        raise ParameterError("learners", str(len(named)), f"from one to {MOST} are expected in one picture")
    return named


def _tuned(learner: Any, rounds: int) -> Any:
    """The learner, tuned for so many rounds if it was tuned for a number of them."""
    return learner.clone(horizon=rounds) if learner.get_params().get("horizon") is not None else learner


def _quantity(result: PlayResult) -> str:
    return "regret" if result.kind in ("experts", "bandits") and result.regret is not None else "mistakes"


def _point(result: PlayResult) -> SweptPoint:
    """What was observed, and the least of the bounds on it."""
    quantity = _quantity(result)
    observed = result.regret if quantity == "regret" else result.count
    bounds = [
        (one.bound, one.theorem.title)
        for one in result.certificates
        if one.applies and one.bound is not None and one.theorem.quantity.endswith(quantity)
    ]
    bound, title = min(bounds, default=(None, ""))
    return SweptPoint(result.rounds, float(observed or 0.0), bound, title)
