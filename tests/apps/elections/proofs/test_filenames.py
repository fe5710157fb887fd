"""Downloads have names that can be pasted into a shell."""

from __future__ import annotations

import shlex

import pytest

from singletable_apps.elections.proofs import (
    checker_command,
    publication_filename,
    receipt_filename,
)


@pytest.mark.parametrize(
    ("election", "filename"),
    [
        ("Chair", "receipt-chair.json"),
        ("Board 2026", "receipt-board-2026.json"),
        ("Où allons-nous ?", "receipt-où-allons-nous.json"),
        ('"; rm -rf ~ $(id) `id` ../..', "receipt-rm-rf-id-id.json"),
        ("???", "receipt.json"),
        ("x" * 200, f"receipt-{'x' * 72}.json"),
    ],
)
def test_receipt_filename_is_one_word_in_a_shell(election: str, filename: str) -> None:
    assert receipt_filename(election) == filename
    command = checker_command(receipt_filename(election), publication_filename(election))
    assert shlex.split(command)[1:4] == ["checker.py", filename, "--list"]
