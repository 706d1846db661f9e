"""A session in the formats of other tools: CSV, Parquet, Inspect logs, junit."""
