"""
Probabilities that mean what they say
=====================================

A forecaster is overconfident: of the events it gives 90 %, only 70 % happen. ``PlattScaling`` learns a slope and an
offset as the outcomes come, with a bound against the best scaling in hindsight; ``BinnedOffsets`` corrects each range
of probabilities, with a bound on the calibration error of any sequence.
"""

import matplotlib.pyplot as plt
import numpy as np

from regretless.calibration import BinnedOffsets, PlattScaling

rng = np.random.default_rng(22)
rounds = 6000
logit = rng.normal(0, 1.2, rounds)
happened = rng.random(rounds) < 1 / (1 + np.exp(-logit))
scores = 2.5 * logit + 0.5  # too sure of itself, and a little too high
raw = 1 / (1 + np.exp(-scores))

# %%
scaling, offsets = PlattScaling(), BinnedOffsets(bins=10, rate=0.05)
forecasts = {"raw": raw, "scaled": scaling.play(scores, happened), "offsets": offsets.play(raw, happened)}
print(scaling.certify(scores, happened)[0])
print(offsets.certify()[0])
for name, p in forecasts.items():
    p = np.clip(p, 1e-9, 1 - 1e-9)
    print(f"{name:8} log loss a round {-np.mean(np.where(happened, np.log(p), np.log(1 - p))):.4f}")

# %%
# Each point is a tenth of the rounds, by forecast. On the diagonal, what was said is what happened.

figure, axes = plt.subplots(figsize=(4.6, 4.2))
axes.plot([0, 1], [0, 1], "--", color="C7")
for name, p in forecasts.items():
    tenths = np.array_split(np.argsort(p, kind="stable"), 10)
    axes.plot([p[k].mean() for k in tenths], [happened[k].mean() for k in tenths], "o-", label=name)
axes.set(xlabel="forecast", ylabel="share that happened", aspect="equal")
axes.legend()
plt.show()
