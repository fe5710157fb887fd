"""Authentication by AWS signatures, and authorization by IAM policies."""

from dynamodb_engine.server.guard.credentials import Credential, Identity
from dynamodb_engine.server.guard.guard import Guard

__all__ = ["Credential", "Guard", "Identity"]
