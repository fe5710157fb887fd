"""Voters who all come at once."""
