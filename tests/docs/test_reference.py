"""The reference matches the code."""

from __future__ import annotations

import re

import pytest

import singletable
from tools.reference.contents import build_contents
from tools.reference.definitions import Function, exported, find
from tools.reference.pages import INTERNAL_MEMBERS, PUBLIC_MODULES
from tools.reference.render import EXAMPLES, FOLDER, create_entry, render
from tools.testing.sources import ROOT


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return render()


# Hand-written reference pages would become outdated.
def test_reference_pages_are_up_to_date(pages: dict[str, str]) -> None:
    there = {path.name: path.read_text() for path in FOLDER.glob("*.md")}
    stale = sorted(name for name in {*there, *pages} if there.get(name) != pages.get(name))
    assert not stale, (
        f"docs/reference is stale: {', '.join(stale)}. "
        "Run `make reference`, and commit the pages with the code."
    )


def test_every_public_name_is_documented() -> None:
    documented = {name for _, name in build_contents().placements}
    # SingleTableError is documented as EngineError, its name in the engine.
    assert set(singletable.__all__) - documented == {"SingleTableError"}


# The import contract of the apps lists public modules.
def test_every_name_of_a_public_module_is_documented() -> None:
    listed = re.findall(r'-> (singletable\.\w+)"', (ROOT / "pyproject.toml").read_text())
    documented = build_contents().placements
    for module in {*listed, *PUBLIC_MODULES}:
        for name in exported(module):
            definition = find(module, name)
            assert definition is not None, f"{module}.{name}"
            assert (definition.module, definition.name) in documented, f"{module}.{name}"


def test_every_name_of_migrations_is_in_an_example_or_a_type() -> None:
    example = (EXAMPLES / "migration.py").read_text()
    without = {name for name in exported("singletable.migration") if f" {name}," not in example}
    assert without == {"AsyncSwitchingDriver", "DryRun", "Rule", "Status", "Step", "check_schema"}


@pytest.mark.parametrize(
    ("module", "name", "text"),
    [
        ("singletable.connect", "connect", "connect(address: str"),
        ("singletable.schema", "attr", "    default: T = …,"),  # from the overloads
        ("singletable.schema", "version", "version(*, name: str | None = None)"),
        # It has too many overloads to show them.
        ("singletable.schema", "Key", "Key(*, pk, sk=None)"),
        ("singletable.schema.keys", "BoundKey", "Order.key(*values, **by_name) -> ItemKey[E]"),
        (
            "singletable.schema.unique",
            "BoundUnique",
            "Customer.one_email(*values: *V, **by_name) -> UniqueValue[E]",
        ),
        ("singletable.schema", "Path", "add(amount: int | Decimal | float | timedelta) -> Edit[E]"),
        ("singletable.schema", "Partition", "class Partition[E, *S](Selection[E])"),
        (
            "singletable.schema",
            "Entity",
            "class Yours(\n    Entity,\n    *,\n    table: Table | None = None",
        ),
        ("singletable.schema", "TimeFormat", '    SECONDS = "2026-11-15T05:00:00Z"'),
        ("singletable.schema", "Number", "Number(name: str)"),
        ("dynamodb_engine.engine", "Settings", "    delays: Delays = Delays(),"),
        ("dynamodb_engine.engine", "Engine", "Engine.in_memory(settings: Settings | None = None)"),
        ("singletable.store", "Store", "with transaction(\n    *,\n    token: str | None = None,"),
        ("singletable.store", "AsyncStore", "await find(value: UniqueValue[E]) -> E | None"),
        ("singletable.store", "Change", "- `expired`: Whether it was removed because it had"),
        ("dynamodb_engine.operations", "GetItem", "Returns `GetItemOutput`."),
        ("dynamodb_engine.values", "Item", "Item = dict[str, AttributeValue]"),
        ("singletable.errors", "AlreadyExists", "Attributes: `fields`."),
        ("singletable.errors", "ValidationError", "AWS code: `ValidationException`."),
    ],
)
def test_entry_shows_the_public_signature(module: str, name: str, text: str) -> None:
    definition = find(module, name)
    assert definition is not None
    assert f"\n{text}" in "\n".join(["", *create_entry(definition).lines])


def test_inherited_builtin_members_are_not_documented() -> None:
    assert find("singletable.store.store", "datetime") is None


# A name that is left behind by a rename would publish the renamed member.
def test_internal_members_exist() -> None:
    defined: dict[str, set[str]] = {}
    for (_, name), placement in build_contents().placements.items():
        body = getattr(placement.definition.node, "body", [])
        methods = {one.name for one in body if isinstance(one, Function)}
        defined[name] = defined.get(name, set()) | methods
    for name, members in INTERNAL_MEMBERS.items():
        assert set(members.split()) <= defined[name], f"stale in tools/reference/pages.py: {name}"


# Commands are documented from their own help text.
def test_every_command_is_documented(pages: dict[str, str]) -> None:
    assert "## singletable plan\n" in pages["commands.md"]
    assert "| `--durability` full\\|normal |" in pages["commands.md"]


def test_removed_name_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(singletable, "__all__", [*singletable.__all__, "Gone"])
    with pytest.raises(LookupError, match="does not define Gone"):
        build_contents()


def test_make_reference_writes_the_pages() -> None:
    assert "python -m tools.reference" in (ROOT / "Makefile").read_text()
