"""Rows in SQLite: one connection writes with group commit, readers do not wait."""
