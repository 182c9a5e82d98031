"""A run on one page: curves, certificates and weights as a self-contained HTML file."""

from .forecast_page import render_forecasts, write_forecast_report
from .forecasts import ForecastReport, History, shortened
from .model import BoundCurve, Report
from .page import render, write_report

__all__ = [
    "BoundCurve",
    "ForecastReport",
    "History",
    "Report",
    "render",
    "render_forecasts",
    "shortened",
    "write_forecast_report",
    "write_report",
]
