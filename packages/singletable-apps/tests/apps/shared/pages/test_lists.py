"""List pages: search, sort and page by query parameters."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from singletable_apps.shared.pages import ListPage, ListQuery, Pager
from singletable_apps.shared.pages.templating import make_environment

NAMES = ["Ada", "Grace", "Emmy", "Mary", "Ada Grace"]


def query(
    search: str = "", sort: str = "", cursor: str | None = None, sent: bytes = b""
) -> ListQuery:
    request = Request({"type": "http", "path": "/people", "query_string": sent})
    return ListQuery(request, search, sort, cursor)


def apply(of: ListQuery, limit: int = 10) -> ListPage[str]:
    return of.apply(NAMES, text=str, columns={"name": str, "length": len}, limit=limit)


@pytest.mark.parametrize(
    ("search", "sort", "expected"),
    [
        ("", "", NAMES),
        ("ADA", "", ["Ada", "Ada Grace"]),
        ("grace ada", "", ["Ada Grace"]),
        ("nobody", "", []),
        ("", "name", ["Ada", "Ada Grace", "Emmy", "Grace", "Mary"]),
        ("", "-length", ["Ada Grace", "Grace", "Emmy", "Mary", "Ada"]),
        ("", "password", NAMES),
    ],
)
def test_list_is_searched_and_sorted(search: str, sort: str, expected: list[str]) -> None:
    assert apply(query(search, sort)).items == expected


def test_links_lead_through_all_pages_with_the_same_search_and_order() -> None:
    first = apply(query("a", "name"), limit=2)
    assert (first.items, first.first_url) == (["Ada", "Ada Grace"], "")
    assert first.next_url == "/people?q=a&sort=name&cursor=2"
    second = apply(query("a", "name", "2"), limit=2)
    assert (second.items, second.next_url) == (["Grace", "Mary"], "")
    assert second.first_url == "/people?q=a&sort=name"
    assert second.shown == "3 to 4 of 4"


def test_sort_links_reverse_the_order_and_start_at_the_first_page() -> None:
    of = query("a", "name", "2")
    assert of.sort_url("name") == "/people?q=a&sort=-name"
    assert of.sort_url("length") == "/people?q=a&sort=length"
    assert (of.sorted_by("name"), of.sorted_by("length")) == ("ascending", "")
    assert query(sort="-name").sorted_by("name") == "descending"


@pytest.mark.parametrize("cursor", ["-1", "x", "٣", "9" * 4000])
def test_invalid_cursor_shows_the_first_page(cursor: str) -> None:
    assert apply(query(cursor=cursor)).items == NAMES


# As after the last item of the last page was deleted.
def test_cursor_behind_the_last_item_shows_the_last_page() -> None:
    page = apply(query("a", cursor="4"), limit=2)
    assert (page.items, page.shown) == (["Mary", "Ada Grace"], "3 to 4 of 4")
    assert apply(query("nobody", cursor="4"), limit=2).items == []


def test_map_keeps_the_links() -> None:
    page = apply(query(), limit=2).map(str.upper)
    assert (page.items, page.next_url) == (["ADA", "GRACE"], "/people?cursor=2")


def test_filters_stay_in_the_links_until_they_are_changed() -> None:
    of = query("a", "name", "2", b"role=host&q=a&sort=name&cursor=2&team=")
    assert of.page(NAMES, "4").next_url == "/people?role=host&q=a&sort=name&cursor=4"
    assert of.url(role="") == "/people?q=a&sort=name"
    assert of.kept == {"role": "host", "sort": "name"}


@pytest.mark.parametrize(
    ("url", "start", "expected"),
    [
        ("/codes", 0, ("/codes?from=20", "", "1 to 20 of 45")),
        ("/codes?a=b", 20, ("/codes?a=b&from=40", "/codes?a=b", "21 to 40 of 45")),
        ("/codes", 40, ("", "/codes", "41 to 45 of 45")),
        ("/codes", 60, ("", "/codes", "")),
    ],
)
def test_pages_can_begin_at_a_number(url: str, start: int, expected: tuple[str, ...]) -> None:
    pager = Pager.numbered(url, "from", start, 20, 45)
    assert (pager.next_url, pager.first_url, pager.shown) == expected


def test_list_page_keeps_a_hidden_heading_for_screen_readers() -> None:
    template = make_environment([], {}).from_string(
        '{% import "macros/list.html" as lists %}'
        '{% call(name) lists.list_page(page, "People", columns) %}'
        "<tr><th>{{ name }}</th></tr>{% endcall %}"
    )
    columns = [("Name", ""), ("Actions", "", False, True)]
    text = template.render(page=apply(query()), columns=columns)
    assert '<th scope="col">Name</th>' in text
    assert '<th scope="col"><span class="sr-only">Actions</span></th>' in text
