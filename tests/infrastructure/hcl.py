"""Terraform's configuration as a parser of its language reads it."""

from __future__ import annotations

import json
from typing import Any, cast

import hcl2

# hcl2 has no types.
parser: Any = hcl2


def resources(text: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The resources of a configuration, by type and name."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for block in _plain(parser.loads(text))["resource"]:
        ((kind, named),) = block.items()
        ((name, body),) = named.items()
        assert (kind, name) not in found, "a resource is declared once"
        found[kind, name] = body
    return found


def _plain(value: object) -> Any:
    """What the parser gives, with texts as they are meant: it leaves their quotes on."""
    match value:
        case dict():
            items = cast("dict[str, object]", value).items()
            return {_plain(name): _plain(one) for name, one in items if not name.startswith("__")}
        case list():
            return [_plain(one) for one in cast("list[object]", value)]
        case str() if value.startswith('"'):
            return json.loads(value.replace("$${", "${").replace("%%{", "%{"))
        case _:
            return value
