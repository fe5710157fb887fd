"""A minimal blog on FastAPI, sqlite3 and Jinja2: what a careful person writes by hand.

It answers the same two questions as the portfolio, with the same queries in SQL: a post with its
text, likes, comments, neighbors and related posts; and a page of the list with the likes of each
post. It has no ETags, no settings and no design.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI, HTTPException
from jinja2 import Environment
from starlette.responses import HTMLResponse

_TABLES = """
CREATE TABLE posts (id TEXT PRIMARY KEY, slug TEXT UNIQUE, title TEXT, description TEXT,
  author TEXT, reading_time INT, published_at INT, content TEXT, likes INT);
CREATE INDEX posts_by_date ON posts (published_at);
CREATE TABLE tags (post TEXT, tag TEXT, PRIMARY KEY (tag, post)) WITHOUT ROWID;
CREATE INDEX tags_of_post ON tags (post);
CREATE TABLE comments (post TEXT, created_at INT, author TEXT, content TEXT);
CREATE INDEX comments_of_post ON comments (post, created_at);
"""
_LAYOUT = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ title }}</title>
<link rel="stylesheet" href="/site.css"></head><body><header><a href="/">Blog</a></header>
<main>BODY</main></body></html>"""
_POST = _LAYOUT.replace(
    "BODY",
    """<article><h1>{{ title }}</h1><p>{{ author }} · {{ reading_time }} min read</p>
<ul>{% for tag in tags %}<li><a href="/tags/{{ tag }}">{{ tag }}</a></li>{% endfor %}</ul>
{{ content | safe }}<p>{{ likes }} likes</p></article>
<nav>{% for other in neighbors %}<a href="/blog/{{ other.slug }}">{{ other.title }}</a>
{% endfor %}</nav>
<ul>{% for other in related %}<li><a href="/blog/{{ other.slug }}">{{ other.title }}</a></li>
{% endfor %}</ul>
{% for comment in comments %}<div><b>{{ comment.author }}</b><p>{{ comment.content }}</p></div>
{% endfor %}""",
)
_LIST = _LAYOUT.replace(
    "BODY",
    """{% for post in posts %}<article>
<h2><a href="/blog/{{ post.slug }}">{{ post.title }}</a></h2><p>{{ post.description }}</p>
<p>{{ post.reading_time }} min read · {{ post.likes }} likes</p></article>
{% endfor %}""",
)


@dataclass(frozen=True, slots=True)
class SamplePost:
    """A post of the benchmark, for both blogs."""

    slug: str
    title: str
    description: str
    content: str
    published_at: int
    tags: Sequence[str]
    comments: Sequence[str]


def create_blog(file: Path, posts: Iterable[SamplePost]) -> None:
    """Create the database."""
    with sqlite3.connect(file) as connection:
        connection.executescript(f"PRAGMA journal_mode=WAL; {_TABLES}")
        for post in posts:
            connection.execute(
                "INSERT INTO posts VALUES (?,?,?,?,?,?,?,?,?)",
                (
                    post.slug,
                    post.slug,
                    post.title,
                    post.description,
                    "Ada",
                    5,
                    post.published_at,
                    post.content,
                    0,
                ),
            )
            connection.executemany(
                "INSERT INTO tags VALUES (?,?)", [(post.slug, tag) for tag in post.tags]
            )
            connection.executemany(
                "INSERT INTO comments VALUES (?,?,?,?)",
                [
                    (post.slug, post.published_at + number, "Ben", text)
                    for number, text in enumerate(post.comments)
                ],
            )


def make_blog(file: Path) -> FastAPI:
    """Return the app."""
    app = FastAPI(openapi_url=None)
    environment = Environment(autoescape=True)
    post_page, list_page = environment.from_string(_POST), environment.from_string(_LIST)
    threads = threading.local()

    def rows(sql: str, *values: object) -> list[sqlite3.Row]:
        if not hasattr(threads, "connection"):
            threads.connection = sqlite3.connect(file)
            threads.connection.row_factory = sqlite3.Row
        found: list[sqlite3.Row] = threads.connection.execute(sql, values).fetchall()
        return found

    @app.get("/blog/{slug}")
    def show_post(slug: str) -> HTMLResponse:
        found = rows("SELECT * FROM posts WHERE slug = ?", slug)
        if not found:
            raise HTTPException(404)
        post = dict(found[0])
        at = post["published_at"]
        return HTMLResponse(
            post_page.render(
                **post,
                tags=[row["tag"] for row in rows("SELECT tag FROM tags WHERE post = ?", slug)],
                comments=rows("SELECT * FROM comments WHERE post = ? ORDER BY created_at", slug),
                neighbors=[
                    *rows(
                        "SELECT slug, title FROM posts WHERE published_at < ? "
                        "ORDER BY published_at DESC LIMIT 1",
                        at,
                    ),
                    *rows(
                        "SELECT slug, title FROM posts WHERE published_at > ? "
                        "ORDER BY published_at LIMIT 1",
                        at,
                    ),
                ],
                related=rows(
                    "SELECT slug, title FROM posts JOIN tags ON post = id WHERE tag IN "
                    "(SELECT tag FROM tags WHERE post = ?) AND id <> ? GROUP BY id "
                    "ORDER BY count(*) DESC, published_at DESC LIMIT 3",
                    slug,
                    slug,
                ),
            )
        )

    @app.get("/blog")
    def list_posts() -> HTMLResponse:
        posts = rows(
            "SELECT slug, title, description, reading_time, likes FROM posts "
            "ORDER BY published_at DESC LIMIT 10"
        )
        return HTMLResponse(list_page.render(title="Blog", posts=posts))

    return app
