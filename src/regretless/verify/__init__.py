"""A second opinion: certificates of a report computed again from the data and plain formulas.

Nothing here imports the learners, their kernels or their theory: rows come from the readers, runs from the textbook,
sums from numpy, and bounds from the formulas as they are printed.
"""

from __future__ import annotations

from .checks import Again, Check, Number, whole

__all__ = ["Again", "Check", "Number", "whole"]
