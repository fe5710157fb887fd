"""Full-text search in memory: what is found, in which order, and how it is shown."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from singletable_apps.shared.search import Document, SearchIndex

DOCUMENTS = (
    Document("cafe", "Café culture", "I don't drink tea. <b>Really</b> & truly.", ("travel",)),
    Document("tea", "Tea", "Green leaves from Japan, node.js and more.", ("open-source",)),
    Document("japan", "日本語のブログ", "これは日本語のテキストです。"),
    Document("code", "Learning languages", "Notes on c++ and on culture.", ("c++",)),
)


@pytest.fixture(scope="module")
def index() -> SearchIndex:
    """Return an index of the documents above."""
    made = SearchIndex()
    made.update(DOCUMENTS)
    return made


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("cafe", ["cafe"]),
        ("CAFÉ", ["cafe"]),
        ("cafe\u0301", ["cafe"]),
        ("caf", ["cafe"]),
        ("cul caf", []),
        ("caf cul", []),
        ("culture café", ["cafe"]),
        ("tea", ["tea", "cafe"]),
        ("don't", ["cafe"]),
        ("node.js", ["tea"]),
        ("open source", ["tea"]),
        ("c++", ["code"]),
        ("日本", ["japan"]),
        ("本語", ["japan"]),
        ("テキスト", ["japan"]),
        ("tea nothing", []),
        ("", []),
        ("  ", []),
        ("😀", []),
        ('"', []),
        ("* ^ ( ) : - +", []),
    ],
)
def test_documents_with_all_words_are_found(
    index: SearchIndex, query: str, found: list[str]
) -> None:
    assert [hit.key for hit in index.search(query)] == found


@pytest.mark.parametrize(
    "query", ['tea" OR "', "tea AND", "NOT tea", "NEAR(tea", "title:tea", "{title}: x", "tea\x00*"]
)
def test_operators_are_ordinary_words(index: SearchIndex, query: str) -> None:
    assert {hit.key for hit in index.search(query)} <= {"tea", "cafe"}


def test_words_are_marked_in_escaped_html(index: SearchIndex) -> None:
    (hit,) = index.search("cafe real")
    assert hit.title_html == "<mark>Café</mark> culture"
    assert hit.snippet_html == (
        "I don&#x27;t drink tea. &lt;b&gt;<mark>Really</mark>&lt;/b&gt; &amp; truly."
    )
    (japanese,) = index.search("日本語")
    assert japanese.title_html == "<mark>日本語</mark>のブログ"


def test_long_text_is_cut_around_the_words() -> None:
    index = SearchIndex()
    index.update([Document("a", "T", "before " * 500 + "needle" + " after" * 500)])
    (hit,) = index.search("needle")
    assert "<mark>needle</mark>" in hit.snippet_html
    assert len(hit.snippet_html) < 400
    assert hit.snippet_html.startswith("…")
    assert hit.snippet_html.endswith("…")


def test_update_replaces_and_removes_documents() -> None:
    index = SearchIndex()
    index.update([Document("a", "One", ""), Document("b", "Two", "")])
    index.update([Document("a", "Three", "")], removed=["b", "unknown"])
    found = {word: [hit.key for hit in index.search(word)] for word in ("one", "two", "three")}
    assert found == {"one": [], "two": [], "three": ["a"]}


def test_limit_counts_accepted_documents() -> None:
    index = SearchIndex()
    index.update([Document(str(number), f"Tea {number}", "") for number in range(50)])
    hits = index.search("tea", limit=3, accepts=lambda key: int(key) % 2 == 1)
    assert [hit.key for hit in hits] == ["1", "3", "5"]


class _Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)


@given(query=st.text(max_size=60), title=st.text(max_size=30), text=st.text(max_size=80))
@example(query='"a', title='"', text="a")
@example(query="\u02b0", title="\u02b0", text="")
@example(query="\ud800", title="\ud800", text="\x02\x03<script>")
def test_any_query_and_text_are_safe(query: str, title: str, text: str) -> None:
    index = SearchIndex()
    index.update([Document("a", title, text)])
    for search in (query, title, text):
        for hit in index.search(search):
            assert set(_Tags(hit.title_html + hit.snippet_html).tags) <= {"mark"}


def test_threads_share_an_index(index: SearchIndex) -> None:
    def work(number: int) -> int:
        index.update([Document("extra", f"Extra {number}", "tea")])
        return len(index.search("tea"))

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(work, range(100))) == {3}
    index.update([], removed=["extra"])


@pytest.mark.parametrize("query", ["tide radio", "tides radios", "restored radio", "restoring"])
def test_other_forms_of_english_words_are_found(query: str) -> None:
    index = SearchIndex()
    index.update([Document("1", "Tides and Radios", "She restores an old radio.")])
    assert [hit.key for hit in index.search(query)] == ["1"]
