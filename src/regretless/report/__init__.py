"""A run on one page: curves, certificates and weights as a self-contained HTML file."""

from .forecast_page import render_forecasts, write_forecast_report
from .forecasts import ForecastReport, History, shortened
from .logged_page import render_logged, write_logged_report
from .model import BoundCurve, Report
from .page import render, write_report
from .pull_page import render_pulls, write_pull_report
from .pulls import Course, Estimate, LoggedReport, PullReport

__all__ = [
    "BoundCurve",
    "Course",
    "Estimate",
    "ForecastReport",
    "History",
    "LoggedReport",
    "PullReport",
    "Report",
    "render",
    "render_forecasts",
    "render_logged",
    "render_pulls",
    "shortened",
    "write_forecast_report",
    "write_logged_report",
    "write_pull_report",
    "write_report",
]
