"""Designs for tests of plans: one with every rule of capacity units, and a directory of skills."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from singletable import (
    Attr,
    Collection,
    Count,
    Entity,
    Index,
    ItemCount,
    Key,
    Number,
    PatternCatalog,
    Shards,
    Table,
    Unique,
    attr,
    checks,
    clears,
    creates,
    deletes,
    expires,
    loads,
    modifies,
    padded,
    per_minute,
    per_second,
    puts,
    sequence,
    updated,
    updates,
    upserts,
    version,
    zipf,
)

by_status = Index("by_status", pk="S1", sk="S2")
by_author = Index("by_author", pk="A1", sk="A2", projection=["title", "status"])
by_day = Index("by_day", pk="D1", sk="D2", projection="KEYS_ONLY")
by_place = Index("by_place", pk=("city", "street"), sk=(Number("height"),))
news = Table("news", indexes=[by_status, by_author, by_day, by_place], ttl="ends")


class Author(Entity, table=news):
    """A writer with a unique e-mail address, a counter and a sequence of articles."""

    name: Attr[str] = attr()
    email: Attr[str] = attr()
    bio: Attr[str] = attr(default="")
    articles: Attr[int] = attr(default=0)
    last: Attr[int] = attr(default=0)

    key = Key(pk=("AUTHOR", name), sk="PROFILE")
    one_email = Unique(email)


class Article(Entity, table=news):
    """An item in three indexes: a sparse one, one with two fields, and one with keys only."""

    author: Attr[str] = attr()
    number: Attr[int] = sequence(Author.last, key=(author,))
    title: Attr[str] = attr()
    text: Attr[str] = attr(default="")
    status: Attr[Literal["draft", "public"]] = attr(default="public")
    day: Attr[date] = attr()
    version: Attr[int] = version()

    key = Key(pk=("AUTHOR", author), sk=("ARTICLE", padded(number, 6)))
    drafts = Key(pk="DRAFTS", sk=(author, padded(number, 6))).on(by_status, when=status == "draft")
    written = Key(pk=("BY", author), sk=padded(number, 6)).on(by_author)
    on_day = Key(pk=("DAY", day), sk=(author, padded(number, 6))).on(by_day)
    counted = Count(Author, Author.articles, key=(author,))


class Reader(Entity, table=news):
    """A large item that is written with its time."""

    name: Attr[str] = attr()
    notes: Attr[str] = attr(default="")
    seen: Attr[datetime] = updated()

    key = Key(pk=("READER", name), sk="PROFILE")
    recent = Key(pk="RECENT", sk=(seen, name)).on(by_status)


class Session(Entity, table=news):
    """An item that expires."""

    reader: Attr[str] = attr()
    device: Attr[str] = attr()
    hits: Attr[int] = attr(default=0)
    ends: Attr[datetime] = expires()

    key = Key(pk=("READER", reader), sk=("SESSION", device))


class Building(Entity, table=news):
    """An item in an index with a multi-attribute key."""

    name: Attr[str] = attr()
    city: Attr[str] = attr()
    street: Attr[str] = attr()
    height: Attr[int] = attr()

    key = Key(pk=("BUILDING", name), sk="BUILDING")
    placed = Key(pk=(city, street), sk=height).on(by_place)


class Vote(Entity, table=news):
    """An item in a sharded partition."""

    topic: Attr[str] = attr()
    voter: Attr[str] = attr()
    choice: Attr[str] = attr(default="")

    key = Key(pk=("TOPIC", topic, Shards(4, by=voter)), sk=("VOTE", voter))


class AuthorPage(Collection):
    """An author with articles."""

    author: Author
    articles: list[Article]


def news_catalog() -> PatternCatalog:
    """Return patterns with every rule of capacity units."""
    made = PatternCatalog(
        "news",
        news,
        sizes={Author: 900, Article: 2500, Reader: 5000, Session: 150, Building: 120, Vote: 200},
        counts={
            Author: 4,
            Article: ItemCount(40, shares={"drafts": 0.3}),
            Reader: 20,
            Session: 60,
            Building: 40,
            Vote: 80,
        },
        values=[zipf(Building.city, 2), zipf(Building.street, 2, 0.5), zipf(Vote.topic, 2, 0.0)],
    )
    made.read("R1", "An author", Author.key, rate=per_second(9))
    made.read("R2", "A reader now", Reader.key, consistent=True, rate=per_second(8))
    made.read("R3", "An author by e-mail", Author.one_email, rate=per_second(4))
    made.read("R4", "Articles of an author", Article.key.partition, items=5, rate=per_second(4))
    made.read("R5", "Filtered articles", Article.key.partition, items=2, scanned=8)
    made.read("R6", "Titles", Article.written, items=6, hydrate=False, rate=per_second(3))
    made.read("R7", "Whole articles", Article.written, items=3, hydrate=True, rate=per_second(2))
    made.read("R8", "An author's page", Author.key.partition, collection=AuthorPage, items=11)
    made.read("R9", "Votes on a topic", Vote.key.partition, items=40, rate=per_second(2))
    made.read("R10", "Drafts", Article.drafts, items=10, rate=per_second(1))
    made.read("R11", "Buildings of a street", Building.placed, items=3, rate=per_second(1))
    made.read("R12", "Many readers", Reader.key, items=5, rate=per_second(1))
    made.read("R13", "Articles of a day", Article.on_day, items=3, rate=per_second(1))
    made.read("R14", "Recent readers", Reader.recent, items=4, rate=per_second(1))
    made.scan("R15", "Everything", Author, reason="the export", rate=per_minute(6))
    made.write("W1", "Add an author", creates(Author), rate=per_second(2))
    made.write("W2", "Write an article", creates(Article), rate=per_second(3))
    made.write("W3", "Retitle", updates(Article, Article.title), rate=per_second(6))
    made.write("W4", "Rewrite", updates(Article, Article.text), rate=per_second(6))
    made.write("W5", "Publish or withdraw", updates(Article, Article.status), rate=per_second(2))
    made.write("W6", "Move to another day", updates(Article, Article.day), rate=per_second(6))
    made.write("W7", "Change an address", updates(Author, Author.email), rate=per_second(1))
    made.write("W8", "Edit a bio", updates(Author, Author.bio), rate=per_second(1))
    made.write("W9", "Replace an article", puts(Article), rate=per_second(6))
    made.write("W10", "Modify a reader", modifies(Reader), rate=per_second(1))
    made.write("W11", "Count a hit", upserts(Session, Session.hits), rate=per_second(4))
    made.write("W12", "Delete an article", deletes(Article), rate=per_second(1))
    made.write("W13", "Delete an author", deletes(Author), rate=per_second(1))
    made.write("W14", "Sign in", checks(Reader), creates(Session), rate=per_second(2))
    made.write("W15", "Delete sessions", deletes(Session), items=5, rate=per_second(1))
    made.write("W16", "Vote", puts(Vote), rate=per_second(3))
    made.write("W17", "Load buildings", loads(Building), items=8, rate=per_minute(6))
    made.write("W18", "Forget a reader", clears(Reader), items=4, rate=per_minute(6))
    made.write("W19", "Move", updates(Building, Building.street), rate=per_second(1))
    made.write("W20", "Two authors", creates(Author), deletes(Author), rate=per_second(1))
    return made


ledger = Table("ledger")


class Batch(Entity, table=ledger):
    """An item that counts others."""

    name: Attr[str] = attr()
    transfers: Attr[int] = attr(default=0)

    key = Key(pk=("BATCH", name), sk="BATCH")


class Transfer(Entity, table=ledger):
    """An item of which some have unique values, and some are counted."""

    number: Attr[str] = attr()
    note: Attr[str] = attr(default="")
    external: Attr[str | None] = attr(default=None)
    reverses: Attr[str | None] = attr(default=None)
    batch: Attr[str | None] = attr(default=None)

    key = Key(pk=("TRANSFER", number), sk="TRANSFER")
    one_external = Unique(external)
    one_reversal = Unique(reverses)
    counted = Count(Batch, Batch.transfers, key=(batch,))


def ledger_catalog() -> PatternCatalog:
    """Return patterns that write optional unique and counted values."""
    shares = {"one_external": 0.5, "one_reversal": 0.25, "counted": 0.5}
    made = PatternCatalog(
        "ledger", ledger, counts={Batch: 4, Transfer: ItemCount(80, shares=shares)}
    )
    made.read("R1", "A transfer", Transfer.one_external, rate=per_second(1))
    made.write("W1", "Transfer", creates(Transfer), rate=per_second(8))
    made.write("W2", "Delete", deletes(Transfer), rate=per_second(8))
    made.write("W3", "Note", updates(Transfer, Transfer.note), rate=per_second(8))
    made.write("W4", "Rewrite", puts(Transfer), rate=per_second(8))
    return made


by_shelf = Index("by_shelf", pk="K1", sk="K2", projection="KEYS_ONLY")
post = Table("post", indexes=[by_shelf])


class Parcel(Entity, table=post):
    """An item of which an update must read the other half of an index key, and a unique code."""

    number: Attr[str] = attr()
    depot: Attr[str] = attr()
    shelf: Attr[str] = attr()
    code: Attr[str] = attr()
    note: Attr[str] = attr(default="")
    version: Attr[int] = version()

    key = Key(pk=("PARCEL", number), sk="PARCEL")
    stored = Key(pk=("SHELF", depot, shelf), sk=number).on(by_shelf)
    one_code = Unique(code)


class Pallet(Entity, table=post):
    """An item without markers and counters, with all fields but one in an index key."""

    number: Attr[str] = attr()
    depot: Attr[str] = attr()
    shelf: Attr[str] = attr()
    note: Attr[str] = attr(default="")

    key = Key(pk=("PALLET", number), sk="PALLET")
    stored = Key(pk=("PALLETS", depot, shelf), sk=number).on(by_shelf)


by_skill = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
glad = Table("glad-entities", indexes=[by_skill])
Level = Literal["Beginner", "Intermediate", "Advanced", "Expert"]


class User(Entity, table=glad):
    """A user's profile."""

    username: Attr[str] = attr()
    name: Attr[str] = attr()
    password_hash: Attr[str] = attr()

    key = Key(pk=("USER", username), sk="PROFILE")


class UserSkill(Entity, table=glad):
    """A skill of a user."""

    username: Attr[str] = attr()
    skill_name: Attr[str] = attr()
    level: Attr[Level] = attr()
    years: Attr[int] = attr()
    notes: Attr[str] = attr(default="")

    key = Key(pk=("USER", username), sk=("SKILL", skill_name))
    by_skill = Key(pk=("SKILL", skill_name), sk=("LEVEL", level, "USER", username)).on(by_skill)


class UserPage(Collection):
    """A user with skills."""

    user: User
    skills: list[UserSkill]


def skills_catalog(users: int = 10_000) -> PatternCatalog:
    """Return the access patterns of a directory of skills, in which some skills are popular."""
    made = PatternCatalog(
        "skills",
        glad,
        sizes={User: 1024, UserSkill: 512},
        counts={User: users, UserSkill: 5 * users},
        values=[zipf(UserSkill.skill_name, max(users // 20, 10), 1.0)],
    )
    made.read("AP1", "Get user by username", User.key, rate=per_second(500))
    made.write("AP2", "Create new user", creates(User), rate=per_second(50))
    made.write("AP3", "Update user profile", updates(User, User.name), rate=per_second(10))
    made.read("AP6", "All skills for a user", UserSkill.key.partition, items=5, rate=per_second(80))
    made.read("AP7", "Specific skill", UserSkill.key, rate=per_second(40))
    made.write("AP8", "Add skill to user", creates(UserSkill), rate=per_second(20))
    made.write("AP9", "Proficiency", updates(UserSkill, UserSkill.level), rate=per_second(10))
    made.write("AP10", "Remove skill from user", deletes(UserSkill), rate=per_second(5))
    made.read("AP11", "Find users by skill", UserSkill.by_skill, items=4, rate=per_second(30))
    made.read("AP13", "User with skills", User.key.partition, collection=UserPage, items=6)
    return made
