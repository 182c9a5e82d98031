"""Points and labels of a file."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from .points import WrittenPoints

if TYPE_CHECKING:
    from ...finite_classes.finite_class import FiniteClass


def written(finite_class: FiniteClass, file: str | PathLike[str]) -> WrittenPoints:
    """Play what a table of two columns says, a point and its label in each row.

    Parameters
    ----------
    finite_class : FiniteClass
    file : path or "-"
        Points by their names or numbers, labels 0 or 1; it may be compressed (.gz, .xz, .zst, .bz2).

    Raises
    ------
    DataError
        If something cannot be used: it names the place.
    """
    from ...data.point_labels import read_point_labels

    rows = read_point_labels(file, finite_class.points, finite_class.point_names)
    return WrittenPoints(finite_class, rows.points.tolist(), rows.labels.tolist())
