"""Edit the source of a module in a few places; everything else stays as it is."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from importlib.util import resolve_name
from pathlib import Path
from typing import Literal, TypeAlias

from singletable.errors import DeclarationError
from singletable.schema.source import WIDTH, render_import


class CannotEdit(DeclarationError):
    """A module is written in a way that cannot be edited safely; nothing is written."""


@dataclass(slots=True)
class Group:
    """Members in brackets: a call, list or dict. `begin` ends with the opening bracket.

    A comma after the last member keeps each member on a line of its own, as in formatters.
    """

    begin: str
    members: list[Group | str]
    end: str
    trailing_comma: bool = False

    def render(self, indent: int, width: int) -> str:
        """Return the source, wrapped as ruff and black would wrap it."""
        line = self.flat()
        if not self._is_split() and indent + len(line) <= width:
            return line
        space = " " * indent
        inner = f"{space}    {', '.join(map(_flat, self.members))}"
        # The arguments of a call may share a line; the members of a list or dict do not.
        if not self._is_split() and self.end.startswith(")") and len(inner) <= width:
            return f"{self.begin}\n{inner}\n{space}{self.end}"
        members = [
            one if isinstance(one, str) else one.render(indent + 4, width - 1)
            for one in self.members
        ]
        lines = "".join(f"{space}    {one},\n" for one in members)
        return f"{self.begin}\n{lines}{space}{self.end}"

    def flat(self) -> str:
        """Return the source on one line."""
        return f"{self.begin}{', '.join(map(_flat, self.members))}{self.end}"

    def _is_split(self) -> bool:
        inner = [one for one in self.members if isinstance(one, Group)]
        return self.trailing_comma or any(one._is_split() for one in inner)


def _flat(member: Group | str) -> str:
    return member if isinstance(member, str) else member.flat()


Brackets: TypeAlias = Literal["[]", "{}"]


@dataclass(slots=True)
class ModuleSource:
    """The source of a module, and the edits to make in it. Offsets count bytes, as in `ast`."""

    name: str
    path: Path
    before: str = field(init=False)
    width: int = field(init=False)
    _bytes: bytes = field(init=False)
    _tree: ast.Module = field(init=False)
    # The offset at which each line starts, and the end.
    _starts: list[int] = field(init=False)
    _edits: list[tuple[int, int, str]] = field(
        init=False, default_factory=list[tuple[int, int, str]]
    )
    _calls: dict[ast.Call, Group] = field(init=False, default_factory=dict[ast.Call, Group])
    _imports: dict[str, set[str]] = field(init=False, default_factory=dict[str, set[str]])

    def __post_init__(self) -> None:
        try:
            self.before = self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DeclarationError(f"'{self.path}' cannot be read: {error}.") from None
        self.width = line_length(self.path)
        self._bytes = self.before.encode()
        self._tree = ast.parse(self._bytes)
        self._starts = [0]
        for line in self._bytes.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    @property
    def after(self) -> str:
        """The source with all edits."""
        edits = [*self._edits, *(self._import_edit(*one) for one in sorted(self._imports.items()))]
        for call, group in self._calls.items():
            start = self._start(call)
            before = self._bytes[self._starts[call.lineno - 1] : start].decode()
            whole = replace(group, begin=f"{before}{group.begin}")
            text = whole.render(len(before) - len(before.lstrip()), self.width)
            edits.append((start, self._end(call), text.removeprefix(before)))
        source = self._bytes
        # From the end, so that offsets stay valid; of several insertions, the first stays first.
        order = sorted(enumerate(edits), key=lambda one: (one[1][0], one[0]), reverse=True)
        for _, (start, end, new) in order:
            source = source[:start] + new.encode() + source[end:]
        return source.decode()

    def find_call(self, variable: str) -> ast.Call:
        """Return the call that is assigned to a variable at the top level."""
        for node in self._tree.body:
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call)
                ) if name == variable:
                    return call
                case _:
                    pass
        raise CannotEdit(
            f"{self.name} has no line {variable} = …(…) at the top level, which would be edited."
        )

    # Insert code

    def insert_before(self, node: ast.expr, text: str) -> None:
        """Insert lines before the statement that contains a node."""
        statement = next(
            one for one in self._tree.body if one.lineno <= node.lineno <= _last_line(one)
        )
        start = self._starts[statement.lineno - 1]
        self._edits.append((start, start, text))

    def insert_class(self, text: str, after: Iterable[str]) -> None:
        """Insert a class after the last of some classes, or at the end if there are none."""
        known = set(after)
        lines = [
            _last_line(one)
            for one in self._tree.body
            if isinstance(one, ast.ClassDef) and one.name in known
        ]
        self._insert_after_line(lines[-1] if lines else None, f"\n\n{text}")

    def insert_before_method_call(self, variable: str, method: str, text: str) -> None:
        """Insert lines before `variable.method()` at the top level, or at the end without it."""
        for node in self._tree.body:
            match node:
                case ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attribute))
                ) if (name, attribute) == (variable, method):
                    start = self._starts[node.lineno - 1]
                    lead = "" if self._bytes[:start].endswith(b"\n\n") else "\n"
                    self._edits.append((start, start, f"{lead}{text}\n"))
                    return
                case _:
                    pass
        self._insert_after_line(None, f"\n{text}")

    def _insert_after_line(self, line: int | None, text: str) -> None:
        """Insert lines after a line, or at the end; the last line may lack its newline."""
        end = self._starts[-1 if line is None else line]
        lead = "" if not end or self._bytes[:end].endswith(b"\n") else "\n"
        self._edits.append((end, end, lead + text))

    # Change the arguments of a call

    def add_member(self, call: ast.Call, keyword: str, brackets: Brackets, member: str) -> None:
        """Add a member to the list or dict that a call has as a keyword argument."""
        if call not in self._calls:
            self._calls[call] = self._group(call)
        arguments = self._calls[call].members
        begin, end = f"{keyword}={brackets[0]}", brackets[1]
        for number, one in enumerate(arguments):
            if isinstance(one, Group) and one.begin == begin:
                one.members.append(member)
                return
            if isinstance(one, str) and one.startswith(f"{keyword}="):
                if end == "]":
                    raise CannotEdit(
                        f"{self.name}, line {call.lineno}: {keyword} is not written as a list."
                    )
                if self._add_to_variable(one.removeprefix(f"{keyword}="), member):
                    return
                # The last dict of a union, or a variable.
                is_dict = one.endswith("}") and not one.endswith("{}")
                arguments[number] = (
                    f"{one[:-1]}, {member}}}" if is_dict else f"{one} | {{{member}}}"
                )
                return
            if _flat(one).startswith("**"):
                raise CannotEdit(
                    f"{self.name}, line {call.lineno}: {keyword} may be in {_flat(one)}."
                )
        arguments.append(Group(begin, [member], end))

    def _add_to_variable(self, variable: str, member: str) -> bool:
        """Add a line to the dict of a variable; False unless its last line is a bracket."""
        for node in self._tree.body:
            match node:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as members)
                    | ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as members)
                ) if name == variable and members.values:
                    start, end = self._starts[_last_line(members) - 1], self._end(members) - 1
                    rest = self._bytes[self._end(members.values[-1]) : start]
                    if self._bytes[start:end].strip() or not rest.lstrip().startswith(b","):
                        return False
                    self._edits.append((start, start, f"    {member},\n"))
                    return True
                case _:
                    pass
        return False

    def _group(self, call: ast.Call) -> Group:
        source = self._bytes[self._start(call) : self._end(call)].decode()
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        if any(token.type == tokenize.COMMENT for token in tokens):
            raise CannotEdit(
                f"{self.name}, line {call.lineno}: the call of {self._text(call.func)} has "
                "comments inside, which an edit would lose."
            )
        return self._tree_of(call, "")

    def _tree_of(self, node: ast.expr, prefix: str) -> Group:
        match node:
            case ast.Call(func, args, keywords):
                begin, end = f"{self._text(func)}(", ")"
                members = [self._member(one) for one in args] + [
                    self._member(one.value, f"{one.arg}=" if one.arg else "**") for one in keywords
                ]
            case ast.List(elts):
                begin, end = "[", "]"
                members = [self._member(one) for one in elts]
            case ast.Dict(keys, values):
                begin, end = "{", "}"
                members = [
                    self._member(value, "**" if key is None else f"{self._text(key)}: ")
                    for key, value in zip(keys, values, strict=True)
                ]
            case _:
                raise AssertionError(node)
        has_comma = self._bytes[: self._end(node) - 1].rstrip().endswith(b",")
        return Group(prefix + begin, members, end, has_comma)

    def _member(self, node: ast.expr, prefix: str = "") -> Group | str:
        if isinstance(node, ast.Call | ast.List | ast.Dict):
            return self._tree_of(node, prefix)
        return prefix + self._text(node)

    # Import names

    def add_import(self, module: str, names: Iterable[str]) -> None:
        """Import names from another module, unless they are imported already."""
        if module != self.name:
            self._imports.setdefault(module, set()).update(names)

    def _import_edit(self, module: str, names: set[str]) -> tuple[int, int, str]:
        for node in self._tree.body:
            if not isinstance(node, ast.ImportFrom) or self._imported(node) != module:
                continue
            start, end = self._start(node), self._end(node)
            source = self._bytes[start:end].decode()
            if "#" in source or any(one.name == "*" for one in node.names):
                continue
            known = {
                one.name if one.asname is None else f"{one.name} as {one.asname}"
                for one in node.names
            }
            if names <= known:
                return start, start, ""
            written = "." * node.level + (node.module or "")
            is_split = "".join(source.split()).endswith(",)")
            text = render_import(written, known | names, self.width, one_per_line=is_split)
            return start, end, text
        return self._new_import(module, render_import(module, names, self.width))

    def _new_import(self, module: str, line: str) -> tuple[int, int, str]:
        """Place an import in its section, in order."""
        imports = [one for one in self._tree.body if isinstance(one, ast.Import | ast.ImportFrom)]
        own = self._section(module)
        before = [one for one in imports if self._import_order(one) <= (own, True, module)]
        after = [one for one in imports if self._import_order(one) > (own, True, module)]
        sections = {self._import_order(one)[0] for one in imports}
        if before:
            end = self._starts[_last_line(before[-1])]
            if self._import_order(before[-1])[0] == own or own not in sections:
                return end, end, f"{line}\n" if own in sections else f"\n{line}\n"
        if after:
            start = self._starts[after[0].lineno - 1]
            return start, start, f"{line}\n" if own in sections else f"{line}\n\n"
        body = self._tree.body
        is_documented = bool(body) and ast.get_docstring(self._tree) is not None
        start = self._starts[_last_line(body[0])] if is_documented else 0
        return start, start, f"\n{line}\n" if is_documented else f"{line}\n\n"

    def _import_order(self, node: ast.Import | ast.ImportFrom) -> tuple[int, bool, str]:
        if isinstance(node, ast.Import):
            return self._section(node.names[0].name), False, node.names[0].name
        name = self._imported(node)
        return 4 if node.level else self._section(name), True, name

    def _section(self, module: str) -> int:
        """Return the section of an import, as isort orders them."""
        root = module.partition(".")[0]
        if root == "__future__":
            return 0
        if root in sys.stdlib_module_names:
            return 1
        is_ours = root == self.name.partition(".")[0] or (self.path.parent / f"{root}.py").exists()
        return 3 if is_ours else 2

    def _imported(self, node: ast.ImportFrom) -> str:
        relative = "." * node.level + (node.module or "")
        package = self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]
        return resolve_name(relative, package) if node.level and package else relative

    def _text(self, node: ast.expr) -> str:
        return self._bytes[self._start(node) : self._end(node)].decode()

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_col_offset is not None
        return self._starts[_last_line(node) - 1] + node.end_col_offset


def _last_line(node: ast.expr | ast.stmt) -> int:
    assert node.end_lineno is not None
    return node.end_lineno


def line_length(path: Path) -> int:
    """Return the line length that the project of a file sets for ruff or black."""
    for folder in path.resolve().parents:
        try:
            tools = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError):
            continue
        for tool in ("ruff", "black"):
            if tool in tools:
                length = tools[tool].get("line-length")
                return length if isinstance(length, int) else WIDTH
    return WIDTH
