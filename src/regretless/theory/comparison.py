"""Two predictors on the same rounds: by how much the losses of one exceed those of the other, at any time."""

from __future__ import annotations

from dataclasses import dataclass

from ..certificate import Most
from ..theorem import theorem
from .confidence import PLAYED, Confidence, deviation, nobody_sees


@dataclass(frozen=True, slots=True)
class ComparisonLedger:
    """What was counted of two predictors.

    Attributes
    ----------
    rounds : float
    excess : float
        Sum over the rounds of the first one's loss less the second one's.
    variance : float
        Sum of the squared errors of x_t = (1 + first loss - second loss) / 2, guessed by the mean of 1/2 and all x
        before it.
    """

    rounds: float
    excess: float
    variance: float


@dataclass(frozen=True, slots=True)
class Rivals:
    """Whose losses are compared.

    Attributes
    ----------
    first, second : str
        The one whose losses are looked at, and the one that it is compared with.
    """

    first: str
    second: str

    @property
    def label(self) -> str:
        """As a certificate is read against it."""
        return f"{self.second}, for {self.first}"

    def describe(self) -> dict[str, str]:
        """Both names."""
        return {"first": self.first, "second": self.second}


def _largest(*_: object) -> Most:
    return Most(1.0, "1, the largest difference of two losses")


@theorem(
    title="Excess loss",
    quantity="average excess loss",
    counts=nobody_sees,
    formula=r"\frac{1}{T}\sum_{t=1}^{T} E_{t-1}[a_t - b_t]"
    r" \le \frac{1}{T}\sum_{t=1}^{T}(a_t - b_t) + \frac{2s}{T},\quad "
    r"\frac{1}{J}\sum_{j=1}^{J} e^{\lambda_j s - \psi(\lambda_j) V_T} = \frac{1}{\delta},\quad "
    r"V_T = \sum_{t=1}^{T}(x_t - g_t)^2",
    source="Howard, Ramdas, McAuliffe & Sekhon 2021, Thm 4, with a mixture over J rates; for two forecasters Choe & "
    "Ramdas 2024, Thm 2",
    kind="probable",
    assumes=[PLAYED],
    whole=False,
    most=_largest,
)
def excess_loss(ledger: ComparisonLedger, comparator: Rivals, learner: Confidence) -> float:
    """Let a_t and b_t be losses in [0, 1] of two predictors that know the rounds before round t alone. With
    probability 1 - delta, for all T at once, the average of what was to be expected of a_t - b_t, given the rounds
    before, is at most the average of a_t - b_t plus 2 s / T. Nothing is assumed of how the rounds come about."""
    return ledger.excess / ledger.rounds + 2 * float(deviation(ledger.variance, learner.delta)) / ledger.rounds
