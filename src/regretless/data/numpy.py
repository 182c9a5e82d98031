"""NumPy's own files: .npy arrays and .npz archives."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import ModelError
from .archives import Archive, File, Member, array_of, damage_as_error
from .arrays import ENTRIES, NumberedStream, floating, labels_of, refuse_values, slices
from .batch import Array, Batch, ascending_rows, first_columns, repeated_index
from .messages import one_of
from .source import Source, whole_file

SPARSE = frozenset({"data", "indices", "indptr", "shape"})  # as scipy.sparse.save_npz calls the arrays


class NumpyStream(NumberedStream):
    """What both formats share.

    Parameters
    ----------
    path : path
        The file.
    target : str, optional
        Where the labels are.
    on_error : {"raise", "skip"}
        What to do with a row that holds NaN or infinity.
    schema : dict, optional
        The `schema` of an earlier stream.
    frozen : bool
        Ignore columns that the schema does not know, and do without labels if there are none.
    dtype : {"float64", "float32"}
        Of the values.
    """

    def __init__(
        self,
        path: Source,
        *,
        target: str | None = None,
        on_error: str = "raise",
        schema: dict[str, Any] | None = None,
        frozen: bool = False,
        dtype: str = "float64",
    ) -> None:
        self._path = whole_file(path, "an array")
        super().__init__(self._path, on_error)
        known = schema if schema is not None and schema.get("format") == "array" else {}
        self._columns: int | None = _known_as(int, known, "columns")
        self._stated_target = target
        self._target: str | None = _known_as(str, known, "target") if target is None else target
        one_of("dtype", dtype, ("float32", "float64"))
        self._frozen, self._dtype = frozen, np.dtype(dtype)

    def schema(self) -> dict[str, Any]:
        return {"format": "array", "columns": self._columns, "target": self._target}

    def _pieces(self) -> Iterator[Batch]:
        with damage_as_error(self._path):
            yield from self._read()

    @abstractmethod
    def _read(self) -> Iterator[Batch]:
        """The rows, whose damage may show in any of `archives.UNREADABLE`."""

    def _known(self, columns: int, *, sparse: bool) -> int:
        """How many columns to read of those that the file has; the others are unknown and may be ignored."""
        known = columns if self._columns is None else self._columns
        if columns < 1:
            raise self._error("there are no features", "rows of at least one column are expected")
        if columns < known and sparse:
            return columns
        if columns < known or (columns > known and not (self._frozen or sparse)):
            raise self._error(f"{columns:,} columns of features", f"{known:,} are expected, as in the first file")
        self._columns = known if self._frozen else columns
        return self._columns

    def _no_labels(self, fault: str, advice: str) -> None:
        """Refuse a file without labels, unless it is one to predict for."""
        if not self._frozen or self._stated_target is not None:
            raise self._error(fault, advice)

    def _refuse_count(self, rows: int, labels: int) -> None:
        if rows != labels:
            raise self._error(f"{rows:,} rows, but {labels:,} labels", "there must be one for each row")


class NpyStream(NumpyStream):
    """A stream over a .npy file: an array of rows and columns, read some rows at a time.

    The target is ``last``, the number of the column of labels (from 0), or another .npy file that holds them.
    The other parameters are those of `NumpyStream`.
    """

    def _read(self) -> Iterator[Batch]:
        with File(self._path) as array:
            if len(array.shape) != 2:
                raise self._error(f"an array of shape {array.shape}", "rows and columns are expected")
            refuse_values(np.empty(0, array.dtype), self.name)
            rows, columns = array.shape
            place, apart = self._label_column(columns), self._labels_apart()
            known = self._known(columns - (place is not None), sparse=False)
            if apart is not None:
                self._refuse_count(rows, len(apart))
            for begin, end in slices(rows, rows * columns, ENTRIES):
                values = array.read(end - begin)
                labels = None if apart is None else apart[begin:end]
                if place is not None:
                    labels, values = labels_of(values[:, place], self.name), np.delete(values, place, axis=1)
                yield Batch(floating(values[:, :known], self._dtype), labels, known)

    def _label_column(self, total: int) -> int | None:
        target = self._target
        if target is None:
            advice = "pass --target last, the number of a column (from 0), or a .npy file of labels"
            self._no_labels("the labels are not given", advice)
            return None
        if target.endswith(".npy") or (self._stated_target is None and total == self._columns):
            return None
        place = total - 1 if target == "last" else int(target) if target.isdecimal() else total
        if place >= total:
            advice = f"last, a number below {total}, or a .npy file is expected"
            raise self._error(f"there is no column {target!r} to be the target", advice)
        self._target = str(place)
        return place

    def _labels_apart(self) -> Array | None:
        if self._stated_target is None or not self._stated_target.endswith(".npy"):
            return None
        path = whole_file(self._stated_target, "an array")
        return labels_of(array_of(path), path)

    def schema(self) -> dict[str, Any]:
        target = None if self._target is None or self._target.endswith(".npy") else self._target
        return {**super().schema(), "target": target}


class NpzStream(NumpyStream):
    """A stream over a .npz archive, read array by array in step, so that none is in memory as a whole.

    It holds an array X, or data, indices, indptr and shape as scipy.sparse.save_npz writes them; and labels,
    called y unless the target says otherwise. The other parameters are those of `NumpyStream`.
    """

    def _read(self) -> Iterator[Batch]:
        with Archive(self._path) as archive:
            if "X" not in archive.names and not SPARSE.issubset(archive.names):
                advice = f"X is expected, or what scipy.sparse.save_npz writes ({', '.join(sorted(SPARSE))})"
                advice += "; save the array of rows by the name X, as in numpy.savez('rows.npz', X=rows, y=labels)"
                raise self._error(f"the arrays in it are {', '.join(sorted(set(archive.names)))}", advice)
            labels = self._labels(archive)
            if "X" in archive.names:
                yield from self._dense(archive["X"], labels)
            else:
                yield from self._sparse(archive, labels)

    def _labels(self, archive: Archive) -> Member | None:
        wanted = self._target or "y"
        if wanted in archive.names:
            return archive[wanted]
        own = {"X"} if "X" in archive.names else SPARSE
        flat = sorted(name for name in set(archive.names) - own if len(archive[name].shape) == 1)
        advice = f"choose one of {', '.join(flat)} with --target" if flat else "no other array is of one dimension"
        self._no_labels(f"no array of labels is called {wanted!r}", advice)
        return None

    def _dense(self, member: Member, labels: Member | None) -> Iterator[Batch]:
        if len(member.shape) != 2:
            raise self._error(f"X is an array of shape {member.shape}", "rows and columns are expected")
        rows, columns = member.shape
        refuse_values(np.empty(0, member.dtype), self.name)
        known = self._known(columns, sparse=False)
        for begin, end in self._slices(rows, rows * columns, labels):
            values = member.read(end - begin)[:, :known]
            yield Batch(floating(values, self._dtype), self._next(labels, end - begin), known)

    def _sparse(self, archive: Archive, labels: Member | None) -> Iterator[Batch]:
        if "format" in archive.names and (written := archive["format"].all().item()) not in (b"csr", "csr"):
            raise self._error(f"a sparse matrix of format {written!r}", "convert it with .tocsr()")
        shape = archive["shape"].all()
        values, indices, ends = (archive[name] for name in ("data", "indices", "indptr"))
        refuse_values(np.empty(0, values.dtype), self.name)
        self._refuse_shapes(shape, values, indices, ends)
        rows, columns = (int(length) for length in shape)
        known = self._known(columns, sparse=True)
        last = ends.read(1)
        for begin, end in self._slices(rows, values.shape[0], labels):
            starts = np.concatenate([last, ends.read(end - begin)]).astype(np.int64)
            self._refuse_starts(starts, begin, values.shape[0])
            count = int(starts[-1] - starts[0])
            piece = Batch(
                values.read(count),
                self._next(labels, end - begin),
                columns,
                indices.read(count),
                starts - starts[0],
            )
            last = starts[-1:]
            yield self._canonical(piece, begin, known)

    def _slices(self, rows: int, entries: int, labels: Member | None) -> Iterator[tuple[int, int]]:
        if labels is not None:
            self._refuse_count(rows, labels.shape[0] if labels.shape else 0)
        return slices(rows, entries, ENTRIES)

    def _next(self, labels: Member | None, rows: int) -> Array | None:
        return None if labels is None else labels_of(labels.read(rows), self.name)

    def _refuse_shapes(self, shape: Array, values: Member, indices: Member, ends: Member) -> None:
        flat = all(len(member.shape) == 1 for member in (values, indices, ends))
        whole = all(member.dtype.kind in "iu" for member in (indices, ends)) and shape.dtype.kind in "iu"
        if not (flat and whole and shape.shape == (2,) and values.shape == indices.shape):
            raise self._error("data, indices, indptr and shape contradict each other", "write the file again")
        if min(shape.tolist()) < 0:
            raise self._error(f"a matrix of {int(shape[0])} rows and {int(shape[1])} columns", "write the file again")
        if ends.shape[0] != int(shape[0]) + 1:
            fault = f"indptr of length {ends.shape[0]:,} for {int(shape[0]):,} rows"
            raise self._error(fault, "it must be longer than the rows by one")

    def _refuse_starts(self, starts: Array, begin: int, entries: int) -> None:
        if starts[0] < 0 or starts[-1] > entries or (begin == 0 and starts[0] != 0):
            raise self._error(f"indptr leads outside of the {entries} entries", "write the file again")
        if len(bad := np.flatnonzero(np.diff(starts) < 0)):
            fault = f"indptr descends in row {begin + int(bad[0])} (counted from 0)"
            raise self._error(fault, "write the file again")

    def _canonical(self, piece: Batch, begin: int, known: int) -> Batch:
        """The rows with ascending indices, all of them known."""
        indices = np.asarray(piece.indices)
        if len(indices) and not 0 <= indices.min() <= indices.max() < piece.columns:
            fault = f"an index outside of the {piece.columns:,} columns"
            raise self._error(fault, "indices are counted from 0")
        piece = ascending_rows(piece)
        if (row := repeated_index(piece)) is not None:
            fault = f"an index stands twice in row {begin + row} (counted from 0)"
            raise self._error(fault, "add up its values (scipy: sum_duplicates)")
        piece = first_columns(piece, known)
        indices = np.asarray(piece.indices)
        if indices.dtype not in (np.int32, np.int64):
            indices = indices.astype(np.int64)
        return Batch(floating(piece.values, self._dtype), piece.labels, known, indices, piece.starts)


def _known_as(kind: type, schema: dict[str, Any], name: str) -> Any:
    value = schema.get(name)
    if value is not None and not isinstance(value, kind):
        raise ModelError(f"the description of the columns is damaged ({name}={value!r})")
    return value
