"""Text is normalized, compared as it looks, and quoted in errors."""

from __future__ import annotations

from uuid import UUID

from hypothesis import example, given
from hypothesis import strategies as st

from singletable_apps.polls.rules import comparison_key, printable_excerpt
from singletable_apps.shared.service import is_uuid
from singletable_apps.shared.text import is_printable, normalize_line, normalize_text
from tools.testing.cases import every

ANY = st.text(st.characters())


@every(
    ("written", "kept"),
    [
        ("  Go ", "Go"),
        ("C\t +\n+", "C + +"),
        ("a\u00a0b\u2003c", "a b c"),
        ("e\u0301t\u00e9", "\u00e9t\u00e9"),
        ("\x1f\x85", ""),
        ("", ""),
    ],
)
def test_line_is_normalized(written: str, kept: str) -> None:
    assert normalize_line(written) == kept


def test_text_keeps_its_lines() -> None:
    assert normalize_text(" a \r\n\r\n b\tc  \rd\u2028e\n\n") == "a\n\n b c\nd\ne"


@every(
    ("one", "other"),
    [
        ("Go", "GO"),
        ("straße", "STRASSE"),
        ("ﬁne", "FINE"),
        ("Ｇｏ", "go"),
        ("①", "1"),
        ("e\u0301", "\u00c9"),
        ("Go\u200b", "Go"),
        ("\u200eGo \u2060", "go"),
        ("❤", "❤\ufe0f"),
        ("a\u00adb", "AB"),
        ("a b", "a\u3000b"),
        ("ϓ", "Υ\u0301"),
    ],
)
def test_options_that_look_the_same_have_equal_keys(one: str, other: str) -> None:
    assert comparison_key(one) == comparison_key(other)


@every(("one", "other"), [("Go", "G o"), ("a", "à"), ("1", "l"), ("👩‍💻", "👩")])
def test_different_options_have_different_keys(one: str, other: str) -> None:
    assert comparison_key(one) != comparison_key(other)


@every(
    "unseen",
    [
        *("", " ", "\u200b", "\u2060 \ufeff", "\u3164", "\u2800", "\ufe0f"),
        *("\u180b", "\u180f", "\u2065", "\ufff0", "\U000e0fff"),
    ],
)
def test_invisible_text_has_an_empty_key(unseen: str) -> None:
    assert comparison_key(unseen) == ""


@given(ANY)
@example("\u0345\u0301")
@example("ß\ufeff ẞ")
def test_comparison_key_is_idempotent(text: str) -> None:
    same = comparison_key(text)
    assert comparison_key(normalize_line(text)) == same
    assert comparison_key(same) == same
    assert normalize_line(normalize_line(text)) == normalize_line(text)
    assert normalize_text(normalize_text(text)) == normalize_text(text)


@every("bad", ["a\0b", "\x07", "\ud800", "a\u202eb", "\u2066a\u2069", "\x7f"])
def test_unprintable_text_is_detected(bad: str) -> None:
    assert not is_printable(bad)


@every("good", ["a\nb", "👩‍💻", "שלום \u200f", "می‌خواهم", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"])
def test_ordinary_text_is_printable(good: str) -> None:
    assert is_printable(good)


@given(ANY)
@example("\ud800\0\u202e")
def test_excerpt_can_be_encoded(text: str) -> None:
    said = printable_excerpt(text)
    assert said.isprintable()
    assert said.encode().decode() == said
    assert len(said) <= 60


UUID_TEXT = "fd4a59a2-153b-405c-b0b9-d131a1437c27"


@every(
    "text",
    [
        "",
        "x",
        "a#b",
        "\ud800",
        "x" * 3000,
        UUID_TEXT.upper(),
        UUID(UUID_TEXT).hex,
        f"{{{UUID_TEXT}}}",
    ],
)
def test_only_canonical_uuids_are_ids(text: str) -> None:
    assert not is_uuid(text)
    assert is_uuid(UUID_TEXT)
