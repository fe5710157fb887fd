"""The rules of posts: slugs, tags, drafts, times, and what is derived from a text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from singletable_apps.portfolio.rules import (
    MAX_EXCERPT,
    MAX_MARKDOWN_BYTES,
    MAX_SCHEDULE,
    MAX_SLUG,
    PostDraft,
    check_draft,
    check_publish_time,
    derive_slug,
    make_excerpt,
    normalize_tag,
    reading_time,
    slug_error,
)
from singletable_apps.shared.errors import InvalidInput

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
BLOG_ID = "0a1b2c3d-0a1b-4a1b-8a1b-0a1b2c3d4e5f"


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Hello, World!", "hello-world"),
        ("  Über Straße — Łódź & Ærø ", "uber-strasse-lodz-aero"),
        ("İstanbul ﬁnally", "istanbul-finally"),
        ("C++ 20", "c-20"),
        ("日本語", ""),
        ("!!!", ""),
        ("x" * 120, "x" * 100),
        ("word " * 40, "word-" * 19 + "word"),
        ("a" * 60 + " " + "b" * 60, "a" * 60),
    ],
)
def test_slug_is_derived_from_title(title: str, slug: str) -> None:
    assert derive_slug(title) == slug


@given(st.text(max_size=300))
@example("\u0345")
@example("ẞ")
def test_derived_slug_is_valid_and_stable(title: str) -> None:
    slug = derive_slug(title)
    assert len(slug) <= MAX_SLUG
    if slug:
        assert derive_slug(slug) == slug
        assert derive_slug(title.upper().lower()) is not None
        assert not slug_error(slug) or "looks like the id" in slug_error(slug)


@pytest.mark.parametrize(
    ("typed", "tag"),
    [
        ("Open Source", "open-source"),
        ("#Travel", "travel"),
        ("C++", "c++"),
        ("C#", "c#"),
        (".NET", "net"),
        ("Node.js", "node.js"),
        ("snake_case", "snake-case"),
        ("日本 語", "日本-語"),
        ("हिन्दी", "हिन्दी"),
        ("../..", ""),
    ],
)
def test_tag_is_normalized(typed: str, tag: str) -> None:
    assert normalize_tag(typed) == tag


@given(st.text(max_size=60))
def test_normalized_tag_is_stable_and_one_path_segment(typed: str) -> None:
    tag = normalize_tag(typed)
    assert normalize_tag(tag) == tag
    assert not set(tag) & set("/?%\\ \n")
    assert tag not in (".", "..")


def test_draft_is_normalized() -> None:
    draft = PostDraft(
        "  A \u00a0title ",
        "\r\n\tcode\r\n\r\nText  \r\n",
        slug=" my-slug ",
        tags=("Tea", "TEA", " ", "#tea", "Oat Milk"),
        category=" Notes  on tea ",
        canonical_url=" https://example.org/a ",
    )
    assert check_draft(draft) == PostDraft(
        "A title",
        "\tcode\n\nText",
        "my-slug",
        ("tea", "oat-milk"),
        "Notes on tea",
        canonical_url="https://example.org/a",
    )
    assert check_draft(check_draft(draft)) == check_draft(draft)


def test_all_errors_of_a_draft_are_reported_together() -> None:
    draft = PostDraft(
        "",
        "\x00",
        slug="A B",
        tags=("!",),
        category="a/b",
        featured_image_url="javascript:alert(1)",
        featured_image_alt="x" * 301,
        seo_description="x" * 301,
        canonical_url="/here",
    )
    with pytest.raises(InvalidInput) as raised:
        check_draft(draft)
    assert set(raised.value.errors) == {
        "title",
        "markdown",
        "slug",
        "tags",
        "category",
        "featured_image_url",
        "featured_image_alt",
        "seo_description",
        "canonical_url",
    }


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (PostDraft("x" * 201, ""), "title"),
        (PostDraft("\u202eevil", ""), "title"),
        (PostDraft("\ud800", ""), "title"),
        (PostDraft("T", "\ud800"), "markdown"),
        (PostDraft("T", "é" * (MAX_MARKDOWN_BYTES // 2 + 1)), "markdown"),
        (PostDraft("T", "", tags=tuple(map(str, range(11)))), "tags"),
        (PostDraft("T", "", tags=("x" * 41,)), "tags"),
        (PostDraft("T", "", category=".."), "category"),
        *(
            (PostDraft("T", "x", slug=slug), "slug")
            for slug in ("Hello", "a--b", "-a", "a b", "a/b", "ä", "a" * 101, BLOG_ID)
        ),
        (PostDraft("T", "", category="\ud800"), "category"),
        (PostDraft("T", "", featured_image_url="//evil.example/x.png"), "featured_image_url"),
        (PostDraft("T", "", featured_image_url="https://"), "featured_image_url"),
    ],
)
def test_invalid_field_is_named(draft: PostDraft, field: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        check_draft(draft)
    assert list(raised.value.errors) == [field]


@given(
    st.builds(
        PostDraft,
        st.text(max_size=210),
        st.text(max_size=50),
        st.text(max_size=110),
        st.lists(st.text(max_size=45), max_size=12).map(tuple),
        st.text(max_size=70),
        st.text(max_size=20),
        canonical_url=st.text(max_size=20),
    )
)
def test_every_draft_is_accepted_or_rejected_with_its_fields(draft: PostDraft) -> None:
    errors: dict[str, str] = {}
    try:
        draft = check_draft(draft)
    except InvalidInput as error:
        errors = error.errors
    assert set(errors) <= set(PostDraft.__dataclass_fields__)
    assert all(errors.values())
    assert errors or check_draft(draft) == draft


def test_publish_time_is_in_whole_seconds_of_utc() -> None:
    local = datetime(2026, 1, 1, 15, 0, 0, 999_999, tzinfo=timezone(timedelta(hours=2)))
    assert check_publish_time(local, NOW) == datetime(2026, 1, 1, 13, tzinfo=UTC)


@pytest.mark.parametrize(
    "time",
    [
        datetime(2026, 1, 1),
        datetime.min.replace(tzinfo=timezone(timedelta(hours=2))),
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-2))),
        datetime(1969, 12, 31, tzinfo=UTC),
        NOW + MAX_SCHEDULE + timedelta(days=1),
    ],
)
def test_impossible_publish_time_is_rejected(time: datetime) -> None:
    with pytest.raises(InvalidInput) as raised:
        check_publish_time(time, NOW)
    assert list(raised.value.errors) == ["at"]


@pytest.mark.parametrize(("words", "minutes"), [(0, 1), (299, 1), (301, 2), (2000, 10)])
def test_reading_time_is_words_by_200(words: int, minutes: int) -> None:
    assert reading_time("word " * words) == minutes


@given(st.text(max_size=600))
@example("word, " * 100)
@example("x" * 600)
def test_excerpt_is_a_short_line(text: str) -> None:
    excerpt = make_excerpt(text)
    assert len(excerpt) <= MAX_EXCERPT
    assert "\n" not in excerpt
    if len(text) > MAX_EXCERPT + 200:
        assert excerpt.endswith("…")
