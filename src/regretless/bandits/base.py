"""What all bandits share: draw an arm, see what it lost, update."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from secrets import randbits
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ..checks import drawn_seed, share, whole
from ..errors import ParameterError, RegretlessError
from ..info import BanditInfo, HasInfo
from ..persist.model import PersistentRecord
from ..persist.validation import count, digits, names, one, parameters, refuse_shapes
from ..theorem import Theorem
from .new_arm import mean_of_weights, with_new_arm
from .online import Drawing, with_one_asleep
from .result import Play, played
from .state import DRAWS, ESTIMATES, IMPLICIT, MISSED, RATE, BanditRules, BanditState
from .validation import KEYS, MOST, advices_of, arm_names, at_most, refuse_unadvised, scale_of, seed_of, table_of

if TYPE_CHECKING:
    from ..certificate import Certificate
    from ..comparator import BanditComparator
    from ..theory.bandit_facts import BanditFacts

Array = np.ndarray[Any, Any]
_MAKING = Lock()  # or threads whose draws are a bandit's first would each make a state, and all but one be forgotten


@dataclass(kw_only=True, eq=False)
class Bandit(HasInfo, PersistentRecord, Drawing):
    """The parameters and manners that every bandit has.

    Parameters
    ----------
    n_arms : int, optional
        How many arms there are; by default as many as `arms` has names, or as the first table has columns.
    arms : sequence of str, optional
        Their names.
    value_range : (float, float)
        Declared range of the losses; what lies outside is an error.
    rewards : bool
        Whether what is reported are rewards, of which more is better.
    seed : int, optional
        What the draws are a function of, from 0 to 2^64 - 1; by default a new one, kept as ``seed_``.
    run : int
        Runs of one seed draw independently of each other.
    delta : float or None
        The probability with which a bound that is read with confidence may fail.
    """

    n_arms: int | None = field(default=None, kw_only=False)
    arms: Sequence[str] | None = None
    value_range: tuple[float, float] = (0.0, 1.0)
    rewards: bool = False
    seed: int | None = None
    run: int = 0
    delta: float | None = 0.05

    info: ClassVar[BanditInfo]
    kind = "bandits"
    _FIXED = "is given when a bandit is made"
    theorems: ClassVar[tuple[Theorem, ...]] = ()  # about this learner, the sharpest first

    def __post_init__(self) -> None:
        self.arm_names_: list[str] | None = None if self.arms is None else arm_names(self.arms)
        named = None if self.arm_names_ is None else len(self.arm_names_)
        self._arms = named if self.n_arms is None else at_most(MOST, "n_arms", self.n_arms)
        if named not in (None, self._arms):
            raise ParameterError("n_arms", str(self.n_arms), f"and arms= has {named} names", ", ")
        self._scale = scale_of(self.value_range, self.rewards)
        if self.delta is not None:
            share("delta", self.delta)
        self.seed_ = drawn_seed(None) if self.seed is None else seed_of("seed", self.seed)
        seed_of("run", self.run)
        self._state: BanditState | None = None
        self._pending = {}
        self._among = {}
        self._maker = randbits(64)
        self._refuse_parameters()
        self._made = True

    def __copy__(self) -> Self:
        """A copy that goes its own way: two that shared their arrays would learn from each other's draws."""
        from copy import deepcopy

        return deepcopy(self)

    @abstractmethod
    def _rules(self, arms: int, comparators: int) -> BanditRules:
        """The composition for so many arms; it refuses parameters that have no meaning."""

    def _refuse_parameters(self) -> None:
        """Refuse what has no meaning at once, for as many arms as are known."""
        self._rules(self._arms or 2, self._arms or 2)

    # The state.

    @property
    def n_arms_(self) -> int:
        """How many arms there are."""
        return self._known().arms

    @property
    def rounds_(self) -> int:
        """Draws that were made."""
        return 0 if self._state is None else self._state.rounds

    @property
    def probabilities_(self) -> Array:
        """The probabilities of the next draw, if every arm is awake."""
        return self.probabilities()

    def probabilities(self, available: Any = None, advice: Any = None) -> Array:
        """The probabilities of the next draw, among the arms that may be drawn; nothing is drawn or moved.

        Parameters
        ----------
        available, advice : array-like, optional
            As for `draw`.

        Returns
        -------
        ndarray of shape (arms,)
        """
        state = self._known_with(advice)
        mask, advised = self._conditions(state, available, advice)
        probabilities: Array = state.core.probabilities(mask, advised)
        return probabilities

    @property
    def counts_(self) -> Array:
        """How often each arm was drawn."""
        counts: Array = self._known().tallies[DRAWS].astype(np.int64)
        return counts

    @property
    def estimates_(self) -> Array:
        """What the bandit goes by, in units of the declared range: the estimated losses of each arm, or expert."""
        estimates: Array = self._known().state[ESTIMATES].copy()
        return estimates

    @property
    def best_arm_(self) -> int:
        """The arm that is regretted most over its own rounds, by estimates that are unlikely to be much too large."""
        state = self._known()
        return int(np.argmin(state.state[IMPLICIT] + state.tallies[MISSED]))

    @property
    def rate_(self) -> float:
        """The learning rate of the next draw."""
        return float(self._known().core.rate())

    @property
    def total_(self) -> float:
        """The losses that were reported so far, summed in their own units; the rewards with ``rewards=True``."""
        return self._scale.total(*self._known().paid)

    def bare(self) -> Any:
        """The compiled core of this very bandit, for a loop that draws and reports strictly in turn.

        Its ``draw()`` gives an arm, and ``update(arm, loss)`` reports the loss of that arm; there are no tickets and no
        names, and nothing is open twice. What it learns this bandit has learned.
        """
        if self.info.advised or self.info.informed:
            raise RegretlessError("bare(): only a bandit that goes by the loss of its own arm alone can be played so")
        return self._known().core

    def _known(self) -> BanditState:
        if self._state is None:
            if self._arms is None:
                raise RegretlessError("how many arms are there? give n_arms=, or their names as arms=")
            self._begin(self._arms, self._arms)
        assert self._state is not None
        return self._state

    def _begin(self, arms: int, comparators: int) -> BanditState:
        """The state, made when the number of arms is known."""
        with _MAKING:
            if self._state is None:
                rules = self._rules(arms, comparators)
                self._state = BanditState(arms, comparators, rules, self._scale, self.seed_, int(self.run))
            return self._state

    # Arms that come later.

    def add_arm(self, name: str | None = None) -> int:
        """Take up a new arm, which can be drawn from the next draw on.

        It is as if it had been asleep in all the rounds before: it begins with the mean of the weights, that is with
        the probability 1 / (K + 1) among K + 1 arms, the rates stay what they are, and bounds are those of arms that
        sleep, each arm over its own rounds. How many arms come must not depend on luck, for bounds with a probability.
        Draws that wait go on as draws among the arms that there were: report a row of all losses with nan for the new
        arm, and advice has a column for it from now on.

        Parameters
        ----------
        name : str, optional
            Its name, where the arms have names.

        Returns
        -------
        arm : int

        Raises
        ------
        RegretlessError
            If there is such a name, or none where names are needed; if a draw that `bare` made is open (a core that it
            gave is of no use afterwards), or the only arm was drawn, of which a bandit learns nothing.

        Examples
        --------
        >>> from regretless.bandits import Exp3IX
        >>> bandit = Exp3IX(arms=["blue", "green"], seed=0)
        >>> for _ in range(100):
        ...     bandit.update(bandit.draw(), 0.5)
        >>> bandit.add_arm("red")
        2
        >>> round(float(bandit.probabilities_[2]), 6)
        0.333333
        """
        state = self._known()
        names = self._names_with(name, state.arms)
        if bare := self._open_bare(state):
            raise RegretlessError(f"no arm can be added: {bare}")
        if not state.rounds:
            self._begin_again(state, names)
            return state.arms
        if state.arms == 1 and not self.info.advised:
            raise RegretlessError("a bandit of one arm has learned nothing; make one with both arms instead")
        grown = with_new_arm(state, self._estimate_of_new(state), advised=self.info.advised)
        state.memory[:] = nan  # so that a core of bare() refuses further rounds, which would be lost
        for record in self._pending.values():
            self._among[record[3]] = with_one_asleep(self._among.get(record[3]), state.arms)
        self._arms, self.arm_names_, self._state = grown.arms, names, grown
        return state.arms

    def _begin_again(self, state: BanditState, names: list[str] | None) -> None:
        """Be made with one arm more, before anything was drawn."""
        arms = state.arms + 1
        for parameter, value in {"n_arms": arms, "arms": names}.items():
            if getattr(self, parameter) is not None:
                object.__setattr__(self, parameter, value)
        state.memory[:] = nan
        self._arms, self.arm_names_, self._state = arms, names, None
        self._begin(arms, state.comparators if self.info.advised else arms)

    def _names_with(self, name: Any, arms: int) -> list[str] | None:
        """The names of the arms with that of a new one."""
        if (name is None) != (self.arm_names_ is None):
            if self.arm_names_:
                raise ParameterError("name", "", f"is missing: the arms have names, such as {self.arm_names_[0]}", " ")
            raise ParameterError("name", repr(name), f"the arms have numbers, and no names; the new one is {arms}")
        at_most(MOST, "arms", arms + 1)
        return None if self.arm_names_ is None else arm_names([*self.arm_names_, name])

    def _estimate_of_new(self, state: BanditState) -> float:
        """The estimate that a new arm begins with."""
        return mean_of_weights(state.state[ESTIMATES], float(state.memory[RATE]))

    # A whole table.

    def play(self, losses: Any, *, advice: Any = None, arms: bool = True) -> Play:
        """Play the rows of a table in their order: draw, see the loss of that arm, update.

        Parameters
        ----------
        losses : array-like of shape (rounds, arms)
            Losses (rewards, with ``rewards=True``) of all arms, nan where an arm is asleep; the columns of a data frame
            name the arms. Only what the bandit draws is shown to it.
        advice : array-like of shape (rounds, experts, arms) or (rounds, experts), optional
            For a learner with experts: their shares, or the arms that they name.
        arms : bool
            Whether to keep what was drawn.

        Returns
        -------
        Play
            The arms that were drawn and what they lost.

        Raises
        ------
        LossError
            If a row cannot be played; those before it are learned.
        """
        table, names = table_of(losses, self.arm_names_, self._arms)
        width = table.shape[1]
        advised = None
        refuse_unadvised(self.info, advice)
        if self.info.advised:
            advised = advices_of(advice, len(table), self._comparators(), width, self.arm_names_ or names)
        state = self._begin(width, width if advised is None else advised.shape[1])
        self._arms = width
        self.arm_names_ = self.arm_names_ or names
        bare = self._open_bare(state)
        if bare:
            raise RegretlessError(f"the table cannot be played: {bare}")
        return played(state, table, advised, self.names, keep=arms)

    def _falling(self, arms: int, comparators: int) -> float:
        """The rate of the first round, of those that fall as one over the root of the rounds."""
        raise RegretlessError(f"{type(self).__name__} does not say how its rate falls")

    def _comparators(self) -> int | None:
        """How many experts advise, as far as that is known."""
        return None if self._state is None else self._state.comparators

    # Its own success is judged by theorems.

    def facts(self) -> BanditFacts:
        """What a theorem may know of the learner besides its ledger."""
        from ..theory.bandit_facts import BanditFacts

        state, result = self._known(), self.get_params()
        rules = state.rules
        falls = rules.schedule != "constant"
        compared = state.comparators if self.info.advised else state.first  # at the first draw
        return BanditFacts(
            arms=state.arms,
            comparators=state.comparators,
            advised=self.info.advised,
            theorems=tuple(self.theorems),
            schedule="every-round" if falls and rules.facts.exact else rules.schedule,
            scale=self._falling(state.first, compared) if falls else nan,
            rate=rules.rate,
            gamma=rules.gamma,
            horizon=result.get("horizon"),
            switches=result.get("switches"),
            share=rules.share,
            beta=rules.beta,
            explore=rules.explore,
            estimator=result.get("estimator", "importance"),
            delta=self.delta,
            width=self._scale.width,
            low=0.0 if self.rewards else self._scale.low,
            added=state.arms - state.first,
        )

    def comparators(
        self, losses: Any = None, *, advice: Any = None, switches: int | None = None
    ) -> list[BanditComparator]:
        """What fixed ways to draw would have lost; how much that is only hindsight knows.

        Parameters
        ----------
        losses, advice, switches
            As for `certify`.
        """
        from .comparators import in_hindsight, unseen

        many = self.get_params().get("switches") if switches is None else whole("switches", switches, 0)
        return unseen(self, many) if losses is None else in_hindsight(self, losses, advice, many)

    def certify(
        self, losses: Any = None, *, advice: Any = None, switches: int | None = None, oblivious: bool = True
    ) -> list[Certificate]:
        """Each theorem about this learner, with the numbers of its run.

        Parameters
        ----------
        losses : array-like of shape (rounds, arms), optional
            What all arms lost in the rounds that were drawn, in hindsight, a row for each draw: then the regret that is
            bounded can be seen.
        advice : array-like of shape (rounds, experts, arms) or (rounds, experts), optional
            With the losses, where experts advise.
        switches : int, optional
            Of the sequences of arms that EXP3.S is compared with; by default as many as it was tuned for.
        oblivious : bool
            Whether the losses would have been the same if other arms had been drawn. Nothing in a run can show it, so a
            certificate that takes it for granted says so (``assuming``). With False, those that need it do not apply.

        Returns
        -------
        list of Certificate
        """
        from .certificates import certificates

        compared = self.comparators(losses, advice=advice, switches=switches)
        facts = replace(self.facts(), oblivious=oblivious, presumed=oblivious)
        return certificates(self.theorems, facts, [self.ledger_], [compared])

    # In a file.

    def state_dict(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The seed, how many arms there are and their names, and the arrays of the state and of draws that wait."""
        state = self._known()
        description = {
            "arms": state.arms,
            "first": state.first,
            "comparators": state.comparators,
            "names": self.arm_names_,
            "seed": str(self.seed_),
        }
        return description, state.arrays() | self._waiting_state(state)

    @classmethod
    def from_state(cls, description: Mapping[str, Any], tensors: Mapping[str, Array]) -> Self:
        """A bandit as `state_dict` described it."""
        learner = cls(**_parameters(description["parameters"], cls))
        arms, first, comparators = learner._sizes(description)
        rules = learner._rules(first, comparators if learner.info.advised else first)
        # Before memory is set aside for them: the file has shown that it holds as much.
        shapes = BanditState.shapes(rules, arms, comparators)
        refuse_shapes(shapes | learner._waiting_shapes(arms, comparators, tensors), tensors)
        arrays = {name: tensors[name] for name in shapes}
        BanditState.refuse(rules, arrays, len(tensors.get("waiting", ())))
        learner._take_seed(digits(description["seed"]))
        learner._take_names(names(description["names"], arms, "arms"))
        state = BanditState(arms, comparators, rules, learner._scale, learner.seed_, int(learner.run), first)
        learner._arms, learner._state = arms, state
        state.adopt(arrays)
        learner._wait_again(state, tensors)
        return learner

    def _sizes(self, description: Mapping[str, Any]) -> tuple[int, int, int]:
        """How many arms there are, were at the first draw, and comparators, where parameters and description agree."""
        arms, first, comparators = (count(description[name], name, 1) for name in ("arms", "first", "comparators"))
        if self._arms not in (None, first) or first > arms:
            raise ValueError("its parameters speak of another number of arms")
        if comparators != (arms if not self.info.advised else self._comparators() or comparators):
            raise ValueError("its parameters speak of another number of experts")
        return arms, first, comparators

    def _take_seed(self, seed: int) -> None:
        if seed >= KEYS or self.seed not in (None, seed):
            raise ValueError("the seed is another one than the parameters have, or none")
        self.seed_ = seed

    def _take_names(self, known: list[str] | None) -> None:
        begun = self.arm_names_ or []
        if begun != (known or [])[: len(begun)] or (known is not None and len(set(known)) < len(known)):
            raise ValueError("the names of the arms are others than the parameters have, or one is there twice")
        self.arm_names_ = known


def _parameters(described: Any, learner: type) -> dict[str, Any]:
    """The parameters in a description, of which the names of the arms are text."""
    others = dict(one(described, dict, "parameters"))
    arms = others.pop("arms")
    if arms is not None:
        arms = [one(name, str, "a name") for name in one(arms, list, "arms")]
    return parameters(others, learner) | {"arms": arms}
