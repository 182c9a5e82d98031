"""Numbers of a report beside the same computed again, and the check of those that are a run's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, log10
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from .formulas import FORMULAS

Fields = Mapping[str, Any]
Verdict = Literal["agrees", "differs", "unchecked", "idle"]
ALLOWED = 1e-9  # by what part two computations of one number may differ
MOST_DIGITS = 16.0
THE_RUN = "the run"
ABSENT = "not in the report: give --comparators FILE, which --save-comparators of learn or combine writes"


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the report and the same computed again; one that is whole here is a count, and must be the same, and
    so must be what is no number.

    Attributes
    ----------
    name : str
    reported, again : float, or bool, str or None
    scale : float
        Size of the numbers that it is a difference of, to which rounding errors are proportional.
    whose : str
        Of which of several parts of the report it is a number.
    """

    name: str
    reported: Any
    again: Any
    scale: float = 0.0
    whose: str = ""

    @property
    def label(self) -> str:
        """Its name, and of what it is."""
        return f"{self.name} of {self.whose}" if self.whose else self.name

    @property
    def off(self) -> float:
        """By what part they differ; NaN agrees with nothing, as it claims no number."""
        if not (_numeric(self.reported) and _numeric(self.again)):
            return 0.0 if type(self.reported) is type(self.again) and self.reported == self.again else inf
        if self.reported == self.again:
            return 0.0
        if isinstance(self.again, Integral) or not (isfinite(self.reported) and isfinite(self.again)):
            return inf
        scale = self.scale if isfinite(self.scale) else 0.0
        return float(abs(self.reported - self.again)) / float(max(abs(self.reported), abs(self.again), scale))

    @property
    def digits(self) -> float:
        """To how many digits they agree."""
        return MOST_DIGITS if self.off == 0 else max(0.0, min(MOST_DIGITS, -log10(self.off)))

    @property
    def agrees(self) -> bool:
        """Whether rounding explains the difference."""
        return self.off <= ALLOWED

    def differs(self) -> str:
        """What the report says, and what was computed, as JSON has them."""
        return f"{self.label} is {_in_json(self.reported)} in the report and {_in_json(self.again)} here"


def differing(wrong: Sequence[Number]) -> str:
    """Numbers that differ, the first of each name."""
    firsts = {one.label: one for one in reversed(wrong)}
    return "; ".join(firsts[name].differs() for name in dict.fromkeys(one.label for one in wrong))


def _numeric(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _in_json(value: Any) -> str:
    if isinstance(value, bool | None):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value)


@dataclass(frozen=True, slots=True)
class Check:
    """Result of checking one certificate.

    Attributes
    ----------
    theorem : str
    verdict : {"agrees", "differs", "unchecked", "idle"}
        "idle" of a certificate that does not apply, and claims nothing.
    why : str
        What differs, or why nothing could be computed.
    numbers : tuple of Number
        What was computed again.
    taken : tuple of str
        Facts that were taken from the report, as the data alone do not give them.
    """

    theorem: str
    verdict: Verdict
    why: str = ""
    numbers: tuple[Number, ...] = ()
    taken: tuple[str, ...] = ()

    @property
    def digits(self) -> float:
        """To how many digits all of it agrees."""
        return min((one.digits for one in self.numbers), default=0.0)

    def describe(self) -> dict[str, Any]:
        """The check as JSON values."""
        return {
            "theorem": self.theorem,
            "verdict": self.verdict,
            "why": self.why or None,
            "digits": round(self.digits, 1) if self.numbers else None,
            "numbers": {one.label: [one.reported, one.again] for one in self.numbers},
            "taken": list(self.taken),
        }

    def __str__(self) -> str:
        if self.verdict == "agrees":
            parts = ", ".join(dict.fromkeys(one.name for one in self.numbers))
            taken = f"; from the report: {', '.join(self.taken)}" if self.taken else ""
            return f"agrees: {self.theorem}: {parts} to {int(self.digits)} digits{taken}"
        words = {"differs": "differs", "unchecked": "cannot be checked", "idle": "does not apply"}
        return f"{words[self.verdict]}: {self.theorem}: {self.why}"


class Malformed(Exception):
    """A report does not say what a report says."""


def number(value: Any) -> Any:
    """Facts as the formulas want them: what JSON has as text for an infinite number is that number."""
    if isinstance(value, str) and value in ("inf", "-inf", "nan"):
        return float(value)
    if isinstance(value, list):
        return [number(one) for one in value]
    return {name: number(one) for name, one in value.items()} if isinstance(value, dict) else value


def counted(name: str, reported: Any, mine: Any, scale: float) -> Number:
    """A number as JSON has it beside the same computed here, which is a count if it is whole by its type."""
    return Number(name, float(reported), int(mine) if isinstance(mine, Integral) else float(mine), scale)


def alike(name: str, reported: Any, mine: Any, scale: float = 0.0) -> list[Number]:
    """A number, or each of several, or what is no number, beside the same again."""
    if not isinstance(reported, list):
        both = _numeric(number(reported)) and _numeric(mine)
        return [counted(name, reported, mine, scale) if both else Number(name, reported, mine)]
    words = isinstance(mine, list) and any(isinstance(one, str) for one in (*mine, *number(reported)))
    listed = reported if words else np.ravel(np.asarray(reported, dtype=np.float64)).tolist()
    mine = np.ravel(mine).tolist()
    if len(mine) != len(listed):
        return [Number(f"how many of {name}", len(listed), len(mine))]
    if words:
        return [Number(name, a, b) for a, b in zip(listed, mine, strict=True)]
    most = max([scale, *(abs(float(one)) for one in mine)])
    return [counted(name, a, b, most) for a, b in zip(listed, mine, strict=True)]


# The numbers of a report that stand beside its certificates.

OR_SETTINGS = "rounding decides, or it has settings that the textbook has not"


def not_played(why: str) -> str:
    """The note on a run that the textbook did not play again; empty if there is no reason."""
    return f"the run was not played again ({why})" if why else ""


def headline(report: Fields, again: Fields, scales: Mapping[str, float] | None = None, note: str = "") -> Check:
    """The check of a run's own numbers.

    Parameters
    ----------
    report : mapping
    again : mapping of str to numbers
        What was computed again, by its path in the report, in which entries of lists are numbered from 0.
    scales : mapping of str to float, optional
        Of what is a difference of larger numbers, how large those are.
    note : str
        What was not done, and why.
    """
    again = {path: mine for path, mine in again.items() if mine is not None and has(report, path)}
    if "joint_confidence" in report:
        again |= {"joint_confidence": joint_confidence(report["certificates"])}
    numbers: list[Number] = []
    for path, mine in again.items():
        name, entry = _named(report, path)
        its = alike(name, at(report, path), mine, (scales or {}).get(path, 0.0))
        numbers += [replace(one, whose=entry) for one in its] if entry else its
    return Check(THE_RUN, *_counted(numbers), tuple(numbers), (*_others(report, again), *([note] if note else [])))


def elsewhere(report: Fields, *wrong: Number) -> list[Check]:
    """The checks of a report that is about other data: all differ, and nothing else was computed."""
    why = differing([one for one in wrong if not one.agrees])
    names = (*(str(one["theorem"]) for one in report["certificates"]), THE_RUN)
    return [Check(name, "differs", why, wrong, tuple(_others(report, ())) if name == THE_RUN else ()) for name in names]


def _counted(numbers: list[Number]) -> tuple[Any, str]:
    """The verdict on numbers, and which differ."""
    wrong = [one for one in numbers if not one.agrees]
    if wrong:
        return "differs", differing(wrong)
    return ("agrees", "") if numbers else ("unchecked", "none of its numbers was computed again")


def has(report: Any, path: str) -> bool:
    """Whether there is something at a path."""
    for key in path.split("/"):
        inside = isinstance(report, Mapping) and key in report
        if not (inside or (isinstance(report, list) and key.isdigit() and int(key) < len(report))):
            return False
        report = _entry(report, key)
    return True


def at(report: Any, path: str) -> Any:
    """What is at a path, whose keys are divided by strokes."""
    for key in path.split("/"):
        report = _entry(report, key)
    return report


def _entry(report: Any, key: str) -> Any:
    """What an object has under a key, or a list at its number."""
    return report[int(key) if isinstance(report, list) else key]


def _named(report: Any, path: str) -> tuple[str, str]:
    """What a number at a path is called, whichever entry of a list it is of; and which, if it is of one."""
    keys, entry = [], ""
    for key in path.split("/"):
        if isinstance(report, list):
            entry = f"entry {key}"
        else:
            keys.append(key)
        report = _entry(report, key)
    return "/".join(keys), entry


def _others(report: Fields, again: Iterable[str]) -> Iterable[str]:
    """The keys of a report with which nothing was compared."""
    compared = set(again)
    for key, value in report.items():
        if key in ("schema", "certificates") or key in compared:
            continue
        if any(path.startswith(f"{key}/") for path in compared) and isinstance(value, Mapping):
            yield from (f"{key}/{name}" for name in value if not _touched(f"{key}/{name}", compared))
        else:
            yield key


def _touched(path: str, compared: set[str]) -> bool:
    return path in compared or any(one.startswith(f"{path}/") for one in compared)


def joint_confidence(certificates: Sequence[Fields]) -> float | None:
    """One less what each event may fail; None if fewer than two lines may."""
    lines = [one for one in certificates if one["applies"] and one["confidence"] is not None]
    risks: dict[Any, float] = {}
    for place, one in enumerate(lines):
        claim = FORMULAS.get(one["theorem"])
        event = (claim and claim.event) or place
        risks[event] = max(risks.get(event, 0.0), 1 - one["confidence"])
    return max(0.0, 1 - sum(risks.values())) if len(lines) > 1 else None
