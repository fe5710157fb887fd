"""Hashes of passwords leave the service for nobody: how one was made stays, salt and hash go."""

from __future__ import annotations

from collections.abc import Mapping

from singletable import Item

HIDDEN = "(hidden)"


def hidden_hash(encoded: str) -> str:
    """`$argon2id$v=19$m=…,t=…,p=…$(hidden)`; of what is written in another way, nothing is left."""
    parts = encoded.split("$")
    known = len(parts) == 6 and parts[0] == "" and parts[1].startswith("argon2")
    return "$".join([*parts[:4], HIDDEN]) if known else HIDDEN


def hidden_data(data: Mapping[str, object]) -> dict[str, object]:
    """What an event says, without the hash of a password."""
    if "hash" not in data:
        return dict(data)
    return {**data, "hash": hidden_hash(str(data["hash"]))}


def hidden_item(item: Item) -> Item:
    """An item of either table as it is stored, without the hash of a password.

    The hash of an entry of the log is none, and stays: it is what the chain is made of.
    """
    if "event_data" in item:
        data = item["event_data"].get("M", {})
        return {**item, "event_data": {"M": _without(data)}} if "hash" in data else item
    return _without(item)


def _without(item: Item) -> Item:
    if "hash" not in item:
        return item
    kept = item["hash"].get("S")
    return {**item, "hash": {"S": hidden_hash(kept) if isinstance(kept, str) else HIDDEN}}
