"""TagResource, UntagResource and ListTagsOfResource."""

from __future__ import annotations

import pytest

from dynamodb_engine.operations import Driver, ListTagsOfResource, Tag, TagResource, UntagResource
from tests.conformance.errors import validation_error
from tests.conformance.table_requests import on_demand, shown


def tagged(driver: Driver, **tags: str) -> str:
    """Create a table with tags and return its ARN."""
    return shown(driver, on_demand(tags=[Tag(*tag) for tag in tags.items()])).table_arn


def tags_of(driver: Driver, arn: str) -> dict[str, str]:
    """Return the tags of a table."""
    return {tag.key: tag.value for tag in driver.execute(ListTagsOfResource(arn)).tags}


def test_new_table_has_no_tags(driver: Driver) -> None:
    listed = driver.execute(ListTagsOfResource(tagged(driver)))
    assert (listed.tags, listed.next_token) == ([], None)


# New tags are added to existing ones; a tag with the same key is replaced.
def test_tags_are_merged(driver: Driver) -> None:
    arn = tagged(driver, a="1", b="2")
    driver.execute(TagResource(arn, [Tag("b", "3"), Tag("c", "")]))
    assert tags_of(driver, arn) == {"a": "1", "b": "3", "c": ""}


def test_untag_removes_tags_by_key(driver: Driver) -> None:
    arn = tagged(driver, a="1", b="2")
    driver.execute(UntagResource(arn, ["a", "never"]))
    assert tags_of(driver, arn) == {"b": "2"}


# AWS ignores a token that it never returned.
def test_pagination_token_is_ignored(driver: Driver) -> None:
    arn = tagged(driver, a="1")
    assert driver.execute(ListTagsOfResource(arn, "bogus")).tags == [Tag("a", "1")]


# Keys are case-sensitive, and most scripts are allowed.
@pytest.mark.parametrize("key", ["A", "k" * 128, "größe 1", "a+b-c=d.e_f:g/h@i", "世界", "awsome"])
def test_tag_keys_accept_allowed_characters(driver: Driver, key: str) -> None:
    arn = tagged(driver, a="1")
    driver.execute(TagResource(arn, [Tag(key, "v" * 256)]))
    assert tags_of(driver, arn) == {"a": "1", key: "v" * 256}


# The limit of fifty includes existing tags, and all or none are added.
def test_table_has_at_most_50_tags(driver: Driver) -> None:
    arn = tagged(driver, **{f"k{n}": "1" for n in range(49)})
    for tags in ([Tag("k50", "1"), Tag("k51", "1")], [Tag(f"l{n}", "1") for n in range(51)]):
        assert validation_error(driver, TagResource(arn, tags)) == (
            "Number of Tags exceed the current limit for the provided ResourceArn"
        )
    assert len(tags_of(driver, arn)) == 49
    driver.execute(TagResource(arn, [Tag("k50", "1"), Tag("k0", "2")]))
    assert len(tags_of(driver, arn)) == 50
