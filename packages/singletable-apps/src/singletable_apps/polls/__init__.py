"""Ranked-choice polls: create one, share the link, and let people rank the options."""
