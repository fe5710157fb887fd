"""Every access pattern of the portfolio: the seven of the document, then the additions."""

from __future__ import annotations

from datetime import date, datetime

from singletable import (
    ItemCount,
    PatternCatalog,
    Selection,
    checks,
    clears,
    creates,
    deletes,
    per_day,
    per_minute,
    per_second,
    puts,
    updates,
    upserts,
)
from singletable_apps.portfolio.entities import (
    Blog,
    BlogContent,
    Comment,
    DayStats,
    EditorDraft,
    Like,
    LikeCount,
    Listing,
    Media,
    PendingComment,
    Portfolio,
    Revision,
    SiteSettings,
    Slug,
    Subscriber,
    Trashed,
    Unsubscribed,
    User,
    data_table,
)

# The size of an item of each entity, and how many there are.
ITEMS: dict[type, tuple[int, int | ItemCount]] = {
    Portfolio: (4_000, 1),
    SiteSettings: (1_500, 1),
    User: (400, 5),
    Blog: (800, ItemCount(500, growth=0.02)),
    BlogContent: (16_000, ItemCount(500, growth=0.02)),
    Revision: (8_000, ItemCount(5_000, growth=0.02)),
    Slug: (120, ItemCount(600, growth=0.02)),
    # Likes of a year; then their markers expire.
    Like: (200, 15_000_000),
    LikeCount: (100, ItemCount(500, growth=0.02)),
    Comment: (500, ItemCount(100_000, growth=0.1)),
    PendingComment: (500, 50),
    Media: (400, ItemCount(1_000, growth=0.02)),
    DayStats: (120, ItemCount(100_000, growth=0.05)),
    Subscriber: (150, ItemCount(1_000, growth=0.05)),
    Unsubscribed: (100, ItemCount(200, growth=0.05)),
    Trashed: (500, 20),
    EditorDraft: (8_000, 5),
}
patterns = PatternCatalog(
    "portfolio",
    data_table,
    sizes={entity: size for entity, (size, _) in ITEMS.items()},
    counts={entity: count for entity, (_, count) in ITEMS.items()},
)
read, write, read_function = patterns.read, patterns.write, patterns.read_function

# The seven patterns of the document.
portfolio = read("1", "Get Portfolio", Portfolio.key, rate=per_second(20))
blog_by_id = read("2", "Get Blog by ID", Blog.key, rate=per_second(1))
blog_by_slug = read("3", "Get Blog by Slug", Blog.by_slug, rate=per_second(10))


@read_function("4", items=10, rate=per_second(5))
def published_until(now: datetime) -> Selection[Blog]:
    """Get All Blogs (Sorted by Date)."""
    return Blog.by_date(Listing.ALL).le(now)


user_by_email = read("5", "Get User", User.key, rate=per_minute(1))
likes_of_blog = read(
    "6", "Get Likes Count for Blog: the recount", Like.of_blog, items=100, rate=per_day(1)
)
like_of_visitor = read(
    "7", "Check if IP Liked Blog", Like.key, consistent=True, rate=per_second(10)
)

# The text of a post is an item of its own, the second read of the document's pattern 3.
text_of_blog = read("3b", "Get Blog by Slug: the text", BlogContent.key, rate=per_second(10))

# The site.
settings = read("S1", "Get the settings", SiteSettings.key, rate=per_second(20))
write("S2", "Edit the portfolio", puts(Portfolio), rate=per_day(5))
write("S3", "Edit the settings", puts(SiteSettings), rate=per_day(1))

# Posts. Slugs are read if the index does not have one: it redirects, or the index is behind.
posts_in_list = read("P1", "All posts of a list", Blog.by_date, items=100, rate=per_minute(12))
slug = read("P2", "Get a slug", Slug.key, consistent=True, rate=per_minute(10))
revisions_of_blog = read(
    "P3", "History of a post", Revision.key.partition, items=10, rate=per_day(10)
)
revision_by_number = read("P4", "Get an old text", Revision.key, rate=per_day(1))
create_post = write(
    "P5",
    "Create a post",
    creates(Blog),
    creates(BlogContent),
    creates(Slug),
    puts(Slug),
    rate=per_day(5),
)
edit_post = write(
    "P6",
    "Edit, publish or rename a post",
    puts(Blog),
    puts(BlogContent),
    creates(Revision),
    deletes(Revision),
    creates(Slug),
    puts(Slug),
    deletes(Slug),
    rate=per_day(50),
)

# Deleting a post: readers lose it first, and its METADATA is deleted last.
write("P7", "Delete or restore a post: hide it", puts(Blog), rate=per_day(1))
write("P8", "Delete a post: give a slug back, or keep it", puts(Slug))
write("P9", "Delete a post: its slugs", deletes(Slug), rate=per_day(1))
waiting_comments = read(
    "P10",
    "Delete a post: the moderation queue",
    PendingComment.key.partition,
    consistent=True,
    items=20,
)
write("P11", "Delete a post: pending comments", deletes(PendingComment))
write("P12", "Delete a post: its statistics", clears(DayStats))
write("P13", "Delete a post: its history", clears(Revision))
write("P14", "Delete a post: its comments", clears(Comment))
write("P15", "Delete a post: its text", deletes(BlogContent))
write("P16", "Delete a post: the rest", clears(Blog), rate=per_day(1))

# Likes, comments and statistics.
likes_count = read("L1", "Get the like counters of posts", LikeCount.key, rate=per_second(20))
like = write(
    "L2",
    "Like a post",
    creates(Like),
    updates(LikeCount, LikeCount.likes_count),
    rate=per_second(1),
)
first_like = write(
    "L7",
    "Like a post whose counter does not exist yet",
    creates(Like),
    creates(LikeCount),
    checks(Blog),
    rate=per_day(1),
)
unlike = write(
    "L3",
    "Take a like back",
    deletes(Like),
    updates(LikeCount, LikeCount.likes_count),
    rate=per_minute(1),
)
write("L4", "Spread the likes of a busy post", updates(LikeCount, LikeCount.shards))
write("L5", "Delete the likes of a post", deletes(Like), items=25)
write("L6", "Delete the like counters of a post", deletes(LikeCount))
write("L8", "Import likes", updates(LikeCount, LikeCount.likes_count))
write("L9", "Import likes of a new post", creates(LikeCount))
write("P17", "Import earlier versions", puts(Revision), items=10)
write("P18", "Import comments", puts(Comment), items=10)
write("P19", "Import comments that wait", puts(PendingComment), items=10)
counted_comments = read(
    "C1", "Count the comments in the queue", PendingComment.by_visitor, items=10, rate=per_minute(1)
)


@read_function("C2", items=1, rate=per_minute(1))
def pending_of_visitor(visitor: str) -> Selection[PendingComment]:
    """Get the comments of one visitor in the queue."""
    return PendingComment.by_visitor().eq(visitor)


write("C3", "Submit a comment", creates(PendingComment), rate=per_minute(1))
pending_comments = read(
    "C4", "List the queue", PendingComment.key.partition, items=20, rate=per_minute(1)
)
pending_comment = read(
    "C5", "Get a comment in the queue", PendingComment.key, consistent=True, rate=per_minute(1)
)
approve_comment = write(
    "C6",
    "Approve a comment",
    checks(Blog),
    deletes(PendingComment),
    puts(Comment),
    rate=per_minute(1),
)
reject_comment = write(
    "C7",
    "Reject a comment: move it to the trash",
    deletes(PendingComment),
    puts(Trashed),
    rate=per_minute(1),
)
comments_of_blog = read(
    "C8", "List the comments of a post", Comment.key.partition, items=10, rate=per_second(10)
)
comment = read("C9", "Get a comment", Comment.key, consistent=True, rate=per_minute(1))
write("C11", "Answer or restore a comment", puts(Comment), rate=per_day(10))
delete_comment = write(
    "C10", "Move a comment to the trash", deletes(Comment), puts(Trashed), rate=per_day(1)
)


# The newsletter.
subscribers = read(
    "N1", "List the subscribers", Subscriber.key.partition, items=1_000, rate=per_day(5)
)
subscriber = read("N2", "Get a subscriber", Subscriber.key, consistent=True)
subscribe = write("N3", "Subscribe", puts(Subscriber), deletes(Unsubscribed), rate=per_day(10))
unsubscribe = write("N4", "Unsubscribe", deletes(Subscriber), puts(Unsubscribed), rate=per_day(1))
write("N5", "Import subscribers", puts(Subscriber), items=10)
unsubscribed = read("N6", "Import subscribers: who has left", Unsubscribed.key.partition, items=200)


@read_function("T1", items=30, rate=per_minute(1))
def stats_of_days(scope: str, first: date, last: date) -> Selection[DayStats]:
    """Get the views, likes and comments of some days."""
    return DayStats.key.partition(scope).between(first, last)


write(
    "T2",
    "Add to the statistics of a day",
    upserts(DayStats, DayStats.views, DayStats.likes, DayStats.comments, DayStats.ends),
    rate=per_minute(12),
)

# Accounts.
user_by_id = read("A1", "User of a session", User.one_id, rate=per_minute(10))
all_users = read("A2", "List the accounts", User.by_date, items=5, rate=per_day(5))
set_up = write(
    "A3",
    "Set up the site: its settings, its owner and an empty portfolio",
    creates(SiteSettings),
    creates(User),
    creates(Portfolio),
)
create_user = write("A4", "Invite an author", creates(User), rate=per_day(1))
edit_user = write(
    "A5",
    "Sign in, rename, or change a password",
    updates(User, User.name, User.password_hash, User.credentials, User.last_login, User.revision),
    rate=per_day(20),
)
change_role = write(
    "A6",
    "Change a role, while another account is an owner",
    updates(User, User.role, User.revision),
    checks(User),
    rate=per_day(1),
)
move_user = write("A8", "Change an e-mail address", deletes(User), creates(User))
write("A9", "… of an author", updates(Blog, Blog.author, Blog.revision))
write("A10", "… in an image", updates(Media, Media.uploaded_by))
write("A11", "… in the trash", updates(Trashed, Trashed.author))
delete_user = write(
    "A7",
    "Remove an account, while another one is an owner",
    deletes(User),
    checks(User),
    rate=per_day(1),
)

# Media.
image_by_name = read("M1", "Get an image by its name", Media.one_name, rate=per_minute(1))


@read_function("M2", items=50, rate=per_minute(1))
def all_images() -> Selection[Media]:
    """List the images, newest first."""
    return Media.key.partition()


write("M3", "Upload an image", creates(Media), rate=per_day(20))
write("M4", "Describe an image", updates(Media, Media.alt), rate=per_day(5))
write("M5", "Delete an image", deletes(Media), rate=per_day(1))

# The trash, and what is typed in editors.
trash = read("R1", "List the trash", Trashed.key.partition, items=20, rate=per_day(5))
write("R2", "Put into the trash", puts(Trashed), rate=per_day(1))
write("R3", "Delete from the trash", deletes(Trashed), rate=per_day(1))
draft = read(
    "E1", "Get the draft of an editor", EditorDraft.key, consistent=True, rate=per_minute(6)
)
write("E2", "Keep a draft", puts(EditorDraft), rate=per_minute(6))
write("E3", "Discard a draft", deletes(EditorDraft), rate=per_day(20))

patterns.check()
