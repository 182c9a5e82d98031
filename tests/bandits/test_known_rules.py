"""What a rule of the core that keeps more than its arrays must do when it has the arrays alone."""

from __future__ import annotations

import numpy as np
import pytest

from regretless import _core

pytestmark = pytest.mark.kernel

ARRAYS = ("state", "memory", "book", "tallies")


class Tsallis:
    """Tsallis-INF over plain arrays."""

    def __init__(self, arms: int, reduced: bool) -> None:
        self.arms, self.reduced = arms, reduced
        self.held = {
            "state": np.zeros((_core.puller_rows("tsallis-inf"), arms)),
            "memory": np.zeros(_core.PULL_MEMORY),
            "book": np.zeros(len(_core.PULL_FIELDS)),
            "tallies": np.zeros((4, arms)),
        }
        self.found_again()

    def found_again(self) -> None:
        """A puller that knows these arrays and nothing else."""
        rules = {"rate": np.nan, "gamma": np.nan, "reduced": self.reduced}
        self.core = _core.Puller("tsallis-inf", "anytime", arms=self.arms, seed=3, run=5, **self.held, **rules)

    def bits(self) -> bytes:
        return b"".join(self.held[name].tobytes() for name in ARRAYS)


@pytest.mark.parametrize("reduced", [False, True])
def test_a_loss_after_a_store_is_learned_by_the_probabilities_of_its_draw(reduced):
    """Who is stored between a draw and its loss learns the same bits as one who was not, at rates above 1 and below."""
    one, other = Tsallis(5, reduced), Tsallis(5, reduced)
    for loss in np.random.default_rng(0).random(40):
        tickets = [each.core.open() for each in (one, other)]
        assert tickets[0] == tickets[1]
        other.found_again()
        for each in (one, other):
            each.core.settle(*tickets[0], loss)
        assert one.bits() == other.bits()
