"""Files and folders with data or secrets are created by one module, which makes them private."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tools.testing.sources import SOURCES, name_of, tree_of

HELPER = "dynamodb_engine/private_files.py"
# These write what a person asked for and may want to share: sources, reports and pictures.
SHARED = {
    "ranked_ballots/cli.py": "pictures of a count",
    "singletable/cli/migration.py": "the folder of migrations, which are sources",
    "singletable/cli/output.py": "reports and generated sources",
    "singletable/migration/schema_diff/lock_file.py": "schema.lock, which is committed",
    "singletable_apps/new/project.py": "the sources of a new project",
    "singletable_design/docs_generator/document.py": "the documentation of a design",
}
CREATING = {
    *("mkdir", "makedirs", "touch", "write_text", "write_bytes", "mknod", "mkfifo", "symlink_to"),
    *("FileHandler", "NamedTemporaryFile"),
}
COPYING = {"copy", "copy2", "copyfile", "copytree"}


def creations(tree: ast.Module) -> Iterator[ast.Call]:
    """Yield the calls that can create a file or a folder with the mode of the umask."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if _creates(call) and "os.devnull" not in ast.unparse(call):
            yield call


def _creates(call: ast.Call) -> bool:
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    module = getattr(getattr(call.func, "value", None), "id", "")
    if name in COPYING:
        return module == "shutil"
    if name == "open":
        return "O_CREAT" in ast.unparse(call) if module == "os" else _can_write(call)
    if name == "connect" and module == "sqlite3":
        # SQLite makes the file of a temporary database, '', private, and deletes its name at once.
        return ast.unparse(call.args[0]) not in ("':memory:'", "''")
    return name in CREATING and not (name == "touch" and call.args)


def _can_write(call: ast.Call) -> bool:
    """Return whether the mode of an `open` has w, a, x or +."""
    place = 1 if isinstance(call.func, ast.Name) else 0
    modes = [each.value for each in call.keywords if each.arg == "mode"] or call.args[place:][:1]
    texts = [
        node.value
        for mode in modes
        for node in ast.walk(mode)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return any(set("wax+") & set(text) and set(text) <= set("rwaxbt+") for text in texts)


def test_only_one_module_creates_files_with_data() -> None:
    found = {
        f"{name_of(path)}:{call.lineno}: {ast.unparse(call)}"
        for path in SOURCES
        if name_of(path) not in {HELPER, *SHARED}
        for call in creations(tree_of(path))
    }
    assert sorted(found) == []


# A reason that nothing needs any more would allow the next creation.
def test_every_exception_is_needed() -> None:
    creating = {name_of(path) for path in SOURCES if any(creations(tree_of(path)))}
    assert {HELPER, *SHARED} - creating == set()
