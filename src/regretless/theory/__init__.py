"""Theorems, one module per chapter, one function per theorem."""
