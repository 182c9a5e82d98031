"""Files beside the rows: checks of outputs, and vectors of certificates, the user's own and those to save."""

from __future__ import annotations

import os
from argparse import _ActionsContainer
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import DataError, RegretlessError
from .output import UsageError

if TYPE_CHECKING:
    from ..certificate import Certificate
    from .arguments import CertifyingOptions, SavingOptions

MODEL = ".rgl"  # how a saved model is called
Certifying = TypeVar("Certifying", bound="CertifyingOptions")


def refuse_overwriting(inputs: Sequence[str], outputs: Sequence[str | None]) -> None:
    """Refuse outputs that are inputs, or each other, or cannot be written; a dash and None are no files.

    Raises
    ------
    UsageError
        If one would be overwritten.
    RegretlessError
        If one cannot be written.
    """
    taken = [path for path in inputs if path != "-"]
    for output in outputs:
        if output is None:
            continue
        if any(is_same_file(output, path) for path in taken):
            raise UsageError(f"{output} would be overwritten; choose another name")
        _refuse_unwritable(output)
        taken.append(output)


def refuse_overwriting_or_model(arguments: SavingOptions, inputs: Sequence[str], outputs: Sequence[str | None]) -> None:
    """The same of a run that may go on with a model, which is replaced unless --save names another file.

    Raises
    ------
    UsageError
        If a file would be overwritten.
    RegretlessError
        If one cannot be written, or the model would be no regular file.
    OSError
        If there is no model to go on with.
    """
    save, resume = arguments.save, arguments.resume
    if resume is not None:
        os.stat(resume)
        if save is not None and not is_same_file(save, resume):
            inputs = [*inputs, resume]
    model = save or resume
    refuse_overwriting(inputs, [model, *outputs])
    refuse_irregular(model)


def refuse_foreign_suffixes(tables: Sequence[str | None]) -> None:
    """Tables are written as text or Parquet, whatever their name promises.

    Raises
    ------
    UsageError
        If it promises something else.
    """
    for table in tables:
        suffix = os.path.splitext(table or "")[1].lower()
        if suffix in (".xlsx", ".xls", ".ods", ".json", ".npz", ".npy", ".arrow", ".feather", ".gz", ".xz", ".zip"):
            raise UsageError(f"{table}: tables are written as .csv or .parquet, not {suffix}")


def refuse_overwriting_rows(tables: Sequence[str | None]) -> None:
    """A run that goes on writes its own rows alone, which must not take the place of those before.

    Raises
    ------
    UsageError
        If a table exists already.
    """
    for table in tables:
        if table is not None and os.path.isfile(table):
            raise UsageError(
                f"{table} holds the rows of an earlier run, and this one writes its own; name another file"
            )


def refuse_swapped(model: str, files: Sequence[str]) -> None:
    """Refuse a file of rows in place of the model, which stands first, where the model is in that of the rows.

    Raises
    ------
    UsageError
        If they are called so.
    """
    if not model.endswith(MODEL) and any(path.endswith(MODEL) for path in files):
        raise UsageError(f"the model comes first, and the rows behind it: {' '.join([*files, model])}")


def refuse_model(path: str, advice: str) -> None:
    """Refuse a saved model in place of data.

    Raises
    ------
    DataError
        If the file is called so.
    """
    if path.endswith(MODEL):
        raise DataError(path, None, None, "this is a saved model", advice)


def refuse_irregular(model: str | None) -> None:
    """A model replaces a file, but nothing else."""
    if model is not None and os.path.exists(model) and not os.path.isfile(model):
        raise RegretlessError(f"{model}: this is no regular file; choose another name for the model")


def is_same_file(one: str, other: str) -> bool:
    """Whether two names are of one file, which need not be there."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)


def _refuse_unwritable(path: str) -> None:
    """Say so before hours of learning rather than after."""
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path) or os.path.basename(path) in ("", os.curdir, os.pardir):
        raise RegretlessError(f"{path}: this is a folder; name a file in it")
    if os.path.exists(path) and not os.path.isfile(path):  # a pipe or a terminal is written to as it is
        return
    if not os.path.isdir(folder):
        raise RegretlessError(f"{path}: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK):
        raise RegretlessError(f"{path}: nothing may be written in {folder}; choose another folder")


@contextmanager
def copied_for_against(arguments: Certifying, path: str) -> Iterator[Certifying]:
    """If the user's own vector is to be tested on rounds that come only once, keep a copy of them meanwhile.

    The user need not name a place for the copy, which nothing else needs.
    """
    from ..data.source import can_be_read_again

    if arguments.against is None or arguments.cache is not None or can_be_read_again(path):
        yield arguments
        return
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="regretless-") as folder:
        yield arguments.but(cache=os.path.join(folder, "rounds"))


def load_against(arguments: CertifyingOptions) -> Any:
    """The user's own comparator, if there is one.

    Raises
    ------
    RegretlessError
        If the file holds no array of numbers, or if scikit-learn's comparators are wanted and it is missing.
    """
    if arguments.svm and find_spec("sklearn") is None:
        raise RegretlessError("--svm needs scikit-learn; pip install scikit-learn")
    path = arguments.against
    if path is None:
        return None
    import numpy as np

    from ..data.archives import UNREADABLE, File
    from ..data.source import whole_file

    file = whole_file(path, "an array")
    try:
        with File(file) as array:
            return np.asarray(array.all(), dtype=np.float64)
    except (*UNREADABLE, TypeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DataError(path, None, None, "this is no array of numbers", "save one with numpy.save") from error


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

    vectors = {key: vector for one in certificates for key, vector in _vectors(one)}
    with replacing(path) as file:
        np.savez_compressed(file, **vectors)


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

    file, vectors, size = whole_file(path, "an array"), {}, 0
    advice = "give what --save-comparators wrote"
    with damage_as_error(file, "these are no arrays of numbers", advice), zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            member = Member(archive, name.removesuffix(".npy"))
            if member.dtype.kind not in "fiub":
                raise ValueError(f"{name} holds {member.dtype}")
            size += 8 * math.prod(member.shape)  # all of them are kept at once
            refuse_large(file, size, "what is to be read at once", file_size=os.path.getsize(file))
            vectors[name.removesuffix(".npy")] = np.asarray(member.all(), dtype=np.float64)
    return vectors
