"""Hypothesis strategies for valid values, items and expressions."""

from __future__ import annotations

from base64 import b64encode

from hypothesis import strategies as st

from dynamodb_engine import expressions
from dynamodb_engine.expressions.evaluation import compare
from dynamodb_engine.values import AttributeValue, Item, canonical_number, check_value

# Few names, so that expressions refer to attributes that items have; some need a placeholder.
NAMES = ["a", "b", "status", "x.y", "über", "#n0", "0"]
TYPES = ["S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
numbers = st.one_of(
    st.integers(-12, 12).map(str),
    st.decimals(-99, 99, places=2, allow_nan=False).map(lambda d: canonical_number(str(d))),
)
binaries = st.binary(max_size=3).map(lambda data: b64encode(data).decode())


def text_values() -> st.SearchStrategy[AttributeValue]:
    return texts.map(lambda text: AttributeValue(S=text))


def number_values() -> st.SearchStrategy[AttributeValue]:
    return numbers.map(lambda text: AttributeValue(N=text))


def binary_values() -> st.SearchStrategy[AttributeValue]:
    return binaries.map(lambda text: AttributeValue(B=text))


def sets() -> st.SearchStrategy[AttributeValue]:
    return st.one_of(
        st.lists(texts, min_size=1, max_size=3, unique=True).map(lambda m: AttributeValue(SS=m)),
        st.lists(numbers, min_size=1, max_size=3, unique=True).map(lambda m: AttributeValue(NS=m)),
        st.lists(binaries, min_size=1, max_size=3, unique=True).map(lambda m: AttributeValue(BS=m)),
    ).map(lambda value: check_value(value)[0])


def lists(
    inner: st.SearchStrategy[AttributeValue],
) -> st.SearchStrategy[AttributeValue]:
    return st.lists(inner, max_size=3).map(lambda elements: AttributeValue(L=elements))


def maps(inner: st.SearchStrategy[AttributeValue]) -> st.SearchStrategy[AttributeValue]:
    return st.dictionaries(st.sampled_from(NAMES), inner, max_size=3).map(
        lambda members: AttributeValue(M=members)
    )


ordered_values = st.one_of(text_values(), number_values(), binary_values())
simple_values = st.one_of(
    ordered_values,
    sets(),
    st.booleans().map(lambda flag: AttributeValue(BOOL=flag)),
    st.just(AttributeValue(NULL=True)),
)
values: st.SearchStrategy[AttributeValue] = st.recursive(
    simple_values, lambda inner: st.one_of(lists(inner), maps(inner)), max_leaves=6
)
items: st.SearchStrategy[Item] = st.dictionaries(st.sampled_from(NAMES), values, max_size=5)

steps = st.one_of(st.sampled_from(NAMES), st.integers(0, 4))
paths: st.SearchStrategy[expressions.Path] = st.tuples(
    st.sampled_from(NAMES), st.lists(steps, max_size=2)
).map(lambda path: (path[0], *path[1]))


def constants(
    of: st.SearchStrategy[AttributeValue],
) -> st.SearchStrategy[expressions.Operand]:
    return of.map(expressions.Constant)


ats: st.SearchStrategy[expressions.Operand] = paths.map(expressions.At)
sizes: st.SearchStrategy[expressions.Operand] = paths.map(expressions.SizeOf)
operands = st.one_of(ats, sizes, constants(values))
ordered_operands = st.one_of(ats, sizes, constants(ordered_values))
prefixes = st.one_of(ats, constants(st.one_of(text_values(), binary_values())))


def _differ(pair: tuple[expressions.Operand, expressions.Operand]) -> bool:
    """Return False for a path with itself, which DynamoDB rejects."""
    return not (isinstance(pair[0], expressions.At) and pair[0] == pair[1])


def _ascend(bounds: tuple[expressions.Operand, expressions.Operand, expressions.Operand]) -> bool:
    """Return False for bounds of different types or in the wrong order, which DynamoDB rejects."""
    _, low, high = bounds
    if isinstance(low, expressions.Constant) and isinstance(high, expressions.Constant):
        return compare("<=", low.value, high.value)
    return True


def _comparison(
    comparator: expressions.Comparator, operands: tuple[expressions.Operand, expressions.Operand]
) -> expressions.Condition:
    return expressions.Compare(comparator, *operands)


clauses: st.SearchStrategy[expressions.Condition] = st.one_of(
    st.builds(
        _comparison, st.sampled_from(["=", "<>"]), st.tuples(operands, operands).filter(_differ)
    ),
    st.builds(
        _comparison,
        st.sampled_from(["<", "<=", ">", ">="]),
        st.tuples(ordered_operands, ordered_operands).filter(_differ),
    ),
    st.tuples(ordered_operands, ordered_operands, ordered_operands)
    .filter(_ascend)
    .map(lambda bounds: expressions.Between(*bounds)),
    st.builds(expressions.In, operands, st.lists(operands, min_size=1, max_size=3).map(tuple)),
    paths.map(expressions.Exists),
    paths.map(expressions.NotExists),
    st.builds(expressions.HasType, operands, st.sampled_from(TYPES)),
    st.tuples(prefixes, prefixes).filter(_differ).map(lambda pair: expressions.BeginsWith(*pair)),
    st.tuples(operands, operands).filter(_differ).map(lambda pair: expressions.Contains(*pair)),
)
conditions: st.SearchStrategy[expressions.Condition] = st.recursive(
    clauses,
    lambda inner: st.one_of(
        st.builds(expressions.And, inner, inner),
        st.builds(expressions.Or, inner, inner),
        st.builds(expressions.Not, inner),
    ),
    max_leaves=8,
)


def terms_of(
    kind: st.SearchStrategy[AttributeValue],
) -> st.SearchStrategy[expressions.Term]:
    """Generate paths, values, and if_not_exists of them."""
    simple: st.SearchStrategy[expressions.Term] = st.one_of(
        paths.map(expressions.At), kind.map(expressions.Constant)
    )
    return st.recursive(
        simple, lambda inner: st.builds(expressions.IfNotExists, paths, inner), max_leaves=3
    )


terms: st.SearchStrategy[expressions.Term] = st.one_of(
    terms_of(values),
    st.builds(
        expressions.Sum,
        st.sampled_from(["+", "-"]),
        terms_of(number_values()),
        terms_of(number_values()),
    ),
    st.builds(
        expressions.ListAppend, terms_of(lists(simple_values)), terms_of(lists(simple_values))
    ),
)


def disjoint(paths: list[expressions.Path]) -> list[expressions.Path]:
    """Return the paths that neither overlap nor conflict with an earlier one."""
    kept: list[expressions.Path] = []
    for path in paths:
        if all(_disjoint(path, other) for other in kept):
            kept.append(path)
    return kept


def _disjoint(one: expressions.Path, other: expressions.Path) -> bool:
    for step, rival in zip(one, other, strict=False):
        if step != rival:
            return step.__class__ is rival.__class__
    return False


def _actions(path: expressions.Path) -> st.SearchStrategy[expressions.Action]:
    return st.one_of(
        terms.map(lambda term: expressions.Set(path, term)),
        st.just(expressions.Remove(path)),
        st.one_of(number_values(), sets()).map(lambda value: expressions.Add(path, value)),
        sets().map(lambda value: expressions.Delete(path, value)),
    )


projections = st.lists(paths, min_size=1, max_size=5).map(lambda paths: tuple(disjoint(paths)))
updates: st.SearchStrategy[expressions.Update] = projections.flatmap(
    lambda paths: st.tuples(*[_actions(path) for path in paths])
)


def _key_clause(
    name: str, comparator: expressions.KeyComparator, value: AttributeValue
) -> expressions.KeyClause:
    return expressions.KeyClause(
        name, comparator, (value, value) if comparator == "BETWEEN" else (value,)
    )


key_conditions: st.SearchStrategy[expressions.KeyCondition] = st.lists(
    st.one_of(
        st.builds(
            _key_clause,
            st.sampled_from(NAMES),
            st.sampled_from(["=", "<", "<=", ">", ">=", "BETWEEN"]),
            ordered_values,
        ),
        st.builds(
            _key_clause,
            st.sampled_from(NAMES),
            st.just("begins_with"),
            st.one_of(text_values(), binary_values()),
        ),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda clause: clause.attribute,
).map(tuple)
