"""Pages of the owner's own, the menu, and styles of the owner's own."""

from __future__ import annotations

from typing import Any

import pytest

from singletable_apps.portfolio import pages
from singletable_apps.portfolio.entities import Blog, Listing, MenuEntry
from singletable_apps.portfolio.profile_rules import SECTIONS
from singletable_apps.portfolio.rules import RESERVED, PostDraft, PostStatus, Publication
from singletable_apps.portfolio.service import Moved
from singletable_apps.shared.errors import InvalidInput
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.portfolio.support.posts import publish
from tests.apps.support.html import field_errors, forms_in, text_in

TEXT = "Responsible: *Ada* of Ockham."


def _page(app: PagesApp, title: str = "Imprint", **fields: Any) -> Blog:
    draft = PostDraft(title, TEXT, is_page=True, **fields)
    public = Publication(PostStatus.PUBLISHED)
    return app.world.service.posts.create(app.world.owner(), draft, public)


def _menu(app: PagesApp, *links: MenuEntry) -> None:
    edits = {"menu": links}
    app.world.service.profile.update_settings(app.world.owner(), edits)


def _nav(browser: Browser, *parts: str) -> str:
    page = browser.public(*parts).text
    return text_in(page.partition('<nav class="nav"')[2].partition(">")[2].partition("</nav>")[0])


def test_page_is_written_like_a_post_and_stays_out_of_the_blog(app: PagesApp, ada: Browser) -> None:
    editor = ada.get("posts", "new", kind="page")
    saved = ada.submit(editor, "/new", title="Imprint", markdown=TEXT, action="save")
    url, reader = str(saved.headers["location"]), app.browser()
    assert reader.public("imprint").status_code == 404
    ada.submit(ada.open(url), url, action="publish")
    assert "<em>Ada</em> of Ockham" in reader.public("imprint").text
    assert "Imprint" in text_in(ada.get("posts", "pages").text)
    for parts in (["blog"], ["feed.xml"], ["archive"], ["tags"]):
        assert "Imprint" not in reader.public(*parts).text
    assert reader.public("blog", "imprint").status_code == 404
    for parts in (["sitemap.xml"], ["search"]):
        assert "/portfolio/imprint" in reader.public(*parts, q="ockham").text
    edited = ada.submit(ada.open(url), url, title="Legal notice", slug="legal", action="save")
    assert edited.status_code == 303, text_in(edited.text)
    moved = reader.public("Imprint")
    assert [(each.status_code, moved.url.path) for each in moved.history] == [
        (301, "/portfolio/legal")
    ]
    assert "Legal notice" in text_in(ada.open(f"{url}/history").text)
    ada.flash(ada.submit(ada.open(f"{url}/delete"), "/delete"))
    assert reader.public("legal").status_code == 404


def test_draft_of_a_page_has_a_preview_link(app: PagesApp) -> None:
    posts, owner = app.world.service.posts, app.world.owner()
    draft = posts.create(owner, PostDraft("Talks", TEXT, is_page=True))
    shown = app.browser().public("talks", preview=posts.preview_token(draft))
    assert "This is a preview of a draft" in shown.text


def test_reserved_addresses_are_those_of_the_routes() -> None:
    paths = {route.path for router in pages.ROUTERS for route in _routes(router)}
    segments = {path.split("/")[1] for path in paths if path.count("/")}
    names = {name for name in segments if name.isidentifier()}
    assert names | {"api", "static"} == RESERVED
    assert SECTIONS.keys() <= RESERVED


def _routes(router: Any) -> list[Any]:
    found: list[Any] = []
    for route in router.routes:
        inner = getattr(route, "original_router", None)
        found += _routes(inner) if inner is not None else [route]
    return found


@pytest.mark.parametrize("slug", ["admin", "blog", "search"])
def test_address_of_the_site_itself_is_refused(app: PagesApp, ada: Browser, slug: str) -> None:
    editor = ada.get("posts", "new", kind="page")
    response = ada.submit(editor, "/new", title="Mine", slug=slug, markdown=TEXT)
    assert response.status_code == 422
    assert f"“/{slug}” is a part of the site itself" in field_errors(response)["slug"]
    # Derived from the title, the address is another one; and posts may have it, below /blog.
    assert _page(app, slug.capitalize()).slug == f"{slug}-2"
    assert publish(app.world, "A post", slug=slug).slug == slug


def test_pages_and_posts_do_not_share_an_address(app: PagesApp) -> None:
    publish(app.world, "Imprint")
    with pytest.raises(InvalidInput, match=r"a post or page.* has “imprint” already"):
        _page(app, slug="imprint")


def test_only_owners_have_pages(app: PagesApp, ben: Browser) -> None:
    page = _page(app)
    assert ben.get("posts", "new", kind="page").status_code == 403
    assert ben.post(ben.url("posts", "new"), {"title": "x", "is_page": "on"}).status_code == 403
    assert ben.get("posts", page.blog_id).status_code == 403
    assert "Imprint" not in text_in(ben.get("posts", "pages").text)


def test_pages_have_no_likes_and_comments(app: PagesApp) -> None:
    page, reader = _page(app), app.browser()
    for action in ("like", "comments", "view"):
        answer = reader.post(app.urls.post(page.slug, action), {"content": "x", "author_name": "x"})
        assert answer.status_code == 404
    assert app.world.service.posts.list_in(Listing.PAGES) == [page]


def test_menu_has_parts_pages_and_links_in_the_order_of_the_owner(app: PagesApp) -> None:
    reader = app.browser()
    _page(app)
    talks = app.world.service.posts.create(
        app.world.owner(), PostDraft("Talks", is_page=True, markdown="")
    )
    assert _nav(reader) == "Blog Contact"
    elsewhere = MenuEntry("1", "Code", "https://code.example/ada")
    entries = [
        MenuEntry("2", link="imprint"),
        MenuEntry("3", link="about"),
        MenuEntry("4", link=talks.slug),
    ]
    _menu(app, elsewhere, *entries, MenuEntry("5", "Notes", "blog"))
    # The about page is empty and the talks are a draft.
    assert _nav(reader, "imprint") == "Code Imprint Notes"
    assert 'href="https://code.example/ada"' in reader.public().text
    _menu(app)
    assert _nav(reader) == ""
    assert reader.public("contact").status_code == 200
    # A page keeps its place in the menu when its address changes.
    _menu(app, *entries)
    page = app.world.service.catalog.page_at("imprint", app.world.clock())
    assert page is not None
    draft = PostDraft("Legal", TEXT, "legal")
    app.world.service.posts.edit(app.world.owner(), page.blog_id, draft)
    assert 'href="/portfolio/legal"' in reader.public().text
    assert app.world.service.posts.find("imprint") == Moved("legal")


def test_menu_is_edited_without_scripts(app: PagesApp, ada: Browser) -> None:
    _page(app)
    menu = ada.get("portfolio", "menu")
    assert "Not shown now" in text_in(menu.text)
    (add,) = (form for form in forms_in(menu) if form.fields.get("link") == ["imprint"])
    assert ada.flash(ada.post(add.action, add.fields)) == "Saved “Imprint”."
    ada.submit(ada.get("portfolio", "menu"), "/blog/move", step="down")
    question = ada.get("portfolio", "menu", "contact", "delete")
    assert "stays at its address" in text_in(question.text)
    ada.submit(question, "/delete")
    new = ada.get("portfolio", "menu", "new")
    ada.submit(new, "/new", title="Code", link="https://code.example")
    assert "Code" in _nav(app.browser())
    stored = app.world.service.profile.get_settings().menu
    links = ["projects", "blog", "experience", "about", "imprint", "https://code.example"]
    assert [each.link for each in stored] == links
    for link, title in (("javascript:alert(1)", "x"), ("", "x"), ("https://a.example", "")):
        response = ada.submit(new, "/new", title=title, link=link)
        assert response.status_code in (412, 422)


def test_styles_are_served_by_their_digest_and_only_to_readers(app: PagesApp, ada: Browser) -> None:
    reader = app.browser()
    policy = reader.public().headers["Content-Security-Policy"]
    assert "custom.css" not in reader.public().text
    ada.flash(ada.submit(ada.get("settings"), "/settings", css="/* mine */ h2 { color: teal; }"))
    home = reader.public()
    url = home.text.partition('href="/portfolio/custom.css')[2].partition('"')[0]
    file = reader.open(f"/portfolio/custom.css{url}")
    assert "#content h2 { color: teal; }" in file.text
    assert "immutable" in file.headers["Cache-Control"]
    assert file.headers["Content-Type"].startswith("text/css")
    assert "immutable" not in reader.public("custom.css", v="x").headers["Cache-Control"]
    assert home.headers["Content-Security-Policy"] == policy
    assert "custom.css" not in ada.get("posts").text
    assert "/* mine */" in ada.get("settings").text


def test_refused_styles_are_listed_and_nothing_is_saved(app: PagesApp, ada: Browser) -> None:
    css = "h2 { color: teal; }\np { position: fixed; }\n@import 'x';"
    response = ada.submit(ada.get("settings"), "/settings", title="Other", css=css)
    look = {"accent": "#112233", "font": "mono", "css": css}
    assert ada.post(app.urls.admin("settings", "look"), look).status_code == 204
    assert response.status_code == 422
    assert [line.partition(":")[0] for line in field_errors(response)["css"].split("\n")] == [
        "Line 2",
        "Line 3",
    ]
    settings = app.world.service.profile.get_settings()
    assert (settings.css, settings.title) == ("", "Ada’s notes")
