"""One credential as the file writes it: what it says, or what is wrong with it and where."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import cast

from singletable.errors import CredentialsError
from singletable.server.guard.credential import Credential
from singletable.server.guard.needs import Place
from singletable.server.guard.policy import Policy, PolicyFault, read_policy
from singletable.server.guard.private_file import read_trusted

_ENTRIES = (
    "name",
    "access_key_id",
    "secret_access_key",
    "session_token",
    "expires",
    "context",
    "policy",
    "policy_file",
)
_NAME = re.compile(r"[A-Za-z0-9_+=,.@-]{1,64}")
_ACCESS_KEY = re.compile(r"[A-Za-z0-9_-]{1,128}")


@dataclass(frozen=True, slots=True, repr=False)
class Entry:
    """One [[credential]] as it was written."""

    path: Path
    place: Place
    number: int
    line: int | None
    written: Mapping[str, object]

    def credential(self) -> Credential:
        """The credential, or a fault."""
        for name in self.written:
            if name not in _ENTRIES:
                raise self.fault(
                    f"there is no entry '{name}' in a credential (there are: {', '.join(_ENTRIES)})"
                )
        name = self._text("name")
        if not _NAME.fullmatch(name):
            raise self.fault("name is up to 64 letters, digits and signs of +=,.@_-")
        access_key_id = self._text("access_key_id")
        if not _ACCESS_KEY.fullmatch(access_key_id):
            raise self.fault("access_key_id is up to 128 letters, digits and signs of _-")
        context = self._context(name)
        return Credential(
            name,
            access_key_id,
            self._text("secret_access_key"),
            self._text("session_token") if "session_token" in self.written else None,
            self._expires(),
            self._policy(context),
            context,
        )

    def fault(self, what: str) -> CredentialsError:
        """An error that says where it is."""
        name = self.written.get("name")
        who = f" ('{name}')" if isinstance(name, str) and _NAME.fullmatch(name) else ""
        line = "" if self.line is None else f", line {self.line}"
        return CredentialsError(f"{self.path}{line}, credential {self.number}{who}: {what}.")

    def _text(self, name: str) -> str:
        value = self.written.get(name)
        if value is None:
            raise self.fault(f'{name} is missing. Write {name} = "…"')
        if not isinstance(value, str) or not value:
            raise self.fault(f"{name} is a text in quotes, and not empty")
        return value

    def _expires(self) -> float | None:
        value = self.written.get("expires")
        if value is None:
            return None
        if "session_token" not in self.written:
            raise self.fault("only a session expires, and there is no session_token")
        if not isinstance(value, datetime) or value.tzinfo is None:
            raise self.fault(
                "expires is a date and a time with its zone, such as 2030-01-31T12:00:00Z"
            )
        return value.timestamp()

    def _context(self, name: str) -> Mapping[str, str]:
        """What policies may know of the owner: what IAM says of a user, and what the file adds."""
        given = self.written.get("context", {})
        if not isinstance(given, dict):
            raise self.fault("context is a table of texts")
        added = cast("dict[str, object]", given)
        account = self.place.account
        context = {
            "aws:username": name,
            "aws:PrincipalAccount": account,
            "aws:PrincipalArn": f"arn:aws:iam::{account}:user/{name}",
            "aws:PrincipalType": "User",
            "aws:RequestedRegion": self.place.region,
        }
        taken = {key.lower() for key in context}
        for key, value in added.items():
            if key.lower() in taken or key.lower().startswith("dynamodb:"):
                raise self.fault(f"context cannot say what '{key}' is; it follows from the request")
            if not isinstance(value, str) or ":" not in key:
                raise self.fault(
                    f"'{key}' in context is a key such as 'aws:PrincipalTag/team' with a text"
                )
            context[key] = value
        return context

    def _policy(self, context: Mapping[str, str]) -> Policy | None:
        table = self.written
        if "policy" in table and "policy_file" in table:
            raise self.fault("a credential has either policy or policy_file")
        where, document = "policy", table.get("policy")
        if "policy_file" in table:
            path = self.path.parent / self._text("policy_file")
            where = str(path)
            document = read_trusted(path)
        if document is None:
            return None
        try:
            if isinstance(document, str):
                document = json.loads(document, object_pairs_hook=_each_once)
            return read_policy(document, context)
        except json.JSONDecodeError as error:
            raise self.fault(
                f"{where} is not JSON: {error.msg} (line {error.lineno}, column {error.colno})"
            ) from None
        except PolicyFault as fault:
            raise self.fault(f"{where}, {fault}") from None


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object of JSON; a name that comes twice would hide what it said first."""
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise PolicyFault(f"'{name}' comes twice in one object")
        found[name] = value
    return found
