"""Posts as files: what we write, and what Jekyll, Hugo and Bear Blog write."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from singletable_apps.portfolio.site_files import (
    PostFile,
    Time,
    read_post,
    read_site,
    write_post,
)
from singletable_apps.shared.errors import InvalidInput

TIME = TypeAdapter[datetime](Time)
AT = datetime(2026, 3, 1, 18, tzinfo=UTC)
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"]), max_size=20
)
LINES = st.lists(WORDS.filter(bool), max_size=4).map(" ".join)


@given(
    title=LINES,
    tags=st.lists(WORDS.filter(bool), max_size=3),
    description=LINES,
    category=LINES,
    is_draft=st.booleans(),
)
def test_written_posts_are_read_again(
    title: str, tags: list[str], description: str, category: str, is_draft: bool
) -> None:
    post = PostFile(
        title=title or "Tea",
        slug="tea",
        date=AT,
        updated=AT,
        is_draft=is_draft,
        author="ada@example.org",
        author_name="Ada",
        tags=tags,
        category=category,
        description=description,
        image="../media/a.webp",
        image_alt="A cup: of tea",
        canonical="https://example.org/tea",
        aliases=["old-tea", "tea-2024"],
        markdown="Some *text*.\n\n---\n\nMore.\n",
    )
    text = write_post(post)
    again = read_post(f"posts/{post.filename}", text)
    assert again.markdown == f"\n{post.markdown}\n"
    assert write_post(again.model_copy(update={"markdown": post.markdown})) == text


JEKYLL = """---
layout: post
title:  "Welcome to Jekyll!"
date:   2026-03-01 20:00:00 +0200
categories: [cooking, soup]
tags: fish, sea
published: false
permalink: /2026/welcome.html
redirect_from:
  - /old/welcome/
---
# Hello
"""
HUGO = """+++
title = 'My First Post'
date = 2026-03-01T18:00:00Z
lastmod = 2026-03-02
draft = true
tags = ['fish', 'sea']
aliases = ['/posts/first/']
[cover]
image = 'a.jpg'
+++
Hello
"""
BEAR = """title: My post
link: my-post
published_date: 2026-03-01 18:00
tags: fish, sea
meta_description: About: fish
___

Hello
"""


def test_jekyll_post_is_read() -> None:
    post = read_post("_posts/2026-03-01-welcome.markdown", JEKYLL)
    assert post.draft.title == "Welcome to Jekyll!"
    assert post.draft.slug == "welcome"
    assert (post.draft.category, post.draft.tags) == ("cooking", ("fish", "sea", "soup"))
    assert (post.date, post.is_draft, post.aliases) == (AT, True, ["welcome"])
    assert post.draft.markdown == "# Hello\n"


def test_hugo_post_is_read() -> None:
    post = read_post("content/posts/my-first-post/index.md", HUGO)
    assert (post.draft.slug, post.draft.tags) == ("my-first-post", ("fish", "sea"))
    assert (post.date, post.updated) == (AT, datetime(2026, 3, 2, tzinfo=UTC))
    assert (post.is_draft, post.draft.featured_image_url) == (True, "a.jpg")


def test_bear_blog_post_is_read() -> None:
    post = read_post("my-post.md", BEAR)
    assert (post.draft.title, post.draft.slug, post.date) == ("My post", "my-post", AT)
    assert (post.draft.seo_description, post.draft.tags) == ("About: fish", ("fish", "sea"))
    assert (post.is_draft, post.draft.markdown) == (False, "\nHello\n")


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("2026-03-01-a-cup.md", "# A cup\n\nText", ("A cup", "a-cup", "Text")),
        ("Notes on Tea.md", "Text", ("Notes on Tea", "notes-on-tea", "Text")),
        ("tea.md", "\ufeff---\r\ntitle: Tea\r\n---\r\nText", ("Tea", "tea", "Text")),
        ("tea.md", "---\ntitle: 2026\n---\n", ("2026", "tea", "")),
        ("tea.md", "---\n---\nText", ("tea", "tea", "Text")),
        ("tea.md", "--- not front matter", ("tea", "tea", "--- not front matter")),
        ("tea.md", "---\npermalink: /:year/:title/\n---\n", ("tea", "tea", "")),
    ],
)
def test_missing_fields_come_from_the_file(
    path: str, text: str, expected: tuple[str, str, str]
) -> None:
    draft = read_post(path, text).draft
    assert (draft.title, draft.slug, draft.markdown) == expected


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("---\ntitle: Tea\n", "front matter"),
        ("---\ntitle: [\n---\n", "front matter"),
        ("---\ndate: 2026-13-45\n---\n", "front matter"),
        ("---\n- a\n---\n", "front matter"),
        ("+++\ntitle = \n+++\n", "front matter"),
        ("---\ndate: yesterday\n---\n", "date"),
        ("---\ndate: [2026]\n---\n", "date"),
        ("---\ndate: true\n---\n", "date"),
        ("---\ntitle: {a: b}\n---\n", "title"),
        ("---\ntags: [[a]]\n---\n", "tags"),
        ("---\ntags: {a: b}\n---\n", "tags"),
        ("---\ntitle: !!python/object:os.system x\n---\n", "front matter"),
    ],
)
def test_invalid_front_matter_is_rejected(text: str, field: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        read_post("tea.md", text)
    assert [name.partition("/")[0] for name in raised.value.errors] == [field]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-03-01T18:00:00Z", AT),
        ("2026-03-01 20:00:00 +0200", AT),
        ("2026-03-01 18:00", AT),
        (1772388000, AT),
        (1772388000123, AT),
        (date(2026, 3, 1), datetime(2026, 3, 1, tzinfo=UTC)),
        (datetime(2026, 3, 1, 18, 0, 0, 5), AT),
    ],
)
def test_times_are_read_in_many_forms(value: object, expected: datetime) -> None:
    assert TIME.validate_python(value) == expected


@given(st.one_of(st.text(), st.integers(), st.floats(), st.booleans()))
def test_other_times_are_rejected_and_never_crash(value: object) -> None:
    with suppress(ValidationError):
        assert TIME.validate_python(value).utcoffset() is not None


@given(st.text(max_size=200))
def test_any_text_is_a_post_or_a_clear_error(text: str) -> None:
    for start in ("", "---\n", "+++\n", "title: x\n"):
        with suppress(InvalidInput):
            read_post("tea.md", f"{start}{text}")


@pytest.mark.parametrize(
    "text",
    [
        "[1]",
        "projects: 7",
        "projects: [7]",
        "social_links: [a]",
        "experience: [{start_date: soon}]",
        "settings: {posts_per_page: ten}",
        "settings: {likes: sometimes}",
        "settings: {theme: pink}",
        "name: [Ada]",
    ],
)
def test_invalid_portfolio_is_rejected(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_site(text)


@pytest.mark.parametrize(
    ("front_matter", "reason"),
    [
        (
            "---\ntitle: Tea\ntags: [a, b\ndraft: true\n---\n",
            "Line 3 cannot be read: tags: [a, b –",
        ),
        ("---\ntitle: Tea: a story\n---\n", "Line 2 cannot be read: title: Tea: a story –"),
        ("---\ntitle: Tea\nnonsense\n---\n", "expected a name, a colon and a value"),
        ('---\ntitle: "Tea\n---\n', "expected quotation marks at both ends"),
        ("+++\ntitle = Tea\n+++\n", "Line 2 cannot be read: title = Tea – expected a name, an eq"),
        ("---\ntitle: [Tea]\n---\n", "Expected text, but got ['Tea']."),
    ],
)
def test_wrong_front_matter_is_explained_in_plain_words(front_matter: str, reason: str) -> None:
    with pytest.raises(InvalidInput) as error:
        read_post("tea.md", f"{front_matter}Text")
    (text,) = error.value.errors.values()
    assert reason in text
    assert "<unicode string>" not in text
