"""Parse Terraform configuration."""

from __future__ import annotations

import json
from typing import Any, cast


def resources(text: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the resources of a configuration by type and name."""
    import hcl2  # only for tests that use it

    parser: Any = hcl2  # which has no types
    result: dict[tuple[str, str], dict[str, Any]] = {}
    for block in _unquote(parser.loads(text))["resource"]:
        ((kind, named),) = block.items()
        ((name, body),) = named.items()
        assert (kind, name) not in result, "each resource is declared once"
        result[kind, name] = body
    return result


def _unquote(value: object) -> Any:
    """Unquote and unescape strings: the parser leaves their quotes on."""
    match value:
        case dict():
            items = cast("dict[str, object]", value).items()
            return {
                _unquote(name): _unquote(child)
                for name, child in items
                if not name.startswith("__")
            }
        case list():
            return [_unquote(child) for child in cast("list[object]", value)]
        case str() if value.startswith('"'):
            return json.loads(value.replace("$${", "${").replace("%%{", "%{"))
        case _:
            return value
