"""Authentication by AWS signatures, and authorization by IAM policies."""

from singletable.server.guard.credentials import Credential, Identity
from singletable.server.guard.guard import Guard

__all__ = ["Credential", "Guard", "Identity"]
