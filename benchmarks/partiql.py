"""The same requests in process as PartiQL statements and as operations with expressions."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager

from benchmarks.harness import workload
from benchmarks.harness.measurement import Scale
from benchmarks.harness.report import ReportTable, Target, format_rate, format_ratio
from benchmarks.in_process.comparison import compare
from benchmarks.in_process.embedded import EmbeddedContender
from singletable import AttributeValue, Driver, ExecuteStatement, Item, PutItem, Query, connect

CLAIM = "a PartiQL statement takes at most 1.3 times the time of the same request with expressions"
TARGET = Target(at_most=1.3)
COLUMNS = ["in memory", "PartiQL", "expressions", "ratio", "target"]
COUNT = 4  # put, get, query, update


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure requests per second; both read an item by its key with a condition."""
    rows = [_row(*figures) for figures in compare(_statements, _expressions, scale, COUNT)]
    yield ReportTable("In process: PartiQL and expressions", COLUMNS, rows)


def _row(name: str, ours: float, theirs: float) -> list[str]:
    ratio = theirs / ours
    return [
        name,
        format_rate(ours),
        format_rate(theirs),
        format_ratio(ratio),
        TARGET.verdict(ratio),
    ]


class _Expressions(EmbeddedContender):
    """Operations with expressions. GetItem has none, so a query by the whole key is compared."""

    def put(self, item: Item) -> None:
        condition = "attribute_not_exists(PK)"
        self._execute(PutItem(workload.TABLE, item, condition_expression=condition))

    def get(self, key: Item) -> Item | None:
        query = Query(
            workload.TABLE,
            key_condition_expression="PK = :p AND SK = :s",
            expression_attribute_values={":p": key["PK"], ":s": key["SK"]},
        )
        return next(iter(self._execute(query).items), None)


class _Statements(EmbeddedContender):
    """The same requests as statements."""

    def __init__(self, engine: Driver) -> None:
        super().__init__(engine)
        self._table = f'"{workload.TABLE}"'

    def _run(self, statement: str, *parameters: AttributeValue) -> list[Item]:
        return self._execute(ExecuteStatement(statement, list(parameters))).items

    def put(self, item: Item) -> None:
        attributes = ", ".join(f"'{name}': ?" for name in item)
        self._run(f"INSERT INTO {self._table} VALUE {{{attributes}}}", *item.values())

    def get(self, key: Item) -> Item | None:
        where = " AND ".join(f"{name} = ?" for name in key)
        return next(
            iter(self._run(f"SELECT * FROM {self._table} WHERE {where}", *key.values())), None
        )

    def query(self, partition: str) -> Sequence[Item]:
        return self._run(f"SELECT * FROM {self._table} WHERE PK = ?", {"S": partition})

    def update(self, partition: str, sort: str) -> None:
        self._run(
            f"UPDATE {self._table} SET years = years + ? WHERE PK = ? AND SK = ? AND years >= ?",
            {"N": "1"},
            {"S": partition},
            {"S": sort},
            {"N": "0"},
        )


@contextmanager
def _statements() -> Generator[EmbeddedContender]:
    with connect("memory:") as engine:
        yield _Statements(engine)


@contextmanager
def _expressions() -> Generator[EmbeddedContender]:
    with connect("memory:") as engine:
        yield _Expressions(engine)
