"""Signature Version 4, verified: whose request it is, without a socket or a clock."""

from singletable.server.guard.signature.verify import verify

__all__ = ["verify"]
