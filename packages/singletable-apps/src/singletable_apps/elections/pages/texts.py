"""What the owner of an election wrote for voters, rendered from Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from singletable_apps.elections.pages.dependencies import ElectionPageContext, LinkPageContext
from singletable_apps.shared.markdown import render_markdown


@dataclass(frozen=True, slots=True)
class RenderedTexts:
    """The question as text; the description and the statements by candidate as HTML."""

    question: str
    description: Markup
    statements: Mapping[str, Markup]


def render_texts(page: ElectionPageContext | LinkPageContext) -> RenderedTexts:
    """Return the texts of the election of a page."""
    texts = page.service.queries.texts(page.voter, page.election.name)
    return RenderedTexts(
        texts.question,
        Markup(render_markdown(texts.description)),
        {name: Markup(render_markdown(text)) for name, text in texts.statements.items()},
    )
