"""Documents as they are kept in files: written, and compared with what the code says now."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from singletable.documents.document import MARK, document
from singletable.errors import DeclarationError, StaleDocs, StorageError
from singletable.patterns import find_catalogs

_FIRST = "README"


def write_documents(module: ModuleType, path: Path | str) -> list[Path]:
    """Write the documents of a module into a folder, or to a file with pictures beside it.

    Gives the files that have changed. Pictures of what is no longer declared are removed.
    """
    folder, texts = _wanted(module, Path(path))
    changed: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            file = folder / name
            if _read(file) != text:
                file.write_text(text, encoding="utf-8", newline="\n")
                changed.append(file)
        for file in _left_over(module, folder, texts):
            file.unlink()
            changed.append(file)
    except FileExistsError:
        raise StorageError(
            f"'{folder}' is a file. Documents are written into a folder, or to a file that ends in "
            ".md."
        ) from None
    except OSError as problem:
        raise StorageError(f"'{path}' cannot be written: {problem.strerror}.") from None
    return changed


def check_docs(module: ModuleType, path: Path | str) -> None:
    """Raise StaleDocs unless the documents at a path say what a module declares.

    For a test of your own: `check_docs(shop.patterns, "docs/shop")`.
    """
    folder, texts = _wanted(module, Path(path))
    faults = [
        f"{folder / name} {'is not there' if found is None else 'says something else'}"
        for name, text in texts.items()
        if (found := _read(folder / name)) != text
    ]
    faults += [
        f"{file} shows what is no longer declared" for file in _left_over(module, folder, texts)
    ]
    if faults:
        raise StaleDocs(
            f"The documents of {module.__name__} are stale: {'; '.join(faults)}. Write them with: "
            f"singletable docs {module.__name__} --out {path}"
        )


def _wanted(module: ModuleType, path: Path) -> tuple[Path, dict[str, str]]:
    """The folder, and what is to be in it; a path that ends in .md is the document itself."""
    if not find_catalogs(module):
        raise DeclarationError(
            f"The module {module.__name__} declares no catalog of access patterns. Name the "
            "module in which a PatternCatalog(…) is made."
        )
    if path.suffix == ".md":
        return path.parent, document(module, path.stem, f"{path.stem}-")
    return path, document(module, _FIRST, "")


def _left_over(module: ModuleType, folder: Path, texts: dict[str, str]) -> list[Path]:
    """Pictures that were once written for this document; nobody else's files."""
    mark = f"<!-- {MARK} {module.__name__} -->"
    name = next(iter(texts)).removesuffix(".md")
    pictures = "*.svg" if name == _FIRST else f"{name}-*.svg"
    found = sorted(file for file in folder.glob(pictures) if file.name not in texts)
    return [file for file in found if mark in (_read(file) or "")]


def _read(file: Path) -> str | None:
    try:
        return file.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError):
        return ""
