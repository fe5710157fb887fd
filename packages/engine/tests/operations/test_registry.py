"""Every operation has one entry in the registry, and everything else that follows from it."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any

import msgspec
import pytest

from dynamodb_engine import operations
from dynamodb_engine import operations as ops
from dynamodb_engine.engine import handlers
from dynamodb_engine.engine.constraints.check import RULES
from dynamodb_engine.faults.config import OPERATIONS as FAULT_OPERATIONS
from dynamodb_engine.operations.registry import OPERATIONS, OperationSpec, is_write
from dynamodb_engine.retry import is_idempotent
from dynamodb_engine.server.guard.policy_document import ACTIONS
from dynamodb_engine.wire import TARGETS, write_request

SPECS = [pytest.param(spec, id=spec.name) for spec in OPERATIONS.values()]


def declared_operations() -> set[type[ops.Operation[Any]]]:
    """Return the operations that the modules of `dynamodb_engine.operations` declare."""
    for module in pkgutil.iter_modules(operations.__path__):
        import_module(f"{operations.__name__}.{module.name}")
    prefix = f"{operations.__name__}."
    return {kind for kind in ops.Operation.__subclasses__() if kind.__module__.startswith(prefix)}


def blank(spec: OperationSpec) -> ops.Operation[Any]:
    """Return a request whose required fields are empty, as it may come over the wire."""
    fields = msgspec.structs.fields(spec.request)
    return spec.request(**{field.name: None for field in fields if field.required})


def test_every_declared_operation_is_registered() -> None:
    assert set(OPERATIONS) == declared_operations()


def test_every_operation_and_output_is_exported() -> None:
    for spec in OPERATIONS.values():
        assert getattr(operations, spec.name) is spec.request
        assert getattr(operations, spec.output.__name__) is spec.output


# A module that the registry does not lead to would never run.
def test_every_handler_module_belongs_to_an_operation() -> None:
    modules = {module.name for module in pkgutil.iter_modules(handlers.__path__)}
    names = {handler.run.__module__.rpartition(".")[2] for handler in handlers.HANDLERS.values()}
    assert modules == names
    assert len(names) == len(OPERATIONS)


@pytest.mark.parametrize("spec", SPECS)
def test_operation_has_a_handler_and_constraints(spec: OperationSpec) -> None:
    handler = handlers.HANDLERS[spec.request]
    assert handler.run.__module__.rpartition(".")[2].replace("_", "") == spec.name.lower()
    assert handler.writes is spec.writes
    assert spec.request in RULES


@pytest.mark.parametrize("spec", SPECS)
def test_operation_has_a_target_on_the_wire(spec: OperationSpec) -> None:
    target, _ = write_request(blank(spec))
    assert TARGETS[target] is spec.request
    versions = {
        "dynamodb": "DynamoDB_20120810",
        "dynamodbstreams": "DynamoDBStreams_20120810",
        "singletable": "SingleTable_1",
    }
    assert target == f"{versions[spec.service]}.{spec.name}"


@pytest.mark.parametrize("spec", SPECS)
def test_output_is_a_shape(spec: OperationSpec) -> None:
    assert issubclass(spec.output, ops.Shape)


# Transactions and statements are authorized by the actions of their parts, as on AWS.
@pytest.mark.parametrize("spec", SPECS)
def test_policies_can_name_the_action_of_an_operation(spec: OperationSpec) -> None:
    has_parts = spec.name.startswith(("Transact", "Execute", "BatchExecute"))
    assert (spec.action in ACTIONS) is not has_parts


@pytest.mark.parametrize("spec", SPECS)
def test_faults_can_be_injected_into_operations_of_dynamodb_only(spec: OperationSpec) -> None:
    assert (spec.name in FAULT_OPERATIONS) is (spec.service != "singletable")


@pytest.mark.parametrize("spec", SPECS)
def test_an_unconditional_request_is_retried_unless_it_is_never_idempotent(
    spec: OperationSpec,
) -> None:
    request = blank(spec)
    is_repeatable = spec.idempotent not in ("never", "with token")
    # A blank statement does not write.
    assert is_idempotent(request) is (is_repeatable or not is_write(request))


def test_a_statement_is_retried_if_it_only_reads() -> None:
    assert is_idempotent(ops.ExecuteStatement("SELECT * FROM tab"))
    assert not is_idempotent(ops.ExecuteStatement("DELETE FROM tab WHERE pk = 'a'"))
