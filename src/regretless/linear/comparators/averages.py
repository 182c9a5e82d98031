"""Other learners over the same rounds, whose mean weights are good directions."""

from __future__ import annotations

from collections.abc import Sequence

from ...data.batch import Array, Batch
from ..state import Rules, State

Plan = tuple[str, Rules]


class Means:
    """Other learners that go over the same rounds, whose mean weights are good directions."""

    def __init__(self, columns: int, targets: int, plans: Sequence[Plan]) -> None:
        self._plans, self._fit = plans, [True] * len(plans)
        self._states = [State(columns, targets, average=True) for _ in plans]

    def play(self, batch: Batch, codes: Array, order: Array | None = None) -> None:
        """Some rounds more."""
        for k, (state, (_, rules)) in enumerate(zip(self._states, self._plans, strict=True)):
            if self._fit[k]:
                player = state.player(rules)
                self._fit[k] = player.play(batch.values, batch.indices, batch.starts, codes, None, order)[1] is None

    def weights(self) -> list[tuple[str, Array, Array] | None]:
        """Name, weights and weights of the constant feature of each; None of those whose play failed."""
        each = zip(self._plans, self._states, self._fit, strict=True)
        return [(name, *state.average()) if fit else None for (name, _), state, fit in each]
