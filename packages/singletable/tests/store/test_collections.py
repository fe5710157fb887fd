"""A collection of a narrowed selection contains that range, and what continues its keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.operations import PutItem, Query
from singletable import errors
from singletable.patterns import PatternCatalog, planned_requests
from singletable.schema import Collection, Selection
from singletable.store import Call, Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import open_store
from tests.store.tracker import (
    Comment,
    Discussion,
    Goal,
    Hit,
    Issue,
    IssueFile,
    Milestone,
    Overview,
    Pages,
    Plan,
    Project,
    Reaction,
    Referrer,
    Traffic,
    Wiki,
    WikiLink,
    tracker,
)

ACME = Issue.key.partition("acme")
NUMBERS = range(5, 11)


def _items() -> Iterable[object]:
    yield Project(org="acme")
    for number in NUMBERS:
        yield Issue(org="acme", number=number, label="bug")
        for comment in range(number % 3):
            yield Comment(org="acme", number=number, comment=comment, label="bug")
            yield Reaction(org="acme", number=number, comment=comment, user="ada")


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(tracker)
    empty.put_many(_items())
    return empty


RANGES: dict[str, tuple[Selection[Any], Callable[[int], bool]]] = {
    "eq": (ACME.eq(8), lambda number: number == 8),
    "lt": (ACME.lt(8), lambda number: number < 8),
    "le": (ACME.le(8), lambda number: number <= 8),
    "gt": (ACME.gt(8), lambda number: number > 8),
    "ge": (ACME.ge(8), lambda number: number >= 8),
    "between": (ACME.between(6, 8), lambda number: 6 <= number <= 8),
    "partition": (ACME, lambda number: True),
    # Named by an entity further down.
    "comment eq": (Comment.key.partition("acme").eq(8), lambda number: number == 8),
    "comment gt": (Comment.key.partition("acme").gt(8), lambda number: number > 8),
    "comment lt": (Comment.key.partition("acme").lt(8), lambda number: number < 8),
    "comment le": (Comment.key.partition("acme").le(8), lambda number: number <= 8),
    "index eq": (Issue.labeled("bug").eq(8), lambda number: number == 8),
    "index gt": (Issue.labeled("bug").gt(8), lambda number: number > 8),
}


@pytest.mark.parametrize(("selection", "within"), RANGES.values(), ids=RANGES)
def test_collect_reads_the_range_and_what_continues_it(
    store: Store, selection: Selection[Any], within: Callable[[int], bool]
) -> None:
    found = store.collect(Discussion, selection)
    wanted = [number for number in NUMBERS if within(number)]
    assert [one.number for one in found.issues] == wanted
    comments = [(number, one) for number in wanted for one in range(number % 3)]
    assert [(one.number, one.comment) for one in found.comments] == comments
    # Reactions have no key in the index.
    expected = [] if selection.access.index else comments
    assert [(one.number, one.comment) for one in found.reactions] == expected


def test_collect_of_one_parent_has_its_required_member(store: Store) -> None:
    found = store.collect(IssueFile, ACME.eq(8))
    assert (found.issue.number, len(found.comments)) == (8, 2)
    assert len(store.collect(Discussion, ACME.eq(8)).reactions) == 2
    deeper = store.collect(Discussion, Comment.key.partition("acme").eq(8).eq(1))
    assert (len(deeper.issues), len(deeper.comments), len(deeper.reactions)) == (0, 1, 1)


def test_collect_raises_if_the_range_never_contains_a_required_member(
    store: Store, calls: list[Call]
) -> None:
    observed = store.observed(calls.append)
    for selection in (ACME.eq(8), ACME.gt(8), ACME.lt(8), Wiki.key.partition("acme").eq("x")):
        with pytest.raises(
            errors.InvalidValue, match=r"Overview\.project is required.*Project \| None"
        ):
            observed.collect(Overview, selection)
    assert not [call for call in calls if call.requests]
    assert store.collect(Overview, ACME).project == Project(org="acme")


def test_collect_names_the_range_in_which_a_required_member_is_missing(store: Store) -> None:
    with pytest.raises(errors.NotFound, match=r"no Issue in the range .*99"):
        store.collect(IssueFile, ACME.eq(99))
    with pytest.raises(errors.ItemMismatch, match="found 2"):
        store.collect(IssueFile, ACME.gt(8))


# A title at the end of a key is a prefix of other titles, which do not continue it.
def test_collect_by_eq_excludes_longer_values(store: Store) -> None:
    titles = ["a", "a b", "a!", "a#b", "a$", "ab", "A"]
    store.put_many(Wiki(org="acme", title=title) for title in titles)
    store.put_many(WikiLink(org="acme", title=title, to="x y") for title in titles)
    for title in titles:
        found = store.collect(Pages, Wiki.key.partition("acme").eq(title))
        assert [one.title for one in found.pages] == [title]
        assert [one.title for one in found.links] == [title]
    found = store.collect(Pages, Wiki.key.partition("acme").begins_with("a"))
    assert {one.title for one in found.links} == set(titles) - {"A"}


def test_collect_by_eq_reads_all_that_shares_the_value(store: Store) -> None:
    store.put_many([Milestone(org="acme", name="1.0"), Milestone(org="acme", name="1.0 beta")])
    store.put_many(Goal(org="acme", name="1.0", goal=goal) for goal in range(3))
    for selection in (
        Milestone.key.partition("acme").eq("1.0"),
        Goal.key.partition("acme").eq("1.0"),
    ):
        found = store.collect(Plan, selection)
        assert (found.milestone.name, len(found.goals)) == ("1.0", 3)


def test_collect_narrows_shards(store: Store) -> None:
    store.put_many(Hit(page="home", number=number) for number in range(20))
    store.put_many(
        Referrer(page="home", number=number, url=url) for number in range(20) for url in "abcde"
    )
    found = store.collect(Traffic, Hit.key.partition("home").between(7, 9))
    assert [one.number for one in found.hits] == [7, 8, 9]
    assert [(one.number, one.url) for one in found.referrers] == [
        (number, url) for number in (7, 8, 9) for url in "abcde"
    ]
    found = store.collect(Traffic, Hit.key.partition("home").eq(7))
    assert ([one.number for one in found.hits], len(found.referrers)) == ([7], 5)


def test_collect_reads_no_more_than_the_range(store: Store, calls: list[Call]) -> None:
    store.observed(calls.append).collect(Discussion, ACME.eq(8))
    (request,) = calls[0].requests
    assert isinstance(request.operation, Query)
    bounds = (request.operation.expression_attribute_values or {}).values()
    assert {"S": "ISSUE#0008"} in bounds
    assert {"S": "ISSUE#0008$"} in bounds


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("limit", [1, 4, 9, 100])
def test_collect_with_a_limit_returns_the_first_members(
    store: Store, limit: int, reverse: bool
) -> None:
    class IssuesAndComments(Collection):
        issues: list[Issue]
        comments: list[Comment]

    found = store.collect(IssuesAndComments, ACME, limit=limit, reverse=reverse)
    everything = [(number, at) for number in NUMBERS for at in range(-1, number % 3)]
    wanted = sorted(everything, reverse=reverse)[:limit]
    assert [one.number for one in found.issues] == [one for one, at in wanted if at < 0]
    comments = [(one.number, one.comment) for one in found.comments]
    assert comments == [(one, at) for one, at in wanted if at >= 0]


# Items of other entities have none of the fields that a condition tests.
def test_collect_filters_the_items_of_one_entity(store: Store) -> None:
    found = store.collect(Discussion, ACME, where=Comment.comment == 1)
    assert [one.number for one in found.comments] == [5, 8]
    assert len(found.issues) == len(NUMBERS)
    assert len(found.reactions) == len(store.collect(Discussion, ACME).reactions)
    first: Any = Comment.comment == 1
    wrong: Any
    for wrong in (Wiki.title == "x", first & (Issue.number == 5), "comment"):
        with pytest.raises(errors.InvalidValue, match="where: expected a condition on"):
            store.collect(Discussion, ACME, where=wrong)


def test_collect_raises_if_a_required_member_is_beyond_the_limit(store: Store) -> None:
    with pytest.raises(
        errors.ItemMismatch, match="one Project in the first 2 items of the partition"
    ):
        store.collect(Overview, ACME, limit=2)


def test_collect_raises_at_the_bound(store: Store) -> None:
    with pytest.raises(errors.ReadLimitReached) as caught:
        store.collect(Discussion, ACME, max_read=5)
    assert caught.value.cursor is None
    assert len(store.collect(Discussion, ACME, max_read=100).issues) == len(NUMBERS)
    assert len(store.collect(Discussion, ACME, max_read=5, limit=1).issues) == 1


def test_collect_skips_items_that_do_not_fit(store: Store, opener: StoreOpener) -> None:
    bad = Issue.key("acme", 8).key
    opener.driver.execute(PutItem("tracker", {**bad, "title": {"N": "1"}}))
    problems: list[errors.ItemMismatch] = []
    found = store.collect(Discussion, ACME, on_mismatch=problems.append)
    assert len(found.issues) == len(NUMBERS) - 1
    assert [problem.key for problem in problems] == [bad]


TEXTS = st.text(alphabet=' !"#$%ab', min_size=1, max_size=3)


@given(titles=st.sets(TEXTS, min_size=1), bound=TEXTS, other=TEXTS)
def test_collect_of_any_texts_is_what_the_values_say(
    titles: set[str], bound: str, other: str
) -> None:
    low, high = sorted((bound, other))
    partition = Wiki.key.partition("acme")
    ranges: list[tuple[Selection[Wiki], Callable[[str], bool]]] = [
        (partition.eq(bound), lambda title: title == bound),
        (partition.lt(bound), lambda title: title < bound),
        (partition.le(bound), lambda title: title <= bound),
        (partition.gt(bound), lambda title: title > bound),
        (partition.ge(bound), lambda title: title >= bound),
        (partition.between(low, high), lambda title: low <= title <= high),
        (partition.begins_with(bound), lambda title: title.startswith(bound)),
    ]
    store = open_store(tracker)
    store.put_many(Wiki(org="acme", title=title) for title in titles)
    store.put_many(WikiLink(org="acme", title=title, to=title) for title in titles)
    for selection, within in ranges:
        wanted = sorted(filter(within, titles))
        found = store.collect(Pages, selection)
        assert [one.title for one in found.pages] == wanted
        assert [one.title for one in found.links] == wanted


catalog = PatternCatalog("tracker", tracker)
of_org = catalog.read("C1", "Everything", Issue.key.partition, collection=Discussion)


@catalog.read_function("C2", collection=IssueFile)
def of_issue(org: str, number: int) -> Selection[Issue]:
    """Read an issue with its comments."""
    return Issue.key.partition(org).eq(number)


@catalog.read_function("C3", collection=Discussion)
def newer(org: str, number: int) -> Selection[Issue]:
    """Read the issues after one."""
    return Issue.key.partition(org).gt(number)


def test_narrowed_collect_is_a_pattern_of_its_own(store: Store, calls: list[Call]) -> None:
    observed = store.observed(calls.append)
    observed.collect(Discussion, ACME)
    observed.collect(IssueFile, ACME.eq(8))
    observed.collect(Discussion, ACME.gt(8))
    observed.collect(Discussion, ACME.eq(8))
    found = [catalog.recognize(call.shape) for call in calls]
    assert found == [of_org, of_issue, newer, None]


def test_planned_request_of_a_collection_has_its_range() -> None:
    conditions = [planned_requests(pattern)[0].condition for pattern in (of_org, of_issue, newer)]
    assert conditions == [
        "PK = ORG#{org}",
        "PK = ORG#{org} and SK between ISSUE#{number} and ISSUE#{number}$",
        "PK = ORG#{org} and SK > ISSUE#{number}",
    ]


def test_collection_pattern_is_rejected_if_a_required_member_is_outside() -> None:
    def issue(org: str, number: int) -> Selection[Issue]:
        return Issue.key.partition(org).eq(number)

    with pytest.raises(errors.DeclarationError, match=r"Overview\.project is required"):
        catalog.read("C9", "Too narrow", issue, collection=Overview)
