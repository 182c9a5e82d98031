"""What is known of the rules of the kernels: each has a record, and each record a rule."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from regretless import _core
from regretless.bandits import state as bandit_state
from regretless.experts import state as expert_state
from regretless.experts.state import CombinerRules, ExpertState


@pytest.mark.parametrize(
    ("table", "names"),
    [(expert_state.RULES, _core.COMBINER_RULES), (bandit_state.RULES, _core.PULL_RULES)],
    ids=["experts", "bandits"],
)
def test_the_records_are_those_of_the_kernels_rules(table, names):
    """A rule of the kernel without a record is missed here, and so is a record of no rule."""
    assert set(table) == set(names)
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", _core.COMBINER_RULES)
def test_a_record_says_whose_rates_a_rule_has(name):
    """The kernel has a common rate where the record says so, and one for each expert where it says that."""
    rule = expert_state.RULES[name]
    rules = CombinerRules(name, "zero-one" if rule.counts else "table", alpha=0.1, beta=0.5)
    board = ExpertState(np.full(2, 0.5), 1, rules)
    rates = np.empty(2)
    board.core.rates(rates)
    assert isnan(board.core.rate()) != rule.one_rate
    assert np.isnan(rates).all() == (not rule.one_rate and not rule.own_rates)


@pytest.mark.parametrize("name", _core.COMBINER_RULES)
def test_a_record_says_what_the_rows_of_a_state_are(name):
    """Only a rule that shares begins with the prior in its state, and one that drags has a row more than by regret."""
    rule, prior = expert_state.RULES[name], np.array([0.25, 0.75])
    board = ExpertState(prior, 1, CombinerRules(name, "zero-one" if rule.counts else "table", alpha=0.1, beta=0.5))
    assert (board.state[0] == prior).all() == rule.shares
    assert len(board.state) == 1 + rule.shares + rule.by_regret + rule.drags


@pytest.mark.parametrize("name", _core.PULL_RULES)
def test_a_record_says_what_the_third_row_is(name):
    """A bandit's state has a third row just where the record says what it holds, and never both."""
    rule = bandit_state.RULES[name]
    assert _core.puller_rows(name) == 2 + rule.weighs + rule.lends + rule.counts


def test_nothing_is_known_of_a_rule_without_a_record():
    """Another name is no rule that happens to be the usual one."""
    with pytest.raises(KeyError, match="nobody"):
        _ = CombinerRules("nobody", "table").facts
    with pytest.raises(KeyError, match="nobody"):
        _ = bandit_state.BanditRules("nobody").facts
