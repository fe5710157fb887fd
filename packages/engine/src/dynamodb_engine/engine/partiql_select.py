"""Read the items of a SELECT, now that its table is known.

The condition is decomposed into branches: each reads one range of one partition, and filters it. If
it does not limit the partition key in every branch, the table or index is scanned.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from typing import TypeAlias

from msgspec import DecodeError, Raw, Struct, json
from msgspec.structs import replace

from dynamodb_engine import expressions as ex
from dynamodb_engine import operations as ops
from dynamodb_engine.engine.capacity import Cost, consumed_capacity, cost_of, read_units
from dynamodb_engine.engine.catalog import Session, Unfinished
from dynamodb_engine.engine.key_validation import check_scalar_keys, encode_key
from dynamodb_engine.engine.partiql_statements import check_key_type, split_key
from dynamodb_engine.engine.query_execution import MEGABYTE, PageRequest, read_page
from dynamodb_engine.engine.query_range import check_start_key, resolve_key_range, resolve_start_key
from dynamodb_engine.engine.request_expressions import project_json
from dynamodb_engine.engine.storage import KeyRange, RowKey
from dynamodb_engine.engine.table import Index, KeySchema, Table
from dynamodb_engine.engine.validation import READ
from dynamodb_engine.errors import ResourceNotFound, ValidationError
from dynamodb_engine.partiql import Select
from dynamodb_engine.values import (
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
# What to read: the range of a partition (None: the whole table or index), and the filter.
Read: TypeAlias = tuple[KeyRange | None, ex.Condition | None]


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
    consistent = bool(request.consistent_read)
    table, index = find_source(statement, session, consistent=consistent)
    target: Target = table if index is None else index
    if statement.error:
        raise ValidationError(statement.error)
    check_scalar_keys(table, statement.projection or ())
    spread = _spread(target.key, statement.where)
    if index is None and request.limit is None and request.next_token is None:
        key = _only_key(table, spread)
        if key is not None and not statement.order:
            for attribute in table.key.attributes:
                check_key_type(attribute, key[attribute.name])
            item, cost = get_item(statement, session, table, key, consistent=consistent)
            consumed = consumed_capacity(table, cost, request.return_consumed_capacity)
            return ops.ExecuteStatementOutput([item] if item else [], consumed_capacity=consumed)
    check_scalar_keys(table, ex.condition_paths(statement.where))
    branches, forward = _ordered(target, statement, find_branches(target, spread))
    token = _read_token(request)
    reads: list[Read] = [(None, statement.where)]
    if branches is not None:
        reads = [(branch.keys, branch.filter) for branch in branches]
    is_query = branches is not None and _has_unprojected_filters(index, branches)
    return _Reader(statement, request, session, table, index, forward, is_query).read(reads, token)


def get_item(
    select: Select, session: Session, table: Table, key: Item, *, consistent: bool
) -> tuple[Raw | None, Cost]:
    """Return what a SELECT returns of the item with a key, and the cost of reading it."""
    row = table.rows.get(session.execute, encode_key(table, key))
    cost = Cost(read_units(0 if row is None else row.size, consistent=consistent))
    return None if row is None else project_row(select, row.json), cost


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


@dataclass(slots=True)
class _Reader:
    """Reads the branches of a SELECT, one after the other, up to the end of the page."""

    statement: Select
    request: ops.ExecuteStatement
    session: Session
    table: Table
    index: Index | None
    forward: bool
    is_query: bool

    def page(
        self, read: Read, key: Item | None, limit: int | None
    ) -> ops.PageOutput | Unfinished[ops.PageOutput]:
        """Read a page of a branch, after a key."""
        keys, condition = read
        request = (ops.Query if self.is_query else ops.Scan)(
            self.table.name,
            limit=limit,
            consistent_read=self.request.consistent_read,
            return_consumed_capacity=self.request.return_consumed_capacity,
        )
        projection = self.statement.projection
        page = PageRequest.from_request(request, self.table, self.index, condition, projection)
        if self.statement.labels is not None:
            page = replace(page, projection=None)
        start = None if key is None else resolve_start_key(self.table, page.target, key)
        if keys is None:
            rows = page.target.rows.scan_range(b"", None, start)
        elif start is None or _is_inside(start, keys):
            after = None if start is None else start.sort
            rows = page.target.rows.partition_range(keys, after, forward=self.forward)
        else:
            raise ValidationError(INVALID_TOKEN)
        return read_page(self.session, page, rows)

    def read(
        self, reads: list[Read], token: PageToken | None
    ) -> ops.ExecuteStatementOutput | Unfinished[ops.ExecuteStatementOutput]:
        number, key = (0, None) if token is None else (token.branch, token.key)
        if token is not None and number >= len(reads):
            raise ValidationError(INVALID_TOKEN)
        if len(reads) != 1:
            return self._read_several(reads, number, key)
        page = self.page(reads[0], key, self.request.limit)
        if isinstance(page, ops.PageOutput):
            return self.output(page)
        finish = page.finish
        return Unfinished(lambda: self.output(finish()), page.work)

    def _read_several(
        self, reads: list[Read], number: int, key: Item | None
    ) -> ops.ExecuteStatementOutput:
        raws: list[Raw] = []
        cost = Cost()
        left, size = self.request.limit, 0
        while number < len(reads):
            found = self.page(reads[number], key, left)
            output = found if isinstance(found, ops.PageOutput) else found.finish()
            raws += (page := output.raw_items or [])
            size += found.work if isinstance(found, Unfinished) else sum(map(len, page))
            cost.add(cost_of(output.consumed_capacity))
            key = output.last_evaluated_key
            number += key is None
            left = None if left is None else left - output.scanned_count
            if key is not None or left == 0 or size >= MEGABYTE:
                break
        total = consumed_capacity(self.table, cost, self.request.return_consumed_capacity)
        combined = ops.PageOutput(len(raws), len(raws), raws, key, total)
        return self.output(combined, number, is_last=number == len(reads))

    def output(
        self, page: ops.PageOutput, branch: int = 0, *, is_last: bool | None = None
    ) -> ops.ExecuteStatementOutput:
        """Return the output of a page; `branch` is where the next one starts."""
        key = page.last_evaluated_key
        is_last = key is None if is_last is None else is_last
        token = None if is_last else _write_token(self.request, branch, key)
        raws = page.raw_items or []
        if self.statement.labels is not None:
            raws = [project_row(self.statement, raw) for raw in raws]
        return ops.ExecuteStatementOutput(raws, token, page.consumed_capacity, key)


def key_of_select(table: Table, select: Select, operation: str) -> Item:
    """Return the key of the item that a SELECT names; raise ValidationError if it reads more."""
    if select.index is None:
        spread = _spread(table.key, select.where)
        if (key := _only_key(table, spread)) is not None:
            return key
        named, others = split_key(table, select.where)
        foreign = (part for part in others if ex.equality(part) not in [*named.items()])
        if len(spread) > 1 and isinstance(next(foreign, None), ex.In | ex.Or):
            find_branches(table, spread)  # rejects too many branches, and those that overlap
    raise ValidationError(
        f"Select statements within {operation} must specify the primary key in the where clause."
    )


def _only_key(table: Table, spread: Spread) -> Item | None:
    """Return the key if the condition names one item and nothing else, or None."""
    key: Item = {}
    if len(spread) != 1 or len(spread[0]) < len(table.key.names):
        return None
    for condition in spread[0]:
        name, value = ex.equality(condition) or ("", {})
        if key.setdefault(name, value) != value:
            return None
    return key if key.keys() == set(table.key.names) else None


def project_row(select: Select, raw: Raw | bytes) -> Raw:
    """Return what a SELECT returns of an item: nested values by the last names of their paths."""
    if select.projection is None:
        return Raw(raw)
    if select.labels is None:
        return Raw(project_json(select.projection, raw))
    item = item_from_json(raw)
    labeled = zip(select.labels, select.projection, strict=True)
    found = {label: ex.value_at(path, item) for label, path in labeled}
    return Raw(item_to_json({label: value for label, value in found.items() if value is not None}))


def _has_unprojected_filters(index: Index | None, branches: list[Branch]) -> bool:
    """Return whether to reject filters on attributes that the index lacks.

    DynamoDB accepts them if one of several branches has none.
    """
    projected = None if index is None else index.projected_attributes
    if projected is None:
        return True
    filters = [ex.condition_paths(branch.filter) for branch in branches]
    return all(any(path[0] not in projected for path in paths) for paths in filters)


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


def find_branches(target: Target, spread: Spread) -> list[Branch] | None:
    """Return the ranges that the condition limits a read to; None: the whole table or index."""
    alternatives = [_split(target.key, conditions) for conditions in spread]
    if not spread or not all(partitions for partitions, _, _ in alternatives):
        return None
    if len(spread) > MAX_READS:
        raise ValidationError(TOO_MANY_READS)
    found = [_branch(target, *parts) for parts in alternatives]
    branches = [branch for branch in found if branch is not None]
    if _are_disjoint(target.key, branches):
        return branches
    either = reduce(ex.Or, [reduce(ex.And, conditions) for conditions in spread])
    wider = [replace(b, keys=b.keys._replace(low=b"", high=None), filter=either) for b in branches]
    return [*{branch.keys.partition: branch for branch in wider}.values()]


def _spread(key: KeySchema, where: ex.Condition | None) -> Spread:
    """Return the condition as alternatives, each a list of conditions that must all hold."""
    spread: Spread = [[]]
    if where is None:
        return []
    for part in ex.conjuncts(where):
        options = _options(key, part)
        if len(spread) * len(options) > MAX_BRANCHES:
            raise ValidationError(TOO_MANY_READS)
        spread = [[*left, *right] for left in spread for right in options]
    return spread


def _options(key: KeySchema, part: ex.Condition) -> Spread:
    match part:
        case ex.Or() if any(_names_key(key, option) for option in ex.disjuncts(part)):
            return [one for option in ex.disjuncts(part) for one in _spread(key, option)]
        case ex.In(ex.At((name,)) as path, options) if name in key.names:
            return [[ex.Compare("=", path, option)] for option in options]
        case _:
            return [[part]]


def _names_key(key: KeySchema, condition: ex.Condition) -> bool:
    """Return whether one of the conditions that AND and OR join limits a key attribute."""
    parts = ex.joined(ex.And | ex.Or, condition)
    return any(_key_clause(key, part) or _options(key, part) != [[part]] for part in parts)


def _key_clause(key: KeySchema, condition: ex.Condition) -> ex.KeyClause | None:
    """Return the condition as one on a key attribute that a query supports, or None."""
    clause = ex.key_clause(condition)
    if clause is None or clause.attribute not in key.names:
        return None
    is_partition = clause.attribute == key.partition[0].name
    return None if is_partition and clause.comparator != "=" else clause


def _split(
    key: KeySchema, part: list[ex.Condition]
) -> tuple[list[ex.KeyClause], list[ex.KeyClause], list[ex.Condition]]:
    """Return the clauses on the partition key, those on the sort key, and the other conditions."""
    clauses = [(_key_clause(key, condition), condition) for condition in part]
    name = key.partition[0].name
    partitions = [clause for clause, _ in clauses if clause and clause.attribute == name]
    sorts = [clause for clause, _ in clauses if clause and clause.attribute != name]
    return partitions, sorts, [condition for clause, condition in clauses if clause is None]


def _branch(
    target: Target,
    partitions: list[ex.KeyClause],
    sorts: list[ex.KeyClause],
    filters: list[ex.Condition],
) -> Branch | None:
    """Return the range of one alternative; None if nothing matches, as with two partition keys."""
    for attributes, clauses in ((target.key.partition, partitions), (target.key.sort, sorts)):
        for clause in clauses:
            for value in clause.values:
                check_key_type(attributes[0], value)
    partition = partitions[0]
    if any(other.values != partition.values for other in partitions):
        return None
    keys = resolve_key_range(target, (partition, *sorts[:1]))
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
            paths = ex.condition_paths(branch.filter) + ex.condition_paths(reach.filter)
            if any((attribute.name,) in paths for attribute in key.sort):
                return False
            raise ValidationError(OVERLAPPING)
        reach = branch
    return True


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
