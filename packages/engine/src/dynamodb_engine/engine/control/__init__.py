"""Create, change, describe and validate tables."""
