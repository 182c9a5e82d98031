"""
A raw stream of mail
====================

Mails come one after the other. Each is judged before its label is known, and learned afterwards. The words become
columns by hashing, so that no list of words is needed and a new word is no trouble.

The environment variable ``REGRETLESS_MAIL`` may name a CSV file (or .csv.xz) with the columns ``label`` and
``text``; otherwise the mails are made here.
"""

import csv
import lzma
import os

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from regretless.linear import AggregatedClassifier

rng = np.random.default_rng(0)
BOTH = ["the", "a", "to", "you", "we", "is", "it", "for", "on", "and", "at", "this", "that", "have", "your", "with"]
WORDS = {
    "ham": ["meeting", "lunch", "report", "thanks", "draft", "tomorrow", "call", "notes"],
    "spam": ["prize", "winner", "free", "cash", "offer", "click", "urgent", "loan"],
}


def made(count):
    """Labels and texts: every third mail is spam; a fifth of the telling words are of the other kind."""
    for _ in range(count):
        label = "spam" if rng.random() < 1 / 3 else "ham"
        other = "ham" if label == "spam" else "spam"
        telling = [rng.choice(WORDS[other if rng.random() < 0.2 else label]) for _ in range(3)]
        yield label, " ".join([*rng.choice(BOTH, 12), *telling])


path = os.environ.get("REGRETLESS_MAIL")
if path:
    with (lzma.open if path.endswith(".xz") else open)(path, "rt", newline="", encoding="utf-8") as file:
        mails = [(row["label"], row["text"]) for row in csv.DictReader(file)]
else:
    mails = list(made(3000))
print(f"{len(mails)} mails,", f"of {path}" if path else "made in place")

# %%
# Mails are learned in the order in which they stand. After some of them we note the log loss so far, what the theorem
# allows, and what the best constant probability would have lost.

labels, texts = map(np.array, zip(*mails, strict=True))
X = HashingVectorizer(n_features=2**12, alternate_sign=False).transform(texts)
learner, done, points = AggregatedClassifier(), 0, []
for rounds in np.unique(np.geomspace(50, len(mails), 14).astype(int)):
    learner.partial_fit(X[done:rounds], labels[done:rounds], classes=np.unique(labels))
    done = rounds
    line = next(one for one in learner.certify(X[:rounds], labels[:rounds]) if one.theorem.title == "Aggregation")
    share = np.unique(labels[:rounds], return_counts=True)[1] / rounds
    points.append((rounds, line.observed, line.bound, line.comparator.loss, -rounds * (share * np.log(share)).sum()))
print(line)
print(f"mistakes: {learner.ledger_.mistakes:.0f} of {done}")

# %%
# Above: the learner beside the best constant probability. Eight members are mixed, and the bound is so close above
# the learner's line that the two cannot be distinguished. Below: how much more the mixture lost than the best of its
# members so far, and how much more it may lose: some nats, in all mails together. Below 0 the mixture is better than
# every member.

rounds, loss, bound, member, constant = np.transpose(points)
figure, (top, bottom) = plt.subplots(2, 1, figsize=(5.2, 5), sharex=True)
top.plot(rounds, constant, ":", color="C2", label="best constant probability")
top.plot(rounds, loss, color="C0", label="learner")
top.set(ylabel="log loss, in nats")
bottom.plot(rounds, bound - member, "--", color="C1", label="bound")
bottom.plot(rounds, loss - member, "o-", color="C0", label="learner")
bottom.set(xlabel="mails", ylabel="more than the best\nmember, in nats")
top.legend()
bottom.legend()
plt.show()
