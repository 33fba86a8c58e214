"""The software that a job runs with, read without running any of it in this process."""

from __future__ import annotations

from types import MappingProxyType

from logsense.model.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Interpreter(NamedTuple):
    """The Python that the job uses. `kind` is venv, conda, system or Colab; `path` is what it looks modules up in."""

    executable: str
    version: str = ""
    prefix: str = ""
    kind: str = "system"
    path: tuple[str, ...] = ()


class Package(NamedTuple):
    """An installed distribution; `hidden` are further copies that come later on the path."""

    name: str
    version: str
    folder: str
    hidden: tuple[str, ...] = ()


class Build(NamedTuple):
    """What a framework was built for. `cpu_only` says that it has no GPU code at all."""

    name: str
    version: str
    cuda: str | None = None
    cudnn: str | None = None
    cpu_only: bool = False


class Library(NamedTuple):
    """A copy of a shared library. `family` is its name without version; `origin` says what puts it on the loader's way.

    Copies of one family stand in the order in which the loader meets them.
    """

    family: str
    path: str
    version: str | None = None
    origin: str = ""


class Environment(NamedTuple):
    """All of it. `variables` are those that matter to GPU jobs and are set; `mixed` says what does not fit together."""

    interpreter: Interpreter | None = None
    packages: Mapping[str, Package] = MappingProxyType({})
    builds: tuple[Build, ...] = ()
    libraries: tuple[Library, ...] = ()
    variables: Mapping[str, str] = MappingProxyType({})
    tools: Mapping[str, str] = MappingProxyType({})
    mixed: tuple[str, ...] = ()
    colab: bool = False
    missing: Mapping[str, str] = MappingProxyType({})
