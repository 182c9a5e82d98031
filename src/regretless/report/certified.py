"""What pages read of certificates besides their rows: what they bound, the smallest bound, the comparators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..certificate import Certificate


class Certified(Protocol):
    """What a page reads of its report to name the tightest bound."""

    @property
    def certificates(self) -> Sequence[Certificate]: ...
    @property
    def quantity(self) -> str: ...


def counted(quantity: str) -> bool:
    """Whether the quantity is a whole number, so that a bound on it may be rounded down."""
    return bare(quantity) in ("mistakes", "updates")


def bare(quantity: str) -> str:
    """The quantity without its parenthesis, as ``updates`` for ``updates (sum of 3 classes)``."""
    return quantity.partition(" (")[0]


def quantity_of(certificates: Sequence[Certificate]) -> str:
    """What the bounds that apply are on: the regret, or else what the first of them is on."""
    quantities = [one.quantity for one in certificates if one.applies]
    return "regret" if not quantities or "regret" in quantities else quantities[0]


def smallest_bound(bounds: Iterable[tuple[float | None, Certificate]]) -> tuple[str, float] | None:
    """The theorem's title and the bound of the smallest one on a whole run; it holds for every part of it.

    Parameters
    ----------
    bounds : iterable of (float or None, Certificate)
        Bounds on one count, which only grows.
    """
    stated = [(bound, certificate) for bound, certificate in bounds if bound is not None]
    if not stated:
        return None
    bound, certificate = min(stated, key=lambda pair: pair[0])
    return certificate.theorem.title, bound


SUMS = ("name", "norm", "hinge", "squared_hinge", "loss", "margin")  # that a table of comparators shows


def comparator_rows(certificates: Sequence[Certificate]) -> list[dict[str, Any]]:
    """Each comparator once, with the theorems that were read against it."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for certificate in certificates:
        if certificate.comparator is None:
            continue
        values = certificate.comparator.describe()
        sums = {name: values[name] for name in SUMS if name in values}
        row = rows.setdefault(tuple(sums.items()), {**sums, "serves": []})
        row["serves"].append(certificate.theorem.title)
    return [{**row, "serves": ", ".join(row["serves"])} for row in rows.values()]
