"""A run on one page: curves, certificates and weights as a self-contained HTML file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lazy_names import lazy_names

MODULES = {
    "BimatrixReport": "games",
    "CompareReport": "compare_page",
    "ExploreReport": "explore_page",
    "ForecastReport": "forecast_page",
    "GameReport": "games",
    "InformationSetRow": "games",
    "IntervalCourse": "residuals",
    "LoggedReport": "logged_page",
    "MixReport": "mix_page",
    "Page": "page",
    "PlayReport": "play_page",
    "PoliciesReport": "policies_page",
    "PullCurves": "pull_page",
    "PullReport": "pull_page",
    "RegressionReport": "regression_page",
    "Report": "run_page",
    "ServiceReport": "service_page",
    "WatchPoint": "watch_page",
    "WatchReport": "watch_page",
    "WatchedColumn": "watch_page",
    "page_of_bimatrix": "bimatrix_page",
    "page_of_comparison": "compare_page",
    "page_of_explore": "explore_page",
    "page_of_forecasts": "forecast_page",
    "page_of_game": "game_page",
    "page_of_log": "logged_page",
    "page_of_mix": "mix_page",
    "page_of_play": "play_page",
    "page_of_policies": "policies_page",
    "page_of_pulls": "pull_page",
    "page_of_regression": "regression_page",
    "page_of_run": "run_page",
    "page_of_service": "service_page",
    "page_of_watch": "watch_page",
    "render": "template",
    "write_report": "template",
}

# Names: made by docs/name_lists.py of MODULES
if TYPE_CHECKING:
    from .bimatrix_page import page_of_bimatrix
    from .compare_page import CompareReport, page_of_comparison
    from .explore_page import ExploreReport, page_of_explore
    from .forecast_page import ForecastReport, page_of_forecasts
    from .game_page import page_of_game
    from .games import BimatrixReport, GameReport, InformationSetRow
    from .logged_page import LoggedReport, page_of_log
    from .mix_page import MixReport, page_of_mix
    from .page import Page
    from .play_page import PlayReport, page_of_play
    from .policies_page import PoliciesReport, page_of_policies
    from .pull_page import PullCurves, PullReport, page_of_pulls
    from .regression_page import RegressionReport, page_of_regression
    from .residuals import IntervalCourse
    from .run_page import Report, page_of_run
    from .service_page import ServiceReport, page_of_service
    from .template import render, write_report
    from .watch_page import WatchedColumn, WatchPoint, WatchReport, page_of_watch

__all__ = [
    "BimatrixReport",
    "CompareReport",
    "ExploreReport",
    "ForecastReport",
    "GameReport",
    "InformationSetRow",
    "IntervalCourse",
    "LoggedReport",
    "MixReport",
    "Page",
    "PlayReport",
    "PoliciesReport",
    "PullCurves",
    "PullReport",
    "RegressionReport",
    "Report",
    "ServiceReport",
    "WatchPoint",
    "WatchReport",
    "WatchedColumn",
    "page_of_bimatrix",
    "page_of_comparison",
    "page_of_explore",
    "page_of_forecasts",
    "page_of_game",
    "page_of_log",
    "page_of_mix",
    "page_of_play",
    "page_of_policies",
    "page_of_pulls",
    "page_of_regression",
    "page_of_run",
    "page_of_service",
    "page_of_watch",
    "render",
    "write_report",
]
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here
    __getattr__, __dir__ = lazy_names(__name__, __all__, MODULES)
