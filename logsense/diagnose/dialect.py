"""Commands that are written for a Linux shell, as another system takes them; left out where it knows no such thing."""

from __future__ import annotations

import re
import shlex

from logsense.diagnose.system import MACOS, NOTEBOOKS, WINDOWS

# What these systems do not have, or forbid.
_NOT_IN_NOTEBOOKS = {
    "sbatch", "srun", "scontrol", "sacct", "squeue", "sinfo", "docker", "podman", "nvidia-ctk", "systemctl",
    "modprobe", "rmmod", "reboot", "ulimit", "conda", "mamba", "journalctl", "sysctl", "mount", "kubectl", "wsl",
    "update-initramfs",
}  # fmt: skip
_NOT_ON_MACOS = {
    "apt-get", "apt", "ldconfig", "ldd", "free", "systemctl", "journalctl", "nvidia-smi", "modprobe", "dpkg", "lspci",
    "patchelf", "taskset", "numactl", "nvcc", "nvidia-ctk", "dmesg",
}  # fmt: skip
_ON_WINDOWS = {
    "python", "pip", "conda", "mamba", "nvidia-smi", "nvcc", "git", "docker", "hf", "huggingface-cli", "wandb", "ninja",
    "accelerate", "torchrun", "deepspeed", "tensorboard", "cmake", "jupyter", "wsl", "ollama", "uv", "kaggle",
    "logsense", "gcc", "g++", "java", "ping", "findstr", "cl", "vllm", "transformers-cli", "gsutil", "aws", "ssh", "cd",
}  # fmt: skip
_NOTE = re.compile(r"(?:^|\s+)# .*$")
_SETS = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
_BARE = re.compile(r"[\w.:/\\+=-]+", re.ASCII)
# What means something between double quotes to cmd or to PowerShell.
_SPECIAL = re.compile(r"[$`\"%\n]|!(?!=)")


def in_dialect(command: str, system: str | None) -> str | None:
    """`command` as `system` takes it; None where it has no such command. Options and lines of Python stay."""
    if system is None or command.startswith("-") or _is_python(command):
        return command
    if system == WINDOWS:
        return _for_windows(command)
    if system in NOTEBOOKS:
        return _for_notebook(command)
    if system == MACOS:
        return None if _names(command) & _NOT_ON_MACOS else command
    return command


def _is_python(command: str) -> bool:
    """Whether it is a line of Python rather than of a shell: it parses as Python, and calls or sets something."""
    if not re.search(r"\w\(|\s=\s", command):
        return False
    try:
        compile(command, "", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _names(command: str) -> set[str]:
    """The words that stand where a program's name may."""
    return set(re.findall(r"(?:^|[;&|(\n]\s*)(?:sudo\s+(?:-\w+\s+)*)?(?:[A-Za-z_]\w*=\S*\s+)*([\w.+-]+)", command))


def _for_notebook(command: str) -> str | None:
    if _names(command) & _NOT_IN_NOTEBOOKS:
        return None
    lines = []
    for line in command.split("\n"):
        bare = re.sub(r"\bsudo (?:-\w+ )*", "", line)
        bare = re.sub(r"\bapt(?:-get)? install (?!-y)", "apt-get install -y ", bare)
        body = _NOTE.sub("", bare)
        if found := re.fullmatch(r"export((?: \w+=[\w.:/,+-]*)+)", body):
            lines.append("# in the first cell, after a restart of the runtime:")
            lines += [f"%env {one}" for one in found[1].split()]
        elif not body or "{" in body or "$" in body:  # a notebook fills these in by itself
            lines.append(bare)
        else:
            lines.append(("%" if re.fullmatch(r"pip install [^;&|]*", body) else "!") + bare)
    return "\n".join(lines)


def _for_windows(command: str) -> str | None:
    if "LD_LIBRARY_PATH" in command or "LD_PRELOAD" in command:
        return None  # Windows looks for libraries in other places
    lines: list[str] = []
    for line in command.split("\n"):
        note = _NOTE.search(line)
        chains = _chains(_NOTE.sub("", line))
        if chains is None:
            return None
        told = [_chain(chain) for chain in chains]
        lines += [one for group in told if group for one in group]
        if note and any(told):
            lines.append(note[0].strip())
    return "\n".join(lines) or None


def _chains(line: str) -> list[list[list[str]]] | None:
    """The chains (parted by `;`) of commands (parted by `&&`) of a line, as words; None where it can't be told."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>()")
    lexer.whitespace_split, lexer.commenters = True, ""
    chains: list[list[list[str]]] = [[[]]]
    try:
        for word in lexer:
            if word == ";":
                chains.append([[]])
            elif word == "&&":
                chains[-1].append([])
            else:
                chains[-1][-1].append(word)
    except ValueError:
        return None
    return [chain for chain in chains if any(chain)]


def _chain(chain: list[list[str]]) -> list[str] | None:
    """The lines of commands of which each needs the ones before; None where one of them can't be told."""
    lines: list[str] = []
    for words in chain:
        told = _command(words)
        if told is None:
            return None
        lines += told
    return lines


def _command(words: list[str]) -> list[str] | None:
    lines = []
    if words and words[0] in ("export", "unset"):
        names = words[1:]
        if words[0] == "unset":
            return [f"Remove-Item Env:{name}   # PowerShell; in cmd: set {name}=" for name in names]
        told = [_set(word) for word in names]
        return None if None in told else [one for one in told if one]
    while words and _SETS.fullmatch(words[0]):
        one = _set(words[0])
        if one is None:
            return None
        lines.append(one)
        words = words[1:]
    told_pipe = _pipe(words) if words else ""
    return None if told_pipe is None else [*lines, told_pipe] if told_pipe else lines


def _set(word: str) -> str | None:
    found = _SETS.fullmatch(word)
    if not found or _SPECIAL.search(found["value"]):
        return None
    name, value = found["name"], found["value"]
    if not value:
        return f'$env:{name}=""   # PowerShell; in cmd: set {name}='
    plain = re.fullmatch(r"[\w.:/\\,+=;-]+", value, re.ASCII)
    in_cmd = f"; in cmd: set {name}={value}" if plain else ""
    return f'$env:{name}="{value}"   # PowerShell{in_cmd}'


def _pipe(words: list[str]) -> str | None:
    """A program, with a filter behind it where there is one."""
    if words[-1:] and "|" in words:
        at = words.index("|")
        left, right = words[:at], words[at + 1 :]
        if left[-3:] == ["2", ">&", "1"]:
            left = left[:-3]
        kept = _filter(right)
        program = _program(left)
        return None if kept is None or program is None else f"{program} | {kept}"
    return _program(words)


def _filter(words: list[str]) -> str | None:
    """`grep` of plain words as `findstr`, which knows several words as alternatives."""
    if not words or words[0] != "grep":
        return None
    options = [word for word in words[1:] if word.startswith("-")]
    wanted = [word for word in words[1:] if not word.startswith("-")]
    if len(wanted) != 1 or not re.fullmatch(r"[\w.|^-]+", wanted[0], re.ASCII) or set("".join(options)) - set("-iEn"):
        return None
    ignore = "/i " if any("i" in option for option in options) else ""
    return f'findstr {ignore}"{wanted[0].replace("|", " ")}"'


def _program(words: list[str]) -> str | None:
    if not words or any(re.fullmatch(r"[;&|<>()]+", word) for word in words):
        return None
    name, rest = words[0], words[1:]
    if name == "which":
        name, rest = "where.exe", [word for word in rest if not word.startswith("-")]
    elif name in ("python3", "pip3"):
        name = name[:-1]
    elif name == "cat":
        name = "type"
    elif name == "kill" and rest and rest[-1].isdigit():
        name, rest = "taskkill", ["/F", "/PID", rest[-1]]
    elif name not in _ON_WINDOWS:
        return None
    told = [_word(word, program=before == "-c") for before, word in zip(["", *rest], rest, strict=False)]
    return None if None in told else " ".join([name, *(word for word in told if word)])


def _word(word: str, *, program: bool) -> str | None:
    """`word`, or a `program` of Python, as both shells of Windows take it; None where they would not take it alike."""
    if word.startswith(("~", "/")) and "/" in word[1:]:
        return None  # a place that Windows does not have
    if _BARE.fullmatch(word):
        return word
    if program and "'" not in word:
        word = word.replace('"', "'")
    return None if _SPECIAL.search(word) or word.endswith("\\") else f'"{word}"'
