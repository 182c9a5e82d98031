"""Learners of finite classes, a page each."""
