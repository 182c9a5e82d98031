"""A server that is killed under traffic, again and again: ``python -m tests.serve.kills STORE FOLDER KILLS SEED``.

Each server is a fork of this process, which has imported everything. Clients ask, repeat what they asked, and try again
what was not answered before the kill; now and then they let the second learner and the first change places. In the end
the log must hold every label that was acknowledged, once, in a sequence without gaps, and played again it must give the
model that was served.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import uvicorn  # noqa: F401 (so that no fork has to import it)

from regretless.cli import main
from regretless.linear import AROW, Perceptron
from regretless.serve.databases import store_of
from regretless.serve.replay import replay
from regretless.serve.store import BY_NUMBER

from .asking import COLUMNS, PATIENCE, begun

CLIENTS = 4
MOMENTS = (0.02, 0.25)  # seconds from its start to the kill of a server
PROMOTED, NAMES = 0.03, ("m", "other")  # how often the two learners change places


class Server:
    """A server in a fork of this process."""

    def __init__(self, words: list[str]) -> None:
        reading, writing = os.pipe()
        self._child = os.fork()
        if self._child == 0:
            os.close(reading)
            os.dup2(writing, 2)
            os._exit(main(["serve", *words, "--port", "0"]))
        os.close(writing)
        self.port = 0
        with open(reading, closefd=True) as log:
            lines = []
            for line in log:
                lines.append(line)
                if '"event": "serving"' in line:
                    self.port = int(json.loads(line)["url"].rpartition(":")[2])
                    break
        assert self.port, "".join(lines)

    def end(self, number: int) -> int:
        """Send it a signal and wait; its exit code."""
        os.kill(self._child, number)
        return os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])


class Traffic:
    """What clients asked, and what was acknowledged."""

    def __init__(self, seed: int) -> None:
        self._lock, self._draw, self._number = Lock(), random.Random(seed), 0
        self.answers: dict[str, bytes] = {}  # by ids, predictions that were answered
        self.sequences: dict[str, int] = {}  # by ids, labels that were acknowledged
        self.promoted: set[int] = set()  # sequence numbers of promotions that were acknowledged
        self.open: set[str] = set()  # ids that were asked and not answered
        self.faults: list[Exception] = []  # of clients

    @staticmethod
    def row(id: str) -> list[float]:
        """What is predicted by an id."""
        draw = random.Random(id)
        return [round(draw.gauss(0, 1), 3) for _ in range(COLUMNS)]

    def label(self, id: str) -> int:
        """Its label."""
        return int(sum(self.row(id)) > 0)

    def run(self, port: int, seed: int) -> list[Thread]:
        """Clients that ask until the server is gone."""
        threads = [Thread(target=self._ask_on, args=(port, f"{seed} {place}")) for place in range(CLIENTS)]
        for thread in threads:
            thread.start()
        return threads

    def end(self, threads: list[Thread]) -> None:
        """Wait until all clients have noticed that the server is gone, and raise what they saw."""
        for thread in threads:
            thread.join()
        if self.faults:
            raise self.faults[0]

    def _ask_on(self, port: int, seed: str) -> None:
        draw, connection = random.Random(seed), http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            while True:
                self._ask_once(draw, connection)
        except (OSError, http.client.HTTPException):  # killed
            pass
        except Exception as error:  # of a thread nothing is seen
            self.faults.append(error)
        finally:
            connection.close()

    def _ask_once(self, draw: random.Random, connection: http.client.HTTPConnection) -> None:
        if draw.random() < PROMOTED:
            reply = json.loads(self._post(connection, "/v1/promote", {"shadow": draw.choice(NAMES)}))
            with self._lock:
                self.promoted |= {reply["sequence"]} - {None}
            return
        with self._lock:
            kind = draw.random()
            labelled = kind < 0.5 and self.answers
            if labelled or (kind < 0.6 and self.answers):
                id = draw.choice(list(self.answers))  # asked before, answered or not, labelled or not
            elif kind < 0.7 and self.open:
                id = draw.choice(sorted(self.open))
            else:
                self._number += 1
                id = f"id {self._number}"
            self.open.add(id)
        if labelled:
            reply = json.loads(self._post(connection, "/v1/label", {"id": id, "label": self.label(id)}))
            with self._lock:
                assert self.sequences.setdefault(id, reply["sequence"]) == reply["sequence"], "another sequence number"
        else:
            answer = self._post(connection, "/v1/predict", {"id": id, "input": self.row(id)})
            with self._lock:
                assert self.answers.setdefault(id, answer) == answer, "another answer"
        with self._lock:
            self.open.discard(id)

    def _post(self, connection: http.client.HTTPConnection, path: str, body: Any) -> bytes:
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse()
        read = answer.read()
        assert answer.status == 200, read
        return read


def harass(where: str, folder: Path, kills: int, seed: int) -> tuple[int, int]:
    """Kill servers; how many labels were acknowledged, and how many predictions were made."""
    path = begun(folder, AROW(), {"features": COLUMNS, "classes": [0, 1]})
    store = str(path.with_suffix(".db")) if where == "sqlite" else where
    other = begun(folder, Perceptron(), {"features": COLUMNS, "classes": [0, 1]}, "other")
    words = [str(path), "--store", store, "--snapshot-every", "60", "--shadow", str(other), "--alarm-reference", "0.2"]
    draw, traffic = random.Random(seed), Traffic(seed)
    for kill in range(kills):
        server = Server(words)
        threads = traffic.run(server.port, kill)
        time.sleep(draw.uniform(*MOMENTS))
        server.end(signal.SIGKILL)
        traffic.end(threads)
    server = Server(words)
    threads = traffic.run(server.port, kills)
    time.sleep(MOMENTS[1])
    assert server.end(signal.SIGTERM) == 0, "the last server did not stop as it should"
    traffic.end(threads)
    check(store if where == "sqlite" else f"{store}#{path.stem}", traffic)
    return len(traffic.sequences), len(traffic.answers)


def check(where: str, traffic: Traffic) -> None:
    """The log holds what was acknowledged, and gives the model that was served."""
    store = store_of(where, writes=False)
    store.open()
    events, after = {}, 0
    while block := store.read(BY_NUMBER, after, 1000):
        events |= {event.id: event for event in block}
        after = block[-1].number
    live, compared = replay(store)
    store.close()
    for id, answer in traffic.answers.items():
        assert events[id].answer == answer, f"{id}: the log has another answer"
    for id, sequence in traffic.sequences.items():
        assert (events[id].sequence, events[id].label) == (sequence, str(traffic.label(id))), f"{id}: another label"
    settled = sorted(event.sequence for event in events.values() if event.sequence is not None)
    assert settled == list(range(1, len(settled) + 1)), "the sequence has a gap"
    assert live.version == len(settled), "the log ends elsewhere"
    assert traffic.promoted <= {event.sequence for event in events.values() if event.state == "promoted"}, "a promotion"
    learnt = sum(event.state == "learnt" for event in events.values())
    assert live.shadow is not None
    for one in (live.served, live.shadow.served):
        assert one.sums()[0] == learnt, "a label was learned twice, or not at all"
    assert compared, "no snapshot to compare with"
    assert (compared[-1].version, compared[-1].number) == (live.version, live.number), "the last snapshot is an old one"
    assert all(one.same for one in compared), "played again, the log gives another model"


if __name__ == "__main__":
    labels, predictions = harass(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    print(
        f"{sys.argv[3]} servers were killed; {labels} labels and {predictions} predictions were acknowledged, none lost"
    )
