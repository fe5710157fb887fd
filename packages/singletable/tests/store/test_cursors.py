"""Page cursors: where pages end, and for which query and secret a cursor is valid."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from singletable.errors import InvalidCursor
from singletable.store import Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import all_pages, existing
from tools.testing.designs.votes import Ballot, Candidate, ballot, votes

NAMES = ["ada", "bea", "cid", "dan", "eva"]
ALL = Ballot.key.partition("L")
SECRET = b"a secret of the service, 32 bytes"


@pytest.fixture
def store(opener: StoreOpener) -> Store:
    store = opener.open(cursor_secret=SECRET)
    store.admin.create_table(votes)
    for rank, name in enumerate(NAMES):
        store.put(ballot(name, rank=rank))
        store.put(ballot(name, election="M"))
    return store


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 100])
def test_last_page_has_no_cursor(store: Store, size: int, reverse: bool) -> None:
    pages = all_pages(store.page, ALL, size, reverse=reverse)
    assert all(page.items for page in pages)
    found = [one.voter for page in pages for one in page.items]
    assert found == (NAMES[::-1] if reverse else NAMES)
    assert len(pages) == -(-len(NAMES) // size)


def test_page_of_an_empty_selection_is_the_last(store: Store) -> None:
    page = store.page(Ballot.key.partition("nothing"), 10)
    assert (page.items, page.cursor) == ([], None)


def test_page_of_an_index_continues(store: Store) -> None:
    first = store.page(Ballot.by_voter("ada"), 1)
    second = store.page(Ballot.by_voter("ada"), 1, cursor=first.cursor)
    assert [one.election for one in (*first.items, *second.items)] == ["L", "M"]
    assert second.cursor is None


def test_cursor_is_valid_after_its_item_was_deleted(store: Store) -> None:
    page = store.page(ALL, 2)
    store.delete(Ballot.key("L", "bea"))
    assert [one.voter for one in store.page(ALL, 9, cursor=page.cursor).items] == NAMES[2:]


def test_cursor_is_valid_after_a_restart_with_the_same_secret(
    store: Store, opener: StoreOpener
) -> None:
    cursor = store.page(ALL, 2).cursor
    again = opener.open(cursor_secret=SECRET)
    assert [one.voter for one in again.page(ALL, 9, cursor=cursor).items] == NAMES[2:]


# A page with its cursor can be cached: the same query gives the same bytes.
def test_equal_positions_have_equal_cursors(store: Store, opener: StoreOpener) -> None:
    cursors = {store.page(ALL, 2).cursor, opener.open(cursor_secret=SECRET).page(ALL, 2).cursor}
    assert len(cursors) == 1
    others = {
        store.page(ALL, 3).cursor,
        store.page(ALL, 2, reverse=True).cursor,
        store.page(Ballot.key.partition("M"), 2).cursor,
        store.page(ALL, 2, cursor=store.page(ALL, 2).cursor).previous,
    }
    assert len(others | cursors) == 5


def test_cursor_of_another_secret_is_rejected(store: Store, opener: StoreOpener) -> None:
    cursor = store.page(ALL, 2).cursor
    for other in (opener.open(cursor_secret=b"another secret, as long"), opener.open()):
        with pytest.raises(InvalidCursor):
            other.page(ALL, 2, cursor=cursor)


def test_cursor_is_valid_for_one_query_only(store: Store) -> None:
    cursor = store.page(ALL, 2).cursor
    filtered = store.page(ALL, 1, where=Ballot.rank > 0).cursor
    others: list[Callable[[], object]] = [
        lambda: store.page(Ballot.key.partition("M"), 2, cursor=cursor),
        lambda: store.page(ALL, 2, cursor=cursor, reverse=True),
        lambda: store.page(ALL, 2, cursor=cursor, where=Ballot.rank > 0),
        lambda: store.page(ALL.gt("a"), 2, cursor=cursor),
        lambda: store.page(Ballot.by_voter("ada"), 2, cursor=cursor),
        lambda: store.page(Candidate.key.partition("L"), 2, cursor=cursor),
        lambda: store.page(ALL, 1, where=Ballot.rank > 1, cursor=filtered),
    ]
    for other in others:
        with pytest.raises(InvalidCursor):
            other()
    assert [one.voter for one in store.page(ALL, 3, cursor=cursor).items] == NAMES[2:]


def test_changed_cursor_is_rejected(store: Store) -> None:
    cursor = existing(store.page(ALL, 2).cursor)
    sealed = bytearray(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    for at in range(len(sealed)):
        changed = bytes(sealed[:at]) + bytes([sealed[at] ^ 1]) + bytes(sealed[at + 1 :])
        with pytest.raises(InvalidCursor):
            store.page(ALL, 2, cursor=base64.urlsafe_b64encode(changed).decode())
    for length in range(len(cursor) - 1):
        with pytest.raises(InvalidCursor):
            store.page(ALL, 2, cursor=cursor[:length])


def test_forged_cursor_is_rejected(store: Store) -> None:
    for forged in ("", "x", "é", "\ud800", "AAAA", "e30=", "W3RydWVd", "🗳" * 50):
        with pytest.raises(InvalidCursor):
            store.page(ALL, 2, cursor=forged)


# Browsers hold cursors and URLs expose them, so the keys inside must not be readable.
def test_cursor_does_not_reveal_keys(store: Store) -> None:
    cursor = existing(store.page(ALL, 2).cursor)
    plain = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    assert b"ELECTION" not in plain
    assert b"bea" not in plain
