"""The peer of `bench_serve`: an SGD classifier of scikit-learn behind FastAPI, with the same log in SQLite.

``python serve_peer.py PORT FOLDER``; each prediction is committed before it is answered, as users write it.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
import uuid
from threading import Lock
from typing import Any

import numpy as np
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sklearn.linear_model import SGDClassifier

COLUMNS = 32
app, lock = FastAPI(), Lock()
model = SGDClassifier(loss="log_loss").partial_fit(np.zeros((2, COLUMNS)), [0, 1], classes=[0, 1])
db = sqlite3.connect(f"{sys.argv[2]}/peer.db", isolation_level=None, check_same_thread=False)
for setting in ("journal_mode = WAL", "synchronous = FULL"):
    db.execute(f"PRAGMA {setting}")
db.execute("CREATE TABLE events (id TEXT PRIMARY KEY, time REAL, input TEXT, prediction REAL, label INTEGER)")


class Row(BaseModel):
    """What is predicted."""

    input: list[float]


class Labels(BaseModel):
    """Labels with their inputs."""

    labels: list[dict[str, Any]]


@app.post("/predict")
def predict(row: Row) -> dict[str, Any]:
    """The probability of the second class, written down before it is answered."""
    with lock:
        share = float(model.predict_proba([row.input])[0, 1])
        name = str(uuid.uuid4())
        db.execute("INSERT INTO events VALUES (?, ?, ?, ?, NULL)", (name, time.time(), json.dumps(row.input), share))
    return {"id": name, "probability": share}


@app.post("/label")
def label(labels: Labels) -> dict[str, int]:
    """Learn labels."""
    with lock:
        db.execute("BEGIN")
        for one in labels.labels:
            row = (str(uuid.uuid4()), time.time(), json.dumps(one["input"]), None, one["label"])
            db.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", row)
        db.execute("COMMIT")
        model.partial_fit([one["input"] for one in labels.labels], [one["label"] for one in labels.labels])
    return {"learned": len(labels.labels)}


if __name__ == "__main__":
    uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False)
