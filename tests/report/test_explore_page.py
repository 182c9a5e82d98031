"""The report on a contextual bandit."""

from __future__ import annotations

import numpy as np

from regretless.report.explore_page import probability_panel
from regretless.run.explore_tally import LogTally


def test_the_chart_of_probabilities_says_shares_of_the_rounds() -> None:
    """Each point, and the number beside the name, is the share of the rounds with at most such a probability."""
    tally = LogTally(["a", "b"])
    for chance in (1.0, 0.6, 0.5, 0.25):
        tally.add(0, 0.5, chance, np.array([0.5, 0.5]), np.zeros(2))
    panel = probability_panel(tally)
    (line,) = panel.series
    assert line.points == [(0.0, 1.0), (1.0, 0.5), (2.0, 0.25)]
    assert line.final == "25.0%"
    assert [row[1] for row in panel.table[1:]] == ["4", "2", "1"]
