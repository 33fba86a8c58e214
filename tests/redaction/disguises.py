"""Ways in which a secret may occur in a log other than in one piece on one line."""

from __future__ import annotations

from collections.abc import Callable

Disguise = Callable[[str, str], str]

# Split across two short lines, these look like two words.
UNDECIDABLE = {
    "netrc", "user variable", "user of W&B", "user of Slurm", "git config", "sudo", "IPv4", "IPv4 of NCCL", "IPv6",
}  # fmt: skip
# They are at the start of a line, where a label would be.
AT_THE_START = {
    "machine of syslog", "machine of Open MPI", "machine of Slurm", "machine of NCCL", "ls", "prompt",
    "machine in a prompt", "git author", "Kubernetes YAML",
}  # fmt: skip
WITH_A_LABEL = {"machine of syslog", "machine of Open MPI"}


def _broken(text: str, secret: str, label: str = "", edge: str = "") -> str:
    at = text.index(secret) + max(len(secret) // 2, 1)
    lines = f"{text[:at]}\n{text[at:]}".split("\n")
    return "\n".join(f"{label}{line}{edge}" for line in lines)


def _full(text: str, secret: str) -> str:
    """Split at the width of a terminal, between other lines."""
    at = text.rfind("\n", 0, text.index(secret)) + 1
    width = text.index(secret) + max(len(secret) // 2, 1) - at
    padded = f"{text[:at]}{'.' * max(79 - width, 0)} {text[at:]}" if width < 79 else text
    return f"step 1 loss 0.5\n{_broken(padded, secret)}\n{'longer than all others ' * 6}\n"


DISGUISES: dict[str, Disguise] = {
    "plain": lambda text, _: text,
    "behind a rank": lambda text, _: f"[rank3]: {text}",
    "colored": lambda text, secret: text.replace(secret, f"\x1b[1;31m{secret}\x1b[0m", 1),
    "colored within": lambda text, secret: text.replace(secret, f"{secret[:3]}\x1b[36m{secret[3:]}\x1b[0m", 1),
    "broken": _broken,
    "broken at the width of a terminal": _full,
    "broken and indented": lambda text, secret: _broken(text, secret).replace("\n", "\n    "),
    "broken behind ranks": lambda text, secret: _broken(text, secret, "[rank3]: "),
    "broken behind colored ranks": lambda text, secret: _broken(text, secret, "\x1b[33m[rank3]:\x1b[0m "),
    "broken behind labels of torchrun": lambda text, secret: _broken(text, secret, "[default0]:"),
    "broken behind labels of srun": lambda text, secret: _broken(text, secret, "3: "),
    "broken behind times": lambda text, secret: _broken(text, secret, "2026-11-28 10:00:00,123 - "),
    "broken in a box": lambda text, secret: _broken(text, secret, "│ ", " │"),
}


def is_recognizable(kind: str, disguise: str) -> bool:
    """Whether a reader could tell that what is planted as `kind` is one word in this `disguise`."""
    if disguise in ("plain", "colored", "colored within"):
        return True
    if kind in (AT_THE_START if "width" in disguise else WITH_A_LABEL):
        return False
    return disguise == "behind a rank" or kind not in UNDECIDABLE


def readable_parts(secret: str, disguise: str, shown: str) -> list[str]:
    """The parts of `secret` that are still to be read in `shown`."""
    half = max(len(secret) // 2, 1)
    parts = [secret[:half], secret[half:]] if disguise.startswith("broken") else [secret]
    return [part for part in parts if len(part) > 3 and part in shown]
