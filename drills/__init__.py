"""Drills: what must hold when a process dies, the power goes, or many write at once."""
