"""A run on one page: curves, certificates and weights as a self-contained HTML file."""

from .forecast_page import render_forecasts, write_forecast_report
from .forecasts import ForecastReport, History, shortened
from .game_page import render_game, write_game_report
from .game_solved import named_course, solved
from .games import (
    EquilibriumRow,
    ExactGame,
    GameCourse,
    GameReport,
    InformationSetRow,
    JointRow,
)
from .logged_page import render_logged, write_logged_report
from .mix_page import render_mix, write_mix_report
from .mixtures import EpochRow, MixReport, ShardRow
from .model import BoundCurve, Report
from .page import render, write_report
from .play_page import LowerBoundPanel, PlayReport, render_play, write_play_report
from .pull_page import render_pulls, write_pull_report
from .pulls import Estimate, LoggedReport, PullCurves, PullReport

__all__ = [
    "BoundCurve",
    "EpochRow",
    "EquilibriumRow",
    "Estimate",
    "ExactGame",
    "ForecastReport",
    "GameCourse",
    "GameReport",
    "History",
    "InformationSetRow",
    "JointRow",
    "LoggedReport",
    "LowerBoundPanel",
    "MixReport",
    "PlayReport",
    "PullCurves",
    "PullReport",
    "Report",
    "ShardRow",
    "named_course",
    "render",
    "render_forecasts",
    "render_game",
    "render_logged",
    "render_mix",
    "render_play",
    "render_pulls",
    "shortened",
    "solved",
    "write_forecast_report",
    "write_game_report",
    "write_logged_report",
    "write_mix_report",
    "write_play_report",
    "write_pull_report",
    "write_report",
]
