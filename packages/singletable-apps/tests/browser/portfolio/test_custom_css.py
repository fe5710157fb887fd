"""The owner's styles in a browser: no rule matches anything around the content."""

from __future__ import annotations

import random

from singletable_apps.portfolio.custom_css import confine
from tests.apps.portfolio.support.css import CSS_PARTS
from tests.browser.conftest import OpenPage
from tests.browser.portfolio.public_server import PublicSite

# Of each stylesheet, the selectors that match something outside of the content.
_ESCAPED = """sheets => {
  const outside = [...document.querySelectorAll("*")].filter(
    element => !element.closest("#content"))
  const selectors = rules => [...rules].flatMap(
    rule => rule.cssRules?.length ? selectors(rule.cssRules) : [rule.selectorText])
  return sheets.flatMap(text => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
    document.adoptedStyleSheets.push(sheet)
    return selectors(sheet.cssRules).filter(
      selector => selector && outside.some(element => element.matches(selector)))
  })
}"""
_RULES = "{ visibility: hidden; margin-top: -100vh; content: ''; }"


def test_no_rule_matches_header_or_footer(open_page: OpenPage, public_site: PublicSite) -> None:
    page = open_page()
    page.goto(public_site.address)
    control = ["#content + footer, #content ~ footer { --seen: 1 }"]
    assert page.evaluate(_ESCAPED, control) == ["#content + footer, #content ~ footer"]
    spaces = [part for part in CSS_PARTS if part.isspace()]
    sources = [f"{space}{mark} footer::before {_RULES}" for space in spaces for mark in "+~>"]
    sources += [f"{space}{mark} footer {_RULES}" for space in spaces for mark in "+~>"]
    chosen = random.Random(7)
    sources += ["".join(chosen.choices(CSS_PARTS, k=9)) + f"h2 {_RULES}" for _ in range(3_000)]
    assert page.evaluate(_ESCAPED, [confine(source).text for source in sources]) == []
    assert page.locator("footer").last.is_visible()
