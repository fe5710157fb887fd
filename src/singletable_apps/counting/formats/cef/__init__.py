"""The Condorcet Election Format, version 1."""
