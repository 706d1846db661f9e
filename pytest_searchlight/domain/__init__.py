"""The records everything else is made of: frozen, JSON-ready, without behaviour that touches the world."""

from pytest_searchlight.domain.base import (
    RESERVED_WORDS,
    SLUG_PATTERN,
    Record,
    Slug,
    Text,
    hash_content,
)
from pytest_searchlight.domain.observations import (
    CallOutcome,
    Cost,
    TappedSpend,
    ToolCall,
    Usage,
    add_usage,
)
from pytest_searchlight.domain.records import (
    JudgeCost,
    RunRecord,
    VerdictLine,
)
from pytest_searchlight.domain.runs import (
    STATUS_RULES,
    RunStatus,
    StatusRule,
    TestRun,
)
from pytest_searchlight.domain.searching import Access, SearchFacts, Sign, SignKind
from pytest_searchlight.domain.setups import (
    FailureKind,
    FailureRule,
    SearchSetup,
    ServerPin,
    SetupKind,
    Tariff,
    ToolPin,
    UnitPrice,
)
from pytest_searchlight.domain.tasks import (
    Budgets,
    CatalogTask,
    Check,
    Freshness,
    KeyFact,
    Reference,
    Rubric,
    Task,
    WrongAnswer,
)
from pytest_searchlight.domain.verdicts import (
    AuditFinding,
    CheckOutcome,
    Score,
    Verdict,
)

__all__ = [
    "RESERVED_WORDS",
    "SLUG_PATTERN",
    "STATUS_RULES",
    "Access",
    "AuditFinding",
    "Budgets",
    "CallOutcome",
    "CatalogTask",
    "Check",
    "CheckOutcome",
    "Cost",
    "FailureKind",
    "FailureRule",
    "Freshness",
    "JudgeCost",
    "KeyFact",
    "Record",
    "Reference",
    "Rubric",
    "RunRecord",
    "RunStatus",
    "Score",
    "SearchFacts",
    "SearchSetup",
    "ServerPin",
    "SetupKind",
    "Sign",
    "SignKind",
    "Slug",
    "StatusRule",
    "TappedSpend",
    "Tariff",
    "Task",
    "TestRun",
    "Text",
    "ToolCall",
    "ToolPin",
    "UnitPrice",
    "Usage",
    "Verdict",
    "VerdictLine",
    "WrongAnswer",
    "add_usage",
    "hash_content",
]
