"""Read the items of a SELECT, now that its table is known.

The condition is decomposed into branches: each reads one range of one partition, and filters it. If
it does not limit the partition key in every branch, the table or index is scanned.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from typing import TypeAlias, cast

from msgspec import DecodeError, Raw, Struct, json
from msgspec.structs import replace

from singletable import expressions as ex
from singletable import operations as ops
from singletable.engine.capacity import Cost, consumed_capacity, cost_of, read_units
from singletable.engine.catalog import Session, Unfinished
from singletable.engine.key_validation import check_scalar_keys, encode_key
from singletable.engine.partiql_statements import check_key_type, split_key
from singletable.engine.query_execution import MEGABYTE, PageRequest, read_page
from singletable.engine.query_range import (
    check_start_key,
    check_start_key_attribute,
    check_start_key_size,
    encode_start_key,
    resolve_key_range,
)
from singletable.engine.request_expressions import project_json
from singletable.engine.storage import KeyRange, RowKey, RowRange
from singletable.engine.table import Index, KeySchema, Table
from singletable.engine.validation import READ
from singletable.errors import ResourceNotFound, ValidationError
from singletable.expressions.binder import SWAPPED
from singletable.partiql import Select, conjuncts, disjuncts, equality
from singletable.values import (
    AttributeValue,
    Item,
    item_from_json,
    item_to_json,
    key_bytes,
    to_builtin,
)

MULTI_ATTRIBUTE = (
    "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or "
    "multi-attribute RANGE keys."
)
OVERLAPPING = "Overlapping conditions with range keys are not supported in where clause"
TOO_MANY_READS = "Too many decomposed read operations for a given query."
INVALID_TOKEN = "Invalid NextToken"
MAX_READS = 50
MAX_BRANCHES = 1000

Target: TypeAlias = Table | Index
# Alternatives, each a list of conditions that must all hold.
Spread: TypeAlias = list[list[ex.Condition]]


class Branch(Struct, frozen=True):
    """A range of one partition, and the condition on its items."""

    partition: AttributeValue
    keys: KeyRange
    filter: ex.Condition | None


class PageToken(Struct, frozen=True):
    """Where the next page starts: the branch, and the key in it if it was begun."""

    digest: str
    branch: int
    key: Item | None


def execute_select(
    statement: Select, request: ops.ExecuteStatement, session: Session
) -> ops.ExecuteStatementOutput | Unfinished[ops.ExecuteStatementOutput]:
    """Return a page of the items that a SELECT reads."""
    table, index = find_source(statement, session, consistent=bool(request.consistent_read))
    target: Target = table if index is None else index
    if statement.error:
        raise ValidationError(statement.error)
    check_scalar_keys(table, statement.projection or ())
    if index is None and request.limit is None and request.next_token is None:
        key = key_of_select(table, statement)
        if key is not None and not statement.order:
            for attribute in table.key.attributes:
                check_key_type(attribute, key[attribute.name])
            consistent = bool(request.consistent_read)
            item, units = get_item(statement, session, table, key, consistent=consistent)
            consumed = consumed_capacity(table, Cost(units), request.return_consumed_capacity)
            return ops.ExecuteStatementOutput([item] if item else [], consumed_capacity=consumed)
    check_scalar_keys(table, () if statement.where is None else ex.condition_paths(statement.where))
    branches, forward = _ordered(target, statement, find_branches(target, statement.where))
    token = _read_token(request)
    reader = _Reader(statement, request, session, table, index, forward)
    if branches is not None:
        return reader.read(branches, token)
    start = _start(table, target, None if token is None else token.key)
    rows = target.rows.scan_range(b"", None, start)
    page = reader.page(statement.where, is_query=False)
    return reader.finish(read_page(session, page, rows))


def get_item(
    select: Select, session: Session, table: Table, key: Item, *, consistent: bool
) -> tuple[Raw | None, float]:
    """Return what a SELECT returns of the item with a key, and the units for reading it."""
    row = table.rows.get(session.execute, encode_key(table, key))
    units = read_units(0 if row is None else row.size, consistent=consistent)
    return None if row is None else project_row(select, row.json), units


def find_source(
    statement: Select, session: Session, *, consistent: bool
) -> tuple[Table, Index | None]:
    """Return the table and the index of a SELECT."""
    try:
        table = session.table(statement.table)
    except ResourceNotFound:
        if statement.error:
            raise ValidationError(statement.error) from None
        raise
    if statement.index is None:
        return table, None
    index = next((index for index in table.indexes if index.name == statement.index), None)
    if index is None:
        raise ValidationError("The table does not have the specified index")
    if len(index.key.partition) > 1 or len(index.key.sort) > 1:
        raise ValidationError(MULTI_ATTRIBUTE)
    if index.is_global and consistent:
        raise ValidationError(
            "Strongly consistent read is not supported on Global Secondary Indexes"
        )
    if index.record.created_by > session.control_time:
        raise ValidationError(f"Cannot read from backfilling global secondary index: {index.name}")
    return table, index


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the branches of a SELECT, one after the other, up to the end of the page."""

    statement: Select
    request: ops.ExecuteStatement
    session: Session
    table: Table
    index: Index | None
    forward: bool

    def page(
        self, condition: ex.Condition | None, *, is_query: bool, limit: int | None = None
    ) -> PageRequest:
        kind = ops.Query if is_query else ops.Scan
        request = kind(
            self.table.name,
            limit=self.request.limit if limit is None else limit,
            consistent_read=self.request.consistent_read,
            return_consumed_capacity=self.request.return_consumed_capacity,
        )
        projection = self.statement.projection
        page = PageRequest.from_request(request, self.table, self.index, condition, projection)
        return page if self.statement.labels is None else replace(page, projection=None)

    def rows(self, branch: Branch, key: Item | None) -> RowRange:
        target: Target = self.table if self.index is None else self.index
        start = _start(self.table, target, key)
        after = None if start is None else start.sort
        if start is not None and not _is_inside(start, branch.keys):
            raise ValidationError(INVALID_TOKEN)
        return target.rows.partition_range(branch.keys, after, forward=self.forward)

    def read(
        self, branches: list[Branch], token: PageToken | None
    ) -> ops.ExecuteStatementOutput | Unfinished[ops.ExecuteStatementOutput]:
        is_query = _has_unprojected_filters(self.index, branches)
        number, key = (0, None) if token is None else (token.branch, token.key)
        if number >= len(branches):
            raise ValidationError(INVALID_TOKEN)
        if len(branches) == 1:
            page = self.page(branches[0].filter, is_query=is_query)
            return self.finish(read_page(self.session, page, self.rows(branches[0], key)))
        return self._read_several(branches, number, key, is_query=is_query)

    def finish(
        self, page: ops.PageOutput | Unfinished[ops.PageOutput]
    ) -> ops.ExecuteStatementOutput | Unfinished[ops.ExecuteStatementOutput]:
        """Return the output of the only branch, or of a scan."""
        if isinstance(page, ops.PageOutput):
            return self.output(page, 0)
        finish = page.finish
        return Unfinished(lambda: self.output(finish(), 0), page.work)

    def _read_several(
        self, branches: list[Branch], number: int, key: Item | None, *, is_query: bool
    ) -> ops.ExecuteStatementOutput:
        raws: list[Raw] = []
        cost = Cost()
        left, size, last = self.request.limit, 0, None
        while number < len(branches):
            branch = branches[number]
            page = self.page(branch.filter, is_query=is_query, limit=left)
            found = read_page(self.session, page, self.rows(branch, key))
            output = found if isinstance(found, ops.PageOutput) else found.finish()
            raws += output.raw_items or ()
            size += found.work if isinstance(found, Unfinished) else sum(map(len, raws))
            cost.add(cost_of(output.consumed_capacity))
            key = last = output.last_evaluated_key
            number += key is None
            left = None if left is None else left - output.scanned_count
            if key is not None or left == 0 or size >= MEGABYTE:
                break
        total = consumed_capacity(self.table, cost, self.request.return_consumed_capacity)
        combined = ops.PageOutput(len(raws), len(raws), raws, last, total)
        return self.output(combined, number, is_last=number == len(branches))

    def output(
        self, page: ops.PageOutput, branch: int, *, is_last: bool | None = None
    ) -> ops.ExecuteStatementOutput:
        """Return the output of a page; `branch` is where the next one starts."""
        key = page.last_evaluated_key
        is_last = key is None if is_last is None else is_last
        token = None if is_last else _write_token(self.request, branch, key)
        raws = page.raw_items or []
        if self.statement.labels is not None:
            raws = [project_labels(self.statement, raw) for raw in raws]
        return ops.ExecuteStatementOutput(raws, token, page.consumed_capacity, key)


def key_of_select(table: Table, select: Select) -> Item | None:
    """Return the key if the condition names one item and nothing else, or None."""
    key, others = split_key(table, select.where)
    for part in others:
        if isinstance(part, ex.In | ex.Or):
            return None if select.index else _key_of_options(table, select)
        if equality(part) not in [*key.items()]:
            return None
    return None if select.index or len(key) < len(table.key.names) else key


def _key_of_options(table: Table, select: Select) -> Item | None:
    """Return the key of a condition with IN, such as `pk IN ['a']`."""
    spread = _spread(table.key, select.where)
    if len(spread) != 1:
        find_branches(table, select.where)  # rejects too many branches, and those that overlap
        return None
    if any(isinstance(part, ex.In | ex.Or) for part in spread[0]):
        return None
    return key_of_select(table, replace(select, where=reduce(ex.And, spread[0])))


def project_row(select: Select, raw: Raw | bytes) -> Raw:
    """Return what a SELECT returns of an item."""
    if select.labels is not None:
        return project_labels(select, raw)
    return Raw(raw) if select.projection is None else Raw(project_json(select.projection, raw))


def project_labels(statement: Select, raw: Raw | bytes) -> Raw:
    """Return the values at nested paths under the last names of these paths."""
    item = item_from_json(raw)
    labeled = zip(statement.labels or (), statement.projection or (), strict=True)
    found = {label: ex.value_at(path, item) for label, path in labeled}
    return Raw(item_to_json({label: value for label, value in found.items() if value is not None}))


def _has_unprojected_filters(index: Index | None, branches: list[Branch]) -> bool:
    """Return whether to reject filters on attributes that the index lacks.

    DynamoDB accepts them if one of several branches has none.
    """
    projected = None if index is None else index.projected_attributes
    if projected is None:
        return True
    return all(
        branch.filter is not None
        and any(path[0] not in projected for path in ex.condition_paths(branch.filter))
        for branch in branches
    )


def _ordered(
    target: Target, statement: Select, branches: list[Branch] | None
) -> tuple[list[Branch] | None, bool]:
    """Return the branches in the order of ORDER BY, and whether sort keys ascend."""
    if not statement.order:
        return branches, True
    if statement.where is None:
        raise ValidationError("Must have WHERE clause in the statement when using ORDER BY clause.")
    order = {term.attribute: term.descending for term in statement.order}
    for name in order:
        if name not in target.key.names:
            raise ValidationError(
                f"Attribute {name} in ORDER BY clause must be part of the primary key"
            )
    if branches is None:
        raise ValidationError(
            "Must have at least one non-optional hash key condition in WHERE clause when using "
            "ORDER BY clause."
        )
    partition = target.key.partition[0].name
    if partition not in order and len({branch.keys.partition for branch in branches}) > 1:
        raise ValidationError(
            "Must have hash key in ORDER BY clause when more than one hash key condition specified "
            "in WHERE clause."
        )
    sort = next((attribute.name for attribute in target.key.sort), "")
    # Without the sort key in ORDER BY, DynamoDB returns it descending.
    forward = not order.get(sort, True)
    ranges = sorted(branches, key=lambda branch: branch.keys.low, reverse=not forward)
    is_descending = order.get(partition, False)
    return sorted(ranges, key=lambda b: key_bytes(b.partition), reverse=is_descending), forward


# --- Branches


def find_branches(target: Target, where: ex.Condition | None) -> list[Branch] | None:
    """Return the ranges that the condition limits a read to; None: the whole table or index."""
    key = target.key
    spread = [_split(key, part) for part in _spread(key, where)]
    if not spread or not all(partitions for partitions, _, _ in spread):
        return None
    if len(spread) > MAX_READS:
        raise ValidationError(TOO_MANY_READS)
    found = [_branch(target, *parts) for parts in spread]
    branches = [branch for branch in found if branch is not None]
    if len(branches) < len(found):
        return None  # two values for one partition key: nothing matches
    return branches if _are_disjoint(key, branches) else None


def _spread(key: KeySchema, where: ex.Condition | None) -> Spread:
    """Return the condition as alternatives, each a list of conditions that must all hold."""
    spread: Spread = [[]]
    if where is None:
        return []
    for part in conjuncts(where):
        options = _options(key, part)
        if len(spread) * len(options) > MAX_BRANCHES:
            raise ValidationError(TOO_MANY_READS)
        spread = [[*left, *right] for left in spread for right in options]
    return spread


def _options(key: KeySchema, part: ex.Condition) -> Spread:
    match part:
        case ex.Or() if any(_names_key(key, option) for option in disjuncts(part)):
            return [one for option in disjuncts(part) for one in _spread(key, option)]
        case ex.In(ex.At((name,)) as path, options) if name in key.names:
            return [[ex.Compare("=", path, option)] for option in options]
        case _:
            return [[part]]


def _names_key(key: KeySchema, condition: ex.Condition) -> bool:
    """Return whether one of the conditions that AND and OR join limits a key attribute."""
    pending = [condition]
    while pending:
        part = pending.pop()
        if isinstance(part, ex.And | ex.Or):
            pending += (part.left, part.right)
        elif _key_clause(key, part) is not None or (
            isinstance(part, ex.In)
            and isinstance(part.operand, ex.At)
            and part.operand.path[0] in key.names
        ):
            return True
    return False


def _key_clause(key: KeySchema, condition: ex.Condition) -> ex.KeyClause | None:
    """Return the condition as one on a key attribute that a query supports, or None."""
    match condition:
        case ex.Compare(comparator, ex.At((name,)), ex.Constant(value)) if comparator in SWAPPED:
            clause = ex.KeyClause(str(name), cast(ex.KeyComparator, comparator), (value,))
        case ex.Compare(comparator, ex.Constant(value), ex.At((name,))) if comparator in SWAPPED:
            clause = ex.KeyClause(str(name), SWAPPED[comparator], (value,))
        case ex.Between(ex.At((name,)), ex.Constant(low), ex.Constant(high)):
            clause = ex.KeyClause(str(name), "BETWEEN", (low, high))
        case ex.BeginsWith(ex.At((name,)), ex.Constant(prefix)):
            clause = ex.KeyClause(str(name), "begins_with", (prefix,))
        case _:
            return None
    if clause.attribute == key.partition[0].name:
        return clause if clause.comparator == "=" else None
    return clause if clause.attribute in key.names else None


def _split(
    key: KeySchema, part: list[ex.Condition]
) -> tuple[list[ex.KeyClause], list[ex.KeyClause], list[ex.Condition]]:
    """Return the clauses on the partition key, those on the sort key, and the other conditions."""
    partitions: list[ex.KeyClause] = []
    sorts: list[ex.KeyClause] = []
    filters: list[ex.Condition] = []
    name = key.partition[0].name
    for condition in part:
        clause = _key_clause(key, condition)
        if clause is None:
            filters.append(condition)
        else:
            (partitions if clause.attribute == name else sorts).append(clause)
    return partitions, sorts, filters


def _branch(
    target: Target,
    partitions: list[ex.KeyClause],
    sorts: list[ex.KeyClause],
    filters: list[ex.Condition],
) -> Branch | None:
    """Return the range of one alternative; None if its partition key has two values."""
    for attributes, clauses in ((target.key.partition, partitions), (target.key.sort, sorts)):
        for clause in clauses:
            for value in clause.values:
                check_key_type(attributes[0], value)
    partition = partitions[0]
    if any(other.values != partition.values for other in partitions):
        return None
    first = (partition, *sorts[:1])
    keys = resolve_key_range(target, first)
    for clause in sorts[1:]:
        other = resolve_key_range(target, (partition, clause))
        highs = [high for high in (keys.high, other.high) if high is not None]
        keys = KeyRange(keys.partition, max(keys.low, other.low), min(highs, default=None))
    return Branch(partition.values[0], keys, reduce(ex.And, filters) if filters else None)


def _are_disjoint(key: KeySchema, branches: list[Branch]) -> bool:
    """Return whether no two ranges overlap; raise ValidationError if DynamoDB rejects that.

    It does not if one of the two filters the sort key, as `sk <> 'a'` does.
    """
    if len(branches) == 1:
        return True
    ordered = sorted(branches, key=lambda branch: (branch.keys.partition, branch.keys.low))
    reach: Branch | None = None
    for branch in ordered:
        low, high = branch.keys.low, branch.keys.high
        if high is not None and low >= high:
            continue
        if (
            reach is not None
            and reach.keys.partition == branch.keys.partition
            and (reach.keys.high is None or low < reach.keys.high)
        ):
            if _filters_sort_key(key, branch) or _filters_sort_key(key, reach):
                return False
            raise ValidationError(OVERLAPPING)
        reach = branch
    return True


def _filters_sort_key(key: KeySchema, branch: Branch) -> bool:
    names = {attribute.name for attribute in key.sort}
    return branch.filter is not None and any(
        path[0] in names for path in ex.condition_paths(branch.filter)
    )


# --- Tokens


def _digest(request: ops.ExecuteStatement) -> str:
    """Return a digest of what must be the same for all pages."""
    same = json.encode([request.statement, request.parameters], enc_hook=to_builtin)
    return sha256(same).hexdigest()[:32]


def _write_token(request: ops.ExecuteStatement, branch: int, key: Item | None) -> str:
    return b64encode(json.encode(PageToken(_digest(request), branch, key))).decode()


def _read_token(request: ops.ExecuteStatement) -> PageToken | None:
    if request.next_token is None:
        return None
    try:
        token = json.decode(b64decode(request.next_token, validate=True), type=PageToken)
        key = check_start_key(token.key, READ)
    except (DecodeError, ValueError, ValidationError):
        raise ValidationError(INVALID_TOKEN) from None
    if token.digest != _digest(request) or token.branch < 0:
        raise ValidationError("NextToken does not match request")
    return replace(token, key=key)


def _is_inside(start: RowKey, keys: KeyRange) -> bool:
    """Return whether a key that a client sent back is in the range."""
    is_before_end = keys.high is None or start.sort < keys.high
    return start.partition == keys.partition and keys.low <= start.sort and is_before_end


def _start(table: Table, target: Target, key: Item | None) -> RowKey | None:
    if key is None:
        return None
    check_start_key_size(target, key)
    for attribute in target.key.attributes:
        check_start_key_attribute(attribute, key)
    return encode_start_key(table, target, key)
