"""Seed faults into the sources and count how many of them the tests find (mutation testing)."""
