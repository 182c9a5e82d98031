"""Pictures in which rounds do not run from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Key:
    """One entry of a legend: how something is drawn, what it is called, and its number."""

    name: str
    style: str
    value: str = ""
    mark: Literal["line", "band", "dots"] = "line"


@dataclass(frozen=True)
class Picture:
    """What a picture shows, as data: the base of all kinds, so that another library can draw them too."""


@dataclass(frozen=True, slots=True)
class Still:
    """One picture, drawn at several sizes; `table` says the same in numbers, its headings first."""

    key: str
    title: str
    legend: Sequence[Key]
    drawings: Sequence[str]
    notes: Sequence[str] = ()
    table: Sequence[Sequence[str]] = ()
    picture: Picture | None = None
