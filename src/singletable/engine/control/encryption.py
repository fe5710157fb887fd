"""Encryption at rest: remembered and shown as AWS does, though the engine encrypts nothing."""

from __future__ import annotations

from uuid import NAMESPACE_DNS, uuid5

from singletable.engine.settings import Settings
from singletable.engine.table_record import TableRecord
from singletable.errors import ValidationError
from singletable.operations import SSEDescription, SSESpecification
from singletable.values import INVALID


def check_encryption(sse: SSESpecification | None) -> None:
    """Raise unless a key is named to encrypt with it, and of the one type there is."""
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


def check_encryption_changes(record: TableRecord, sse: SSESpecification | None) -> None:
    """Raise if the table is encrypted that way already."""
    if sse is None:
        return
    if not sse.enabled and record.sse is None:
        raise ValidationError(f"{INVALID}Table is already encrypted by default")
    if sse.enabled and record.sse and sse.kms_master_key_id == record.sse.kms_master_key_id:
        raise ValidationError(
            f"{INVALID}Table is already encrypted with given KMSMasterKeyId. "
            "Use KMSMasterKeyId parameter if you want to change Master Key"
        )


def kept_encryption(sse: SSESpecification | None) -> SSESpecification | None:
    """What is kept of it: nothing for the default, a key that AWS owns."""
    return sse if sse is not None and sse.enabled else None


def describe_encryption(
    sse: SSESpecification | None, settings: Settings, *, changing: bool
) -> SSEDescription | None:
    """What a description shows of it: nothing for the default."""
    if sse is None:
        return None
    key = _key_arn(sse.kms_master_key_id, settings)
    return SSEDescription("UPDATING" if changing else "ENABLED", "KMS", key)


def _key_arn(key: str | None, settings: Settings) -> str:
    if key is not None and key.startswith("arn:"):
        return key
    # Without one of the customer's, it is the key that AWS manages for DynamoDB in the account.
    key = key or str(uuid5(NAMESPACE_DNS, f"dynamodb.{settings.region}.{settings.account}"))
    resource = key if key.startswith("alias/") else f"key/{key}"
    return f"arn:aws:kms:{settings.region}:{settings.account}:{resource}"
