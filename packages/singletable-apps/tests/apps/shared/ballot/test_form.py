"""The ballot form renders what it is given, and parses what was submitted."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from singletable_apps.shared.ballot import (
    SCRIPT,
    STYLE,
    BallotForm,
    BallotLabels,
    Choice,
    group_by_rank,
    parse_ranks,
    render_ballot_form,
    render_ranking,
    static_files,
)


def read_settings(html: str) -> dict[str, object]:
    """Return the settings that the form passes to the script."""
    settings: dict[str, object] = json.loads(
        unescape(html.partition('data-ballot="')[2].partition('"')[0])
    )
    return settings


def test_static_files_include_all_linked_files() -> None:
    assert {SCRIPT, STYLE} <= set(static_files())


# Scripts import by relative path, so they work under the URL of any app.
def test_scripts_import_only_ballot_modules_and_the_shared_one() -> None:
    imported = {
        name
        for text in static_files().values()
        for name in re.findall(r'^import .* from "(.*)";$', text, re.MULTILINE)
    }
    inner = {f"ballot/{name[2:]}" for name in imported if name.startswith("./")}
    assert inner <= set(static_files())
    assert {name for name in imported if not name.startswith("./")} == {
        "../../shared/vendor/islands.js"
    }


def test_form_has_a_box_for_every_choice() -> None:
    choices = (Choice("Ada", "2"), Choice('B"<n>', "x", "No place."))
    html = str(
        render_ballot_form(BallotForm("/to", choices, "Secret.", {"key": "k&"}, "mine", "7"))
    )
    assert 'action="/to"' in html
    assert 'name="key" value="k&amp;"' in html
    assert 'name="rank.Ada" value="2"' in html
    assert 'name="rank.B&#34;&lt;n&gt;" value="x"' in html
    assert "No place." in html
    settings = read_settings(html)
    assert (settings["draftKey"], settings["draftVersion"], settings["notice"]) == (
        "mine",
        "7",
        "Secret.",
    )
    # The content security policy forbids inline styles and scripts.
    assert not re.search(r"\s(style|on\w+)=", html)


def test_form_passes_on_whether_ties_and_blank_ballots_are_allowed() -> None:
    for allowed in (True, False):
        html = str(
            render_ballot_form(BallotForm("/to", (), allow_ties=allowed, allow_blank=allowed))
        )
        settings = read_settings(html)
        assert (settings["allowTies"], settings["allowBlank"]) == (allowed, allowed)


def test_parse_ranks_returns_numbers_by_name() -> None:
    submitted = parse_ranks(
        {"rank.Ada": "2", "rank.Ben": "", "rank.Cleo": " 2 ", "key": "k", "rank.": "1"}
    )
    assert submitted.ranks == {"Ada": 2, "Ben": None, "Cleo": 2}
    assert not submitted.errors
    assert group_by_rank(submitted.ranks) == ([["Ada", "Cleo"]], ["Ben"])


@pytest.mark.parametrize("text", ["0", "-1", "1.0", "1e2", "one", "10000", "٣", "9" * 10_000])
def test_parse_ranks_keeps_invalid_text_with_an_error(text: str) -> None:
    submitted = parse_ranks({"rank.Ada": text, "rank.Ben": "1"})
    assert submitted.ranks == {"Ben": 1}
    (choice, _) = submitted.choices(["Ada", "Ben"])
    assert choice.rank == text
    assert text[:40] in choice.error


def test_parse_ranks_rejects_a_box_submitted_twice() -> None:
    submitted = parse_ranks({"rank.Ada": ["1", "2"]})
    assert submitted.errors.keys() == {"Ada"}
    assert submitted.texts["Ada"] == "1 and 2"


def test_ranking_as_text_names_everyone() -> None:
    text = re.sub(
        r"<[^>]*>|\s+", " ", str(render_ranking([["Ada", "Ben", "<i>"], ["Cleo"]], ["Dan", "Eve"]))
    )
    assert "1. Ada , Ben and &lt;i&gt; 2. Cleo Not ranked: Dan and Eve." in " ".join(text.split())
    assert BallotLabels().blank_hint in str(render_ranking([], ["Ada"]))
