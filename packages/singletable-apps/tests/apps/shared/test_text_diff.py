"""Differences between texts: words, lines, and what is left out."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.shared.text_diff import diff_text

TEXTS = st.lists(st.text("ab .é", max_size=12), max_size=12).map("\n".join)


def _side(old: str, new: str, dropped: str) -> list[str]:
    lines = diff_text(old, new)
    return ["".join(piece.text for piece in line.pieces if piece.kind != dropped) for line in lines]


def test_equal_texts_have_no_differences() -> None:
    assert diff_text("a\nb", "a\nb") == []


def test_words_that_changed_are_marked_within_their_line() -> None:
    (line,) = diff_text("The cat sat down here.", "The dog sat down here.")
    assert [(piece.kind, piece.text) for piece in line.pieces] == [
        ("same", "The "),
        ("deleted", "cat"),
        ("inserted", "dog"),
        ("same", " sat down here."),
    ]


def test_unchanged_lines_far_from_changes_are_counted() -> None:
    old = [str(number) for number in range(20)]
    new = [*old[:10], "ten", *old[11:]]
    lines = diff_text("\n".join(old), "\n".join(new))
    assert [line.skipped for line in lines] == [8, 0, 0, 0, 0, 7]
    assert lines[-1].pieces == ()


def test_inserted_lines_are_marked_as_a_whole() -> None:
    lines = diff_text("a", "a\nb")
    assert [[piece.kind for piece in line.pieces] for line in lines] == [["same"], ["inserted"]]


def test_long_lines_are_compared_as_a_whole() -> None:
    (line,) = diff_text("a " * 3000, "b " * 3000)
    assert [piece.kind for piece in line.pieces] == ["deleted", "inserted"]


@given(TEXTS, TEXTS)
def test_every_shown_line_comes_from_its_version(old: str, new: str) -> None:
    assert {text for text in _side(old, new, "inserted") if text} <= set(old.split("\n"))
    assert {text for text in _side(old, new, "deleted") if text} <= set(new.split("\n"))
    assert bool(diff_text(old, new)) == (old != new)


def _words(count: int, seed: int) -> str:
    chosen = Random(seed)
    return " ".join(chosen.choices("abcdefgh", k=count))


def _lines(count: int, seed: int) -> str:
    chosen = Random(seed)
    return "\n".join(str(chosen.randrange(150)) for _ in range(count))


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: "\n".join(_words(450, 99 * seed + n) for n in range(60)),
        lambda seed: _words(30_000, seed),
        lambda seed: _lines(40_000, seed),
    ],
    ids=["words in lines", "one line", "lines"],
)
def test_texts_without_much_in_common_are_compared_in_seconds(make: Callable[[int], str]) -> None:
    old, new = make(1), make(2)
    started = process_time()
    lines = diff_text(old, new)
    assert process_time() - started < 10
    for text, dropped in ((old, "inserted"), (new, "deleted")):
        kept = ("".join(p.text for p in line.pieces if p.kind != dropped) for line in lines)
        assert text[:50] in "\n".join(each for each in kept if each)


def test_ends_of_very_long_texts_are_compared() -> None:
    old = [str(number) for number in range(12_000)]
    lines = diff_text("\n".join(old), "\n".join([*old[:7_000], "new", *old[7_001:]]))
    assert lines[0].skipped == 6_998
    assert [piece.text for line in lines if line.is_changed for piece in line.pieces] == [
        "7000",
        "new",
    ]
    assert lines[-1].skipped == 4_997
