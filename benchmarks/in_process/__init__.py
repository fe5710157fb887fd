"""Contenders in this process, and the comparison of two of them."""
