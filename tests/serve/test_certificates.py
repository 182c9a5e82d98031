"""What the certificate of a model in production says."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from io import StringIO
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regretless.bandits import Exp3IX
from regretless.certify import certify_stream
from regretless.data import open_stream
from regretless.experts import Hedge
from regretless.linear import (
    AROW,
    AggregatedClassifier,
    AveragedPerceptron,
    OnlineGradientDescent,
    Perceptron,
    VotedPerceptron,
)
from regretless.persist.model import read
from regretless.regression import AggregatedRegressor
from regretless.serve.access import AccessTokens
from regretless.serve.databases import store_of
from regretless.serve.logs import ServiceLog
from regretless.serve.rows import ServedClassifier
from regretless.serve.server import Service
from regretless.serve.settings import Settings
from regretless.serve.startup import open_model
from regretless.serve.store import BY_NUMBER, Event
from regretless.theory.late_labels import as_answered

from ..command_line import CommandLine
from .asking import COLUMNS, Client, begun, rows, served

SOME = rows(30, seed=7)
LABELS = [int(row[0] + 0.2 * row[1] > 0) for row in SOME]


async def certified(client: Client, labels: list[Any], delay: int, rows: list[Any] = SOME) -> Any:
    """The certificate after rows whose labels come so many rows later."""
    for place in range(len(rows) + delay):
        if place < len(rows):
            answer = await client.ask("/v1/predict", {"id": f"{place}", "input": rows[place]})
            assert answer.status == 200, answer.body
        if place >= delay:
            late = {"id": f"{place - delay}", "label": labels[place - delay]}
            assert (await client.ask("/v1/label", late)).status == 200
    return (await client.ask("/v1/certificate")).json


def test_certificates_that_take_their_time(tmp_path: Path) -> None:
    """Who asks again soon gets the certificates of before, which say after how many labels they are."""
    path = begun(tmp_path, Perceptron(), {"features": COLUMNS, "classes": [0, 1]})

    async def work(client: Client) -> list[int]:
        (one,) = client.service.engines.values()
        versions = []
        for seconds in (1e3, 0.0, 0.0):
            assert (await client.ask("/v1/label", {"input": SOME[0], "label": 1})).status == 200
            versions.append((await client.ask("/v1/certificate")).json["version"])
            one.certified_last = replace(one.certified_last, seconds=seconds)
        return versions

    assert served(path, work) == [1, 1, 3]


@pytest.mark.parametrize("make", [AggregatedClassifier, Perceptron])
def test_the_numbers_of_a_run(make: Any, tmp_path: Path) -> None:
    """Without a delay the certificates are those of a run over the same rows, and the answers are what they bound."""
    path = begun(tmp_path, make(), {"features": COLUMNS, "classes": [0, 1]})
    replies = served(path, lambda client: certified(client, LABELS, 0))
    learner = make().partial_fit(np.array(SOME), np.array(LABELS, dtype=float), classes=[0.0, 1.0])
    certificates = learner.certify(np.array(SOME), np.array(LABELS, dtype=float))
    assert [one["line"] for one in replies["certificates"]] == [str(one) for one in certificates]
    assert replies["rounds"] == len(SOME)
    assert replies["delay"]["late"] == 0
    assert replies["delay"]["cost"]["mistakes"] == 0
    assert replies["delay"]["answered"]["mistakes"] == learner.ledger_.mistakes


@pytest.mark.parametrize(
    ("learner", "classes", "judged"),
    [
        (AggregatedClassifier(), 3, True),
        (AggregatedClassifier(class_weight={1: 3.0}), 2, False),
        (OnlineGradientDescent(loss="logistic"), 2, True),
        (OnlineGradientDescent(loss="logistic"), 3, False),
    ],
)
def test_without_a_delay_there_is_no_drift(learner: Any, classes: int, judged: bool, tmp_path: Path) -> None:
    """Where no label is late the drift is 0, or not known of a ledger that counts another loss than answers tell."""
    labels = [min(classes - 1, int(row[0] > 0) + int(row[1] > 0)) for row in SOME]
    path = begun(tmp_path, learner, {"features": COLUMNS, "classes": list(range(classes))})
    cost = served(path, lambda client: certified(client, labels, 0))["delay"]["cost"]
    assert cost["loss"] == (pytest.approx(0, abs=1e-9) if judged else None)
    # Where a round's weight is above 1 the aggregated learner scores it by scales that the weight has moved.
    assert cost["mistakes"] == 0 or learner.class_weight is not None


@pytest.mark.parametrize("learner", [VotedPerceptron(), AveragedPerceptron()])
def test_what_delay_costs_a_vote_is_not_known(learner: Any, tmp_path: Path) -> None:
    """Where answers are votes or means, and the ledger counts mistakes of the last weights, they have no difference."""
    path = begun(tmp_path, learner, {"features": COLUMNS, "classes": [0, 1]})
    delay = served(path, lambda client: certified(client, LABELS, 0))["delay"]
    assert delay["answered"]["mistakes"] > 0
    assert delay["cost"]["mistakes"] is None


def test_late_labels_of_rows(tmp_path: Path) -> None:
    """With late labels the certificates are the same, and what was answered differs by the cost that is said."""
    schema = {"features": COLUMNS, "classes": [0, 1]}
    prompt = served(begun(tmp_path, AggregatedClassifier(), schema, "a"), lambda client: certified(client, LABELS, 0))
    path = begun(tmp_path, AggregatedClassifier(), schema, "b")
    late = served(path, lambda client: certified(client, LABELS, 8))
    store = store_of(path.with_suffix(".db"), writes=False)
    store.open()
    answers = [json.loads(event.answer) for event in store.read(BY_NUMBER, 0, 100)]
    store.close()
    in_order = [one for one in late["certificates"] if not one["theorem"].endswith("as_answered")]
    assert [one["line"] for one in in_order] == [one["line"] for one in prompt["certificates"]]
    delay = late["delay"]
    # The first eight predictions saw no label, later ones miss the last eight; so does each label's place.
    assert (delay["late"], delay["most_rounds"]) == (29, 8)
    assert delay["mean_rounds"] == pytest.approx((sum(range(8)) + 22 * 8) / 30)
    assert delay["cost"]["loss"] == pytest.approx(delay["answered"]["loss"] - delay["in_order"]["loss"])
    assert delay["cost"]["loss"] > 1
    losses = [-log(one["probabilities"][str(label)]) for one, label in zip(answers, LABELS, strict=True)]
    assert delay["answered"]["loss"] == pytest.approx(sum(losses))
    aggregation = next(one for one in late["certificates"] if one["theorem"] == "mixture_as_answered")
    assert aggregation["observed"] == pytest.approx(sum(losses))
    assert aggregation["observed"] <= aggregation["bound"]
    mistakes = next(one for one in late["certificates"] if one["theorem"] == "mistakes_from_log_loss_as_answered")
    assert mistakes["observed"] == sum(one["label"] != label for one, label in zip(answers, LABELS, strict=True))


def test_mistakes_of_several_problems_as_answered(tmp_path: Path) -> None:
    """The mistakes of three classes against the rest, of which a round may have several, are not read as answers."""
    labels = [int(row[0] > 0) + int(row[1] > 0) for row in SOME]
    path = begun(tmp_path, AROW(), {"features": COLUMNS, "classes": [0, 1, 2]})
    replies = served(path, lambda client: certified(client, labels, 8))
    assert replies["delay"]["late"] > 0
    assert any(one["quantity"] == "mistakes (sum of 3 classes)" and one["applies"] for one in replies["certificates"])
    assert not any(one["theorem"].endswith("as_answered") for one in replies["certificates"])


@pytest.mark.parametrize("drift", [-3.0, 2.0])
def test_a_vacuous_bound_stays_vacuous_as_answered(drift: float) -> None:
    """A bound that says nothing in the order of labels says nothing of the answers, and its constants have the D."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(12, 3)), rng.integers(0, 2, 12)
    lines = AggregatedClassifier().fit(x, y).certify(x, y)
    empty = [one for one in lines if one.vacuous]
    assert {one.quantity for one in empty} == {"log loss", "mistakes"}
    for one in empty:
        read = as_answered(one, {"mistakes": drift, "loss": drift})
        assert read is not None
        assert "no better than" in str(read)
        assert read.describe()["constants"]["answers"] == {"drift": drift}
        assert read.bound == pytest.approx((one.bound or 0) + drift)


@pytest.mark.parametrize("drift", [-1.0, 3.0])
def test_the_most_that_a_regret_can_be_has_the_drift(drift: float) -> None:
    """No regret of the answers is above their own loss, which differs from the one in the order of labels by D."""
    x, y = np.eye(3)[[0, 1, 2, 0]], [0, 1, 1, 0]
    regret = OnlineGradientDescent(loss="logistic").fit(x, y).certify(x, y)[0]
    read = as_answered(regret, {"mistakes": 0.0, "loss": drift})
    assert read is not None
    assert (regret.quantity, regret.most.words) == ("regret", "the learner's own loss")
    assert read.most == (regret.most.value + drift, "the learner's own loss")


def test_late_outcomes_of_numbers(tmp_path: Path) -> None:
    """Of numbers the squared loss as answered and in order differ by the cost, and the theorems apply."""
    outcomes = [row[0] for row in SOME]
    path = begun(tmp_path, AggregatedRegressor(), {"features": COLUMNS})
    replies = served(path, lambda client: certified(client, outcomes, 5))
    assert sum(one["applies"] for one in replies["certificates"]) >= 3
    assert replies["delay"]["cost"]["loss"] > 0
    assert replies["delay"]["answered"]["mistakes"] is None


def test_theorems_about_answers(tmp_path: Path) -> None:
    """A combiner's bound has the cost of the delay in it; a bandit's theorem that assumes no delay does not apply."""
    advice = [[round(abs(value) % 1, 3) for value in row] for row in SOME]
    learner = Hedge(n_experts=COLUMNS, loss="square", value_range=(0, 1))
    path = begun(tmp_path, learner, {"experts": COLUMNS}, "a")
    replies = served(path, lambda client: certified(client, [row[0] for row in advice], 3, advice))
    assert any(one["applies"] for one in replies["certificates"])
    assert all(one["observed"] <= one["bound"] + 1e-9 for one in replies["certificates"] if one["applies"])
    path = begun(tmp_path, Exp3IX(n_arms=2, seed=3), {"arms": 2}, "b")
    replies = served(path, lambda client: certified(client, [0.5] * 30, 3, [None] * 30))
    assert replies["rounds"] == 30
    assert any("late" in (one["why"] or "") or one["applies"] for one in replies["certificates"])


def test_rounds_before_the_log(tmp_path: Path) -> None:
    """Of a model that had learned rows before, which the log has not, certificates that read rows do not apply; that
    of the mixture beside its members is the one of a run over all rows."""
    learner = AggregatedClassifier().fit(np.array(SOME), np.array(LABELS))
    path = tmp_path / "m.rgl"
    learner.save(path)
    replies = served(path, lambda client: certified(client, LABELS, 0))
    assert [one["theorem"] for one in replies["certificates"] if one["applies"]] == ["mixture"]
    assert "30 rounds before" in replies["certificates"][0]["why"]
    twice = np.array(SOME + SOME), np.array(LABELS + LABELS)
    certificates = AggregatedClassifier().fit(*twice).certify(*twice)
    assert next(one["line"] for one in replies["certificates"] if one["applies"]) in map(str, certificates)
    assert replies["delay"]["in_order"]["mistakes"] == replies["delay"]["answered"]["mistakes"]


@pytest.mark.parametrize("form", ["svm", "csv"])
def test_the_rows_before_the_log(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the file that a model had learned before, the certificates are those of one run over its rows and the
    log's."""
    file, path, whole = tmp_path / f"rows.{form}", tmp_path / "m.rgl", tmp_path / f"whole.{form}"
    lines = [_line(row, label, form) for row, label in zip(SOME, LABELS, strict=True)]
    head = "y,a,b,c,d\n" if form == "csv" else ""
    file.write_text(head + "".join(lines[:12]))
    whole.write_text(head + "".join(lines))
    words = ["--target", "y"] if form == "csv" else []
    quiet = ["--quiet", "--no-certify"]
    run = CommandLine(capsys, monkeypatch)
    assert run("learn", file, *words, *quiet, "--save", path).code == 0
    opened = open_model(path, path.with_suffix(".db"), Settings())
    opened.rows = str(file)
    process = asyncio.run(_asked(opened, [dict(zip("abcd", row, strict=True)) if words else row for row in SOME[12:]]))
    learner, _ = read(path)
    assert run("learn", whole, *words, *quiet, "--save", tmp_path / "whole.rgl").code == 0
    stream = open_stream(whole, target="y" if words else None)
    certificates = certify_stream(read(tmp_path / "whole.rgl")[0], stream)
    assert [one["bound"] for one in process["certificates"]] == pytest.approx([one.bound for one in certificates])
    assert sum(one["applies"] for one in process["certificates"]) >= 5
    assert learner.ledger_.rounds == 12
    assert process["rounds"] == 30


async def _asked(opened: Any, some: list[Any]) -> Any:
    async with Service({"m": opened}, Settings(), AccessTokens({}), ServiceLog(StringIO())) as service:
        return await certified(Client(service), LABELS[12:], 0, some)


def _line(row: list[float], label: int, form: str) -> str:
    if form == "csv":
        return ",".join(map(repr, [label, *row])) + "\n"
    return f"{label} " + " ".join(f"{place}:{value!r}" for place, value in enumerate(row, 1)) + "\n"


async def settled(client: Client, labels: list[Any], now: list[float], *, gives_up: int) -> tuple[Any, str]:
    """The certificate and the page after predictions of which the first ones are given up and the others labelled."""
    (engine,) = client.service.engines.values()
    sent = SOME if engine.live.served.learner.kind == "linear" else [None] * len(SOME)
    for place, row in enumerate(sent[: len(labels)]):
        now[0] += 10.0
        assert (await client.ask("/v1/predict", {"id": f"{place}", "input": row})).status == 200
    for place, label in enumerate(labels[gives_up:], gives_up):
        if place == gives_up:
            now[0] += 60.0 - 10.0 * (len(labels) - gives_up) + 5.0
            assert await engine.expire() == gives_up
        assert (await client.ask("/v1/label", {"id": f"{place}", "label": label})).status == 200
    return (await client.ask("/v1/certificate")).json, (await client.ask("/")).body.decode()


def test_what_expired_in_between_is_not_late(tmp_path: Path) -> None:
    """A label is late by the labels that were learned since its prediction, not by predictions that were given up."""
    now = [1e9]
    path = begun(tmp_path, AggregatedClassifier(), {"features": COLUMNS, "classes": [0, 1]})
    replies, _ = served(
        path, lambda one: settled(one, LABELS[:4], now, gives_up=3), Settings(expire=60.0), clock=lambda: now[0]
    )
    assert (replies["delay"]["expired"], replies["delay"]["late"], replies["delay"]["most_rounds"]) == (3, 0, 0)
    assert not any(one["theorem"].endswith("as_answered") for one in replies["certificates"])


@pytest.mark.parametrize("rewards", [False, True])
def test_default_losses_are_counted(rewards: bool, tmp_path: Path) -> None:
    """The certificate and the page say how many losses, or rewards, are the default, which the bounds are on."""
    now, settings = [1e9], Settings(expire=60.0, default_loss=1.0)
    path = begun(tmp_path, Exp3IX(n_arms=2, seed=1, rewards=rewards), {"arms": 2})
    replies, page = served(path, lambda one: settled(one, [0.0] * 5, now, gives_up=2), settings, clock=lambda: now[0])
    assert f"2 of 5 {'rewards' if rewards else 'losses'} are the default" in replies["about"]
    assert "2 of 5" in page
    assert replies["delay"]["substituted"] == 2


def test_forecasts_without_outcomes_are_in_no_bound(tmp_path: Path) -> None:
    """Of a combiner whose forecasts were given up the certificate says that no bound has them."""
    now, settings = [1e9], Settings(expire=60.0)
    path = begun(tmp_path, Hedge(n_experts=2, loss="square", value_range=(0, 1)), {"experts": 2})

    async def work(client: Client) -> Any:
        (engine,) = client.service.engines.values()
        assert (await client.ask("/v1/predict", {"id": "a", "input": [0.1, 0.9]})).status == 200
        now[0] += 100.0
        assert await engine.expire() == 1
        return (await client.ask("/v1/certificate")).json

    assert (
        "1 forecasts whose outcomes did not come are in no bound"
        in served(path, work, settings, clock=lambda: now[0])["about"]
    )


def test_labels_with_inputs_have_no_answers(tmp_path: Path) -> None:
    """Of labels that come with their inputs nothing is said of answers and delays, here, on the page, in history."""
    path = begun(tmp_path, AggregatedClassifier(), {"features": COLUMNS, "classes": [0, 1]})

    async def work(client: Client) -> tuple[Any, Any, str]:
        for row, label in zip(SOME, LABELS, strict=True):
            assert (await client.ask("/v1/label", {"input": row, "label": label})).status == 200
        answers = [await client.ask(f"/v1/{what}") for what in ("certificate", "history")]
        return answers[0].json, answers[1].json, (await client.ask("/")).body.decode()

    replies, history, page = served(path, work, Settings(log_predictions=False))
    delay = replies["delay"]
    assert delay["unanswered"] == len(SOME)
    assert [delay[what] for what in ("late", "mean_rounds", "most_rounds", "mean_seconds")] == [None] * 4
    assert delay["answered"] == delay["cost"] == {"mistakes": None, "loss": None}
    assert delay["in_order"]["mistakes"] > 0
    assert not any(one["theorem"].endswith("as_answered") for one in replies["certificates"])
    assert history["curve"]["now"][1:3] == history["curve"]["points"][0][1:3] == [None, None]
    assert "answered wrongly" not in page
    assert "predicted wrongly just before" in page


def test_a_share_of_0_has_no_loss(tmp_path: Path) -> None:
    """From an answer on that gave its label a share too small for a float, the loss as answered is not known."""
    path = begun(tmp_path, OnlineGradientDescent(loss="logistic"), {"features": COLUMNS, "classes": [0, 1]})
    rows, labels = [[1.0, 0, 0, 0]] * 3 + [[1e6, 0, 0, 0]] * 2, [1, 1, 1, 0, 1]
    delay = served(path, lambda client: certified(client, labels, 0, rows))["delay"]
    assert delay["in_order"]["loss"] > 745
    assert delay["answered"]["loss"] is delay["cost"]["loss"] is None
    assert delay["cost"]["mistakes"] == 0
    model = ServedClassifier(OnlineGradientDescent(loss="logistic").partial_fit([[1.0]], [1], classes=[0, 1]), {})
    event, few = Event(1, "a", 0.0, b"", b"", None, None, 0), 5e-324  # one digit of it is left
    assert model.judge(event, {"label": 1, "probabilities": {"0": few, "1": 1.0}}, 0) == (True, None, 1.0)
