"""Programs that measure a peer in an environment of its own, and what they share."""
