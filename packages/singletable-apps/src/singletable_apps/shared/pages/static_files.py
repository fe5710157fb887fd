"""Static files with the digest of their folder in the URL, so that browsers cache them forever."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from singletable_apps.shared.web import NOT_FOUND, Problem

_FOREVER = "public, max-age=31536000, immutable"
_REVALIDATE = "public, no-cache"
_TYPES = {".woff2": "font/woff2", ".js": "text/javascript", ".svg": "image/svg+xml"}
_COMPRESSED_TYPES = {".woff2", ".png", ".jpg", ".webp"}


class StaticFile:
    """A file in memory, plain and compressed."""

    def __init__(self, name: str, content: bytes) -> None:
        suffix = Path(name).suffix
        media_type = (
            _TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        )
        self.media_type = (
            f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
        )
        self.content = content
        # Without a timestamp, the compressed bytes are always the same.
        self.compressed = (
            None if suffix in _COMPRESSED_TYPES else gzip.compress(content, 9, mtime=0)
        )
        self.etag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'


class StaticFiles:
    """The files of one folder, served under `/static/{digest}/{name}/` and read once.

    All files share one digest, so that stylesheets and scripts can refer to other files by relative
    URLs. `generated` are further files by name.
    """

    def __init__(
        self, name: str, folder: Path | None, generated: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        files = {path: text.encode() for path, text in (generated or {}).items()}
        if folder is not None and folder.is_dir():
            for path in (each for each in folder.rglob("*") if each.is_file()):
                files[path.relative_to(folder).as_posix()] = path.read_bytes()
        self.files = {path: StaticFile(path, content) for path, content in sorted(files.items())}
        etags = "".join(f"{path}{file.etag}" for path, file in self.files.items())
        self.digest = hashlib.sha256(etags.encode()).hexdigest()[:12]

    def url(self, path: str) -> str:
        """Return the URL of a file."""
        if path not in self.files:
            names = ", ".join(self.files) or "none"
            raise LookupError(f"{self.name} has no static file {path}. Files: {names}.")
        return f"/static/{self.digest}/{self.name}/{path}"

    def add_route(self, router: APIRouter) -> None:
        """Serve the files in `router`."""

        @router.get(f"/static/{{digest}}/{self.name}/{{path:path}}", include_in_schema=False)
        def serve(request: Request, digest: str, path: str) -> Response:
            return self.respond(request, digest, path)

    def respond(self, request: Request, digest: str, path: str) -> Response:
        """Return a file, to be cached forever if the digest is current.

        Other digests work too: for pages that were open during an update, and for scripts of an app
        that import a shared script by a relative URL.
        """
        file = self.files.get(path)
        if file is None:
            raise Problem(NOT_FOUND, "This file does not exist.")
        headers = {
            "Cache-Control": _FOREVER if digest == self.digest else _REVALIDATE,
            "ETag": file.etag,
            "Vary": "Accept-Encoding",
        }
        if file.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        content = file.content
        if file.compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            content = file.compressed
            headers["Content-Encoding"] = "gzip"
        return Response(content, headers=headers, media_type=file.media_type)


_FOLDER = Path(__file__).parent
# In cascade order.
STYLES = (
    *("tokens", "base", "shell", "buttons", "forms", "tables", "parts", "figures", "api"),
    *("contrast", "print"),
)
SCRIPTS = ("preferences", "forms", "copy", "share", "passwords", "confirm", "flash")


def site_files() -> dict[str, str]:
    """Return `site.css` and `site.js`, built from `styles/` and `scripts/`."""
    sheets = [(_FOLDER / "styles" / f"{name}.css").read_text() for name in STYLES]
    # Each script has its own scope.
    scripts = [f"{{\n{(_FOLDER / 'scripts' / f'{name}.js').read_text()}}}\n" for name in SCRIPTS]
    return {"site.css": "\n".join(sheets), "site.js": "\n".join(scripts)}
