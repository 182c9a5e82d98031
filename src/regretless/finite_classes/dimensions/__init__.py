"""What a class costs to learn: its dimensions, and what proves them."""
