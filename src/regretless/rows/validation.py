"""What arrives at the edge: rows as Python keeps them, checked and brought into one form.

scikit-learn's own validation says the same things in the same words, but costs two seconds to import. Neither
scipy nor pandas is imported to find out what an object is: a library that is not loaded cannot have made it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any

import numpy as np

from ..arrays import laid_out
from ..data.batch import Array, Batch
from ..data.stream import KEY, normalized
from ..errors import RegretlessError
from .estimator import FEATURE_MAP
from .one_row import divides_rows, is_table

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
FLOATS = (DOUBLE, SINGLE)
INTEGERS = (np.dtype(np.int32), np.dtype(np.int64))
JUDGED_ROWS = 50  # the fewest by which a column is judged
FEW_VALUES, MOST_VALUES = 20, 0.5  # of a column of text: how many are never too many, and of how many rows
PACKAGE = __name__.partition(".")[0]
ARROW_ROWS_AT_A_TIME = 1024  # one slab of the result stays in the cache while its columns are laid down

RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or "
    "array.reshape(1, -1) if it contains a single sample."
)


class ColumnRefused(RegretlessError):
    """A column of a table that holds no numbers.

    Attributes
    ----------
    column : object
        Its name.
    content : str
        What it holds.
    """

    def __init__(self, column: object, content: str) -> None:
        self.column, self.content = column, content
        super().__init__(
            f"Column {column!r} of X holds {content}, which is not a kind of number; convert it or leave it out."
        )

    def __reduce__(self) -> tuple[type[ColumnRefused], tuple[object, str]]:
        return type(self), (self.column, self.content)


def read_rows(X: Any, *, learner: Any, reset: bool, in_order: bool = True, text: str = "refuse") -> Batch:
    """Bring X into the form that the compiled loop reads, copying only what it must.

    Parameters
    ----------
    X : array, sequence, scipy sparse matrix or table
        The rows. Tables are pandas frames and whatever offers ``__arrow_c_stream__``. Whether the values are
        finite is left to the loop that reads them anyway.
    learner : Estimator
        Its ``n_features_in_`` and ``feature_names_in_`` are set or compared with.
    reset : bool
        True where a model begins: the columns of X are the columns from now on. False: they must be the same.
    in_order : bool, default=True
        Whether to copy the columns of sparse rows, and to make sure that those of every row ascend and occur once.
        False leaves both to a loop that reads the rows in their order: it copies them piece by piece, and notices; for
        rows that it refuses there is :func:`ascending`.
    text : {"refuse", "learn", "known"}
        What to do with columns of text or categories: each of their values is a feature, and those that were never met
        are learned, or contribute nothing.

    Returns
    -------
    Batch
        Without labels. Float32 and float64 stay what they are; everything else becomes float64.
    """
    known = vars(learner)
    if type(X) is np.ndarray and X.ndim == 2 and X.size and X.dtype in FLOATS and _is_plain(X):
        batch, names = Batch(X, None, X.shape[1]), None
    else:
        if text != "refuse" and not reset and is_table(known.get("schema_")) and _is_frame(X):
            return _read_encoded(X, learner, known["schema_"], text)
        try:
            batch, names = _read_any(X, in_order)
        except ColumnRefused:
            if text == "refuse" or (not reset and "feature_names_in_" in known):
                raise
            return _read_encoded(X, learner, None, text)
    if reset:
        learner.n_features_in_ = batch.columns
        known.pop("feature_names_in_", None)
        if names is not None:
            learner.feature_names_in_ = names
        return batch
    _refuse_other_columns(batch, names, learner)
    return normalized(batch) if divides_rows(known.get("schema_")) else batch


def _read_encoded(X: Any, learner: Any, schema: dict[str, Any] | None, text: str) -> Batch:
    """A table with columns of text, whose features the learner remembers."""
    from ..data.arrow import encoded

    of_schema, features = vars(learner).get(FEATURE_MAP, (None, None))
    known = features if text == "known" and of_schema is schema else None
    batch, stream = encoded(X, schema, frozen=text == "known", known=known)
    if known is None and stream.features.settled:
        vars(learner)[FEATURE_MAP] = schema, stream.features
    if schema is None:
        for name, count in free_text(stream.schema(), len(batch)):
            warn_user(
                f"column {name!r} of X has {count:,} different values in {len(batch):,} rows "
                f"({count / len(batch):.0%}), each a feature of its own: what is learned of one says nothing of "
                "others. If it is text, make features of its words first, as scikit-learn's CountVectorizer does; "
                "if it holds dates, make numbers and names of them, such as days since a date and days of the week; "
                "if it names the rows, leave it out"
            )
    if text == "learn":
        scaled = {KEY: True} if (schema or {}).get(KEY) else {}
        learner.schema_, learner.n_features_in_ = stream.schema() | scaled, batch.columns
        if (names := stream.feature_names()) is not None:
            learner.feature_names_in_ = np.array(names, dtype=object)
    return batch


def free_text(schema: Mapping[str, Any], rows: int) -> Iterator[tuple[str, int]]:
    """Columns of text in which nearly every row has a value of its own.

    Parameters
    ----------
    schema : mapping
        What a stream says of its columns.
    rows : int
        How many rows were read, once each.

    Yields
    ------
    name, count : str, int
        The column, and how many different values it has: more than 20, and more than half of the rows. Columns whose
        words are features, and features that are hashed, are none of these.
    """
    if schema.get("format") != "table" or schema["hash"] is not None or not rows:
        return
    places = [place for place, value in schema["features"] if value is not None]
    counts = np.bincount(places, minlength=len(schema["columns"])).tolist()
    for column, count in zip(schema["columns"], counts, strict=True):
        if column["kind"] != "words" and count > FEW_VALUES and count > MOST_VALUES * rows:
            yield column["name"], count


def ascending(batch: Batch) -> Batch:
    """A copy of a sparse batch in which each row's columns ascend and those that occur twice are summed."""
    from scipy.sparse import csr_array  # type: ignore[import-untyped, unused-ignore]

    shape = len(batch), batch.columns
    try:
        # What is checked is a copy: another thread may write to what was given.
        matrix = csr_array((batch.values, batch.indices, batch.starts), shape=shape, copy=True)
        matrix.check_format(full_check=True)
    except ValueError as error:
        raise RegretlessError(f"X is not a valid sparse matrix: {error}") from error
    matrix.sum_duplicates()
    return Batch(matrix.data, batch.labels, batch.columns, matrix.indices, matrix.indptr)


# ---- rows


def _is_plain(array: Array) -> bool:
    flags = array.flags
    return flags.c_contiguous and flags.aligned


def _read_any(X: Any, in_order: bool) -> tuple[Batch, Array | None]:
    sparse, pandas = sys.modules.get("scipy.sparse"), sys.modules.get("pandas")
    if sparse is not None and sparse.issparse(X):
        return _read_sparse(X, in_order), None
    if pandas is not None and isinstance(X, pandas.DataFrame):
        # Not through Arrow: there the index would become a column and every NaN a null.
        return _read_pandas(X, pandas.SparseDtype), _names(X.columns)
    if hasattr(X, "__arrow_c_stream__"):
        return _read_arrow(X)
    return _read_dense(X), None


def _is_frame(X: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return (pandas is not None and isinstance(X, pandas.DataFrame)) or hasattr(X, "__arrow_c_stream__")


def _read_dense(X: Any) -> Batch:
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise RegretlessError("Input X contains NaN: it is a masked array with masked entries.")
    rows: Array = np.asarray(X)
    if rows.ndim != 2:
        raise RegretlessError(_wrong_shape(rows))
    if rows.dtype not in FLOATS:
        rows = as_double(rows)
    _refuse_empty(rows.shape)
    return Batch(laid_out(rows), None, rows.shape[1])


def _wrong_shape(rows: Array) -> str:
    if rows.ndim > 2:
        return f"Found array with dim {rows.ndim}, while dim <= 2 is required."
    kind = "scalar array" if rows.ndim == 0 else "1D array"
    return f"Expected 2D array, got {kind} instead:\narray={rows}.\n{RESHAPE}"


def _refuse_empty(shape: tuple[int, ...]) -> None:
    for count, noun in zip(shape, ("sample(s)", "feature(s)"), strict=True):
        if count == 0:
            raise RegretlessError(f"Found array with 0 {noun} (shape={shape}) while a minimum of 1 is required.")


def as_double(array: Array) -> Array:
    """The same numbers as float64, if they are numbers."""
    kind = array.dtype.kind
    if kind == "c":
        raise RegretlessError(f"Complex data not supported\n{array}\n")
    if kind in "SUTV":
        raise RegretlessError(
            "dtype='numeric' is not compatible with arrays of bytes/strings. "
            "Convert your data to numeric values explicitly instead."
        )
    if kind not in "biufO":
        raise RegretlessError(f"{array.dtype} is not a kind of number; convert it to numbers first.")
    try:
        return array.astype(DOUBLE)
    except (ValueError, OverflowError) as error:
        raise RegretlessError(str(error)) from error


def _read_sparse(X: Any, in_order: bool) -> Batch:
    if X.ndim != 2:
        raise RegretlessError(f"Expected 2D input, got input with shape {X.shape}.\n{RESHAPE}")
    _refuse_empty(X.shape)
    matrix = X if X.format == "csr" else X.tocsr()
    if matrix is not X:
        matrix.sum_duplicates()
    elif in_order:
        matrix = _with_own_columns(X)
    values = matrix.data if matrix.dtype in FLOATS else as_double(matrix.data)
    indices, starts = _integers(matrix.indices), _integers(matrix.indptr)
    used = int(starts[-1])
    if used < len(values):  # scipy lets the arrays be longer than what the rows use of them
        values, indices = values[:used], indices[:used]
    return Batch(laid_out(values), None, X.shape[1], indices, starts)


def _with_own_columns(X: Any) -> Any:
    """The same matrix with ascending columns and index arrays of its own: what is checked is what will be used."""
    matrix = copy(X)
    matrix.indices, matrix.indptr = X.indices.copy(), X.indptr.copy()
    starts, room = matrix.indptr, min(len(matrix.indices), len(X.data))
    if starts[0] != 0 or starts[-1] > room or (starts[1:] < starts[:-1]).any():
        raise RegretlessError(
            "X is not a valid sparse matrix: its row starts do not ascend from 0 to the number of entries"
        )
    if not matrix.has_canonical_format:
        matrix.data = X.data.copy()
        matrix.sum_duplicates()
    return matrix


def _integers(array: Array) -> Array:
    return laid_out(array if array.dtype in INTEGERS else array.astype(np.int64))


def _read_pandas(frame: Any, sparse_dtype: type) -> Batch:
    dtypes = list(frame.dtypes)
    if dtypes and all(isinstance(dtype, sparse_dtype) for dtype in dtypes):
        return _read_sparse(frame.sparse.to_coo(), True)
    for name, dtype in zip(frame.columns, dtypes, strict=True):
        if dtype.kind not in "biufcO":
            raise ColumnRefused(name, str(dtype))
    try:
        if all(isinstance(dtype, np.dtype) for dtype in dtypes):
            return _read_dense(frame.to_numpy())
        return _read_dense(frame.to_numpy(dtype=DOUBLE, na_value=np.nan))
    except ValueError as error:
        _refuse_text(frame)
        raise error if isinstance(error, RegretlessError) else RegretlessError(str(error)) from error


def _refuse_text(frame: Any) -> None:
    """Refuse the first column with a string that is no number."""
    for place, (name, dtype) in enumerate(zip(frame.columns, frame.dtypes, strict=True)):
        for value in frame.iloc[:, place] if dtype.kind == "O" else ():
            if isinstance(value, str) and not _is_number(value):
                raise ColumnRefused(name, f"text, such as {value!r}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_arrow(X: Any) -> tuple[Batch, Array | None]:
    import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]

    try:
        table = pa.RecordBatchReader.from_stream(X).read_all()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise RegretlessError(
            f"Expected a 2-dimensional container but got {type(X)} instead. Pass a DataFrame containing a "
            "single row (i.e. single sample) or a single column (i.e. single feature) instead."
        ) from error
    _refuse_empty(table.shape)
    for name, column in zip(table.column_names, table.columns, strict=True):
        _check_arrow_column(name, column, pa.types)
    dtype = SINGLE if all(kind == pa.float32() for kind in table.schema.types) else DOUBLE
    values: Array = np.empty(table.shape, dtype)
    begin = 0
    for slab in table.to_batches(max_chunksize=ARROW_ROWS_AT_A_TIME):
        for place, column in enumerate(slab.columns):
            values[begin : begin + len(slab), place] = column.to_numpy(zero_copy_only=False)
        begin += len(slab)
    return Batch(values, None, table.num_columns), _names(table.column_names)


def _check_arrow_column(name: str, column: Any, types: Any) -> None:
    numeric = (types.is_floating, types.is_integer, types.is_boolean, types.is_decimal, types.is_null)
    if not any(is_kind(column.type) for is_kind in numeric):
        # Before its nulls are: a missing category is a row with none of the values.
        raise ColumnRefused(name, str(column.type))
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy())[0])
        raise RegretlessError(f"Input X contains NaN: row {row} (counted from 0) of column {name!r} is null.")


# ---- names of columns


def _names(columns: Iterable[object]) -> Array | None:
    names = list(columns)
    types = sorted({type(name).__qualname__ for name in names})
    if len(types) > 1 and "str" in types:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{types} as feature name / column name types. If you want feature names to be stored and "
            "validated, you must convert them all to strings, by using X.columns = X.columns.astype(str) for "
            "example. Otherwise you can remove feature / column names from your input data, or convert them "
            "all to a non-string data type."
        )
    return np.asarray(names, dtype=object) if types == ["str"] else None


def _refuse_other_columns(batch: Batch, names: Array | None, learner: Any) -> None:
    known, kind = vars(learner), type(learner).__name__
    if names is not None or "feature_names_in_" in known:
        _compare_names(names, known.get("feature_names_in_"), kind)
    if batch.columns != known.get("n_features_in_", batch.columns):
        raise RegretlessError(
            f"X has {batch.columns} features, but {kind} is expecting {known['n_features_in_']} features as input."
        )


def _compare_names(names: Array | None, fitted: Array | None, learner: str) -> None:
    if names is None:
        warn_user(f"X does not have valid feature names, but {learner} was fitted with feature names")
    elif fitted is None:
        warn_user(f"X has feature names, but {learner} was fitted without feature names")
    elif not np.array_equal(names, fitted):
        raise RegretlessError(names_differ(set(names), set(fitted)))


def warn_user(message: str) -> None:
    """Warn at the line that called the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == PACKAGE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)


def names_differ(columns: set[str], fitted: set[str]) -> str:
    """What to say of columns whose names are others than those that a model was fitted with, or in another order."""
    message = "The feature names should match those that were passed during fit.\n"
    for title, names in (
        ("Feature names unseen at fit time:\n", sorted(columns - fitted)),
        ("Feature names seen at fit time, yet now missing:\n", sorted(fitted - columns)),
    ):
        if names:
            message += title + "".join(f"- {name}\n" for name in names[:5]) + "- ...\n" * (len(names) > 5)
    if columns == fitted:
        message += "Feature names must be in the same order as they were in fit.\n"
        message += "X[learner.feature_names_in_] has that order.\n"
    return message
