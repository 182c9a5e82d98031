"""
A service whose labels are late
===============================

A model answers over HTTP. What was right is known much later: here after up to 400 further requests, in another
order, and of one request in ten never. Each answer has an id, and the label comes by it.
"""

import socket
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

from regretless.client import Client

rng = np.random.default_rng(15)
X = rng.normal(size=(2400, 3))
y = np.where(X @ [1.0, -2.0, 0.5] + rng.normal(size=2400) > 0, "yes", "no")
due = np.arange(2400) + rng.integers(1, 400, 2400)  # after how many requests each label is known
due[rng.random(2400) < 0.1] = 10**9  # never


def answers(client):
    """All requests in blocks of 50; labels that are due by then are sent after each block."""
    said = []
    for k in range(0, len(y), 50):
        rows = [dict(zip("abc", map(float, row), strict=True)) for row in X[k : k + 50]]
        said += client.predict(rows, ids=[f"row-{t}" for t in range(k, k + 50)])
        client.label({f"row-{t}": str(y[t]) for t in np.flatnonzero((due >= k) & (due < k + 50))})
    return np.array([one["label"] for one in said])


# %%
# The server starts with a schema and a model that has learned nothing. The client waits until it answers.

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = str(free.getsockname()[1])
with TemporaryDirectory() as folder:
    schema = Path(folder, "schema.json")
    schema.write_text('{"columns": {"a": "number", "b": "number", "c": "number"}, "classes": ["no", "yes"]}')
    words = "serve new.rgl --learner aggregated --schema schema.json --port"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen([sys.executable, "-m", "regretless", *words.split(), port], cwd=folder, **quiet)
    try:
        with Client(f"http://127.0.0.1:{port}", attempts=20) as client:
            said, report = answers(client), client.certificate()
    finally:
        server.terminate()
        server.wait(20)

# %%
# The bounds are about predictions by weights that know every label before, in the order of the labels. What was
# answered came from older weights; what that cost is counted.

delay = report["delay"]
print(
    f"{delay['labels']:,} labels, {delay['mean_rounds']:.0f} labels late on average, {len(y) - delay['labels']} unknown"
)
in_order, answered = delay["in_order"]["mistakes"], delay["answered"]["mistakes"]
print(f"mistakes in the order of the labels {in_order:.0f}, as answered {answered}")
print(min((one for one in report["certificates"] if one["applies"]), key=lambda one: one["bound"])["line"])

# %%
# The share of wrong answers in windows of 200 requests. In the first window hardly a label is known yet; then it is
# as if they came at once, nearly: noise makes about one label in ten wrong for any learner.

wrong = (said != y).reshape(-1, 200).mean(axis=1)
best = (np.where(X @ [1.0, -2.0, 0.5] > 0, "yes", "no") != y).mean()
figure, axes = plt.subplots()
axes.plot(np.arange(200, len(y) + 1, 200), 100 * wrong, "o-", label="as answered")
axes.axhline(100 * best, color="C2", linestyle="--", label="by the true weights")
axes.set(xlabel="requests", ylabel="wrong answers, in %", ylim=(0, None))
axes.legend()
plt.show()
