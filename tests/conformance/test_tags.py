"""TagResource, UntagResource and ListTagsOfResource."""

from __future__ import annotations

import pytest

from singletable.errors import AccessDenied, ResourceNotFound
from singletable.operations import (
    Driver,
    ListTagsOfResource,
    Operation,
    Tag,
    TagResource,
    UntagResource,
)
from tests.conformance.errors import INVALID, LEFT_OUT, validation_error
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


REFUSED: list[tuple[list[Tag], str]] = [
    ([], "Atleast one Tag needs to be provided as Input."),
    ([Tag("", "1")], "The Tag Key provided is invalid, Key: "),
    ([Tag("k" * 129, "1")], f"The Tag Key provided is invalid, Key: {'k' * 129}"),
    ([Tag("a#b", "1")], "The Tag Key provided is invalid, Key: a#b"),
    ([Tag(LEFT_OUT, "1")], "The Tag Key provided is invalid, Key: null"),
    ([Tag("a", "1|2")], "The Tag Value provided is invalid, Value: 1|2"),
    ([Tag("a", "v" * 257)], f"The Tag Value provided is invalid, Value: {'v' * 257}"),
    ([Tag("a", LEFT_OUT)], "The Tag Value provided is invalid, Value: null"),
    ([Tag("aws:a", "1")], "Tag Key cannot be prefixed with aws:, Key: aws:a"),
    (
        [Tag("a", "1"), Tag("a", "2")],
        "Duplicate Tag Keys provided as input: Duplicate Tag Key found a",
    ),
    (
        [Tag(f"k{n}", "1") for n in range(51)],
        "Number of Tags exceed the current limit for the provided ResourceArn",
    ),
]


@pytest.mark.parametrize(("tags", "message"), REFUSED, ids=[m[:50] for _, m in REFUSED])
def test_rejects_invalid_tags(driver: Driver, tags: list[Tag], message: str) -> None:
    arn = tagged(driver, old="1")
    assert validation_error(driver, TagResource(arn, tags)) == message
    assert tags_of(driver, arn) == {"old": "1"}


# The limit of fifty includes existing tags, and all or none are added.
def test_table_has_at_most_50_tags(driver: Driver) -> None:
    arn = tagged(driver, **{f"k{n}": "1" for n in range(49)})
    two = [Tag("k50", "1"), Tag("k51", "1")]
    assert validation_error(driver, TagResource(arn, two)) == (
        "Number of Tags exceed the current limit for the provided ResourceArn"
    )
    assert len(tags_of(driver, arn)) == 49
    driver.execute(TagResource(arn, [Tag("k50", "1"), Tag("k0", "2")]))
    assert len(tags_of(driver, arn)) == 50


def test_rejects_untag_without_keys(driver: Driver) -> None:
    assert validation_error(driver, UntagResource(tagged(driver), [])) == (
        "Atleast one Tag Key needs to be provided as Input."
    )


def every(arn: str) -> list[Operation[object]]:
    """Return the three operations on the tags of one resource."""
    return [
        TagResource(arn, [Tag("a", "1")]),
        UntagResource(arn, ["a"]),
        ListTagsOfResource(arn),
    ]


def test_rejects_invalid_resource_arns(driver: Driver) -> None:
    arn = tagged(driver)
    words = {
        "not-an-arn": f"{INVALID}ARNs must start with 'arn:': ",
        "arn:aws:dynamodb": "Invalid TableArn: Invalid ResourceArn provided as input ",
        arn.replace("dynamodb", "s3"): f"{INVALID}Provided Arn is not a DynamoDB resource arn: ",
        f"{arn}/index/by-g": f"{INVALID}Invalid resource arn provided, only table or stream is "
        "accepted. Provided resource arn: ",
        arn.replace(arn.split(":")[3], "mars-1"): "Invalid TableArn: Invalid ResourceArn provided "
        "as input ",
        arn.partition("/")[0]: "Invalid TableArn: Invalid ResourceArn provided as input ",
    }
    for wrong, message in words.items():
        for operation in every(wrong):
            assert validation_error(driver, operation) == message + wrong


# The error does not reveal whether another account's table exists.
def test_resource_of_another_account_is_denied(driver: Driver) -> None:
    for arn in (tagged(driver), "arn:aws:dynamodb:us-east-1:1:table/never"):
        foreign = arn.replace(arn.split(":")[4], "999999999999")
        for operation in every(foreign):
            with pytest.raises(AccessDenied) as raised:
                driver.execute(operation)
            assert raised.value.code == "AccessDeniedException"
            assert raised.value.message.endswith(
                f"is not authorized to perform: dynamodb:{type(operation).__name__} "
                f"on resource: {foreign}"
            )


def test_missing_table_error_names_the_arn(driver: Driver) -> None:
    never = f"{tagged(driver)}-never"
    for operation in every(never):
        with pytest.raises(ResourceNotFound) as raised:
            driver.execute(operation)
        assert (
            raised.value.message == f"Requested resource not found: ResourceArn: {never} not found"
        )
