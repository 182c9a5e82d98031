"""Compiled rounds. Every function borrows arrays and owns nothing."""

from collections.abc import Callable, Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class AggregatedPlayer:
    """
    Rules and borrowed state of linear learners that are mixed; feed it rounds.
    """

    def __init__(self, cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], memory: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], books: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, scales: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, sketch: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')] | None = None, directions: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')] | None = None, small: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')] | None = None, *, rates: Sequence[float], curvatures: Sequence[float], full_prior: float, stack_curvature: float, intercept: float, tie: float, heaviest: float, share: bool) -> None: ...

    def play(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, begin: int = 0, end: int = -1) -> tuple[int, str | None]:
        """
        Play the rounds begin <= t < end; how many were played, and what stopped them.
        """

    def one(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: int, weight: float = 1.0) -> tuple[int, str | None]:
        """Play one dense round."""

    def score(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], members: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None) -> tuple[int, str | None]:
        """
        Scores of all rows, the same bits that play sees; and those of the members.
        """

    def watch(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None) -> None:
        """
        Write the scores that each round of the next plays is predicted by into this array, (rounds, targets); or stop.
        """

    def watch_members(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None) -> None:
        """The same for the scores of all members, (rounds, targets * lanes)."""

LEAST_ENTRY: float = 1e-75

MOST_ENTRY: float = 1e+75

AGGREGATED_LANES: int = 8

AGGREGATED_RATES: int = 4

AGGREGATED_COIN: int = 4

AGGREGATED_FULL: int = 5

AGGREGATED_STACK: int = 7

AGGREGATED_MEMORY_SIZE: int = 121

AGGREGATED_CELL_SIZE: int = 16

def factor_size(columns: int) -> int:
    """
    How many numbers the factor of a full member has, the constant feature being one of the columns.
    """

def aggregated_cell() -> dict[str, int]:
    """Where the numbers of each name begin in the cell of a feature."""

def aggregated_memory() -> dict[str, int]:
    """The same of the memory of a target."""

def transpose_bits(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Fills the columns from the rows of a table of bits, 64 to a word."""

def rank_of_bits(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')]) -> int:
    """How many rows are no sums over GF(2) of others; the rows are used up."""

class Player:
    """Rules and borrowed state; feed it rounds."""

    def __init__(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], memory: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], books: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], scratch: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], lag: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, *, geometry: str, loss: str, rate: str, radius: float = 0.0, eta: float = 1.0, tie: float = 0.0, intercept: float = 0.0, limit: float = 1.0, margin: float = 0.0, asking: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, b: float = 1.0, share: float = 0.0, most: float = 0.0, key: int = 0) -> None: ...

    def play(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, begin: int = 0, end: int = -1, moves: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None) -> tuple[int, str | None]:
        """
        Play the rounds begin <= t < end; how many were played, and what stopped them. `moves` takes the step of each round and target.
        """

    def one(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: int, weight: float = 1.0) -> tuple[int, str | None]:
        """Play one dense round."""

    def score(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[int, str | None]:
        """Scores of all rows, the same bits that play sees."""

    def watch(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, averages: bool = False, ahead: float = 0.0) -> None:
        """
        Write the scores that each round of the next plays is predicted by into this array, (rounds, targets); or stop.
        """

def sight(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: float, directions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], biases: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], whose: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bins: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], least: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], norms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, str | None]:
    """Bin the margins of all rows along each direction."""

def charge(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: float, loss: str, vectors: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], biases: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], whose: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], ends: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], norms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, str | None]:
    """Add up what vectors are charged in all rows."""

def ledger_fields() -> list[str]:
    """Names of a book's numbers, in order."""

def rate_clocks() -> dict[str, list[str]]:
    """Of each rate, the numbers of a book that it goes by."""

MEMORY_SIZE: int = 6

ASKING_SIZE: int = 8

UNKNOWN_LABEL: int = -2147483648

RAY_MANTISSA_BITS: int = 7

RAY_LOWEST: int = -48

RAY_SIDE: int = 12290

class Combiner:
    """A rule for the weights of experts, and borrowed state; feed it rounds."""

    def __init__(self, state: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], memory: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], book: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], tallies: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, rule: str, charge: str, schedule: str = 'constant', rate: float = 1.0, span: float = 0.0, alpha: float = 0.0, tau: float = 0.5, low: float = float('-inf'), high: float = float('inf'), linear: bool = False, substitute: bool = False, powers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, always: bool = False, width: int = 1) -> None: ...

    def play(self, advice: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], outcomes: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, *, predictions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, uniforms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')] | None = None, begin: int = 0, end: int = -1) -> tuple[int, str | None, int]:
        """
        Play the rounds begin <= t < end: the first that was not played, what stopped it, and whose advice that is (-1: the outcome's).
        """

    def play_delayed(self, advice: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], outcomes: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu', writable=False)] | None, settle: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], slots: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pool: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], *, predictions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None) -> tuple[int, str | None, int]:
        """
        Play all rounds, settling the rows settle[starts[t]:starts[t + 1]] before row t is predicted.
        """

    def predict(self, advice: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], yhat: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[str | None, int]:
        """
        Weights and prediction of one row; what is wrong with it, and whose advice that is.
        """

    @overload
    def settle(self, advice: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], yhat: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], outcome: float) -> tuple[float, str | None, int]:
        """
        Learn the outcome of a row that was predicted: the loss, what is wrong, and whose advice that is.
        """

    @overload
    def settle(self, advice: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], yhat: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], outcome: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, str | None, int]: ...

    def open(self, advice: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], waiting: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> object:
        """
        Predict a row, and keep in one array what its outcome will need: its first number, or what is wrong and where.
        """

    @overload
    def close(self, waiting: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], outcome: float) -> object:
        """Learn the outcome of such a row: the loss, or what is wrong and where."""

    @overload
    def close(self, waiting: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], outcome: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> object: ...

    @property
    def room(self) -> int:
        """How many numbers such an array has."""

    def settle_charges(self, own: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: float, mix: float) -> str | None:
        """
        Learn from losses and charges that were found elsewhere, nan for who is silent; what is wrong.
        """

    def weights(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Weights of the next round, if all speak."""

    def rates(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """The last rate of each expert."""

    def rate(self) -> float:
        """The rate of the next round; nan for rules that have none in common."""

    def log_potential(self) -> float:
        """Logarithm of the potential of a rule that has one, else nan."""

    def gap(self) -> float:
        """Sum of the mixability gaps."""

def combiner_rows(rule: str) -> int:
    """How many numbers a rule keeps of each expert."""

def expert_fields() -> list[str]:
    """Names of the numbers of an experts' book, in order."""

COMBINER_MEMORY: int = 8

COMBINER_RULES: dict = ...

class DelimitedBlocks:
    """Reads delimited text block by block, the same columns in each."""

    def __init__(self, nulls: Sequence[bytes], trues: Sequence[bytes], falses: Sequence[bytes]) -> None: ...

    def read(self, text: bytes, delimiter: str, kinds: str, places: Sequence[int]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], list[Annotated[NDArray[numpy.float64], dict(shape=(None,))]], list[Annotated[NDArray[numpy.int32], dict(shape=(None,))]], list[list], list[tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]], list[int]] | None:
        """
        Columns of whole rows of text, or None where it is not plain: a lone carriage return, a quote out of place, a row of another length or a cell that is not what its column holds. `kinds` has a letter for each column: n number, b boolean, t text, w words, e nothing, . passed over. Numbers have a place in the matrix, or -1 to be apart. Returns the matrix, the columns apart, the codes of those of text (-1 for none), their values, the cells of those of words (their bytes one after the other, where each ends after a 0, and the rows without one), and how many cells of each column are missing, which are nan in numbers.
        """

def quotes_delimiter(text: bytes, delimiter: str) -> bool:
    """
    Whether a delimiter stands within quotes, or a quote elsewhere than around cells or doubled in them.
    """

def cut_delimited(text: bytes, delimiter: str) -> int:
    """
    Where the last row ends that ends in the text, behind its newline; 0 where none does, and -1 where quotes or carriage returns stand elsewhere than usual.
    """

def side_by_side(columns: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], rows: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """A matrix of columns of so many numbers."""

def table_rows(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]] | None:
    """
    Values, indices and starts of compressed sparse rows: the numbers that are not zero, in the columns `ids`, and 1 in the column of each category, where -1 is none. None where ids do not ascend, or a row has a column twice.
    """

def add_words(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Values, indices and starts of sparse rows to which words are added, each with the number of times that it stands in its row; `columns` are those of each time, -1 for none, or their places in `features`, and `ends` where those of a row end, after a 0.
    """

def detect(losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], factors: Sequence[tuple[float, float]], capitals: Sequence[float], products: Sequence[float], starts: Sequence[int], mean_rounds: float, rounds: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], list[float], list[float], list[int], list[tuple[int, int]]]:
    """
    An e-detector's evidence after each loss, its capitals, products and starts after the last, and the round of each alarm with the one since which losses are worse. Of factors (rest, gain), one for each bet, a loss x multiplies by rest + gain x; `rounds` are those before.
    """

class Payer:
    """
    What a player wins against the other's strategy: a sign times a product.
    """

    @staticmethod
    def dense(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], *, turned: bool = False, sign: float = 1.0, columns: int = -1) -> Payer:
        """
        One row for each strategy of the player; turned, one for each of the other's.
        """

    @staticmethod
    def sparse(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: int, *, sign: float = 1.0) -> Payer:
        """Compressed rows, one for each strategy of the player."""

    @staticmethod
    def calls(multiply: Callable, *, mine: int, others: int, sign: float = 1.0) -> Payer:
        """A function of the other's strategy."""

    def gains(self, others: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mine: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write what each strategy wins."""

class Dueler:
    """Two learners and their borrowed state; let them play each other."""

    def __init__(self, method: str, row: Payer, column: Payer, *, row_state: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], column_state: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], memory: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], book: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], joint: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, alternate: bool = False, zero_sum: bool = True, power: int = 0, falls: bool = False, row_rate: float = 0.0, column_rate: float = 0.0) -> None: ...

    def play(self, rounds: int, target: float) -> tuple[int, bool]:
        """
        Play so many rounds, or fewer: how many were played, and whether the gap is at most `target`.
        """

def shorten_payoffs(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], centre: float, factor: float, out: Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Payoffs less `centre`, times `factor`, as short whole numbers."""

GAME_FIELDS: tuple = ...

DUEL_MEMORY: int = 6

DUEL_ROWS: int = 6

class KernelMachine:
    """A perceptron in the dual over borrowed arrays; feed it rounds."""

    def __init__(self, coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], lag: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], norm2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], born: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], books: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], lengths2: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], scratch: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], columns: int, most: int = 0) -> None: ...

    def dense(self, rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """The support is kept as dense rows."""

    def sparse(self, begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], length: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], place: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], work: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """The support is kept as sparse rows."""

    def gram_columns(self, column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """The support is columns of a Gram matrix."""

    def sources(self, source: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Note which row fills a slot, where rows come again."""

    def log(self, slot: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], round: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], moves: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """Write every update down."""

    def rules(self, kind: str, gamma: float = 1.0, coef0: float = 0.0, degree: int = 1, offset: float = 0.0, tie: float = 0.0) -> None:
        """Which kernel, and what a score of 0 means."""

    def play(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, begin: int = 0, end: int = -1, known: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')] | None = None, offset: int = 0) -> tuple[int, str | None]:
        """
        Play the rounds begin <= t < end; how many were played, and what stopped them.
        """

    def play_gram(self, gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: int, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, begin: int = 0, end: int = -1, known: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> tuple[int, str | None]:
        """The same on a Gram matrix."""

    def score(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[int, str | None]:
        """Scores of all rows, the same bits that play sees."""

    def watch(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None, averages: bool = False) -> None:
        """
        Write the scores that each round of the next plays is predicted by into this array, (rounds, targets); or stop.
        """

    def score_gram(self, gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[int, str | None]:
        """The same on a Gram matrix."""

    def gram(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], own: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, str | None]:
        """K(row, slot) of all rows and slots, and K(row, row)."""

    def adopt(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None) -> tuple[int, str | None]:
        """Fill slots with rows, without coefficients."""

def kernel_scratch(columns: int, targets: int) -> int:
    """How many numbers of scratch a KernelMachine needs."""

SPARSE_LANES: int = 32

class Littlestone:
    """
    A search for the Littlestone dimensions of version spaces of a class of distinct hypotheses, whose bits are borrowed; of what it found it remembers as much as the memory, in bytes, allows. Threads wait for one another.
    """

    def __init__(self, columns: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], hypotheses: int, memory: int = 1073741824) -> None: ...

    def run(self, alive: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, words: int, least: int = 0) -> tuple[int, int, int]:
        """
        Until so many words of bits more have been looked at, and the last step is done: the dimension is no less and no more, and how many steps were taken. A tree of `least` levels is known from elsewhere.
        """

    def tree(self, alive: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, depth: int, words: int | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]] | None:
        """
        A mistake tree of this depth in the order of a heap: its points, and a hypothesis for each leaf. None if so many words do not do, by which it is nearer.
        """

    def labels(self, alive: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, point: int) -> tuple[int, int]:
        """
        The dimensions of those that say 0 of a point and of those that say 1; -1 of none.
        """

    @property
    def words(self) -> int:
        """How many words of bits it has looked at."""

    @property
    def known(self) -> int:
        """How many version spaces it remembers something of."""

    @property
    def full(self) -> bool:
        """Whether it had to forget some."""

class RandomizedLittlestone:
    """
    The same for randomised Littlestone dimensions, which are fractions of 2**58.
    """

    def __init__(self, columns: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], hypotheses: int, memory: int = 1073741824) -> None: ...

    def run(self, alive: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, words: int) -> tuple[int, int, bool, int, int]:
        """
        Until so many words more have been looked at: no less, no more, whether the upper one may have been rounded up, the steps taken and the words looked at.
        """

    @property
    def words(self) -> int:
        """How many words of bits it has looked at."""

    @property
    def known(self) -> int:
        """How many version spaces it remembers something of."""

    @property
    def full(self) -> bool:
        """Whether it had to forget some."""

def nearest_point(rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], point: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], tolerance: float, nothing: float, most_work: float) -> tuple[str, float]:
    """
    The weights of the point of the rows' convex hull that is nearest to the origin, and the point, are written into the arrays; the search begins at the weights, or anywhere if all are zero. How it ended, near, nothing, stalled or late, and its multiplications.
    """

def climb(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, intercept: float, vectors: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], biases: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], multipliers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], most: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lacks: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, inverse: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, inverse_constant: float = 1.0, gains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> tuple[int, str | None]:
    """
    One pass of coordinate ascent in the dual of a linear support vector machine, or of four or eight, or of four of each class against the rest, those of a class side by side, where labels are classes; to `lacks` is added by how much the vectors, and after them the biases, are above their means over the pass. With the inverse of a diagonal A they are machines of the rows A^-1/2 x, by vectors that give the rows x the same scores. To `gains` is added by how much the pass raised the dual of each.
    """

def sum_of_squares(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, inverse: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, tuple[int, str | None]]:
    """The sum of x'A^-1 x over all rows x, A a diagonal."""

def sight_margins(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: float, directions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], biases: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], whose: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], least: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], norms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], margins: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[int, str | None, list[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))], float, float]]]:
    """
    What `sight` does, with the margins of all rows written down, a row each direction. Of each direction the bins that have any, those of positive margins first: their places; rounds, sum of margins and sum of their squares; the same of all negative margins, and of all up to each positive bin; and the sums over all of them.
    """

def leads(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: float, vectors: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], biases: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, leads: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[int, str | None]:
    """
    Write by how much the class of each row is above the best other one, in the scores of matrices: the vectors of the classes of one, then those of the next.
    """

def hinge_sums(margins: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float) -> tuple[float, float]:
    """
    The sums of the hinge losses of `scale` times the margins, and of their squares.
    """

PENALTIES: int = 4

def number_columns(indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], columns: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))] | Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    The columns of entries numbered afresh, of those that occur, and which these are, ascending. There may be 64 columns an entry, at most.
    """

def join_columns(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], columns: int, most: int, inverse: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, sums: bool = False, apart: bool = False) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]] | None:
    """
    Rows whose lone entries, those of columns that have no other, are joined to one number a row: values, columns numbered afresh, starts; which columns keep their entries; the lone columns, the unit vectors along A^-1 x of the lone entries x of each row, A a diagonal with that inverse or I, where those of each joined number begin, and where the largest of them is; with an inverse, of each joined number its own, and x'x over its square; with `sums`, of the sizes s in its unit vector the sum, that of s ln s, and their number. Positive and negative entries `apart` are joined to a number each, by vectors without negative entries. None where more than `most` columns would be left, or few of the entries are lone, or rows cannot be used, as where lone entries are not 0 whose squares are.
    """

def join_table(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], shared: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lone: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Of a table with a row each column, the rows of shared columns, then the sums of those of lone columns times their shares.
    """

MOST_COLUMNS_AN_ENTRY: int = 64

def squares(vector: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The sum of the squares of a vector."""

def column_squares(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], roots: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> list[float]:
    """
    The sum of squares of a vector, or of each of four or eight that lie side by side; of their entries times those of `roots`, if there are some. The same as `squares` gives of each.
    """

def divide_columns(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], lengths: Sequence[float], size: float) -> None:
    """
    Divide vectors that lie side by side by their lengths, and multiply them by a size.
    """

def simplex_sums(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], duals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rests: Sequence[float], groups: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> tuple[list[float], list[float], list[float], list[float]]:
    """
    Of each of the vectors that lie side by side: the sum of the sizes of its entries, and of a rest; its product with `duals`; the sum of s ln s over the shares s of these sizes in that sum; how many of them are above 0. The last columns may stand for `groups` of others where vectors have multiples of shares; of the sizes s of these the sum is given, that of s ln s, and their number.
    """

def take_positive(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Put 0 in the place of negative numbers."""

def rows_of(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None))], bool]:
    """
    Some rows of a table, by ascending numbers, and whether all others hold nothing but zeros.
    """

def read_diagonal(records: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], prior: float, sized: bool, least: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], float, float]:
    """
    Of records of a weight, a sum of squares, a sum of y x and a largest square: the weights, the roots of the entries of the diagonal matrix A, the inverses of these, u'A^-1 u and ln det A over what A started with.
    """

def turn_cells(cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: int, squares: int, most: int, root: int, single: tuple[float, float, float], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], metric: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Each number of the cells of a mixture beside that of the next column, from the second place of each row of the table on, and what its rates divide by.
    """

def multiples(rays: Sequence[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], tuple[float, float, float, float, float]]], spans: Sequence[tuple[int, int, int]], step: int, ends: Sequence[tuple[int, float]]) -> tuple[list[int], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
    """
    Multiples of the directions of rays, which are given as the places of bins of positive margins, what is below each of them, and size, smallest margin, own length, product and divergence: of each span, a ray with its first and last edge, at every `step`th edge; and of each end, a ray with a scale, v = 0 or the multiple whose smallest margin is 1. Where those of each begin; at which edge each is, -1 at none; and a table of scales, sums of hinge losses and of their squares, lengths, smallest margins, own lengths, products, divergences.
    """

def least_by_span(each: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], starts: Sequence[int]) -> list[list[tuple[float, int]]]:
    """
    The least of those numbers of each span that are finite, and where it stands; infinity where none is.
    """

def ridge_regression(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], intercept: float, tilt: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], over: float, reach: float, best: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, str | None]:
    """
    About the minimiser of the log loss of rows in units of the penalty, and of a tilt.
    """

@overload
def cross_rows(values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], all: bool, first: int, places: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], triangle: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], listed: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], count: int, far: int, limit: int, learn: bool, bits: int, features: bool, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int, int, int, int]: ...

@overload
def cross_rows(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], all: bool, first: int, places: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], triangle: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], listed: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], count: int, far: int, limit: int, learn: bool, bits: int, features: bool, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int, int, int, int]:
    """
    Compressed rows of the keys of other rows and of their products, from the row `first` on: those of the places `left` and `right` of each row, or all. Columns are numbers of keys, or with `bits` their hash, but that of a feature itself with `features`. What is 0 or has no key (-1) is left out, what stands in one column added up. How many rows are done (the table may be full), numbers there are, of keys that are far, keys were refused one, and entries.
    """

def hash_keys(keys: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bits: int, columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The lowest bits of the splitmix64 of each key."""

def number_keys(places: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], triangle: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], listed: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], count: int, far: int, limit: int, learn: bool, keys: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int, int, int]:
    """
    The numbers of keys, -1 for none; new ones are learned until the table is full. How many keys are done, how many numbers there are, how many of keys that have places, and how many keys were refused one.
    """

def fill_places(places: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], triangle: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], listed: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], count: int) -> None:
    """
    Give listed keys, which differ, their places in a table; near ones stand in the triangle.
    """

TRIANGLE_SIZE: int = 1049075

class Puller:
    """A bandit's rule and borrowed state; feed it rounds."""

    def __init__(self, rule: str, schedule: str, *, state: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], memory: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], book: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], tallies: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], rate: float, gamma: float, beta: float = 0.0, explore: float = 0.0, share: float = 0.0, reduced: bool = False, low: float = 0.0, high: float = 1.0, rewards: bool = False, arms: int, seed: int, run: int, first_arms: int = 0, horizon: float = 0.0) -> None: ...

    def draw(self) -> int:
        """Draw an arm of all, bare: its loss comes before anything else."""

    def update(self, arm: int, loss: float) -> None:
        """The loss of the arm that was just drawn."""

    def open(self, mask: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, advice: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None) -> tuple[int, float, float, int]:
        """
        Draw an arm: the arm, its probability, gamma, and the number of the draw.
        """

    def settle(self, arm: int, p: float, gamma: float, number: int, loss: float, mask: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, advice: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, row: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        The loss of such a draw, or of all arms, with the mask or the advice it was drawn under.
        """

    def lose(self, number: int) -> None:
        """
        The loss of a draw will never come; that of an open bare draw, if it is the last one.
        """

    def probabilities(self, mask: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, advice: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Probabilities of the arms in the next draw."""

    def rate(self) -> float:
        """The rate of the next draw."""

    def gamma(self) -> float:
        """The implicit exploration of the next draw."""

    def rebuild(self) -> None:
        """Make what is cached anew, after somebody else wrote to the arrays."""

    def play_table(self, table: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], begin: int, end: int, *, arms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')] | None = None, advice: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, marks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, loss_curve: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None, certificate_curve: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None, shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, clean: bool = False) -> tuple[int, str | None, int]:
        """
        Play the rows begin <= t < end, or the first of them: how many were played, why the next was not, and its column.
        """

    def play_bernoulli(self, means: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], noise_key: int, begin: int, end: int, *, arms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')] | None = None, advice: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, marks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, loss_curve: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None, certificate_curve: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None, shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None) -> tuple[int, str | None, int]:
        """
        The same with losses that are 1 with the given probabilities, in units, and else 0.
        """

def inspect_table(table: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], low: float, high: float) -> tuple[int, str | None, int, bool]:
    """
    How many rows of a table can be played, what is wrong with the next one and where, and whether any arm sleeps.
    """

def uniforms(seed: int, run: int, position: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    The numbers in [0, 1) that draws number position + 1, position + 2, ... of a run take.
    """

def find_arms(masses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], uniforms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    The arms that numbers in [0, 1) draw in proportion to masses, by a sum tree.
    """

def puller_rows(rule: str) -> int:
    """How many numbers a rule keeps of each arm or expert."""

PULL_MEMORY: int = 15

PULL_RULES: dict = ...

PULL_FIELDS: tuple = ...

class RegressionPlayer:
    """
    Rules and borrowed state of linear learners of numbers; feed it rounds.
    """

    def __init__(self, cells: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], memory: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], books: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, scales: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None, *, loss: str, tau: float, schedule: str, matrix: str, step: float, rates: Sequence[float], priors: Sequence[float], intercept: float, share: bool) -> None: ...

    def play(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, outcomes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int = 0, end: int = -1, forecasts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> tuple[int, str | None]:
        """
        Play the rounds begin <= t < end; how many were played, and what stopped them. `forecasts` takes what each was predicted by.
        """

    def one(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], outcome: float) -> tuple[int, str | None]:
        """Play one dense round."""

    def score(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], members: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None = None) -> tuple[int, str | None]:
        """
        Forecasts of all rows, the same bits that play sees; and those of the members.
        """

def regression_losses() -> list[str]:
    """Names of what learners of numbers may charge."""

def descent_schedules() -> list[str]:
    """Names of the steps of gradient descent on numbers."""

REGRESSION_MEMORY_SIZE: int = 76

REGRESSION_CELL_SIZE: int = 12

class Explorer:
    """A rule that draws arms by features, their models, and borrowed sums."""

    def __init__(self, rule: str, models: list[RegressionPlayer], book: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], tallies: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], estimates: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], *, amount: float, tuned: bool, confidence: float, norm: float, low: float, high: float, rewards: bool, seed: int) -> None: ...

    def forecasts(self, x: Annotated[NDArray, dict(order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        What each arm is expected to lose, by a row; by a row an arm, where they share a model.
        """

    def probabilities(self, x: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], awake: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The probabilities of the next draw; `x` holds forecasts, where there are no models.
        """

    def act(self, x: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], awake: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[int, float, float]:
        """Draw: the arm, its probability and its forecast."""

    def settle(self, x: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, arm: int, probability: float, forecast: float, loss: float, late: bool, awake: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Take in the loss of a decision, in units; the row of its arm is learned, unless it is None.
        """

    def teach(self, x: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], arm: int, loss: float) -> None:
        """Learn from a decision that is none of its own."""

    def play(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, losses: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], arms: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], begin: int, end: int) -> tuple[int, str | None, int]:
        """
        Play the rounds begin <= t < end; how many were played, and what stopped them where.
        """

EXPLORE_FIELDS: list = ...

LOGISTIC_LIMIT: float = 8.0

EXPLORE_TALLIES: int = 5

EXPLORE_IMPLICIT: int = 10

class SecondOrderPlayer:
    """Rules and borrowed state of a second-order learner; feed it rounds."""

    @overload
    def __init__(self, records: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], memory: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], books: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], scratch: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, loss: str, tie: float = 0.0, intercept: float = 0.0) -> None: ...

    @overload
    def __init__(self, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], scales: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], factor: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], memory: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], books: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], scratch: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, loss: str, tie: float = 0.0, intercept: float = 0.0) -> None: ...

    @overload
    def __init__(self, sums: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], shed: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], largest: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], inverse: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], directions: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], lower: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], memory: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], books: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], scratch: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, loss: str, tie: float = 0.0, intercept: float = 0.0) -> None: ...

    def play(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, begin: int = 0, end: int = -1) -> tuple[int, str | None]:
        """
        Play the rounds begin <= t < end; how many were played, and what stopped them.
        """

    def one(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: int, weight: float = 1.0) -> tuple[int, str | None]:
        """Play one dense round."""

    def score(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[int, str | None]:
        """Scores of all rows, the same bits that play sees."""

    def watch(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None) -> None:
        """
        Write the scores that each round of the next plays is predicted by into this array, (rounds, targets); or stop.
        """

SECOND_ORDER_MEMORY_SIZE: int = 6

MOST_SKETCH_ROWS: int = 200

class Shatter:
    """
    A search for so many points that a class shatters. Columns are points: bit h % 64 of word h // 64 is what hypothesis h says. MemoryError ends it.
    """

    def __init__(self, columns: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], hypotheses: int, target: int) -> None: ...

    def run(self, work: int) -> bool | None:
        """
        Goes on until about as many words were looked at: whether there is such a set, None if that is not known yet.
        """

    def dive(self, work: int) -> bool:
        """
        A shattered set by greedy choices, whatever its size, instead of run: whether it is at its end. Until then, what is found grows.
        """

    @property
    def points(self) -> list[int]:
        """The points of the set that was found, in the order of their choice."""

    @property
    def steps(self) -> int:
        """How many sets were looked at."""

class SvmlightParser:
    """Svmlight text to compressed sparse rows, a block at a time."""

    def __init__(self, single: bool, first_id: int | None, columns_allowed: int, skip: bool, block: int) -> None:
        """
        Values become float32 if `single`; `first_id` is the id of column 0, found from the first entries if None. With `skip` a bad line is a row of the label NaN without entries; else reading ends behind the first.
        """

    def next(self, file: object) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], int, int, list[tuple[str, int, int, bytes]]] | None:
        """
        The next block of `file` (which has `readinto`), or None behind the last: labels, starts, indices, values, columns seen so far, how many lines were bad, and (what, line, column, text) of the first of these. The arrays stay as they are for as long as anyone holds them.
        """

    def gather(self, file: object, bytes_expected: int) -> bool:
        """
        Add the rows of the next block to those gathered; False behind the last block and at a bad line.
        """

    def gathered(self) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray, dict(shape=(None,))], int, int, list[tuple[str, int, int, bytes]]]:
        """All rows gathered, in the form of `next`."""

    @property
    def first_id(self) -> int | None:
        """The id of column 0, or None when there were no entries yet."""

def payoff_range(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)]) -> tuple[float, float]:
    """
    The least and the largest number; both are nan if one of them is not finite.
    """

def enclose(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], size: float, row: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None = None) -> tuple[float, float]:
    """
    Numbers between which the value of a game lies, as two strategies prove it; no payoff is larger than size.
    """

def solve_game(values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], low: float, high: float, limit: int, row: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], column: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[float, float, int, float, list[int], list[int]] | None:
    """
    All that GameTableau and enclose say of a game: lower, upper, pivots, gap, and the rows and columns in play; none if more pivots are needed than limit allows.
    """

class GameTableau:
    """
    The condensed tableau of a dense game whose payoffs lie within low ... high. After more pivots that gain nothing than patience allows they go on in lexicographic order.
    """

    def __init__(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], low: float, high: float, patience: int | None = None) -> None: ...

    def solve(self, limit: int, row: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], column: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> bool:
        """
        At most so many pivots, and at the end the strategies: whether it is the end.
        """

    def basis(self) -> tuple[list[int], list[int]]:
        """The rows and the columns that are in play at the end."""

    @property
    def pivots(self) -> int: ...

    @property
    def gap(self) -> float:
        """What is left of the gap, in units of the range of the payoffs."""

class Tree:
    """A game in sequence form over borrowed arrays."""

    def __init__(self, *, row_first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], column_first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], column_parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row_columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column_columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], column_values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def enclose(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rounded: bool) -> tuple[float, float]:
        """
        What the plan x wins at least and y pays at most; rounded: each payoff may be off by half a unit.
        """

    def reaches(self, row: bool, low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """The least and the most that each sequence of a player can be worth."""

class TreeDuel:
    """Two learners that play each other on a tree, and their borrowed state."""

    def __init__(self, tree: Tree, rule: str, *, row: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], column: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], memory: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], book: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], alternate: bool, power: int) -> None: ...

    def play(self, rounds: int) -> None:
        """Play so many rounds more."""

    def settle(self) -> None:
        """
        Bring the book up to date: regrets, lengths and the gap of the averages.
        """

TREE_ROWS: int = 5

TREE_MEMORY: int = 2

def rotate_triangle(triangle: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Rotate the last row of a square array into the triangle above it, with the last column.
    """

def solve_triangle(triangle: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], right: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], transposed: bool) -> None:
    """
    Put the solution in the place of the right-hand side; the last row and column of the array do not count.
    """

def sum_of_products(a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """Of two vectors, from the first entry on."""

VOTE_FIELDS: tuple = ('rounds', 'mistakes', 'alive', 'voters', 'died')

class Voter:
    """
    The hypotheses that are kept: they vote, or the first one in the order is followed. Those alive are another set where only mistakes cost hypotheses their vote.
    """

    def __init__(self, columns: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], hypotheses: int, voters: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], book: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], alive: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')] | None = None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, tie: int = 1, lazy: bool = False) -> None: ...

    @property
    def size(self) -> int:
        """How many are kept."""

    def ones(self, point: int) -> int:
        """How many of them say 1."""

    def predict(self, point: int) -> int:
        """Nothing is moved by it."""

    def settle(self, point: int, label: int, predicted: int) -> None:
        """A round whose label is known."""

    def play(self, points: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], predictions: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], alive: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        Many rounds: what is predicted, and how many agree with all labels after each.
        """

class VowpalRows:
    """Reads lines of Vowpal Wabbit's text of rows, some at a time."""

    def __init__(self) -> None: ...

    def read(self, text: str) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], list] | None:
        """
        Of whole lines, where nothing but spaces parts words: the labels, where the features of each row end, after a 0, which of the names each is, their values, and the names that are new, in the order in which they come after those before. None where a label is no number, or anything is unusual: then nothing is known.
        """

def columns_of(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Values, indices and starts of sparse rows of features, whose codes are places in `columns`; those of -1 are left out, and what is of one column is added up in the order in which it stands.
    """

class MirrorPlayer:
    """Mirror steps by a link: rules and borrowed state; feed it rounds."""

    def __init__(self, pairs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], memory: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], books: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], scratch: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], *, link: str, rate: float = 1.0, tie: float = 0.0, intercept: float = 0.0) -> None: ...

    def play(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sample_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, begin: int = 0, end: int = -1) -> tuple[int, str | None]:
        """
        Play the rounds begin <= t < end; how many were played, and what stopped them.
        """

    def one(self, x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], label: int, weight: float = 1.0) -> tuple[int, str | None]:
        """Play one dense round."""

    def score(self, values: Annotated[NDArray, dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray, dict(order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple[int, str | None]:
        """Scores of all rows under the normalised weights."""

    def watch(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')] | None) -> None:
        """
        Write the scores that each round of the next plays is predicted by into this array, (rounds, targets); or stop.
        """

    def refresh(self) -> None:
        """
        Compute all that follows from the dual coordinates, as they were put there.
        """

MIRROR_MEMORY_SIZE: int = 13

class WordReader:
    """
    Reads the words of a column, and sequences of neighbours up to `ngrams`, a space between.
    """

    def __init__(self, ngrams: int) -> None: ...

    def read(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], letters: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], list]:
        """
        The words of cells of UTF-8 text, with the letters of ASCII as small ones: where those of each row end, after a 0, which of the values each is, and the values that are new, in the order in which they come after those before. Letters are the characters of words beyond ASCII, ascending; `missing` are rows without a cell, ascending.
        """

class WorstCaseSearch:
    """
    The most mistakes that labels of a hypothesis force on who follows the first hypothesis that is left, or the majority.
    """

    def __init__(self, columns: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], hypotheses: int, *, first: bool = False, tie: int = 1, lazy: bool = False, memory: int = 1073741824) -> None: ...

    def run(self, words: int) -> tuple[int, int, int, bool]:
        """
        Go on until so many words were looked at: (lower, upper, steps until now, whether memory ran out).
        """

    def trace(self) -> tuple[list[int], list[int], int]:
        """
        Points and labels that force the lower number of mistakes, and a hypothesis that agrees with them.
        """

def zeros(count: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Zeros that begin a cache line, or a large page if they are many, and take no memory then until they are written to.
    """

def isa() -> str:
    """The instruction set in use."""

def isas() -> list[str]:
    """The instruction sets that this machine can run."""

def use_isa(name: str) -> None:
    """Choose an instruction set; all of them give the same bits."""
