"""Benchmarks: one file a claim, each printing a ratio against a peer measured in the same run."""
