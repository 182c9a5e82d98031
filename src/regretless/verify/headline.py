"""The numbers of a report that stand beside its certificates, and what was compared with nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .checks import Check, Number, alike, differing
from .claims import joint_confidence

Fields = Mapping[str, Any]
THE_RUN = "the run"


def headline(report: Fields, again: Fields, scales: Mapping[str, float] | None = None, note: str = "") -> Check:
    """The check of a run's own numbers.

    Parameters
    ----------
    report : mapping
    again : mapping of str to numbers
        What was computed again, by its path in the report.
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
        numbers += alike(path, at(report, path), mine, (scales or {}).get(path, 0.0))
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
        if not isinstance(report, Mapping) or key not in report:
            return False
        report = report[key]
    return True


def at(report: Any, path: str) -> Any:
    """What is at a path, whose keys are divided by strokes."""
    for key in path.split("/"):
        report = report[key]
    return report


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
