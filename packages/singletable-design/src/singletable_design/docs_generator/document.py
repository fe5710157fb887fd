"""Render the catalogs of a module as Markdown with diagrams, write the files and check them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from singletable.errors import DeclarationError, InvalidValue, StaleDocs, StorageError
from singletable.patterns import PatternCatalog, find_catalogs
from singletable.patterns.estimate import DEFAULT_ITEM_SIZE
from singletable.patterns.pattern import BasePattern
from singletable.schema import Index, Table, model_of
from singletable_design.docs_generator.diagram import (
    TableOrIndex,
    diagram_caption,
    example_partitions,
    render_diagram,
    table_and_indexes,
)
from singletable_design.docs_generator.markdown import code, escape
from singletable_design.docs_generator.tables import (
    cost_table,
    entity_table,
    field_table,
    pattern_table,
)

MARK = "Written by singletable docs from the module"
_LEGEND = (
    "In capacity units. `≤`: an upper bound, because a write's cost depends on the previous item. "
    f"`~`: the size of the items is not declared; {DEFAULT_ITEM_SIZE:,} bytes are assumed."
)
_READ_MODES = (
    "An eventual read may return slightly stale data and costs half of a consistent one. The "
    "writes of a transaction are applied together. A query that skips others also reads, and pays "
    "for, items of other entities in its range, and does not return them."
)


def render_documents(module: ModuleType, name: str, prefix: str) -> dict[str, str]:
    """Return the files by name: the document, and its diagrams with a prefix in their names."""
    return {f"{name}.md": _text(module, prefix), **_diagrams(module, prefix)}


def render_text(module: ModuleType) -> str:
    """Return the document without diagrams."""
    return _text(module, None)


def _text(module: ModuleType, prefix: str | None) -> str:
    catalogs = find_catalogs(module)
    names = {
        value.id: name for name, value in vars(module).items() if isinstance(value, BasePattern)
    }
    parts: list[str] = [f"<!-- {_mark(module)}. -->"]
    for catalog in catalogs:
        parts += _catalog_section(catalog, names)
    for table in _tables(catalogs):
        parts += _table_section(table, prefix, catalogs)
    return "\n\n".join(parts) + "\n"


def _catalog_section(catalog: PatternCatalog, names: Mapping[str, str]) -> Iterator[str]:
    yield f"# {escape(catalog.name)}"
    yield "## Access patterns"
    yield pattern_table(catalog, names)
    yield _READ_MODES
    yield "## Cost"
    yield cost_table(catalog)
    yield _LEGEND


def _table_section(
    table: Table, prefix: str | None, catalogs: Sequence[PatternCatalog]
) -> Iterator[str]:
    yield f"## Table {escape(table.name)}"
    yield from _facts(table)
    yield entity_table(table)
    for index in table.indexes:
        for catalog in catalogs:
            if index in catalog.unused:
                reason = escape(catalog.unused[index])
                yield f"No pattern reads {code(index.name)}: {reason}."
    if prefix is not None:
        yield "### Item collections"
        yield "Each box is a partition with example items in sort order."
        for source in table_and_indexes(table):
            yield f"{_title(source)}:"
            yield f"![{_alt(source)}]({_file(prefix, source)})"
    for entity in table.entities:
        model = model_of(entity)
        yield f"### {escape(model.name)}"
        if model.tag is not None:
            yield f"Type tag: {code(model.tag[0])} = {code(model.tag[1])}."
        versions = model.versions
        if versions.is_declared:
            yield f"Schema version: {code(versions.attribute)} = {code(str(versions.current))}."
        yield field_table(model)


def _facts(table: Table) -> Iterator[str]:
    facts = [f"{_projected(index)}" for index in table.indexes]
    if table.ttl is not None:
        facts.append(f"Items expire by {code(table.ttl)}.")
    if table.capacity is not None:
        read, write = table.capacity.read, table.capacity.write
        facts.append(f"{read:,} read and {write:,} write units a second are provisioned.")
    if facts:
        yield "\n".join(f"- {fact}" for fact in facts)


def _projected(index: Index) -> str:
    kind = "local index" if index.local else "global index"
    match index.projection:
        case "ALL":
            projected = "all attributes"
        case "KEYS_ONLY":
            projected = "only keys"
        case some:
            projected = f"keys and {', '.join(map(code, some))}"
    return f"The {kind} {code(index.name)} projects {projected}."


def _diagrams(module: ModuleType, prefix: str) -> dict[str, str]:
    return {
        _file(prefix, source): render_diagram(source, example_partitions(source), _mark(module))
        for table in _tables(find_catalogs(module))
        for source in table_and_indexes(table)
    }


def _tables(catalogs: Sequence[PatternCatalog]) -> list[Table]:
    return list(dict.fromkeys(table for one in catalogs for table in one.tables))


def _title(source: TableOrIndex) -> str:
    return "The table" if source.index is None else f"The index {code(source.index.name)}"


def _alt(source: TableOrIndex) -> str:
    return escape(diagram_caption(source, example_partitions(source)))


def _file(prefix: str, source: TableOrIndex) -> str:
    """Return the file name of a diagram, made of the names of the table and the index."""
    names = [source.table.name, *([] if source.index is None else [source.index.name])]
    return prefix + "-".join(re.sub(r"[^A-Za-z0-9_.]+", "-", name) for name in names) + ".svg"


def _mark(module: ModuleType) -> str:
    return f"{MARK} {module.__name__}"


_DEFAULT_NAME = "README"


def write_docs(module: ModuleType, path: Path | str) -> list[Path]:
    """Write the documentation of a module into a folder, or to an .md file with diagrams beside it.

    Returns the files that have changed. Diagrams that are no longer needed are removed.
    """
    folder, texts = _expected_files(module, Path(path))
    changed: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            file = folder / name
            if _read(file) != text:
                file.write_text(text, encoding="utf-8", newline="\n")
                changed.append(file)
        for file in _outdated_diagrams(module, folder, texts):
            file.unlink()
            changed.append(file)
    except FileExistsError:
        raise StorageError(
            f"'{folder}' is a file. Documentation is written into a folder or to an .md file."
        ) from None
    except OSError as problem:
        raise StorageError(f"'{path}' cannot be written: {problem.strerror}.") from None
    return changed


def check_docs(module: ModuleType, path: Path | str) -> None:
    """Raise StaleDocs unless the documentation at a path matches what a module declares.

    Call it in a test: `check_docs(shop.patterns, "docs/shop")`.
    """
    folder, texts = _expected_files(module, Path(path))
    problems = [
        f"{folder / name} {'is missing' if present is None else 'differs'}"
        for name, text in texts.items()
        if (present := _read(folder / name)) != text
    ]
    problems += [
        f"{file} is no longer needed" for file in _outdated_diagrams(module, folder, texts)
    ]
    if problems:
        raise StaleDocs(
            f"The documentation of {module.__name__} is stale: {'; '.join(problems)}. Update it "
            f"with: singletable docs {module.__name__} --output {path}"
        )


def _expected_files(module: ModuleType, path: Path) -> tuple[Path, dict[str, str]]:
    """Return the folder and the files it should have; a path ending in .md is the document."""
    if not find_catalogs(module):
        raise DeclarationError(
            f"The module {module.__name__} declares no access patterns. Name the module that "
            "creates a PatternCatalog(…)."
        )
    if path.suffix[1:].isalpha() and path.suffix != ".md" and not path.exists():
        raise InvalidValue(
            f"'{path}' ends in {path.suffix}. Documentation is written as Markdown: name a file "
            f"that ends in .md, such as {path.with_suffix('.md')}, or a folder without a suffix."
        )
    if path.suffix == ".md":
        return path.parent, render_documents(module, path.stem, f"{path.stem}-")
    return path, render_documents(module, _DEFAULT_NAME, "")


def _outdated_diagrams(module: ModuleType, folder: Path, texts: dict[str, str]) -> list[Path]:
    """Return diagrams that were generated for this document earlier; other files are ignored."""
    mark = f"<!-- {MARK} {module.__name__} -->"
    name = next(iter(texts)).removesuffix(".md")
    diagrams = "*.svg" if name == _DEFAULT_NAME else f"{name}-*.svg"
    others = sorted(file for file in folder.glob(diagrams) if file.name not in texts)
    return [file for file in others if mark in (_read(file) or "")]


def _read(file: Path) -> str | None:
    try:
        return file.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        return ""
