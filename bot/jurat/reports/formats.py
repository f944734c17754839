"""The output formats of the commands: a new one is a function in a module, and a line here.

Each is imported when it is used, so that no format pays for what another one loads.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

REVIEW_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "text": "jurat.reports.text:write_report",
        "json": "jurat.reports.answer:write_json",
        "sarif": "jurat.reports.sarif:write_sarif",
        "github": "jurat.reports.actions:write_workflow_commands",
    }
)
"""Of `jurat review`: writes an Evaluation to a stream, with the files of the change by path."""

RATING_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "text": "jurat.reports.rating_report:write_text",
        "json": "jurat.reports.rating_report:write_json",
        "md": "jurat.reports.rating_report:write_markdown",
        "html": "jurat.reports.rating_report:write_page",
    }
)
"""Of `jurat rate`: writes a Rating to a stream, under the name of what was rated."""

PROBE_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "table": "jurat.reports.probe_report:print_table",
        "json": "jurat.reports.probe_report:write_json",
        "html": "jurat.reports.probe_page:write_page",
    }
)
"""Of `jurat probe run`: writes a Report to a stream."""
