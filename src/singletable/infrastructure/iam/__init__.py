"""A policy of IAM that allows what an app does with its entities, and nothing else."""

from singletable.infrastructure.iam.of_patterns import uses_of_patterns
from singletable.infrastructure.iam.owner import Owner, within_owner
from singletable.infrastructure.iam.policy import Place, policy_of
from singletable.infrastructure.iam.use import ALL_ACTIONS, READS, WRITES, Use, uses_of

__all__ = [
    "ALL_ACTIONS",
    "READS",
    "WRITES",
    "Owner",
    "Place",
    "Use",
    "policy_of",
    "uses_of",
    "uses_of_patterns",
    "within_owner",
]
