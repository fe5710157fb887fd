"""What at least two apps need: each folder here is one such thing."""
