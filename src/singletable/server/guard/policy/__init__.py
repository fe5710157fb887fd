"""Policies in the shape that IAM has: read once, and asked at each request."""

from singletable.server.guard.policy.document import read_policy
from singletable.server.guard.policy.fault import PolicyFault
from singletable.server.guard.policy.keys import PARTITION_KEYS
from singletable.server.guard.policy.statement import Policy, Statement, Verdict

__all__ = ["PARTITION_KEYS", "Policy", "PolicyFault", "Statement", "Verdict", "read_policy"]
