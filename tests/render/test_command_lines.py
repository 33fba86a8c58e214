"""A command that is wider than the terminal."""

from __future__ import annotations

import pytest

from logsense.render.command_lines import command_lines


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("df -h . /tmp; df -i . /tmp", ["df -h . /tmp; df -i . /tmp"]),
        ("lsmod | grep nv; sudo dmesg | grep nvrm | tail", ["lsmod | grep nv;", "sudo dmesg | grep nvrm | tail"]),
        ("cmake -B build -DCUDA=ON && cmake --build build", ["cmake -B build -DCUDA=ON &&", "cmake --build build"]),
        (
            "x = load()   # or a remark that is longer than a line",
            ["x = load()", "# or a remark that is longer", "# than a line"]),
        ("python -c 'import torch; print(torch.__version__)'", ["python -c 'import torch; print(torch.__version__)'"]),
        (r"find . -exec ls {} \; -print; echo all of them", [r"find . -exec ls {} \; -print;", "echo all of them"]),
        ("!nvidia-smi; pip list | grep torch; df -h", ["!nvidia-smi; pip list | grep torch; df -h"]),
        ("for p in a:\n    print(p)", ["for p in a:", "    print(p)"]),
        ("for p in a: print(p, p); print(p)", ["for p in a: print(p, p); print(p)"]),
        ("mask = (a > 0) | (b > 0) | (c > 0)", ["mask = (a > 0) | (b > 0) | (c > 0)"]),
        ("own = f(); print(own, [k for k in own])", ["own = f();", "print(own, [k for k in own])"]),
        ("cat > a.py <<'E'\nx = f(1, 2, 3); print(x); g(x)\nE", ["cat > a.py <<'E'", "x = f(1, 2, 3); print(x); g(x)", "E"]),
        ("cat <<'E' | sort && echo of all the rest\nb\nE", ["cat <<'E' | sort && echo of all the rest", "b", "E"]),
        ("echo 'a   # no remark' && echo aaaaaaaaa", ["echo 'a   # no remark' && echo aaaaaaaaa"]),
        (r"echo 'a\' ; echo 'b ; c' ; echo 'd\'", [r"echo 'a\' ; echo 'b ; c' ;", r"echo 'd\'"]),
    ],
)  # fmt: skip
def test_a_command_is_broken_only_where_it_can_be_pasted(command: str, lines: list[str]) -> None:
    assert list(command_lines(command, 32)) == lines
