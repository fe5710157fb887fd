"""The guard at the door: what is not signed by a known credential, or not allowed, stays out."""

from singletable.server.guard.credential import Credential
from singletable.server.guard.guard import Guard
from singletable.server.guard.identity import Identity

__all__ = ["Credential", "Guard", "Identity"]
