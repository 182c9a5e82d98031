"""What all contextual bandits share: foretell the losses of the arms, draw one, learn what it lost."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from .. import _core
from ..bandits.state import Scale
from ..bandits.validation import MOST, arm_names, at_most, scale_of, seed_of
from ..checks import drawn_seed, one_of, positive, share
from ..errors import ParameterError
from ..info import ContextualInfo, HasInfo
from ..ledger import ContextualLedger
from ..persist.model import PersistentRecord
from ..persist.validation import count, digits, names, one, parameters, stored_as
from ..regression.base import OnlineRegressor
from ..theorem import Theorem
from .certificates import certificates_of, facts_of_squares
from .inputs import Trial, played, policy_names
from .models import begun, described, regressor_from, regressor_of, restored, states_of
from .online import Deciding
from .state import ContextualState, Ticket

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..theory.contextual import ContextualFacts

Array = np.ndarray[Any, Any]


MOST_BITS = 16  # rows are dense


@dataclass(kw_only=True, eq=False)
class ContextualBandit(HasInfo, PersistentRecord, Deciding):
    """The parameters and manners that every contextual bandit has.

    Parameters
    ----------
    n_arms : int, optional
        How many arms there are; by default as many as `arms` has names.
    arms : sequence of str, optional
        Their names.
    regressor : OnlineRegressor, optional
        What forecasts the loss of an arm from a row: each arm has a copy of its own. It is to be one of the square
        loss; by default `VovkAzouryWarmuth`.
    shared : bool
        Whether arms have features of their own: x is a table with a row for each arm then, all from one regression.
        With fewer rows than `n_arms` the last arms cannot be drawn in that decision.
    hash_bits : int, optional
        From 1 to 16. Rows may be values by their names then, ``{"rain": 1, "town": "north"}``: a hash says which of
        2^hash_bits columns a name, or one with its text, is. Where arms have features of their own x is a list of
        them, one an arm, or a pair: the decision's own values, and that list. Each arm has both kinds of features then,
        and the product of each of the one with each of the other.
    value_range : (float, float)
        Declared range of the losses; what lies outside is an error.
    rewards : bool
        Whether what is reported are rewards, of which more is better.
    seed : int, optional
        What the draws are a function of, from 0 to 2^64 - 1; by default a new one, kept as ``seed_``.
    norm : float
        Of theorems that assume mean losses to be linear in the features: the largest root that the sum of (largest size
        of a feature x its weight)^2 may have for an arm, the constant feature included, > 0.
    delta : float
        The probability with which a bound that is read with confidence may fail.
    policies : sequence of str, optional
        Names of policies to be compared with: each decision says then which arm each of them would draw (``advice=``).
    """

    n_arms: int | None = field(default=None, kw_only=False)
    arms: Sequence[str] | None = None
    regressor: Any = field(default=None, metadata=stored_as(dict))
    shared: bool = False
    hash_bits: int | None = None
    value_range: tuple[float, float] = (0.0, 1.0)
    rewards: bool = False
    seed: int | None = None
    norm: float = 1.0
    delta: float = 0.05
    policies: Sequence[str] | None = None

    info: ClassVar[ContextualInfo]
    kind = "contextual"
    _FIXED = "is given when a bandit is made"
    theorems: ClassVar[tuple[Theorem, ...]] = ()

    def __post_init__(self) -> None:
        self.arm_names_: list[str] | None = None if self.arms is None else arm_names(self.arms)
        named = None if self.arm_names_ is None else len(self.arm_names_)
        if self.n_arms is None and named is None:
            raise ParameterError("n_arms", "", "is missing: how many arms are there? Or name them as arms=", " ")
        self.n_arms_: int = named if self.n_arms is None and named else at_most(MOST, "n_arms", self.n_arms)
        if named not in (None, self.n_arms_):
            raise ParameterError("n_arms", str(self.n_arms), f"and arms= has {named} names", ", ")
        self._scale: Scale = scale_of(self.value_range, self.rewards)
        share("delta", self.delta)
        positive("norm", self.norm)
        self.seed_ = drawn_seed(None) if self.seed is None else seed_of("seed", self.seed)
        one_of("shared", self.shared, (False, True))
        if self.hash_bits is not None and at_most(MOST_BITS, "hash_bits", self.hash_bits) < 1:
            raise ParameterError("hash_bits", repr(self.hash_bits), "it must be at least 1", ": ")
        self._model = self._regression()
        self.policy_names_ = policy_names(self.policies)
        self._state = ContextualState(self.n_arms_, len(self.policy_names_), self._most_error())
        self._models: list[Any] = []
        self._explorer: Any = None
        self._labels = self.arm_names_ or [str(arm) for arm in range(self.n_arms_)]
        self._pending: dict[int, Ticket] = {}
        self._amount()
        self._made = True

    def __copy__(self) -> Self:
        from copy import deepcopy

        return deepcopy(self)

    @abstractmethod
    def _amount(self) -> float:
        """The number that the rule goes by, checked: a share, a scale or a width."""

    def _most_error(self) -> float:
        """What the forecast of one loss can be charged at most."""
        return 1.0

    def _tuned(self) -> bool:
        """Whether gamma is the one that the theorem asks for."""
        return False

    def _regression(self) -> OnlineRegressor:
        """What each arm's regression is a copy of."""
        return regressor_of(self.regressor)

    def _begun(self, columns: int) -> Any:
        """The regression of an arm that has learned nothing."""
        return begun(self._model, columns)

    # ---- what it knows

    @property
    def total_(self) -> float:
        """The losses that were reported so far, summed in their own units; the rewards with ``rewards=True``."""
        return self._scale.total(self._state.one("loss"), self._state.one("settled"))

    @property
    def regressor_(self) -> OnlineRegressor:
        """What each arm's regression is a copy of; it learns nothing itself."""
        model: OnlineRegressor = self._model
        return model

    def memory(self, columns: int) -> int:
        """How many bytes the regressions take of rows with so many features, all together."""
        return self._regressions * self.regressor_.new_state(0).size(columns)

    @property
    def models_(self) -> list[OnlineRegressor]:
        """The regression of each arm, of losses in units of the declared range; none before the first row."""
        return list(self._models)

    @property
    def n_features_in_(self) -> int:
        """How many features rows have; 0 before the first."""
        return self._models[0].state_.columns if self._models else 0

    # ---- a table

    def play(self, X: Any, losses: Any, *, advice: Any = None) -> Trial:
        """Play a trial: rows in their order, of which the losses of all arms are known, and the drawn one's is shown.

        Parameters
        ----------
        X : array-like of shape (rounds, features), or (rounds, arms, features) where arms have features of their own
        losses : array-like of shape (rounds, arms)
            Losses (rewards, with ``rewards=True``) of all arms, nan where an arm cannot be drawn.
        advice : array-like of shape (rounds, policies), optional
            The arm that each of the policies would draw, where these were named, and only then.

        Returns
        -------
        Trial
            The arms that were drawn, their probabilities and losses.

        Raises
        ------
        LossError
            If a row cannot be played; those before it are learned.
        """
        return played(self, X, losses, advice)

    # ---- what is proved of it

    @property
    def ledger_(self) -> ContextualLedger:
        """What was observed so far."""
        return self._state.ledger(self._scale.width)

    def facts(self) -> ContextualFacts:
        """What a theorem may know of the learner besides its ledger."""
        return facts_of_squares(self)

    def proven(self) -> tuple[Theorem, ...]:
        """The theorems about this learner; those about policies only where some were named."""
        from ..theory.contextual import observable_by_policies

        return tuple(one for one in self.theorems if self.policy_names_ or one is not observable_by_policies)

    def certify(self) -> list[Certificate]:
        """Each theorem about this learner, with the numbers of its run."""
        return certificates_of(self)

    # ---- in a file

    def stored_params(self) -> dict[str, Any]:
        """The parameters that the description keeps."""
        return self.get_params() | {"regressor": described(self.regressor)}

    def state_dict(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What it has learned, and the decisions that wait."""
        descriptions, arrays = states_of(self._models)
        description = {
            "arms": self.n_arms_,
            "columns": self.n_features_in_,
            "names": self.arm_names_,
            "seed": str(self.seed_),
            "regressions": descriptions,
        }
        return description, arrays | self._state.arrays() | self._state.waiting(self._pending.values())

    @classmethod
    def from_state(cls, description: Mapping[str, Any], tensors: Mapping[str, Array]) -> Self:
        """A bandit as `state_dict` described it."""
        others = dict(one(description["parameters"], dict, "parameters"))
        model, arms = regressor_from(others.pop("regressor")), others.pop("arms")
        if arms is not None:
            arms = [one(name, str, "a name") for name in one(arms, list, "arms")]
        policies = others.pop("policies")
        if policies is not None:
            policies = [one(name, str, "a name") for name in one(policies, list, "policies")]
        learner = cls(**parameters(others, cls) | {"arms": arms, "regressor": model, "policies": policies})
        learner._resume(description, tensors)
        return learner

    def _resume(self, description: Mapping[str, Any], tensors: Mapping[str, Array]) -> None:
        """Go on from what `state_dict` gave."""
        seed = digits(description["seed"])
        if count(description["arms"], "arms", 1) != self.n_arms_ or self.seed not in (None, seed):
            raise ValueError("its parameters speak of another number of arms, or of another seed")
        if names(description["names"], self.n_arms_, "arms") != self.arm_names_:
            raise ValueError("the names of the arms are others than the parameters have")
        self.seed_ = seed_of("seed", seed)
        columns = count(description["columns"], "columns")
        own = {name for name in tensors if "." not in name}
        self._models = restored(self._model, description["regressions"], columns, tensors)
        if len(self._models) not in (0, self._regressions):
            raise ValueError("it has not as many regressions as arms, or one that they share")
        waiting = self._state.resume({name: tensors[name] for name in own}, self.names(), columns)
        self._pending = {ticket.number: ticket for ticket in waiting}
        if bool(self.rounds_ + self._state.one("taught")) != bool(self._models) or len(self._pending) < len(waiting):
            raise ValueError("a decision waits twice, or was made without a regression")

    # ---- inside

    @property
    def core(self) -> Any:
        """The compiled loop over the arrays as they stand."""
        if self._explorer is None:
            state, scale = self._state, self._scale
            players = [model.state_.player(model.played_rules()) for model in self._models]
            self._explorer = _core.Explorer(
                self.name,
                players,
                state.book,
                state.tallies,
                state.estimates,
                amount=self._amount(),
                tuned=self._tuned(),
                confidence=-log(self.delta),
                norm=self.norm,
                low=scale.low,
                high=scale.high,
                rewards=scale.rewards,
                seed=self.seed_,
            )
        return self._explorer

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_explorer": None}
