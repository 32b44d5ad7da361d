"""What was found out about one pair."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.torch.comparison import Mismatch, StrideMismatch

# From worst to best; a pair's verdict is the worst of its findings.
VERDICTS = (
    "crash",
    "timeout",
    "differs",
    "error",
    "not implemented",
    "leak",
    "copies",
    "strides",
    "cpu cannot",
    "no samples",
    "pass",
)
FAILURES = VERDICTS[: VERDICTS.index("cpu cannot")]


@dataclass
class Finding:
    """The first fault that a check saw, and how many samples show one of its kind."""

    check: str  # "values", "gradients", ...
    verdict: str  # one of FAILURES
    where: str  # "sample 3"
    message: str
    count: int = 1


@dataclass
class Record:
    """Everything about one pair."""

    samples: int = 0
    compared: int = 0  # samples of which the device's result was looked at
    checks: dict[str, int] = field(default_factory=dict)  # how often each check ran
    places: dict[str, int] = field(default_factory=dict)  # calls by place, over all samples
    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)
    cpu: str = ""  # the first reason for which the CPU cannot do a sample

    def add(self, check: str, verdict: str, where: str, message: str) -> None:
        """Note a fault."""
        key = (check, verdict)
        if key in self.findings:
            self.findings[key].count += 1
        else:
            self.findings[key] = Finding(check, verdict, where, message)

    @contextmanager
    def guard(self, check: str, where: str) -> Iterator[None]:
        """Turn whatever the block raises into a finding."""
        self.checks[check] = self.checks.get(check, 0) + 1
        try:
            yield
        except StrideMismatch as error:
            self.add(check, "strides", where, str(error))
        except Mismatch as error:
            self.add(check, "differs", where, str(error))
        except NotImplementedError as error:
            self.add(check, "not implemented", where, one_line(error))
        except Exception as error:
            self.add(check, "error", where, one_line(error))

    def verdict(self) -> str:
        """Return the worst of what was found."""
        found = {finding.verdict for finding in self.findings.values()}
        for verdict in VERDICTS:
            if verdict in found:
                return verdict
        if self.samples == 0:
            return "no samples"
        return "pass" if self.compared else "cpu cannot"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "verdict": self.verdict(),
            "samples": self.samples,
            "compared": self.compared,
            "checks": self.checks,
            "places": self.places,
            "findings": [asdict(finding) for finding in self.findings.values()],
            "cpu": self.cpu,
        }


def one_line(error: BaseException) -> str:
    """Return class and first line of an error, shortened."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:300]}"
