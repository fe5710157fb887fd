"""Dependencies are locked: `make run` and `make test` install known versions, by their hashes."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCKS = ROOT / "constraints"
# An entry: name, version, an environment marker, and hashes on continued lines.
_ENTRY = re.compile(
    r"^([\w.-]+)==([^\s;]+)( ; [^\n\\]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n", re.M
)
# Installed before the lock is read, or not a dependency.
_OURS = {
    tomllib.loads(path.read_text())["project"]["name"]
    for path in ROOT.glob("packages/*/pyproject.toml")
}
_NOT_LOCKED = {"pip", "setuptools", *_OURS}


def locked(name: str) -> dict[str, set[str]]:
    """Return the locked versions of each package; some have one per version of Python."""
    versions: dict[str, set[str]] = {}
    for entry in _ENTRY.finditer((LOCKS / f"{name}.txt").read_text()):
        versions.setdefault(canonicalize_name(entry[1]), set()).add(entry[2])
    return versions


@pytest.mark.parametrize("path", sorted(LOCKS.glob("*.txt")), ids=lambda path: path.stem)
def test_every_line_of_a_lock_is_a_version_with_hashes(path: Path) -> None:
    assert _ENTRY.sub("", path.read_text()) == ""


@pytest.mark.parametrize("path", sorted(LOCKS.glob("*/package-lock.json")), ids=str)
def test_npm_locks_have_hashes(path: Path) -> None:
    packages = json.loads(path.read_text())["packages"]
    assert all("integrity" in package for name, package in packages.items() if name)


def test_locks_name_no_host() -> None:
    files = [path for path in LOCKS.rglob("*") if path.is_file()]
    assert [path.name for path in files if "://" in path.read_text()] == []


def test_lock_satisfies_every_declared_dependency() -> None:
    groups = [*tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"].values()]
    for path in ROOT.glob("packages/*/pyproject.toml"):
        project = tomllib.loads(path.read_text())["project"]
        groups += [project["dependencies"], *project.get("optional-dependencies", {}).values()]
    declared = [Requirement(text) for group in groups for text in group]
    missing = [str(one) for one in declared if one.name not in _OURS and not _has("dev", one)]
    assert missing == [], "Run `make lock`."


@pytest.mark.parametrize("path", sorted(LOCKS.glob("*.in")), ids=lambda path: path.stem)
def test_lock_has_the_requested_versions(path: Path) -> None:
    assert all(_has(path.stem, Requirement(text)) for text in path.read_text().split())


def _has(lock: str, requirement: Requirement) -> bool:
    versions = locked(lock).get(canonicalize_name(requirement.name), set())
    return bool(versions) and all(map(requirement.specifier.contains, versions))


def test_installed_versions_are_the_locked_ones() -> None:
    versions = locked("dev") | locked("uv")
    installed = {canonicalize_name(one.name): one.version for one in distributions()}
    differing = {
        name: version
        for name, version in installed.items()
        if name not in _NOT_LOCKED and version not in versions.get(name, ())
    }
    assert differing == {}, "Run `make test`, which installs the lock."
