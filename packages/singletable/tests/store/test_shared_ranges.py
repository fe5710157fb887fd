"""Items of other entities in a query's key range are neither returned nor counted."""

from __future__ import annotations

import warnings

import pytest

from singletable.schema import Attr, Entity, Index, Key, Table, attr
from singletable.store import Call, Store
from tests.store.stores import all_pages, open_store

by_author = Index("by_author", pk="G1PK", sk="G1SK")
by_day = Index("by_day", pk="G2PK", sk="G2SK", projection="KEYS_ONLY")
forum = Table("forum", indexes=[by_author, by_day])

with warnings.catch_warnings():
    # Index keys may be equal, which is what this test is about.
    warnings.simplefilter("ignore")

    class Post(Entity, table=forum):
        topic: Attr[str] = attr()
        number: Attr[int] = attr()
        author: Attr[str] = attr(default="ada")
        key = Key(pk=("TOPIC", topic), sk=("POST", number))
        of_author = Key(pk=("AUTHOR", author), sk=("WROTE", number)).on(by_author)
        of_day = Key(pk=("DAY", topic), sk=(number,)).on(by_day)

    class Reply(Entity, table=forum, type_tag=("kind", "REPLY")):
        topic: Attr[str] = attr()
        number: Attr[int] = attr()
        reply: Attr[int] = attr()
        author: Attr[str] = attr(default="ada")
        key = Key(pk=("TOPIC", topic), sk=("POST", number, "REPLY", reply))
        of_author = Key(pk=("AUTHOR", author), sk=("WROTE", number)).on(by_author)
        of_day = Key(pk=("DAY", topic), sk=(number,)).on(by_day)


MANY = 12
POSTS = Post.key.partition("t")


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(forum)
    empty.put_many(Post(topic="t", number=number) for number in range(MANY))
    empty.put_many(
        Reply(topic="t", number=number, reply=reply)
        for number in range(0, MANY, 2)
        for reply in range(5)
    )
    return empty


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("limit", [None, 1, 5, 11, 12, 13])
def test_query_returns_only_items_of_its_entity(
    store: Store, limit: int | None, reverse: bool
) -> None:
    wanted = list(range(MANY))[:: -1 if reverse else 1][:limit]
    assert [one.number for one in store.query(POSTS, limit=limit, reverse=reverse)] == wanted
    by_ada = store.query(Post.of_author("ada"), limit=limit, reverse=reverse)
    assert [one.number for one in by_ada] == wanted
    days = store.hydrate(Post.of_day("t"), limit=limit, reverse=reverse)
    assert [one.number for one in days] == wanted


def test_count_counts_only_items_of_its_entity(store: Store) -> None:
    assert store.count(POSTS) == MANY
    assert store.count(POSTS.lt(4)) == 4
    assert store.count(Post.of_author("ada")) == MANY
    assert store.count(Post.of_day("t")) == MANY
    assert store.count(Reply.of_author("ada")) == 30
    assert store.count(Reply.of_day("t")) == 30
    assert len(list(store.query(Reply.of_author("ada")))) == 30
    assert len(list(store.hydrate(Reply.of_day("t")))) == 30
    assert store.count(Reply.key.partition("t").eq(2)) == 5


def test_count_doubles_what_it_reads_among_other_entities(calls: list[Call]) -> None:
    store = open_store(forum, observers=[calls.append])
    store.put_many(Reply(topic="t", number=1, reply=reply) for reply in range(30))
    assert store.count(POSTS, limit=2) == 0
    limits = [getattr(sent.operation, "limit", None) for sent in calls[-1].requests]
    assert limits == [2, 4, 8, 16, 32]


@pytest.mark.parametrize("size", [1, 4, 12])
def test_pages_are_full_with_other_entities_between(store: Store, size: int) -> None:
    pages = all_pages(store.page, POSTS, size)
    assert {len(page.items) for page in pages} == {size}
    assert [one.number for page in pages for one in page.items] == list(range(MANY))


def test_select_reads_only_items_of_its_entity(store: Store) -> None:
    assert [one for (one,) in store.select(POSTS, Post.number)] == list(range(MANY))
    assert len(list(store.select(Reply.of_author("ada"), Reply.reply))) == 30
