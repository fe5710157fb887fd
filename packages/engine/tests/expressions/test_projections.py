"""Projections of items."""

from __future__ import annotations

from dynamodb_engine.expressions import Placeholders, parse_projection, project
from dynamodb_engine.values import AttributeValue, Item
from tests.expressions.parse_errors import parse_error
from tools.testing.cases import every


def text(value: str) -> AttributeValue:
    return {"S": value}


ITEM: Item = {
    "pk": text("p"),
    "m": {"M": {"a": text("a"), "b": text("b"), "c": {"M": {}}, "l": {"L": [text("x")]}}},
    "l": {
        "L": [
            {
                "M": {
                    "a": text("a0"),
                    "b": text("b0"),
                    "m": {"M": {"x": text("x0"), "y": text("y0")}},
                    "n": {
                        "L": [
                            {"M": {"p": text("p00"), "q": text("q00")}},
                            {"M": {"p": text("p01"), "q": text("q01")}},
                        ]
                    },
                }
            },
            {"M": {"a": text("a1")}},
            {"M": {"a": text("a2"), "c": text("c2")}},
        ]
    },
}


@every(
    ("projection", "expected"),
    [
        ("pk", {"pk": text("p")}),
        ("m.a", {"m": {"M": {"a": text("a")}}}),
        ("m.a, m.b", {"m": {"M": {"a": text("a"), "b": text("b")}}}),
        ("m.c", {"m": {"M": {"c": {"M": {}}}}}),
        ("l[1]", {"l": {"L": [{"M": {"a": text("a1")}}]}}),
        # Lists close up, in the order of the item.
        ("l[2].a, l[1].a", {"l": {"L": [{"M": {"a": text("a1")}}, {"M": {"a": text("a2")}}]}}),
        ("l[0].b, l[0].a", {"l": {"L": [{"M": {"a": text("a0"), "b": text("b0")}}]}}),
        (
            "l[0].m.x, l[0].m.y",
            {"l": {"L": [{"M": {"m": {"M": {"x": text("x0"), "y": text("y0")}}}}]}},
        ),
        (
            "l[0].a, l[0].m.x",
            {"l": {"L": [{"M": {"a": text("a0"), "m": {"M": {"x": text("x0")}}}}]}},
        ),
        (
            "l[0].n[0].p, l[0].n[0].q",
            {"l": {"L": [{"M": {"n": {"L": [{"M": {"p": text("p00"), "q": text("q00")}}]}}}]}},
        ),
        (
            "l[0].n[0].p, l[0].n[1].q",
            {
                "l": {
                    "L": [
                        {"M": {"n": {"L": [{"M": {"p": text("p00")}}, {"M": {"q": text("q01")}}]}}}
                    ]
                }
            },
        ),
        (
            "l[0].a, l[0].b, l[2].c",
            {"l": {"L": [{"M": {"a": text("a0"), "b": text("b0")}}, {"M": {"c": text("c2")}}]}},
        ),
        # A path to nothing leaves nothing, not even what it would lie in.
        ("gone, m.gone, l[9], l[1].gone, pk.x", {}),
        ("pk[0], m[0], l.a", {}),
        ("pk, gone", {"pk": text("p")}),
    ],
)
def test_project(projection: str, expected: Item) -> None:
    assert project(parse_projection(projection, Placeholders()), ITEM) == expected


@every(
    ("projection", "message"),
    [
        (
            "a, a",
            "Two document paths overlap with each other; "
            "must remove or rewrite one of these paths; path one: [a], path two: [a]",
        ),
        (
            "#a, #also_a.#b",
            "Two document paths overlap with each other; "
            "must remove or rewrite one of these paths; path one: [a], path two: [a, b]",
        ),
        (
            "a.b, a",
            "Two document paths overlap with each other; "
            "must remove or rewrite one of these paths; path one: [a, b], path two: [a]",
        ),
        (
            "l, l[0]",
            "Two document paths overlap with each other; "
            "must remove or rewrite one of these paths; path one: [l], path two: [l, [0]]",
        ),
        (
            "a.b, a[0]",
            "Two document paths conflict with each other; "
            "must remove or rewrite one of these paths; path one: [a, b], path two: [a, [0]]",
        ),
        (
            "#x",
            "An expression attribute name used in the document path is not defined; "
            "attribute name: #x",
        ),
        ("pk, status", "Attribute name is a reserved keyword; reserved keyword: status"),
        ("#x, a, a, and", "Attribute name is a reserved keyword; reserved keyword: and"),
        (
            "a, a, #x",
            "An expression attribute name used in the document path is not defined; "
            "attribute name: #x",
        ),
    ],
)
def test_projection_is_rejected(projection: str, message: str) -> None:
    assert parse_error(parse_projection, projection) == f"Invalid ProjectionExpression: {message}"
