"""Parse IAM policy documents.

What cannot be enforced is rejected by name and never ignored: an ignored condition would allow more
than the policy says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import cast

from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.server.guard.policy import (
    MULTIVALUED_KEYS,
    REQUEST_KEYS,
    ActionMatcher,
    NullCondition,
    Policy,
    PolicyCondition,
    ResourceMatcher,
    SetOperator,
    Statement,
    StringCondition,
)

# The first version of the policy language that has variables.
VERSION_WITH_VARIABLES = "2012-10-17"
VERSIONS = (VERSION_WITH_VARIABLES, "2008-10-17")
_STATEMENT_ELEMENTS = (
    "Sid",
    "Effect",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Condition",
)
_TRANSACTIONS = ("transactwriteitems", "transactgetitems")
_STATEMENTS = ("executestatement", "batchexecutestatement", "executetransaction")

# The actions in the reference of IAM, including those for which singletable has no operation: a
# policy may name them.
_DYNAMODB_ACTIONS = """
    AssociateTableReplica BatchGetItem BatchWriteItem ConditionCheckItem CreateBackup
    CreateGlobalTable CreateGlobalTableWitness CreateTable CreateTableReplica DeleteBackup
    DeleteGlobalTableWitness DeleteItem DeleteResourcePolicy DeleteTable DeleteTableReplica
    DescribeBackup DescribeContinuousBackups DescribeContributorInsights DescribeEndpoints
    DescribeExport DescribeGlobalTable DescribeGlobalTableSettings DescribeImport
    DescribeKinesisStreamingDestination DescribeLimits DescribeReservedCapacity
    DescribeReservedCapacityOfferings DescribeStream DescribeTable DescribeTableReplicaAutoScaling
    DescribeTimeToLive DisableKinesisStreamingDestination EnableKinesisStreamingDestination
    ExportTableToPointInTime GetAbacStatus GetItem GetRecords GetResourcePolicy GetShardIterator
    ImportTable InjectError ListBackups ListContributorInsights ListExports ListGlobalTables
    ListImports ListStreams ListTables ListTagsOfResource PartiQLDelete PartiQLInsert PartiQLSelect
    PartiQLUpdate PurchaseReservedCapacityOfferings PutItem PutResourcePolicy Query
    ReadDataForReplication ReplicateSettings RestoreTableFromAwsBackup RestoreTableFromBackup
    RestoreTableToPointInTime Scan StartAwsBackupJob TagResource UntagResource UpdateAbacStatus
    UpdateContinuousBackups UpdateContributorInsights UpdateGlobalTable UpdateGlobalTableSettings
    UpdateGlobalTableVersion UpdateItem UpdateKinesisStreamingDestination UpdateTable
    UpdateTableReplicaAutoScaling UpdateTimeToLive WriteDataForReplication
""".split()  # noqa: SIM905 (a page of names reads better than a page of quotes)
ACTIONS = (
    *(f"dynamodb:{name}" for name in _DYNAMODB_ACTIONS),
    *(spec.action for spec in OPERATIONS.values() if spec.service == "singletable"),
)
SERVICES = ("dynamodb", "singletable")


@dataclass(frozen=True, slots=True)
class _Comparison:
    """How a condition operator compares."""

    wildcards: bool = False
    ignore_case: bool = False
    negated: bool = False


_COMPARISONS = {
    "StringEquals": _Comparison(),
    "StringNotEquals": _Comparison(negated=True),
    "StringEqualsIgnoreCase": _Comparison(ignore_case=True),
    "StringNotEqualsIgnoreCase": _Comparison(ignore_case=True, negated=True),
    "StringLike": _Comparison(wildcards=True),
    "StringNotLike": _Comparison(wildcards=True, negated=True),
}
_NULL = "Null"
_OPERATOR = re.compile(r"(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?")

_VARIABLE = re.compile(r"\$\{([^{}]*)\}")
_WITH_DEFAULT = re.compile(r"\s*([^,]+?)\s*(?:,\s*'([^']*)'\s*)?")
# `${*}` stands for a literal star.
_ESCAPED = ("*", "?", "$")


class PolicyError(Exception):
    """A policy is malformed or cannot be enforced; the message names the statement."""


def read_policy(document: object, context: Mapping[str, str]) -> Policy:
    """Return the policy of a decoded JSON or TOML document, or raise PolicyError.

    `context` has the values of the variables.
    """
    policy = dict(_members(document, "a policy"))
    _check_elements(policy, ("Version", "Id", "Statement"), "a policy")
    version = policy.get("Version", "2008-10-17")
    if isinstance(version, date):  # in TOML, without quotes
        version = version.isoformat()
    if version not in VERSIONS:
        expected = " or ".join(map(repr, VERSIONS))
        raise PolicyError(f"Version must be {expected}, but is {version!r}")
    documents = policy.get("Statement")
    if not isinstance(documents, list):
        documents = [] if documents is None else [documents]
    if not documents:
        raise PolicyError("a policy must have a Statement")
    statements: list[Statement] = []
    for number, statement in enumerate(cast("list[object]", documents), 1):
        try:
            parsed = _read_statement(dict(_members(statement, "a statement")), version, context)
        except PolicyError as error:
            raise PolicyError(f"{_statement_name(statement, number)}: {error}") from None
        if parsed is not None:
            statements.append(parsed)
    return Policy(tuple(statements))


def _statement_name(statement: object, number: int) -> str:
    sid = cast("dict[str, object]", statement).get("Sid") if isinstance(statement, dict) else None
    return f"statement {number} ('{sid}')" if isinstance(sid, str) else f"statement {number}"


def _read_statement(
    statement: dict[str, object], version: object, context: Mapping[str, str]
) -> Statement | None:
    """Return the statement, or None if all its actions belong to other services."""
    if "Principal" in statement or "NotPrincipal" in statement:
        raise PolicyError(
            "Principal belongs to resource-based policies; this policy is identity-based and "
            "applies to its credential. Remove Principal"
        )
    _check_elements(statement, _STATEMENT_ELEMENTS, "a statement")
    if version != VERSION_WITH_VARIABLES and "${" in repr(statement):
        raise PolicyError(
            f"variables need Version = '{VERSION_WITH_VARIABLES}' in the policy; without it AWS "
            "takes '${' literally"
        )
    effect = statement.get("Effect")
    if effect not in ("Allow", "Deny"):
        raise PolicyError(f"Effect must be 'Allow' or 'Deny', but is {effect!r}")
    actions, not_actions = _either(statement, "Action", "NotAction")
    if not not_actions and not any(map(_is_our_service, actions)):
        return None
    resources, not_resources = _either(statement, "Resource", "NotResource")
    return Statement(
        "Allow" if effect == "Allow" else "Deny",
        ActionMatcher(
            tuple(_action_pattern(action) for action in actions if _is_our_service(action)),
            not_actions,
        ),
        ResourceMatcher(
            tuple(_resource_pattern(resource, context) for resource in resources), not_resources
        ),
        _read_conditions(statement.get("Condition", {}), context),
    )


def _either(statement: dict[str, object], name: str, negation: str) -> tuple[list[str], bool]:
    """Return the strings of an element or of its negation, and whether it was the negation."""
    if (name in statement) == (negation in statement):
        raise PolicyError(f"a statement must have either {name} or {negation}")
    present = name if name in statement else negation
    return _strings(statement[present], present), present == negation


def _is_our_service(action: str) -> bool:
    if action == "*":
        return True
    service, colon, name = action.partition(":")
    if not colon or not service or not name:
        raise PolicyError(f"'{action}' is not an action; write 'dynamodb:PutItem', for example")
    pattern = _wildcard_pattern(service, {}, ignore_case=True)
    return any(pattern.fullmatch(known) for known in SERVICES)


def _action_pattern(action: str) -> re.Pattern[str]:
    pattern = _wildcard_pattern(action, {}, ignore_case=True)
    if any(pattern.fullmatch(known) for known in ACTIONS):
        return pattern
    hint = f"Use the actions of DynamoDB, such as {ACTIONS[1]}"
    if action.partition(":")[2].lower() in _TRANSACTIONS:
        hint = (
            "A transaction needs the actions in it: dynamodb:GetItem, PutItem, UpdateItem, "
            "DeleteItem and ConditionCheckItem"
        )
    if action.partition(":")[2].lower() in _STATEMENTS:
        hint = (
            "PartiQL needs the actions of its statements: dynamodb:PartiQLSelect, PartiQLInsert, "
            "PartiQLUpdate and PartiQLDelete"
        )
    raise PolicyError(f"'{action}' matches no action. {hint}")


def _resource_pattern(resource: str, context: Mapping[str, str]) -> tuple[re.Pattern[str], ...]:
    if resource == "*":
        return ()
    # Variables have colons too: "${aws:username}".
    parts = re.split(r":(?![^{}]*\})", resource, maxsplit=5)
    if len(parts) != 6 or parts[0] != "arn":
        raise PolicyError(
            f"'{resource}' is not a resource; write "
            "'arn:aws:dynamodb:us-east-1:*:table/votes', '…/index/*' for its indexes, or '*'"
        )
    return tuple(_wildcard_pattern(part, context) for part in parts)


def _read_conditions(condition: object, context: Mapping[str, str]) -> tuple[PolicyCondition, ...]:
    return tuple(
        _read_condition(operator, _condition_key(key, context), values, context)
        for operator, keys in _members(condition, "Condition")
        for key, values in _members(keys, operator)
    )


def _condition_key(name: str, context: Mapping[str, str]) -> str:
    """Return the key in its canonical spelling; the case of a condition key does not matter."""
    known = (*REQUEST_KEYS, *context)
    for key in known:
        if key.lower() == name.lower():
            return key
    raise PolicyError(
        f"the condition key '{name}' is not supported (supported: {', '.join(known)}). Remove it, "
        "or give it a value in [credential.context]"
    )


def _read_condition(
    operator: str, key: str, values: object, context: Mapping[str, str]
) -> PolicyCondition:
    parts = _OPERATOR.fullmatch(operator)
    name = parts[2] if parts else operator
    if parts and name == _NULL and not parts[1] and not parts[3]:
        return NullCondition(key, _is_absent(values))
    comparison = _COMPARISONS.get(name)
    if parts is None or comparison is None:
        raise PolicyError(
            f"the condition operator '{operator}' is not supported (supported: "
            f"{', '.join((*_COMPARISONS, _NULL))}, with the prefix ForAllValues: or ForAnyValue: "
            "and the suffix IfExists)"
        )
    set_operator = cast("SetOperator", parts[1] or "")  # the regular expression has no others
    if key in MULTIVALUED_KEYS and not set_operator:
        raise PolicyError(
            f"'{key}' has several values, so '{operator}' needs ForAllValues or ForAnyValue. "
            f"Write 'ForAllValues:{operator}'"
        )
    compile_pattern = _wildcard_pattern if comparison.wildcards else _literal_pattern
    patterns = [
        compile_pattern(text, context, ignore_case=comparison.ignore_case)
        for text in _strings(values, f"the value of '{key}'")
    ]
    return StringCondition(
        key, set_operator, parts[3] is not None, comparison.negated, tuple(patterns)
    )


def _is_absent(values: object) -> bool:
    options = cast("list[object]", values) if isinstance(values, list) else [values]
    words = {str(option).lower() for option in options}
    if words not in ({"true"}, {"false"}):
        raise PolicyError("the value of Null must be 'true' (absent) or 'false' (present)")
    return words == {"true"}


def _members(value: object, what: str) -> Iterator[tuple[str, object]]:
    if not isinstance(value, dict):
        raise PolicyError(f"{what} must be a JSON object (in TOML, a table)")
    yield from cast("dict[str, object]", value).items()


def _strings(value: object, what: str) -> list[str]:
    strings = cast("list[object]", value) if isinstance(value, list) else [value]
    if not strings or not all(isinstance(string, str) for string in strings):
        raise PolicyError(f"{what} must be a string or a non-empty list of strings")
    return cast("list[str]", strings)


def _check_elements(members: Mapping[str, object], known: tuple[str, ...], what: str) -> None:
    for name in members:
        if name not in known:
            raise PolicyError(f"{what} has no element '{name}' (elements: {', '.join(known)})")


def _wildcard_pattern(
    text: str, variables: Mapping[str, str], *, ignore_case: bool = False
) -> re.Pattern[str]:
    """Return a pattern in which `*` matches any number of characters and `?` one."""
    literals: list[str] = [""]  # the parts between stars
    for piece, is_literal in _pieces(text, variables):
        if is_literal:
            literals[-1] += re.escape(piece)
        elif piece == "*":
            literals.append("")
        else:
            literals[-1] += "."
    return _compile(literals, ignore_case)


def _literal_pattern(
    text: str, variables: Mapping[str, str], *, ignore_case: bool = False
) -> re.Pattern[str]:
    """Return a pattern that matches the text itself, with its variables replaced."""
    replaced = "".join(piece for piece, _ in _pieces(text, variables))
    return _compile([re.escape(replaced)], ignore_case)


def _compile(literals: list[str], ignore_case: bool) -> re.Pattern[str]:
    """Return a pattern with a star between the literals.

    The groups are atomic: with backtracking, a long value could take exponential time against a
    pattern with many stars.
    """
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    if len(literals) == 1:
        return re.compile(literals[0], flags)
    first, *middle, last = literals
    atomic = "".join(f"(?>.*?{literal})" for literal in middle)
    return re.compile(f"{first}{atomic}.*{last}", flags)


def _pieces(text: str, variables: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """Split a text into wildcards and literals; the flag is true for a literal."""
    end = 0
    for variable in _VARIABLE.finditer(text):
        yield from _split_wildcards(text[end : variable.start()], text)
        yield _variable_value(variable[1], variables), True
        end = variable.end()
    yield from _split_wildcards(text[end:], text)


def _split_wildcards(piece: str, text: str) -> Iterator[tuple[str, bool]]:
    if "${" in piece:
        raise PolicyError(f"'{text}' has a '${{' without a closing '}}'")
    for part in re.split(r"([*?])", piece):
        if part:
            yield part, part not in ("*", "?")


def _variable_value(variable: str, variables: Mapping[str, str]) -> str:
    if variable in _ESCAPED:
        return variable
    parts = _WITH_DEFAULT.fullmatch(variable)
    name = parts[1].lower() if parts else ""
    for known, value in variables.items():
        if known.lower() == name:
            return value
    if parts and parts[2] is not None:
        return parts[2]
    raise PolicyError(
        f"the variable '${{{variable}}}' has no value (variables: {', '.join(variables)}). Set it "
        "in [credential.context]"
    )
