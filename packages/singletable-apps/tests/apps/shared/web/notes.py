"""A small API with notes and their labels, which uses all conventions of `shared.web`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, TypeAlias

import httpx2
from fastapi import APIRouter, Depends, FastAPI
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.testclient import TestClient
from pydantic import BaseModel, Field
from starlette.types import Receive, Scope, Send

from singletable import (
    AlreadyExists,
    Attr,
    Entity,
    Key,
    NotFound,
    Store,
    Table,
    VersionConflict,
    attr,
    connect,
    version,
)
from singletable_apps.shared.web import (
    NOT_FOUND,
    NOT_SIGNED_IN,
    IdempotencyKey,
    IfMatch,
    IfNoneMatch,
    Page,
    Pagination,
    Problem,
    ProblemType,
    Settings,
    in_segment,
    make_app,
    responses,
)

TOKEN = "a-token-for-tests"
NAME_TAKEN = ProblemType("name-taken", 409, "The name is taken", "Choose another name.")
table = Table("notes")


class Note(Entity, table=table):
    """A note."""

    name: Attr[str] = attr()
    text: Attr[str] = attr()
    revision: Attr[int] = version()

    key = Key(pk="NOTE", sk=name)


class Label(Entity, table=table):
    """A label of a note."""

    note: Attr[str] = attr()
    word: Attr[str] = attr()

    key = Key(pk=("LABELS", note), sk=word)


Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=50, pattern=r"^[a-z/ ]+$")]
NameInPath: TypeAlias = Annotated[Name, in_segment]


class Text(BaseModel):
    text: str = Field(max_length=1000)


class NewNote(Text):
    name: Name


class NoteOut(NewNote):
    revision: int


def signed_in(
    sent: Annotated[HTTPAuthorizationCredentials | None, Depends(HTTPBearer(auto_error=False))],
) -> None:
    if sent is None or sent.credentials != TOKEN:
        raise Problem(NOT_SIGNED_IN)


def empty_store() -> Store:
    store = Store(connect("memory:"))
    store.admin.create_table(table)
    return store


def make_notes(
    store: Store | None = None, *, settings: Settings | None = None, more: Sequence[APIRouter] = ()
) -> FastAPI:
    """Return the API with an empty table."""
    store = store or empty_store()
    routers = [notes_router(store), labels_router(store), *more]
    return make_app(
        "Notes",
        "1.0",
        routers=routers,
        prefix="/api",
        problem_types=[NAME_TAKEN],
        settings=settings,
    )


def make_client(
    store: Store | None = None, *, settings: Settings | None = None, more: Sequence[APIRouter] = ()
) -> TestClient:
    """Return a client of the API, which is made for the first request: that takes a while."""
    app = cache(lambda: make_notes(store, settings=settings, more=more))

    async def call_app(scope: Scope, receive: Receive, send: Send) -> None:
        await app()(scope, receive, send)

    return TestClient(call_app)


def write(client: TestClient, name: str, text: str = "") -> httpx2.Response:
    """Create a note."""
    headers = {"Idempotency-Key": name.replace(" ", "-")}
    return client.post("/api/notes", json={"name": name, "text": text}, headers=headers)


def to_schema(note: Note) -> NoteOut:
    return NoteOut(name=note.name, text=note.text, revision=note.revision)


def get_note(store: Store, name: str) -> Note:
    note = store.get(Note.key(name), consistent=True)
    if note is None:
        raise Problem(NOT_FOUND, f"There is no note {name!a}.")
    return note


def notes_router(store: Store) -> APIRouter:
    router = APIRouter()

    @router.get("/notes")
    def list_notes(page: Pagination) -> Page[NoteOut]:
        """List all notes by name."""
        got = store.page(Note.key.partition(), page.limit, cursor=page.cursor)
        return page.answer([to_schema(note) for note in got.items], got.cursor)

    @router.post("/notes", status_code=201, responses=responses(NAME_TAKEN))
    def create_note(new: NewNote, key: IdempotencyKey) -> NoteOut:
        """Create a note."""
        try:
            return to_schema(store.create(Note(name=new.name, text=new.text)))
        except AlreadyExists:
            raise Problem(NAME_TAKEN, f"There is a note {new.name!a} already.") from None

    @router.get("/notes/{name}", responses=responses(NOT_FOUND))
    def read_note(name: NameInPath, look: IfNoneMatch) -> NoteOut:
        """Return a note."""
        note = get_note(store, name)
        look.answer(note.revision)
        return to_schema(note)

    @router.put("/notes/{name}", responses=responses(NOT_FOUND))
    def edit_note(name: NameInPath, new: Text, edit: IfMatch) -> NoteOut:
        """Change the text of a note."""
        note = get_note(store, name)
        edit.check(note.revision)
        note.text = new.text
        try:
            note = store.put(note)
        except VersionConflict:
            edit.check(get_note(store, name).revision)
            raise
        edit.answer(note.revision)
        return to_schema(note)

    @router.delete(
        "/notes/{name}",
        status_code=204,
        responses=responses(NOT_FOUND, NOT_SIGNED_IN),
        dependencies=[Depends(signed_in)],
    )
    def delete_note(name: NameInPath, edit: IfMatch) -> None:
        """Delete a note."""
        note = get_note(store, name)
        edit.check(note.revision)
        try:
            store.delete(Note.key(name))
        except NotFound:
            raise Problem(NOT_FOUND) from None

    return router


def labels_router(store: Store) -> APIRouter:
    router = APIRouter()

    @router.get("/notes/{name}/labels", responses=responses(NOT_FOUND))
    def list_labels(name: NameInPath, page: Pagination) -> Page[str]:
        """List the labels of a note, with offsets as cursors."""
        get_note(store, name)
        words = [label.word for label in store.query(Label.key.partition(name))]
        return page.answer(*page.slice(words, b"a secret of thirty-two bytes or more"))

    @router.put("/notes/{name}/labels/{word}", status_code=204, responses=responses(NOT_FOUND))
    def put_label(name: NameInPath, word: NameInPath) -> None:
        """Add a label to a note."""
        get_note(store, name)
        store.put(Label(note=name, word=word))

    return router
