"""Write elements of HTML and SVG."""

from __future__ import annotations

from html import escape


def element(name: str, *content: str, **attributes: object) -> str:
    """Return an element around markup; without any, one that needs no end tag.

    An underscore in the name of an attribute is a hyphen, and one at its end is left out: `class_`.
    Attributes that are None are left out; numbers have one decimal.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{''.join(content)}</{name}>" if content else f"<{name}{given}/>"


def text_element(name: str, text: str, **attributes: object) -> str:
    """Return an element around plain text, which is escaped."""
    return element(name, escape(text, quote=False), **attributes)


def _attribute(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else escape(str(value))
