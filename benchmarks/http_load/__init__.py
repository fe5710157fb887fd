"""Servers in other processes, and the load that is put on them."""
