"""What is wrong with a policy."""

from __future__ import annotations


class PolicyFault(Exception):
    """The policy says something that cannot be enforced; where it stands is told by the reader."""
