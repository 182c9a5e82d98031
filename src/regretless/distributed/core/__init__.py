"""What every engine runs: one epoch of one shard, and how the weights of two become one."""
