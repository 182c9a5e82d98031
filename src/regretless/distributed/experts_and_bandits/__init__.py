"""What adds up over shards: ledgers of experts and of bandits."""
