"""The owner's styles: what is refused, and that the rest reaches nothing but the content."""

from __future__ import annotations

import re

import pytest

from singletable_apps.portfolio.custom_css import confine

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


def test_each_refusal_names_its_line() -> None:
    problems = confine("p {\n  color: red;\n  position: fixed;\n}\n@import 'x';\n").problems
    assert [each.partition(":")[0] for each in problems] == ["Line 3", "Line 5"]
