"""The vectors that certificates were read against, in a file of their own."""

from __future__ import annotations

import os
from argparse import _ActionsContainer
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .exit_codes import UsageError

if TYPE_CHECKING:
    from ..theorem import Certificate


def add_vectors(parser: _ActionsContainer) -> None:
    """Where to keep them."""
    parser.add_argument(
        "--save-comparators", metavar="FILE", help="write the vectors that they were read against (.npz), for verify"
    )


def refuse_foreign(path: str | None, *, certified: bool = True) -> None:
    """They are written as .npz, whatever their name promises.

    Raises
    ------
    UsageError
        If it promises something else, or nothing is certified.
    """
    if path is not None and not path.lower().endswith(".npz"):
        raise UsageError(f"--save-comparators {path}: they are written as .npz")
    if path is not None and not certified:
        raise UsageError("--save-comparators is for certificates, and --no-certify wants none")


def write_vectors(path: str | None, certificates: Sequence[Certificate]) -> None:
    """One array a theorem, by its name; of several classes one a class, with its place after a stroke."""
    if path is None:
        return
    import numpy as np

    from ..atomic_write import replacing

    found = {key: vector for one in certificates for key, vector in _vectors(one)}
    with replacing(path) as file:
        np.savez_compressed(file, **found)


def _vectors(certificate: Certificate) -> Iterator[tuple[str, Any]]:
    each = certificate.each or (certificate,)
    for place, one in enumerate(each):
        vector = getattr(one.comparator, "vector", None)
        vector = getattr(one.comparator, "weights", None) if vector is None else vector
        if vector is not None:
            yield one.theorem.name + (f"/{place}" if certificate.each else ""), vector


def read_vectors(path: str | None) -> dict[str, Any]:
    """What `write_vectors` wrote.

    Raises
    ------
    RegretlessError
        If the file holds no arrays of numbers.
    """
    if path is None:
        return {}
    import math
    import zipfile

    import numpy as np

    from ..data.archives import Member, damage_as_error
    from ..data.source import whole_file
    from ..memory import refuse_large

    file, found, size = whole_file(path, "an array"), {}, 0
    advice = "give what --save-comparators wrote"
    with damage_as_error(file, "these are no arrays of numbers", advice), zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            member = Member(archive, name.removesuffix(".npy"))
            if member.dtype.kind not in "fiub":
                raise ValueError(f"{name} holds {member.dtype}")
            size += 8 * math.prod(member.shape)  # all of them are kept at once
            refuse_large(file, size, "what is to be read at once", file_size=os.path.getsize(file))
            found[name.removesuffix(".npy")] = np.asarray(member.all(), dtype=np.float64)
    return found
