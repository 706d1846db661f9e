"""The command-line options and their ini twins, as data; nothing heavy is imported here.

The plugin module is loaded by every pytest run of everyone who has Searchlight installed, and it reads
this table to register the options.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Option(NamedTuple):
    """One ``--searchlight-<name>`` option; its ini twin is ``searchlight_<name>`` with underscores.

    `takes` is ``value``, ``values`` (it may be given several times), ``flag`` (no value) or ``optional`` (a
    flag that may carry a value). What a value must look like is the settings room's business.
    """

    name: str
    takes: str
    help: str
    metavar: str | None = None

    @property
    def flag(self) -> str:
        """The option as typed on the command line."""
        return f"--searchlight-{self.name}"

    @property
    def dest(self) -> str:
        """The option's attribute name and its ini key."""
        return f"searchlight_{self.name.replace('-', '_')}"


OPTIONS: Final = (
    Option(
        "setup",
        "value",
        "search setups to run, exact names separated by commas: a provider (exa, tavily, parallel, "
        "firecrawl, brave, perplexity, closed-web), built-in, no-search, floor, ceiling. "
        "Default: the catalog's own. "
        "Without a path argument the catalogs folder is collected.",
        "NAMES",
    ),
    Option(
        "agent",
        "value",
        "agents to run, exact names separated by commas: baseline, claude-code, codex, oracle, noop. "
        "Default: the catalog's own.",
        "NAMES",
    ),
    Option(
        "model",
        "value",
        "models, separated by commas: MODEL for every agent that has one, or AGENT=MODEL for one agent. "
        "Default: each agent's pinned model.",
        "MODELS",
    ),
    Option("task", "value", "tasks to run, exact ids separated by commas. Default: all.", "IDS"),
    Option(
        "repetitions", "value", "how often each task runs under each setup. Default: the catalog's own.", "N"
    ),
    Option(
        "output",
        "value",
        "folder for this session's evidence and summary. Default: .searchlight/<timestamp>.",
        "DIR",
    ),
    Option(
        "resume",
        "optional",
        "go on with an earlier session: measured runs are reused, only missing ones are run. "
        "Without DIR it is the one in --searchlight-output, else the latest under .searchlight. "
        "Write --searchlight-resume=DIR.",
        "DIR",
    ),
    Option(
        "regrade",
        "value",
        "grade the stored evidence of an earlier session again, without agents, providers or network; "
        "the result is a new session beside it.",
        "DIR",
    ),
    Option(
        "judge",
        "value",
        "who judges briefs against their sources: claude-code, codex, or lexical, which needs no model. "
        "Default: the catalog's own.",
        "NAME",
    ),
    Option(
        "calibrate",
        "flag",
        "find out on which tasks search can matter: run floor and ceiling five times each and record the "
        "tasks admitted for this agent and model in .searchlight/calibration.json.",
    ),
    Option(
        "uncalibrated",
        "flag",
        "also run tasks that are not admitted by a calibration, where their catalog asks for one.",
    ),
    Option(
        "include-expired",
        "flag",
        "also run tasks whose freshness window has passed, so that their reference answer may no longer "
        "hold. Without it they are skipped with that reason.",
    ),
    Option(
        "tap-costs",
        "flag",
        "read what a provider's API reports of its charges where its MCP server drops it, from inside the "
        "server's process; traffic is not altered. Without it, such calls are priced by tariff.",
    ),
    Option(
        "seed", "value", "seed of the order in which setups follow each other within a task. Default: 0.", "N"
    ),
    Option("plan", "flag", "dry run: list the runs, their limits and checks, then exit without running any."),
    Option(
        "max-cost-usd",
        "value",
        "session budget in US dollars: once spent, the remaining runs are skipped with that reason.",
        "USD",
    ),
    Option("max-tokens", "value", "session budget in tokens over all runs.", "N"),
    Option("max-provider-calls", "value", "session budget in calls to search providers over all runs.", "N"),
    Option(
        "max-wall-clock-s",
        "value",
        "session budget in seconds: no run is started after this time.",
        "SECONDS",
    ),
    Option(
        "exit",
        "value",
        "what the exit code says: 'tests' (default) fails when an answer is wrong, as pytest does; "
        "'soundness' is 0 when every planned run was measured, whatever the scores.",
        "WHAT",
    ),
    Option(
        "baseline",
        "value",
        "an earlier session or report to hold this session against: its folder, its summary.json, or its "
        "runs.jsonl; with the rows, runs are compared one by one. What changed is printed and written to "
        "gates.json.",
        "PATH",
    ),
    Option(
        "fail-on",
        "values",
        "exit with 1 on a regression against the baseline: 'SETUP: drop>Npp' for the pass rate in points, "
        "'SETUP: token-rise>N%' or 'SETUP: cost-rise>N%' for what a success takes; SETUP may be *, and "
        "several are separated by ; or given one by one. Only a change that is significant and beyond the "
        "limit fails; a session too small to show one is told so.",
        "LIMITS",
    ),
    Option(
        "fail-under",
        "values",
        "exit with 1 when the pass rate of a search setup is below a limit from 0 to 1, or would be had the "
        "runs failed that were lost to faults: RATE for all setups but floor, ceiling and no-search, or "
        "SETUP=RATE, separated by commas.",
        "LIMITS",
    ),
)

INI_ONLY: Final = (
    (
        "searchlight_catalogs",
        "folder of task catalogs, relative to the root folder (default: catalogs)",
        "catalogs",
    ),
    ("searchlight_config", "folder with your own search setups and prices (default: config)", "config"),
)
