"""Names are stored in one form and cannot be confused with others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias
from unicodedata import category, is_normalized

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import Store, connect
from singletable_apps.elections.entities import Candidate, Ownership, State, Voter, votes
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.names import (
    clean_candidate_name,
    clean_candidate_names,
    clean_election_name,
    clean_email,
    clean_user_name,
    clean_voter_names,
    fold_name,
    is_same_name,
    sort_key,
)
from singletable_apps.shared.errors import InvalidInput
from tests.apps.elections.rules.factories import ballot, election, user
from tools.testing.cases import every

Reader: TypeAlias = Callable[[str], str]
READERS: list[Reader] = [clean_user_name, clean_election_name, clean_candidate_name]
# Whatever may come: also spaces of all kinds, joiners, marks, half pairs, and much of all.
ODD = st.one_of(
    st.sampled_from(" \t\n\u00a0\u2003\u2028\u200d\u200c\u0301\u0338@.#$ßİΐᾷ\ud800\ue000"),
    st.characters(),
)
PLAIN = st.characters(categories=["L", "N", "P", "S", "Mn", "Zs"])
TEXTS = st.one_of(
    st.text(PLAIN, max_size=20), st.text(st.one_of(PLAIN, ODD), max_size=8), st.text(ODD)
)

every_reader = pytest.mark.parametrize("read", READERS, ids=["user", "election", "candidate"])


@every_reader
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Ada", "Ada"),
        ("  Ada \t Love\u00a0lace\n", "Ada Love lace"),
        ("Jose\u0301", "José"),
        ("#1 $ . ..", "#1 $ . .."),
        ("…", "…"),
        ("x" * 200, "x" * 200),
        (" " * 300 + "x" * 200, "x" * 200),
        ("👩\u200d💻", "👩\u200d💻"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("അവന്\u200d", "അവന്\u200d"),
        ("𝔸" * 200, "𝔸" * 200),
    ],
)
def test_name_is_normalized(read: Reader, text: str, kept: str) -> None:
    assert read(text) == kept


@every_reader
@given(text=TEXTS)
def test_normalized_name_stays_the_same(read: Reader, text: str) -> None:
    name = _read(read, text)
    if isinstance(name, InvalidInput):
        assert name.field
        assert all(category(letter) not in ("Cc", "Cs") for letter in str(name))
        return
    assert read(name) == name
    assert 1 <= len(name) <= 200
    assert is_normalized("NFC", name)
    assert name.split() == name.split(" ")
    assert len(fold_name(name).encode()) <= 800
    assert all(
        category(letter) not in ("Cc", "Cf", "Cs", "Co", "Cn") or letter in "\u200c\u200d"
        for letter in name
    )


@given(text=TEXTS)
def test_user_name_cannot_be_an_email_address(text: str) -> None:
    name = _read(clean_user_name, text)
    assert isinstance(name, InvalidInput) or isinstance(_read(clean_email, name), InvalidInput)


@every(
    ("text", "kept"),
    [
        (" ada@example.org\n", "ada@example.org"),
        ("Ada+Votes@Example.org", "Ada+Votes@Example.org"),
        ("a@b", "a@b"),
        ("jose\u0301@example.org", "josé@example.org"),
        ("x" * 188 + "@example.org", "x" * 188 + "@example.org"),
    ],
)
def test_email_is_kept_as_entered(text: str, kept: str) -> None:
    assert clean_email(text) == kept


@every("text", ["\u3164", "Ada\u2800", "\uffa0Ada"])
def test_name_with_invisible_letters_is_rejected(text: str) -> None:
    with pytest.raises(InvalidInput, match="invisible"):
        clean_user_name(text)


# Nobody could write to them, and the error would come with the first e-mail.
@every("text", ["a,b@c.org", "a;b@c.org", "<a>@c.org", 'a"b@c.org', "a@[::1]"])
def test_email_with_signs_that_separate_addresses_is_rejected(text: str) -> None:
    with pytest.raises(InvalidInput):
        clean_email(text)


@given(text=st.one_of(TEXTS, st.tuples(TEXTS, TEXTS).map("@".join)))
def test_email_needs_a_name_and_a_domain(text: str) -> None:
    address = _read(clean_email, text)
    if isinstance(address, InvalidInput):
        assert address.field == "email"
        return
    assert clean_email(address) == address
    local, domain = address.split("@")
    assert local
    assert domain
    assert not any(letter.isspace() or category(letter) in ("Cc", "Cs") for letter in address)


@every(
    ("a", "b", "are_one"),
    [
        ("Ada", "ADA", True),
        ("Straße", "STRASSE", True),
        ("José", "JOSE\u0301", True),
        ("Ada", "Ada.", False),
        ("Jose", "José", False),
    ],
)
def test_names_are_compared_ignoring_case(a: str, b: str, are_one: bool) -> None:
    assert is_same_name(a, b) is is_same_name(b, a) is are_one


def test_names_with_numbers_sort_as_people_count() -> None:
    names = sorted(["Zoë", "Member 10", "member 9", "Member 2"], key=sort_key)
    assert names == ["Member 2", "member 9", "Member 10", "Zoë"]


def test_name_lists_keep_their_order_and_can_be_empty() -> None:
    assert clean_candidate_names([" Cy", "Ada ", "Ben"]) == ("Cy", "Ada", "Ben")
    assert clean_voter_names(["Cy", "Ada"]) == ("Cy", "Ada")
    assert clean_candidate_names([]) == clean_voter_names([]) == ()
    assert len(clean_candidate_names([f"Candidate {number}" for number in range(100)])) == 100
    assert len(clean_voter_names([f"voter {number}" for number in range(10_000)])) == 10_000


@given(names=st.lists(st.sampled_from(["Ada", "ada", "ADA ", "Ben", "Cy", "cy"]), max_size=5))
def test_name_lists_reject_duplicates(names: list[str]) -> None:
    once = len({name.strip().lower() for name in names}) == len(names)
    for read in (clean_candidate_names, clean_voter_names):
        if once:
            assert [name.strip() for name in names] == list(read(names))
        else:
            with pytest.raises(InvalidInput):
                read(names)


# A sort key has 1,024 bytes, and one part of it may be a name without case, its dividers escaped.
@every("text", ["𝔸" * 200, "ΐ" * 120 + "#" * 80, "#" * 200, "ᾷ" * 133])
def test_longest_names_fit_into_every_key(text: str) -> None:
    name = clean_user_name(text)
    store = Store(connect("memory:"))
    store.admin.create_table(votes)
    for entity in (
        replace(user(Role.USER), name=name, email=clean_email(f"{text[:-6]}@b.org")),
        replace(election(State.SETUP), name=name, owner_name=name),
        Ownership(election_name=name, owner_name=name),
        Candidate(election_name=name, candidate_name=name, since=1),
        Voter(election_name=name, voter_name=name),
        replace(ballot(), election_name=name, voter_name=name),
    ):
        store.create(entity)


def _read(read: Reader, text: str) -> str | InvalidInput:
    try:
        return read(text)
    except InvalidInput as refused:
        return refused
