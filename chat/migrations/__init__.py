"""The chat's tables, step by step."""
