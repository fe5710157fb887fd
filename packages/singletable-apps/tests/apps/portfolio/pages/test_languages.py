"""The site in another language: every text has a translation, and no page shows an English one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import date
from gettext import NullTranslations
from html.parser import HTMLParser
from pathlib import Path
from typing import ClassVar
from urllib.parse import urldefrag

import pytest
from babel.messages.pofile import read_po
from jinja2.ext import babel_extract

import singletable_apps
from singletable_apps.portfolio.api.dependencies import PROBLEMS
from singletable_apps.portfolio.comment_rules import CommentDraft, ContactDraft
from singletable_apps.portfolio.entities import Experience, Project
from singletable_apps.portfolio.profile_rules import TRANSLATIONS
from singletable_apps.portfolio.rules import PostDraft
from singletable_apps.portfolio.transfer import Kind
from singletable_apps.shared.languages import Language, Phrase
from singletable_apps.shared.pages.forms import MESSAGES
from singletable_apps.shared.web import COMMON
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.portfolio.support.harness import PASSWORD
from tests.apps.portfolio.support.posts import publish
from tests.apps.support.html import field_errors

APPS = Path(singletable_apps.__file__).parent
CATALOGS = ("shared", "portfolio")
# Modules whose errors readers see, besides those that mark their texts.
RAISING = (
    "portfolio/*rules.py",
    "portfolio/custom_css.py",
    "portfolio/pages/*.py",
    "portfolio/pages/admin/*.py",
    "portfolio/service/*.py",
    "portfolio/site_files.py",
    "portfolio/transfer.py",
    "shared/accounts/password*.py",
    "shared/archives.py",
    "shared/front_matter.py",
    "shared/images.py",
    "shared/text.py",
)
MARKS = ("_", "Phrase", "gettext", "ngettext")
ERRORS = (
    *("ArchiveError", "Busy", "InvalidFrontMatter", "InvalidImage", "NotFound", "NotSignedIn"),
    *("PasswordRejected", "SwitchedOff"),
)
# What scripts show, and words that are the same in every language.
LABELS = ("data-none", "data-wait", "data-failed", "data-copied", "data-blocked", "data-show")
CODE = "el-GR"
NAMES = {
    *("RSS", "Portfolio", "UTC", "singletable", "Apache", "License", "Python", "DynamoDB"),
    *("tests", "CSS", "GitHub", "Instagram", "LinkedIn", "Mastodon", "Twitter"),
}
PARAMETER = re.compile(r"%\((\w+)\)s|(\{\w+\})")


def read_catalog(name: str) -> dict[str, str]:
    """Return the German texts by the English ones."""
    with (APPS / name / "translations" / "de.po").open("rb") as lines:
        messages = [message for message in read_po(lines, "de") if message.id]
    texts: dict[str, str] = {}
    for message in messages:
        both = (message.id, message.string or "")
        english, german = ([each] if isinstance(each, str) else [*each] for each in both)
        texts |= zip(english, german, strict=True)
    return texts


def texts_of(*values: object) -> Iterator[str]:
    yield from (each for each in values if isinstance(each, str))


def in_templates(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*.html"):
        options = {"extensions": "jinja2.ext.do"}
        with path.open("rb") as lines:
            for _, _, found, _ in babel_extract(lines, MARKS, (), options):
                yield from texts_of(*(found if isinstance(found, tuple) else (found,)))


def is_formatted(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr)


def in_code(path: Path) -> Iterator[str]:
    """Return the texts that a module marks, and those of its errors if readers see them."""
    is_raising = any(path.match(each) for each in RAISING)
    for node in ast.walk(ast.parse(path.read_text())):
        if is_raising and isinstance(node, ast.Assign | ast.Call):
            # A text with parameters may have a name, for want of room.
            values = [node.value] if isinstance(node, ast.Assign) else node.args
            found = [each.value for each in values if isinstance(each, ast.Constant)]
            yield from (each for each in texts_of(*found) if "%(" in each)
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        given = [each.value if isinstance(each, ast.Constant) else None for each in node.args]
        if name in MARKS:
            yield from texts_of(*given[:2])
        elif name == "Notice":
            yield from texts_of(*given)
        elif is_raising and name in ERRORS:
            yield from texts_of(*given[:1])
        elif is_raising and name in ("Problem", "reject", "_problem", "_refuse"):
            yield from texts_of(*given[1:2])
            # Nobody can translate a text with its values.
            yield from (ast.unparse(each) for each in node.args[1:2] if is_formatted(each))


def marked_texts(name: str) -> set[str]:
    folder = APPS / name
    code = [each for each in folder.rglob("*.py") if "api" not in each.parts]
    texts = {text for path in code for text in in_code(path)}
    if name == "shared":
        texts |= {text for each in COMMON for text in (each.title, each.about)}
        texts |= {text for each in MESSAGES.values() for text in each}
    else:
        texts |= {text for each in PROBLEMS.own_types for text in (each.title, each.about)}
    return texts | {*in_templates(folder)}


@pytest.mark.parametrize("name", CATALOGS)
def test_every_text_has_a_translation_with_its_parameters(name: str) -> None:
    translations = read_catalog(name)
    assert sorted(marked_texts(name) - {*read_catalog("shared"), *translations}) == []
    for english, german in translations.items():
        assert german, english
        assert {*PARAMETER.findall(english)} == {*PARAMETER.findall(german)}, english


class Marked(NullTranslations):
    """Puts every text of the catalogs into brackets."""

    texts: ClassVar = {**read_catalog("shared"), **read_catalog("portfolio")}

    def gettext(self, message: str) -> str:
        return f"⟦{message}⟧" if message in self.texts else message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


class PageTexts(HTMLParser):
    """Collects what people read or hear on a page, and its links."""

    SPOKEN = ("alt", "aria-label", "content", "placeholder", "title")
    # Languages and time zones are options.
    SILENT = ("script", "style", "code", "option")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.links: list[str] = []
        self._tag = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tag = tag
        given = {name: value or "" for name, value in attrs}
        if tag == "a":
            self.links.append(urldefrag(given["href"])[0])
        is_text = tag != "meta" or given.get("name") == "description"
        spoken = (self.SPOKEN if is_text else ()) + LABELS
        self.texts += [value for name, value in given.items() if name in spoken]

    def handle_endtag(self, tag: str) -> None:
        self._tag = ""

    def handle_data(self, data: str) -> None:
        if self._tag not in self.SILENT:
            self.texts.append(data)


def english_on(page: str) -> set[str]:
    """Return the words in Latin letters that are not in brackets; brackets may be nested."""
    text = "\n".join(PageTexts(page).texts)
    while text != (text := re.sub("⟦[^⟦⟧]*⟧", "", text)):
        pass
    return {*re.findall("[A-Za-z]{2,}", re.sub(r"\S+@\S+|\S*/\S*", "", text))} - NAMES


@pytest.fixture
def greek(new_app: PagesApp, monkeypatch: pytest.MonkeyPatch) -> PagesApp:
    """Return a site on which people write in Greek, and our own texts are in brackets."""
    monkeypatch.setitem(TRANSLATIONS, CODE, Language(CODE, Marked()))
    service = new_app.world.service
    owner = service.accounts.set_up("Άννα", "ada@example.org", PASSWORD, "Λέξεις")
    settings = {"language": CODE, "newsletter": True, "posts_per_page": 1}
    service.profile.update_settings(owner, settings)
    project = Project(id="a", title="Έργο", description="Λόγια", technologies=["Γη"])
    position = Experience(id="b", title="Θέση", company="Όμιλος", start_date=date(2020, 5, 1))
    person = {
        "name": "Άννα",
        "headline": "Εγώ",
        "profile_pic_url": "",
        "bio": "Γειά",
        "email": "ada@example.org",
        "social_links": {},
        "about_markdown": "Γειά",
        "projects": [project],
        "experience": [position],
    }
    service.profile.update_portfolio(owner, person)
    blogs = [
        publish(
            new_app.world,
            "Τίτλος",
            "Λόγια.",
            slug=f"s-{number}",
            days_ago=number,
            tags=("γη",),
            category="Θέμα",
        )
        for number in range(3)
    ]
    service.likes.like(blogs[1].blog_id, "someone")
    service.comments.submit(blogs[1].blog_id, CommentDraft("Νίκος", "Ναι"), "someone")
    service.comments.approve(owner, service.comments.queue(owner).items[0].ref)
    return new_app


# Pages that no link leads to, and forms that are rejected.
UNLINKED = (
    "nothing tags/χ search?q=χχ blog/s-1?like=1 contact?sent=1 "
    "blog/s-1?comment=waiting newsletter?sent=1 newsletter/confirm/x newsletter/unsubscribe/x "
    "blog?cursor=x blog/s-1?preview=x admin/forgot/sent admin/reset admin/χ"
)
REJECTED: dict[str, dict[str, str]] = {
    "contact": {"name": "χ", "message": "χ" * 6000},
    "newsletter": {"email": "χ"},
    "blog/s-1/comments": {},
    "admin/sign-in": {"who": "χ", "password": "χ"},
    "admin/forgot": {},
}


def crawl(browser: Browser, waiting: list[str], *, without: str) -> dict[str, str]:
    """Open pages, and those below the first that they link to."""
    pages: dict[str, str] = {}
    home = waiting[0]
    while waiting:
        path = waiting.pop()
        if path not in pages and path.startswith(home) and not re.search(without, path):
            pages[path] = browser.open(path).text
            waiting += PageTexts(pages[path]).links
    return pages


@pytest.mark.rest
def test_no_page_for_readers_has_an_english_text(
    greek: PagesApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, home = greek.browser(), greek.urls.page()
    unlinked = [f"{home}/{path}" for path in UNLINKED.split()]
    pages = crawl(reader, [home, *unlinked], without=r"\.xml$")
    for path, form in REJECTED.items():
        pages[f"POST {path}"] = reader.post(f"{home}/{path}", form).text
    email = {"email": "mae@example.org"}
    *_, busy = (reader.post(f"{home}/newsletter", email) for _ in range(6))
    monkeypatch.setattr(greek.world.service.catalog, "tags", None)
    broken = reader.public("tags")
    assert (busy.status_code, broken.status_code) == (429, 500)
    pages |= {"busy": busy.text, "broken": broken.text}
    emails = [each for each in greek.world.mailbox.emails if each.to == email["email"]]
    pages |= {each.subject: each.text for each in emails}
    assert {path: words for path, page in pages.items() if (words := english_on(page))} == {}
    assert len(pages) > 40


@pytest.mark.parametrize(
    ("code", "locale", "texts"),
    [
        ("de-AT", "de_AT", ("1.234", "1 Stunde", "2 Stunden", "3. Jänner 2026")),
        ("zh-Hant", "zh_TW", ("1,234", "1 hour", "2 hours", "3 January 2026")),
    ],
)
def test_language_has_numbers_plurals_and_dates_or_is_english(
    app: PagesApp, code: str, locale: str, texts: tuple[str, ...]
) -> None:
    language, day = TRANSLATIONS[code], date(2026, 1, 3)
    hours = [Phrase("%(count)s hour", "%(count)s hours", count=count) for count in (1, 2)]
    formatted = (language.number(1234), *map(language.gettext, hours))
    assert (*formatted, language.date(day, "d MMMM y")) == texts
    profile, owner = app.world.service.profile, app.world.owner()
    profile.update_settings(owner, {"language": code})
    page = app.browser().public("archive").text
    assert f'<html lang="{code}"' in page
    assert f'<meta property="og:locale" content="{locale}">' in page
    assert ("Noch keine Beiträge." in page) == (code == "de-AT")


@pytest.mark.rest
def test_no_page_of_the_studio_has_an_english_text(greek: PagesApp) -> None:
    world, admin = greek.world, greek.urls.admin
    service, owner = world.service, world.owner()
    draft = service.posts.create(owner, PostDraft("Σχέδιο", "Λόγια.", slug="s"))
    service.posts.edit(owner, draft.blog_id, PostDraft("Σχέδιο", "Άλλα.", slug="s"))
    service.drafts.keep(owner, "posts/new", {"title": "Νέο"}, lambda _: None)
    published = service.posts.list_all()[-1]
    service.comments.submit(published.blog_id, CommentDraft("Νίκος", "Ναι"), "someone")
    nikos = service.accounts.invite(owner, "Νίκος", "nikos@example.org").user
    service.contact.send(ContactDraft("Νίκος", "nikos@example.org", "Ναι"))
    service.accounts.request_reset("ada@example.org")
    browser = greek.browser(owner)
    site = b'{"name": "\xce\x9d", "settings": {"accent": "#123456"}}'
    files = [("file", (name, text)) for name, text in (("portfolio.json", site), ("x", b""))]
    plan = browser.post(admin("import"), files=files)
    kinds = {"kinds": [*Kind]}
    done = browser.submit(plan, "/import/run", **kinds)
    pages = crawl(browser, [admin(), admin("transfer")], without="export")
    pages |= {"plan": plan.text, "done": done.text}
    pages |= {each.subject: each.text for each in world.mailbox.emails}
    posted = {
        ("comments",): {"action": "approve"},
        ("posts", "new"): {"title": "", "action": "schedule"},
        ("settings",): dict.fromkeys(("tagline", "posts_per_page"), "99")
        | {"title": "Τ", "time_zone": "UTC", "theme": "auto", "accent": "#123456"}
        | {"language": CODE, "font": "serif", "css": "@χ; χ"},
        ("posts", draft.blog_id): {"title": "Σχέδιο", "markdown": "Λόγια", "revision": "1"},
        ("portfolio", "projects", "new"): {"title": ""},
        ("account", "password"): {"current": "χ", "new": "χ"},
        ("account", "details"): {"name": "", "email": "χ"},
        ("people",): {f"was.{nikos.user_id}": "author", f"role.{nikos.user_id}": "χ"},
        ("people", "invite"): {"name": "", "email": "χ", "role": "author"},
        ("people", f"{owner.user_id}", "role"): {"role": "author"},
    }
    for path, form in posted.items():
        pages[f"POST {path}"] = browser.post(admin(*path), form).text
    for wrong in ({"slug": "Σ", "tags": "χ" * 50}, {"slug": published.slug}):
        form = {"title": "Σχέδιο", "markdown": "Λόγια", "action": "save"} | wrong
        answer = browser.post(admin("posts", "new"), form)
        assert "⟦" in " ".join(field_errors(answer).values())
        pages[f"{wrong}"] = answer.text
    assert "⟦" in field_errors(browser.post(admin("settings"), posted["settings",]))["css"]
    person = ("people", f"{nikos.user_id}", "remove")
    for path in ((), ("posts",), ("portfolio", "menu"), ("import", "undo"), person):
        assert admin(*path) in pages
    assert {path: words for path, page in pages.items() if (words := english_on(page))} == {}
