"""Benchmarks: one file per claim; each compares with a peer in the same run."""
