"""Markup from models, remotes and people is shown as text and never does anything (G29)."""

import itertools
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.end_to_end.pages import (
    SLOW,
    Watch,
    answer,
    card,
    choose,
    composer,
    ended,
    messages,
    open_card,
    remote,
    send,
    switch_on,
    thread_link,
    thread_of,
)
from tests.end_to_end.programs import Program
from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import function
from tests.support.fake_model import (
    Answer,
    FakeModel,
    Hold,
    Request,
    Step,
    calls,
    delta,
    finish,
    says,
    streams,
)

Visit = Callable[..., Page]
Start = Callable[..., Program]

IMAGE = '<img src=x onerror="window.pwned=1">'
LINK = "[x](javascript:window.pwned=1)"
SVG = "<svg onload=window.pwned=1>"
DATA = '<a href="data:text/html,<script>opener.pwned=1</script>">press</a>'
SCRIPT = "</script><script>window.pwned=1</script>"
FENCE = f"```html\n{SCRIPT}\n```"
CORPUS = (IMAGE, LINK, SVG, DATA, FENCE)
TITLE = f"{IMAGE} as a title"
UNHEARD = '<b onmouseover="window.pwned=1">'
POISON = "\n\n".join(CORPUS)
MARKDOWN = """\
## Heading

Some **bold** and *soft* words, `code`, and [a link](https://example.org/).

1. one
2. two

| a | b |
| - | - |
| 1 | 2 |

```python
print("hello")
```
"""
PAGES = {"/", "/ws/", "/connect-lines/"}
FOLDERS = ("/t/", "/static/", "/accounts/", "/admin/")


@pytest.fixture(autouse=True)
def nothing_happens(context: BrowserContext, watch: Watch) -> Iterator[None]:
    """No page was ever marked, and nothing but our own paths was asked for."""
    context.add_init_script(
        "Object.defineProperty(window, 'pwned', {set() { sessionStorage.wasPwned = '1'; }})"
    )
    yield
    for page in context.pages:
        assert page.evaluate("sessionStorage.wasPwned ?? null") is None
    paths = {urlsplit(url).path for url in watch.requests if not url.startswith("data:image/")}
    assert {path for path in paths if path not in PAGES and not path.startswith(FOLDERS)} == set()
    assert not [path for path in paths if path.endswith("/x")]


def is_harmless(page: Page) -> None:
    """Nothing that is shown could run anything: all there is are texts and links that lead out."""
    assert page.locator("script:not([src]), iframe, object, embed, base").count() == 0
    found = page.evaluate(
        """() => [...document.querySelectorAll("#app *")].flatMap((element) => [
            ...element.getAttributeNames().filter((name) => name.startsWith("on")),
            ...["href", "src", "action", "xlink:href"].map((name) => element.getAttribute(name))
                .filter((url) => url && !/^(https?:|mailto:|[/#])/i.test(url)),
        ])"""
    )
    assert found == []


def seen(page: Page) -> None:
    """The page as it is, and as it is after a reload."""
    is_harmless(page)
    page.reload()
    ended(page)
    is_harmless(page)


def ask(page: Page, text: str = "Hello") -> str:
    send(page, text)
    return thread_of(page)


@pytest.fixture
def evil(program: Start, scripted_server: Server) -> Program:
    """A program that serves a remote whose every text is an attack."""
    evil = program(scripted_server)
    evil.serve(
        IMAGE,
        function(SVG, {"text": {"type": "string", "description": IMAGE}}) | {"description": POISON},
        title=SVG,
        description=POISON,
        client={"program": IMAGE, "host": SVG, "title": IMAGE},
    )
    return evil


def first_function(**args: object) -> Callable[[Request], Answer]:
    """A call of whatever function is offered."""
    return lambda request: calls(request.offered[0], args)


@pytest.mark.parametrize("size", [1, 3, 10_000], ids=["letters", "threes", "whole"])
def test_the_models_text_is_shown_as_text_however_it_is_split(
    visit: Visit, scripted_server: Server, model: FakeModel, size: int
) -> None:
    pieces = [POISON[start : start + size] for start in range(0, len(POISON), size)]
    model.script(streams(*(delta(content=piece) for piece in pieces), finish("stop")))
    page = visit(scripted_server)
    ask(page)
    ended(page)
    expect(answer(page)).to_contain_text(IMAGE)
    expect(answer(page)).to_contain_text(SVG)
    expect(answer(page).locator("pre")).to_have_text(SCRIPT)
    expect(answer(page).get_by_role("link")).to_have_count(0)
    seen(page)


def test_a_tag_that_is_still_being_written_is_harmless_at_every_moment(
    visit: Visit, scripted_server: Server, model: FakeModel
) -> None:
    """Each state in between is looked at, also by a page that is loaded in it."""
    cuts = [0, 5, 14, 30, len(IMAGE)]
    steps: list[Step] = []
    for start, end in itertools.pairwise(cuts):
        steps += [delta(content=IMAGE[start:end]), Hold()]
    model.script(streams(*steps, delta(content=" end"), finish("stop")))
    page = visit(scripted_server)
    ask(page)
    for end in cuts[1:]:
        expect(answer(page)).to_contain_text(IMAGE[:end].strip())
        is_harmless(page)
        page.reload()
        expect(answer(page)).to_contain_text(IMAGE[:end].strip(), timeout=SLOW)
        is_harmless(page)
        model.release()
    ended(page)
    seen(page)


def test_markdown_still_becomes_a_page(
    visit: Visit, scripted_server: Server, model: FakeModel
) -> None:
    model.script(says(MARKDOWN))
    page = visit(scripted_server)
    ask(page)
    ended(page)
    shown = answer(page)
    expect(shown.get_by_role("heading", name="Heading")).to_be_visible()
    expect(shown.locator("strong")).to_have_text("bold")
    expect(shown.locator("em")).to_have_text("soft")
    expect(shown.locator("p code")).to_have_text("code")
    expect(shown.get_by_role("listitem")).to_have_text(["one", "two"])
    expect(shown.get_by_role("cell")).to_have_text(["1", "2"])
    expect(shown.locator("pre")).to_have_text('print("hello")')
    link = shown.get_by_role("link", name="a link")
    expect(link).to_have_attribute("href", "https://example.org/")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(link).to_have_attribute("target", "_blank")


def test_only_web_and_mail_links_lead_anywhere(
    visit: Visit, scripted_server: Server, model: FakeModel
) -> None:
    schemes = ("javascript:pwned=1", "JaVaScRiPt:pwned=1", "data:text/html,x", "vbscript:x")
    others = ("file:///etc/passwd", "blob:x", "//example.org/x", "x", "&#106;avascript:pwned=1")
    good = ("https://example.org/", "http://example.org/", "mailto:ana@example.org")
    lines = [f"- [no {n}](<{url}>)" for n, url in enumerate((*schemes, *others))]
    lines += [f"- [yes]({url})" for url in good]
    model.script(says("\n".join(lines)))
    page = visit(scripted_server)
    ask(page)
    ended(page)
    links = answer(page).locator("a[href]")
    assert links.evaluate_all("links => links.map(a => a.getAttribute('href'))") == list(good)
    seen(page)


def test_images_are_never_fetched_from_anywhere(
    visit: Visit, scripted_server: Server, model: FakeModel
) -> None:
    model.script(
        says("![leak](https://example.org/?q=secret) ![near](/x) <img src=https://example.org/y>")
    )
    page = visit(scripted_server)
    ask(page)
    ended(page)
    expect(answer(page)).to_contain_text("leak")
    assert answer(page).locator("img").count() == 0
    seen(page)


def test_the_names_and_descriptions_of_a_remote_and_a_result_of_it_are_shown_as_data(
    visit: Visit, scripted_server: Server, model: FakeModel, evil: Program
) -> None:
    page = visit(scripted_server)
    expect(remote(page, IMAGE)).to_contain_text(IMAGE)
    remote(page, IMAGE).locator("summary").click()
    expect(remote(page, IMAGE).get_by_role("listitem")).to_contain_text(POISON.splitlines()[0])
    is_harmless(page)
    switch_on(page, IMAGE)
    model.script(first_function(text=POISON), says("Done."))
    ask(page)
    evil.answer(evil.next_call(), {"text": POISON, IMAGE: [SCRIPT]})
    ended(page)
    opened = open_card(page)
    expect(opened.get_by_role("region", name="Arguments")).to_contain_text("onerror")
    expect(opened.get_by_role("region", name="Result")).to_contain_text(SCRIPT)
    expect(opened).to_contain_text(SVG)
    seen(page)
    expect(open_card(page).get_by_role("region", name="Result")).to_contain_text(SCRIPT)
    is_harmless(page)


def test_a_functions_error_is_shown_as_data_and_goes_to_the_model_as_a_tools(
    visit: Visit, scripted_server: Server, model: FakeModel, evil: Program
) -> None:
    page = visit(scripted_server)
    switch_on(page, IMAGE)
    model.script(first_function(), says("Done."))
    ask(page)
    evil.fail(evil.next_call(), POISON)
    expect(page.get_by_test_id("call-error")).to_contain_text(IMAGE)
    ended(page)
    open_card(page)
    seen(page)
    roles = [message["role"] for message in model.requests[-1].messages if IMAGE in str(message)]
    assert "tool" in roles
    assert "user" not in roles


def test_a_call_that_asks_for_approval_shows_its_values_as_data(
    visit: Visit, scripted_server: Server, model: FakeModel, program: Start
) -> None:
    evil = program(scripted_server)
    evil.serve(SVG, function(IMAGE, {"text": {"type": "string"}}, confirm=True))
    page = visit(scripted_server)
    switch_on(page, SVG)
    model.script(first_function(text=POISON), says("Done."))
    ask(page)
    asking = page.get_by_test_id("approval")
    expect(asking).to_contain_text(IMAGE)
    expect(asking).to_contain_text(SVG)
    is_harmless(page)
    asking.get_by_role("button", name="Deny, saying why").click()
    asking.get_by_label("Reason").fill(IMAGE)
    asking.get_by_role("button", name="Deny", exact=True).click()
    expect(card(page)).to_have_attribute("data-status", "denied")
    ended(page)
    seen(page)


def test_the_users_own_message_and_the_title_it_gives_are_shown_as_typed(
    visit: Visit, scripted_server: Server, model: FakeModel
) -> None:
    model.script(says("Hm."))
    page = visit(scripted_server)
    ask(page, POISON)
    ended(page)
    expect(messages(page, "user")).to_contain_text(IMAGE)
    expect(page.get_by_role("heading", level=1)).to_contain_text("<img")
    seen(page)


def test_a_threads_title_is_shown_as_typed_in_the_list_and_the_dialogs(
    visit: Visit, scripted_server: Server, evil: Program
) -> None:
    thread = evil.ask("thread-create", {"title": TITLE, "remotes": [IMAGE, SVG]})["thread"]["id"]
    page = visit(scripted_server, f"/t/{thread}")
    expect(page.get_by_role("heading", level=1)).to_have_text(TITLE)
    assert TITLE in page.title()
    choose(page, TITLE, "Delete")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(TITLE)
    is_harmless(page)
    dialog.get_by_role("button", name="Keep it").click()
    choose(page, TITLE, "Rename")
    dialog.get_by_label("Title").fill(f"{SVG} again")
    page.keyboard.press("Enter")
    expect(thread_link(page, f"{SVG} again")).to_be_visible()
    page.get_by_role("searchbox", name="Search chats").fill(UNHEARD)
    expect(page.get_by_text(f"No chat has “{UNHEARD}”.")).to_be_visible()
    is_harmless(page)


def test_a_question_to_the_tab_and_its_choices_are_shown_as_text(
    visit: Visit, scripted_server: Server, model: FakeModel
) -> None:
    page = visit(scripted_server)
    page.get_by_role("switch", name="Use this tab in this chat").check()
    model.script(
        lambda request: calls(
            next(name for name in request.offered if name.endswith("ask_user")),
            {"question": IMAGE, "choices": [SVG, SCRIPT]},
        ),
        says("Done."),
    )
    ask(page)
    question = page.get_by_test_id("ask-user")
    expect(question).to_contain_text(IMAGE)
    is_harmless(page)
    question.get_by_role("button", name=SCRIPT).click()
    ended(page)
    composer(page).fill(POISON)
    seen(page)
    expect(composer(page)).to_have_value(POISON)


ADMIN_LISTS = (
    "/admin/chat/thread/",
    "/admin/chat/message/",
    "/admin/chat/call/",
    "/admin/chat/run/",
    "/admin/chat/resource/",
    "/admin/remotes/accesstoken/",
    "/admin/remotes/rememberedapproval/",
    "/admin/remotes/connectedremote/",
)


def test_the_admin_shows_all_of_it_as_text(
    visit: Visit, scripted_server: Server, model: FakeModel, evil: Program
) -> None:
    """Every list of the admin and the first page behind each, with all of the above in them."""
    thread = evil.ask("thread-create", {"title": IMAGE, "remotes": [IMAGE]})["thread"]["id"]
    model.script(first_function(text=POISON), says(POISON))
    evil.ask("message-send", {"thread": thread, "content": POISON})
    evil.fail(evil.next_call(), POISON)
    evil.event("run-finished")
    page = visit(scripted_server, user="admin")
    shown = []
    for path in ADMIN_LISTS:
        reply = page.goto(scripted_server.url + path)
        assert reply is not None
        assert reply.status == 200, path
        shown.append(page.locator("#content").inner_text())
        assert (
            page.locator("#content img[src=x], #content svg[onload], #content script").count() == 0
        )
        if (first := page.locator("#result_list tbody th a")).count():
            first.first.click()
            expect(page.locator("#content h1")).to_be_visible()
            shown.append(page.locator("#content").inner_text())
    assert sum(IMAGE in text for text in shown) >= 6
