"""Markdown and HTML of authors: what it becomes, and that it is harmless."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.shared.markdown import (
    highlight_code,
    html_as_markdown,
    lead_text,
    plain_text,
    render_markdown,
    sanitize_html,
)
from tests.apps.support.xss import XSS_CORPUS, assert_harmless
from tools.testing.cases import every

NAME = "0123456789abcdef"


@every("vector", XSS_CORPUS)
def test_attacks_are_removed_from_markdown_and_html(vector: str) -> None:
    for html in (render_markdown(vector), sanitize_html(vector)):
        assert_harmless(html)
        assert_harmless(sanitize_html(html))


@given(st.lists(st.sampled_from([*XSS_CORPUS, "\n\n", "> ", "- ", "`", '"', "|a|\n|-|\n"])))
def test_combined_attacks_are_removed(vectors: list[str]) -> None:
    assert_harmless(render_markdown("".join(vectors)))


@given(st.text())
def test_any_text_is_harmless(text: str) -> None:
    assert_harmless(render_markdown(text))


@every("vector", ["<script>alert(1)</script>", '<p style="color:red">x</p>'])
def test_the_check_itself_finds_attacks(vector: str) -> None:
    with pytest.raises(AssertionError):
        assert_harmless(vector)


def test_commonmark_tables_strikethrough_and_code_are_rendered() -> None:
    html = render_markdown(
        "Some *text* ~~gone~~.\n\n|a|b|c|\n|-|-:|:-:|\n|x|1|y|\n\n"
        "```python\nif x: pass\n```\n\n    code\n"
    )
    assert "<em>text</em> <s>gone</s>" in html
    assert '<th class="numeric">b</th>' in html
    assert '<td class="centered">y</td>' in html
    assert "style=" not in html
    assert '<span class="code-keyword">if</span>' in html
    assert html.count('<pre tabindex="0">') == 2


def test_headings_get_ids_that_links_in_the_text_reach() -> None:
    html = render_markdown("## Größe & Form\n\n[up](#größe--form) [top](#)\n\n## Größe & Form\n")
    assert '<h2 id="text-größe--form">' in html
    assert '<h2 id="text-größe--form-1">' in html
    assert 'href="#text-gr%C3%B6%C3%9Fe--form"' in html
    assert 'href="#"' in html


def test_first_level_headings_leave_room_for_the_title() -> None:
    html = render_markdown("# One\n\n## Two\n\n###### Six\n")
    assert re.findall(r"<(h\d)", html) == ["h2", "h3", "h6"]
    assert re.findall(r"<(h\d)", render_markdown("## Two\n")) == ["h2"]


def test_footnotes_link_there_and_back() -> None:
    html = render_markdown("Text[^n] and again[^n].\n\n[^n]: The *note*.\n")
    targets = re.findall(r'href="#([^"]+)"', html)
    assert set(targets) == {"text-fn1", "text-fnref1", "text-fnref1:1"}
    assert all(f'id="{target}"' in html for target in targets)
    assert "<ol>" in html
    assert plain_text(html) == "Text and again. The note."


def test_an_image_alone_is_a_figure_without_a_caption() -> None:
    html = render_markdown("![A cat](/cat.png)\n\nMy ![cat](/cat.png)")
    assert html.startswith('<figure><img src="/cat.png"')
    assert "<p>My <img" in html
    assert "figcaption" not in html


def test_tasks_are_shown_as_boxes() -> None:
    html = render_markdown("- [ ] tea\n- [x] *milk*\n- [sugar](/s)\n- [ ]\n-\n\n[x] text")
    assert "<li>☐ tea</li>" in html
    assert "<li>☑ <em>milk</em></li>" in html
    assert '<li><a href="/s" rel="noopener">sugar</a></li>' in html
    assert "<li>[ ]</li>" in html
    assert "<p>[x] text</p>" in html


def test_an_image_with_a_title_is_a_figure_with_a_caption() -> None:
    html = render_markdown('![A cat](/cat.png "My <cat> & me")\n\nText ![x](/y.png "z").\n')
    assert (
        '<figure><img src="/cat.png" alt="A cat" loading="lazy" decoding="async">'
        "<figcaption>My &lt;cat&gt; &amp; me</figcaption></figure>" in html
    )
    assert html.count("<figure>") == 1


@every("markdown", ["![A cat]({url})", '<img alt="A cat" src="{url}" width="9">'])
def test_own_images_get_their_widths_and_size(markdown: str) -> None:
    url = f"/portfolio/media/{NAME}_4000x3000"
    html = render_markdown(markdown.format(url=f"{url}/960.webp"), media_prefix="/portfolio")
    assert f'src="{url}/960.webp"' in html
    assert f'srcset="{url}/480.webp 480w, {url}/960.webp 960w, {url}/1600.webp 1600w"' in html
    assert 'width="1600" height="1200" loading="lazy" decoding="async"' in html
    assert html.count("width=") == 1
    assert sanitize_html(html, media_prefix="/portfolio") == html


def test_small_images_get_only_the_widths_they_have() -> None:
    html = render_markdown(f"![]( /media/{NAME}_700x350/960.webp)")
    assert f'src="/media/{NAME}_700x350/700.webp" alt="" srcset=' in html
    assert f"/media/{NAME}_700x350/480.webp 480w, /media/{NAME}_700x350/700.webp 700w" in html
    assert "srcset" not in render_markdown(f"![]( /media/{NAME}_300x1/300.webp)")


@every(
    "url",
    [
        f"/media/{NAME}_0x9/960.webp",
        f"/media/{NAME.upper()}_9x9/960.webp",
        f"/media/{NAME}_9x9/960.png",
        f"https://example.org/media/{NAME}_9x9/960.webp",
        f"/other/media/{NAME}_9x9/960.webp",
    ],
)
def test_other_images_get_no_widths(url: str) -> None:
    html = render_markdown(f"![]({url})")
    assert "srcset" not in html
    assert "width" not in html


@every(
    ("text", "href", "rest"),
    [
        ("See https://example.org/a_b_c.", "https://example.org/a_b_c", "."),
        ("(https://example.org/x_(y))", "https://example.org/x_(y)", ")"),
        ("https://example.org/?a=1&b=2, ok", "https://example.org/?a=1&amp;b=2", ", ok"),
        ("**https://example.org**", "https://example.org", ""),
    ],
)
def test_bare_urls_become_links(text: str, href: str, rest: str) -> None:
    html = render_markdown(text)
    assert f'<a href="{href}" rel="noopener">{href}</a>{rest}' in html


@every(
    "text",
    [
        "[https://example.org](https://example.com)",
        '<a href="https://example.com">https://example.org</a>',
        "<https://example.com>",
    ],
)
def test_links_are_not_nested(text: str) -> None:
    assert render_markdown(text).count("<a ") == 1


def test_links_in_code_stay_text() -> None:
    assert "<a " not in render_markdown("`https://example.org`\n\n    https://example.org\n")


def test_links_never_open_windows_and_readers_links_do_not_count() -> None:
    html = sanitize_html('<a href="https://example.org" target="_blank" rel="me">x</a>')
    assert html == '<a href="https://example.org" rel="noopener">x</a>'
    rel = "noopener nofollow ugc"
    assert f'rel="{rel}"' in render_markdown("https://example.org", rel=rel)


def test_html_keeps_text_and_drops_frames() -> None:
    html = render_markdown(
        "<details open><summary>More</summary>\n\n*text*\n\n</details>\n\n<kbd>Ctrl</kbd>"
        '<iframe src="https://video.example/1"></iframe>\n'
    )
    assert "<details open" in html
    assert "<em>text</em>" in html
    assert "<kbd>Ctrl</kbd>" in html
    assert "iframe" not in html


def test_ids_never_meet_those_of_the_page() -> None:
    assert sanitize_html('<h2 id="main">x</h2>') == '<h2 id="text-main">x</h2>'


@every(
    ("markdown", "lead"),
    [
        ("# Title\n\nOne *a*.\n\nTwo.[^1]\n\n## Next\n\nThree.\n\n[^1]: Note.", "One a. Two."),
        ("| Ink |\n|---|\n| Gall |\n\n```\ncode\n```\n\nThe text.\n\n- list\n", "The text."),
        ("![hills](/hills.png)\n\nThe text.", "The text."),
        ("> Quoted.", "Quoted."),
        ("- one\n- two\n\n```\ncode\n```", ""),
        ("", ""),
    ],
)
def test_lead_is_the_first_paragraphs(markdown: str, lead: str) -> None:
    assert lead_text(render_markdown(markdown)) == lead


def test_plain_text_separates_blocks_and_keeps_words_together() -> None:
    html = render_markdown("# A\n\nb**o**ld &amp; `<x>`\n\n- one\n- two\n\n|a|b|\n|-|-|\n|c|d|\n")
    assert plain_text(html) == "A bold & <x> one two a b c d"
    assert plain_text("") == ""


def test_highlighting_keeps_the_code_and_escapes_it() -> None:
    code = 'if a < b:  # "c"\n    return "d" & e\n'
    html = highlight_code(code, "python")
    assert unescape(re.sub(r"</?span[^>]*>", "", html)) == code
    assert set(re.findall(r'class="([^"]+)"', html)) == {
        "code-keyword",
        "code-comment",
        "code-string",
    }
    assert highlight_code("<b>", "no such language") == "&lt;b&gt;"


def test_rendering_in_many_threads_gives_the_same() -> None:
    texts = [f"# {n}\n\n[x](#a) ![](/y.png) **{n}**\n" for n in range(64)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(render_markdown, texts)) == [render_markdown(text) for text in texts]


def test_a_long_post_renders_quickly() -> None:
    sentence = "A sentence of the usual length, with a few *words* that matter, ends here. "
    section = f"## Heading\n\n{sentence * 10}[A link](https://example.org).\n\n- one\n- two\n\n"
    code = "```python\nfor x in y:\n    print(x)\n```\n\n"
    words = (section * 4 + code) * 6
    assert len(words.split()) > 3000
    render_markdown(words)

    def seconds() -> float:
        start = time.process_time()
        render_markdown(words)
        return time.process_time() - start

    assert min(seconds() for _ in range(5)) < 0.05


QUILL = """<h2>Title</h2><p>One <strong>bold</strong> word.</p><p><br></p>
<pre class="ql-syntax" spellcheck="false">def f():

    return 1
</pre><ul><li>a</li>

<li>b <pre>x

y</pre></li></ul>loose *text* &amp; <em>more</em><hr><p title="a

b">last</p>"""


def test_html_as_markdown_renders_as_the_same_html() -> None:
    markdown = html_as_markdown(QUILL)
    assert markdown.startswith("<h2>Title</h2>\n\n<p>One <strong>bold</strong> word.</p>\n\n")
    html = render_markdown(markdown)
    assert "def f():\n\n    return 1\n</pre>" in html
    assert "<p>loose *text* &amp; <em>more</em></p>" in html
    assert plain_text(html) == plain_text(sanitize_html(QUILL))
    assert html_as_markdown(html) == markdown


@every("html", ["", "  ", "plain", "# no heading", "    no code", "<b>x</b>"])
def test_html_without_blocks_becomes_a_paragraph(html: str) -> None:
    text = html.strip()
    assert render_markdown(html_as_markdown(html)).strip() == (f"<p>{text}</p>" if text else "")


HTML_PARTS = ["<p>", "</p>", "<ul><li>", "</ul>", "<pre>", "</pre>", "<hr>", "<b>", "</b>", "\n\n"]


@given(st.lists(st.sampled_from([*HTML_PARTS, "word", "    ", "* x", "```", "<div>", "<td>"])))
def test_html_as_markdown_keeps_the_text_and_is_stable(parts: list[str]) -> None:
    html = "".join(parts)
    rendered = render_markdown(html_as_markdown(html))
    assert plain_text(rendered) == plain_text(sanitize_html(html))
    assert render_markdown(html_as_markdown(rendered)) == rendered


# Each took between half a minute and hours, during which no other request was answered.
@pytest.mark.parametrize(
    "markdown",
    [
        "http://a" + ")" * 120_000,
        "```java\n" + "a " * 50_000,
        "```java\n" + "a\n" * 50_000,
        "```perl\n" + "s{" * 50_000,
        "```php\n<?php " + "<<<A\n" * 20_000,
    ],
    ids=lambda text: text[:12],
)
def test_hostile_markdown_renders_in_seconds(markdown: str) -> None:
    started = time.process_time()
    render_markdown(markdown)
    assert time.process_time() - started < 10
