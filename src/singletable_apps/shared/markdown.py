"""Markdown to sanitized HTML."""

from __future__ import annotations

import nh3
from markdown_it import MarkdownIt


def render_markdown(text: str, *, media_prefix: str = "") -> str:
    """Return the sanitized HTML of a Markdown text."""
    return sanitize_html(MarkdownIt("commonmark").render(text))


def sanitize_html(html: str) -> str:
    """Return the HTML without scripts, styles and dangerous links."""
    return nh3.clean(html)
