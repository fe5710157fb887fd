"""The form of a ballot holds what it is given, and is read as it was filled in."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from singletable_apps.shared.ballot import (
    MODULES,
    SCRIPT,
    STYLE,
    Choice,
    Paper,
    drawn,
    files,
    levels_of,
    read,
    said,
)


def test_all_files_that_a_page_links_are_there() -> None:
    assert {SCRIPT, STYLE, *MODULES} == set(files())


# A script finds those it imports beside it, wherever an app serves them.
def test_scripts_import_each_other_and_the_shared_one() -> None:
    imported = {
        name
        for text in files().values()
        for name in re.findall(r'^import .* from "(.*)";$', text, re.MULTILINE)
    }
    inner = {f"ballot/{name[2:]}" for name in imported if name.startswith("./")}
    assert inner <= set(MODULES)
    assert {name for name in imported if not name.startswith("./")} == {
        "../../shared/vendor/islands.js"
    }


def test_a_paper_is_a_form_with_a_box_for_every_choice() -> None:
    choices = (Choice("Ada", "2"), Choice('B"<n>', "x", "No place."))
    html = str(drawn(Paper("/to", choices, "Secret.", {"key": "k&"}, "mine", "7")))
    assert 'action="/to"' in html
    assert 'name="key" value="k&amp;"' in html
    assert 'name="rank.Ada" value="2"' in html
    assert 'name="rank.B&#34;&lt;n&gt;" value="x"' in html
    assert "No place." in html
    told = json.loads(unescape(html.partition('data-ballot="')[2].partition('"')[0]))
    assert (told["draft"], told["basis"], told["means"]) == ("mine", "7", "Secret.")
    # No page that forbids styles and scripts of its own is asked for them.
    assert not re.search(r"\s(style|on\w+)=", html)


def test_a_paper_says_whether_places_are_shared_and_whether_it_may_be_blank() -> None:
    for allowed in (True, False):
        html = str(drawn(Paper("/to", (), equals=allowed, blank=allowed)))
        told = json.loads(unescape(html.partition('data-ballot="')[2].partition('"')[0]))
        assert (told["equals"], told["blank"]) == (allowed, allowed)


def test_what_is_read_is_what_was_typed() -> None:
    typed = read({"rank.Ada": "2", "rank.Ben": "", "rank.Cleo": " 2 ", "key": "k", "rank.": "1"})
    assert typed.ranks == {"Ada": 2, "Ben": None, "Cleo": 2}
    assert not typed.faults
    assert levels_of(typed.ranks) == ([["Ada", "Cleo"]], ["Ben"])


@pytest.mark.parametrize("text", ["0", "-1", "1.0", "1e2", "one", "10000", "٣", "9" * 10_000])
def test_what_is_no_place_is_kept_with_its_fault(text: str) -> None:
    typed = read({"rank.Ada": text, "rank.Ben": "1"})
    assert typed.ranks == {"Ben": 1}
    (choice, _) = typed.choices(["Ada", "Ben"])
    assert choice.rank == text
    assert choice.fault.startswith("Expected a place")


def test_a_box_that_is_sent_twice_holds_no_place() -> None:
    typed = read({"rank.Ada": ["1", "2"]})
    assert typed.faults.keys() == {"Ada"}
    assert typed.texts["Ada"] == "1 and 2"


def test_a_ballot_in_words_names_everybody() -> None:
    words = re.sub(
        r"<[^>]*>|\s+", " ", str(said([["Ada", "Ben", "<i>"], ["Cleo"]], ["Dan", "Eve"]))
    )
    assert "1. Ada , Ben and &lt;i&gt; 2. Cleo Not ranked: Dan and Eve." in " ".join(words.split())
    assert "Nothing is ranked" in str(said([], ["Ada"]))
