"""Special passes are measured by switching each off: answers that change without it are counted and listed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.scripts import ROOT

SURVIVED = "".join(f"Epoch 1/2 step {n} loss 0.5\n" for n in range(1, 9))
RAISED = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
CASES = f"""
- id: went-on
  log: |
    {RAISED.strip()}
    {SURVIVED.strip().replace(chr(10), chr(10) + "    ")}
  truth: []
"""


def test_a_pass_that_changes_an_outcome(tmp_path: Path) -> None:
    cases = tmp_path / "cases.yaml"
    cases.write_text(CASES, encoding="utf-8")
    program = f"import sys; sys.path.insert(0, {str(ROOT / 'scripts')!r}); import heuristics as h\n"
    program += "h.inputs_of = lambda _: iter(()); h.SHAPES.clear()\n"
    program += f"sys.exit(h.main(['--only', 'is_survived', '--changes', {str(cases)!r}]))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    row = next(line for line in done.stdout.splitlines() if "`incident.incident:_is_survived`" in line)
    assert "- cases: 1 inputs, 1 of them labelled, 1 right" in done.stdout
    assert row.endswith("| 1, 0, 0, 0 | 0, 1, 0, 0 | 0 | 0 |")
    assert "went-on: running → unknown" in done.stdout
