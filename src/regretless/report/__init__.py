"""A run on one page: curves, certificates and weights as a self-contained HTML file."""

from .model import BoundCurve, Report
from .page import render, write_report

__all__ = ["BoundCurve", "Report", "render", "write_report"]
