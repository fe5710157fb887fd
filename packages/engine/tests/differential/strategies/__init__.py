"""Strategies for tables, items, expressions and requests, most of them valid."""
