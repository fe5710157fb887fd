"""Declare a single-table design once; run it anywhere."""
