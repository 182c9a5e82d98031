"""What learners say of themselves: facts by which other code chooses and refuses, so that it need not know names.

No fact has a default: a learner says all of them. They are read without the learner, from `learner_table`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NamedTuple

from .errors import RegretlessError


class LinearInfo(NamedTuple):
    """A learner of weights.

    Attributes
    ----------
    name : str
        As on the command line and in model files.
    task : str
        What it predicts: "classification", labels.
    default_of : str
        What takes it where none is named: "learn", "learn over shards" or "learn with few labels"; empty if nothing
        does.
    charged, geometry, rate : str
        Its composition in words: the loss of a round, with m = y score, how weights move, and by how much.
    unit_free : bool
        Whether units of columns make no difference to it, so that large ones need no scaling.
    predicts_by : str
        "weights", the last ones; "average" of all; "vote" of all; "support", rows that it keeps; or "mixture", of
        members by their posterior.
    plain : str
        The learner that predicts by the last weights and else is the same; empty if it is this one.
    lazy : bool
        Whether rounds without an update change nothing, and it predicts by what updates have made.
    additive : bool
        Whether, with its usual parameters, it adds c y x to the weights for some c > 0 if y <w, x> <= 0, and only then.
    not_mixed : str
        Why its weights cannot be mixed over shards; empty if they can.
    by_sums : bool
        Whether its certificates need of rounds only what adds up over shards.
    constant : bool
        Whether `learn` and `compare` append a constant feature where nobody has set its size: without one of their own,
        first-order learners err more. Not where the theorem is about rows as they are, where the weights are shares of
        a whole, or where the learner has such a feature anyway.
    twin : str
        The function of `textbook.linear` that makes the same updates; empty if there is none.
    """

    name: str
    task: str
    default_of: str
    charged: str
    geometry: str
    rate: str
    unit_free: bool
    predicts_by: str
    plain: str
    lazy: bool
    additive: bool
    not_mixed: str
    by_sums: bool
    constant: bool
    twin: str


class Cost(NamedTuple):
    """What a round costs a learner of weights, in words.

    Attributes
    ----------
    where : str
        With which settings, or of which part of it; empty for the whole with any settings.
    time, memory, prediction : str
        Of n entries that are not 0, d features and M updates so far.
    """

    where: str
    time: str
    memory: str
    prediction: str


class LinearWords(NamedTuple):
    """What the tables of documents have on a learner of weights. No other code reads it.

    Attributes
    ----------
    when, update : str
        When a round is an update, with m = y score, and what it does.
    costs : tuple of Cost
    small_if, at_most : str
        Of its main theorem: what a vector v is or has that makes the bound small, and the bound.
    """

    when: str
    update: str
    costs: tuple[Cost, ...]
    small_if: str
    at_most: str


class RegressionInfo(NamedTuple):
    """A learner of numbers.

    Attributes
    ----------
    name : str
        As on the command line and in model files.
    task : str
        What it forecasts: "regression", the mean, or "quantile".
    default_of : str
        What takes it where none is named: "learn", for its task, or "explore", for what arms lose; empty if nothing
        does.
    twin : str
        The function of `regretless.textbook.regression` that is its twin; "" for a mixture.
    charged, geometry, rate : str
        Its composition in words: the loss of a forecast p of an outcome y, how weights move, and by how much.
    unit_free : bool
        Whether units of columns make no difference to it, so that large ones need no scaling.
    adds_up : bool
        Whether what it knows with a full matrix is a sum over its rows, so that shards of them add up.
    """

    name: str
    task: str
    default_of: str
    twin: str
    charged: str
    geometry: str
    rate: str
    unit_free: bool
    adds_up: bool


class ExpertInfo(NamedTuple):
    """A combiner of experts.

    Attributes
    ----------
    name, summary : str
        As on the command line and in model files; how it combines.
    default_of : str
        What takes it where none is named: "combine", or "mix learners" over one stream; empty if nothing does.
    draws : bool
        Whether it follows one expert, drawn by weight.
    forecasts : bool
        Whether it needs what experts forecast, and not their losses alone.
    one_loss : bool
        Whether it has one loss, that its theorem is about, and no parameter for others.
    linearizes : bool
        Whether experts are charged the slope of the loss where the user does not say.
    twin : str
        The function of `textbook.experts` that gives the same weights.
    """

    name: str
    default_of: str
    summary: str
    draws: bool
    forecasts: bool
    one_loss: bool
    linearizes: bool
    twin: str


class BanditInfo(NamedTuple):
    """A bandit.

    Attributes
    ----------
    name, summary : str
        As on the command line and in model files; how it draws.
    default_of : str
        What takes it where none is named: "pull"; empty if nothing does.
    draws : bool
        Whether its arms are drawn at random; if not, what it observed says which arm is next.
    advised : bool
        Whether it needs the advice of experts.
    informed : bool
        Whether it sees the losses of all arms.
    needs_horizon : bool
        Whether its rate is tuned for a number of rounds that must be given.
    twin : str
        The function of `textbook.bandits` that draws the same arms.
    """

    name: str
    default_of: str
    summary: str
    draws: bool
    advised: bool
    informed: bool
    needs_horizon: bool
    twin: str


class ContextualInfo(NamedTuple):
    """A bandit that draws by features.

    Attributes
    ----------
    name, summary : str
        As on the command line and in model files; how it draws.
    default_of : str
        What takes it where none is named: "explore"; empty if nothing does.
    twin : str
        The function of `textbook.contextual` that gives the same probabilities.
    """

    name: str
    default_of: str
    summary: str
    twin: str


class ClassInfo(NamedTuple):
    """A learner of finite classes.

    Attributes
    ----------
    name, summary : str
        As on the command line and in model files; how it predicts.
    draws : bool
        Whether its labels are drawn.
    ordered : bool
        Whether it goes by an order of the hypotheses, which may be given.
    forced : {"tree", "compiled", "states"}
        How the labels of its own class that force the most mistakes are found: by the deepest mistake tree, by the
        compiled search over version spaces, or by a search over all states that it can reach.
    promises : {"littlestone", "log2", ""}
        How many mistakes its theorem allows on labels of any class H: its Littlestone dimension, or log2 |H| rounded
        down; empty if more, or in expectation alone.
    twin : str
        The function of `textbook.finite_classes` that predicts the same.
    """

    name: str
    summary: str
    draws: bool
    ordered: bool
    forced: Literal["tree", "compiled", "states"]
    promises: Literal["littlestone", "log2", ""]
    twin: str


class Entry(NamedTuple):
    """Where a learner stands, below the package, and what it says of itself.

    Attributes
    ----------
    module, attribute : str
    info : LinearInfo, RegressionInfo, ExpertInfo, BanditInfo, ContextualInfo or ClassInfo
    """

    module: str
    attribute: str
    info: Any


class HasInfo:
    """A class that says what it is; its name is the one in there.

    Attributes
    ----------
    example_options : str
        What a command line with this learner and no other parameters needs besides, as `explain` prints it.
    """

    info: ClassVar[Any]
    example_options: ClassVar[str] = ""
    name: ClassVar[str] = ""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "info" in vars(cls):
            cls.name = cls.info.name

    def __dask_tokenize__(self) -> bytes | str:
        """What Dask tells it from others by: all that it holds. Of a dataclass Dask looks at the parameters alone."""
        import pickle  # Dask has imported both, and a command line needs neither
        from uuid import uuid4

        try:
            return pickle.dumps(self, pickle.HIGHEST_PROTOCOL)
        except Exception:  # a user's loss may fail in any way
            return uuid4().hex


def info_of(learner: Any) -> Any:
    """What the class of a learner says of itself.

    Raises
    ------
    RegretlessError
        If it says nothing: a subclass may be anything, whatever the class above it says.
    """
    info = vars(type(learner)).get("info")
    if info is None:
        raise RegretlessError(f"{type(learner).__name__} does not say what it is: it has no info of its own")
    return info
