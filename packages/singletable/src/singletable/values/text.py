"""Values, keys and counts as short texts for people."""

from __future__ import annotations

from singletable.values.attributes import AttributeValue, Item, content_of


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
    """Format a value for a table cell: strings without quotes, lists with commas."""
    match value:
        case {"L": members}:
            return ", ".join(format_value(member) for member in members)
        case {"M": members}:
            return " ".join(format_value(member) for member in members.values())
        case {"NULL": _}:
            return "null"
        case {"BOOL": flag}:
            return "true" if flag else "false"
        case _:
            return str(content_of(value))


def format_key(key: Item) -> str:
    """Format a key in one line: PK=USER#alice SK=METADATA."""
    return " ".join(f"{name}={format_value(value)}" for name, value in key.items())


def pluralize(count: float, noun: str) -> str:
    """Return the count with its noun: 1 item, 2 items, 0.5 read units."""
    return f"{count:,.10g} {noun}" if count == 1 else f"{count:,.10g} {noun}s"
