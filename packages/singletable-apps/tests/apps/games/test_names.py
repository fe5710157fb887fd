"""Names: what players may be called, and which names look the same."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable_apps.games.entities import GameSettings, Profanity
from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.names import (
    MAX_NAME,
    check_name,
    draw_names,
    is_generated,
    name_key,
    similar_names,
    tidy_name,
)

PLAIN = GameSettings()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "ada"),
        ("Ada", "Аda"),  # Cyrillic А
        ("Bill", "BiIl"),
        ("Bob", "B0b"),
        ("Ada", "A\u200bda"),
        ("Ada", "Ada\u3164"),
        ("Zoë", "Zoe"),
        ("Ada", "𝓐𝓭𝓪"),
        ("Straße", "STRASSE"),
        ("❤", "❤\ufe0f"),
    ],
)
def test_names_that_look_alike_have_the_same_key(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ada", "Ada 2"), ("Max", "Mix"), ("कम", "कुम"), ("ハル", "バル"), ("🎉", "🎈")],
)
def test_different_names_have_different_keys(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@pytest.mark.parametrize(
    "name",
    [
        "host",
        "HOST",
        "The Host",
        "h0st",
        "Ноst",
        "Host 1",
        "co-host",
        "Admin!",
        "M o d e r a t o r",
        "ADM1N",
        "hôte",
    ],
)
def test_names_of_hosts_are_rejected(name: str) -> None:
    with pytest.raises(InvalidInput):
        check_name(PLAIN, name)


@pytest.mark.parametrize(
    "name", ["Hostess Ada", "Modesty", "Ghost", "Adminton", "Dick", "O’Brien", "李雷", "🦊", "<b>x"]
)
def test_ordinary_names_are_accepted(name: str) -> None:
    assert check_name(PLAIN, name) == name


@pytest.mark.parametrize("name", ["\u200b\u200d", "\u3164", "\u2800 \u2800", "\u00ad"])
def test_invisible_names_are_rejected(name: str) -> None:
    with pytest.raises(InvalidInput):
        check_name(PLAIN, name)


def test_profane_names_are_rejected_unless_the_filter_is_off() -> None:
    with pytest.raises(InvalidInput):
        check_name(PLAIN, "Sh1thead")
    assert check_name(GameSettings(profanity=Profanity.OFF), "Sh1thead") == "Sh1thead"
    with pytest.raises(InvalidInput):
        check_name(GameSettings(deny_words=("Heinz",)), "H3inz")


def test_invisible_characters_and_piles_of_accents_are_removed() -> None:
    assert tidy_name("A\u200bd\u00ada") == "Ada"
    assert len(tidy_name("Z" + "\u0301" * 50)) <= 4
    assert tidy_name("👩\u200d🚀") == "👩\u200d🚀"
    assert tidy_name("می\u200cخواهم") == "می\u200cخواهم"


@settings(max_examples=4 * settings().max_examples)
@given(st.text(max_size=MAX_NAME))
def test_any_text_is_accepted_or_rejected_with_a_sentence(text: str) -> None:
    try:
        chosen = check_name(PLAIN, text)
    except InvalidInput:
        pass
    else:
        assert chosen.strip() == chosen != ""
        assert name_key(chosen)
        assert check_name(PLAIN, chosen) == chosen


def test_generated_names_are_recognized_and_clean() -> None:
    random = Random(7)
    for name in (name for _ in range(40) for name in draw_names(random)):
        assert is_generated(name)
        assert len(name) <= MAX_NAME
        assert check_name(GameSettings(generated_names=True), name) == name
    for name in ("Ada", "Brave", "Brave Otter 1", "brave otter", "Brave Otter x", "Otter Brave"):
        assert not is_generated(name)
    with pytest.raises(InvalidInput):
        check_name(GameSettings(generated_names=True), "Ada")


@given(st.text(st.characters(categories=["Lu", "Ll"]), min_size=1, max_size=MAX_NAME))
def test_similar_names_fit(name: str) -> None:
    found = similar_names(name)
    assert len({*found}) == len(found) >= 8
    assert all(len(each) <= MAX_NAME for each in found)
