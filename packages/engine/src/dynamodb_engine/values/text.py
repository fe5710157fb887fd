"""Values, keys and counts as short texts for people."""

from __future__ import annotations

from dynamodb_engine.values.attributes import AttributeValue, Item, content_of


def escape_controls(text: str) -> str:
    r"""Return the text in one line, with control characters written as \n, \x1b and so on.

    Stored values may contain escape sequences, which a terminal would execute.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def format_value(value: AttributeValue) -> str:
    """Format a value for a table cell: strings without quotes, lists and sets with commas."""
    match value:
        case {"L": members}:
            return ", ".join(map(_format_member, members))
        case {"SS": texts} | {"NS": texts} | {"BS": texts}:
            return ", ".join(texts)
        case {"M": members}:
            return f"{{{', '.join(f'{k}: {_format_member(v)}' for k, v in members.items())}}}"
        case {"NULL": _}:
            return "null"
        case {"BOOL": flag}:
            return "true" if flag else "false"
        case _:
            return str(content_of(value))


def _format_member(value: AttributeValue) -> str:
    text = format_value(value)
    return f"[{text}]" if value.keys() & {"L", "SS", "NS", "BS"} else text


def format_key(key: Item) -> str:
    """Format a key in one line: PK=USER#alice SK=METADATA."""
    return " ".join(f"{name}={format_value(value)}" for name, value in key.items())


def pluralize(count: float, noun: str) -> str:
    """Return the count with its noun: 1 item, 2 items, 0.5 read units."""
    return f"{count:,.10g} {noun}" if count == 1 else f"{count:,.10g} {noun}s"
