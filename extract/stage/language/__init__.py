"""The language: what each expression and statement of the core tree does."""
