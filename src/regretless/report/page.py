"""The parts of a page, the same for all kinds of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .curves import Panel, Still
from .summary import Card, Verdict

if TYPE_CHECKING:
    from ..certificate import Certificate


Facts = Sequence[tuple[str, str]]


class Learner(Protocol):
    """What a page reads of a learner."""

    @property
    def name(self) -> str: ...
    def get_params(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Page:
    """A page that is ready to be written; what is left out is not shown.

    Parameters
    ----------
    title, lead : str
        The headline, and the run in one or two sentences.
    cards : sequence of Card
        The numbers at the top.
    tables : sequence of (str, sequence of (str, str))
        Lists of facts by their names, at the end.
    panels, stills : sequence of Panel, sequence of Still
        Charts over the rounds, and pictures in which rounds do not run from left to right.
    certificates : sequence of Certificate or None
        None for a page that says nothing of theorems.
    verdict : Verdict, optional
        What the certificates come to.
    whole : bool
        Whether bounds on what the charts show may be rounded down.
    course, nothing, certified : str
        The heading of the charts, what stands in their place where there are none, and a sentence on certificates.
    tight : bool
        Whether the notes of cards keep to the width of their numbers.
    forecast : str
        The combination of a last row without outcome.
    comparators, compared : sequence of mapping, str
        What the learner is compared with, a row each, and a sentence on them.
    experts, arms, estimates, equilibria : mapping, optional
        Tables of the template.
    weights, strategies, behaviour : sequence of mapping
        Bars, and tables with bars.
    weighed : str
        By what weights were multiplied, behind their title.
    live : str
        Of a page that a server gives: the address of the events after which it is asked for again.
    """

    title: str
    lead: str
    cards: Sequence[Card]
    tables: Sequence[tuple[str, Facts]]
    panels: Sequence[Panel] = ()
    stills: Sequence[Still] = ()
    certificates: Sequence[Certificate] | None = ()
    verdict: Verdict | None = None
    whole: bool = False
    course: str = "The run, round by round"
    nothing: str = "No round was played."
    certified: str = ""
    tight: bool = False
    forecast: str = ""
    comparators: Sequence[Mapping[str, object]] = ()
    compared: str = ""
    experts: Mapping[str, Any] | None = None
    arms: Mapping[str, Any] | None = None
    estimates: Mapping[str, Any] | None = None
    equilibria: Mapping[str, Any] | None = None
    weights: Sequence[Mapping[str, Any]] = ()
    weighed: str = ""
    strategies: Sequence[Mapping[str, Any]] = ()
    behaviour: Sequence[Mapping[str, Any]] = ()
    live: str = ""
