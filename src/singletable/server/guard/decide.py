"""Decide whether everything that an operation needs is allowed."""

from __future__ import annotations

from collections.abc import Iterable

from singletable.errors import AccessDenied
from singletable.server.guard.facts import Facts, KeySchema
from singletable.server.guard.identity import Identity
from singletable.server.guard.needs import Need
from singletable.server.guard.policy import Verdict


def check_needs(identity: Identity, needs: Iterable[Need], key_schema: KeySchema) -> None:
    """Raise AccessDenied for the first need that the identity's policy does not allow."""
    if identity.policy is None:
        return
    for need in needs:
        facts = Facts(need, identity.context, key_schema)
        verdict = identity.policy.verdict(
            need.action, need.resource, facts, everywhere=need.everywhere
        )
        if verdict is not Verdict.ALLOWED:
            raise AccessDenied(_refusal(identity, need, verdict))


def _refusal(identity: Identity, need: Need, verdict: Verdict) -> str:
    why = (
        "with an explicit deny in an identity-based policy"
        if verdict is Verdict.DENIED
        else f"because no identity-based policy allows the {need.action} action"
    )
    return (
        f"User: {identity.arn} is not authorized to perform: {need.action} "
        f"on resource: {need.resource} {why}"
    )
