"""A credential: a key that signs requests, whose it is, and what its owner may do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from singletable.server.guard.policy import Policy


@dataclass(frozen=True, slots=True)
class Credential:
    """One access key. Without a policy it may do everything; what is secret is never shown.

    `context` is what a policy may know of the owner, as `${aws:username}` or in a condition.
    """

    name: str
    access_key_id: str
    secret_access_key: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)
    expires: float | None = None
    policy: Policy | None = None
    context: Mapping[str, str] = field(default_factory=dict[str, str])
