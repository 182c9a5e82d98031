"""Words of a column of text."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .table_chunk import Array

BETWEEN = r"[^\pL\pM\pN_]+"  # what stands between words: all but letters, their marks, digits and _


class Words(NamedTuple):
    """The words of a column, one entry for each time that one stands in a row.

    Attributes
    ----------
    rows : ndarray of int64, shape (entries,)
        The row of each entry, ascending.
    codes : ndarray of int32, shape (entries,)
        Which of the values it is.
    values : list of str
        Each word once, in the order in which they come.
    """

    rows: Array
    codes: Array
    values: list[str]

    def only(self, good: Array) -> Words:
        """The entries of the rows of a mask, which are numbered anew."""
        mask = good[self.rows]
        return Words((np.cumsum(good) - 1)[self.rows[mask]], self.codes[mask], self.values)


def words_of(column: Any, ngrams: int) -> Words:
    """The words of each cell in lower case, and sequences of up to `ngrams` neighbours, joined by a space.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of strings
        Cells that are missing have no words.
    ngrams : int
        At least 1.
    """
    import pyarrow as pa
    from pyarrow import compute

    cells = compute.utf8_lower(column.combine_chunks().cast("large_string").fill_null(""))
    lists = compute.split_pattern_regex(cells, BETWEEN)
    rows = np.repeat(np.arange(len(cells)), compute.list_value_length(lists).to_numpy(zero_copy_only=False))
    tokens = lists.flatten()
    real = compute.not_equal(tokens, "")
    single, rows = tokens.filter(real), rows[real.to_numpy(zero_copy_only=False)]
    space = pa.scalar(" ", single.type)
    each, of_rows, longer = [single], [rows], single
    for length in range(2, ngrams + 1):
        end = max(len(single) - length + 1, 0)
        longer = compute.binary_join_element_wise(longer[:end], single[length - 1 :], space)
        together = rows[:end] == rows[length - 1 :]
        each.append(longer.filter(pa.array(together)))
        of_rows.append(rows[:end][together])
    rows = np.concatenate(of_rows)
    order = np.argsort(rows, kind="stable")
    encoded = pa.concat_arrays(each).take(order).dictionary_encode()
    return Words(rows[order], encoded.indices.to_numpy(), encoded.dictionary.to_pylist())
