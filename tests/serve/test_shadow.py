"""A second learner beside the one that answers, and how they change places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regretless.bandits import UCB1
from regretless.cli import main
from regretless.errors import RegretlessError
from regretless.experts import AdaHedge, Squint
from regretless.linear import AROW, AggregatedClassifier, Perceptron
from regretless.regression import AggregatedQuantile, AggregatedRegressor, OnlineGradientDescent
from regretless.run.comparison import Comparison
from regretless.run.competitors import Losses
from regretless.serve.access import AccessTokens
from regretless.serve.databases import store_of
from regretless.serve.replay import replay
from regretless.serve.settings import Settings
from regretless.serve.startup import new_model

from .asking import COLUMNS, Client, begun, rows, served
from .test_restart import label_of, model, traffic

SCHEMA = {"features": COLUMNS, "classes": ["no", "yes"]}


def two(folder: Path) -> dict[str, Path]:
    """A model and a second one."""
    return {"path": begun(folder, Perceptron(), SCHEMA), "shadow": begun(folder, AROW(), SCHEMA, "other")}


def mistaken(learner: Any, order: list[list[float]]) -> Any:
    """Which rows a new learner predicts wrongly, each before it learns it."""
    learner, _ = new_model(learner, SCHEMA)
    wrong = []
    for row in order:
        label = label_of("aggregated", row)
        wrong.append(learner.predict([row])[0] != label)
        learner.partial_fit([row], [label])
    return np.array(wrong)


async def promoted(client: Client, name: str = "other") -> Any:
    """What is answered to who asks that the second learner answer."""
    return (await client.ask("/v1/promote", {"shadow": name})).json


def test_the_interval_is_that_of_compare(tmp_path: Path) -> None:
    """The interval is that of `compare` for what both predict before each row, in the order of the labels."""

    async def work(client: Client) -> Any:
        await traffic(client, "aggregated", 0, 30)
        return (await client.ask("/v1/shadow")).json, (await client.ask("/")).body.decode()

    shown, page = served(**two(tmp_path), work=work)
    some = rows(40, seed=3)
    order = [some[place] for begin in range(0, 30, 3) for place in (begin + 2, begin)]
    expected = Comparison(("m", "other"))
    expected.add(*(Losses(mistaken(learner, order), None) for learner in (Perceptron(), AROW())))
    assert shown["names"] == ["m", "other"]
    assert shown["labels"] == 20
    assert shown["mistakes"] == expected.mistakes
    assert shown["interval"] == list(expected.interval)
    assert "Mistakes of m less those of other" in page


MOST = 9.0
PAIRS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "numbers": (AggregatedRegressor, OnlineGradientDescent, {"features": COLUMNS}),
    "experts": (
        lambda: Squint(n_experts=COLUMNS, value_range=(-5, 5)),
        lambda: AdaHedge(n_experts=COLUMNS, loss="square", value_range=(-5, 5)),
        {"experts": ["a", "b", "c", "d"]},
    ),
}


def forecasts(learner: Any, order: list[list[float]], kind: str, answers: bool = False) -> list[float]:
    """What a new learner forecasts for rows, each before it learns it; one that answers learns by its answers, two at
    a time."""
    learner, _ = new_model(learner, PAIRS[kind][2])
    result = []
    tickets: list[Any] = []
    for place, row in enumerate(order):
        outcome = label_of(kind, row)
        if kind == "experts":
            forecast = learner.forecast(np.array(row))
            if place % 2 == 0 or not answers:
                tickets = [learner.predict(np.array(one)) for one in order[place : place + 1 + answers]]
            learner.update(tickets[place % len(tickets)], outcome)
        else:
            (forecast,) = learner.predict([row])
            learner.partial_fit([row], [outcome])
        result.append(float(forecast))
    return result


@pytest.mark.parametrize("kind", PAIRS)
def test_losses_are_compared(kind: str, tmp_path: Path) -> None:
    """Of numbers and forecasts the interval is that of the losses, counted up to a number, of what both predict just
    before each label; without that number it is refused where losses have no largest value."""
    first, second, schema = PAIRS[kind]
    pair = {"path": begun(tmp_path, first(), schema), "shadow": begun(tmp_path, second(), schema, "other")}

    async def work(client: Client) -> Any:
        await traffic(client, kind, 0, 30)
        page, metrics = [(await client.ask(path)).body.decode() for path in ("/", "/metrics")]
        return (await client.ask("/v1/shadow")).json, page, metrics

    if kind == "numbers":
        with pytest.raises(RegretlessError, match="give --most-loss"):
            served(**pair, work=work)
    shown, page, metrics = served(**pair, work=work, settings=Settings(most_loss=MOST))
    some = rows(40, seed=3)
    order = [some[place] for begin in range(0, 30, 3) for place in (begin + 2, begin)]
    outcomes = np.array([label_of(kind, row) for row in order])
    losses = [
        np.minimum((np.array(forecasts(make(), order, kind, make is first)) - outcomes) ** 2, MOST)[kind == "numbers" :]
        for make in (first, second)
    ]
    expected = Comparison(("m", "other"), span=(0.0, MOST))
    expected.add(*(Losses(one / MOST, None) for one in losses))
    assert shown["labels"] == len(losses[0])
    assert shown["losses"] == pytest.approx([one.sum() for one in losses])
    assert shown["difference"] == pytest.approx((losses[0].sum() - losses[1].sum()) / len(losses[0]))
    assert shown["interval"] == pytest.approx(expected.interval)
    assert "Loss of m less that of other" in page
    assert f'regretless_shadow_difference{{model="m"}} {shown["difference"]}\n' in metrics


@pytest.mark.parametrize("kind", PAIRS)
def test_numbers_and_forecasts_are_promoted(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After it was promoted the second learner answers as if it had learned the labels alone, and certifies them all;
    the log gives the same bits however snapshots fall, also with predictions that were pending then."""
    first, second, schema = PAIRS[kind]
    last = []

    async def work(client: Client) -> Any:
        await traffic(client, kind, 0, 17)
        await promoted(client)
        await traffic(client, kind, 17, 30)
        for place in (1, 16):  # pending since before
            report = {"id": f"r{place}", "label": label_of(kind, rows(40, seed=3)[place])}
            assert (await client.ask("/v1/label", report)).json["status"] == "learnt"
        answer = (await client.ask("/v1/predict", {"id": "z", "input": rows(1, 5)[0]})).json
        return answer["forecast"], (await client.ask("/v1/certificate")).json, await model(client)

    for place, every in enumerate((1, 1000)):
        folder = tmp_path / str(place)
        folder.mkdir()
        pair = {"path": begun(folder, first(), schema), "shadow": begun(folder, second(), schema, "other")}
        settings = Settings(most_loss=MOST, snapshot_every=every, expire=None)
        forecast, certificate, bits = served(**pair, work=work, settings=settings)
        assert main(["replay", str(folder / "m.db"), "--save", str(folder / "again.rgl")]) == 0
        assert (folder / "again.rgl").read_bytes() == bits
        last.append(bits)
    assert last[0] == last[1]
    some = rows(40, seed=3)
    learned = [some[place] for begin in range(0, 30, 3) for place in (begin + 2, begin)] + [some[1], some[16]]
    assert forecast == pytest.approx(forecasts(second(), [*learned, rows(1, 5)[0]], kind)[-1])
    assert certificate["rounds"] == len(learned)


def test_the_one_that_was_promoted_answers(tmp_path: Path) -> None:
    """After it was promoted the second learner answers as if it had learned alone, also after a restart, and once."""

    async def begin(client: Client) -> Any:
        await traffic(client, "aggregated", 0, 21)
        return [await promoted(client), await promoted(client), await promoted(client, "m"), await promoted(client)]

    async def alone(client: Client) -> Any:
        await traffic(client, "aggregated", 0, 21)

    async def ask(client: Client) -> Any:
        answer = (await client.ask("/v1/predict", {"id": "z", "input": rows(1, 5)[0]})).json
        return answer["scores"], (await client.ask("/v1/shadow")).json.get("answering"), await model(client)

    pair = two(tmp_path)
    first, again, back, forth = served(**pair, work=begin)
    assert [first["repeated"], again["repeated"], back["repeated"], forth["repeated"]] == [False, True, False, False]
    assert first["sequence"] == again["sequence"] == forth["sequence"] - 2
    scores, answering, bytes_then = served(**pair, work=ask)
    assert answering == "other"
    other = begun(tmp_path, AROW(), SCHEMA, "alone")
    served(other, alone)
    assert scores == served(other, ask)[0]
    store = store_of(tmp_path / "m.db", writes=False)
    store.open()
    live, compared = replay(store)
    store.close()
    assert live.snapshot(0.0).model == bytes_then
    assert all(one.same for one in compared)


def test_a_log_plays_again_through_a_promotion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """However snapshots fall, the model is the same: saved after every label, or built from the first one."""
    last = []
    for place, every in enumerate((1, 1000)):
        folder = tmp_path / str(place)
        folder.mkdir()

        async def work(client: Client) -> bytes:
            await traffic(client, "aggregated", 0, 15)
            await promoted(client)
            await traffic(client, "aggregated", 15, 30)
            return await model(client)

        last.append(served(**two(folder), work=work, settings=Settings(snapshot_every=every)))
        assert main(["replay", str(folder / "m.db")]) == 0
    assert last[0] == last[1]


def test_certificates_after_a_promotion(tmp_path: Path) -> None:
    """The certificates of a learner that was promoted are about all labels that it learned, and speak of no drift."""

    async def work(client: Client) -> Any:
        await traffic(client, "aggregated", 0, 15)
        await promoted(client)
        await traffic(client, "aggregated", 15, 30)
        return (await client.ask("/v1/certificate")).json

    path, other = begun(tmp_path, Perceptron(), SCHEMA), begun(tmp_path, AggregatedClassifier(), SCHEMA, "other")
    certificate = served(path, work, shadow=other)
    assert certificate["rounds"] == 20
    assert all(one["applies"] and one["observed"] <= one["bound"] for one in certificate["certificates"])
    assert not any("as answered" in one["line"] for one in certificate["certificates"])
    assert certificate["delay"]["cost"] == {"mistakes": None, "loss": None}


def test_what_is_refused(tmp_path: Path) -> None:
    """Refused are a second learner of other rows or labels, a promotion without `admin`, and one of nobody."""
    path = begun(tmp_path, Perceptron(), SCHEMA)
    others = {
        "features": begun(tmp_path, AROW(), {"features": 3, "classes": ["no", "yes"]}, "a"),
        "labels": begun(tmp_path, AROW(), {"features": COLUMNS, "classes": ["no", "maybe"]}, "b"),
        "two of a kind": begun(tmp_path, AggregatedRegressor(), {"features": COLUMNS}, "c"),
    }

    async def nothing(client: Client) -> Any:
        return (
            await client.ask("/v1/promote", {"shadow": "a"}, headers={"authorization": f"Bearer {'t' * 16}"})
        ).status

    for word, other in others.items():
        with pytest.raises(RegretlessError, match=word):
            served(path, nothing, shadow=other)
    arms = {"arms": ["red", "green"]}
    with pytest.raises(RegretlessError, match="the loss of the arm that it drew alone"):
        served(begun(tmp_path, UCB1(n_arms=2), arms, "d"), nothing, shadow=begun(tmp_path, UCB1(n_arms=2), arms, "e"))
    numbers = begun(tmp_path, AggregatedRegressor(), {"features": COLUMNS}, "f")
    quantiles = begun(tmp_path, AggregatedQuantile(), {"features": COLUMNS}, "g")
    with pytest.raises(RegretlessError, match=r"it has the pinball\(0.5\) loss, and the model the square loss"):
        served(numbers, nothing, Settings(most_loss=1.0), shadow=quantiles)
    assert served(path, nothing) == 409
    assert served(path, nothing, tokens=AccessTokens({"t" * 16: frozenset(["predict", "label"])})) == 403


def test_a_second_learner_goes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Started without `--shadow` the log ends the second learner, and begins it anew when it is back."""
    pair = two(tmp_path)

    async def work(client: Client) -> Any:
        shown = (await client.ask("/v1/shadow")).json
        await traffic(client, "aggregated", shown.get("labels", 0), 3 + shown.get("labels", 0))
        return shown["shadow"], (await client.ask("/v1/model")).json["version"]

    assert served(**pair, work=work) == ("other", 3)
    assert served(pair["path"], lambda client: client.ask("/v1/shadow")).json["shadow"] is None
    assert main(["replay", str(tmp_path / "m.db")]) == 0


def test_a_row_that_only_one_can_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row without names is not compared where words have features; once promoted, no bound wants that row again."""
    table = {"columns": {"size": "number", "city": "text"}, "classes": ["no", "yes"]}
    path, other = begun(tmp_path, Perceptron(), table), begun(tmp_path, AROW(), table, "other")

    async def label(client: Client, id: str, value: Any) -> None:
        assert (await client.ask("/v1/predict", {"id": id, "input": value})).status == 200
        assert (await client.ask("/v1/label", {"id": id, "label": "no"})).status == 200

    async def work(client: Client) -> Any:
        await label(client, "a", [2.0])
        await label(client, "b", {"size": 1.0, "city": "Oslo"})
        shown = (await client.ask("/v1/shadow")).json
        await promoted(client)
        await label(client, "c", {"size": 3.0, "city": "Bergen"})
        return shown["labels"], (await client.ask("/v1/certificate")).json, (await client.ask("/")).status

    labels, certificate, status = served(path, work, shadow=other)
    assert (labels, certificate["rounds"], status) == (1, 2, 200)
    assert any("had learned 1 rounds before" in str(one["why"]) for one in certificate["certificates"])
    assert main(["replay", str(tmp_path / "m.db")]) == 0
