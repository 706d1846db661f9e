"""Deterministic checks: each holds an answer against one check of its task and says pass, missing or wrong.

A field that is null, absent, empty, or honestly says that no answer was found is *missing*: a failure, but
another one than a *wrong* value. Validators never raise for what an agent wrote.
"""

from __future__ import annotations

from typing import Final

from pydantic import JsonValue

from pytest_searchlight.extensions import Registry, Validator
from pytest_searchlight.validators.citation_set import CitationSetValidator
from pytest_searchlight.validators.decline import DeclineValidator
from pytest_searchlight.validators.member_set import MemberSetValidator
from pytest_searchlight.validators.schema import SchemaValidator
from pytest_searchlight.validators.table_cells import TableCellsValidator
from pytest_searchlight.validators.value_match import ValueMatchValidator

BUILT_IN_VALIDATORS: Final[tuple[Validator, ...]] = (
    SchemaValidator(),
    ValueMatchValidator(),
    MemberSetValidator(),
    CitationSetValidator(),
    TableCellsValidator(),
    DeclineValidator(),
)


def export_params_schemas(registry: Registry) -> dict[str, dict[str, JsonValue]]:
    """JSON Schema of each check's parameters by kind; empty for a guest that declares no `params_model`."""
    kinds = registry.validators
    models = {kind: getattr(kinds.get(kind), "params_model", None) for kind in kinds}
    return {kind: model.model_json_schema() if model else {} for kind, model in models.items()}


def register_validators(registry: Registry) -> None:
    """Put the built-in validators on the registry's shelf."""
    for validator in BUILT_IN_VALIDATORS:
        registry.validators.add(validator.kind, validator)
