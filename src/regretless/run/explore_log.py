"""The log of a run: each action that was taken, its cost and probability, and the features it was taken for."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..atomic_write import Replacement, naming
from ..data.column_writer import ColumnsOut

if TYPE_CHECKING:
    from ..contextual.inputs import Trial

Array = np.ndarray[Any, Any]
TAKEN = ("action", "cost", "reward", "probability")  # what columns beside the features may be called
WABBIT, BLOCKS = ".vw", ".adf.vw"


class DecisionsOut:
    """A log that is written as its rounds are played: a table, or Vowpal Wabbit's text by the suffix ``.vw``, of
    ``--cb_adf`` by ``.adf.vw``.

    Parameters
    ----------
    path : path-like
        Comma-separated text, Parquet by its suffix, or ``action:cost:probability | features``.
    actions : sequence of str
    features : callable
        Gives what the features are called; asked when the first rows are written.
    rewards : (float, float), optional
        Where rewards lie, if the rounds have these; a text of costs has low + high - reward then.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        actions: Sequence[str],
        features: Callable[[], Sequence[str]],
        rewards: tuple[float, float] | None = None,
    ) -> None:
        self.path = os.fspath(path)
        self._actions, self._features, self._rewards = list(actions), features, rewards
        wabbit = os.path.splitext(self.path)[1].lower() == WABBIT
        self._out: ColumnsOut | WabbitOut = (
            WabbitOut(self.path, features, self._actions) if wabbit else ColumnsOut(self.path, self._names)
        )

    def _names(self) -> list[str]:
        outcome = "cost" if self._rewards is None else "reward"
        return ["action", outcome, "probability", *(column_of(name) for name in self._features())]

    def write(self, rows: Array, trial: Trial) -> None:
        """Write some rounds.

        Raises
        ------
        OSError
            If they cannot be written; it names the file.
        """
        words, outcomes = [self._actions[action] for action in trial.actions.tolist()], trial.losses
        if self._rewards is not None and isinstance(self._out, WabbitOut):
            outcomes = sum(self._rewards) - outcomes
        self._out.write(words, [outcomes, trial.probabilities, *rows.T])

    def close(self, *, keep: bool) -> None:
        """Complete the file, or delete what was written.

        Raises
        ------
        OSError
            If it cannot be completed; it names the file.
        """
        if keep:
            self._out.finish()
        else:
            self._out.discard()


def column_of(feature: str) -> str:
    """The column of a feature in a log that is written."""
    return feature if feature not in TAKEN else f"feature {feature}"


class WabbitOut:
    """Vowpal Wabbit's text; actions and features have no spaces, colons or bars there.

    Parameters
    ----------
    path : path-like
    features : callable
        Gives what the features are called.
    actions : sequence of str
    """

    def __init__(
        self, path: str | os.PathLike[str], features: Callable[[], Sequence[str]], actions: Sequence[str]
    ) -> None:
        self.path = os.fspath(path)
        self._actions = [plain_word(action) for action in actions]
        self._blocks = self.path.lower().endswith(BLOCKS)
        self._names, self._features = features, list[str]()
        self._replacement: Replacement | None = None

    def write(self, words: Sequence[str], columns: Sequence[Array]) -> None:
        """Write some rounds: actions, and columns of costs, probabilities and features."""
        with naming(self.path):
            if self._replacement is None:
                self._replacement = Replacement(self.path)
                self._features = [plain_word(name) for name in self._names()]
            numbers = np.column_stack(columns).tolist()
            lines = [self._line(word, *row) for word, row in zip(words, numbers, strict=True)]
            self._replacement.file.write("".join(lines).encode())

    def _line(self, action: str, cost: float, chance: float, *row: float) -> str:
        pairs = zip(self._features, row, strict=True)
        cells = [name if value == 1 else f"{name}:{value!r}" for name, value in pairs if value]
        if not self._blocks:
            return f"{plain_word(action)}:{cost!r}:{chance!r} | {' '.join(cells)}\n"
        labels = [f"0:{cost!r}:{chance!r} " if name == plain_word(action) else "" for name in self._actions]
        lines = [f"{label}|a {name}\n" for label, name in zip(labels, self._actions, strict=True)]
        return f"shared |s {' '.join(cells)}\n{''.join(lines)}\n"

    def finish(self) -> None:
        """Complete the file."""
        with naming(self.path):
            if self._replacement is not None:
                self._replacement.finish()
        self._replacement = None

    def discard(self) -> None:
        """Delete what was written."""
        if self._replacement is not None:
            self._replacement.discard()
        self._replacement = None


def plain_word(text: str) -> str:
    """A name without what ends one in that text."""
    return "".join("_" if letter in " \t\r\n:|" else letter for letter in text) or "_"
