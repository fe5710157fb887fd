"""Drivers for DynamoDB and other servers that speak its protocol."""

from singletable.remote.async_remote import AsyncRemote
from singletable.remote.remote import Remote

__all__ = ["AsyncRemote", "Remote"]
