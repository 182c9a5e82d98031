"""Runs of a report on labels, played again by the textbook: what they counted and left, and how they predicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np

from ..textbook import linear_runs as runs
from . import predicted
from .checks import ALLOWED, OR_SETTINGS, alike, at, has, number
from .formulas import FORMULAS
from .learned_rounds import LearnedRounds

Array = np.ndarray[Any, Any]
Fields = Mapping[str, Any]

HALF = 2.0**-26  # of the digits of a float
MOST_CELLS = 20_000_000  # of rows times columns times passes that a textbook is asked to play


class PlayedRounds(LearnedRounds):
    """The rounds of a report, and the textbook's runs over them: of each class against the rest, or of all at once."""

    def __init__(self, report: Mapping[str, Any], rows: Any, labels: Array) -> None:
        super().__init__(report, rows, labels)
        self._played: dict[int | None, dict[str, Any]] = {}
        self._asked: dict[int | None, _Run] = {}
        self._exact = False
        self._dense: Array | None = None

    def run(self, target: int | None, part: Mapping[str, Any]) -> dict[str, Any]:
        """Counts and weights of the textbook's run over the same rounds; empty where it is none of the textbook's."""
        if target not in self._played:
            self._played[target] = self._play(target, part)
        return self._played[target]

    def counted_again(self) -> dict[str, float]:
        """What the textbook counts of the whole run: of one class against the rest the sums over all classes, which the
        mistakes of the whole are not."""
        if self.each_alone:
            lines = [one["parts"] for one in self.report["certificates"] if one["applies"] and one["parts"]]
            each = [self.run(target, part) for target, part in enumerate(lines[0])] if lines else []
            ledgers = [run["ledger"] for run in each] if all(each) else []
            names = [name for name in ("updates", "loss") if ledgers and all(name in one for one in ledgers)]
            return {name: sum(one[name] for one in ledgers) for name in names}
        lines = [one for one in self.report["certificates"] if one["constants"]]
        ledger = self.run(None, lines[0]).get("ledger", {}) if lines else {}
        return {name: ledger[name] for name in ("mistakes", "updates", "loss") if name in ledger}

    def foretold(self) -> dict[str, Any]:
        """How the textbook's runs predicted all rounds; of what rounding decides only counts that are far off it."""
        played = [self._played.get(target) for target in self.targets]
        if not all(played) or not (self.twin in runs.COMPARABLE or not self.each_alone):
            return {}
        own = self._predicted([run for run in played if run])
        if self._exact or not self._contradicts(own):
            return own
        nudged = runs.nudged(self._dense, self.parameters) if self._dense is not None else ()
        asked = [self._asked[target] for target in self.targets]
        others = [
            self._predicted([self._once(near, run._replace(parameters=settings)) for run in asked])
            for near, settings in nudged
        ]
        if all(one == own for one in others):
            return own
        stated = {name: at(self.report, name) for name in ("mistakes", "progressive/errors") if has(self.report, name)}
        near = {name for name, count in stated.items() if _is_near(count, [one.get(name, count) for one in others])}
        return {name: own[name] for name in stated.keys() - near if name in own}

    def unplayed(self) -> str:
        """Why the textbook did not play the run again; empty if it did, or if nothing asked for it."""
        if not any(one["applies"] for one in self.report["certificates"]):
            return ""
        return self._hindered() or (OR_SETTINGS if self._unlike_any() else "")

    def _play(self, target: int | None, part: Mapping[str, Any]) -> dict[str, Any]:
        if self._hindered() or (self.each_alone and target is None):
            return {}
        learner = self._all_known() | part["constants"]["learner"]
        if self._dense is None:
            self._dense = self.with_constant()
        passes = int(self.passes)
        late = 0 if target is None else int(passes * self.count - part["comparator"]["rounds"])
        run = self._asked[target] = _Run(target, passes, late, self.parameters, learner)
        result = self._once(self._dense, run)
        self._exact = runs.is_exact(self.twin, self._dense, passes, self.parameters.get("rate") or 1.0)
        return {} if not self._exact and result and self._may_be_rounded(self._dense, run, result, part) else result

    def _may_be_rounded(self, rows: Array, run: _Run, result: Fields, part: Fields) -> bool:
        """Whether the counts are others than stated where rounding decides: runs over rows that differ by nothing else
        count otherwise, too, and by chance as much."""
        own = _counts(result)
        statements = self._stated(own, *self._statements(run.target))
        stated = [(name, count) for name, count in statements if abs(count - own[name]) > _slack(count)]
        others = [own]
        for near, settings in runs.nudged(rows, self.parameters) if stated else ():
            others.append(_counts(self._once(near, run._replace(parameters=settings))))
            if own.keys() - others[-1].keys():
                return True
            if all(abs(count - others[-1][name]) <= _slack(count) for name, count in stated):
                return True
        if all(_is_alike(one, own) for one in others):
            return False
        ties = _broken(result)
        return all(_is_near(count, [one[name] for one in others], ties) for name, count in stated)

    def _statements(self, target: int | None) -> list[Fields]:
        """What lines state of one class, or they and the report of all; those on risk count the errors of one pass."""
        lines = [one for one in self.report["certificates"] if one["applies"] and not _is_of_risk(one)]
        parts = lines if target is None else [one["parts"][target] for one in lines if one["parts"]]
        known = [one["constants"] or {} for one in parts]
        each = [(one.get("ledger") or {}) | (one.get("learner") or {}) for one in known]
        return each if target is not None else [*each, self.report]

    def _once(self, rows: Array, run: _Run) -> dict[str, Any]:
        """The textbook's run over rows, of one class against the rest or of all classes at once."""
        passes = run.passes
        if len(self.classes) > 2 and not self.each_alone:
            known = self.arriving.known() + [list(range(len(self.classes)))] * ((passes - 1) * self.count)
            facts = {**run.learner, "classes": len(self.classes), "known": known}
            return dict(runs.AT_ONCE[self.twin](rows, self.arriving.places, passes, run.parameters, facts))
        signs = self.signs(run.target)
        result = self._played_by_signs(rows, signs, run)
        if "mistakes" in result.get("ledger", {}):
            result["ledger"]["mistakes"] += self._mistaken_otherwise(rows, signs, run)
        return result

    def _played_by_signs(self, rows: Array, signs: Array, run: _Run) -> dict[str, Any]:
        """One class against the rest, from the row on in which it came."""
        play = runs.PLAYS[self.twin]
        if not run.late:
            return dict(play(rows, signs, run.passes, run.parameters, run.learner))
        rows = np.concatenate([rows[run.late :], *[rows] * (run.passes - 1)])
        signs = np.concatenate([signs[run.late :], *[signs] * (run.passes - 1)])
        return dict(play(rows, signs, 1, run.parameters, run.learner))

    def _mistaken_otherwise(self, rows: Array, signs: Array, run: _Run) -> int:
        """How many more mistakes there were since a score of 0 says +1, which another class was until more came."""
        shift, own = 0, len(self.classes) - 1 if run.target is None else run.target
        if own not in self.arriving.pair:
            return 0
        once = run._replace(passes=1)
        for begin, end, plus in self.arriving.phases():
            if plus != own:
                for count, factor in ((end, 1), (begin, -1)):
                    for labels, sign in ((-signs, 1), (signs, -1)):
                        part = self._played_by_signs(rows[:count], labels[:count], once) if count else {}
                        shift += factor * sign * int(part["ledger"]["mistakes"] if part else 0)
        return shift

    def _hindered(self) -> str:
        """What keeps the textbook from playing the run again; empty if nothing does."""
        if len(self.classes) > 2 and not self._plays_several():
            return "the textbook plays this learner, with these settings, of two classes alone"
        if self.dual or self.mixture:
            return "it is in the space of a kernel" if self.dual else "it is a mixture of learners"
        if self.twin not in runs.PLAYS:
            return "the textbook has no run of this learner"
        if len(self.classes) == 2 and self.turns() and runs.is_of_ties(self.twin, self.parameters):
            return "ties were decided by another sign until the second class came"
        if self.parameters["class_weight"]:
            return "its rounds were weighed"
        if self.passes != int(self.passes):
            return "it ended within a pass"
        if self.are_short:
            return "the squares of its rows are no floats of full precision"
        if not runs.keeps_digits(self.twin, self.parameters, self.width, float(self.norms2.max(initial=0.0))):
            return "its rows are so long that the textbook's matrix keeps less than half the digits"
        if self._forgets():
            return "its steps are so short that the textbook's weights keep less than half their digits"
        cells = self.count * (self.rows.shape[1] + 1) * self.passes * (len(self.classes) if self.each_alone else 1)
        return f"it is of more than {MOST_CELLS:,} numbers" if cells > MOST_CELLS else ""

    def _forgets(self) -> bool:
        """Whether the shortest row moves weights of 1, whose differences are the scores, by less than half a float."""
        if not self.parameters.get("balanced"):
            return False
        shortest = float(np.sqrt(self.norms2[self.norms2 > 0].min(initial=inf)))
        return runs.SETTLED[self.twin](self.parameters, self.width)["rate"] * shortest < HALF

    def _plays_several(self) -> bool:
        """Whether the textbook plays more than two classes of this learner."""
        return runs.is_symmetric(self.twin, self.parameters) if self.each_alone else self.twin in runs.AT_ONCE

    def _unlike_any(self) -> bool:
        """Whether a run was asked for, of one class or of all, that the textbook does not give."""
        return any(not run for target, run in self._played.items() if target is not None or not self.each_alone)

    def _stated(self, counts: Fields, *statements: Fields) -> list[tuple[str, float]]:
        """What a certificate and the report state of these counts, as far as they state any."""
        known = ((name, number(one.get(name))) for name in counts for one in statements)
        return [(name, count) for name, count in known if isinstance(count, int | float)]

    def _all_known(self) -> dict[str, Any]:
        """What all lines together know of the learner: of p, say, one line alone."""
        each = (part for one in self.report["certificates"] if one["applies"] for part in one["parts"] or [one])
        lines = (one.get("constants") or {} for one in each)
        return {name: value for one in lines for name, value in (one.get("learner") or {}).items()}

    def _predicted(self, each: Sequence[Fields]) -> dict[str, Any]:
        """How runs, of each class against the rest or of all at once, predicted all rounds."""
        rounds, classes = self.count * int(self.passes), len(self.classes)
        late = [self._asked[target].late for target in self.targets]
        whole = all(len(run.get("scores", ())) == rounds - its for run, its in zip(each, late, strict=True))
        if not whole or classes < 2 or (self.is_one_sided and self.turns()):  # or one class was learned before others
            return {}
        if len(each) == 1 and classes > 2:
            known = self.arriving.known() + [list(range(classes))] * (rounds - self.count)
            both = zip(each[0]["scores"].tolist(), known, strict=True)
            places = np.array([max(there, key=lambda place: scores[place]) for scores, there in both])
        else:
            scores = np.zeros((rounds, classes))
            for place, run in enumerate(each if self.each_alone else [{"scores": -each[0]["scores"]}, *each]):
                scores[rounds - len(run["scores"]) :, place] = run["scores"]
            places = predicted.predictions(scores, self.arriving, -1 if self.parameters.get("ties") == -1 else 1)
        updated = [np.pad(run["updated"], (rounds - len(run["updated"]), 0)) for run in each if "updated" in run]
        counted = len(updated) == len(each) and all("updates" in run["ledger"] for run in each)
        updates = np.array(updated) if counted else None
        return predicted.by_predictions(self.arriving, places, updates, otherwise=self.predicts_otherwise)

    def _contradicts(self, own: Fields) -> bool:
        """Whether the report has other numbers than these."""
        stated = {path: at(self.report, path) for path in own if has(self.report, path)}
        return any(not one.agrees for path, said in stated.items() for one in alike(path, said, own[path]))


class _Run(NamedTuple):
    """Of one class against the rest, or of all: how many passes, how many rows of the first came before the class, the
    learner's settings, and what lines know of it."""

    target: int | None
    passes: int
    late: int
    parameters: Fields
    learner: Fields


def _is_of_risk(certificate: Fields) -> bool:
    """Whether it is about rows to come."""
    claim = FORMULAS.get(str(certificate["theorem"]))
    return claim is not None and bool(claim.risk)


def _counts(run: Fields) -> dict[str, float]:
    """Updates, the lengths and the volume of their rows, and mistakes of a run of the textbook."""
    names = ("updates", "update_norm2", "mistakes", "volume")
    numbers = {**run.get("ledger", {}), **run.get("learner", {})}
    return {name: count for name, count in numbers.items() if name in names}


def _broken(run: Fields) -> int:
    """How many rounds were no updates though their scores are 0 but for rounding, which an exact tie makes updates."""
    sizes = np.abs(run.get("scores", ()))
    return int(np.sum((sizes <= ALLOWED * sizes.max(initial=0.0)) & ~run["updated"])) if "updated" in run else 0


def _is_alike(one: Fields, other: Fields) -> bool:
    """Whether two runs count the same."""
    return one.keys() == other.keys() and all(abs(one[name] - other[name]) <= _slack(one[name]) for name in one)


def _is_near(count: float, others: Sequence[float], ties: float = 0.0) -> bool:
    """Whether a count lies within five standard deviations of the mean of others, or by so many ties more above it:
    runs that rounding tells apart go on apart as by chance, and of few rows all others may miss what one has."""
    chance = 5 * max(float(np.std(others)), 1.0)
    return -chance <= float(count - np.mean(others)) <= chance + ties


def _slack(count: float) -> float:
    """What sums of lengths may differ by."""
    return ALLOWED * abs(count)
