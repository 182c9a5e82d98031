"""Predicted labels that know their tickets."""

from __future__ import annotations


class Label(int):
    """The prediction of a round, 0 or 1, and the ticket by which its label is reported.

    Attributes
    ----------
    ticket : int
        Number of the prediction, from 0.
    """

    ticket: int = -1


class DrawnLabel(Label):
    """One that was drawn.

    Attributes
    ----------
    probability : float
        With which it is 1.
    """

    probability: float = 0.5
