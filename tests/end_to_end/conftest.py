"""Fixtures that run real server processes and a real browser."""

import shutil
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.end_to_end.pages import Watch, connected
from tests.end_to_end.programs import Background, Program
from tests.end_to_end.servers import Server, copy_template, make_template
from tests.support.fake_model import FakeModel

_started = pytest.StashKey[list[Server]]()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests in a browser come last.

    Playwright's plain interface leaves its loop marked as running in this thread, where no
    coroutine can be run any more.
    """
    items.sort(key=lambda item: "browser" in getattr(item, "fixturenames", ()))


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


@pytest.fixture(scope="module")
def fake_model() -> Iterator[FakeModel]:
    """The model of ``scripted_server``."""
    with FakeModel() as model:
        yield model


@pytest.fixture
def model(fake_model: FakeModel) -> Iterator[FakeModel]:
    """The scripted model; a test ends with nothing to complain of."""
    yield fake_model
    assert fake_model.complaints == []


@pytest.fixture(scope="module")
def scripted_server(
    fake_model: FakeModel, template_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server that asks the scripted model, for all tests of a module."""
    folder = copy_template(template_data, tmp_path_factory.mktemp("scripted"))
    server = Server(folder, {"OPENAI_BASE_URL": fake_model.url})
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def cookies() -> Callable[[Server, str], str]:
    """The cookies of a signed-in user of a server, the same each time."""
    made: dict[tuple[Path, str], str] = {}

    def cookie(server: Server, user: str) -> str:
        key = (server.data_dir, user)
        if key not in made:
            made[key] = server.sign_in(user)
        return made[key]

    return cookie


@pytest.fixture(scope="session")
def background() -> Iterator[Background]:
    """Where programs run beside browser tests."""
    loop = Background()
    yield loop
    loop.stop()


@pytest.fixture
def program(background: Background) -> Iterator[Callable[..., Program]]:
    """Starts programs: ``program(server, user="ana")``."""
    started: list[Program] = []

    def start(server: Server, user: str = "ana") -> Program:
        started.append(Program(background, server, server.token(user)))
        return started[-1]

    yield start
    for each in started:
        each.leave()


@pytest.fixture
def watch(context: BrowserContext) -> Iterator[Watch]:
    """What the browser says of all pages; a test ends with no complaint."""
    watched = Watch()
    watched.over(context)
    yield watched
    watched.check()


@pytest.fixture
def visit(
    context: BrowserContext, watch: Watch, cookies: Callable[[Server, str], str]
) -> Callable[..., Page]:
    """Opens tabs of one signed-in browser: ``visit(server, path="/", user="ana")``."""

    def open_page(server: Server, path: str = "/", user: str = "ana") -> Page:
        for pair in cookies(server, user).split("; "):
            name, _, value = pair.partition("=")
            context.add_cookies([{"name": name, "value": value, "url": server.url}])
        page = context.new_page()
        page.goto(server.url + path)
        connected(page)
        return page

    return open_page


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
        fixed = [item.funcargs.get(name) for name in ("shared_server", "scripted_server")]
        servers = [*item.stash.get(_started, ()), *fixed]
        for server in servers:
            if isinstance(server, Server):
                report.sections.append((f"server on {server.url}", server.log()))
    return report
