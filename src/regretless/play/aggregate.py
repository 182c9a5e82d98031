"""The certificates of many runs of one learner in one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

from ..certificate import Certificate

Whole = Callable[[], Sequence[Certificate]]
SHOWN = (0.05, 0.5, 0.95)  # quantiles of the bounds


def joined(each: Sequence[Sequence[Certificate]], whole: Sequence[Whole] = ()) -> list[Certificate]:
    """One certificate for each theorem; those of a single run are as they were.

    Parameters
    ----------
    each : sequence of sequences of Certificate
        Of each run, in the same order; these are counted.
    whole : sequence of callables
        What gives those of each run with all care, if that takes longer: they are asked for where a run is shown.
    """
    if len(each) == 1:
        return list(each[0])
    known: dict[int, Sequence[Certificate]] = {}

    def carefully(run: int, place: int) -> Certificate:
        if not whole:
            return each[run][place]
        if run not in known:
            known[run] = whole[run]()
        return min(each[run][place], known[run][place], key=_worth)

    return [_joined(alike, partial(carefully, place=place)) for place, alike in enumerate(zip(*each, strict=True))]


def _joined(alike: Sequence[Certificate], carefully: Callable[[int], Certificate]) -> Certificate:
    alike, failed = _applied(alike, carefully)
    if failed:
        return Certificate(alike[0].theorem, None, None, None, failed)
    bounds = np.array([one.bound for one in alike], dtype=np.float64)
    shares = np.quantile(bounds, SHOWN).tolist()
    quantiles = {f"q{100 * share:02.0f}": value for share, value in zip(SHOWN, shares, strict=True)}
    runs = {"of": len(alike), "exceeded": sum(not one.holds for one in alike), "bound": quantiles}
    shown = carefully(_shown(alike))
    if shown.theorem.kind != "expected":
        values = (shown.theorem, shown.observed, shown.bound, shown.comparator, None, shown.confidence)
        more: dict[str, Any] = {"most": shown.most, "at_once": shown.at_once, "read": shown.read, "each": shown.each}
        return Certificate(*values, runs=runs, **more)
    observed = np.array([one.observed for one in alike if one.observed is not None])
    error = float(observed.std(ddof=1) / sqrt(len(observed))) if len(observed) > 1 else 0.0
    mean = float(observed.mean()) if len(observed) else None
    of_means = (shown.theorem, mean, float(bounds.mean()), shown.comparator, None)
    return Certificate(*of_means, most=shown.most, runs=runs, standard_error=error)


def _applied(
    alike: Sequence[Certificate], carefully: Callable[[int], Certificate]
) -> tuple[Sequence[Certificate], str | None]:
    """The same certificates, those with care that do not apply without; and why, if one does not apply at all."""
    failed = [run for run, one in enumerate(alike) if not one.applies]
    checked = list(alike)
    for run in failed:
        checked[run] = carefully(run)
        if not checked[run].applies:
            share = "" if len(failed) == len(alike) else f"in {len(failed)} of {len(alike)} runs: "
            return checked, f"{share}{checked[run].why}"
    return checked, None


def _shown(alike: Sequence[Certificate]) -> int:
    """The run of least slack; of a theorem that may fail now and then, the one that as many others exceed as may."""
    allowed = 0.0 if alike[0].theorem.kind != "probable" else (1 - (alike[0].confidence or 1.0)) * len(alike)
    order = sorted(range(len(alike)), key=lambda run: _slack(alike[run]))
    return order[min(int(allowed + 1e-9), len(alike) - 1)]


def _slack(certificate: Certificate) -> float:
    return (certificate.bound or 0.0) - (certificate.observed or 0.0)


def _worth(certificate: Certificate) -> tuple[bool, float]:
    """What is shown of a run: one that applies, with the least slack."""
    return not certificate.applies, _slack(certificate)
