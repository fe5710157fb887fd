"""The owner's styles: what is refused, and that the rest reaches nothing but the content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tinycss2 import parse_rule_list, parse_stylesheet

from singletable_apps.portfolio.custom_css import confine
from tests.apps.portfolio.support.css import CSS_PARTS

FIRST_SELECTOR = ["#content", " "]
FIRST = "#content { contain: paint; }\n"


@pytest.mark.parametrize(
    ("source", "served"),
    [
        ("h2{color:teal}", "#content h2 { color:teal; }"),
        (".prose a:hover, :is(p,q) > b{margin:0 1em}", "#content .prose a:hover, #content :is(p,q) "
         "> b { margin:0 1em; }"),
        ("p{width:calc(1em + (2px * 3)) !important}", "#content p { width:calc(1em + (2px * 3)) "
         "!important; }"),
        ("p::before{content:'</style>'}", '#content p::before { content:"</style>"; }'),
        ("@media (width < 30em){a[href^='x']{--gap:1px}}",
         '@media (width < 30em) { #content a[href^="x"] { --gap:1px; } }'),
    ],
)  # fmt: skip
def test_allowed_rules_are_confined_to_the_content(source: str, served: str) -> None:
    stylesheet = confine(source)
    assert stylesheet.problems == ()
    assert stylesheet.text == f"{FIRST}{served}\n"
    assert re.fullmatch(r"[0-9a-f]{16}", stylesheet.digest)


# Each attack is refused with its line, and leaves nothing in the file.
@pytest.mark.parametrize(
    "attack",
    [
        # Loads something from elsewhere.
        "p{background:url(//evil.example)}",
        "p{background:url('//evil.example')}",
        "p{background:u\\72 l(//evil.example)}",
        "p{background:\\55RL(//evil.example)}",
        "p{background-image:image-set('//evil.example' 1x)}",
        "p{background-image:-webkit-image-set('//evil.example' 1x)}",
        "p{background:src('//evil.example')}",
        "p{--x:url(//evil.example)}",
        "p{border-image:cross-fade(url(x), red)}",
        "p{content:attr(data-x)}",
        "@import '//evil.example';",
        "@\\69mport '//evil.example';",
        "@font-face{font-family:x;src:url(x)}",
        "@namespace url(//evil.example);",
        "@media url(//evil.example){p{color:red}}",
        "@media print{@import '//evil.example';}",
        "p{background:url(}",
        # Covers or moves what is around it.
        "p{position:fixed}",
        "p{PoSiTiOn:fixed}",
        "p{p\\6fsition:fixed}",
        "p{inset:0}",
        "p{z-index:9}",
        "p{transform:scale(9)}",
        "p{all:unset}",
        "p{pointer-events:none}",
        "p{animation:beat 1s}",
        "@keyframes beat{to{opacity:0}}",
        "@layer x{p{color:red}}",
        "@scope (body){p{color:red}}",
        # Leaves the content.
        "+ footer{color:red}",
        "~ footer{color:red}",
        "p, + footer{color:red}",
        "/**/ ~ footer{color:red}",
        "& footer{color:red}",
        "|footer{color:red}",
        # Python takes these for spaces, and CSS for letters.
        *(f"{space}+ footer{{color:red}}" for space in ("\u00a0", "\x85", "\u2028", "\u3000")),
        "\\a0 ~ footer{color:red}",
        "p .\u00a0{color:red}",
        "p\u00a0{color:red}",
        "}footer{color:red}",
        "@media all{p;footer{color:red}}",
        "p;footer{color:red}",
        "p){color:red}",
        "p{color:red;& ~ footer{color:red}}",
        "p{@media all{color:red}}",
        "{color:red}",
        "body{color:red}",
        "p,{color:red}",
        # Runs something in an old browser, or is not CSS.
        "p{color:expression(alert(1))}",
        "p{behavior:url(x)}",
        "p{-moz-binding:url(x)}",
        "p{--x:{color:red}}",
        "p{color:red margin:0}",
        "p{color:}",
        "p{*zoom:1}",
        "p{color}",
        "</style><script>alert(1)</script>",
        "p{width:" + "(" * 4_000,
        "@media x{" * 1_000,
    ],
)
def test_attacks_are_refused_by_line(attack: str) -> None:
    stylesheet = confine(f"h2 {{ color: teal; }}\n{attack}")
    assert stylesheet.problems
    assert all(re.match(r"Line [12]: \S", each) for each in stylesheet.problems)
    for part in ("evil", "footer", "fixed", "alert", "url(", "import"):
        assert part not in stylesheet.text
    # Every rule that is left begins in the content.
    rules = re.sub(r"@media all \{ (.*) \}", r"\1", stylesheet.text)
    assert all(line.startswith("#content ") for line in rules.splitlines() if line.strip())


# What browsers read is what is served, so it is parsed again.
@given(st.lists(st.sampled_from(CSS_PARTS), min_size=1, max_size=12).map("".join))
@example("\u00a0+ footer { color: red }")
def test_every_selector_that_is_served_begins_in_the_content(source: str) -> None:
    for rule in rules_of(parse_stylesheet(confine(source).text, True, True)):
        tokens = [token.serialize() for token in rule.prelude]
        for selector in split_selectors(tokens):
            if selector != FIRST_SELECTOR:
                assert selector[:2] == ["#content", " "]
                assert selector[2][0] not in "+~>|,& "


def split_selectors(tokens: Sequence[str]) -> list[list[str]]:
    """Return the tokens of each selector, without spaces around it."""
    selectors: list[list[str]] = [[]]
    for token in tokens:
        if token == ",":
            selectors.append([])
        elif selectors[-1] or token != " ":
            selectors[-1].append(token)
    return selectors


def rules_of(nodes: Iterable[Any]) -> Iterator[Any]:
    """Yield the rules, also those in @media."""
    for node in nodes:
        if node.type == "at-rule":
            yield from rules_of(parse_rule_list(node.content, True, True))
        else:
            assert node.type == "qualified-rule"
            yield node


def test_each_refusal_names_its_line() -> None:
    problems = confine("p {\n  color: red;\n  position: fixed;\n}\n@import 'x';\n").problems
    assert [each.partition(":")[0] for each in problems] == ["Line 3", "Line 5"]
