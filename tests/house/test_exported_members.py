"""`singletable` exports what it lists, to programs and to type checkers alike."""

from __future__ import annotations

import inspect

import singletable
from singletable import errors
from tools.exports import STUB, stub


# Type checkers read the stub, programs the list in `__init__.py`.
def test_stub_lists_every_public_name() -> None:
    assert STUB.read_text() == stub(), "run `make generate`"


def test_every_listed_name_exists() -> None:
    assert not [name for name in singletable.__all__ if not hasattr(singletable, name)]


# Users should not have to look for the module that defines an error.
def test_every_error_is_exported() -> None:
    ours = {
        name
        for name, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, errors.SingleTableError)
    }
    assert ours <= set(singletable.__all__)


# The tree at the top of the file shows readers what they may catch.
def test_error_tree_lists_every_error() -> None:
    drawn = errors.__doc__ or ""
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, errors.SingleTableError):
            assert f"{name} " in drawn or f"{name}\n" in drawn, f"{name} is not in the tree"
