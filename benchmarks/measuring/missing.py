"""What cannot be measured here, and why."""

from __future__ import annotations


class Missing(Exception):
    """Something that a measurement needs is not there; the message says what, in one line."""


class WrongAnswer(Exception):
    """A contender did not do what was asked, so that its speed means nothing."""
