"""Fixtures that run real server processes and a real browser."""

import shutil
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from tests.end_to_end.servers import Server, copy_template, make_template

_started = pytest.StashKey[list[Server]]()


@pytest.fixture(scope="session")
def template_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated data folder with accounts, to be copied."""
    folder = tmp_path_factory.mktemp("template")
    make_template(folder)
    return folder


@pytest.fixture
def start_server(
    template_data: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Server]]:
    """Starts servers, each on new data; the keyword ``env`` adds to their environment."""
    servers: list[Server] = []
    request.node.stash[_started] = servers

    def start(env: dict[str, str] | None = None) -> Server:
        folder = copy_template(template_data, tmp_path / f"data-{len(servers)}")
        servers.append(Server(folder, env))
        servers[-1].start()
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def server(start_server: Callable[..., Server]) -> Server:
    """A server of this test alone."""
    return start_server()


@pytest.fixture(scope="session")
def shared_server(
    template_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """One server for all tests that leave it as they found it."""
    server = Server(copy_template(template_data, tmp_path_factory.mktemp("shared")))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, object]) -> dict[str, object]:
    """The system's Chromium; a container's small shared memory and root user are allowed for."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is not installed.")
    return {
        **browser_type_launch_args,
        "executable_path": chromium,
        "args": ["--no-sandbox", "--disable-dev-shm-usage"],
    }


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the servers printed beside a failure."""
    report = yield
    if report.failed and isinstance(item, pytest.Function):
        servers = [*item.stash.get(_started, ()), item.funcargs.get("shared_server")]
        for server in servers:
            if isinstance(server, Server):
                report.sections.append((f"server on {server.url}", server.log()))
    return report
