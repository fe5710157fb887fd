"""Static files: each under an address that changes with what is in its folder, kept for ever."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from singletable_apps.shared.web import NOT_FOUND, Problem

_FOR_EVER = "public, max-age=31536000, immutable"
_ASK_EACH_TIME = "public, no-cache"
_TYPES = {".woff2": "font/woff2", ".js": "text/javascript", ".svg": "image/svg+xml"}
_PACKED_ALREADY = {".woff2", ".png", ".jpg", ".webp"}


class Asset:
    """One file, as it is and packed."""

    def __init__(self, name: str, content: bytes) -> None:
        ending = Path(name).suffix
        kind = _TYPES.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        self.kind = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
        self.content = content
        # The same bytes each time: no time of packing within.
        self.packed = None if ending in _PACKED_ALREADY else gzip.compress(content, 9, mtime=0)
        self.tag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'


class Assets:
    """The files of one folder under `/static/{digest}/{name}/`, read once.

    One digest is for all of them, so that a stylesheet finds its fonts, and a script the scripts it
    imports, by addresses relative to its own. `made` are further files that are not in the folder.
    """

    def __init__(
        self, name: str, folder: Path | None, made: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        files = {path: text.encode() for path, text in (made or {}).items()}
        if folder is not None and folder.is_dir():
            for path in (each for each in folder.rglob("*") if each.is_file()):
                files[path.relative_to(folder).as_posix()] = path.read_bytes()
        self.files = {path: Asset(path, content) for path, content in sorted(files.items())}
        tags = "".join(f"{path}{asset.tag}" for path, asset in self.files.items())
        self.digest = hashlib.sha256(tags.encode()).hexdigest()[:12]

    def address(self, path: str) -> str:
        """Where the file is."""
        if path not in self.files:
            there = ", ".join(self.files) or "none"
            raise LookupError(f"{self.name} has no static file {path} (there are: {there}).")
        return f"/static/{self.digest}/{self.name}/{path}"

    def add_route(self, router: APIRouter) -> None:
        """Let the router serve the files."""

        @router.get(f"/static/{{digest}}/{self.name}/{{path:path}}", include_in_schema=False)
        def serve(request: Request, digest: str, path: str) -> Response:
            return self.answer(request, digest, path)

    def answer(self, request: Request, digest: str, path: str) -> Response:
        """The file; for ever if the digest is today's.

        Under an older digest it is there too, for pages that were open when we changed, and for
        scripts of an app that import a shared one by a relative address.
        """
        asset = self.files.get(path)
        if asset is None:
            raise Problem(NOT_FOUND, "There is no such file.")
        headers = {
            "Cache-Control": _FOR_EVER if digest == self.digest else _ASK_EACH_TIME,
            "ETag": asset.tag,
            "Vary": "Accept-Encoding",
        }
        if asset.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        content = asset.content
        if asset.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            content = asset.packed
            headers["Content-Encoding"] = "gzip"
        return Response(content, headers=headers, media_type=asset.kind)


HERE = Path(__file__).parent
# In the order in which they build on each other.
STYLES = (
    *("tokens", "base", "shell", "buttons", "forms", "tables", "parts", "figures"),
    *("contrast", "print"),
)
SCRIPTS = ("preferences", "copy", "passwords", "confirm", "toasts")


def whole_site() -> dict[str, str]:
    """`site.css` and `site.js`, by their names."""
    sheets = [(HERE / "styles" / f"{name}.css").read_text() for name in STYLES]
    # Names of one file mean nothing in the others.
    scripts = [f"{{\n{(HERE / 'scripts' / f'{name}.js').read_text()}}}\n" for name in SCRIPTS]
    return {"site.css": "\n".join(sheets), "site.js": "\n".join(scripts)}
