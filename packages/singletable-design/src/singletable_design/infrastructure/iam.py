"""Write the IAM policy that an app needs for its entities or access patterns, and no more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import permutations
from typing import TypeAlias

from singletable.errors import DeclarationError, InvalidValue
from singletable.patterns import Pattern, ReadPattern, planned_requests
from singletable.schema import Model, ResolvedKey, Table, model_of
from singletable.schema.key_template import (
    FieldSegment,
    FixedSegment,
    KeyTemplate,
    RepeatedSegment,
    ShardSegment,
)
from singletable.schema.resolved_key import Column, FieldColumn, TextColumn
from singletable_design.infrastructure.names import ResourceNames, pascal_case

# A transaction has no action of its own: it needs those of its parts, condition checks included.
READS = ("GetItem", "BatchGetItem", "Query")
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "ConditionCheckItem")
SCAN = "Scan"
STREAM_READS = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
ALL_ACTIONS = (*READS, *WRITES, SCAN)


# Grants: what to allow


@dataclass(frozen=True, slots=True)
class Grant:
    """One IAM action, without its `dynamodb:` prefix, on the items that a key reaches."""

    action: str
    table: Table
    access: ResolvedKey

    @property
    def resource_suffix(self) -> str:
        """The end of the resource's ARN, after the table: nothing, an index or its streams."""
        if self.action in STREAM_READS:
            return "/stream/*"
        return "" if self.access.index is None else f"/index/{self.access.index.name}"

    @property
    def has_partition_keys(self) -> bool:
        """Whether IAM sees the partition keys of such a request and can restrict them."""
        return self.action not in (SCAN, "DescribeTable", *STREAM_READS)


def grants_for_entities(entities: Iterable[type], actions: Collection[str]) -> list[Grant]:
    """Grant `actions` on the entities, their indexes, unique markers and counters."""
    for action in actions:
        if action not in ALL_ACTIONS:
            raise DeclarationError(
                f"Unknown action on items: {action!r}. Expected one of {', '.join(ALL_ACTIONS)}."
            )
    return [grant for entity in entities for grant in _model_grants(model_of(entity), actions)]


def _model_grants(model: Model, actions: Collection[str]) -> Iterator[Grant]:
    table = model.table
    allowed = [action for action in ALL_ACTIONS if action in actions]
    for action in allowed:
        yield Grant(action, table, model.key)
    if "Query" in actions:
        for access in model.indexes.values():
            yield Grant("Query", table, access)
    for marker in model.uniques.values():
        for action in allowed:
            if action not in ("Query", SCAN):
                yield Grant(action, table, marker.access)
    if any(action in actions for action in WRITES):
        numbers = () if model.sequence is None else (model.sequence,)
        for count in (*model.counts.values(), *numbers):
            counter = model_of(count.entity)
            yield Grant("UpdateItem", counter.table, counter.key)


def grants_for_patterns(patterns: Iterable[Pattern]) -> list[Grant]:
    """Grant what the patterns do, whether one item at a time or in batches."""
    grants: dict[tuple[str, int], Grant] = {}
    for pattern in patterns:
        for grant in _pattern_grants(pattern):
            grants.setdefault((grant.action, id(grant.access)), grant)
    return list(grants.values())


def _pattern_grants(pattern: Pattern) -> Iterator[Grant]:
    for request in planned_requests(pattern):
        for action in STREAM_READS if request.action == "GetRecords" else (request.action,):
            yield Grant(action, request.table, request.access)
        if request.action == "GetRecords":  # a consumer asks how old the table is
            yield Grant("DescribeTable", request.table, request.access)
        if isinstance(pattern, ReadPattern) and request.action == "GetItem":  # get_many
            yield Grant("BatchGetItem", request.table, request.access)
    for touch in pattern.accesses:
        model = model_of(touch.entity)
        # A batch reaches the same items, so patterns do not distinguish it. The store rejects
        # batches of entities with unique values or counts.
        if touch.kind in ("put", "delete") and not model.uniques and not model.counts:
            yield Grant("BatchWriteItem", model.table, model.key)
        # In a transaction, an upsert without edits checks that the item exists.
        if touch.kind == "upsert":
            yield Grant("ConditionCheckItem", model.table, model.key)


# Owners: restrict partition keys to the caller, or to a tenant


@dataclass(frozen=True, slots=True)
class Owner:
    """Restrict fields of partition keys to IAM variables: callers reach only their own items.

    Fields are named alone or with their entity (`Skill.person`), as in
    `Owner({"org": "${aws:PrincipalTag/org}"})`. A text without `${` is a value: `{"org": "acme"}`.
    IAM allows neither `#` nor `$` in the value of a tag, so no value can reach into another
    partition. For a key with `casefold(…)`, the value of a variable must be in lower case.
    """

    fields: Mapping[str, str]

    def variables(self, access: ResolvedKey) -> dict[str, str]:
        """Return the variable for each field of the partition key that is the owner's.

        A field is left out if a wildcard would precede it in the pattern: `PROJECT#*#acme` also
        matches keys of others that only end like this.
        """
        variables: dict[str, str] = {}
        for column in access.pk:
            for field, prefix, _ in _partition_fields(column):
                variable = self.fields.get(f"{access.owner}.{field}", self.fields.get(field))
                if variable is not None and _ANYTHING not in prefix:
                    _check_stored_verbatim(access, field, column)
                    variables[field] = variable
        return variables


def restrict_to_owner(grants: Iterable[Grant], owner: Owner) -> tuple[list[Grant], list[str]]:
    """Return the grants that can be restricted to the owner, and the names of omitted indexes.

    Raise DeclarationError if the table's own key cannot be restricted.
    """
    restricted: list[Grant] = []
    omitted: dict[str, None] = {}
    for grant in grants:
        if owner.variables(grant.access) and grant.has_partition_keys:
            restricted.append(grant)
        elif grant.access.name == "key" and grant.access.index is None:
            raise DeclarationError(_cannot_restrict(grant, owner))
        else:
            omitted[str(grant.access)] = None
    _check_all_fields_used(owner, restricted)
    _check_no_overlap(owner, restricted)
    return restricted, list(omitted)


def _partition_fields(column: Column) -> Iterator[tuple[str, str, set[str]]]:
    """Yield each field in a key attribute, with the pattern before it and the text after it."""
    if isinstance(column, FieldColumn):
        yield column.field, "", set()
        return
    prefix = ""
    for position, segment in enumerate(column.template.segments):
        if isinstance(segment, FieldSegment | RepeatedSegment):
            value = segment.value if isinstance(segment, RepeatedSegment) else segment
            yield value.field, prefix, column.template.ends[position]
        prefix += _segment_pattern(column.template, position, {}) + column.template.separator


def _check_no_overlap(owner: Owner, grants: Iterable[Grant]) -> None:
    """Raise if the value of an owner could be the fixed text of another key.

    The pattern `ORG#${…}#*` of an owner with the name `ALL` allows every key `ORG#ALL#…`.
    """
    places: dict[tuple[Table, str, str], list[tuple[ResolvedKey, str, str, set[str], Column]]] = {}
    for grant in grants:
        for column in grant.access.pk:
            place = places.setdefault(
                (grant.table, grant.resource_suffix, column.attribute.name), []
            )
            for field, prefix, ends in _partition_fields(column):
                if field in owner.variables(grant.access):
                    place.append((grant.access, field, prefix, ends, column))
    for place in places.values():
        for (access, field, prefix, ends, column), (
            other,
            other_field,
            longer,
            _,
            others,
        ) in permutations(place, 2):
            text = longer.removeprefix(prefix)
            for end in ends:
                text = text.partition(end)[0]
            if not text or not longer.startswith(prefix):
                continue
            theirs = _column_pattern(others, {other_field: "other"}).replace(_ANYTHING, "x")
            if fnmatchcase(theirs, _column_pattern(column, {field: text})):
                raise DeclarationError(
                    f"An owner with the name {text!r} could access items of all owners: {access} "
                    f"has its field where {other} has the text {text!r}. Use a different text at "
                    "the start of one of these partition keys."
                )


def _check_stored_verbatim(access: ResolvedKey, field: str, column: Column) -> None:
    """Raise unless the key contains the field's text unchanged, as the variable's value is.

    Case-insensitive keys contain lower case: a value with capitals reaches nothing.
    """
    match column:
        case FieldColumn(attribute=attribute):
            verbatim = attribute.type == "S"
        case TextColumn(template=template):
            value = next(value for value in template.field_segments if value.field == field)
            probe = "probe"
            try:
                verbatim = value.encoding.write(probe) == probe
            except InvalidValue:
                verbatim = False
    if not verbatim:
        raise DeclarationError(
            f"{access}: {field} is not stored verbatim in the partition key, so it cannot be "
            "compared with an IAM variable. Use a field of type str."
        )


def _cannot_restrict(grant: Grant, owner: Owner) -> str:
    if not grant.has_partition_keys:
        return f"{grant.action} reads all items and cannot be restricted to an owner. Leave it out."
    entity = grant.access.owner
    return (
        f"The partition key of {entity} does not start with texts and one of the owner's fields "
        f"({', '.join(owner.fields)}), so the policy would allow items of others. Name the owner's "
        f"field ({entity}.FIELD=VARIABLE), put it after the first text of the key, or leave "
        f"{entity} out of this policy."
    )


def _check_all_fields_used(owner: Owner, grants: Iterable[Grant]) -> None:
    used: set[str] = set()
    for grant in grants:
        for column in grant.access.pk:
            for field, *_ in _partition_fields(column):
                used |= {field, f"{grant.access.owner}.{field}"}
    for name in owner.fields:
        if name not in used:
            raise DeclarationError(f"Owner field {name!r} is not part of any partition key.")


# The policy document

_Statement: TypeAlias = dict[str, object]
_Condition: TypeAlias = dict[str, dict[str, object]]
# For each action on a table or index, the allowed partition keys; None if IAM does not see them,
# so that a condition on them would deny every request.
_KeysByAction: TypeAlias = dict[str, set[tuple[str, ...]] | None]

_ANYTHING = "*"
_VARIABLE = "${"
# IAM allows characters up to this one in a policy.
_LAST_CHARACTER = "\u00ff"
# For tables, and for indexes with one partition key attribute.
_LEADING_KEYS = "dynamodb:LeadingKeys"
# For indexes with several.
_PARTITION_KEY_VALUES = (
    "dynamodb:FirstPartitionKeyValues",
    "dynamodb:SecondPartitionKeyValues",
    "dynamodb:ThirdPartitionKeyValues",
    "dynamodb:FourthPartitionKeyValues",
)


@dataclass(frozen=True, slots=True)
class ArnScope:
    """The region, account and AWS partition of the tables; `*` allows any."""

    region: str = "*"
    account: str = "*"
    partition: str = "aws"

    def table_arn(self, name: str) -> str:
        """Return the ARN of a table."""
        return f"arn:{self.partition}:dynamodb:{self.region}:{self.account}:table/{name}"


ANY_SCOPE = ArnScope()


def create_policy(
    grants: Iterable[Grant],
    *,
    scope: ArnScope = ANY_SCOPE,
    names: Mapping[str, str] | None = None,
    owner: Owner | None = None,
    key_arn: str | None = None,
) -> dict[str, object]:
    """Return the policy document; `names` maps declared table names to deployed ones.

    Pass `key_arn` if a customer managed KMS key encrypts the tables.
    """
    grants = list(grants)
    if not grants:
        raise DeclarationError("Cannot create a policy without grants.")
    sids = ResourceNames(pascal_case)
    statements: list[_Statement] = []
    for (table, suffix), keys in _group_by_resource(grants, owner).items():
        name = (names or {}).get(table.name, table.name)
        title = f"{name} {suffix.removeprefix('/index/') or 'items'}"
        statements += _statements(title, scope.table_arn(name) + suffix, keys, sids)
    if key_arn is not None:
        statements.append(_kms_statement(key_arn, scope, grants))
    return {"Version": "2012-10-17", "Statement": statements}


def _group_by_resource(
    grants: Iterable[Grant], owner: Owner | None
) -> dict[tuple[Table, str], _KeysByAction]:
    resources: dict[tuple[Table, str], _KeysByAction] = {}
    for grant in grants:
        by_action = resources.setdefault((grant.table, grant.resource_suffix), {})
        if not grant.has_partition_keys:
            by_action[grant.action] = None
            continue
        variables = {} if owner is None else owner.variables(grant.access)
        keys = by_action.setdefault(grant.action, set())
        if keys is not None:
            columns = grant.access.pk
            keys.add(tuple(_column_pattern(column, variables) for column in columns))
    return resources


def _statements(
    title: str, resource: str, by_action: _KeysByAction, sids: ResourceNames
) -> list[_Statement]:
    """Return one statement per condition; actions on the same partition keys share theirs."""
    actions_by_keys: dict[frozenset[tuple[str, ...]] | None, list[str]] = {}
    for action, keys in by_action.items():
        actions_by_keys.setdefault(None if keys is None else frozenset(keys), []).append(action)
    statements: list[_Statement] = []
    for shared_keys, actions in actions_by_keys.items():
        conditions = [None] if shared_keys is None else _conditions(shared_keys)
        for condition in conditions:
            number = len(statements) + 1
            statement: _Statement = {
                "Sid": sids(title if number == 1 else f"{title} {number}"),
                "Effect": "Allow",
                "Action": [f"dynamodb:{action}" for action in actions],
                "Resource": resource,
            }
            if condition is not None:
                statement["Condition"] = condition
            statements.append(statement)
    return statements


def _kms_statement(arn: str, scope: ArnScope, grants: Iterable[Grant]) -> _Statement:
    # DynamoDB uses a customer managed key on behalf of the caller.
    actions = ["kms:Decrypt", "kms:DescribeKey"]
    if any(grant.action in WRITES for grant in grants):
        actions += ["kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"]
    return {
        "Sid": "EncryptionKey",
        "Effect": "Allow",
        "Action": actions,
        "Resource": arn,
        "Condition": {"StringLike": {"kms:ViaService": f"dynamodb.{scope.region}.amazonaws.com"}},
    }


def _conditions(keys: Collection[tuple[str, ...]]) -> list[_Condition | None]:
    """Return a condition per statement; a single None if any partition key is allowed."""
    if any(set(patterns) == {_ANYTHING} for patterns in keys):
        return [None]
    if all(len(patterns) == 1 for patterns in keys):
        return [_condition({_LEADING_KEYS: remove_covered(pattern for (pattern,) in keys)})]
    return [
        _condition(
            {
                name: [pattern]
                for name, pattern in zip(_PARTITION_KEY_VALUES, patterns, strict=False)
                if pattern != _ANYTHING
            }
        )
        for patterns in sorted(keys)
    ]


def _condition(tests: dict[str, list[str]]) -> _Condition:
    # ForAllValues matches a request without any key, so Null requires that there is one.
    return {"ForAllValues:StringLike": dict(tests), "Null": dict.fromkeys(tests, "false")}


def remove_covered(patterns: Iterable[str]) -> list[str]:
    """Return the patterns, sorted, without patterns that a broader one includes."""
    ordered = sorted(set(patterns))
    return [pattern for pattern in ordered if not any(_covers(other, pattern) for other in ordered)]


def _covers(broad: str, pattern: str) -> bool:
    prefix = broad.removesuffix("*")
    return (
        broad != pattern
        and broad.endswith("*")
        and "*" not in prefix
        and pattern.startswith(prefix)
    )


def _column_pattern(column: Column, variables: Mapping[str, str]) -> str:
    """Return an IAM pattern that matches the column's values, with variables for fields."""
    match column:
        case FieldColumn(field=field):
            text = variables.get(field, _ANYTHING)
            return text if text == _ANYTHING or _VARIABLE in text else _escape_value(field, text)
        case TextColumn(template=template):
            positions = range(len(template.segments))
            texts = (_segment_pattern(template, at, variables) for at in positions)
            return template.separator.join(texts)


def _segment_pattern(template: KeyTemplate, position: int, variables: Mapping[str, str]) -> str:
    match template.segments[position]:
        case FixedSegment(text):
            return _escape(text)
        case FieldSegment(field) as segment if field in variables:
            return _value_pattern(template, position, segment, variables[field])
        case RepeatedSegment(FieldSegment(field) as segment) if field in variables:
            return _value_pattern(template, position, segment, variables[field])
        case FieldSegment() | RepeatedSegment():
            return _ANYTHING
        case ShardSegment(shards):
            return f"{_escape(shards.prefix)}{_ANYTHING}"


def _value_pattern(
    template: KeyTemplate, position: int, segment: FieldSegment, variable: str
) -> str:
    if _VARIABLE in variable:
        return variable
    return _escape_value(segment.field, template.value_text(position, segment, variable))


def _escape_value(field: str, text: str) -> str:
    if any(sign > _LAST_CHARACTER for sign in text):
        raise DeclarationError(
            f"Owner value {text!r} of {field}: IAM policies accept only characters up to "
            f"{_LAST_CHARACTER!r}. Use an IAM variable."
        )
    return _escape(text)


def _escape(text: str) -> str:
    """Escape `*`, `?` and `$`; IAM does not accept characters beyond Latin-1."""
    return "".join(
        f"${{{sign}}}" if sign in "*?$" else sign if sign <= _LAST_CHARACTER else _ANYTHING
        for sign in text
    )
