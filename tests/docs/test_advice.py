"""Every function, parameter, command, option and page that a message or a page names exists.

Names are looked for in the strings of the source, and in the code of pages: members of the store
and of public classes, parameters of public functions, and command lines. Other tests execute the
Python blocks of pages, and check their links.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import singletable
import singletable.migration
from singletable.store import Admin, Transaction
from tools.command_tree import walk_commands
from tools.testing.markdown import blocks
from tools.testing.sources import DOCUMENTS, ROOT, SOURCES, name_of, tree_of

# What these pages say of the past stays.
HISTORY = {ROOT / "CHANGELOG.md", *(ROOT / "docs/decisions").iterdir()}
PAGES = [path for path in DOCUMENTS if path not in HISTORY and "reference" not in path.parts]
PUBLIC: dict[str, Any] = {
    name: getattr(module, name)
    for module in (singletable, singletable.migration)
    for name in dir(module)
    if not name.startswith("_")
}
# Variables that stand for an instance of a class.
INSTANCES: dict[str, type] = {
    "store": singletable.Store,
    "store.admin": Admin,
    "tx": Transaction,
    "transaction": Transaction,
}
# Classes of the reader's, or of an app, in examples.
OTHER_CLASSES = {"Entity", "Page", "Settings"}
# Of the AWS CLI and of pytest.
OTHER_OPTIONS = {"--only-binary", "--endpoint-url", "--singletable-report", "--singletable-strict"}
# The type of a document, which is no command.
DOCUMENT_TYPES = {"comparison"}
_MEMBER = re.compile(r"(?<![\w.`/])(store\.admin|[A-Za-z]\w*)\.([a-z]\w*)")
_CALL = re.compile(r"(?<![\w.])((?:store\.admin\.|[a-z]\w*\.)?[A-Za-z]\w*)\(([^()\n]*)\)")
_COMMAND = re.compile(
    r"(?:[`'\"$:] ?|[Rr]un )(singletable|dynamodb-engine|ranked-ballots)((?: [\w:.{}/=…<>,'\"-]+)+)"
)
_PAGE = re.compile(r"\bdocs/[\w./-]+\.md\b")


@cache
def _known_commands() -> dict[str, Any]:
    return dict(walk_commands())


def _options(path: str) -> set[str]:
    """Return the options that a command accepts: its own, and those of its groups."""
    commands, words = _known_commands(), path.split()
    command = commands[path]
    groups = [commands[" ".join(words[:number])] for number in range(1, len(words))]
    params = [param for one in (command, *groups) for param in one.params]
    named = {option for one in params for option in (*one.opts, *one.secondary_opts)}
    takes_address = any(one.name == "address" for one in command.params)
    return named | {"--help", "-h"} | ({"--address"} if takes_address else set())


def missing_names(text: str) -> Iterator[str]:
    """Yield what the text names and does not exist."""
    for owner, member in _MEMBER.findall(text):
        kind = None if owner in OTHER_CLASSES else INSTANCES.get(owner, PUBLIC.get(owner))
        if isinstance(kind, type) and not _has(kind, member):
            yield f"{owner}.{member}"
    for name, arguments in _CALL.findall(text):
        function = _function(name)
        for keyword in re.findall(r"(?:^|, )(\w+)=", arguments) if function else ():
            if not _accepts(function, keyword):
                yield f"{name}({keyword}=…)"
    for program, line in _COMMAND.findall(text):
        if line.strip() not in DOCUMENT_TYPES:
            yield from _missing_words(program, line.split())
    yield from (page for page in _PAGE.findall(text) if not (ROOT / page).exists())


def _has(kind: type, member: str) -> bool:
    own = [
        base
        for base in kind.__mro__
        if base.__module__.startswith(("singletable", "dynamodb_engine"))
    ]
    set_in_init = re.compile(rf"\bself\.{member}(: .+)? = ")
    return hasattr(kind, member) or any(set_in_init.search(inspect.getsource(one)) for one in own)


def _function(name: str) -> Any:
    if name in OTHER_CLASSES:
        return None
    owner, _, member = name.rpartition(".")
    kind = INSTANCES.get(owner) if owner else PUBLIC.get(name)
    return getattr(kind, member, None) if owner else kind


def _accepts(function: Any, keyword: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(one.name == keyword or _bundles(function, one, keyword) for one in parameters)


def _bundles(function: Any, parameter: inspect.Parameter, keyword: str) -> bool:
    """Return whether `**options` takes the keyword; `Unpack[Options]` lists what it takes."""
    if parameter.kind is not parameter.VAR_KEYWORD:
        return False
    bundle = re.fullmatch(r"Unpack\[(\w+)\]", str(parameter.annotation))
    listed = getattr(function, "__globals__", {}).get(bundle[1]) if bundle else None
    return listed is None or keyword in listed.__annotations__


def _missing_words(path: str, words: list[str]) -> Iterator[str]:
    """Yield the command or the options of a command line that do not exist."""
    commands = _known_commands()
    command = commands[path]
    while words and hasattr(command, "commands") and re.fullmatch("[a-z][a-z-]*", words[0]):
        path = f"{path} {words.pop(0)}".strip()
        if path not in commands:
            yield path
            return
        command = commands[path]
    for word in words:
        option = re.match(r"--[a-z][\w-]*", word)
        if option and option[0] not in _options(path):
            yield f"{path} {option[0]}"


@cache
def _strings(path: Path) -> list[str]:
    """Return the strings of a module; what an f-string inserts is an ellipsis."""
    found: list[str] = []
    pending: list[ast.AST] = [tree_of(path)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.JoinedStr):
            found.append(
                "".join(
                    getattr(one, "value", "") if isinstance(one, ast.Constant) else "…"
                    for one in node.values
                )
            )
        elif isinstance(node, ast.Constant):
            found += [node.value] if isinstance(node.value, str) else []
        else:
            pending += ast.iter_child_nodes(node)
    return found


def _code_of(page: Path) -> Iterator[str]:
    """Yield the code of a page that is not executed: inline, and in blocks of a shell."""
    text = page.read_text()
    yield from re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    for block in blocks(page):
        if block.language in ("console", "sh", "bash", "shell", ""):
            yield from block.text.splitlines()


@pytest.mark.rest
def test_names_in_messages_exist() -> None:
    assert [
        f"{name_of(path)}: {name}"
        for path in SOURCES
        for text in _strings(path)
        for name in missing_names(text)
    ] == []


def test_names_on_pages_exist() -> None:
    assert [
        f"{name_of(path)}: {name}"
        for path in PAGES
        for text in _code_of(path)
        for name in missing_names(f"$ {text}")
    ] == []


# An option without its command, as in "Pass --yes".
@pytest.mark.rest
def test_options_in_messages_exist() -> None:
    known = {option for path in _known_commands() for option in _options(path)}
    assert [
        f"{name_of(path)}: {option}"
        for path in SOURCES
        if {"singletable_apps", "ranked_ballots"}.isdisjoint(path.parts)
        for text in _strings(path)
        if "var(--" not in text  # CSS
        for option in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]+", text)
        if option not in known | OTHER_OPTIONS
    ] == []


# The rule must be able to fail.
@pytest.mark.parametrize(
    "text",
    [
        "use store.delete_where before",
        "Call store.admin.scan_all().",
        "Write Table.create(…).",
        "Declare attr(defaults=…).",
        "Pass store.update(…, condition=…).",
        "run `singletable explode`",
        "Run: singletable migration squash",
        "`singletable plan app --at memory:`",
        "See docs/guide/nothing.md.",
    ],
)
def test_wrong_advice_is_found(text: str) -> None:
    assert [*missing_names(text)]
