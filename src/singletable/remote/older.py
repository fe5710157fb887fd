"""What older servers leave out of a table's description, because DynamoDB has added it since."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

Json: TypeAlias = dict[str, Any]

_TABLE: Json = {
    "CreationDateTime": 0.0,
    "DeletionProtectionEnabled": False,
    "ItemCount": 0,
    "TableArn": "",
    "TableId": "",
    "TableSizeBytes": 0,
}
_INDEX: Json = {"IndexArn": "", "IndexSizeBytes": 0, "ItemCount": 0}
_UNITS: Json = {"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
_RESULT: Json = {"Responses": {}, "UnprocessedKeys": {}, "UnprocessedItems": {}}


def completed(answer: object) -> object:
    """The answer with what is missing in it and does not matter."""
    if not isinstance(answer, dict):
        return answer
    whole = _RESULT | cast(Json, answer)
    for name in ("Table", "TableDescription"):
        if isinstance(whole.get(name), dict):
            whole[name] = _described(whole[name])
    return whole


def _described(table: Json) -> Json:
    whole = _with_units(_TABLE | table)
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if kind in whole:
            whole[kind] = [_with_units(_INDEX | index) for index in whole[kind]]
    return whole


def _with_units(described: Json) -> Json:
    return described | {
        "ProvisionedThroughput": _UNITS | described.get("ProvisionedThroughput", {})
    }
