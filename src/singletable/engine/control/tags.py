"""Tags: which keys and values a label may have, how many, and whose resource they are put on."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from unicodedata import category

from singletable.engine.catalog import Session, is_deleted
from singletable.engine.control.names import check_account
from singletable.engine.table import Table
from singletable.errors import ResourceNotFound, ValidationError
from singletable.operations import Tag
from singletable.operations.arn import parse_arn
from singletable.values import INVALID

MAX_TAGS = 50
MAX_KEY = 128
MAX_VALUE = 256
MAX_BYTES = 10 * 1024
# Letters, digits and spaces of any language, and these.
_SIGNS = frozenset("_.:/=+-@")


def check_tags(tags: Collection[Tag]) -> None:
    """Raise unless every tag may be one, no key comes twice, and there are not too many."""
    seen: set[str] = set()
    for tag in tags:
        _check_text("Key", tag.key, 1, MAX_KEY)
        _check_text("Value", tag.value, 0, MAX_VALUE)
        if tag.key.lower().startswith("aws:"):
            raise ValidationError(f"Tag Key cannot be prefixed with aws:, Key: {tag.key}")
        if tag.key in seen:
            raise ValidationError(
                f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {tag.key}"
            )
        seen.add(tag.key)
    check_number(tags)


def check_number(tags: Collection[Tag]) -> None:
    """Raise if a resource cannot have so many tags, or so long ones."""
    if len(tags) > MAX_TAGS:
        raise ValidationError(
            "Number of Tags exceed the current limit for the provided ResourceArn"
        )
    size = sum(len((tag.key + tag.value).encode()) for tag in tags)
    if size > MAX_BYTES:
        raise ValidationError(
            f"Tag set size {size} bytes is above max size limit of {MAX_BYTES} bytes"
        )


def merged_tags(old: Iterable[Tag], new: Iterable[Tag]) -> tuple[Tag, ...]:
    """The old tags and the new; of two with one key the new."""
    return tuple({tag.key: tag for tag in (*old, *new)}.values())


def check_resource(given: str, action: str, session: Session) -> None:
    """Raise unless the ARN is that of a table or stream of this account and region."""
    if not given.startswith("arn:"):
        raise ValidationError(f"{INVALID}ARNs must start with 'arn:': {given}")
    arn = parse_arn(given)
    if arn is None:
        raise ValidationError(f"Invalid TableArn: Invalid ResourceArn provided as input {given}")
    if arn.service != "dynamodb":
        raise ValidationError(f"{INVALID}Provided Arn is not a DynamoDB resource arn: {given}")
    kind, *path = arn.resource.split("/")
    if kind == "table" and len(path) > 1 and path[1] != "stream":
        raise ValidationError(
            f"{INVALID}Invalid resource arn provided, only table or stream is accepted. "
            f"Provided resource arn: {given}"
        )
    check_account(arn, given, action, session.settings)
    if kind != "table" or not any(path) or arn.region != session.settings.region:
        raise ValidationError(f"Invalid TableArn: Invalid ResourceArn provided as input {given}")


def tagged_table(given: str, session: Session) -> Table:
    """The table of an ARN that was checked."""
    table = session.tables.get(given.partition(":table/")[2])
    if table is not None and not is_deleted(table, session.now):
        return table
    raise ResourceNotFound(f"Requested resource not found: ResourceArn: {given} not found")


def _check_text(part: str, text: str | None, least: int, most: int) -> None:
    # On the wire either may be left out, and AWS has no other words for that.
    if text is None or not least <= len(text) <= most or not all(map(_is_plain, text)):
        shown = "null" if text is None else text
        raise ValidationError(f"The Tag {part} provided is invalid, {part}: {shown}")


def _is_plain(sign: str) -> bool:
    return sign in _SIGNS or category(sign)[0] in "LNZ"
