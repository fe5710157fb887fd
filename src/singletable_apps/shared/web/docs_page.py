"""The description of an app as a page to read, with no script in it."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any, cast

STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "code{font-size:.95em}dt{margin-top:.8rem}dd{margin:0 0 .4rem 1.5rem}"
)


def docs_page(document: dict[str, Any], address: str) -> str:
    """A page that lists all operations of an OpenAPI document, which is at the address."""
    info = document["info"]
    title = escape(f"{info['title']} {info['version']}")
    operations = "\n".join(_operations(document.get("paths", {})))
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{STYLE}</style>\n'
        f"<h1>{title}</h1>\n<p>{escape(info.get('description', ''))}</p>\n"
        f'<p>As <a href="{escape(address)}">OpenAPI</a>, for programs.</p>\n'
        f"<dl>\n{operations}\n</dl>\n</html>\n"
    )


def _operations(paths: dict[str, Any]) -> Iterator[str]:
    for path, operations in paths.items():
        for method, operation in cast(dict[str, Any], operations).items():
            about = operation.get("description") or operation.get("summary", "")
            statuses = ", ".join(sorted(operation["responses"]))
            yield (
                f"<dt><code>{method.upper()} {escape(path)}</code></dt>"
                f"<dd>{escape(about)}<br>Answers: {statuses}</dd>"
            )
