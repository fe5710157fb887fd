"""Hostile texts that used to take minutes. If one still does, its test does not end.

A pattern that can start at every character of a run, or divide a run between two repeats, takes
quadratic time, and no other request is served meanwhile. Use possessive repeats (`\\s++`), and a
lookbehind where a run may start.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import singletable_apps
from ranked_ballots.errors import FormatError
from ranked_ballots.formats import read_ballots
from singletable_apps.games.formats.gift import read_gift
from singletable_apps.games.formats.tables import is_heading, read_questions
from singletable_apps.games.moderation import word_filter
from singletable_apps.portfolio.site_files import read_post
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.markdown import (
    html_as_markdown,
    plain_text,
    render_markdown,
    sanitize_html,
)
from singletable_apps.shared.pages.uploads import parse_header

SIZE = 200_000


def _run(text: str) -> str:
    return text * (SIZE // len(text))


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (html_as_markdown, f"<p>{_run(' ')}</p>"),
        (html_as_markdown, _run("<div>")),
        (html_as_markdown, _run("<ul><li>")),
        (sanitize_html, _run("<div></b>")),
        (render_markdown, _run("<b>")[:50_000]),
        (lambda text: plain_text(sanitize_html(text)), f"{_run('<sup class=footnote-ref>')}\n"),
        (lambda text: read_post("a.md", text), f"# {_run(' ')}"),
        (lambda text: read_post("a.md", text), f"# a{_run(' #')}"),
        (lambda text: read_post("a.md", text), f'---\ndate: "{_run(" ")[:90_000]}x"\n---\n'),
        (lambda text: is_heading([text]), _run("(")),
        (
            lambda text: read_questions(text.encode(), "x"),
            f"Question,OptionA\nx,a{_run(' ')[:99_000]}b",
        ),
        (lambda text: read_gift(text, "x"), f"{_run('<p ')} {{ =a ~b }}"),
        (word_filter(("bad",)).has_match, f"a{_run('-')}a"),
        (lambda text: read_ballots(text.encode()), f"{_run('|')},"),
        (lambda text: read_ballots(text.encode()), f"1{_run(chr(10))}"),
        (parse_header, f"form-data{_run(';')}"),
        (parse_header, f'form-data; name="{_run(";")}'),
        (parse_header, f"form-data{_run('; ')}{_run(' ')}"),
    ],
)
def test_hostile_text_is_read_in_linear_time(read: Callable[[str], object], text: str) -> None:
    # It may be rejected.
    with suppress(AppError, FormatError, ValueError):
        read(text)


_MARKDOWN = (
    *(
        "[",
        "]",
        "![",
        "^[",
        "[^",
        "[^1",
        "[^1]",
        "[1]",
        "[1][",
        "![1]",
        "[a](",
        "](",
        "](x)",
        "[][",
    ),
    *("*", "**a", "a**", "*a_", "_a ", "~~", "~~a", "`", "``a", "\\", "\\[", "&", "&#1", "&a;"),
    *("<", "<a", "<!--", "<?", "<b>", "</b>", "http://", "<http://", "a@b ", "[^1]: ", "^[a]"),
    *("> ", "- ", "1. ", "* ", "# ", "| ", "|-", "a|b\n", "-|-\n", "    ", "\n", "- a\n  ", "> - "),
    *(
        "[1]: ",
        "[1]:\n",
        "[1]: x\n",
        "[^1]: a\n",
        "[a]: <",
        "[a]: x '",
        "```\n",
        "---\n",
        "<div>\n",
    ),
)


def _count_lines(markdown: str) -> int:
    """Return how many lines of Python rendering executes, which does not depend on the machine."""
    count, before = 0, sys.gettrace()

    def trace(frame: object, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        render_markdown(markdown)
    finally:
        sys.settrace(before)
    return count


# Every bracket is tried with everything that may be nested in it, which takes seconds for 100,000.
def test_markdown_with_very_many_brackets_leaves_them_as_text() -> None:
    link = "[a](https://example.org) "
    assert render_markdown(link * 4_000).count("<a href") == 4_000
    assert "[a](" in render_markdown("![" * 20_000 + link)


@pytest.mark.rest
@pytest.mark.parametrize("token", _MARKDOWN, ids=repr)
def test_work_for_markdown_grows_with_its_length(token: str) -> None:
    one, two = (
        _count_lines(f"{token * (size // len(token))}\n\n[1]: x\n\n[^1]: x") for size in (500, 1000)
    )
    assert two <= 2.3 * one


def test_deeply_nested_html_is_shown_as_text() -> None:
    assert sanitize_html("<div>" * 600).startswith("&lt;div&gt;")
    assert sanitize_html("<p>a<ul><li>b" * 100).count("<li>") == 100
    assert sanitize_html("<p>" * 5_000).startswith("<p>")


# Parsers see no end tag in any of these.
@pytest.mark.parametrize(
    "html",
    [
        '<div title="</div>">',
        "<div title='></div>'>",
        "<div title=</div>",
        "<div><!-- </div> -->",
        "<div><!--><div>-->",
        "<div><? </div>",
        "<div></ </div>",
        '<div><script a="</script>"></div></script>',
        "<div><textarea><!--</textarea><div></div>-->",
        '<x\va="><div>">',
        "<svg><style><div>",
    ],
)
def test_end_tags_in_other_markup_do_not_hide_nesting(html: str) -> None:
    assert sanitize_html(html * 600).startswith("&lt;")


def test_long_html_is_not_taken_for_nested_html() -> None:
    post = '<p a="1" b>a <b>b</b><br/><!-- c --><i class=x>d</i ></p>'
    assert sanitize_html(post * 600 + "<script>if (a</b/) {}</script>").startswith(
        "<p>a <b>b</b><br>"
    )


# The standard library reads parameters of headers in quadratic time.
def test_headers_of_requests_are_not_read_as_those_of_mail() -> None:
    folder = Path(singletable_apps.__file__).parent
    parsers = re.compile(r"^(?:import email\b|from email\.(?!utils))", re.MULTILINE)
    importing = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if parsers.search(path.read_text(encoding="utf-8"))
    }
    assert importing <= {"shared/mail.py", "shared/outbox.py"}
