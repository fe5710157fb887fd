"""Folders and zip files that people upload, read into memory with limits.

Nothing is unpacked: a name in a zip file is never used as a path of this machine.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from singletable_apps.shared.errors import AppError
from singletable_apps.shared.languages import Phrase

MAX_FILES = 10_000
MAX_FILE_BYTES = 20_000_000
MAX_TOTAL_BYTES = 500_000_000
_DIRECTORY_ENTRY = b"PK\x01\x02"

# Contents by path, with slashes between folders.
Files = Mapping[str, bytes]


class ArchiveError(AppError):
    """The folder or zip file cannot be used."""


def write_zip(files: Iterable[tuple[str, bytes]], target: IO[bytes]) -> None:
    """Write files to a zip file, always the same bytes for the same files."""
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)


def read_files(path: Path) -> Files:
    """Return the files in a folder or a zip file, or a single file."""
    try:
        if path.is_dir():
            return _check_total(
                (found.relative_to(path).as_posix(), found.stat().st_size, found.read_bytes)
                for found in sorted(path.rglob("*"))
                # A link could point to any file of this machine.
                if found.is_file() and not found.is_symlink()
            )
        if path.suffix.lower() != ".zip":
            return _check_total([(path.name, path.stat().st_size, path.read_bytes)])
        return read_zip(path.read_bytes())
    except OSError as error:
        raise ArchiveError(f"Cannot read '{path}': {error.strerror}.") from error


@contextmanager
def open_zip(data: bytes) -> Generator[ZipFile]:
    """Open a zip file, and raise ArchiveError if it is damaged, has a password or is unusual."""
    # Python reads the whole directory at once, and every entry takes half a kilobyte.
    if data.count(_DIRECTORY_ENTRY) > 2 * MAX_FILES:
        raise _too_much()
    try:
        with ZipFile(BytesIO(data)) as archive:
            for info in archive.infolist():
                if info.flag_bits & 1:
                    raise ArchiveError("The zip file has a password. Unpack it first.")
                # Other methods are rare, and let a file determine how much memory they take.
                if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                    raise ArchiveError("Expected a zip file with the usual compression (deflate).")
            yield archive
    # What zipfile raises for damaged files, besides its own error: ValueError for impossible sizes,
    # IndexError for an empty name, NotImplementedError for an unknown version of the format.
    except (BadZipFile, zlib.error, EOFError, ValueError, IndexError, NotImplementedError) as error:
        raise ArchiveError("This is not a zip file, or it is damaged.") from error


def read_zip(data: bytes, max_bytes: int = MAX_TOTAL_BYTES) -> Files:
    """Return the files in a zip file. Raise ArchiveError if it is too large or not safe."""
    with open_zip(data) as archive:
        members = [info for info in archive.infolist() if not info.is_dir()]
        for info in members:
            _check_name(info.filename)
        files = _check_total(
            (
                (info.filename, info.file_size, partial(_read_member, archive, info))
                for info in members
            ),
            max_bytes,
        )
    tops = {name.partition("/")[0] for name in files}
    if len(tops) == 1 and all("/" in name for name in files):
        # The zip of a folder, with the folder.
        return {name.partition("/")[2]: content for name, content in files.items()}
    return files


def _check_name(name: str) -> None:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or "\\" in name or ".." in parts or ":" in parts[0]:
        raise ArchiveError(f"The zip file names a file outside of its folder: {name!r:.100}.")


def _read_member(archive: ZipFile, info: ZipInfo) -> bytes:
    with archive.open(info) as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > info.file_size:
        raise ArchiveError(f"{info.filename} is larger than the zip file says.")
    return content


def _check_total(
    found: Iterable[tuple[str, int, Callable[[], bytes]]], max_bytes: int = MAX_TOTAL_BYTES
) -> Files:
    """Read files until they are too many or too large."""
    files: dict[str, bytes] = {}
    total = 0
    for count, (name, size, read) in enumerate(found):
        total += size
        if size > MAX_FILE_BYTES:
            text = "%(file)s is larger than %(most)s MB."
            raise ArchiveError(Phrase(text, file=name, most=MAX_FILE_BYTES // 1_000_000))
        if count >= MAX_FILES or total > max_bytes:
            raise _too_much(max_bytes)
        files[name] = read()
    return files


def _too_much(max_bytes: int = MAX_TOTAL_BYTES) -> ArchiveError:
    text = "There are more than %(files)s files, or more than %(most)s MB. Import them in parts."
    return ArchiveError(Phrase(text, files=MAX_FILES, most=max_bytes // 1_000_000))
