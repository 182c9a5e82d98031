"""Leaving one row out: what the rows that were never needed say of the next one.

Let a learner be such that a round without an update leaves it as it was. A row that caused no update can be left out
without changing anything, so its leave-one-out error is that of the final hypothesis on it, and after a clean pass
there is none. Hence the errors are among the support rows, those that caused an update, and these are at most the
updates.

For m + 1 independent draws, the mean leave-one-out error is the risk of what m of them teach (the draws can be
exchanged), which makes each of these bounds one on the expected risk.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..certificate import Most
from ..comparator import Comparator
from ..facts import Facts
from ..theorem import theorem
from .online_to_batch import most_risk


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What was counted when each row was left out once.

    Attributes
    ----------
    rows : float
        How many rows there are.
    errors : float
        Rows that are mistaken by what the others teach.
    support : float
        Rows that caused an update when all were played.
    residual : float
        Rows that caused none and that the final hypothesis mistakes all the same; there are none after a clean pass.
    """

    rows: float
    errors: float
    support: float
    residual: float


@dataclass(frozen=True, slots=True)
class Lazy(Facts):
    """What is known of the learner.

    Attributes
    ----------
    lazy : bool
        Whether a round without an update leaves it as it was.
    clean : bool
        Whether its last pass over all rows was without an update.
    additive : bool
        Whether it adds its mistaken rows, so that the perceptron's bound is one on its updates.
    """

    lazy: bool
    clean: bool
    additive: bool


def _errors(ledger: LeftOut, _: object) -> float:
    return ledger.errors


def _error_rate(ledger: LeftOut, _: object) -> float:
    return ledger.errors / ledger.rows


def _most_errors(ledger: LeftOut, _: object, __: object) -> Most:
    return Most(ledger.rows, "the number of rows")


LAZY = (
    "it needs a learner that a round without an update leaves as it was, and this one is not known to be so",
    lambda _, __, learner: learner.lazy,
)
CLEAN = (
    "it needs a run whose last pass was without an update (until_clean=True), and this was none",
    lambda _, __, learner: learner.clean,
)
ADDITIVE = (
    "it needs a learner that adds the rows it mistakes, with steps of one length",
    lambda _, __, learner: learner.additive,
)
SEPARATES = (
    "no vector was found that has every row on its right side with a margin",
    lambda _, comparator, __: comparator is not None and comparator.least > 0 and comparator.norm > 0,
)
SAME_ROWS = (
    "the comparator must be read on the very rows that were left out",
    lambda ledger, comparator, __: comparator is not None and comparator.rounds == ledger.rows,
)

_MARGIN = r"\frac{r^2}{\rho^2},\quad r = \max_i \lVert x_i \rVert"
_SOURCE = "Freund & Schapire 1999, Cor. 1; Vapnik & Chervonenkis 1974; with r from the origin"


@theorem(
    title="Support rows",
    quantity="leave-one-out errors",
    counts=_errors,
    formula=r"\#\mathrm{errors} \le \#\mathrm{support} + \#\{i\ \text{not among them}: h(x_i) \ne y_i\}",
    source="a row that caused no update changes nothing by its absence",
    assumes=(LAZY,),
    most=_most_errors,
)
def support_rows(ledger: LeftOut, comparator: object, learner: Lazy) -> float:
    """Only a support row, or a row that the final hypothesis mistakes anyway, can be a leave-one-out error."""
    return ledger.support + ledger.residual


@theorem(
    title="Support rows by the margin",
    quantity="leave-one-out errors",
    counts=_errors,
    formula=r"\#\mathrm{errors} \le \#\mathrm{support} \le M \le " + _MARGIN,
    source=_SOURCE,
    assumes=(LAZY, CLEAN, ADDITIVE, SEPARATES, SAME_ROWS),
    most=_most_errors,
)
def support_by_margin(ledger: LeftOut, comparator: Comparator, learner: Lazy) -> float:
    """After a clean pass the leave-one-out errors are at most the support rows, these at most the updates, and these at
    most (r / rho)^2, where r is the length of the longest row and rho the margin of any vector on all rows."""
    return comparator.max_norm2 / comparator.margin**2


@theorem(
    title="Expected risk by support rows",
    quantity="expected risk, estimated",
    counts=_error_rate,
    formula=r"\mathbb{E}\,R(h_S) \le \frac{\mathbb{E}\left[\#\mathrm{support} + \#\mathrm{residual}\right]}{m+1},"
    r"\quad |S| = m",
    source="Luntz & Brailovsky 1969; Vapnik & Chervonenkis 1974",
    kind="expected",
    assumes=(LAZY,),
    whole=False,
    most=most_risk,
)
def risk_by_support(ledger: LeftOut, comparator: object, learner: Lazy) -> float:
    """If the m + 1 rows are independent draws from one distribution, the expected risk of what m of them teach is the
    mean leave-one-out error, hence at most the mean share of support rows (and of what the final hypothesis mistakes
    anyway). The numbers are those of this sample; what holds is the inequality of their means."""
    return (ledger.support + ledger.residual) / ledger.rows


@theorem(
    title="Expected risk by the margin",
    quantity="expected risk, estimated",
    counts=_error_rate,
    formula=r"\mathbb{E}\,R(h_S) \le \frac{1}{m+1}\,\mathbb{E}\left[" + _MARGIN.split(",", 1)[0] + r"\right],"
    r"\quad r = \max_i \lVert x_i \rVert,\ |S| = m",
    source=_SOURCE,
    kind="expected",
    assumes=(LAZY, CLEAN, ADDITIVE, SEPARATES, SAME_ROWS),
    whole=False,
    most=most_risk,
)
def risk_by_margin(ledger: LeftOut, comparator: Comparator, learner: Lazy) -> float:
    """If the m + 1 rows are independent draws from one distribution that can be separated, the expected risk of what m
    of them teach in a run until a clean pass is at most the mean of (r / rho)^2 / (m + 1). Here r is measured from the
    origin: with the radius of the smallest sphere around the rows the bound is false."""
    return comparator.max_norm2 / comparator.margin**2 / ledger.rows


BY_MARGIN = (support_by_margin, risk_by_margin)
LEAVE_ONE_OUT = (support_rows, support_by_margin, risk_by_support, risk_by_margin)
