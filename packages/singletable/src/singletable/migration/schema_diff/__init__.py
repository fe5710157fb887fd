"""Compare declarations: schema.lock, what each change needs, and drafts of migrations."""
