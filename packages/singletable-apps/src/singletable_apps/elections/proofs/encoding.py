"""Canonical JSON and digests, as in the checker, and codes that people can compare."""

from __future__ import annotations

from singletable_apps.elections.proofs.checker import canonical_json as canonical_json
from singletable_apps.elections.proofs.checker import digest as digest
from singletable_apps.elections.proofs.checker import domain_prefix as domain_prefix
from singletable_apps.elections.proofs.checker import encode_code as encode_code
from singletable_apps.elections.proofs.checker import format_code as format_code

# Codes have 256 bits as 52 characters of base32 in lowercase: a-z and 2-7, so that nobody has to
# tell 0 from o or 1 from l.
CODE_LENGTH = 52


def shorten_code(code: str) -> str:
    """Return the first eight letters of a code, to compare it with a list at a glance."""
    return format_code(code)[:9]
