"""The rows that a kernel function is made of, in arrays that grow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ... import _core
from ...arrays import set_own
from ...data.batch import Array, Batch
from ...errors import RegretlessError
from ...ledger import FIELDS
from ..comparators.candidates import matrix_of

SLOTS, ENTRIES, PLACES, LINES = range(4)  # of `counts`
BLOCK = 64  # rounds that the kernel plays before it looks for room again


class Support:
    """Rows, their coefficients and, where asked, the log of all updates.

    Rows are kept dense or sparse, as the first that came were, or, when kernel values are given, as columns of a Gram
    matrix; scores are the same bits whichever it is.

    Parameters
    ----------
    columns, targets : int
        Width of the rows, and how many coefficients each has.
    logged : bool
        Whether every update is written down, which is what voting needs.
    """

    def __init__(self, columns: int, targets: int, *, logged: bool = False) -> None:
        self.columns, self.targets, self.logged = columns, targets, logged
        self.layout: str | None = None  # "dense", "sparse" or "given"; None before the first row
        self.counts = np.zeros(4, dtype=np.int64)
        self.coefficients, self.lag = np.zeros((0, targets)), np.zeros((0, targets))
        self.norm2, self.born = np.zeros(0), np.zeros(0)
        self.rows = np.zeros((0, columns))
        self.begin, self.length = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self.values, self.indices = np.zeros(0), np.zeros(0, np.int32)
        self.place = np.zeros(0, np.int32)  # as far as any entry goes
        self.numbered = 0  # columns for whose numbers there is room
        self.column, self.source = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self.log_slot, self.log_round = np.zeros(0, np.int64), np.zeros(0)
        self.log_moves = np.zeros((0, targets))

    @property
    def count(self) -> int:
        """Slots in use."""
        return int(self.counts[SLOTS])

    def settle(self, layout: str) -> None:
        """Decide how rows are kept, once."""
        if self.layout is None:
            if layout == "sparse":
                _refuse_wide(self.columns)
            self.layout = layout
            if layout == "dense":
                self.rows = np.zeros((len(self.norm2), self.columns))

    # ---- room

    def make_room(self, slots: int, entries: int = 0, widest: int = 0) -> None:
        """Room for so many slots more, and entries of sparse rows in the columns before `widest`."""
        self._widen(("coefficients", "lag", "norm2", "born", "column", "source"), self.count + slots)
        if self.layout == "dense":
            self._widen(("rows",), self.count + slots)
        if self.layout == "sparse":
            self._widen(("begin", "length"), self.count + slots)
            self._make_entry_room(entries, min(widest, self.columns))
        if self.logged:
            self._widen(("log_slot", "log_round", "log_moves"), int(self.counts[LINES]) + slots)

    def _widen(self, names: tuple[str, ...], needed: int) -> None:
        for name in names:
            array = getattr(self, name)
            if needed > len(array):
                larger = np.zeros((max(needed, 2 * len(array)), *array.shape[1:]), array.dtype)
                larger[: len(array)] = array
                setattr(self, name, larger)

    def _make_entry_room(self, entries: int, widest: int) -> None:
        if self.counts[ENTRIES] + entries > len(self.values):
            self._close_gaps()
            self._widen(("values", "indices"), int(self.counts[ENTRIES]) + entries)
        if widest > len(self.place):
            longer = np.zeros(min(max(widest, 2 * len(self.place)), self.columns), np.int32)
            longer[: len(self.place)] = self.place
            self.place = longer
        numbered = min(self.columns, int(self.counts[PLACES]) + entries)
        if numbered > self.numbered:
            self.numbered = min(max(numbered, 2 * self.numbered), self.columns)

    def _close_gaps(self) -> None:
        """Entries of rows that are gone make room."""
        at = np.concatenate([np.zeros(0, np.int64), *map(np.arange, *self._bounds())])
        if len(at) == self.counts[ENTRIES]:
            return
        self.values[: len(at)], self.indices[: len(at)] = self.values[at], self.indices[at]
        lengths = self.length[: self.count]
        self.begin[: self.count] = np.cumsum(lengths) - lengths
        self.counts[ENTRIES] = len(at)

    def _bounds(self) -> tuple[list[int], list[int]]:
        begin = self.begin[: self.count]
        return begin.tolist(), (begin + self.length[: self.count]).tolist()

    def grow(self, columns: int) -> None:
        """Take note of columns that a stream has revealed."""
        if columns <= self.columns:
            return
        if self.layout == "sparse":
            _refuse_wide(columns)
        if self.layout == "dense":
            wider = np.zeros((len(self.rows), columns))
            wider[:, : self.columns] = self.rows
            self.rows = wider
        self.columns = columns

    def drop(self, slot: int) -> None:
        """Empty a slot; the last one moves there. Behind the last that is left stands the source of what is gone."""
        last = self.count - 1
        for name in ("coefficients", "lag", "norm2", "born", "column", "rows", "begin", "length"):
            array = getattr(self, name)
            if last < len(array):
                array[slot] = array[last]
        self.source[[slot, last]] = self.source[[last, slot]]
        self.counts[SLOTS] = last

    # ---- reading

    def machine(
        self, books: Array, norm2: Array, most: int = 0, coefficients: Array | None = None
    ) -> _core.KernelMachine:
        """The compiled loop over these arrays, or a reader of scores with other coefficients."""
        width = self.columns if self.layout == "dense" else 0
        machine = _core.KernelMachine(
            self.coefficients if coefficients is None else coefficients,
            self.lag if coefficients is None else np.zeros(coefficients.shape),
            self.norm2,
            self.born,
            self.counts,
            books,
            norm2,
            np.zeros(_core.kernel_scratch(width, self.targets if coefficients is None else coefficients.shape[1])),
            self.columns,
            most,
        )
        if self.layout == "dense":
            machine.dense(self.rows)
        elif self.layout == "sparse":
            # Each machine has its own, for several may score at once.
            work = np.zeros((self.numbered + 1, _core.SPARSE_LANES))
            machine.sparse(self.begin, self.length, self.values, self.indices, self.place, work)
        machine.gram_columns(self.column)
        machine.sources(self.source)
        if self.logged and coefficients is None:
            machine.log(self.log_slot, self.log_round, self.log_moves)
        return machine

    def batch(self, first: int = 0, last: int | None = None) -> Batch:
        """The rows of some slots, as they are kept."""
        last = self.count if last is None else last
        if self.layout != "sparse":
            return Batch(self.rows[first:last], None, self.columns)
        begins, ends = self._bounds()
        at = np.concatenate([np.zeros(0, np.int64), *map(np.arange, begins[first:last], ends[first:last])])
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.length[first:last])])
        return Batch(self.values[at], None, self.columns, self.indices[at], starts)

    def matrix(self) -> Any:
        """The rows as an array or a matrix of scipy's."""
        return matrix_of(self.batch())

    # ---- keeping

    def tensors(self) -> dict[str, Array]:
        """All that must be kept, by name; how it is laid out depends on what the rows hold alone."""
        count, lines = self.count, int(self.counts[LINES])
        arrays = {name: getattr(self, name)[:count] for name in ("coefficients", "lag", "born")}
        if self.logged:
            arrays |= {name: getattr(self, name)[:lines] for name in ("log_slot", "log_round", "log_moves")}
        if self.layout == "given":
            return arrays | {"support_columns": self.column[:count], "support_norm2": self.norm2[:count]}
        rows, indices, starts = _as_entries(self.batch())
        if 2 * len(rows) < count * self.columns:
            return arrays | {"support_values": rows, "support_indices": indices, "support_starts": starts}
        return arrays | {"support": _as_table(rows, indices, starts, self.columns)}

    def adopt(self, tensors: Mapping[str, Array], kernel: tuple[Any, ...]) -> None:
        """Take over what `tensors` gave; `kernel` is what tells a machine its rules.

        Raises
        ------
        ValueError
            If it does not fit together.
        """
        count = len(tensors["coefficients"])
        shapes = {"coefficients": (count, self.targets), "lag": (count, self.targets), "born": (count,)}
        if self.logged:
            lines = len(tensors["log_slot"])
            shapes |= {"log_slot": (lines,), "log_round": (lines,), "log_moves": (lines, self.targets)}
        for name, shape in shapes.items():
            wanted = np.int64 if name == "log_slot" else np.float64
            if tensors[name].shape != shape or tensors[name].dtype != wanted:
                raise ValueError(f"its {name} have the wrong shape or type")
        self._adopt_rows(tensors, count, kernel)
        self.counts[SLOTS] = count
        self.source[:count] = -1
        for name in shapes:
            getattr(self, name)[: len(tensors[name])] = tensors[name]
        if self.logged:
            slots = tensors["log_slot"]
            if len(slots) and not 0 <= slots.min() <= slots.max() < count:
                raise ValueError("an update is of no row")
            self.counts[LINES] = len(slots)

    def _adopt_rows(self, tensors: Mapping[str, Array], count: int, kernel: tuple[Any, ...]) -> None:
        if "support_columns" in tensors:
            self.settle("given")
            self.make_room(max(count, len(tensors.get("log_slot", ()))))
            columns = tensors["support_columns"]
            if columns.shape != (count,) or columns.dtype != np.int64 or (count and columns.min() < 0):
                raise ValueError("its support is not of columns")
            if count and columns.max() >= self.columns:
                raise ValueError("its support has more columns than the model")
            own = tensors["support_norm2"]
            if own.shape != (count,) or own.dtype != np.float64 or (count and own.min() < 0):
                raise ValueError("its support has no proper lengths")
            self.column[:count], self.norm2[:count] = columns, own
            return
        batch = _batch_of(tensors, count, self.columns)
        if not count:
            return
        self.settle("sparse" if batch.sparse else "dense")
        self.make_room(max(count, len(tensors.get("log_slot", ()))) + BLOCK, batch.entries, widest_of(batch))
        machine = self.machine(np.zeros((self.targets + (self.targets > 1), len(FIELDS))), np.zeros(self.targets))
        machine.rules(*kernel)
        if machine.adopt(batch.values, batch.indices, batch.starts) != (count, None):
            raise ValueError("its support is not made of proper rows")

    def copy_rows(self, source: Support) -> None:
        """Take over the rows of another support, without coefficients."""
        for name in ("layout", "counts", "norm2", "born", "rows", "begin", "length", "values", "indices", "place"):
            value = getattr(source, name)
            setattr(self, name, value.copy() if isinstance(value, np.ndarray) else value)
        self.numbered, self.column = source.numbered, source.column.copy()
        self.source = np.full(len(source.source), -1)
        self.log_slot, self.log_round = source.log_slot.copy(), source.log_round.copy()
        for name, like in (("coefficients", source.norm2), ("lag", source.norm2), ("log_moves", source.log_slot)):
            setattr(self, name, np.zeros((len(like), self.targets)))

    def __getstate__(self) -> dict[str, Any]:
        """Without the room that is not in use."""
        used = dict.fromkeys(("coefficients", "lag", "norm2", "born", "begin", "length", "column", "source"), SLOTS)
        used |= {"rows": SLOTS, "values": ENTRIES, "indices": ENTRIES}
        used |= dict.fromkeys(("log_slot", "log_round", "log_moves"), LINES)
        arrays = {name: getattr(self, name)[: int(self.counts[what])].copy() for name, what in used.items()}
        return vars(self) | arrays

    def __setstate__(self, state: dict[str, Any]) -> None:
        set_own(self, state)


def _refuse_wide(columns: int) -> None:
    if columns > np.iinfo(np.int32).max:
        raise RegretlessError(f"{columns:,} columns are more than a kernel learner's sparse rows may have")


def widest_of(batch: Batch) -> int:
    """How many columns there are up to the last that a row of the batch has an entry in."""
    return batch.columns if batch.indices is None else int(batch.indices.max(initial=-1)) + 1


def rows_of(batch: Batch, places: Array) -> Batch:
    """Some of the rows, in that order."""
    if batch.starts is None or batch.indices is None:
        return Batch(np.ascontiguousarray(batch.values[places]), None, batch.columns)
    begins, ends = batch.starts[places].tolist(), batch.starts[places + 1].tolist()
    at = np.concatenate([np.zeros(0, np.int64), *map(np.arange, begins, ends)])
    lengths = np.diff(batch.starts)[places]
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
    return Batch(batch.values[at], None, batch.columns, batch.indices[at], starts)


def _as_entries(batch: Batch) -> tuple[Array, Array, Array]:
    """Values that are not zero, their columns, and where the rows begin."""
    if batch.starts is None or batch.indices is None:
        row, column = np.nonzero(batch.values)
        starts = np.searchsorted(row, np.arange(len(batch) + 1))
        return batch.values[row, column], column.astype(np.int32), starts.astype(np.int64)
    return batch.values, batch.indices, batch.starts


def _as_table(values: Array, indices: Array, starts: Array, columns: int) -> Array:
    table = np.zeros((len(starts) - 1, columns))
    table[np.repeat(np.arange(len(starts) - 1), np.diff(starts)), indices] = values
    return table


def _batch_of(tensors: Mapping[str, Array], count: int, columns: int) -> Batch:
    if "support" in tensors:
        rows = tensors["support"]
        if rows.shape != (count, columns) or rows.dtype != np.float64:
            raise ValueError("its support has the wrong shape")
        return Batch(np.ascontiguousarray(rows), None, columns)
    values, indices, starts = (tensors[f"support_{name}"] for name in ("values", "indices", "starts"))
    types = [array.dtype.str[1:] for array in (values, indices, starts)]
    if types != ["f8", "i4", "i8"] or starts.shape != (count + 1,) or values.shape != indices.shape:
        raise ValueError("its support has the wrong shape")
    if starts[0] != 0 or starts[-1] != len(values):
        raise ValueError("its support has broken rows")
    return Batch(values, None, columns, indices, starts)
