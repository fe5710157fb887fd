"""The ballot as HTML, and the scripts and styles that belong to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from singletable_apps.shared.ballot.paper import Paper, Words
from singletable_apps.shared.ballot.reading import LARGEST, RANK

HERE = Path(__file__).parent
SCRIPT = "ballot/ballot.js"
STYLE = "ballot/ballot.css"
# All that the script imports: a page names them at once, so that none is found late.
MODULES = tuple(
    f"ballot/{name}.js" for name in ("ballot", "drafts", "dragging", "moves", "rows", "words")
)

_ENVIRONMENT = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def files() -> dict[str, str]:
    """The scripts and styles by their names; scripts import those of shared/pages beside them."""
    found = sorted((HERE / "static").iterdir())
    return {f"ballot/{path.name}": path.read_text(encoding="utf-8") for path in found}


def drawn(paper: Paper) -> Markup:
    """The form: boxes for numbers, which the script turns into a list that moves."""
    told = {
        "draft": paper.draft,
        "basis": paper.basis,
        "means": paper.means,
        "words": asdict(paper.words),
        "equals": paper.equals,
        "blank": paper.blank,
    }
    return _render("paper.html", paper=paper, told=told, rank=RANK, largest=LARGEST)


def said(
    levels: Sequence[Sequence[str]], rest: Sequence[str], words: Words | None = None
) -> Markup:
    """A ballot in words: who is first, who is next, and who is not ranked."""
    return _render("said.html", levels=levels, rest=rest, words=words or Words())


def _render(template: str, **context: object) -> Markup:
    return Markup(_ENVIRONMENT.get_template(template).render(context))
