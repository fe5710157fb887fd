"""Measure, report, and the requests that all benchmarks send."""
