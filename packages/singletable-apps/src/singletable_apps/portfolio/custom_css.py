"""The owner's styles for the content of the public site: allowed properties, confined selectors.

Everything that is not allowed by name is refused, so that nothing is loaded from elsewhere, covers
another part of the page, or reaches the pages for authors. What is served is written from the
parsed rules, never copied from the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from tinycss2 import parse_blocks_contents, parse_rule_list, parse_stylesheet, serialize
from tinycss2.ast import AtRule, Declaration, FunctionBlock, Node, QualifiedRule

from singletable_apps.shared.languages import Phrase

MAX_CSS_BYTES = 10_000
# The element around the content of each public page. Nothing in it paints outside of it.
_CONTENT = "#content"
_AT_RULES = ("media", "supports")
_PROPERTIES = (
    "accent-color aspect-ratio block-size box-shadow box-sizing caret-color clear color content "
    "counter-increment counter-reset display float gap hanging-punctuation height hyphens "
    "inline-size letter-spacing line-height object-fit object-position opacity order orphans "
    "overflow overflow-wrap quotes row-gap tab-size vertical-align visibility white-space widows "
    "width word-break word-spacing"
)
# Families: `border` and all that starts with it; and custom properties.
_FAMILIES = (
    "-- align- background border column flex font grid justify- list-style margin max- min- "
    "outline padding place- text-"
)
_FUNCTIONS = (
    "calc clamp color color-mix conic-gradient counter fit-content hsl hsla hwb lab lch light-dark "
    "linear-gradient max min minmax oklab oklch radial-gradient repeat repeating-conic-gradient "
    "repeating-linear-gradient repeating-radial-gradient rgb rgba var"
)
# The kinds of tokens and blocks, and the marks between the parts of a selector. Others, such as a
# semicolon in @media, could end the rule and begin one that is not confined.
_NAMES = "ident string number dimension hash literal whitespace comment function"
_IN_SELECTORS = {*_NAMES.split(), "[] block"}
_IN_VALUES = _IN_SELECTORS | {"percentage", "unicode-range", "() block"}
_MARKS = set(".:>+~*|=^$,-")
# Python's `strip` and `split` know more spaces than CSS, to which those are letters of a name.
_SPACES = frozenset(" \t\n\r\f")


@dataclass(frozen=True, slots=True)
class Stylesheet:
    """What is served, and a sentence with its line for everything that is refused."""

    text: str
    problems: tuple[Phrase, ...]

    @property
    def digest(self) -> str:
        """Return the version of the file in its URL; empty if there is nothing to serve."""
        return sha256(self.text.encode()).hexdigest()[:16] if self.text else ""


@lru_cache(maxsize=8)
def confine(source: str) -> Stylesheet:
    """Return the allowed rules of a stylesheet, which match only the content of the site."""
    parser = _Parser()
    nodes = parse_stylesheet(source, skip_comments=True, skip_whitespace=True)
    try:
        rules = list(parser.rules(nodes))
    except RecursionError:
        return Stylesheet("", (_problem(1, "The brackets are nested too deeply."),))
    text = "\n".join([f"{_CONTENT} {{ contain: paint; }}", *rules, ""]) if rules else ""
    return Stylesheet(text, tuple(parser.problems))


def _problem(line: int, text: str, name: str = "") -> Phrase:
    return Phrase("Line %(line)s: %(reason)s", line=line, reason=Phrase(text, name=name))


class _Parser:
    """Yields what is allowed, and notes the rest."""

    def __init__(self) -> None:
        self.problems: list[Phrase] = []

    def rules(self, nodes: Iterable[Node]) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, QualifiedRule):
                selectors = ", ".join(self._selectors(node))
                declarations = " ".join(self._declarations(node))
                if selectors and declarations:
                    yield f"{selectors} {{ {declarations} }}"
            elif not isinstance(node, AtRule):
                self._refuse(node, "This is not a rule. Expected, for example: h2 { color: teal; }")
            elif node.lower_at_keyword not in _AT_RULES or node.content is None:
                text = "@%(name)s is not allowed, only @media and @supports."
                self._refuse(node, text, node.at_keyword)
            elif self._is_allowed(node.prelude):
                inner = parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
                if rules := " ".join(self.rules(inner)):
                    yield f"@{node.lower_at_keyword}{serialize(node.prelude)} {{ {rules} }}"

    def _refuse(self, node: Node, text: str, name: str = "") -> None:
        self.problems.append(_problem(node.source_line, text, name))

    def _selectors(self, rule: QualifiedRule) -> Iterator[str]:
        parts: list[list[Node]] = [[]]
        for token in rule.prelude:
            if token.serialize() == ",":
                parts.append([])
            elif token.type not in ("whitespace", "comment") or parts[-1]:
                parts[-1].append(token)
        for part in parts:
            while part and part[-1].type in ("whitespace", "comment"):
                part.pop()
            first = part[0].serialize().lower() if part else ""
            # After `#content`, a combinator would lead out of it: `#content + footer`.
            if not part or (part[0].type == "literal" and first not in (".", ":", "*")):
                self._refuse(rule, "Expected a selector, such as h2 or .prose a.")
            elif first in ("html", "body"):
                self._refuse(rule, "%(name)s is outside of the content. Try * instead.", first)
            elif self._is_allowed(part, is_selector=True):
                yield f"{_CONTENT} {serialize(part)}"

    def _declarations(self, rule: QualifiedRule) -> Iterator[str]:
        nodes = parse_blocks_contents(rule.content, skip_comments=True, skip_whitespace=True)
        names, families = _PROPERTIES.split(), tuple(_FAMILIES.split())
        for node in nodes:
            if isinstance(node, QualifiedRule | AtRule):
                self._refuse(node, "Rules cannot be inside each other.")
            elif not isinstance(node, Declaration):
                self._refuse(node, "Expected a property and a value, such as color: teal;")
            elif not (node.lower_name in names or node.lower_name.startswith(families)):
                self._refuse(node, "The property %(name)s is not allowed.", node.name)
            elif not node.value or any(token.serialize() == ":" for token in node.value):
                text = "The value of %(name)s is not complete: end it with “;”."
                self._refuse(node, text, node.name)
            elif self._is_allowed(node.value):
                yield f"{node.serialize()};"

    def _is_allowed(self, tokens: Iterable[Node], *, is_selector: bool = False) -> bool:
        """Return whether all tokens are allowed, also those in blocks and functions."""
        types = _IN_SELECTORS if is_selector else _IN_VALUES
        for token in tokens:
            name = token.lower_name if isinstance(token, FunctionBlock) else ""
            is_mark = is_selector and token.type == "literal"
            if token.type == "url" or name in ("url", "src", "image", "image-set"):
                self._refuse(token, "Files cannot be loaded: url() is not allowed.")
            elif token.type not in types or (is_mark and set(token.serialize()) - _MARKS):
                self._refuse(token, "This is not allowed here: %(name)s", token.serialize()[:40])
            elif is_selector and token.type != "string" and _has_other_space(token):
                text = (
                    "This has a character that looks like a space: %(name)s. Type the space again."
                )
                self._refuse(token, text, token.serialize()[:40])
            elif name and not is_selector and name not in _FUNCTIONS.split():
                self._refuse(token, "The function %(name)s() is not allowed.", name)
            else:
                inner = getattr(token, "arguments" if name else "content", ())
                if self._is_allowed(inner, is_selector=is_selector):
                    continue
            return False
        return True


def _has_other_space(token: Node) -> bool:
    """Return whether a name contains a character that looks like a space, such as U+00A0."""
    name = str(getattr(token, "value", None) or getattr(token, "name", None) or "")
    return any(letter.isspace() and letter not in _SPACES for letter in name)
