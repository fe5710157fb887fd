"""Whether a close is signed, by whom, and what it says about ties and a recount."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.counting import TieBreak
from singletable_apps.elections.proofs.closing import FORMAT, Statement
from singletable_apps.elections.proofs.codes import parse_code, readable
from singletable_apps.elections.proofs.confirmation import definition_digest
from singletable_apps.elections.proofs.errors import CodeRefused, StatementRefused
from singletable_apps.elections.proofs.receipt import Closing
from singletable_apps.elections.proofs.signing import fingerprint, is_signed
from singletable_apps.elections.proofs.tie_break import commitment, seed


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked: whether it holds, and what it means."""

    ok: bool
    text: str


def check_closing(closing: Closing, key: str | None) -> list[Finding]:
    """Whether it is signed, by the key with this fingerprint if one is given, and fair to ties."""
    return [_signed(closing), *_by(closing, key), _tie_break(closing["statement"])]


def definitions(said: Statement) -> list[str]:
    """The digests of all definitions that ballots were cast under, the last one first."""
    return [definition_digest(said["definition"]), *said["earlier"]]


def recount(said: Statement) -> Finding:
    """How to count again what was published."""
    rules = ", ".join(f"{name}: {choice}" for name, choice in sorted(said["rules"].items()))
    if said["definition"]["level"] == "totals":
        return Finding(True, f"The rankings are not published. They were counted by {rules}.")
    order = TieBreak.from_seed(said["definition"]["candidates"], _seed(said)).order
    return Finding(
        True, f"To recount, count the rankings by {rules}; ties in the order {', '.join(order)}."
    )


def _signed(closing: Closing) -> Finding:
    said = closing["statement"]
    whose = readable(fingerprint(closing["public_key"]))
    if said["format"] != FORMAT or not is_signed(said, closing["signature"], closing["public_key"]):
        return Finding(False, f"The close is not signed by the key {whose}.")
    return Finding(
        True,
        f"The close of {said['closed_at']} (ballots: {said['ballots']:,}) is signed by the key "
        f"{whose}. Compare it with the fingerprint that you were told elsewhere.",
    )


def _by(closing: Closing, key: str | None) -> list[Finding]:
    if key is None:
        return []
    try:
        wanted = parse_code(key)
    except CodeRefused as refused:
        return [Finding(False, f"The fingerprint to compare with is none: {refused}")]
    if fingerprint(closing["public_key"]) != wanted:
        return [Finding(False, f"The key is not the one you expect, {readable(wanted)}.")]
    return [Finding(True, "The key is the one you expect.")]


def _tie_break(said: Statement) -> Finding:
    try:
        same = commitment(bytes.fromhex(said["secret"])) == said["definition"]["commitment"]
    except (ValueError, StatementRefused):
        same = False
    if not same:
        return Finding(False, "The secret of the tie-break is not the one committed to.")
    return Finding(
        True, f"The secret of the tie-break was promised before; ties go by the seed {_seed(said)}."
    )


def _seed(said: Statement) -> str:
    return seed(said["root"], bytes.fromhex(said["secret"]))
