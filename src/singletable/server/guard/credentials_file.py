"""Read the credentials file. What is wrong is told with its place, and never with a secret."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import cast

from singletable.errors import CredentialsError
from singletable.server.guard.credential import Credential
from singletable.server.guard.credential_entry import Entry
from singletable.server.guard.needs import Place
from singletable.server.guard.private_file import read_secret

_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*[\"']?credential[\"']?[ \t]*\]\]", re.MULTILINE)
_EXAMPLE = '[[credential]]\nname = "ada"\naccess_key_id = "ADA"\nsecret_access_key = "…"'


def read_credentials(path: Path, place: Place) -> list[Credential]:
    """The credentials in a file; CredentialsError if it cannot be used."""
    text = read_secret(path)
    entries = _entries(text, path)
    credentials: dict[str, Credential] = {}
    for number, written in enumerate(entries, 1):
        entry = Entry(path, place, number, _line(text, number, len(entries)), written)
        credential = entry.credential()
        if credential.access_key_id in credentials:
            raise entry.fault(f"the access_key_id '{credential.access_key_id}' came before")
        credentials[credential.access_key_id] = credential
    return list(credentials.values())


def _entries(text: str, path: Path) -> list[dict[str, object]]:
    try:
        document: dict[str, object] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CredentialsError(f"{path}: {_told(error)}") from None
    entries = document.pop("credential", [])
    if document:
        raise CredentialsError(
            f"{path}: there is no entry '{next(iter(document))}' at the top; a credential begins "
            "with [[credential]]."
        )
    if isinstance(entries, dict):
        raise CredentialsError(f"{path}: a credential begins with [[credential]], in two brackets.")
    if not isinstance(entries, list) or not entries:
        raise CredentialsError(
            f"{path} has no credentials, so nobody could ask for anything. Write one as\n{_EXAMPLE}"
        )
    tables = cast("list[object]", entries)
    if not all(isinstance(table, dict) for table in tables):
        raise CredentialsError(f"{path}: each credential begins with [[credential]].")
    return cast("list[dict[str, object]]", tables)


def _told(error: tomllib.TOMLDecodeError) -> str:
    """What is wrong with the file and where, without the characters that it quotes."""
    what, _, where = str(error).rpartition(" (at ")
    if not what or "'" in what or '"' in what:
        what = "something here is not TOML"
    return f"{where.rstrip(')') or 'somewhere'}: {what}."


def _line(text: str, number: int, entries: int) -> int | None:
    """The line at which an entry begins, if every entry has a header of its own."""
    headers = list(_HEADER.finditer(text))
    if len(headers) != entries:
        return None
    return text.count("\n", 0, headers[number - 1].start()) + 1
