"""Whether two classes can be separated, and by how much: certified intervals, and proofs that they cannot."""
