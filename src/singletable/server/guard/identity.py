"""Who asks, once a signature has proved it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from singletable.server.guard.policy import Policy


@dataclass(frozen=True, slots=True)
class Identity:
    """The owner of an access key. `policy` is None for one who may do everything."""

    name: str
    access_key_id: str
    account: str
    policy: Policy | None
    context: Mapping[str, str]

    @property
    def arn(self) -> str:
        """The name that refusals have for them."""
        return f"arn:aws:iam::{self.account}:user/{self.name}"
