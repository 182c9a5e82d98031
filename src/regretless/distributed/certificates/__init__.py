"""Theorems read over shards."""
