"""Elements of SVG and HTML as text, in which whatever came from outside is escaped."""

from __future__ import annotations

from fractions import Fraction
from html import escape

from singletable_apps.counting.text import replace_control_characters


def text(words: str) -> str:
    """Words as content or as an attribute: no character of theirs is read as markup."""
    return escape(replace_control_characters(words))


def length(value: float | Fraction) -> str:
    """A number of pixels, to a tenth: the same wherever it is worked out."""
    shown = f"{float(value):.1f}".removesuffix(".0")
    return "0" if shown == "-0" else shown


def element(tag: str, *content: str, **attributes: str | float | Fraction) -> str:
    """An element; `class_` is class, and text_anchor is text-anchor. The content is markup."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{written}>{''.join(content)}</{tag}>" if content else f"<{tag}{written}/>"


def tip(words: str) -> str:
    """What is shown when a pointer rests on the element."""
    return element("title", text(words))


def _attribute(value: str | float | Fraction) -> str:
    return text(value) if isinstance(value, str) else length(value)
