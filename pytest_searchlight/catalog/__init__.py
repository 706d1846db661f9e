"""Catalogs: YAML files of tasks, read into frozen records or refused with every problem they have.

A problem reads ``file:line: task 'id', field /a/b: value → rule → what to do``.
"""

from __future__ import annotations

from pytest_searchlight.catalog.format import Defaults, export_catalog_schema
from pytest_searchlight.catalog.reading import Catalog, find_catalogs, looks_like_catalog, read_catalog

__all__ = [
    "Catalog",
    "Defaults",
    "export_catalog_schema",
    "find_catalogs",
    "looks_like_catalog",
    "read_catalog",
]
