"""Drills: check what must hold when a process dies, the power fails, or many clients write."""
