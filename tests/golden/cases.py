"""The cases: command lines by verb, of everything that a registry names."""

from __future__ import annotations

from argparse import _SubParsersAction
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from regretless.catalogue import BANDITS, CONTEXTUAL_BANDITS, EXPERT_LEARNERS, LEARNERS, REGRESSORS
from regretless.cli.combine import LOSSES
from regretless.cli.entry import make
from regretless.environments.registry import ENVIRONMENTS, entry_of
from regretless.finite_classes import FAMILIES
from regretless.games.methods import ENUMERATIONS, IN_TURNS, METHODS, OBJECTIVES, SELF_PLAY
from regretless.play.compatibility import PREFIXES, TABLES, WORST, environments_for, fits

from .compare import RELATIVE, ROUGH, settled
from .errors import ERRORS
from .names import packages

EXPECTED = Path(__file__).parent / "expected"


@dataclass(frozen=True)
class Case:
    """What is recorded together.

    Attributes
    ----------
    name : str
        The file of what is expected, without its suffix: a verb and what is done with it.
    commands : tuple of str
        Command lines without the program's name, of files that :mod:`.inputs` makes or commands before it wrote. A case
        without any is about public names.
    exact : bool
        Whether numbers come from the kernels, which have the same bits on every machine, and sums of few. Where they
        come through BLAS or from an iteration models have no hash, pages one without numbers, and numbers are compared
        roughly.
    """

    name: str
    commands: tuple[str, ...] = ()
    exact: bool = True

    @property
    def path(self) -> Path:
        """Where what is expected stands."""
        return EXPECTED / f"{self.name}.txt"

    def expected(self) -> str:
        """What is expected; empty if nothing is."""
        return self.path.read_text(encoding="utf-8") if self.path.exists() else ""

    def actual(self, recorded: str) -> str:
        """What was recorded, in the words of what is expected where numbers differ in their last digits."""
        return settled(self.expected(), recorded, RELATIVE if self.exact else ROUGH)


def verbs() -> dict[str, set[str]]:
    """The options of every verb."""
    (verbs,) = (action for action in make()._actions if isinstance(action, _SubParsersAction))
    return {
        name: {option for action in verb._actions for option in action.option_strings}
        for name, verb in verbs.choices.items()
    }


# ---- learn, certify, predict, inspect

OF_LINEAR = {"margin-perceptron": "--set gamma=0.05 --passes 3", "kernel-perceptron": "--set gamma=0.1"}

TARGETS = {"tsv": "label", "parquet": "label", "arrow": "label", "npz": "y", "npy": "last"}  # by the suffix
ITERATED = ("support", "mixture")  # what predicts by these has comparators that are found by iterations
SEVERAL = ("aggregated", "perceptron", "multiclass-perceptron", "kernel-perceptron")  # reductions, at once, by rows


def _learn() -> Iterator[Case]:
    for name in LEARNERS:
        words = f"--learner {name} {OF_LINEAR.get(name, '')}".strip()
        rows = "votes.svm" if name == "winnow" else "two.svm"
        yield Case(
            f"learn/{name}",
            (
                f"learn {rows} {words} --save m.rgl --report r.html",
                f"learn two.csv {words} --json --iid --save-comparators v.npz > report.json",
                "verify report.json two.csv --comparators v.npz",
                f"learn clean.svm {words} --quiet" + ("" if "--passes" in words else " --passes 2"),
                f"learn two.csv {words} --no-certify --quiet --save d.rgl",
                f"certify m.rgl {rows} --iid",
                "inspect m.rgl --json",
            ),
            exact=LEARNERS[name].info.predicts_by not in ITERATED,
        )
        yield Case(
            f"learn/{name}-three",
            (
                f"learn three.svm {words} --quiet --save m.rgl",
                f"learn three.csv {words} --no-certify --save d.rgl",
                "inspect d.rgl",
                "predict d.rgl three.csv --scores",
                "predict m.rgl three.svm --json",
            ),
            exact=LEARNERS[name].info.predicts_by != "mixture",
        )
    for name in SEVERAL:
        words = f"learn three.csv --learner {name} {OF_LINEAR.get(name, '')} --json --report r.html"
        yield Case(f"learn/{name}-three-json", (words,), exact=LEARNERS[name].info.predicts_by not in ITERATED)
    yield from _numbers()
    # The default learner, which nobody has to name.
    yield Case(
        "learn/default",
        (
            "learn two.csv --save m.rgl",
            "learn clean.svm --no-certify --quiet --save c.rgl --checkpoint-every 10",
            "inspect m.rgl",
            "learn two.csv --resume m.rgl --no-certify",
            "learn two.csv --set rates=0.5,2 --set coins=false --set full=0 --set share=false --set intercept=0",
            "learn three.csv --passes 2 --no-certify --json",
            "learn cities.csv --missing zero --on-error skip --no-certify",
        ),
        exact=False,
    )
    yield Case(
        "learn/threads",
        (
            "learn two.svm --learner perceptron --threads 2 --report report.json --save m.rgl",
            "predict m.rgl two.svm --threads 2 --json",
            "certify m.rgl two.svm --threads 2",
            "verify report.json two.svm --threads 2",
            "compare perceptron arow two.svm --threads 2",
            "learn two.svm --learner perceptron --trace 3 --no-certify --quiet",
        ),
    )
    yield Case(
        "predict/probabilities",
        (
            "learn two.csv --no-certify --quiet --save m.rgl",
            "predict m.rgl two.csv --probabilities",
            "predict m.rgl - --probabilities < two.csv",
            "predict m.rgl two.csv --probabilities --json",
            "learn three.svm --no-certify --quiet --save t.rgl",
            "predict t.rgl three.svm --probabilities",
            "learn two.svm --learner online-gradient-descent --set loss=logistic --no-certify --quiet --save g.rgl",
            "predict g.rgl two.svm --probabilities",
        ),
    )
    perceptron = "--learner perceptron"
    cities = f"learn cities.csv {perceptron} --missing zero --on-error skip"
    short = f"{perceptron} --no-certify --quiet --save"
    yield Case(
        "learn/formats",
        (
            *(f"learn two.{suffix} {short} {suffix}.rgl --target {target}" for suffix, target in TARGETS.items()),
            f"learn sparse.npz {short} sparse.rgl",
            f"learn - {short} stdin.rgl --format svmlight < two.svm",
        ),
    )
    yield Case(
        "learn/tables",
        (
            f"{cities} --categorical zone --save m.rgl --report r.html",
            f"{cities} --interactions city*age --json",
            f"{cities} --interactions * --hash-bits 6 --keep-names 9 --quiet --no-certify --save h.rgl",
            "inspect m.rgl --top 3",
            "inspect h.rgl --json",
            "predict m.rgl cities.csv --missing zero --on-error skip",
            "predict h.rgl cities.csv --missing zero --on-error skip --json",
            f"learn cities.csv {perceptron}",
            f"{cities} --max-features 2",
            f"{cities} --text city --ngrams 2 --normalize --save w.rgl --json > w.json",
            "inspect w.rgl",
            "verify w.json cities.csv --text city --ngrams 2 --normalize --missing zero --on-error skip",
        ),
    )
    bare = "bare.data --target c6"
    yield Case(
        "learn/bare",
        (
            f"learn {bare} {perceptron} --save m.rgl --json > b.json",
            "verify b.json bare.data --target c6 --no-header",
            "certify m.rgl bare.data --no-header",
            "predict m.rgl bare.data --no-header --json",
            f"learn {bare} {perceptron} --no-certify --no-header",
            f"learn two.csv {perceptron} --no-certify --header --quiet --save h.rgl",
            "certify h.rgl two.csv --header",
            "predict h.rgl two.csv --header --json",
            "verify b.json bare.data --target c6 --header",
            f"learn bare.data {perceptron}",
            f"learn two.svm {perceptron} --no-header",
        ),
    )
    yield Case(
        "learn/options",
        (
            f"learn - {perceptron} --cache rows.cache --ids-from 1 --svm --deep --save m.rgl < two.svm",
            f"learn two.svm {perceptron} --against vector.npy --delta 0.1 --iid --quiet",
            f"learn two.svm {perceptron} --passes 2 --checkpoint-every 10 --save c.rgl --set rate=0.5",
            "inspect c.rgl",
            f"learn two.svm {perceptron} --calibrate --quiet",
            f"learn two.svm {perceptron} --set until_clean=true --set max_passes=4 --json --no-certify",
            "learn clean.svm --resume m.rgl --save more.rgl",
            "inspect more.rgl",
            f"learn two.svm {perceptron} --set class_weight=1:2.5,-1:1 --no-certify --progress",
            "learn two.svm --label-budget 10 --quiet",
            f"learn cities.csv {perceptron} --ignore zone --any-labels --missing zero --on-error skip --no-certify",
            f"learn cities.csv {perceptron} --ignore zone --missing zero --on-error skip --json > i.json",
            "verify i.json cities.csv --ignore zone --missing zero --on-error skip",
        ),
    )
    shards = "part-1.svm part-2.svm part-3.svm --workers 1"
    yield Case(
        "learn/shards",
        (
            f"learn {shards} {perceptron} --passes 2 --save m.rgl",
            f"certify m.rgl {shards}",
            "inspect m.rgl",
            f"learn part-*.svm --workers 1 {perceptron} --mixing updates --json",
            f"learn {shards} --learner averaged-perceptron --together 2 --no-certify --quiet --save a.rgl",
            f"learn two.svm --workers 1 --pieces 3 {perceptron} --one-shot --quiet --save o.rgl",
            "learn two.svm --workers 1 --pieces 3 --learner arow --one-shot --save r.rgl",
            "inspect r.rgl",
        ),
    )
    # Its page has a table of seconds.
    yield Case("learn/shards-page", (f"learn {shards} {perceptron} --passes 2 --quiet --report r.html",), exact=False)
    yield Case(
        "certify/options",
        (
            f"learn two.svm {short} m.rgl",
            "certify m.rgl two.svm --json",
            "certify m.rgl two.svm --against vector.npy --svm --deep --save-comparators v.npz",
            "certify m.rgl - --cache rows.cache --ids-from 1 --iid --delta 0.2 < two.svm",
            "certify m.rgl clean.svm",
            f"learn part-1.svm part-2.svm --workers 1 {short} s.rgl",
            "certify s.rgl part-1.svm part-2.svm --workers 1 --json",
            f"learn two.svm --pieces 2 --workers 1 {short} p.rgl",
            "certify p.rgl two.svm --pieces 2 --workers 1",
            f"learn cities.csv {short} c.rgl --missing zero --on-error skip --categorical zone --target label",
            "certify c.rgl cities.csv --missing zero --on-error skip --categorical zone --target label --format csv",
        ),
    )
    yield Case(
        "predict/options",
        (
            f"learn two.csv {short} m.rgl --target label",
            "predict m.rgl two.csv",
            "predict m.rgl two.csv --scores",
            "predict m.rgl two.csv --losses",
            "predict m.rgl two.csv --json --format csv --target label",
            "predict m.rgl - --format csv --json < two.csv",
            f"learn two.svm {short} s.rgl --ids-from 1",
            "predict s.rgl two.svm --ids-from 1 --json",
            f"learn cities.csv {short} c.rgl --missing zero --on-error skip --categorical zone",
            "predict c.rgl cities.csv --missing zero --on-error skip --categorical zone --json",
        ),
    )


def _numbers() -> Iterator[Case]:
    """Learners of numbers, each on its own; and what is printed of the one that fractions choose."""
    for name in REGRESSORS:
        words = f"learn rents.csv --learner {name}"
        yield Case(
            f"learn/numbers-{name}",
            (
                f"{words} --save m.rgl --report r.html",
                f"{words} --json --save-comparators v.npz > report.json",
                "verify report.json rents.csv --comparators v.npz",
                "certify m.rgl rents.csv",
                "inspect m.rgl",
                "predict m.rgl rents.csv --json",
            ),
            exact=False,
        )
    yield Case(
        "learn/numbers",
        (
            "learn rents.csv --interval 0.8 --interval-step 0.1 --save m.rgl --report r.html",
            "learn rents.csv --interval 0.8 --quiet --json",
            "learn rents.csv --task quantile --set quantile=0.9 --no-certify",
            "learn rents.csv --learner vovk-azoury-warmuth --set matrix=diagonal --quiet",
            "learn rents.csv --task regression --set loss=poisson --json --no-certify --quiet",
            "learn rents.csv --task regression --set full=0 --set share=false --set rates=0.1,1 --quiet",
            "inspect m.rgl --json",
            "predict m.rgl rents.csv --interval",
            "predict m.rgl - --json --interval < rents.csv",
            "learn rents.csv --resume m.rgl --no-certify",
            "learn rents.csv --task regression --learner arow",
            "learn rents.csv --task regression --passes 2",
            "learn rents.csv --target size",
            "learn rents.csv --target town --task regression",
        ),
        exact=False,
    )

    yield Case(
        "certify/numbers",
        (
            "learn rents.csv --quiet --no-certify --save m.rgl",
            "certify m.rgl",
            "certify m.rgl rents.csv --json",
            "certify m.rgl cities.csv --target age --missing zero --on-error skip",
            "certify m.rgl rents.csv --svm",
            "certify m.rgl rents.csv --iid",
            "certify m.rgl rents.csv rents.csv --workers 1",
            "predict m.rgl rents.csv --probabilities",
            "predict m.rgl rents.csv --interval",
            "predict m.rgl rents.csv --losses",
            "learn rents.csv --resume m.rgl --hash-bits 6",
            "learn rents.csv --quiet --json > report.json",
            "verify report.json rents.csv --json",
            "verify report.json cities.csv --missing zero --on-error skip",
        ),
        exact=False,
    )


def _compare() -> Iterator[Case]:
    yield Case(
        "compare/learners",
        (
            "compare perceptron arow two.svm --set-a rate=0.5 --set-b r=0.1 --report r.html",
            "compare online-gradient-descent OnlineGradientDescent three.csv --set-a loss=logistic --level 0.8 --json",
            "compare perceptron multiclass-perceptron three.svm --quiet",
            "compare perceptron arow - --format svmlight --ids-from 1 --progress < two.svm",
            "compare perceptron arow bare.data --target c6 --no-header",
            "compare perceptron alma votes.svm --level 0.5 --any-labels",
        ),
    )
    reading = "--missing zero --on-error skip"
    yield Case(
        "compare/models",
        (
            "learn two.csv --learner perceptron --no-certify --quiet --save a.rgl",
            "learn two.csv --learner arow --no-certify --quiet --save b.rgl --target label --header",
            "learn cities.csv --learner perceptron --no-certify --quiet --save c.rgl --missing zero --on-error skip",
            "compare a.rgl b.rgl two.csv --format csv --header --json --report r.html",
            "compare a.rgl perceptron two.csv --normalize --hash-bits 9 --keep-names 3 --max-features 600",
            "compare a.rgl perceptron two.csv --interactions a*b",
            f"compare c.rgl perceptron cities.csv --categorical zone --ignore rate --text city --ngrams 2 {reading}",
        ),
    )


def _watch() -> Iterator[Case]:
    fast = "--reference 0.2 --mean-rounds 30"
    yield Case(
        "watch/losses",
        (
            f"watch expert-losses.csv --column north,south,east {fast} --time day --report r.html",
            f"watch expert-losses.csv --column east {fast} --level 0.8 --fail-on-alarm",
            f"watch expert-losses.csv --column east {fast} --header --format csv --json",
            "watch expert-losses.csv --column east --reference-rounds 10 --alpha 0.5 --delta 0.4 --range 0 1.5",
            "watch expert-losses.csv --column east --previous losses.csv --alpha 0.5 --range 0 2 --quiet",
            "watch losses.csv --column east --against north --mean-rounds 20 --report d.html",
            "watch expert-losses.csv --column east --period 20 --mean-rounds 20 --range 0 1.5 --report p.html",
            f"watch - {fast} --column east --save s.json --progress < losses.csv",
            "watch expert-losses.csv --resume s.json --save t.json",
            "watch losses.csv --reference-rounds 100 --column east",
            "watch sleeping.csv --column north,south --reference 0.2 --range 0 1.5 --missing skip",
            "watch bare.data --no-header --column c1 --range -1 1 --reference 0.2",
        ),
    )


# ---- combine

SUITED = {
    "weighted-majority": "votes.csv --target y --time day --set beta=0.5",
    "randomized-weighted-majority": "votes.csv --target y --time day --set beta=0.5 --set random_state=1",
    "aggregating": "forecasts.csv --target y --time day --range 0 1",
    "eg": "prices.csv --time day --loss wealth",
}
USUAL = "forecasts.csv --target y --time day"
OF_LOSSES = {
    "pinball": f"{USUAL} --tau 0.3",
    "log": f"{USUAL} --range 0 1",
    "zero-one": "votes.csv --target y --time day",
    "percentage": USUAL,
    "wealth": "prices.csv --time day",
    "table": "expert-losses.csv --time day",
}


def _combine() -> Iterator[Case]:
    for name in EXPERT_LEARNERS:
        file, words = SUITED.get(name, USUAL).split(" ", 1)
        words += f" --learner {name}"
        asleep = "sleeping-votes.csv" if file == "votes.csv" else "sleeping.csv"
        reading = words.partition(" --set")[0].partition(" --range")[0].partition(" --l")[0]  # learner and loss
        yield Case(
            f"combine/{name}",
            (
                f"combine {file} {words} --save m.rgl --report r.html --out o.csv --weights w.csv",
                f"combine {file} {words} --json --switches 2 --save-comparators v.npz > report.json",
                f"verify report.json {file} {reading} --comparators v.npz",
                f"combine {asleep} {words} --quiet --no-comparators",
                f"combine {file} --resume m.rgl --quiet --no-comparators --save more.rgl",
                "inspect more.rgl",
                "inspect m.rgl --json",
            ),
            exact=name != "ridge",  # whose comparator is found by LAPACK
        )
    yield Case(
        "combine/losses", tuple(f"combine {OF_LOSSES.get(loss, USUAL)} --loss {loss} --quiet" for loss in LOSSES)
    )
    yield Case(
        "combine/options",
        (
            f"combine {USUAL} --learner hedge --experts north,east --linearize --quiet",
            f"combine {USUAL} --learner hedge --experts north,east --no-linearize --json",
            f"combine {USUAL} --learner ml-poly --delay 3 --report r.html --save m.rgl --checkpoint-every 10",
            "inspect m.rgl",
            "combine late.csv --target y --time day --arrival due --learner ewa --quiet",
            "combine forecasts.npz --target y --learner hedge --json",
            "combine - --format csv --target y --time day --cache rows.cache --progress --learner boa < forecasts.csv",
            f"combine {USUAL} --out o.parquet --weights w.parquet --quiet --no-comparators",
            f"combine {USUAL} --set eta=0.5 --learner hedge --range -1 2 --quiet",
            "combine blocks.csv --target y --time day --quiet --save b.rgl --ignore east",
            "combine blocks.csv --target y --time day --block day --quiet",
            "combine blocks.csv --resume b.rgl --quiet --no-comparators",
            f"combine {USUAL} --learner hedge --trace 2 --quiet --no-comparators",
        ),
    )
    yield Case(
        "combine/intervals",
        (
            f"combine {USUAL} --interval 0.8 --save m.rgl --report r.html --out o.csv --no-comparators",
            f"combine {USUAL} --interval 0.8 --json > report.json",
            f"verify report.json {USUAL}",
            "combine forecasts.csv --resume m.rgl --quiet --no-comparators --save more.rgl --out more.csv",
            "inspect more.rgl",
            "inspect m.rgl --json",
            f"combine {USUAL} --interval 0.9 --interval-step 0.1 --delay 3 --learner boa --quiet",
            "combine blocks.csv --target y --time day --interval 0.9 --quiet --no-comparators --json",
        ),
    )
    yield Case(
        "combine/label-budget",
        (
            f"combine {USUAL} --learner ewa --range 0 1 --label-budget 40% --save m.rgl --report r.html --out o.csv",
            f"combine {USUAL} --learner ewa --range 0 1 --label-budget 12 --json > report.json",
            f"verify report.json {USUAL}",
            "combine forecasts.csv --resume m.rgl --quiet --no-comparators --save more.rgl",
            "inspect more.rgl",
            "inspect m.rgl --json",
        ),
    )


# ---- pull


def _pull() -> Iterator[Case]:
    for name in BANDITS:
        words = f"--learner {name} --runs 20" + (" --advice advice.csv" if name == "exp4" else "")
        words += " --set switches=2" if name == "exp3-s" else ""
        yield Case(
            f"pull/{name}",
            (
                f"pull losses.csv {words} --report r.html",
                f"pull losses.csv {words} --seed 3 --json > report.json",
                "verify report.json losses.csv",
                f"pull sleeping-arms.csv {words} --quiet",
                f"pull losses.csv {words} --anytime --quiet --delta 0.2",
                f"pull losses.csv {words} --rewards --range -1 2 --quiet",
            ),
        )
        log = "--logged log.csv --action arm --reward gain --propensity prob"
        yield Case(f"pull/{name}-logged", (f"pull {log} --learner {name} --runs 5 --quiet",))
    yield Case(
        "pull/options",
        (
            "pull losses.npy --runs 5",
            "pull losses.npz --array b --runs 5 --json --workers 2",
            "pull losses.csv --arms north,east --runs 5 --missing 0.25 --progress --set horizon=20",
            "pull - --format csv --runs 5 --json < losses.csv",
            "pull losses.csv --learner exp3 --runs 2 --trace 3",
        ),
    )
    yield Case(
        "pull/logged",
        (
            f"pull {log} --report r.html",
            f"pull {log} --json --runs 3 --seed 4 --context place",
            f"pull {log} --policy policy.csv --context place --report p.html",
            f"pull {log} --policy policy.csv --context place --json --delta 0.2",
            f"pull {log} --losses --quiet",
            "pull --logged log.csv --action arm --reward gain --propensity 0.5 --least-propensity 0.25 --quiet",
        ),
    )


def _evaluate() -> Iterator[Case]:
    log = "evaluate log.csv --action arm --reward gain --propensity prob"
    yield Case(
        "evaluate/policies",
        (
            f"{log} --report r.html",
            f"{log} --policy policy.csv --context place --least-propensity 0.25 --json",
            f"{log} --policy uniform --policy always:a --delta 0.2 --losses --report s.html --actions a,b",
            f"{log} --policy action:arm --policy probability:prob --json --runs 3 --seed 2",
            f"{log} --learner exp3-ix --set horizon=9 --quiet",
            f"{log} --policy uniform --progress",
        ),
    )


# ---- explore


def _explore() -> Iterator[Case]:
    log = "decisions.csv --action way --cost paid --propensity prob"
    for name in CONTEXTUAL_BANDITS:
        words = f"--learner {name}"
        yield Case(
            f"explore/{name}",
            (
                f"explore trial.csv --costs walk,bus {words} --save m.rgl --report r.html --log l.csv",
                f"explore trial.csv --costs walk,bus {words} --seed 3 --json > report.json",
                "verify report.json trial.csv",
                "explore trial.csv --costs walk,bus --resume m.rgl --save more.rgl --quiet",
                f"explore three.csv {words} --quiet",
                f"explore {log} {words} --quiet --save l.rgl",
                f"explore {log} {words} --json > log.json",
                "verify log.json decisions.csv",
                "inspect m.rgl",
                "inspect l.rgl --json",
            ),
            exact=False,
        )
    yield Case(
        "explore/options",
        (
            "explore decisions.vw --hash-bits 4 --max-features 99 --save v.rgl --report v.html",
            "explore decisions.vw --resume v.rgl --quiet",
            "explore blocks.vw --quiet",
            "explore trial.csv --costs walk,bus --quiet --trace 2",
            "explore trial.csv --rewards walk,bus --log rw.csv --save rw.rgl --report rw.html --trace 1",
            "explore trial.csv --rewards walk,bus --json > rw.json",
            "verify rw.json trial.csv",
            "explore trial.csv --resume rw.rgl --save rw2.rgl --log rw.vw --quiet",
            "explore rw.csv --action action --reward reward --propensity probability --quiet",
            "explore rw.csv --action action --reward reward --propensity probability --json > rwl.json",
            "verify rwl.json rw.csv",
            "inspect rw.rgl --json",
            "explore trial.csv --costs walk,bus --log out.adf.vw --quiet",
            "explore trial.csv --costs walk,bus --log out.vw --quiet --delta 0.2 --range 0 2",
            "explore out.vw --range 0 2 --actions walk,bus --format vw --quiet",
            f"explore {log} --propensities pw,pb --actions walk,bus --quiet",
            "explore decisions.csv --action way --cost paid --propensity 0.5 --ignore prob,pw,pb --progress",
            "explore two.svm --ids-from 1 --normalize --threads 2 --quiet --checkpoint-every 10 --save t.rgl",
            "explore cities.csv --missing zero --on-error skip --categorical zone --target label --quiet",
            "explore cities.csv --missing zero --on-error skip --text city --ngrams 2 --quiet --json",
            "explore trial.csv --costs walk,bus --interactions rain*town --hash-bits 5 --keep-names 3 --quiet",
            "explore bare.data --target c6 --no-header --learner square-cb --set scale=2 --quiet",
            "explore three.csv --header --regressor vovk-azoury-warmuth --set-regressor matrix=diagonal --quiet",
            "explore - --format csv --costs walk,bus --set epsilon=0.2 --json < trial.csv",
        ),
        exact=False,
    )


# ---- solve

PATIENCE = "--seconds 600"  # what finds equilibria compiles itself first, which takes long on a busy machine


def _solve() -> Iterator[Case]:
    for name in ("auto", *METHODS):
        more = "--rounds 200" if name in SELF_PLAY else ""
        exact = name not in ("interior-point", "linear-programming")
        page = " --report r.html" if exact else ""  # in which a gap of nearly nothing is so many hundredths of another
        start = "" if name == "simplex" else "--start s.npz"
        yield Case(
            f"solve/{name}",
            (
                f"solve game.csv --method {name} {more} --save s.npz{page}",
                f"solve game.csv --method {name} {more} --json > report.json",
                "verify report.json game.csv",
                f"solve named.csv --method {name} {more} --exact",
                f"solve game.csv --method {name} {more} {start} --losses --quiet",
            ),
            exact=exact,
        )
    for name in ("auto", "linear-programming", *IN_TURNS):
        more = "--rounds 200" if name in IN_TURNS else ""
        yield Case(
            f"solve/in-turns-{name}",
            (
                f"solve card.efg --method {name} {more} --report r.html --save s.npz",
                f"solve pennies.npz --method {name} {more} --json",
                f"solve card.efg --method {name} {more} --exact" + (" --start s.npz" if name in IN_TURNS else ""),
            ),
            exact=name in IN_TURNS,
        )
    for name in ("auto", *ENUMERATIONS):
        yield Case(
            f"solve/equilibria-{name}",
            (
                f"solve battle.nfg --equilibria {name} {PATIENCE} --report r.html",
                f"solve chicken.nfg --equilibria {name} {PATIENCE} --json --save s.npz",
                f"solve outcomes.nfg --equilibria {name} {PATIENCE} --limit 1 --exact",
            ),
            exact=name == "exact-enumeration",
        )
    yield Case(
        "solve/in-turns-any-sum",
        (
            "solve entry.efg --report r.html --save s.npz",
            "solve entry.efg --json",
            "solve entry.efg --method cfr",
        ),
    )
    yield Case(
        "solve/correlated",
        (
            *(f"solve meeting.nfg --correlated --objective {objective} {PATIENCE} --quiet" for objective in OBJECTIVES),
            *(f"solve meeting.nfg --coarse --objective {objective} {PATIENCE} --quiet" for objective in OBJECTIVES),
            f"solve meeting.nfg --correlated {PATIENCE} --report r.html --save s.npz",
            f"solve meeting.nfg --coarse {PATIENCE} --json",
        ),
        exact=False,
    )
    yield Case(
        "solve/options",
        (
            "solve rps.csv",
            "solve saddle.csv",
            "solve constant.csv --json",
            "solve decimal.csv --exact",
            "solve two-games.npz --array b --quiet",
            "solve named.csv --names both --quiet",
            "solve - --format csv --quiet < game.csv",
            "solve game.csv --method rm+ --simultaneous --average linear --rounds 50",
            "solve game.csv --method rm+ --alternating --average uniform --tolerance 0.1 --progress",
            f"solve battle.nfg {PATIENCE}",
        ),
    )


# ---- dimension

SIZES = {"at-most-k": "4,2", "exactly-k": "4,2", "halfspaces": "2x3", "homogeneous-halfspaces": "signs:3"}


def _dimension() -> Iterator[Case]:
    for name in FAMILIES:
        family = f"{name}:{SIZES.get(name, '3')}"
        yield Case(
            f"dimension/{name}",
            (f"dimension --named {family}", f"dimension --named {family} --randomized --json"),
        )
    yield Case(
        "dimension/options",
        (
            "dimension class.csv --tree t.svg",
            "dimension class.csv --randomized --no-tree --limit 60",
            "dimension weekdays.csv --names both --only vc --quiet",
            "dimension class.npy --transpose --only littlestone --json",
            "dimension two-games.npz --array a --no-tree --progress",
            "dimension --points points.csv",
            "dimension --points directions.csv --homogeneous --json",
            "dimension - --format csv --no-tree < weekdays.csv",
        ),
    )


# ---- play

GIVEN = {"written": "--with file=rounds.csv"}


def _play() -> Iterator[Case]:
    for kind, names in TABLES.items():
        place = next(prefix for prefix, one in PREFIXES.items() if one == kind)
        for name in names:
            environments = environments_for(kind, name)
            if not environments:
                continue
            environment = next(
                (one for one in ("separable", "bernoulli", "sparse-target") if one in environments), environments[0]
            )
            words = f"play --learner {place}.{name} --environment {environment} {_environment(environment)}"
            yield Case(
                f"play/{place}.{name}",
                (f"{words} --save m.rgl", f"{words} --runs 3 --seed 2 --quiet", "inspect m.rgl"),
                exact=name != "ridge",
            )
    drawn = {
        entry_of(environment).gives: environment for environment in ENVIRONMENTS
    }.values()  # one of each kind has a page and JSON
    for environment in (*ENVIRONMENTS, WORST):
        commands: list[str] = []
        for prefix, kind in PREFIXES.items():
            name = next((one for one in TABLES[kind] if fits(kind, one, environment)), None)
            if name is not None:
                words = f"play --learner {prefix}.{name} --environment {environment} {_environment(environment, 12)}"
                shown = environment in (*drawn, WORST) and not commands
                commands += [f"{words} --trace --report r.html", f"{words} --json"] if shown else [f"{words} --trace"]
        yield Case(f"play/environment-{environment}", tuple(commands))
    yield Case(
        "play/options",
        (
            "play --learner halving --environment random-target --class weekdays.csv --rounds 5 --trace --json",
            "play --learner hedge --environment bernoulli --with means=0.1,0.5,0.9 --rounds 20 --set eta=0.3 --quiet",
            "play --learner exp3-ix --environment bernoulli --rounds 20 --runs 4 --anytime --report r.html --progress",
        ),
    )


def _environment(name: str, rounds: int = 24) -> str:
    more = "--named thresholds:9 " if name == WORST or entry_of(name).needs_class else ""
    more += GIVEN.get(name, "")
    return more.strip() if name in (WORST, "written") else f"{more}--rounds {rounds}"


# ---- the others


def _others() -> Iterator[Case]:
    yield Case(
        "export/export",
        (
            "learn two.csv --learner arow --no-certify --save _m.rgl > _learned.txt",
            "export _m.rgl --onnx _m.onnx",
            "export _m.rgl --onnx _m.onnx --json",
        ),
    )
    yield Case("explain/options", ("explain halving", "explain bandits.hedge --json", "explain --theorem halving"))
    yield Case("demo/demo", ("demo --folder d",), exact=False)  # its rows come through numpy's means
    yield Case("regretless/help", ("--help", "--version"))
    for verb in verbs():
        yield Case(f"{verb}/help", (f"{verb} --help",))
    for verb, commands in ERRORS.items():
        yield Case(f"{verb}/errors", tuple(commands))
    yield Case("names/theorems")
    yield from (Case(f"names/{path}") for path in packages())


CASES = [
    case
    for group in (_learn, _compare, _watch, _combine, _pull, _explore, _evaluate, _solve, _dimension, _play, _others)
    for case in group()
]


def stale() -> list[Path]:
    """Files of what is expected that no case makes."""
    made = {case.path for case in CASES}
    return sorted(path for path in EXPECTED.rglob("*") if path.is_file() and path not in made)
