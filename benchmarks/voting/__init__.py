"""Libraries that count ranked ballots, and the ballots that they are given."""
