"""Settings of a table: its name or ARN, stream, encryption, backups and tags.

The engine encrypts nothing: it stores the setting and shows it as AWS does. It takes no
backups, and says so (docs/compatibility.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from unicodedata import category
from uuid import NAMESPACE_DNS, uuid5

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.catalog import Session, is_deleted
from dynamodb_engine.engine.settings import Settings
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.table_record import TableRecord
from dynamodb_engine.errors import (
    BackupTableNotFound,
    ResourceNotFound,
    TableNotFound,
    ValidationError,
)
from dynamodb_engine.values import INVALID

MAX_TAGS = 50
MAX_TAG_KEY = 128
MAX_TAG_VALUE = 256
MAX_TAG_BYTES = 10 * 1024
# Tags may contain letters, digits and spaces of any language, and these.
_TAG_SIGNS = frozenset("_.:/=+-@")


# --- Streams


# Wrong streams: whether the table is new, and whether the stream is enabled.
_WRONG_VIEWS = {
    (True, True): "Table is being created with a stream enabled, UpdateViewType is required",
    (True, False): "Table is being created with a stream disabled, "
    "UpdateViewType should not be specified",
    (False, True): "If stream is being enabled then UpdateViewType is required",
    (False, False): "If stream is being disabled, then UpdateViewType must not be specified",
}


def check_stream(stream: ops.StreamSpecification | None, *, is_new: bool = False) -> None:
    """Raise unless the stream is either enabled with a view type or disabled without."""
    if stream is not None and stream.stream_enabled == (stream.stream_view_type is None):
        raise ValidationError(INVALID + _WRONG_VIEWS[is_new, stream.stream_enabled])


def check_stream_changes(record: TableRecord, stream: ops.StreamSpecification | None) -> None:
    """Raise if the stream is already enabled or already disabled."""
    if stream is None or stream.stream_enabled == (record.stream is None):
        return
    reason = (
        "Table already has an enabled stream" if record.stream else "Table has no stream to disable"
    )
    raise ValidationError(f"{reason}: TableName: {record.name}")


def enabled_stream(stream: ops.StreamSpecification | None) -> ops.StreamSpecification | None:
    """Return the stream, or None if it is disabled."""
    return stream if stream is not None and stream.stream_enabled else None


# --- Encryption at rest


def check_encryption(sse: ops.SSESpecification | None) -> None:
    """Raise if the members contradict each other: a key requires encryption of type KMS."""
    if sse is None:
        return
    if not sse.enabled:
        for member, value in (("SSEType", sse.sse_type), ("KMSMasterKeyId", sse.kms_master_key_id)):
            if value is not None:
                raise ValidationError(f"{INVALID}{member} can not be specified if Enabled is false")
    elif sse.sse_type == "AES256":
        raise ValidationError(f"{INVALID}SSEType AES256 is not supported")
    elif sse.kms_master_key_id is not None and sse.sse_type is None:
        raise ValidationError(f"{INVALID}SSEType KMS is required if KMSMasterKeyId is specified")


def check_encryption_changes(record: TableRecord, sse: ops.SSESpecification | None) -> None:
    """Raise if the table is already encrypted this way."""
    if sse is None:
        return
    if not sse.enabled and record.sse is None:
        raise ValidationError(f"{INVALID}Table is already encrypted by default")
    if sse.enabled and record.sse and sse.kms_master_key_id == record.sse.kms_master_key_id:
        raise ValidationError(
            f"{INVALID}Table is already encrypted with given KMSMasterKeyId. "
            "Use KMSMasterKeyId parameter if you want to change Master Key"
        )


def enabled_encryption(sse: ops.SSESpecification | None) -> ops.SSESpecification | None:
    """Return the specification, or None for the default (an AWS owned key)."""
    return sse if sse is not None and sse.enabled else None


def describe_encryption(
    sse: ops.SSESpecification | None, settings: Settings, *, changing: bool
) -> ops.SSEDescription | None:
    """Return the description of the encryption; AWS shows none for the default."""
    if sse is None:
        return None
    key = _key_arn(sse.kms_master_key_id, settings)
    return ops.SSEDescription("UPDATING" if changing else "ENABLED", "KMS", key)


def _key_arn(key: str | None, settings: Settings) -> str:
    if key is not None and key.startswith("arn:"):
        return key
    # The default is the account's AWS managed key for DynamoDB.
    key = key or str(uuid5(NAMESPACE_DNS, f"dynamodb.{settings.region}.{settings.account}"))
    resource = key if key.startswith("alias/") else f"key/{key}"
    return f"arn:aws:kms:{settings.region}:{settings.account}:{resource}"


# --- Continuous backups


def find_table_for_backups(name_or_arn: str, session: Session) -> Table:
    """Return the table in any state; raise the error specific to backup operations if missing."""
    name = session.resolve(name_or_arn)
    try:
        return session.table_in_any_state(name)
    except TableNotFound:
        raise BackupTableNotFound(f"Table not found: {name}") from None


NO_BACKUPS = ops.ContinuousBackupsDescription(
    "DISABLED", ops.PointInTimeRecoveryDescription("DISABLED")
)


# --- Tags


def check_tags(tags: Collection[ops.Tag]) -> None:
    """Raise if a tag is invalid, a key occurs twice, or the tags exceed the limits."""
    seen: set[str] = set()
    for tag in tags:
        _check_tag_text("Key", tag.key, 1, MAX_TAG_KEY)
        _check_tag_text("Value", tag.value, 0, MAX_TAG_VALUE)
        if tag.key.lower().startswith("aws:"):
            raise ValidationError(f"Tag Key cannot be prefixed with aws:, Key: {tag.key}")
        if tag.key in seen:
            raise ValidationError(
                f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {tag.key}"
            )
        seen.add(tag.key)
    check_tag_count(tags)


def check_tag_count(tags: Collection[ops.Tag]) -> None:
    """Raise if the number or total size of the tags exceeds the limits."""
    if len(tags) > MAX_TAGS:
        raise ValidationError(
            "Number of Tags exceed the current limit for the provided ResourceArn"
        )
    size = sum(len((tag.key + tag.value).encode()) for tag in tags)
    if size > MAX_TAG_BYTES:
        raise ValidationError(
            f"Tag set size {size} bytes is above max size limit of {MAX_TAG_BYTES} bytes"
        )


def merge_tags(old: Iterable[ops.Tag], new: Iterable[ops.Tag]) -> tuple[ops.Tag, ...]:
    """Return the old and the new tags; a new tag replaces the old one with its key."""
    return tuple({tag.key: tag for tag in (*old, *new)}.values())


def find_tagged_table(arn: str, name: str, session: Session) -> Table:
    """Return the table with this name; errors quote the ARN."""
    table = session.tables.get(name)
    if table is not None and not is_deleted(table, session.control_time):
        return table
    raise ResourceNotFound(f"Requested resource not found: ResourceArn: {arn} not found")


def _check_tag_text(part: str, text: str | None, least: int, most: int) -> None:
    # A request may lack either, and AWS has the same message for that.
    if text is None or not least <= len(text) <= most or not all(map(_is_tag_character, text)):
        shown = "null" if text is None else text
        raise ValidationError(f"The Tag {part} provided is invalid, {part}: {shown}")


def _is_tag_character(character: str) -> bool:
    return character in _TAG_SIGNS or category(character)[0] in "LNZ"
