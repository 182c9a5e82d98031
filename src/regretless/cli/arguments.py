"""The arguments of each verb: a record a verb, whose fields are the verb's arguments by their names and types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Names = Literal["both", "rows", "columns", "none"]

# Options of several verbs.


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WatchedOptions:
    """Of a verb that shows how far it is."""

    json: bool
    quiet: bool
    progress: bool | None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReportOptions(WatchedOptions):
    """Of a verb that writes a report."""

    report: str | None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReadingOptions:
    """How a file of rows is read."""

    format: str | None
    target: str | None
    header: bool | None
    ids_from: int | None
    missing: str | None
    categorical: list[str]
    on_error: str
    threads: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FeatureOptions:
    """Features that are made of a row, beside its own, or left out."""

    ignore: list[str]
    text: list[str]
    ngrams: int | None
    interactions: list[str]
    normalize: bool
    hash_bits: int | None
    keep_names: int | None
    max_features: int | None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CertifyingOptions(ReadingOptions):
    """What certificates are read against: one file, or several that are shards."""

    files: list[str]
    cache: str | None
    against: str | None
    save_comparators: str | None
    svm: bool
    deep: bool
    iid: bool
    delta: float | None
    workers: int | None
    dask: str | None
    pieces: int | None


# The verbs.


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LearnOptions(CertifyingOptions, FeatureOptions, ReportOptions):
    """Of `learn`."""

    learner: str | None
    set: list[str]
    label_budget: str | None
    passes: int | None
    save: str | None
    resume: str | None
    checkpoint_every: int | None
    any_labels: bool
    calibrate: bool
    task: str | None
    interval: float | None
    interval_step: float | None
    mixing: str | None
    together: int | None
    one_shot: bool
    no_certify: bool


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CertifyOptions(CertifyingOptions):
    """Of `certify`."""

    model: str
    json: bool


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CombineOptions(ReportOptions):
    """Of `combine`."""

    file: str
    target: str | None
    time: str | None
    experts: list[str]
    format: str | None
    cache: str | None
    learner: str | None
    set: list[str]
    loss: str | None
    tau: float | None
    range: list[float] | None
    linearize: bool | None
    save: str | None
    resume: str | None
    checkpoint_every: int | None
    delay: int | None
    arrival: str | None
    label_budget: str | None
    interval: float | None
    interval_step: float | None
    block: str | None
    ignore: list[str]
    switches: int | None
    no_comparators: bool
    save_comparators: str | None
    out: str | None
    weights: str | None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PullOptions(ReportOptions):
    """Of `pull`, over a table or, from `logged` on, over a log."""

    file: str | None
    range: list[float] | None
    rewards: bool
    arms: list[str]
    array: str | None
    missing: float | None
    format: str | None
    learner: str | None
    set: list[str]
    delta: float | None
    anytime: bool
    advice: str | None
    runs: int | None
    seed: int | None
    workers: int | None
    logged: str | None
    action: str | None
    reward: str | None
    propensity: str | None
    least_propensity: float | None
    losses: bool
    policy: str | None
    context: str | None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EvaluateOptions(ReportOptions):
    """Of `evaluate`."""

    file: str
    action: str | None
    reward: str | None
    propensity: str | None
    least_propensity: float | None
    losses: bool
    context: str | None
    range: list[float] | None
    format: str | None
    policy: list[str]
    learner: str | None
    set: list[str]
    delta: float | None
    runs: int | None
    seed: int | None
    actions: list[str]


@dataclass(frozen=True, kw_only=True, eq=False)
class BanditSettings:
    """What the command line says of a bandit that goes along a log."""

    learner: str | None
    set: list[str]
    delta: float | None
    range: list[float] | None
    seed: int | None
    rewards: bool
    anytime: bool
    advice: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ExploreOptions(ReadingOptions, FeatureOptions, ReportOptions):
    """Of `explore`."""

    file: str
    costs: list[str]
    action: str | None
    cost: str | None
    propensity: str | None
    propensities: list[str]
    actions: list[str]
    range: list[float] | None
    learner: str | None
    set: list[str]
    regressor: str | None
    set_regressor: list[str]
    seed: int | None
    delta: float | None
    save: str | None
    resume: str | None
    checkpoint_every: int | None
    log: str | None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SolveOptions(ReportOptions):
    """Of `solve`."""

    file: str
    format: str | None
    losses: bool
    array: str | None
    names: Names | None
    method: str | None
    tolerance: float | None
    exact: bool
    rounds: int | None
    average: str | None
    simultaneous: bool
    alternating: bool
    start: str | None
    equilibria: str | None
    limit: int | None
    seconds: float | None
    correlated: bool
    coarse: bool
    objective: str | None
    save: str | None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DimensionOptions(WatchedOptions):
    """Of `dimension`."""

    file: str | None
    named: str | None
    points: str | None
    homogeneous: bool
    format: str | None
    array: str | None
    names: Names | None
    transpose: bool
    limit: float | None
    only: str | None
    randomized: bool
    tree: str | None
    no_tree: bool


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PlayOptions(ReportOptions):
    """Of `play`; `table` is --class and `environment_set` is --with."""

    learner: str
    set: list[str]
    environment: str
    environment_set: list[str]
    table: str | None
    named: str | None
    rounds: int | None
    runs: int
    seed: int
    anytime: bool
    save: str | None
    trace: bool


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CompareOptions(ReadingOptions, FeatureOptions, ReportOptions):
    """Of `compare`."""

    a: str
    b: str
    file: str
    set_a: list[str]
    set_b: list[str]
    level: float
    any_labels: bool


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WatchOptions(ReportOptions):
    """Of `watch`."""

    file: str
    column: list[str]
    against: str | None
    range: list[float] | None
    time: str | None
    missing: str | None
    format: str | None
    header: bool | None
    reference: float | None
    reference_rounds: int | None
    previous: str | None
    delta: float | None
    mean_rounds: float | None
    alpha: float | None
    level: float | None
    resume: str | None
    save: str | None
    fail_on_alarm: bool


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PredictOptions(ReadingOptions):
    """Of `predict`."""

    model: str
    file: str
    scores: bool
    probabilities: bool
    interval: bool
    losses: bool
    json: bool


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class VerifyOptions(ReadingOptions, FeatureOptions):
    """Of `verify`."""

    report: str
    file: str
    comparators: str | None
    time: str | None
    experts: list[str]
    arms: list[str]
    losses: bool
    json: bool


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InspectOptions:
    """Of `inspect`."""

    model: str
    top: int
    json: bool


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DemoOptions:
    """Of `demo`."""

    folder: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ServeOptions:
    """Of `serve`."""

    model: str | None
    models: str | None
    learner: str | None
    set: list[str]
    schema: str | None
    host: str
    port: int
    store: str | None
    rows: str | None
    shadow: str | None
    tokens: str | None
    open: bool
    allow_host: list[str]
    expire: float | None
    default_loss: float | None
    alarm_reference: float | None
    alarm_after: int | None
    alarm_rounds: int | None
    alert_url: str | None
    max_body: int
    max_rows: int
    max_queue: int
    body_timeout: float
    snapshot_every: int
    log_requests: str
    no_log_predictions: bool


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReplayOptions:
    """Of `replay`."""

    store: str
    save: str | None
    prune: float | None
    json: bool
