"""A run on one page: curves, certificates and weights as a self-contained HTML file."""

from .compare_page import CompareReport, page_of_comparison
from .forecast_page import ForecastReport, page_of_forecasts
from .game_page import page_of_game
from .games import (
    EquilibriumRow,
    ExactGame,
    GameCourse,
    GameReport,
    InformationSetRow,
    JointRow,
    game_report,
)
from .logged_page import LoggedReport, page_of_log
from .mix_page import MixReport, page_of_mix
from .page import Page
from .play_page import PlayReport, page_of_play
from .pull_page import PullCurves, PullReport, page_of_pulls
from .regression_page import RegressionReport, page_of_regression
from .residuals import IntervalCourse
from .run_page import Report, page_of_run
from .template import render, write_report
from .watch_page import WatchedColumn, WatchPoint, WatchReport, page_of_watch

__all__ = [
    "CompareReport",
    "EquilibriumRow",
    "ExactGame",
    "ForecastReport",
    "GameCourse",
    "GameReport",
    "InformationSetRow",
    "IntervalCourse",
    "JointRow",
    "LoggedReport",
    "MixReport",
    "Page",
    "PlayReport",
    "PullCurves",
    "PullReport",
    "RegressionReport",
    "Report",
    "WatchPoint",
    "WatchReport",
    "WatchedColumn",
    "game_report",
    "page_of_comparison",
    "page_of_forecasts",
    "page_of_game",
    "page_of_log",
    "page_of_mix",
    "page_of_play",
    "page_of_pulls",
    "page_of_regression",
    "page_of_run",
    "page_of_watch",
    "render",
    "write_report",
]
