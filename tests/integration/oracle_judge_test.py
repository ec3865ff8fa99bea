# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The judge of tests/oracle can say no: each of its checks fails when it should."""

import os
import sys
from dataclasses import dataclass, field

import pytest
from flopsprof_run import ROOT

sys.path.append(os.path.join(ROOT, "tests", "oracle"))
import accuracy  # noqa: E402
import judge  # noqa: E402


@dataclass
class FakeCase:
    """What the judge reads of a case; the real ones import torch."""

    name: str = "one"
    family: str = "mm"
    forward: int = 100
    backward: int = 200
    recompute: int = 0
    facts: dict = field(default_factory=lambda: {"extra": 7})

    @property
    def id(self) -> str:
        return f"{self.family}: {self.name}"


def rule(**changes):
    facts = {
        "id": "extra", "tools": ["deepspeed"], "phases": ["forward"], "cases": "family == 'mm'",
        "value": "flops + extra", "right": "both", "why": "It adds what is extra, and says so.",
    }  # fmt: skip
    return judge.Rule(**{**facts, **changes})


def counts(**changes):
    said = {tool: dict.fromkeys(phases, 0) for tool, phases in judge.TOOLS.items()}
    for tool, phases in said.items():
        right = {"forward": 100, "backward": 200, "recompute": 0}
        phases.update({phase: right[phase] for phase in phases})
        phases.update(changes.get(tool, {}))
    said["flopsprof"].setdefault("unknown_s", 0)
    return {"mm: one": said}


def judged(said, rules):
    return judge.differences([FakeCase()], said, rules)


def test_a_predicted_difference_that_does_not_come_fails():
    (found,) = judged(counts(), [rule()])
    assert found.fails and not found.differs
    other = rule(id="other", value="flops + 9")
    (found,) = judged(counts(deepspeed={"forward": 107}), [rule(), other])
    assert found.fails and found.wrong == ["other says 109"]


def test_a_failure_is_explained_by_its_exception_only():
    said = counts()
    said["mm: one"]["fvcore"] = {"error": "IndexError: list index out of range"}
    for value, right in (("error('IndexError')", True), ("error('KeyError')", False),
                         ("'IndexError'", False), ("0", False)):  # fmt: skip
        (found,) = judged(said, [rule(tools=["fvcore"], value=value)])
        assert (not found.fails) == right, value


def test_unknown_of_ours_needs_unknown_time_whatever_the_reason():
    unknown = rule(tools=["flopsprof"], value="None", right="both")
    (found,) = judged(counts(flopsprof={"forward": None}), [unknown])
    assert found.fails
    (found,) = judged(counts(flopsprof={"forward": None, "unknown_s": 1e-6}), [unknown])
    assert not found.fails


def test_a_convention_is_not_printed_as_an_error_of_the_tool():
    for right, cell in (("both", "0 (+1)"), ("flopsprof", "0")):
        one = rule(right=right)
        found = judged(counts(deepspeed={"forward": 107}), [one])
        text = accuracy.render([FakeCase()], found, [one])
        assert f"| mm | 1 | 1 | 1 | 1 | {cell} | 1 |" in text
        conventions, _, errors = text.partition("## Differences")
        assert ("| extra |" in conventions) == (right == "both")
        assert ("| extra |" in errors) == (right != "both")


def test_equal_numbers_are_no_difference():
    assert judged(counts(), []) == []


def test_a_rule_explains_only_the_number_that_it_predicts():
    (found,) = judged(counts(deepspeed={"forward": 107}), [rule()])
    assert found.rule is not None and found.rule.used == 1
    (found,) = judged(counts(deepspeed={"forward": 108}), [rule()])
    assert found.rule is None


def test_a_rule_is_of_its_tool_phase_and_cases():
    for said, changes in (
        (counts(fvcore={"forward": 107}), {}),
        (counts(torch={"backward": 207}), {"tools": ["torch"]}),
        (counts(deepspeed={"forward": 107}), {"cases": "family == 'bmm'"}),
    ):
        found = judged(said, [rule(**changes)])
        assert any(d.differs for d in found) and all(d.rule is None for d in found)


def test_unknown_is_a_difference_and_not_zero():
    zero = rule(id="zero", tools=["flopsprof"], value="0", phases=["backward"])
    (found,) = judged(counts(flopsprof={"backward": None}), [zero])
    assert found.rule is None


def test_not_counted_yet_needs_unknown_time():
    late = rule(tools=["flopsprof"], value="40", why="Not counted yet: a kernel of its own.")
    (found,) = judged(counts(flopsprof={"forward": 40}), [late])
    assert found.rule is None
    (found,) = judged(counts(flopsprof={"forward": 40, "unknown_s": 1e-6}), [late])
    assert found.rule is late


def test_unknown_without_unknown_time_is_not_explained_as_not_yet():
    late = rule(tools=["flopsprof"], value="None", why="Not counted yet: a kernel of its own.")
    (found,) = judged(counts(flopsprof={"forward": None}), [late])
    assert found.rule is None
    (found,) = judged(counts(flopsprof={"forward": None, "unknown_s": 1e-6}), [late])
    assert found.rule is late


def test_a_name_that_no_case_has_is_an_error():
    with pytest.raises(NameError):
        judged(counts(deepspeed={"forward": 107}), [rule(cases="familly == 'mm'")])


@pytest.fixture
def report(monkeypatch, tmp_path, capsys):
    """Runs accuracy.report on one case; returns its code and lines."""
    monkeypatch.setattr(accuracy, "PATH", str(tmp_path / "accuracy.md"))
    monkeypatch.setattr(accuracy, "FEWEST_CASES", 1)

    def run(said, rules, problems=(), write=True):
        found = judged(said, rules)
        text = accuracy.render([FakeCase()], found, rules)
        if write:
            accuracy.write(text)
        code = accuracy.report([FakeCase()], found, rules, list(problems), text, False)
        return code, capsys.readouterr().out.splitlines()

    return run


def test_the_report_passes_when_all_is_explained(report):
    code, lines = report(counts(deepspeed={"forward": 107}), [rule()])
    assert code == 0 and all(line.startswith("ok ") for line in lines)


def failed(lines):
    return [line.split()[1] for line in lines if line.startswith("FAIL")]


def test_the_report_fails_for_what_is_not_explained_or_explains_nothing(report):
    code, lines = report(counts(deepspeed={"forward": 107}), [])
    assert code == 1 and failed(lines) == ["mm:_one"]
    code, lines = report(counts(), [rule()])
    assert code == 1 and failed(lines) == ["mm:_one", "every_reason_explains_something"]
    code, lines = report(counts(), [rule(cases="family == 'bmm'")])
    assert code == 1 and failed(lines) == ["every_reason_explains_something"]
    code, lines = report(counts(), [], problems=["mm: one: did not run"])
    assert code == 1 and failed(lines) == ["every_case_ran"]


def test_the_report_fails_when_the_document_has_other_reasons(report):
    report(counts(), [])
    code, lines = report(counts(deepspeed={"forward": 107}), [rule()], write=False)
    assert code == 1 and failed(lines) == ["docs_accuracy_is_up_to_date"]
