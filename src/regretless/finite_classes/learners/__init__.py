"""Learners of finite classes, a module each."""
