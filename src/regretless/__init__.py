"""Online learning with guarantees: every run prints its theorem's bound beside what was observed."""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own would have to be imported: the command line starts with this, and is to be quick
if TYPE_CHECKING:
    from .bandits.base import Bandit
    from .contextual.base import ContextualBandit
    from .experts.base import ExpertLearner
    from .finite_classes.learners.base import ClassLearner
    from .linear.base import OnlineClassifier
    from .regression.base import OnlineRegressor
    from .run.comparison import compare
    from .run.mixture import LearnerMixture

__version__ = "0.2.0"
__all__ = ["LearnerMixture", "__version__", "compare", "load"]
ROOMS = [
    "alarms",
    "bandits",
    "batch",
    "calibration",
    "contextual",
    "finite_classes",
    "data",
    "distributed",
    "experts",
    "games",
    "intervals",
    "linear",
    "play",
    "environments",
    "regression",
    "report",
    "textbook",
    "theory",
]


def load(path: str) -> OnlineClassifier | OnlineRegressor | ExpertLearner | Bandit | ContextualBandit | ClassLearner:
    """Read a model that a learner's `save` or the command line wrote.

    Parameters
    ----------
    path : path-like
        The ``.rgl`` file.

    Returns
    -------
    OnlineClassifier, OnlineRegressor, ExpertLearner, Bandit, ContextualBandit or ClassLearner
        The learner as it was saved, ready to predict, to draw, or to go on learning.

    Raises
    ------
    ModelError
        If the file is damaged, foreign, or written by a newer version. Nothing in it is ever run.
    """
    from .persist.model import read

    learner: OnlineClassifier | OnlineRegressor | ExpertLearner | Bandit | ContextualBandit | ClassLearner
    learner, extra = read(path)
    schema = extra.get("schema") or {}
    if learner.kind in ("linear", "regression") and (schema.get("format") == "table" or schema.get("normalize")):
        learner.schema_ = schema
    return learner


# Names: made by docs/name_lists.py of learners and ROOMS
if TYPE_CHECKING:
    from . import alarms as alarms
    from . import bandits as bandits
    from . import batch as batch
    from . import calibration as calibration
    from . import contextual as contextual
    from . import data as data
    from . import distributed as distributed
    from . import environments as environments
    from . import experts as experts
    from . import finite_classes as finite_classes
    from . import games as games
    from . import intervals as intervals
    from . import linear as linear
    from . import play as play
    from . import regression as regression
    from . import report as report
    from . import textbook as textbook
    from . import theory as theory
    from .bandits import EXP3S as EXP3S
    from .bandits import KLUCB as KLUCB
    from .bandits import MOSS as MOSS
    from .bandits import UCB1 as UCB1
    from .bandits import Exp3 as Exp3
    from .bandits import Exp3IX as Exp3IX
    from .bandits import Exp3P as Exp3P
    from .bandits import Exp4 as Exp4
    from .bandits import ThompsonSampling as ThompsonSampling
    from .bandits import TsallisINF as TsallisINF
    from .contextual import EpsilonGreedy as EpsilonGreedy
    from .contextual import FastCB as FastCB
    from .contextual import LinThompson as LinThompson
    from .contextual import LinUCB as LinUCB
    from .contextual import SquareCB as SquareCB
    from .experts import BOA as BOA
    from .experts import EG as EG
    from .experts import AdaHedge as AdaHedge
    from .experts import AdaNormalHedge as AdaNormalHedge
    from .experts import AggregatingAlgorithm as AggregatingAlgorithm
    from .experts import ExponentiallyWeightedAverage as ExponentiallyWeightedAverage
    from .experts import FixedShare as FixedShare
    from .experts import FollowTheLeader as FollowTheLeader
    from .experts import Hedge as Hedge
    from .experts import MLPoly as MLPoly
    from .experts import MLProd as MLProd
    from .experts import RandomizedWeightedMajority as RandomizedWeightedMajority
    from .experts import Ridge as Ridge
    from .experts import Squint as Squint
    from .experts import WeightedMajority as WeightedMajority
    from .finite_classes import Consistent as Consistent
    from .finite_classes import Halving as Halving
    from .finite_classes import RandomizedOptimal as RandomizedOptimal
    from .finite_classes import StandardOptimal as StandardOptimal
    from .linear import ALMA as ALMA
    from .linear import AROW as AROW
    from .linear import AggregatedClassifier as AggregatedClassifier
    from .linear import AveragedPerceptron as AveragedPerceptron
    from .linear import KernelPerceptron as KernelPerceptron
    from .linear import MarginPerceptron as MarginPerceptron
    from .linear import MulticlassPerceptron as MulticlassPerceptron
    from .linear import OnlineGradientDescent as OnlineGradientDescent
    from .linear import PassiveAggressive as PassiveAggressive
    from .linear import Perceptron as Perceptron
    from .linear import PNormPerceptron as PNormPerceptron
    from .linear import SecondOrderPerceptron as SecondOrderPerceptron
    from .linear import SelectiveSamplingPerceptron as SelectiveSamplingPerceptron
    from .linear import VotedPerceptron as VotedPerceptron
    from .linear import Winnow as Winnow
    from .regression import AggregatedQuantile as AggregatedQuantile
    from .regression import AggregatedRegressor as AggregatedRegressor
    from .regression import OnlineNewtonStep as OnlineNewtonStep
    from .regression import VovkAzouryWarmuth as VovkAzouryWarmuth
# End of names

if not TYPE_CHECKING:  # to a type checker any name would stand here

    def __getattr__(name: str) -> object:
        """A room, or a learner by the name of its class: ``regretless.AROW``. `Hedge` is the combiner of that name."""
        if name in ROOMS:
            from importlib import import_module

            return import_module(f"{__name__}.{name}")
        if name == "compare":
            from .run.comparison import compare

            return compare
        if name == "LearnerMixture":
            from .run.mixture import LearnerMixture

            return LearnerMixture
        if name[:1].isupper():
            from .catalogue import class_called

            learner = class_called(name)
            if learner is not None:
                return learner
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    from .catalogue import TABLES

    return sorted({*__all__, *ROOMS, *(entry.attribute for table in TABLES.values() for entry in table.values())})
