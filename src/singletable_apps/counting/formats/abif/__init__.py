"""The Aggregated Ballot Information Format of the Electorama project."""
