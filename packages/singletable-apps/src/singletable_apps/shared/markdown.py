"""Markdown and HTML of authors as safe HTML.

Markdown is CommonMark with tables, strikethrough, footnotes, tasks and links from bare URLs. HTML
inside it is allowed as far as `sanitize_html` allows it: text, lists, tables, links and images, but
no scripts, styles, forms, or frames such as embedded videos; link to these instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from itertools import dropwhile, groupby, takewhile
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, image, link
from markdown_it.token import Token
from markupsafe import Markup, escape
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_ref
from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
from pygments.token import Comment, Generic, Keyword, Operator, String
from pygments.util import ClassNotFound

from singletable_apps.shared.images import image_widths, parse_image_name

# How wide an image in a text is shown: as wide as the column, and on phones as the screen.
IMAGE_SIZES = "(min-width: 48rem) 44rem, 100vw"
# Ids of a text start with this, so that they are never those of the page around it.
ID_PREFIX = "text-"
_CODE_CLASSES = (
    (Comment, "code-comment"),
    (String, "code-string"),
    (Keyword, "code-keyword"),
    (Operator.Word, "code-keyword"),
    (Generic.Prompt, "code-prompt"),
    (Generic.Output, "code-output"),
)
# Lexers need quadratic time for some texts, and these even cubic time.
_SLOW_LEXERS = frozenset({"Java", "Perl", "Makefile", "Matlab", "Scala"})
_MAX_HIGHLIGHTED, _MAX_SLOW_CODE = 10_000, 1_500
# A link takes about two attempts, and a text of 120 KB has room for some thousands.
_MAX_LINK_ATTEMPTS = 20_000
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_INLINE_TAGS = (
    "a abbr b cite code del dfn em i ins kbd mark q s samp small span strong sub sup time u var wbr"
)
_BLOCK_TAGS = (
    "blockquote br caption col colgroup dd details div dl dt figcaption figure hr img li ol p pre "
    "rp rt ruby section summary table tbody td tfoot th thead tr ul"
)
_INLINE = frozenset(_INLINE_TAGS.split())
_VOID = frozenset({"br", "col", "hr", "img", "wbr"})
# CommonMark starts a block of HTML with one of these; a paragraph contains the others.
_HTML_BLOCKS = {*_BLOCK_TAGS.split(), *_HEADINGS} - {"br", "img", "rp", "rt", "ruby"}
_ATTRIBUTES = {
    "*": {"dir", "lang", "title"},
    "a": {"aria-label", "href", "id"},
    "col": {"span"},
    "colgroup": {"span"},
    "del": {"datetime"},
    "details": {"open"},
    "img": {"alt", "height", "src", "width"},
    "ins": {"datetime"},
    "li": {"id", "value"},
    "ol": {"reversed", "start", "type"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "time": {"datetime"},
    **{heading: {"id"} for heading in _HEADINGS},
}
# Scroll areas can be focused, so that they scroll with the keyboard.
_ATTRIBUTE_VALUES = {
    "div": {"tabindex": {"0"}, "role": {"group"}, "aria-label": {"Table"}},
    "pre": {"tabindex": {"0"}},
}
# Lists have none: in our style sheets, a list with a class has no numbers.
_CLASSES = {
    "a": {"footnote-backref"},
    "div": {"table-scroll"},
    "hr": {"footnotes-sep"},
    "li": {"footnote-item"},
    "section": {"footnotes"},
    "span": {name for _, name in _CODE_CLASSES},
    "sup": {"footnote-ref"},
    "table": {"table"},
    "td": {"centered", "numeric"},
    "th": {"centered", "numeric"},
}
# These match sanitized HTML only: attributes are in double quotes, and no text or value contains
# an unescaped < or a quotation mark of the same kind.
_TAG = re.compile(r'<(/?)([a-z0-9]+)((?: [a-z-]+="[^"]*")*)>')
_SOURCE = re.compile(r' src="([^"]*)"')
_SIZE = re.compile(r' (?:width|height)="[^"]*"')
_FOOTNOTE_MARKS = re.compile(
    r'<sup class="footnote-ref">(?:(?!<sup).)*?</sup>|<a [^>]*class="footnote-backref"[^>]*>.*?</a>'
)
_PARAGRAPH = re.compile(r"<p(?=[ >])")
_SPACE = re.compile(r"\s++")
# The sanitizer takes quadratic time for deeply nested elements.
_MAX_NESTING = 500
# Tags, and what only looks like tags: in comments, attributes and elements such as scripts.
_IN_TAG = r"""(?:[ \t\n\f\r/]++|[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+
    (?:[ \t\n\f\r]*+=[ \t\n\f\r]*+(?:"[^"]*+"|'[^']*+'|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+)?)?)*+"""
_MARKUP = re.compile(
    rf"""<!--(?:-?>|.*?(?:--!?>|\Z)) | <[!?][^>]*+ | </[^a-z>][^>]*+
    | <(iframe|noembed|noframes|noscript|script|style|textarea|title|xmp)(?=[ \t\n\f\r/>])
      {_IN_TAG}(?:>(?P<raw>.*?)(?:</\1(?=[ \t\n\f\r/>])|\Z))?+
    | <(?P<slash>/?)(?P<name>[a-z][^ \t\n\f\r/>]*+){_IN_TAG}""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
# These end where the next one starts, so they nest only inside other elements.
_IMPLIED_END = frozenset({"p", "li", "dd", "dt", "td", "th", "tr", "tbody", "thead", "tfoot"})
# The classes of cells by the alignment of their column.
_ALIGNED = {"center": "centered", "right": "numeric"}
_TASK = re.compile(r"\[([ xX])\] ")
_URL = re.compile(r"https?://[^\s<>\"`]+")


def render_markdown(text: str, *, media_prefix: str = "", rel: str = "noopener") -> str:
    """Return Markdown as sanitized HTML; see `sanitize_html` for the options."""
    env: dict[str, Any] = {}
    tokens = _MARKDOWN.parse(text, env)
    _lower_headings(tokens)
    _mark_tasks(tokens)
    fix_tables(tokens)
    add_heading_ids(tokens)
    html = _MARKDOWN.renderer.render(list(_with_figures(tokens)), _MARKDOWN.options, env)
    return sanitize_html(html, media_prefix=media_prefix, rel=rel)


def sanitize_html(html: str, *, media_prefix: str = "", rel: str = "noopener") -> str:
    """Return HTML with only the elements and attributes that a text needs.

    Images below `{media_prefix}/media/`, named by `process_image`, get all their widths. `rel` is
    for links: pass `noopener nofollow ugc` for text of readers.
    """
    own_image = re.compile(rf"{re.escape(media_prefix)}/media/([0-9a-z_]+)/[0-9]+\.webp")

    def finish(tag: re.Match[str]) -> str:
        return _image(tag[3], own_image) if tag[2] == "img" else tag[0]

    return _TAG.sub(finish, _clean(html, rel))


def plain_text(html: str) -> str:
    """Return the text of sanitized HTML on one line, for excerpts, word counts and search."""
    without_marks = _FOOTNOTE_MARKS.sub("", html)
    text = _TAG.sub(lambda tag: "" if tag[2] in _INLINE else " ", without_marks)
    return " ".join(unescape(text).split())


def lead_text(html: str) -> str:
    """Return the first paragraphs of sanitized HTML as text on one line, for excerpts.

    They end at the next heading, list, table or code. A text whose only paragraphs are in
    quotations or lists starts with these.
    """
    blocks = [part for is_block, part in _top_level_parts(html) if is_block]
    lead = takewhile(_PARAGRAPH.match, dropwhile(lambda part: not _PARAGRAPH.match(part), blocks))
    nested = (f"<p{rest.partition('</p>')[0]} " for rest in _PARAGRAPH.split(html)[1:])
    return plain_text("".join(lead)) or plain_text("".join(nested))


def html_as_markdown(html: str) -> str:
    """Return Markdown that renders as this HTML: each block is sanitized HTML without blank lines.

    For texts of systems that store HTML. CommonMark ends a block of HTML at a blank line.
    """
    blocks: list[str] = []
    inline = ""
    for is_block, part in _top_level_parts(_clean(html, "noopener")):
        if is_block:
            blocks += [f"<p>{inline.strip()}</p>"] if inline.strip() else []
            inline = ""
            blocks.append(part)
        else:
            inline += part
    blocks += [f"<p>{inline.strip()}</p>"] if inline.strip() else []
    return "\n\n".join(_SPACE.sub(_one_line_break, block) for block in blocks)


def _one_line_break(space: re.Match[str]) -> str:
    return "\n" if "\n" in space[0] else space[0]


def _top_level_parts(html: str) -> Iterator[tuple[bool, str]]:
    """Yield the parts of sanitized HTML, with whether each is a block."""
    end = 0
    element = root = ""
    opened: list[str] = []
    open_pre = 0
    has_block = False
    for tag in _TAG.finditer(html):
        text, end = html[end : tag.start()], tag.end()
        if not opened:
            yield False, text
            element, has_block, root = "", False, tag[2]
        else:
            element += _on_one_line(text) if open_pre else text
        element += _on_one_line(tag[0])
        has_block |= tag[2] in _HTML_BLOCKS
        if tag[1]:
            open_pre -= opened.pop() == "pre"
        elif tag[2] not in _VOID:
            opened.append(tag[2])
            open_pre += tag[2] == "pre"
        if not opened:
            # A block of HTML cannot start with an inline element.
            is_nested = has_block and root not in _HTML_BLOCKS
            yield has_block, f"<div>{element}</div>" if is_nested else element
    yield False, html[end:]


def _on_one_line(text: str) -> str:
    return text.replace("\n", "&#10;")


def absolute_html(html: str, url: str) -> str:
    """Return the HTML of the page at `url` with absolute links and images, for feeds and mail."""
    return _clean(html, "noopener", url)


def _clean(html: str, rel: str, base_url: str = "") -> str:
    """Return sanitized HTML; escape HTML that is nested too deeply."""
    return _cleaner(rel, base_url).clean(str(escape(html)) if _is_too_deep(html) else html)


def _is_too_deep(html: str) -> bool:
    if html.count("<") <= _MAX_NESTING:
        return False
    opened: list[str] = []
    hidden = 0
    for markup in _MARKUP.finditer(html):
        element = (markup["name"] or "").lower()
        if markup["slash"]:
            # Ignore an end tag without a start tag.
            if opened and opened[-1] == element:
                opened.pop()
        elif element and element not in _VOID and element not in _IMPLIED_END:
            opened.append(element)
        # Inside an SVG, the text of a style is HTML.
        hidden += (markup["raw"] or "").count("<")
        if len(opened) + hidden > _MAX_NESTING:
            return True
    return False


@lru_cache(maxsize=64)
def _cleaner(rel: str, base_url: str = "") -> nh3.Cleaner:
    return nh3.Cleaner(
        tags={*_INLINE, *_BLOCK_TAGS.split(), *_HEADINGS},
        attributes=_ATTRIBUTES,
        attribute_filter=_link_inside,
        tag_attribute_values=_ATTRIBUTE_VALUES,
        allowed_classes=_CLASSES,
        url_schemes={"http", "https", "mailto"},
        link_rel=rel,
        url_relative=("rewrite_with_base", base_url) if base_url else None,
        id_prefix=ID_PREFIX,
    )


def _link_inside(tag: str, attribute: str, value: str) -> str:
    """Point a link to a heading of the same text to the id with its prefix."""
    if attribute == "href" and value.startswith("#") and value != "#":
        return f"#{ID_PREFIX}{value[1:].removeprefix(ID_PREFIX)}"
    return value


def _image(attributes: str, own_image: re.Pattern[str]) -> str:
    source = _SOURCE.search(attributes)
    own = own_image.fullmatch(source[1]) if source else None
    size = parse_image_name(own[1]) if own else None
    if source is not None and size is not None:
        widths = image_widths(size.width)
        folder = source[1].rpartition("/")[0]
        attributes = _SIZE.sub("", attributes).replace(
            source[0], f' src="{folder}/{widths[min(1, len(widths) - 1)]}.webp"'
        )
        if len(widths) > 1:
            choices = ", ".join(f"{folder}/{width}.webp {width}w" for width in widths)
            attributes += f' srcset="{choices}" sizes="{IMAGE_SIZES}"'
        largest = size.scaled(max(widths))
        attributes += f' width="{largest.width}" height="{largest.height}"'
    return f'<img{attributes} loading="lazy" decoding="async">'


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and its id, for tables of contents and links."""

    text: str
    id: str
    level: int = 2


def add_heading_ids(tokens: Sequence[Token]) -> list[Heading]:
    """Give each heading an id made of its text, as GitHub does, and return the headings."""
    headings: list[Heading] = []
    ids: dict[str, int] = {}
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            text = "".join(child.content for child in tokens[at + 1].children or ())
            slug = re.sub(r"[^\w\- ]", "", text).lower().replace(" ", "-")
            ids[slug] = ids.get(slug, -1) + 1
            id_ = f"{slug}-{ids[slug]}" if ids[slug] else slug
            headings.append(Heading(text, id_, int(token.tag[1])))
            token.attrSet("id", id_)
    return headings


def fix_tables(tokens: Sequence[Token]) -> None:
    """Align columns with a class, and make empty header cells plain cells."""
    for at, token in enumerate(tokens):
        # The content security policy forbids style attributes.
        alignment = str(token.attrs.pop("style", "")).removeprefix("text-align:")
        if alignment in _ALIGNED:
            token.attrSet("class", _ALIGNED[alignment])
        # An empty header cell is announced as a header without a name.
        if token.type == "th_open" and not tokens[at + 1].content:
            token.tag = tokens[at + 2].tag = "td"


def highlight_code(code: str, language: str) -> Markup:
    """Return code as HTML, with classes for keywords, strings, comments and prompts.

    Very long code is returned without classes.
    """
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code)
    longest = _MAX_SLOW_CODE if lexer.name in _SLOW_LEXERS else _MAX_HIGHLIGHTED
    if len(code) > longest:
        return escape(code)
    parts: list[Markup] = []
    # The lexer of terminal sessions leaves out a last line without a newline, so add one.
    *rest, (last_kind, last_text) = lexer.get_tokens(f"{code}\n")
    all_tokens = [*rest, (last_kind, last_text.removesuffix("\n"))]
    for kind, tokens in groupby(all_tokens, lambda token: _code_class(token[0])):
        text = "".join(text for _, text in tokens)
        parts.append(
            Markup('<span class="{}">{}</span>').format(kind, text) if kind else escape(text)
        )
    return Markup("").join(parts)


@lru_cache(maxsize=256)
def _code_class(kind: Any) -> str:
    return next((name for parent, name in _CODE_CLASSES if kind in parent), "")


class HtmlRenderer(RendererHTML):
    """Renders highlighted code, and tables that scroll."""

    def fence(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        """Return code in a scroll area."""
        language = tokens[idx].info.split()[:1]
        code = highlight_code(tokens[idx].content, language[0] if language else "text")
        return Markup('<pre tabindex="0"><code>{}</code></pre>\n').format(code)

    def code_block(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        """Return indented code in a scroll area."""
        return self.fence(tokens, idx, options, env)

    def table_open(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        """Open a table in a scroll area."""
        return (
            '<div class="table-scroll" tabindex="0" role="group" aria-label="Table">'
            '<table class="table">\n'
        )

    def table_close(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        """Close the table and its scroll area."""
        return "</table></div>\n"


def _lower_headings(tokens: Iterable[Token]) -> None:
    """Make room for the title of the page, the only first-level heading."""
    headings = [token for token in tokens if token.type.startswith("heading_")]
    if any(token.tag == "h1" for token in headings):
        for token in headings:
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"


def _mark_tasks(tokens: Sequence[Token]) -> None:
    """Show `- [ ]` and `- [x]` as characters, which feeds and mail show too."""
    for at, token in enumerate(tokens):
        text = tokens[at + 2].children if token.type == "list_item_open" else None
        if text and text[0].type == "text" and (task := _TASK.match(text[0].content)):
            box = "☐" if task[1] == " " else "☑"
            text[0].content = f"{box} {text[0].content[task.end() :]}"


def _with_figures(tokens: Sequence[Token]) -> Iterator[Token]:
    """Turn a paragraph of one image into a figure; the image's title is its caption."""
    is_figure = False
    for at, token in enumerate(tokens):
        if token.type == "paragraph_open" and not token.hidden:
            image = tokens[at + 1].children or []
            if len(image) == 1 and image[0].type == "image":
                is_figure = True
                token.tag = "figure"
                if title := image[0].attrs.pop("title", ""):
                    caption = Token("text", "", 0, content=str(title))
                    opened = Token("figcaption_open", "figcaption", 1)
                    closed = Token("figcaption_close", "figcaption", -1)
                    tokens[at + 1].children = [*image, opened, caption, closed]
        elif token.type == "paragraph_close" and is_figure:
            is_figure = False
            token.tag = "figure"
        yield token


def _link_urls(state: StateCore) -> None:
    """Make links of the URLs in text that is not in a link."""
    for token in state.tokens:
        if token.type == "inline" and "://" in token.content:
            children: list[Token] = []
            depth = 0
            for child in token.children or ():
                if child.type == "html_inline" and re.match(r"</?a\b", child.content):
                    depth += -1 if child.content.startswith("</") else 1
                depth += child.nesting if child.type.startswith("link_") else 0
                is_text = child.type == "text" and depth == 0
                children += _split_urls(state, child) if is_text else [child]
            token.children = children


def _split_urls(state: StateCore, token: Token) -> Iterator[Token]:
    end = 0
    for match in _URL.finditer(token.content):
        url = _without_punctuation(match[0])
        href = state.md.normalizeLink(url)
        if not state.md.validateLink(href):
            continue
        yield Token("text", "", 0, content=token.content[end : match.start()])
        yield Token("link_open", "a", 1, attrs={"href": href})
        yield Token("text", "", 0, content=url)
        yield Token("link_close", "a", -1)
        end = match.start() + len(url)
    yield Token("text", "", 0, content=token.content[end:])


def _without_punctuation(url: str) -> str:
    """Leave out what ends the sentence, and a parenthesis that was opened before the URL."""
    unopened, end = url.count(")") - url.count("("), len(url)
    while url[end - 1] in ".,;:!?'*_~" or (url[end - 1] == ")" and unopened > 0):
        unopened -= url[end - 1] == ")"
        end -= 1
    return url[:end]


def _footnote_anchor(
    self: RendererHTML, tokens: Sequence[Token], idx: int, options: object, env: object
) -> str:
    meta = tokens[idx].meta
    id_ = f"{meta['id'] + 1}:{meta['subId']}" if meta["subId"] > 0 else f"{meta['id'] + 1}"
    return (
        f' <a href="#fnref{id_}" class="footnote-backref" aria-label="Back to the text">↩\ufe0e</a>'
    )


def _footnote_ref(state: StateInline, silent: bool) -> bool:
    """Parse a reference to a footnote that exists.

    For each `[^`, the plugin itself would read the text up to the next bracket, however far it is.
    """
    if not state.src.startswith("[^", state.pos):
        return False
    start = state.pos + 2
    # As long as the label of a link in CommonMark can be.
    label, end, _ = state.src[start : min(start + 1_000, state.posMax)].partition("]")
    known: dict[str, int] = state.env.get("footnotes", {}).get("refs", {})
    return bool(end) and f":{label}" in known and footnote_ref(state, silent)


def _limited(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    """Leave brackets as they are after very many attempts to parse a link or image.

    Every `[` is tried with everything that may be nested in it: twenty levels of brackets.
    """

    def parse(state: StateInline, silent: bool) -> bool:
        if state.src[state.pos] not in "[!":
            return False
        attempts = state.env["attempts"] = state.env.get("attempts", 0) + 1
        return attempts <= _MAX_LINK_ATTEMPTS and rule(state, silent)

    return parse


_MARKDOWN = (
    MarkdownIt("commonmark", renderer_cls=HtmlRenderer)
    .enable(["table", "strikethrough"])
    .use(footnote_plugin)
)
_MARKDOWN.inline.ruler.at("footnote_ref", _footnote_ref)
_MARKDOWN.inline.ruler.at("link", _limited(link))
_MARKDOWN.inline.ruler.at("image", _limited(image))
_MARKDOWN.add_render_rule("footnote_anchor", _footnote_anchor)
_MARKDOWN.core.ruler.push("link_urls", _link_urls)
