"""Tests of the engines, which are extras: each file skips where its engine is not installed."""
