"""Learners in the dual: functions that are sums of a kernel at rows that were learned from."""
