"""Draw who holds the memory of a GPU, from the sizes that the log states."""

from __future__ import annotations

from logsense.model.report import Report

COLUMNS = 16
GIB = 2**30
FAMILY = "gpu-memory"
BLOCKS = "█▒░"  # this job, others, free
SLACK = 0.01  # of the total: the most by which the sizes may miss it, and the least that is shown


def memory_bar(report: Report) -> tuple[str, str, str] | None:
    """Return the name of the GPU, a bar, and the sizes in words; None unless the log states sizes that add up."""
    if not report.diagnoses or report.diagnoses[0].cause.partition(".")[0] != FAMILY:
        return None
    total, free, own = _size(report, "oom.total"), _size(report, "oom.free"), _size(report, "oom.process_used")
    own = own or _size(report, "oom.reserved")
    if not total or free is None or not own:
        return None
    others = total - own - free
    if others < -SLACK * total:
        return None
    parts = [("this job", own), (_holder(report, others), max(others, 0.0)), ("free", free)]
    bar = "".join(block * round(COLUMNS * size / total) for block, (_, size) in zip(BLOCKS, parts, strict=True))
    words = ", ".join(f"{name} {size / GIB:.1f}" for name, size in parts if name == "free" or size >= SLACK * total)
    gpu = report.facts.get("oom.gpu")
    return f"GPU {gpu.value}" if gpu else "GPU", bar[:COLUMNS], f"{words} of {total / GIB:.1f} GiB"


def _holder(report: Report, others: float) -> str:
    """Return whose the rest is: a process, if the log names it and its size is that of the rest."""
    pid, size = report.facts.get("oom.other_pid"), _size(report, "oom.other_process")
    return f"PID {pid.value}" if pid and size and abs(others - size) <= SLACK * others else "others"


def _size(report: Report, name: str) -> float | None:
    fact = report.facts.get(name)
    return float(fact.value) if fact and isinstance(fact.value, (int, float)) else None
