"""What the reference says about one name: how it is used, what it is, and its members."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tools.reference.made import is_error, made
from tools.reference.pages import BRIEF, CALLED, PLUMBING
from tools.reference.signature import of_function
from tools.reference.source import Definition, Function, find, functions, is_overload


@dataclass
class Entry:
    """The lines about one name, and the names that its signatures speak of."""

    definition: Definition
    lines: list[str] = field(default_factory=list[str])
    mentions: dict[str, Definition] = field(default_factory=dict[str, Definition])

    def code(self, *signatures: str) -> None:
        """Show signatures, and remember what they speak of."""
        self.lines += ["```py", *signatures, "```", ""]
        for name in names_in(" ".join(signatures)):
            self.mention(name)

    def say(self, text: str) -> None:
        """Show a text, if there is one."""
        if text:
            self.lines += [text, ""]

    def mention(self, name: str) -> None:
        """Remember what a name stands for, if it is one of ours."""
        found = find(self.definition.module, name)
        if found is not None and found.name != self.definition.name:
            self.mentions.setdefault(name, found)


@dataclass(frozen=True, slots=True)
class Member:
    """A method or a property."""

    name: str
    signature: str
    text: str


def names_in(text: str) -> list[str]:
    """What may be names of types in a piece of code, each once."""
    return list(dict.fromkeys(re.findall(r"(?<![.\w])[A-Z]\w+", text)))


def entry_of(definition: Definition) -> Entry:
    """All that is said about a name."""
    entry = Entry(definition)
    match definition.node:
        case ast.ClassDef() as node:
            _class(entry, node)
        case ast.AnnAssign() as node:
            value = "" if node.value is None else definition.said(node.value)
            entry.code(f"{definition.name} = {value}")
        case node:
            several = [one for one in functions(definition.module) if one.name == definition.name]
            overloads = [one for one in several if is_overload(one)]
            entry.code(of_function(definition, node, definition.name, overloads=overloads))
            entry.say(definition.text)
    return entry


def _class(entry: Entry, node: ast.ClassDef) -> None:
    where = entry.definition
    entry.code(made(where, node))
    entry.say(where.text)
    for name, told in _comments(where, node):
        entry.lines.append(f"- `{name}`: {told}")
    if entry.lines[-1]:
        entry.lines.append("")
    if is_error(where):
        # The tree at the top of the page says what it is a kind of.
        entry.mentions.clear()
        entry.say(_carried(where, node))
    answer = _answer(node)
    if answer:
        entry.say(f"Its answer is `{answer}`.")
        entry.mention(answer)
    members = list(_members(where, node))
    if where.name in BRIEF and members:
        entry.code(*(member.signature for member in members))
        return
    for member in members:
        entry.say(f"#### {where.name}.{member.name}" if member.name else "")
        entry.code(member.signature)
        entry.say(member.text)


def _members(where: Definition, node: ast.ClassDef) -> Iterator[Member]:
    """The public members, in the order of the source."""
    hidden = PLUMBING.get(where.name, "").split()
    methods = [one for one in node.body if isinstance(one, Function)]
    for one in methods:
        text = ast.get_docstring(one)
        private = one.name.startswith("_") and one.name != "__call__"
        if is_overload(one) or one.name in hidden or private or text is None:
            continue
        overloads = [other for other in methods if other.name == one.name and is_overload(other)]
        words = [ast.unparse(by) for by in one.decorator_list]
        if "property" in words:
            kind = "" if one.returns is None else f": {where.said(one.returns)}"
            yield Member(one.name, f"{one.name}{kind}", text)
            continue
        name = f"{where.name}.{one.name}" if "classmethod" in words else one.name
        name = _called(where.name) if one.name == "__call__" else name
        signature = of_function(where, one, name, method=True, overloads=overloads)
        yield Member("" if one.name == "__call__" else one.name, signature, text)


def _called(name: str) -> str:
    """What an instance is called by whoever has one."""
    return CALLED.get(name) or re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _answer(node: ast.ClassDef) -> str:
    for base in node.bases:
        if isinstance(base, ast.Subscript) and ast.unparse(base.value) == "Operation":
            return ast.unparse(base.slice)
    return ""


def _comments(where: Definition, node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """The fields that have a comment above them, and what it says."""
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            told = where.comment_above(one.lineno)
            if told and not one.target.id.startswith("_"):
                yield one.target.id, told


def _carried(where: Definition, node: ast.ClassDef) -> str:
    """What an exception is called at AWS, and what its constructor keeps on it."""
    found: dict[str, None] = {}
    code = ""
    for one in ast.walk(node):
        target = one.targets[0] if isinstance(one, ast.Assign) else None
        target = one.target if isinstance(one, ast.AnnAssign) else target
        if isinstance(target, ast.Attribute) and not target.attr.startswith("_"):
            found[target.attr] = None
        elif isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "code":
            code = f"At AWS: `{ast.literal_eval(one.value)}`."
    carries = f"Carries {', '.join(f'`{name}`' for name in found)}." if found else ""
    return " ".join(part for part in (code, carries) if part)
