"""Credentials, and the TOML file that they are read from.

An error says where in the file it is, and never contains a secret.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import inf
from pathlib import Path
from typing import cast

from dynamodb_engine.errors import CredentialsError
from dynamodb_engine.server.guard.policy import Policy
from dynamodb_engine.server.guard.policy_document import PolicyError, read_policy
from dynamodb_engine.server.guard.rate_limits import UNLIMITED, RateLimits

RATE_KEYS = ("requests_per_second", "read_units_per_second", "write_units_per_second")
_KEYS = (
    "name",
    "access_key_id",
    "secret_access_key",
    "session_token",
    "expires",
    "context",
    "policy",
    "policy_file",
    *RATE_KEYS,
)
_NAME = re.compile(r"[A-Za-z0-9_+=,.@-]{1,64}")
_ACCESS_KEY = re.compile(r"[A-Za-z0-9_-]{1,128}")
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*[\"']?credential[\"']?[ \t]*\]\]", re.MULTILINE)
_EXAMPLE = '[[credential]]\nname = "ada"\naccess_key_id = "ADA"\nsecret_access_key = "…"'


@dataclass(frozen=True, slots=True)
class Credential:
    """An access key; its `repr` contains no secrets. Without a policy it allows everything.

    `context` has the values of the condition keys and variables about the owner, such as
    `aws:username`.
    """

    name: str
    access_key_id: str
    secret_access_key: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)
    expires: float | None = None
    policy: Policy | None = None
    context: Mapping[str, str] = field(default_factory=dict[str, str])
    rate_limits: RateLimits = UNLIMITED


@dataclass(frozen=True, slots=True)
class Identity:
    """The owner of an access key, as proved by a signature. `policy` None allows everything."""

    name: str
    access_key_id: str
    account: str
    policy: Policy | None
    context: Mapping[str, str]

    @property
    def arn(self) -> str:
        """The ARN of the user, as errors show it."""
        return f"arn:aws:iam::{self.account}:user/{self.name}"


def read_credentials(path: Path, *, region: str, account: str) -> list[Credential]:
    """Return the credentials in a file, or raise CredentialsError."""
    text = _read_secret(path)
    tables = _parse_tables(text, path)
    credentials: dict[str, Credential] = {}
    for number, table in enumerate(tables, 1):
        entry = _Entry(path, number, _line_number(text, number, len(tables)), table)
        credential = entry.credential(region, account)
        if credential.access_key_id in credentials:
            raise entry.error(
                f"an earlier credential has the access_key_id '{credential.access_key_id}' too"
            )
        credentials[credential.access_key_id] = credential
    return list(credentials.values())


def _parse_tables(text: str, path: Path) -> list[dict[str, object]]:
    try:
        document: dict[str, object] = tomllib.loads(text)
    except RecursionError:
        raise CredentialsError(f"{path}: the file is nested too deeply.") from None
    except tomllib.TOMLDecodeError as error:
        raise CredentialsError(f"{path}: {_without_quotes(error)}") from None
    entries = document.pop("credential", [])
    if document:
        raise CredentialsError(
            f"{path}: unknown key '{next(iter(document))}' at the top level; a credential starts "
            "with [[credential]]."
        )
    if isinstance(entries, dict):
        raise CredentialsError(
            f"{path}: a credential starts with [[credential]], in double brackets."
        )
    if not isinstance(entries, list) or not entries:
        raise CredentialsError(
            f"{path} contains no credentials, so every request would be rejected. Add one:\n"
            f"{_EXAMPLE}"
        )
    tables = cast("list[object]", entries)
    if not all(isinstance(table, dict) for table in tables):
        raise CredentialsError(f"{path}: each credential must start with [[credential]].")
    return cast("list[dict[str, object]]", tables)


def _without_quotes(error: tomllib.TOMLDecodeError) -> str:
    """Return the error without quotations from the file, which may contain a secret."""
    problem, _, position = str(error).rpartition(" (at ")
    if not problem or "'" in problem or '"' in problem:
        problem = "this is not valid TOML"
    return f"{position.rstrip(')') or 'unknown position'}: {problem}."


def _line_number(text: str, number: int, count: int) -> int | None:
    """Return the line at which an entry starts, if every entry has a header of its own."""
    headers = list(_HEADER.finditer(text))
    if len(headers) != count:
        return None
    return text.count("\n", 0, headers[number - 1].start()) + 1


@dataclass(frozen=True, slots=True, repr=False)
class _Entry:
    """One [[credential]] of the file."""

    path: Path
    number: int
    line: int | None
    table: Mapping[str, object]

    def credential(self, region: str, account: str) -> Credential:
        """Return the credential, or raise CredentialsError."""
        for key in self.table:
            if key not in _KEYS:
                raise self.error(f"unknown key '{key}' (known keys: {', '.join(_KEYS)})")
        name = self._string("name")
        if not _NAME.fullmatch(name):
            raise self.error("name must have 1 to 64 letters, digits or characters of +=,.@_-")
        access_key_id = self._string("access_key_id")
        if not _ACCESS_KEY.fullmatch(access_key_id):
            raise self.error("access_key_id must have 1 to 128 letters, digits or characters of _-")
        context = self._context(name, region, account)
        return Credential(
            name,
            access_key_id,
            self._string("secret_access_key"),
            self._string("session_token") if "session_token" in self.table else None,
            self._expires(),
            self._policy(context),
            context,
            RateLimits(*map(self._rate, RATE_KEYS)),
        )

    def error(self, problem: str) -> CredentialsError:
        """Return an error that says where the problem is."""
        return CredentialsError(f"{self._where()}: {problem}.")

    def _where(self) -> str:
        name = self.table.get("name")
        owner = f" ('{name}')" if isinstance(name, str) and _NAME.fullmatch(name) else ""
        line = "" if self.line is None else f", line {self.line}"
        return f"{self.path}{line}, credential {self.number}{owner}"

    def _string(self, key: str) -> str:
        value = self.table.get(key)
        if value is None:
            raise self.error(f'{key} is missing. Add {key} = "…"')
        if not isinstance(value, str) or not value:
            raise self.error(f"{key} must be a non-empty string")
        return value

    def _rate(self, key: str) -> float | None:
        value = self.table.get(key)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (is_number and 0 < cast(float, value) < inf):
            raise self.error(f"{key} must be a number greater than 0")
        return cast("float | None", value)

    def _expires(self) -> float | None:
        value = self.table.get("expires")
        if value is None:
            return None
        if "session_token" not in self.table:
            raise self.error("expires needs a session_token: only sessions expire")
        if not isinstance(value, datetime) or value.tzinfo is None:
            raise self.error(
                "expires must be a date and time with a time zone, such as 2030-01-31T12:00:00Z"
            )
        return value.timestamp()

    def _context(self, name: str, region: str, account: str) -> Mapping[str, str]:
        """Return the condition keys about the owner, from IAM and from the file."""
        added = self.table.get("context", {})
        if not isinstance(added, dict):
            raise self.error("context must be a table of strings")
        context = {
            "aws:username": name,
            "aws:PrincipalAccount": account,
            "aws:PrincipalArn": f"arn:aws:iam::{account}:user/{name}",
            "aws:PrincipalType": "User",
            "aws:RequestedRegion": region,
        }
        reserved = {key.lower() for key in context}
        for key, value in cast("dict[str, object]", added).items():
            if key.lower() in reserved or key.lower().startswith("dynamodb:"):
                raise self.error(
                    f"context cannot set '{key}': its value follows from the credential or the "
                    "request"
                )
            if not isinstance(value, str) or ":" not in key:
                raise self.error(
                    f"'{key}' in context must be a key such as 'aws:PrincipalTag/team' with a "
                    "string value"
                )
            context[key] = value
        return context

    def _policy(self, context: Mapping[str, str]) -> Policy | None:
        if "policy" in self.table and "policy_file" in self.table:
            raise self.error("use policy or policy_file, not both")
        source, document = "policy", self.table.get("policy")
        if "policy_file" in self.table:
            path = self.path.parent / self._string("policy_file")
            source = str(path)
            try:
                document = _read_trusted(path)
            except CredentialsError as error:
                raise CredentialsError(f"{self._where()}: policy_file: {error}") from None
        if document is None:
            return None
        try:
            if isinstance(document, str):
                document = json.loads(document, object_pairs_hook=_unique_keys)
            return read_policy(document, context)
        except json.JSONDecodeError as error:
            raise self.error(
                f"{source} is not JSON: {error.msg} (line {error.lineno}, column {error.colno})"
            ) from None
        except RecursionError:
            raise self.error(f"{source} is nested too deeply") from None
        except PolicyError as error:
            raise self.error(f"{source}: {error}") from None


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return a JSON object; raise PolicyError for a repeated key, which would hide the first."""
    members: dict[str, object] = {}
    for key, value in pairs:
        if key in members:
            raise PolicyError(f"'{key}' is repeated in one object")
        members[key] = value
    return members


def _read_secret(path: Path) -> str:
    """Return the text of a file that only its owner may read or write."""
    return _read(path, stat.S_IRWXG | stat.S_IRWXO, "contains secrets", "600")


def _read_trusted(path: Path) -> str:
    """Return the text of a file that only its owner may write."""
    return _read(path, stat.S_IWGRP | stat.S_IWOTH, "decides what is allowed", "go-w")


def _read(path: Path, forbidden: int, reason: str, mode: str) -> str:
    try:
        with path.open("rb") as file:
            # Check the open file, so that it cannot be replaced between check and read.
            actual = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if os.name == "posix" and actual & forbidden:
                raise CredentialsError(
                    f"{path} {reason}, but users other than its owner have access to it "
                    f"(mode {actual:o}). Run: chmod {mode} {path}"
                )
            return file.read().decode()
    except OSError as error:
        raise CredentialsError(f"Cannot read {path}: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise CredentialsError(f"{path} is not UTF-8: byte {error.start} is invalid.") from None
