"""Where the rows of shards come from."""
