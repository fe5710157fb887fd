"""The home page of the whole project."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request, Response

from singletable_apps.home.apps import ServedApp
from singletable_apps.shared.pages import Pages

SAMPLE = """\
from singletable import Attr, Entity, Key, Store, Table, attr, connect

polls = Table("ranked-choice-polls")


class Poll(Entity, table=polls):
    id: Attr[str] = attr()
    title: Attr[str] = attr()
    key = Key(pk=("POLL", id), sk="METADATA")  # POLL#{id} / METADATA


class Vote(Entity, table=polls):
    poll_id: Attr[str] = attr(name="pollId")
    id: Attr[str] = attr()
    rankings: Attr[list[str]] = attr()
    key = Key(pk=("POLL", poll_id), sk=("VOTE", id))  # POLL#{poll_id} / VOTE#{id}


store = Store(connect("memory:"))  # or "file:polls.db" to persist; or "dynamodb:eu-west-1"
store.admin.create_table(polls)
store.create(Poll(id="7", title="Best language"))
store.create(Vote(poll_id="7", id="alice", rankings=["Rust", "Go"]))
print([vote.rankings for vote in store.query(Vote.key.partition("7"))])
"""
PRINTED = "[['Rust', 'Go']]"
# What is in the table then: both keys, and the rest.
STORED = (
    ("POLL#7", "METADATA", (("id", "7"), ("title", "Best language"))),
    ("POLL#7", "VOTE#alice", (("pollId", "7"), ("id", "alice"), ("rankings", "Rust, Go"))),
)

_PARTS = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<string>"[^"\n]*")|(?P<word>[A-Za-z_]\w*)|(?P<rest>.)""", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of code, and what it is: comment, string, keyword, or nothing in particular."""

    text: str
    kind: str = ""


def coloured(code: str) -> list[Part]:
    """The code in pieces, neighbours of one kind together."""
    parts: list[Part] = []
    for found in _PARTS.finditer(code):
        kind = found.lastgroup or "rest"
        text = found[0]
        if kind == "word":
            kind = "keyword" if keyword.iskeyword(text) else ""
        elif kind == "rest":
            kind = ""
        if parts and parts[-1].kind == kind:
            parts[-1] = Part(parts[-1].text + text, kind)
        else:
            parts.append(Part(text, kind))
    return parts


def home_router(pages: Pages, apps: Sequence[ServedApp]) -> APIRouter:
    """`/`."""
    router = APIRouter()

    @router.get("/")
    def home(request: Request) -> Response:
        samples = [app.running.sample() for app in apps]
        return pages.render(
            request,
            "front/home.html",
            apps=[app.info for app in apps],
            samples=[sample for sample in samples if sample is not None],
            code=coloured(SAMPLE),
            printed=PRINTED,
            stored=STORED,
        )

    return router
