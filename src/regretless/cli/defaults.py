"""The learners of verbs that are not told one."""

COMBINER = "ml-poly"
BANDIT = "exp3-ix"
