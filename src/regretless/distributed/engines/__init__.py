"""What plays shards: this process, an executor, a pool of processes."""
