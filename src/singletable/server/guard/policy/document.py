"""Read a policy document. What cannot be enforced is refused by its name, never passed over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import cast

from singletable.server.guard.policy.actions import ACTIONS, SERVICES
from singletable.server.guard.policy.conditions import read_tests
from singletable.server.guard.policy.fault import PolicyFault
from singletable.server.guard.policy.patterns import wildcard
from singletable.server.guard.policy.statement import Actions, Policy, Resources, Statement

VARIABLES_SINCE = "2012-10-17"
VERSIONS = (VARIABLES_SINCE, "2008-10-17")
_ELEMENTS = (
    "Sid",
    "Effect",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Condition",
)
_TRANSACTIONS = ("transactwriteitems", "transactgetitems")


def read_policy(document: object, context: Mapping[str, str]) -> Policy:
    """The policy of a document as JSON or TOML gives it; `context` has the variables' values.

    A PolicyFault says what is wrong with it, and with which statement.
    """
    policy = _table(document, "a policy")
    _check_names(policy, ("Version", "Id", "Statement"), "a policy")
    version = policy.get("Version", "2008-10-17")
    if isinstance(version, date):  # in TOML, without quotes
        version = version.isoformat()
    if version not in VERSIONS:
        raise PolicyFault(f"Version is one of {_listed(VERSIONS)}, and here it is {version!r}")
    written = policy.get("Statement")
    if not isinstance(written, list):
        written = [] if written is None else [written]
    if not written:
        raise PolicyFault("a policy has a Statement, or several, and this one has none")
    statements: list[Statement] = []
    for number, one in enumerate(cast("list[object]", written), 1):
        try:
            statement = _read_statement(_table(one, "a statement"), version, context)
        except PolicyFault as fault:
            raise PolicyFault(f"{_name(one, number)}: {fault}") from None
        if statement is not None:
            statements.append(statement)
    return Policy(tuple(statements))


def _name(statement: object, number: int) -> str:
    sid = cast("dict[str, object]", statement).get("Sid") if isinstance(statement, dict) else None
    return f"statement {number} ('{sid}')" if isinstance(sid, str) else f"statement {number}"


def _read_statement(
    written: dict[str, object], version: object, context: Mapping[str, str]
) -> Statement | None:
    """The statement; None if it is about other services alone, and so of no concern here."""
    if "Principal" in written or "NotPrincipal" in written:
        raise PolicyFault(
            "Principal belongs to policies of resources; this policy is a credential's, and is "
            "about whoever has it. Leave Principal out"
        )
    _check_names(written, _ELEMENTS, "a statement")
    if version != VARIABLES_SINCE and "${" in repr(written):
        raise PolicyFault(
            f"variables need Version = '{VARIABLES_SINCE}' in the policy; without it AWS takes "
            "'${' for itself"
        )
    effect = written.get("Effect")
    if effect not in ("Allow", "Deny"):
        raise PolicyFault(f"Effect is 'Allow' or 'Deny', and here it is {effect!r}")
    actions, not_actions = _either(written, "Action", "NotAction")
    if not not_actions and not any(map(_concerns_us, actions)):
        return None
    resources, not_resources = _either(written, "Resource", "NotResource")
    return Statement(
        "Allow" if effect == "Allow" else "Deny",
        Actions(tuple(_action(one) for one in actions if _concerns_us(one)), not_actions),
        Resources(tuple(_resource(one, context) for one in resources), not_resources),
        read_tests(written.get("Condition", {}), context),
    )


def _either(written: dict[str, object], one: str, other: str) -> tuple[list[str], bool]:
    """The texts of the one element or of the other, and whether it was the other."""
    if (one in written) == (other in written):
        raise PolicyFault(f"a statement has either {one} or {other}")
    name = one if one in written else other
    value = written[name]
    texts = cast("list[object]", value) if isinstance(value, list) else [value]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise PolicyFault(f"{name} is a text or a list of texts")
    return cast("list[str]", texts), name == other


def _concerns_us(action: str) -> bool:
    if action == "*":
        return True
    service, colon, name = action.partition(":")
    if not colon or not service or not name:
        raise PolicyFault(f"'{action}' is no action; write one as 'dynamodb:PutItem', or '*'")
    pattern = wildcard(service, {}, ignore_case=True)
    return any(pattern.fullmatch(known) for known in SERVICES)


def _action(action: str) -> re.Pattern[str]:
    pattern = wildcard(action, {}, ignore_case=True)
    if any(pattern.fullmatch(known) for known in ACTIONS):
        return pattern
    hint = f"The actions are those of DynamoDB, such as {ACTIONS[1]}"
    if action.partition(":")[2].lower() in _TRANSACTIONS:
        hint = (
            "A transaction needs the actions it is made of: dynamodb:GetItem, PutItem, UpdateItem, "
            "DeleteItem and ConditionCheckItem"
        )
    raise PolicyFault(f"'{action}' matches no action. {hint}")


def _resource(resource: str, context: Mapping[str, str]) -> tuple[re.Pattern[str], ...]:
    if resource == "*":
        return ()
    # Variables have colons of their own: "${aws:username}".
    parts = re.split(r":(?![^{}]*\})", resource, maxsplit=5)
    if len(parts) != 6 or parts[0] != "arn":
        raise PolicyFault(
            f"'{resource}' is no resource; write one as "
            "'arn:aws:dynamodb:us-east-1:*:table/votes', its indexes as '…/index/*', or '*'"
        )
    return tuple(wildcard(part, context) for part in parts)


def _table(value: object, what: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise PolicyFault(f"{what} is a table of names and values (in JSON, an object)")
    return cast("dict[str, object]", value)


def _check_names(table: Mapping[str, object], known: tuple[str, ...], what: str) -> None:
    for name in table:
        if name not in known:
            raise PolicyFault(f"{what} has no element '{name}' (there are: {', '.join(known)})")


def _listed(words: tuple[str, ...]) -> str:
    return " and ".join(f"'{word}'" for word in words)
