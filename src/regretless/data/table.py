"""Rounds from a table of named columns, in any of its formats."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..checks import names_in
from ..errors import DataError, ModelError, ParameterError, RegretlessError, did_you_mean
from ..memory import more, refuse_large
from .batch import Array, Batch, sparse_rows, with_words
from .columns import (
    DATES,
    KINDS,
    NUMERIC,
    VALUED,
    ColumnOfWords,
    FeatureMap,
    LongNames,
    TooManyColumns,
    Words,
    whole_ngrams,
)
from .feature_crosses import TableProducts
from .interactions import MOST_PRODUCTS, Crossing, Numbering, TooManyProducts
from .messages import SKIPPING, described, likely_targets, listed, one_of, option
from .names import all_names
from .source import Source, can_be_read_again, name_of, stored_size
from .stream import REMEMBERED_ERRORS, Stream, past
from .table_chunk import Chunk

TARGETS = ("label", "target", "class", "outcome", "response", "y")  # the last only where none of the others is
ZERO = "pass --missing zero to take it for 0"
COLUMN = 6000  # bytes that a column costs by itself
LACKING = "there is no column"


class TableStream(Stream):
    """A stream over a table: numeric columns as they are, a column of text as one column for each value.

    Parameters
    ----------
    path : path or "-"
        The file.
    target : str, optional
        The column that holds the labels. By default the only one called label, target, class,
        outcome or response, in whatever case, or else the one called y.
    on_error : {"raise", "skip"}
        What to do with a row that cannot be used.
    missing : {"error", "zero"}, optional
        What an empty cell of a numeric column is, by default what the schema says, else an error.
        One in a column of text contributes nothing in any case, and one in the target is an error.
    categorical : iterable of str
        Columns to be taken as text although they may hold numbers.
    ignore : iterable of str
        Columns that are not used, as if the table did not have them.
    text : iterable of str
        Columns whose words are features, each with the number of times that it stands in the cell. Words are
        sequences of letters, digits and underscores, in lower case.
    ngrams : int, optional
        Sequences of up to so many neighbouring words are features too; by default what the schema says, else 1.
    hash_bits : int, optional
        Number the features by a hash of this many bits.
    interactions : sequence of str
        ``a*b`` for the products of the features of two columns, ``*`` for those of any two. Without a hash, features
        and products then get their columns in the order in which they first come. With one, the column of a product
        of features of columns i <= j is the lowest bits of splitmix64((i + 1) * 2^32 + j).
    keep_names : int
        How many of the features that are hashed to remember by name.
    max_features : int
        How many features there may be.
    schema : dict, optional
        The `schema` of an earlier stream, whose features this one continues.
    frozen : bool
        Let values that the schema does not know contribute nothing, and do without labels where there are none.
    unlabelled : bool
        Let single rows lack their label, which is then nan, or no text.
    dtype : {"float64", "float32"}
        Of the values; labels are float64 or strings.
    """

    def __init__(
        self,
        path: Source,
        *,
        target: str | None = None,
        on_error: str = "raise",
        missing: str | None = None,
        categorical: Iterable[str] = (),
        ignore: Iterable[str] = (),
        text: Iterable[str] = (),
        ngrams: int | None = None,
        hash_bits: int | None = None,
        interactions: Sequence[str] = (),
        keep_names: int = 0,
        max_features: int = 1 << 27,
        schema: dict[str, Any] | None = None,
        frozen: bool = False,
        unlabelled: bool = False,
        dtype: str = "float64",
    ) -> None:
        super().__init__(name_of(path))
        one_of("on_error", on_error, ("raise", "skip"))
        one_of("missing", missing or "error", ("error", "zero"))
        one_of("dtype", dtype, ("float32", "float64"))
        self.rereadable = can_be_read_again(path)
        self._size = stored_size(path)
        self._path, self._frozen, self._unlabelled = path, frozen, unlabelled
        self._skips, self._dtype = on_error == "skip", np.dtype(dtype)
        self.categorical = frozenset(names_in("categorical", categorical))
        self._ignore, self._text = frozenset(names_in("ignore", ignore)), frozenset(names_in("text", text))
        if both := sorted(self._text & self.categorical):
            raise ParameterError("text", repr(both[0]), "it is to be taken for names by categorical", ": ")
        for use, names in (("text", self._text), ("categorical", self.categorical)):
            if left_out := sorted(names & self._ignore):
                raise ParameterError(use, repr(left_out[0]), "ignore leaves it out: name it in one of them", ": ")
        self._rows = 0  # that were read, good and bad
        self._dates: set[str] = set()  # columns that are left out for what they hold
        self._columns_of_words: dict[str, ColumnOfWords] = {}
        self._begun = False
        self._known = schema
        self._stated_target = self._target = target
        self._crossing: Crossing | None = None
        if schema is None:
            self._map = FeatureMap(hash_bits, max_features, keep_names)
            self._target_kind, self._missing = "empty", missing or "error"
            self._map.ngrams = whole_ngrams(1 if ngrams is None else ngrams)
            if interactions and self._text:
                raise self._no_products_with_words(interactions)
            if interactions:
                numbering = Numbering(hash_bits, max_features, names=True, keep=keep_names)
                self._crossing = Crossing(interactions, numbering)
        else:
            self._restore(schema, missing, max_features, keep_names)
            self._refuse_contradiction(hash_bits, interactions)
            self._refuse_other_words(ngrams)
        self._map.make_room(self._size)

    def _restore(self, schema: dict[str, Any], missing: str | None, limit: int, keep: int) -> None:
        try:
            self._map = self._map_of(schema, limit)
            self._map.keep = max(self._map.keep, keep)
            self._target = self._stated_target or schema["target"]
            self._target_kind = str(schema["target_kind"])
            self._missing = missing or str(schema["missing"])
            if schema.get("crossing") is not None:
                numbering = Numbering(self._map.bits, limit, names=True, keep=keep)
                self._crossing = Crossing.from_schema(schema["crossing"], str, numbering)
                self._crossing.frozen = self._frozen
        except KeyError as error:
            raise ModelError(f"the description of the columns lacks {error}") from error
        one_of("missing", self._missing, ("error", "zero"))
        one_of("target_kind", self._target_kind, KINDS)

    def _map_of(self, schema: dict[str, Any], limit: int) -> FeatureMap:
        """The map of features that wrote a schema."""
        return FeatureMap.from_schema(schema, limit, frozen=self._frozen)

    def _no_products_with_words(self, wanted: Sequence[str]) -> ParameterError:
        fault = (
            f"no products are made in a table with columns of words ({listed(sorted(self._text))}), not even of others"
        )
        return ParameterError("interactions", ",".join(wanted), fault, ": ")

    def _refuse_contradiction(self, hash_bits: int | None, interactions: Sequence[str]) -> None:
        if hash_bits not in (None, self._map.bits):
            raise ParameterError(
                "hash_bits", str(hash_bits), f"it was {self._map.bits} in the file that this continues", ": "
            )
        for name in sorted(self._ignore & {*self._map.kinds, self._target}):
            raise ParameterError("ignore", repr(name), "the model uses it", ": ")
        for name in self.categorical:
            if self._kind(name) in NUMERIC:
                raise ParameterError("categorical", repr(name), "it held numbers in the file that this continues", ": ")
        if interactions and self._crossing is None:
            raise ParameterError("interactions", ",".join(interactions), "the file that this continues had none", ": ")
        if self._crossing is not None:
            self._crossing.refuse_other(interactions, self._feature)

    def _refuse_other_words(self, ngrams: int | None) -> None:
        before = "in the file that this continues"
        for name in sorted(self._text):
            if self._kind(name) not in ("words", "empty"):
                raise ParameterError("text", repr(name), f"it was none of words {before}", ": ")
        if ngrams not in (None, self._map.ngrams):
            raise ParameterError("ngrams", str(ngrams), f"it was {self._map.ngrams} {before}", ": ")

    def schema(self) -> dict[str, Any]:
        head = {"target": self._target, "target_kind": self._target_kind, "missing": self._missing}
        crossing = {} if self._crossing is None else {"crossing": self._crossing.schema()}
        return {"format": "table", **head, **self._map.schema(), **crossing}

    def feature_names(self) -> list[str] | None:
        if self._crossing is None or self._map.bits is not None:
            return self._map.feature_names()
        return all_names(self.schema(), self._crossing.numbering.columns)

    def _feature(self, name: str) -> str | None:
        return name if name in self._map.kinds else None

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        if self._begun and not self.rereadable:
            raise self._error("this can be read only once", "keep what is read with --cache FILE")
        self._begun = True
        self._forget_errors()
        return past(self._read(), skip)

    def _read(self) -> Iterator[Batch]:
        empty, self._rows = True, 0
        try:
            for chunk in self._chunks():
                batches, error = self._batches(chunk)
                for batch in batches:
                    empty = False
                    yield batch
                if error is not None:
                    raise error
        finally:
            self._columns_of_words = {}
        if empty:
            raise self._error("no rows", "give a file with at least one row that can be used")

    @abstractmethod
    def _chunks(self) -> Iterator[Chunk]:
        """The table from its first row; calls `_choose`, and `_settle` for what is `_undecided`."""

    # Which columns

    def _choose(self, names: list[str]) -> list[str]:
        """The columns to read among those that the table has, the target last if there is one."""
        self._refuse_names(names)
        self._refuse_missing(sorted(self._ignore), names)
        names = [name for name in names if name not in self._ignore | self._dates]
        target = self._find_target(names)
        wanted = [name for name in names if name != target]
        if self._map.kinds:
            wanted = self._map.names([*NUMERIC, *VALUED] if self._frozen else KINDS)
            self._refuse_missing(wanted, names)
        if not wanted or target in wanted:
            fault = f"the target {target!r} is one of the features" if wanted else "there are no features"
            advice = f"the columns are {listed(names)}" if names else "all columns have another use, or are ignored"
            raise self._error(fault, advice)
        if target in self._text:
            advice = "leave it out of --text: a label is one name or number"
            raise self._error(f"--text (text=) names the target {target!r}", advice)
        self._target = self._target or target
        self._resolve(wanted)
        return wanted if target is None else [*wanted, target]

    def _absent(self, name: str) -> str:
        """Why a column is none of the features."""
        if name in self._ignore:
            return f"--ignore leaves out {name!r}"
        return f"{name!r} is the target" if name == self._target else f"{LACKING} {name!r}"

    def _resolve(self, wanted: list[str]) -> None:
        """Find the columns whose products are wanted."""
        if self._crossing is None:
            return
        try:
            self._crossing.resolve(lambda name: name if name in wanted else None, self._absent)
        except RegretlessError as error:
            raise self._error(str(error), f"the columns are {listed(wanted)}") from error
        products = len(wanted) * (len(wanted) - 1) // 2
        if self._crossing.everything and products > MOST_PRODUCTS:
            fault = f"{len(wanted):,} columns have {products:,} products"
            raise self._error(fault, f"at most {MOST_PRODUCTS:,} are built; name the pairs with --interactions A*B")

    def _refuse_names(self, names: list[str]) -> None:
        refuse_large(self.name, COLUMN * len(names), f"a table of {len(names):,} columns", file_size=self._size)
        if len(set(names)) < len(names):
            twice = Counter(names).most_common(1)[0][0]
            raise self._error(f"several columns are called {twice!r}", "give each column a name of its own")
        if "" in names:
            fault = f"column {names.index('') + 1} has no name"
            raise self._error(fault, "name it or remove it (pandas: to_csv(..., index=False))")
        self._refuse_missing(sorted(self.categorical | self._text), names)

    def _refuse_missing(self, wanted: list[str], names: list[str]) -> None:
        if lacking := sorted(set(wanted) - set(names)):
            fault = f"{LACKING} {listed(lacking, ' and no column ')}"
            raise self._error(fault, did_you_mean(lacking[0], names) + self._about_columns(names))

    def _about_columns(self, names: list[str]) -> str:
        """What to say of the columns of a table that lacks some."""
        return f"the columns are {listed(names)}"

    def _find_target(self, names: list[str]) -> str | None:
        if self._target in names:
            return self._target
        called = [name for name in names if name.casefold() in TARGETS]
        if self._stated_target is None and self._target is None:
            first = [name for name in called if name.casefold() != TARGETS[-1]] or called
            if len(first) == 1:
                return first[0]
        if self._stated_target is None and self._frozen:
            return None
        meant = ""
        if self._target is not None and self._target in self._ignore:
            fault = f"--target uses {self._target!r}, and --ignore leaves it out"
        elif self._target is not None:
            fault, meant = f"{LACKING} {self._target!r}", did_you_mean(self._target, names)
        elif called:
            fault = f"any of the columns {listed(called)} may be the target"
        else:
            fault = f"no column is called {', '.join(TARGETS[:-1])} or {TARGETS[-1]}"
            if left_out := sorted(name for name in self._ignore if name.casefold() in TARGETS):
                fault += f" but for {listed(left_out)}, which --ignore leaves out"
        raise self._target_error(fault, names, meant)

    def _target_error(self, fault: str, names: list[str], meant: str) -> DataError:
        """That the target is not known, with what each of the columns holds where that can be said."""
        advice = f"{meant}choose the target with --target among {listed(names)}"
        table = self._contents(names)
        if table is None:
            return self._error(fault, advice)
        advice = f"{advice}, as in {' or '.join(option('--target', name) for name in likely_targets(table))}"
        notes = [f"note: {note}" for note in self.notes]
        return DataError(self.name, None, None, fault, advice, (*notes, *described(table)))

    def _contents(self, names: list[str]) -> Any:
        """Some rows of all columns, as a table of pyarrow; None where there are none to look at beforehand."""
        return None

    # Of which kind

    def _kind(self, name: str) -> str:
        return self._target_kind if name == self._target else self._map.kinds.get(name, "empty")

    def _undecided(self, wanted: list[str]) -> list[str]:
        """The columns whose kind is not known yet."""
        return [name for name in wanted if self._kind(name) == "empty"]

    def _stated(self, name: str) -> str | None:
        """The kind that the user has said a column is of."""
        return "words" if name in self._text else "text" if name in self.categorical else None

    def _without_dates(self, kinds: dict[str, str], wanted: list[str]) -> dict[str, str]:
        """The kinds without columns of dates and times; those that are to be read lose them too."""
        dates = [name for name, kind in kinds.items() if kind == DATES]
        if not dates:
            return kinds
        left = [name for name in wanted if name not in dates]
        pairs = () if self._crossing is None else self._crossing.pairs
        needed = {self._target, *self._map.kinds, *(name for pair in pairs for name in pair)}
        for name in dates:
            if name in needed or not set(left) - {self._target}:
                self._refuse_dates(name)
        what = (
            "column {} holds dates or times: it is" if len(dates) == 1 else "columns {} hold dates or times: they are"
        )
        ways = f"turn them into numbers, or take them for names with {option('--categorical', dates[:1])}"
        self._note(f"{what.format(listed(dates, ' and '))} left out; to learn from them {ways}")
        wanted[:] = left
        self._dates |= set(dates)
        return {name: kind for name, kind in kinds.items() if kind != DATES}

    def _refuse_dates(self, name: str) -> None:
        out = "" if name == self._target else f"leave it out with {option('--ignore', [name])}, "
        advice = f"{out}turn it into numbers, or take its values for names with --categorical"
        raise self._error(f"column {name!r} holds dates or times", advice)

    def _settle(self, kinds: dict[str, str]) -> None:
        """Fix the kinds of columns that were undecided."""
        if self._target in kinds:
            self._target_kind = kinds[self._target]
        known = self._map.kinds
        new = {name: kind for name, kind in kinds.items() if known.get(name) != kind}
        features = {name: kind for name, kind in new.items() if name != self._target}
        late = [name for name, kind in features.items() if kind in NUMERIC and name in known]
        if late and self._missing == "error":
            fault = f"column {late[0]!r} holds numbers, but none in the first rows"
            raise self._error(fault, "pass --missing zero to take its empty cells for 0")
        if features:
            with self._limit():
                self._map.settle(features)

    def _apart(self) -> Collection[str]:
        """The columns of numbers that are no features."""
        return () if self._target is None else (self._target,)

    # From columns to rows

    def _batches(self, chunk: Chunk) -> tuple[Iterable[Batch], DataError | None]:
        """The rows that can be used, up to the first that cannot if that is an error."""
        numeric = self._map.names(NUMERIC)
        values = self._values(chunk, numeric)
        products = None
        if self._crossing is not None:
            products = TableProducts(self._crossing, numeric, self._map.names(["text"]))
            for left, right, bad in products.infinite(values):
                chunk.fault(bad, right, f"the product of {left!r} and {right!r} is infinite", "scale the values down")
        labels = self._labels(chunk)
        codes = {name: chunk.columns.codes(name) for name in self._map.names(["text"])}
        words = {name: self._words_of(chunk, name) for name in self._map.names(["words"])}
        good, error = self._judge(chunk)
        if good is not None:
            values, labels = values[good], None if labels is None else labels[good]
            codes = {name: (code[good], known) for name, (code, known) in codes.items()}
            words = {name: each.only(good) for name, each in words.items()}
        if not len(values):
            return [], error
        if products is None and not self._map.sparse:
            return [Batch(values, labels, self._map.columns)], error
        ids = np.array([self._map.number(name) for name in numeric], np.int32)
        with self._limit():
            self._map.learn(codes, words)
        categories = self._map.numbers(codes, len(values))
        if products is not None:
            return self._with_products(products, values, ids, categories, labels), error
        batch = sparse_rows(values, ids, categories, labels, self._map.columns)
        return [with_words(batch, *self._map.word_numbers(words)) if words else batch], error

    def _words_of(self, chunk: Chunk, name: str) -> Words:
        """The words of a column; what was read before helps while a reading lasts."""
        column = self._columns_of_words.setdefault(name, ColumnOfWords(self._map.ngrams))
        return column.read(chunk.columns.cells(name))

    def _with_products(self, products: TableProducts, *columns: Any) -> Iterator[Batch]:
        pieces = products.rows(*columns)
        while True:
            with self._limit():
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece

    @contextmanager
    def _limit(self) -> Iterator[None]:
        try:
            yield
        except (TooManyColumns, TooManyProducts) as error:
            raise self._error(str(error), "hash them with --hash-bits, or raise --max-features") from error
        except LongNames as error:
            raise self._error(str(error), f"hash them with --hash-bits, or {more()}") from error

    def _values(self, chunk: Chunk, names: list[str]) -> Array:
        """Numeric columns side by side; a missing cell reads 0, and is a fault where it is not to be taken for that."""
        zero, columns = self._missing == "zero", chunk.columns
        values, missing = columns.matrix(names, self._dtype), [columns.missing(name) for name in names]
        for place, name in enumerate(names):
            if len(missing[place]) and not zero:
                leave = "" if self._known is not None else f", or {option('--ignore', [name])} to leave the column out"
                chunk.fault(missing[place], name, f"column {name!r} has no value", ZERO + leave)
                values[missing[place], place] = 0.0
        if zero and not (columns.finite and not any(map(len, missing))):
            values[np.isnan(values)] = 0.0
        if not columns.finite or values.dtype != np.float64:  # a number of double precision may be none of single
            chunk.refuse_not_finite(names, values, zero=ZERO)
        return values

    def _labels(self, chunk: Chunk) -> Array | None:
        target, columns = self._target, chunk.columns
        if target is None or target not in columns.names:
            return None
        missing = columns.missing(target)
        if self._frozen and len(missing) == columns.rows:
            return None
        if not self._unlabelled:
            chunk.fault(missing, target, "the label is missing", "every row needs one")
        if self._target_kind in NUMERIC:
            labels = columns.floats(target)
            if not columns.finite:
                there = labels.copy()
                there[missing] = 0.0
                chunk.refuse_not_finite([target], there.reshape(-1, 1))
            return labels
        code, known = columns.codes(target)
        longest = max(map(len, known), default=0)
        refuse_large(self.name, 4 * longest * len(code), "rows of such long labels", file_size=self._size)
        return np.array([*known, ""])[code]

    def _judge(self, chunk: Chunk) -> tuple[Array | None, DataError | None]:
        """A mask of the rows to use (None for all), and the error to raise after them."""
        bad, before = chunk.faults.rows(), self._rows
        self._rows += len(np.union1d(chunk.read(), bad)) if len(bad) else chunk.columns.rows
        if not len(bad):
            return None, None
        if not self._skips:
            column, fault, advice = chunk.faults.first(bad[0])
            return chunk.read() < bad[0], chunk.error(bad[0], column, fault, f"{advice}; {SKIPPING}")
        self._mark(before + bad)
        room = REMEMBERED_ERRORS - len(self.first_errors)
        for row in bad[:room]:
            self._pass_over(str(chunk.error(row, *chunk.faults.first(row))))
        self.skipped += len(bad[room:])
        return np.isin(chunk.read(), bad, invert=True), None
