"""Every page of the sample site that links lead to, for a reader and for the owner."""

from __future__ import annotations

from fastapi.testclient import TestClient

from singletable import connect
from singletable_apps.portfolio.app import APP
from singletable_apps.portfolio.sample import OWNER, PASSWORD, create_sample
from singletable_apps.portfolio.service import open_portfolio
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.objects import MemoryBucket
from singletable_apps.shared.serve import PublicUrl
from tests.browser.crawler import CrawledPage, crawl

HOME = "http://127.0.0.1"
# Alone at the root of a host; other tests open the pages beside other apps.
PREFIX = ""


def test_pages_have_no_blocking_scripts_and_no_dead_links() -> None:
    service = open_portfolio(
        connect("memory:"),
        b"of tests" * 4,
        bucket=MemoryBucket(),
        urls=Urls(prefix=PREFIX, public=HOME),
        passwords=Passwords(memory_kib=64, passes=1),
    )
    create_sample(service)
    app = APP.make_app(service, PublicUrl(HOME).settings())
    reader, author = TestClient(app, base_url=HOME), TestClient(app, base_url=HOME)
    signed_in = service.accounts.sign_in(OWNER[1], PASSWORD)
    author.cookies.set("portfolio_access", signed_in.access)
    pages: list[CrawledPage] = [
        *crawl(reader, None, ["/"], ("/",)),
        *crawl(author, "owner", ["/admin"], ("/",)),
    ]
    assert len(pages) > 100
    assert {page.address: page.faults for page in pages if page.faults} == {}
    assert [page.address for page in pages if "<h1" not in page.text] == []
