"""Codes, admin keys and ids of votes: derived from the secret and not stored."""

from __future__ import annotations

import json
from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from singletable_apps.polls.entities import Protection
from singletable_apps.polls.errors import InvalidCode, WrongSecret
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import Voter, open_polls
from singletable_apps.polls.tokens import MAX_CODES, Secret
from tests.apps.polls.support.harness import (
    OPTIONS,
    SECRET,
    World,
    cast,
    changed,
    code,
    code_voter,
    items_of,
)

POLL = str(uuid4())
OTHER = Secret(b"others'." * 4)


@pytest.mark.parametrize("length", [0, 1, 31])
def test_short_secret_is_rejected(length: int) -> None:
    with pytest.raises(ValueError, match=f"got {length}"):
        Secret(bytes(length))


def test_secret_is_not_in_its_repr() -> None:
    assert "tests" not in repr(SECRET)


def test_codes_are_distinct_and_decode_to_their_number() -> None:
    codes = [SECRET.voting_code(POLL, number) for number in range(MAX_CODES)]
    assert len(set(codes)) == MAX_CODES
    for number in (0, 1, 31, 32, 1023, 1024, MAX_CODES - 1):
        assert SECRET.code_number(POLL, codes[number]) == number


SLOPPY: list[Callable[[str], str]] = [
    str.lower,
    lambda typed: typed.replace("-", ""),
    lambda typed: typed.replace("-", " "),
    lambda typed: typed.replace("-", "–"),
    lambda typed: f" {typed}.\n",
    lambda typed: typed.replace("0", "O").replace("1", "l"),
    lambda typed: typed.replace("0", "o").replace("1", "I"),
    lambda typed: "\u200b".join(typed),
    lambda typed: "".join(chr(ord(one) + 0xFEE0) for one in typed),
]


@pytest.mark.parametrize("sloppy", SLOPPY)
def test_code_is_recognized_in_any_spelling(sloppy: Callable[[str], str]) -> None:
    for number in (0, 7, 33, 4000):
        assert SECRET.code_number(POLL, sloppy(SECRET.voting_code(POLL, number))) == number
    assert SECRET.is_admin_key(POLL, sloppy(SECRET.admin_key(POLL)))


@given(st.text(max_size=20))
@example("")
@example("\ud800" * 12)
@example("0" * 12)
@example("٠" * 12)
def test_invalid_codes_are_rejected(typed: str) -> None:
    assert SECRET.code_number(POLL, typed) is None
    assert not SECRET.is_admin_key(POLL, typed)


@given(st.integers(0, MAX_CODES), st.integers(0, 13), st.sampled_from("0123456789ABCXYZ"))
def test_code_with_a_changed_digit_is_rejected(number: int, place: int, digit: str) -> None:
    right = SECRET.voting_code(POLL, number)
    wrong = right[:place] + digit + right[place + 1 :]
    is_same = wrong.replace("-", "") == right.replace("-", "")
    assert SECRET.code_number(POLL, wrong) == (number if is_same else None)


def test_codes_and_keys_of_another_poll_or_secret_are_rejected() -> None:
    there = str(uuid4())
    assert SECRET.code_number(there, SECRET.voting_code(POLL, 1)) is None
    assert OTHER.code_number(POLL, SECRET.voting_code(POLL, 1)) is None
    assert not SECRET.is_admin_key(there, SECRET.admin_key(POLL))
    assert not OTHER.is_admin_key(POLL, SECRET.admin_key(POLL))
    assert SECRET.fingerprint != OTHER.fingerprint


def test_vote_ids_are_uuids_that_differ_by_poll_kind_and_voter() -> None:
    ids = [
        secret.vote_id(poll, kind, who)
        for secret in (SECRET, OTHER)
        for poll in (POLL, str(uuid4()))
        for kind in ("browser", "code", "request")
        for who in ("1", "11", "1:1", "", "\ud800")
    ]
    assert len(set(ids)) == len(ids)
    for one in ids:
        assert (UUID(one).version, UUID(one).variant) == (8, "specified in RFC 4122")
        assert str(UUID(one)) == one


def test_message_parts_are_unambiguous() -> None:
    assert SECRET.vote_id("a", "b", "cd") != SECRET.vote_id("a", "bc", "d")


def test_unissued_code_is_rejected(memory: World) -> None:
    managed = memory.made(changed(PollDraft("Q", OPTIONS), protection=Protection.CODES), codes=3)
    cast = memory.service.voting.cast
    with pytest.raises(InvalidCode):
        cast(managed.poll.id, ["Go"], code_voter(managed, 3))
    assert cast(managed.poll.id, ["Go"], code_voter(managed, 2)).is_new
    memory.service.codes.issue(managed.poll.id, managed.admin_key, 1)
    assert cast(managed.poll.id, ["Go"], code_voter(managed, 3)).is_new


def test_table_reveals_no_keys_or_codes(memory: World) -> None:
    browser, voter, request = "maker-" * 5, "voter-" * 5, "request-" * 5
    managed_polls = [
        memory.made(
            changed(PollDraft("Q", OPTIONS), protection=kind),
            codes=5,
            browser=browser,
        )
        for kind in Protection
    ]
    for managed in managed_polls:
        cast(memory.service, managed, ["Go"], Voter(voter, code(managed, 1), request))
    text = json.dumps(items_of(memory.driver)).upper().replace("-", "")
    for managed in managed_polls:
        assert managed.poll.id.upper().replace("-", "") in text
        for kept in (
            managed.admin_key,
            browser,
            voter,
            request,
            *(code(managed, n) for n in range(5)),
        ):
            assert kept.upper().replace("-", "") not in text
    assert SECRET.key.hex().upper() not in text


def test_wrong_secret_is_rejected(memory: World) -> None:
    managed = memory.made(changed(PollDraft("Q", OPTIONS), protection=Protection.CODES), codes=5)
    other = open_polls(memory.driver, OTHER, clock=memory.clock)
    for ask in (
        lambda: other.voting.cast(
            managed.poll.id, ["Go"], Voter(code=OTHER.voting_code(managed.poll.id, 1))
        ),
        lambda: other.lifecycle.close(managed.poll.id, managed.admin_key),
        lambda: other.lifecycle.delete(managed.poll.id, OTHER.admin_key(managed.poll.id)),
        lambda: other.codes.list_issued(managed.poll.id, OTHER.admin_key(managed.poll.id)),
    ):
        with pytest.raises(WrongSecret, match=SECRET.fingerprint):
            ask()
    assert other.tallies.get(managed.poll).votes == 0
