"""Ranked-choice polls that anybody can make, and whoever has the link can vote in."""
