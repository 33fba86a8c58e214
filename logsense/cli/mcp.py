"""`logsense mcp`: serve explain, doctor, gpus and causes to agents over the Model Context Protocol.

https://modelcontextprotocol.io/specification
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

from logsense.cli.agent import Agent
from logsense.util.errors import InputError
from logsense.util.version import __version__

INSTRUCTIONS = (
    "Explains why a machine-learning training run (PyTorch, TensorFlow, JAX, NCCL, CUDA, Slurm, …) failed. "
    "Call explain with the log first; doctor and gpus check this machine; causes has background on known causes. "
    "Everything stays on this machine."
)


def run(options: dict[str, object]) -> int:
    """Serve until standard input ends; return the exit status."""
    try:
        server = server_for(Agent(**{name: str(value) for name, value in options.items()}))
    except ImportError as error:
        raise InputError(f"the MCP SDK is missing: pip install 'logsense-ml[mcp]' ({error})") from None
    server.run("stdio")
    return 0


def server_for(agent: Agent) -> Any:
    """Return a server with the tools of `agent`. Raise ImportError if the MCP SDK is not installed."""
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations

    def tool(function: Callable[..., str]) -> Callable[..., str]:
        @wraps(function)
        def call(**arguments: Any) -> str:
            try:
                return function(**arguments)
            except (InputError, OSError) as error:
                raise ToolError(str(error)) from None

        # The SDK reads parameters and their types from the signature.
        call.__signature__ = signature(function, eval_str=True)  # type: ignore[attr-defined]
        return call

    server = MCPServer("logsense", instructions=INSTRUCTIONS, version=__version__, log_level="ERROR")
    hints = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
    for title, function in (
        ("Why a training run failed", agent.explain),
        ("Check this machine", agent.doctor),
        ("The state of the GPUs", agent.gpus),
        ("Known causes", agent.causes),
    ):
        server.add_tool(tool(function), title=title, annotations=hints, structured_output=False)
    return server
