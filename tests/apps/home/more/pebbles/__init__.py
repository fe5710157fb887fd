"""Pebbles, counted: as small as an app can be."""
