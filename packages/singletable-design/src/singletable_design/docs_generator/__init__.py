"""Generate documentation of tables, entities and access patterns as Markdown with diagrams."""

from singletable_design.docs_generator.document import check_docs, render_text, write_docs

__all__ = ["check_docs", "render_text", "write_docs"]
