"""
An alarm that may be looked at after every row
==============================================

A model errs on a tenth of the rows; from row 3,001 on on a fifth. An alarm that is looked at after every row must not
be the usual test at 5 %: that one is sure to go off some day. The e-detector promises at least 10,000 rows on average
before a false alarm, however often one looks.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.alarms import ConfidenceSequence, EDetector

rng = np.random.default_rng(24)
wrong = rng.random(4000) < np.repeat([0.1, 0.2], [3000, 1000])

detector, evidence, raised = EDetector(reference=0.12, mean_rounds=10_000), [], None
for row, one in enumerate(wrong, 1):
    if detector.update(one) and raised is None:
        raised = row
        print(f"alarm at row {row}, {row - 3000} rows after the change; since row {detector.since_}, as estimated")
low, high = ConfidenceSequence(level=0.95).play(wrong)

# %%
# How often each goes off on 200 streams of 3,000 rows that are as they should be:

level, false = 0.1, {"e-detector": 0, "a test at 5 % after every row": 0}
rows = np.arange(1, 3001)
for _ in range(200):
    fine = rng.random(3000) < level
    alarm = EDetector(reference=0.1, mean_rounds=10_000)
    false["e-detector"] += bool(np.any([alarm.update(one) for one in fine]))
    z = (np.cumsum(fine) - level * rows) / np.sqrt(level * (1 - level) * rows)
    false["a test at 5 % after every row"] += bool(np.any(z[30:] > 1.645))
for name, count in false.items():
    print(f"{name}: {count} of 200 streams have a false alarm")

# %%
# The band holds the mean so far with probability 95 % at all rows at once. The mean follows the change slowly; the
# alarm, which forgets a quiet past, is faster.

figure, axes = plt.subplots(figsize=(5.2, 3.8))
axes.fill_between(np.arange(1, 4001)[50:], low[50:], high[50:], alpha=0.3, linewidth=0, label="95 %, at any time")
axes.plot(np.arange(1, 4001)[50:], (np.cumsum(wrong) / np.arange(1, 4001))[50:], label="share of errors so far")
axes.axhline(0.12, color="C7", linestyle="--", label="reference")
axes.axvline(3000, color="C3", linestyle=":", label="change")
if raised:
    axes.axvline(raised, color="C1", label="alarm")
axes.set(xlabel="rows", ylabel="share of errors", ylim=(0, 0.25))
figure.legend(loc="outside upper left", ncols=2)
plt.show()
