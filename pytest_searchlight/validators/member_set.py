"""Whether a list names the members it should, and none of those that only look as if they belonged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, JsonValue, PositiveInt, model_validator

from pytest_searchlight.deliverables import shorten
from pytest_searchlight.domain import CheckOutcome, Record, Text, Verdict
from pytest_searchlight.validators.declines import is_declined
from pytest_searchlight.validators.fields import FieldParams, FieldValidator
from pytest_searchlight.validators.wording import matches_name


class Member(Record):
    """A member by `name`, and the other names it goes by."""

    name: Text
    aliases: tuple[Text, ...] = ()

    def is_named_by(self, text: str) -> bool:
        """Whether `text` says one of the member's names."""
        return any(matches_name(text, name) for name in (self.name, *self.aliases))


def _read_member(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


AnyMember = Annotated[Member, BeforeValidator(_read_member, json_schema_input_type=Text | Member)]


class MemberSetParams(FieldParams):
    """Who belongs in a list.

    key: the items are objects, and this field of theirs holds the name.
    required: members that must be there; `min_required` lowers that to so many of them.
    optional: members that may be there, for a closed list.
    decoys: members that must not be there.
    closed: whether every member that is not listed here is wrong too.
    """

    key: Text | None = None
    required: Annotated[tuple[AnyMember, ...], Field(min_length=1)]
    optional: tuple[AnyMember, ...] = ()
    decoys: tuple[AnyMember, ...] = ()
    closed: bool = False
    min_required: PositiveInt | None = None

    @model_validator(mode="after")
    def _demand_distinct(self) -> Self:
        if (self.min_required or 0) > len(self.required):
            raise ValueError(f"{self.min_required} → min_required is at most {len(self.required)} → lower it")
        members = (*self.required, *self.optional)
        both = [each.name for each in self.decoys if any(one.is_named_by(each.name) for one in members)]
        if both:
            raise ValueError(f"{', '.join(both)} → a decoy is no member → remove one of them")
        return self


class MemberSetValidator(FieldValidator[MemberSetParams]):
    """A list against required members and decoys; naming one twice counts once."""

    kind = "member-set"
    params_model = MemberSetParams

    def judge(self, value: JsonValue, params: MemberSetParams) -> Verdict:
        """Wrong when one is named that should not be; else missing when too few are."""
        if is_declined(value):
            return self.decide(CheckOutcome.MISSING, params, reason="no members are given")
        if not isinstance(value, list):
            return self.decide(CheckOutcome.WRONG, params, reason="is not a list of members")
        names = list(_list_names(value, params.key))
        decoys = [each.name for each in params.decoys if any(map(each.is_named_by, names))]
        missing = [each.name for each in params.required if not any(map(each.is_named_by, names))]
        extra = [shorten(name) for name in dict.fromkeys(names) if not _is_listed(name, params)]
        return self._weigh(params, decoys=decoys, missing=missing, extra=extra)

    def _weigh(
        self, params: MemberSetParams, *, decoys: list[str], missing: list[str], extra: list[str]
    ) -> Verdict:
        found = len(params.required) - len(missing)
        enough = found >= (params.min_required or len(params.required))
        unwanted = extra if params.closed else []
        details: dict[str, JsonValue] = {"missing": [*missing], "decoys": [*decoys], "extra": [*extra]}
        reason = f"{found} of {len(params.required)} required members" + "".join(
            f"; {word}: {', '.join(names[:10])}"
            for word, names in (("missing", missing), ("decoys named", decoys), ("not members", unwanted))
            if names
        )
        if decoys or unwanted:
            return self.decide(CheckOutcome.WRONG, params, reason=reason, details=details)
        outcome = CheckOutcome.PASS if enough else CheckOutcome.MISSING
        return self.decide(outcome, params, reason=reason, details=details)


def _is_listed(name: str, params: MemberSetParams) -> bool:
    return any(each.is_named_by(name) for each in (*params.required, *params.optional, *params.decoys))


def _list_names(items: list[JsonValue], key: str | None) -> Iterator[str]:
    """The names that the items give; an item that gives none in words stands as its JSON type."""
    for item in items:
        name = item.get(key) if key is not None and isinstance(item, dict) else item
        if is_declined(name):
            continue
        yield name if isinstance(name, str) else str(name)
