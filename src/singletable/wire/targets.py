"""Which operation a request's target header names."""

from __future__ import annotations

from typing import Any

from singletable.operations import Operation
from singletable.operations.registry import OPERATIONS

VERSION = "DynamoDB_20120810"
# Our own operations have a version of their own, so that no client takes them for AWS's.
_VERSIONS = {"dynamodb": VERSION, "singletable": "SingleTable_1"}

TARGETS: dict[str, type[Operation[Any]]] = {
    f"{_VERSIONS[spec.service]}.{spec.name}": spec.request for spec in OPERATIONS.values()
}
TARGET_OF = {operation: target for target, operation in TARGETS.items()}
