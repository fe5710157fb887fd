"""A driver that talks to DynamoDB, or to whatever speaks its protocol."""

from singletable.remote.async_remote import AsyncRemote
from singletable.remote.remote import Remote

__all__ = ["AsyncRemote", "Remote"]
