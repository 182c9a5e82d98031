"""The result of `play`: lines, JSON and report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...report.terminal import many, number_text
from ...run.trace_lines import cell, step_lines
from ..output import Output, certificate_values, plain, runs_of, spread

if TYPE_CHECKING:
    from ...certificate import Certificate
    from ...play import PlayResult
    from ...play.player import CurvePoint
    from .pairing import Pairing, PlayOptions


SCHEMA = "regretless.play/1"
SHOWN, MOST_TRACED = 50, 10_000  # rounds of a trace, for people and for programs, where no number is given
NAMES = 14  # characters of a setting's name
ELSEWHERE = ("finite_class", "arms", "n_arms", "run", "seed", "random_state")  # parameters that are shown elsewhere


class PlayOutput(Output):
    """A result that is over.

    Attributes
    ----------
    result : PlayResult
    pairing : Pairing
        The learner and the environment.
    arguments : PlayOptions
    """

    def __init__(self, result: PlayResult, pairing: Pairing, arguments: PlayOptions) -> None:
        self.result, self.pairing, self.arguments = result, pairing, arguments

    @property
    def certificates(self) -> list[Certificate]:  # type: ignore[override]
        """The certificates of the learner."""
        return self.result.certificates

    def write_page(self, path: str) -> None:
        """Write the report."""
        from ...report import PlayReport, page_of_play, write_report

        report = PlayReport(
            self.result,
            self.pairing.called,
            {name: value for name, value in self.parameters.items() if value is not None},
            self._about_environment(),
            f"after {self.played()}" if self.result.stopped else "",
        )
        write_report(path, page_of_play(report))

    def _about_environment(self) -> dict[str, Any]:
        known = {name: value for name, value in self.pairing.settings.items() if value is not None}
        return {**(self._shape() or {}), **known, "seed": self.arguments.seed}

    def _shape(self) -> dict[str, int] | None:
        """The size of the finite class that the environment is made of, if it is."""
        finite_class = getattr(self.pairing.environment, "finite_class", None)
        if finite_class is None:
            return None
        return {"hypotheses": finite_class.hypotheses, "points": finite_class.points}

    def save(self) -> None:
        """Save the learner, if a file is named."""
        path = self.arguments.save
        if path is None:
            return
        learner = self.result.learner
        if self.result.kind == "bandits" and not learner.rounds_:
            from ...play.bandits import replayed

            learner = replayed(learner, self.pairing.environment, self.result.rounds, 0)
        learner.save(path)

    def played(self) -> str:
        """How much was played of what was asked for."""
        result = self.result
        if result.runs < self.arguments.runs and result.rounds == self.pairing.rounds:
            return f"{result.runs} of {many(self.arguments.runs, 'run')}"
        return f"{result.rounds:,} of {many(self.pairing.rounds, 'round')}"

    # For programs.

    def describe(self) -> dict[str, Any]:
        """The result as JSON values."""
        result, pairing = self.result, self.pairing
        return {
            "schema": SCHEMA,
            "learner": result.learner.name,
            "kind": result.kind,
            "parameters": self.parameters,
            "environment": pairing.called,
            "settings": dict(pairing.settings),
            "class": self._shape(),
            "rounds": result.rounds,
            "runs": result.runs,
            "seed": self.arguments.seed,
            "counted": result.counts,
            "total": spread(result.totals),
            "best": result.best,
            "regret": result.regret,
            "observed": {name: spread(values) for name, values in result.quantities.items()},
            "curve": [_described(point, result) for point in self._curve()],
            "trace": None if self.arguments.trace is None else [step.describe() for step in self._trace(MOST_TRACED)],
            "lower_bounds": [bound.describe() for bound in result.lower_bounds],
            **certificate_values(result.certificates, runs=runs_of),
            "interrupted": result.stopped,
            "seconds": result.seconds,
            "model": self.arguments.save,
        }

    @property
    def parameters(self) -> dict[str, Any]:
        """The learner's, as JSON values."""
        known = self.result.learner.get_params()
        return {name: _written(value) for name, value in known.items() if name not in ELSEWHERE}

    # For people.

    def lines(self) -> Iterator[str]:
        """Lines for people before the certificates."""
        result, pairing = self.result, self.pairing
        counts = f"{many(result.runs, 'run')} of {many(result.rounds, 'round')}"
        yield f"{result.learner.name} against {pairing.called}: {counts}, seed {self.arguments.seed}"
        yield from self._settings()
        if self.arguments.trace is not None:
            yield from step_lines(self._trace(SHOWN), result.rounds)
        yield from self._table()
        if len(result.totals) > 1:
            deviation = number_text(result.totals.std(ddof=1))
            yield f"{result.counts} as means over the runs; standard deviation at the end {deviation}"
        if result.lower_bounds:
            yield "forced at least"
            for bound in result.lower_bounds:
                yield f"  {bound}"
        if result.certificates:
            yield "allowed at most"

    def _settings(self) -> Iterator[str]:
        """Settings of the user, and those that follow from the environment."""
        shape = self._shape()
        if shape is not None:
            what = "hypothesis" if shape["hypotheses"] == 1 else "hypotheses"
            yield f"  {'class':<{NAMES}} {shape['hypotheses']:,} {what} on {many(shape['points'], 'point')}"
        for name, value in self.pairing.texts.items():
            yield f"  {name:<{NAMES}} {value}"
        for name, value in self.parameters.items():
            if value is not None and (name in self._set() or name in ("tie", "prune", "horizon", "loss")):
                yield f"  {name:<{NAMES}} {value}"

    def _set(self) -> set[str]:
        return {text.partition("=")[0].strip().replace("-", "_") for text in self.arguments.set}

    def _curve(self) -> list[CurvePoint]:
        """The curve at doubling round counts."""
        from ...play.run import doubling

        stops = set(doubling(self.result.rounds))
        return [point for point in self.result.curve if point.rounds in stops]

    def _trace(self, usual: int) -> list[Any]:
        """The first rounds of the first run, played once more."""
        from ...play import trace

        pairing = self.pairing
        return list(trace(pairing.learner, pairing.environment, min(self.arguments.trace or usual, self.result.rounds)))

    def _table(self) -> Iterator[str]:
        """The curve at doubling round counts."""
        result = self.result
        heads = ["rounds", result.counts, "since last"]
        if result.best is not None:
            heads += ["best", "regret"]
        if result.more:
            heads.append(result.more)
        yield " ".join(f"{head:>12}" for head in heads)
        last = (0, 0.0)
        for point in self._curve():
            recent = (point.count - last[1]) / (point.rounds - last[0])
            cells = [str(point.rounds), cell(point.count), f"{recent:.6f}"]
            if result.best is not None:
                cells += [cell(point.best), cell(point.regret)]
            if result.more:
                cells.append(cell(point.more))
            yield " ".join(f"{cell:>12}" for cell in cells)
            last = point.rounds, point.count


def _described(point: CurvePoint, result: PlayResult) -> dict[str, Any]:
    values = {"rounds": point.rounds, result.counts: point.count, "best": point.best, "regret": point.regret}
    return values | ({result.more: point.more} if result.more else {})


def _written(value: Any) -> Any:
    """A parameter as a JSON value."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return plain(value) if isinstance(value, str | bool | int | float | list | tuple | None) else str(value)
