"""Names that the options of a verb share with what it runs: learners by default, methods, learners with experts."""

from __future__ import annotations

from ..catalogue import BANDITS

COMBINER = "ml-poly"
BANDIT = "exp3-ix"
ADVISED = ", ".join(name for name, entry in BANDITS.items() if entry.info.advised)
IN_TURNS = ("cfr", "cfr+", "pcfr+")
