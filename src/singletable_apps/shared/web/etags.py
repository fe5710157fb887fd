"""Edits that say what they are based on, and reads that know what they have seen (RFC 9110, 13)."""

from __future__ import annotations

import re
from typing import Annotated, TypeAlias

from fastapi import Depends, Header, Response
from starlette.exceptions import HTTPException

from singletable_apps.shared.web.problems import (
    INVALID,
    PRECONDITION_FAILED,
    PRECONDITION_REQUIRED,
    FieldError,
    Problem,
)

_TAG = r'(?:W/)?"[!#-~]*"'
TAGS = rf"^(?:\*|{_TAG}(?:[ \t]*,[ \t]*{_TAG})*)$"


def etag(revision: int | str) -> str:
    """The strong tag of a revision, which is a number or a text of visible ASCII."""
    return f'"{revision}"'


class Edit:
    """What an edit is based on: the tags of If-Match."""

    def __init__(self, tags: frozenset[str] | None, response: Response) -> None:
        self._tags = tags
        self._response = response

    def check(self, revision: int | str) -> None:
        """A 412 problem with the current tag, unless the edit is based on this revision."""
        if self._tags is not None and etag(revision) not in self._tags:
            raise precondition_failed(revision)

    def answer(self, revision: int | str) -> None:
        """Mark the answer with the tag of what the edit has made."""
        self._response.headers["ETag"] = etag(revision)


class Look:
    """What a reader has seen already: the tags of If-None-Match."""

    def __init__(self, tags: frozenset[str] | None, response: Response) -> None:
        self._tags = tags
        self._response = response

    def answer(self, revision: int | str) -> None:
        """Mark the answer with its tag, or end it with 304 if the reader has seen this revision."""
        headers = {"ETag": etag(revision), "Cache-Control": "private, no-cache"}
        if self._tags is None or etag(revision) in self._tags:
            raise HTTPException(304, headers=headers)
        self._response.headers.update(headers)


def precondition_failed(revision: int | str) -> Problem:
    """The 412 problem for an edit that is based on something else than this revision."""
    return Problem(
        PRECONDITION_FAILED,
        f"The edit is not based on the current state, whose ETag is {etag(revision)}.",
        headers={"ETag": etag(revision)},
    )


def _edit(
    response: Response,
    if_match: Annotated[
        str | None, Header(description='The ETag that the edit is based on, as `"7"`, or `*`.')
    ] = None,
) -> Edit:
    if if_match is None:
        raise Problem(
            PRECONDITION_REQUIRED, errors=[FieldError("It is missing.", header="If-Match")]
        )
    return Edit(_tags(if_match.strip()), response)


def _look(
    response: Response,
    if_none_match: Annotated[
        str | None, Header(description="ETags that were seen; if one is current, 304 answers.")
    ] = None,
) -> Look:
    text = (if_none_match or "").strip()
    # What cannot be read was not seen: the answer is then sent once more, and nothing is lost.
    tags = frozenset(tag.removeprefix("W/") for tag in re.findall(_TAG, text))
    return Look(None if text == "*" else tags, response)


def _tags(text: str) -> frozenset[str] | None:
    """The strong tags of If-Match, or None if it is the star that stands for every tag."""
    if text == "*":
        return None
    if not re.fullmatch(TAGS, text):
        words = f'Expected tags in double quotes, as "7", or *, but got {text[:80]}.'
        raise Problem(INVALID, errors=[FieldError(words, header="If-Match")])
    # A weak tag says "much the same", which is not enough to write over it.
    return frozenset(tag for tag in re.findall(_TAG, text) if not tag.startswith("W/"))


IfMatch: TypeAlias = Annotated[Edit, Depends(_edit)]
IfNoneMatch: TypeAlias = Annotated[Look, Depends(_look)]
