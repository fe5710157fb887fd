"""`singletable` exports what it lists, to programs and to type checkers alike."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

import pytest

import dynamodb_engine
from dynamodb_engine import errors as engine_errors
from singletable import errors
from tools.exports import LAZY, stub, stub_file


def names_of(module: ModuleType) -> set[str]:
    """Return the names of the errors that a module defines or exports."""
    return {
        name
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, dynamodb_engine.EngineError)
    }


# Type checkers read the stub, programs the list in `__init__.py`.
@pytest.mark.parametrize("package", LAZY)
def test_stub_lists_every_public_name(package: ModuleType) -> None:
    assert stub_file(package).read_text() == stub(package), "run `make generate`"


@pytest.mark.parametrize("package", LAZY)
def test_every_listed_name_exists(package: ModuleType) -> None:
    assert not [name for name in package.__all__ if not hasattr(package, name)]


# Users should not have to look for the module that defines an error.
def test_every_error_is_exported() -> None:
    assert names_of(engine_errors) <= set(dynamodb_engine.__all__)
    assert names_of(engine_errors) <= names_of(errors)


# The tree at the top of the file shows readers what they may catch.
def test_error_tree_lists_every_error() -> None:
    for module, names in (
        (engine_errors, names_of(engine_errors)),
        (errors, names_of(errors) - names_of(engine_errors)),
    ):
        drawn = re.findall(r"\w+", module.__doc__ or "")
        assert names <= {*drawn}, f"{names - {*drawn}} are not in the tree"
