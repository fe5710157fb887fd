"""What the owner of an election wrote for voters, rendered from Markdown, and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from singletable_apps.elections.entities import User
from singletable_apps.elections.pages.dependencies import (
    ElectionPageContext,
    LinkPageContext,
    PageContext,
)
from singletable_apps.elections.poll_book import LinkVoter
from singletable_apps.shared.markdown import render_markdown


@dataclass(frozen=True, slots=True)
class RenderedTexts:
    """The question as text; the description, and statements by candidate, as HTML.

    A picture of a candidate is its URL and what it shows.
    """

    question: str
    description: Markup
    candidates: tuple[str, ...]
    statements: Mapping[str, Markup]
    pictures: Mapping[str, tuple[str, str]]


def render_texts(page: ElectionPageContext | LinkPageContext) -> RenderedTexts:
    """Return the texts of the election of a page."""
    return render_election_texts(page, page.voter, page.election.name)


def render_election_texts(
    page: PageContext, viewer: User | LinkVoter | None, election: str
) -> RenderedTexts:
    """Return the texts of an election; None has a link to its public page."""
    texts = page.service.queries.texts(viewer, election)
    return RenderedTexts(
        texts.question,
        Markup(render_markdown(texts.description)),
        texts.candidates,
        {name: Markup(render_markdown(text)) for name, text in texts.statements.items()},
        {
            name: (page.urls.picture(picture.name), picture.alt)
            for name, picture in texts.pictures.items()
        },
    )
