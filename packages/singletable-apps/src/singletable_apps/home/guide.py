"""The guide, the reference and the other documents as web pages under `/guide`.

Markdown files keep their links: a link from one document to another becomes a link between pages,
a link to a module of an app becomes a page with its source, and a link to a file that is not
installed becomes plain text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

import ranked_ballots
import singletable
import singletable_apps
import singletable_design
from singletable_apps.shared import markdown
from singletable_apps.shared.pages import Link, Pages
from singletable_apps.shared.web import NOT_FOUND, Problem

GUIDE_URL = "/guide"
REFERENCE_URL = f"{GUIDE_URL}/reference"
_FILES_URL = f"{GUIDE_URL}/files"
SOURCE_URL = f"{GUIDE_URL}/source"
_APPS = "packages/singletable-apps/src/singletable_apps"
_BALLOTS = "packages/ranked-ballots/src/ranked_ballots"
_PACKAGES = {
    "packages/singletable/src/singletable": singletable,
    "packages/singletable-design/src/singletable_design": singletable_design,
    _BALLOTS: ranked_ballots,
    _APPS: singletable_apps,
}
_IMAGES = {".svg", ".webp", ".png"}
_INDEX_GROUP = re.compile(r"^(\w[^\n]*):$", re.MULTILINE)
_REFERENCE_PAGE = re.compile(r"^## \[([^\]]+)\]\(([^)]+)\)$", re.MULTILINE)
_INDEX_PAGE = re.compile(r"^\d+\. \[([^\]]+)\]\(([^)]+)\):", re.MULTILINE)
_NO_PAGE = "There is no page of the guide at this address. Check the address, or search the guide."
_MORE = (
    ("Glossary", "glossary.md"),
    ("Differences from DynamoDB", "compatibility.md"),
    ("Performance", "performance.md"),
)


@dataclass(frozen=True, slots=True)
class GuidePage:
    """A rendered document: its title, its HTML without the title, and its second-level headings."""

    title: str
    html: Markup
    headings: tuple[markdown.Heading, ...] = ()


@dataclass(frozen=True, slots=True)
class GuideGroup:
    """A group of pages in the table of contents."""

    title: str
    entries: tuple[Link, ...]


def docs_folder() -> Path:
    """Return the folder of the documents: inside an installed package, or at the top of a clone."""
    installed = Path(__file__).parent / "docs"
    return installed if installed.is_dir() else Path(__file__).parents[5] / "docs"


class Guide:
    """All documents by URL. Paths are relative to the repository: `docs/guide/keys.md`."""

    def __init__(self, docs: Path) -> None:
        folders = {root: Path(package.__path__[0]) for root, package in _PACKAGES.items()}
        self._files = {
            f"{root}/{file.relative_to(folder).as_posix()}": file
            for root, folder in {**folders, "docs": docs}.items()
            for file in sorted(folder.rglob("*"))
            if file.suffix in (".md", ".py", *_IMAGES)
            and (root == "docs" or not file.is_relative_to(docs))
        }
        self._paths = {url: path for path in self._files if (url := self.url_of(path)) is not None}
        self.groups = self._table_of_contents()
        self._render = lru_cache(maxsize=64)(self._render_document)

    def url_of(self, path: str) -> str | None:
        """Return the URL of the page for a file, or None."""
        if path == "README.md":
            return "/"
        if path not in self._files:
            return None
        if path.endswith(".py"):
            return f"{SOURCE_URL}/{path}"
        if not path.endswith(".md"):
            return f"{_FILES_URL}/{path}"
        name = path.removeprefix("docs/").removeprefix("guide/").replace(_APPS, "apps", 1)
        name = name.replace(_BALLOTS, "ranked-ballots", 1)
        return f"{GUIDE_URL}/{name.removesuffix('.md').removesuffix('README')}".rstrip("/")

    def page(self, url: str) -> GuidePage | None:
        """Return the page at a URL, or None."""
        path = self._paths.get(url)
        if path is None or Path(path).suffix in _IMAGES:
            return None
        return self._render(path)

    def sources(self) -> list[GuideGroup]:
        """Return the modules of each package."""
        return [
            GuideGroup(
                root.rpartition("/")[2],
                tuple(
                    Link(path.removeprefix(f"{root}/"), f"{SOURCE_URL}/{path}")
                    for path in self._files
                    if path.startswith(f"{root}/") and path.endswith(".py")
                ),
            )
            for root in _PACKAGES
        ]

    def sections(self, url: str) -> list[tuple[markdown.Heading, str]]:
        """Return the headings of the document at a URL, each with the plain text below it."""
        path = self._paths.get(url, "")
        return divide_document(self._files[path].read_text()) if path.endswith(".md") else []

    def image(self, url: str) -> Path | None:
        """Return the image file at a URL, or None."""
        path = self._paths.get(url)
        return self._files[path] if path is not None and Path(path).suffix in _IMAGES else None

    def neighbors(self, url: str) -> tuple[Link | None, Link | None]:
        """Return the entries before and after a page in the table of contents."""
        entries = [entry for group in self.groups for entry in group.entries]
        before = next((entry for entry, next_ in pairwise(entries) if next_.url == url), None)
        after = next((entry for previous, entry in pairwise(entries) if previous.url == url), None)
        return before, after

    def _table_of_contents(self) -> tuple[GuideGroup, ...]:
        """Read the groups and pages from the indexes of the guide and of the reference."""
        if "docs/guide/README.md" not in self._files:
            return ()
        text = self._files["docs/guide/README.md"].read_text()
        titles = [*_INDEX_GROUP.finditer(text)]
        ends = [title.start() for title in titles[1:]] + [len(text)]
        groups = [
            GuideGroup(
                title[1],
                tuple(self._entries("docs/guide", _INDEX_PAGE.findall(text[title.end() : end]))),
            )
            for title, end in zip(titles, ends, strict=True)
        ]
        pages = _REFERENCE_PAGE.findall(self._files["docs/reference/README.md"].read_text())
        reference = [("All names", "README.md"), *pages]
        return (
            *groups,
            GuideGroup("Reference", tuple(self._entries("docs/reference", reference))),
            GuideGroup("More", tuple(self._entries("docs", _MORE))),
        )

    def _entries(self, folder: str, links: Iterable[tuple[str, str]]) -> Iterator[Link]:
        for title, href in links:
            url = self.url_of(f"{folder}/{href}")
            if url is not None:
                yield Link(title, url)

    def _render_document(self, path: str) -> GuidePage:
        text = self._files[path].read_text()
        if path.endswith(".py"):
            code = Markup('<div class="code-block"><pre tabindex="0"><code>{}</code></pre></div>')
            return GuidePage(
                path.partition("/src/")[2], code.format(markdown.highlight_code(text, "python"))
            )
        return render_document(text, partial(self._resolve, posixpath.dirname(path)))

    def _resolve(self, folder: str, href: str) -> str | None:
        """Return the URL that a link in a document of `folder` leads to, or None."""
        if href.startswith(("#", "http://", "https://", "mailto:")):
            return href
        target, hash_, anchor = href.partition("#")
        url = self.url_of(posixpath.normpath(posixpath.join(folder, target)))
        return None if url is None else f"{url}{hash_}{anchor}"


class _GuideRenderer(markdown.HtmlRenderer):
    """Renders code with a copy button; escapes raw HTML."""

    def fence(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        content, info = tokens[idx].content, tokens[idx].info.split()
        language = info[0] if info else "text"
        code = markdown.highlight_code(content.rstrip("\n"), language)
        if language == "text":
            return Markup('<pre class="output" tabindex="0"><code>{}</code></pre>\n').format(code)
        # Of a terminal session, only the commands are copied.
        commands = _commands(content) if language == "console" else ""
        id_ = Markup(' id="code-{}"').format(idx)
        return Markup(
            '<div class="code-block"><pre tabindex="0"><code{}>{}</code></pre>{}'
            '<button type="button" class="code-copy" data-copy="code-{}" '
            'aria-label="Copy the code" hidden>Copy</button></div>\n'
        ).format(
            "" if commands else id_,
            code,
            Markup("<span{} hidden>{}</span>").format(id_, commands) if commands else "",
            idx,
        )

    def html_block(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        content = tokens[idx].content
        return "" if content.startswith("<!--") else escape(content)

    def html_inline(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        # Cells of tables need line breaks.
        return "<br>" if tokens[idx].content == "<br>" else escape(tokens[idx].content)


_MARKDOWN = MarkdownIt("commonmark", renderer_cls=_GuideRenderer).enable("table")


def render_document(text: str, resolve: Callable[[str], str | None]) -> GuidePage:
    """Render Markdown; its first heading becomes the title, and `resolve` maps link targets."""
    tokens = _MARKDOWN.parse(text)
    _close_heading_gap(tokens)
    markdown.fix_tables(tokens)
    headings = markdown.add_heading_ids(tokens)
    title = next((heading.text for heading in headings if heading.level == 1), "Guide")
    for token in tokens:
        for child in token.children or ():
            _rewrite_link(child, resolve)
    is_title = [token.type.startswith("heading_") and token.tag == "h1" for token in tokens]
    body = [
        token
        for at, token in enumerate(tokens)
        if not is_title[at] and not (at and is_title[at - 1] and token.type == "inline")
    ]
    html = _MARKDOWN.renderer.render(body, _MARKDOWN.options, {})
    return GuidePage(title, Markup(html), tuple(h for h in headings if h.level == 2))


def divide_document(text: str) -> list[tuple[markdown.Heading, str]]:
    """Divide Markdown at its headings."""
    tokens = _MARKDOWN.parse(text)
    headings = markdown.add_heading_ids(tokens)
    starts = [at for at, token in enumerate(tokens) if token.type == "heading_open"]
    return [
        (heading, " ".join(map(_plain_text, tokens[start + 3 : end])))
        for heading, (start, end) in zip(headings, pairwise([*starts, len(tokens)]), strict=True)
    ]


def _plain_text(token: Token) -> str:
    return "".join(child.content or " " for child in token.children or ()) or (
        token.content if token.type == "fence" else ""
    )


def _rewrite_link(token: Token, resolve: Callable[[str], str | None]) -> None:
    if token.type == "link_open":
        href = resolve(str(token.attrs.pop("href")))
        if href is not None:
            token.attrSet("href", href)
    elif token.type == "image":
        token.attrSet("src", resolve(str(token.attrs["src"])) or "")
        token.attrSet("loading", "lazy")


def _close_heading_gap(tokens: Sequence[Token]) -> None:
    """Raise the headings below the first level if the document has none of the second."""
    if not any(token.tag == "h2" for token in tokens):
        for token in tokens:
            if token.tag in ("h3", "h4"):
                token.tag = f"h{int(token.tag[1]) - 1}"


def _commands(transcript: str) -> str:
    """Return the commands of a terminal transcript, without prompts and output."""
    lines = [line[2:] for line in transcript.splitlines() if line.startswith("$ ")]
    return "\n".join(lines)


def guide_router(pages: Pages, guide: Guide) -> APIRouter:
    """Return the routes of the guide's pages and images."""
    router = APIRouter()

    @router.get(f"{_FILES_URL}/{{path:path}}")
    def show_image(path: str) -> Response:
        file = guide.image(f"{_FILES_URL}/{path}")
        if file is None:
            raise Problem(NOT_FOUND, _NO_PAGE)
        return FileResponse(file, headers={"Cache-Control": "public, no-cache"})

    @router.get(SOURCE_URL)
    def show_sources(request: Request) -> Response:
        crumbs = [Link("Guide", GUIDE_URL), Link("Source", SOURCE_URL)]
        return pages.render(request, "home/sources.html", groups=guide.sources(), crumbs=crumbs)

    @router.get(GUIDE_URL)
    @router.get(f"{GUIDE_URL}/{{path:path}}")
    def show_page(request: Request, path: str = "") -> Response:
        url = f"{GUIDE_URL}/{path}" if path else GUIDE_URL
        page = guide.page(url)
        if page is None:
            raise Problem(NOT_FOUND, _NO_PAGE)
        before, after = guide.neighbors(url)
        return pages.render(
            request,
            "home/guide.html",
            page=page,
            url=url,
            groups=guide.groups,
            crumbs=_crumbs(url, page),
            before=before,
            after=after,
        )

    return router


def _crumbs(url: str, page: GuidePage) -> Sequence[Link]:
    if url == GUIDE_URL:
        return ()
    return (Link("Guide", GUIDE_URL), Link(page.title, url))
