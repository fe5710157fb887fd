"""Render the pages of docs/reference as Markdown."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dynamodb_engine.operations.registry import OPERATIONS
from singletable import errors
from tools.reference import commands
from tools.reference.contents import Contents, Placement, build_contents
from tools.reference.definitions import Definition, Function, find, functions, is_overload
from tools.reference.pages import BRIEF, EXAMPLE_NAMES, INTERNAL_MEMBERS, Page
from tools.reference.signatures import class_signature, function_signature, is_error

FOLDER = Path(__file__).resolve().parents[2] / "docs/reference"
EXAMPLES = Path(__file__).resolve().parent / "examples"


def render() -> dict[str, str]:
    """Return every page by its file name."""
    contents = build_contents()
    pages = {f"{page.name}.md": _text(_page(contents, page)) for page in contents.pages}
    pages[f"{commands.NAME}.md"] = _text(commands.lines())
    pages["README.md"] = _text(_index(contents))
    return pages


def _text(lines: Iterator[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


def _index(contents: Contents) -> Iterator[str]:
    yield from ("# Reference", "")
    yield "Generated from the code by `make reference`. See the [guide](../guide/README.md) for how"
    yield "to use it."
    yield ""
    for page in contents.pages:
        yield from (f"## [{page.title}]({page.name}.md)", "")
        for section in page.sections[:-1] if page.long else page.sections:
            names = [_link(one, "README") for one in contents.sections[page.name, section.title]]
            yield from (f"{section.title}: {' · '.join(names)}", "")
    yield f"## [{commands.TITLE}]({commands.NAME}.md)"


def _page(contents: Contents, page: Page) -> Iterator[str]:
    yield from (f"# {page.title}", "", page.introduction, "")
    if page.name == "errors":
        tree = (errors.__doc__ or "").partition("\n\n")[2].partition("\n\n")[0]
        yield from ("```text", tree, "```", "")
    if page.name == "operations":
        yield from _operations_table(contents)
    examples = _examples(page)
    for section in page.sections:
        if len(page.sections) > 1:
            yield from (f"## {section.title}", "")
        if section.title in examples:
            yield from ("```python", examples[section.title], "```", "")
        for placement in contents.sections[page.name, section.title]:
            yield from _placed_entry(contents, placement)


def _examples(page: Page) -> dict[str, str]:
    """Return the examples of a page by section: the parts of a file, which are one session."""
    file = EXAMPLES / f"{page.name}.py"
    if not file.exists():
        return {}
    _, *parts = re.split(r"^# ## (.+)\n", file.read_text(), flags=re.MULTILINE)
    return {title: text.strip() for title, text in zip(parts[::2], parts[1::2], strict=True)}


def _operations_table(contents: Contents) -> Iterator[str]:
    """Yield the facts about every operation in the registry."""
    links = {
        placement.definition.name: _link(placement, page)
        for (page, _), placements in contents.sections.items()
        if page == "operations"
        for placement in placements
    }
    yield "*Retried* says whether a request that may have been applied is sent again. *Other*"
    yield "*faults* can be injected besides throttling, unavailability and internal errors."
    yield ""
    yield "| operation | kind | permission | retried | other faults |"
    yield "|---|---|---|---|---|"
    for spec in OPERATIONS.values():
        is_transaction = spec.name.startswith("Transact")
        permission = "of each action" if is_transaction else f"`{spec.action}`"
        faults = ", ".join(f"`{fault}`" for fault in spec.faults)
        kind = "write" if spec.writes else "read"
        if "Execute" in spec.name:
            kind, permission = "read or write", "of each statement"
        yield f"| {links[spec.name]} | {kind} | {permission} | {spec.idempotent} | {faults} |"
    yield ""


def _placed_entry(contents: Contents, placement: Placement) -> Iterator[str]:
    entry = create_entry(placement.definition)
    yield from (f"### {placement.heading}", "", *entry.lines)
    aliases: list[str] = []
    links: list[str] = []
    for name, definition in entry.mentions.items():
        target = contents.find(definition)
        if target is not None:
            links.append(_link(target, placement.page))
        elif meaning := _alias(definition):
            aliases.append(f"`{name}` is `{meaning}`")
            inner = (find(definition.module, part) for part in _type_names(meaning))
            targets = (contents.find(part) for part in inner if part is not None)
            links += [_link(one, placement.page) for one in targets if one is not None]
    if aliases:
        yield from (f"Here {'; '.join(aliases)}.", "")
    if links:
        yield from (f"See {', '.join(dict.fromkeys(links))}.", "")


def _alias(definition: Definition) -> str:
    """Return the definition of a type alias, or "" if it is a type."""
    value = getattr(definition.node, "value", None)
    return "" if value is None else definition.source(value).strip("\"'")


def _link(to: Placement, page: str) -> str:
    target = f"#{to.anchor}" if to.page == page else f"{to.page}.md#{to.anchor}"
    return f"[{to.definition.name}]({target})"


@dataclass
class Entry:
    """The lines about one name, and the names that its signatures mention."""

    definition: Definition
    lines: list[str] = field(default_factory=list[str])
    mentions: dict[str, Definition] = field(default_factory=dict[str, Definition])

    def add_code(self, *signatures: str) -> None:
        """Add signatures, and record the names in them."""
        self.lines += ["```py", *signatures, "```", ""]
        for name in _type_names(" ".join(signatures)):
            self.mention(name)

    def add_text(self, text: str) -> None:
        """Add a paragraph, unless it is empty."""
        if text:
            self.lines += [text, ""]

    def mention(self, name: str) -> None:
        """Record a name if it is defined in singletable."""
        definition = find(self.definition.module, name) or find("dynamodb_engine.operations", name)
        if definition is not None and definition.name != self.definition.name:
            self.mentions.setdefault(name, definition)


@dataclass(frozen=True, slots=True)
class Member:
    """A method or a property."""

    name: str
    signature: str
    text: str


def create_entry(definition: Definition) -> Entry:
    """Describe a name: its signature, its docstring and its members."""
    entry = Entry(definition)
    match definition.node:
        case ast.ClassDef() as node:
            _describe_class(entry, node)
        case ast.AnnAssign() as node:
            value = "" if node.value is None else definition.source(node.value)
            entry.add_code(f"{definition.name} = {value}")
        case node:
            namesakes = [one for one in functions(definition.module) if one.name == definition.name]
            overloads = [one for one in namesakes if is_overload(one)]
            entry.add_code(
                function_signature(definition, node, definition.name, overloads=overloads)
            )
            entry.add_text(definition.docstring)
    return entry


def _describe_class(entry: Entry, node: ast.ClassDef) -> None:
    where = entry.definition
    entry.add_code(class_signature(where, node))
    entry.add_text(where.docstring)
    for name, comment in _field_comments(where, node):
        entry.lines.append(f"- `{name}`: {comment}")
    if entry.lines[-1]:
        entry.lines.append("")
    if is_error(where):
        # The tree at the top of the page shows the base classes.
        entry.mentions.clear()
        entry.add_text(_error_attributes(node))
    output = _output(node)
    if output:
        entry.add_text(f"Returns `{output}`.")
        entry.mention(output)
    members = list(_members(where, node))
    if where.name in BRIEF and members:
        entry.add_code(*(member.signature for member in members))
        return
    for member in members:
        entry.add_text(f"#### {where.name}.{member.name}" if member.name else "")
        entry.add_code(member.signature)
        entry.add_text(member.text)


def _members(where: Definition, node: ast.ClassDef) -> Iterator[Member]:
    """Iterate over the public members, in source order."""
    hidden = INTERNAL_MEMBERS.get(where.name, "").split()
    methods = [member for member in node.body if isinstance(member, Function)]
    for method in methods:
        text = ast.get_docstring(method)
        private = method.name.startswith("_") and method.name != "__call__"
        if is_overload(method) or method.name in hidden or private or text is None:
            continue
        overloads = [one for one in methods if one.name == method.name and is_overload(one)]
        decorators = [ast.unparse(decorator) for decorator in method.decorator_list]
        if "property" in decorators:
            kind = "" if method.returns is None else f": {where.source(method.returns)}"
            yield Member(method.name, f"{method.name}{kind}", text)
            continue
        name = f"{where.name}.{method.name}" if "classmethod" in decorators else method.name
        name = _instance_name(where.name) if method.name == "__call__" else name
        signature = function_signature(where, method, name, method=True, overloads=overloads)
        yield Member("" if method.name == "__call__" else method.name, signature, text)


def _type_names(text: str) -> list[str]:
    """Return the possible names of types in a piece of code, without duplicates."""
    return list(dict.fromkeys(re.findall(r"(?<![.\w])[A-Z]\w+", text)))


def _instance_name(name: str) -> str:
    """Return a variable name for an instance of the class."""
    return EXAMPLE_NAMES.get(name) or re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _output(node: ast.ClassDef) -> str:
    """Return the output type of an operation, or ""."""
    for base in node.bases:
        if isinstance(base, ast.Subscript) and ast.unparse(base.value) == "Operation":
            return ast.unparse(base.slice)
    return ""


def _field_comments(where: Definition, node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Iterate over the public fields with a comment above them."""
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            comment = where.comment_above(statement.lineno)
            if comment and not statement.target.id.startswith("_"):
                yield statement.target.id, comment


def _error_attributes(node: ast.ClassDef) -> str:
    """Return the AWS code of an exception, and the attributes that its constructor sets."""
    names: dict[str, None] = {}
    is_direct = "OperationError" in [ast.unparse(base) for base in node.bases]
    code = f"AWS code: `{node.name}Exception`." if is_direct else ""
    for statement in ast.walk(node):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        target = statement.target if isinstance(statement, ast.AnnAssign) else target
        if (
            isinstance(target, ast.Attribute)
            and ast.unparse(target).startswith("self.")
            and not (target.attr.startswith("_"))
        ):
            names[target.attr] = None
        elif isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "code":
            code = f"AWS code: `{ast.literal_eval(statement.value)}`."
    attributes = f"Attributes: {', '.join(f'`{name}`' for name in names)}." if names else ""
    return " ".join(part for part in (code, attributes) if part)
