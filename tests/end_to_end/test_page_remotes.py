"""The panel of remotes: who is there, who left, and which the shown chat may use."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.end_to_end.pages import (
    SLOW,
    ended,
    remote,
    send,
    switch,
    switch_on,
    thread_of,
)
from tests.end_to_end.programs import Program
from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import function

pytestmark = pytest.mark.usefixtures("watch")

Visit = Callable[..., Page]
Start = Callable[..., Program]
ECHO = function("echo")


def test_a_remote_lights_up_when_its_program_connects_and_goes_grey_when_it_leaves(
    visit: Visit, program: Start, shared_server: Server
) -> None:
    page = visit(shared_server)
    expect(remote(page, "attic")).to_have_count(0)
    attic = program(shared_server)
    attic.serve("attic", ECHO, client={"program": "attic.py", "host": "old-pc"})
    expect(remote(page, "attic")).to_have_attribute("data-here", "true")
    expect(remote(page, "attic")).to_contain_text("attic.py on old-pc")
    expect(
        page.get_by_role("log").get_by_text("attic is connected, with 1 function.")
    ).to_have_count(1)
    attic.leave()
    expect(remote(page, "attic")).to_have_attribute("data-here", "false")
    expect(remote(page, "attic")).to_contain_text("away")
    expect(page.get_by_role("log").get_by_text("attic went away.")).to_have_count(1)


def test_a_remote_that_comes_back_lights_up_in_place(
    visit: Visit, program: Start, shared_server: Server
) -> None:
    page = visit(shared_server)
    first = program(shared_server)
    first.serve("yo-yo", ECHO)
    expect(remote(page, "yo-yo")).to_have_attribute("data-here", "true")
    first.leave()
    expect(remote(page, "yo-yo")).to_have_attribute("data-here", "false")
    program(shared_server).serve("yo-yo", ECHO, function("sing"))
    expect(remote(page, "yo-yo")).to_have_attribute("data-here", "true")
    expect(remote(page, "yo-yo")).to_have_count(1)
    expect(remote(page, "yo-yo")).to_contain_text("echo, sing")


def test_the_panel_tells_what_each_function_is_for_and_which_ask_first(
    visit: Visit, program: Start, shared_server: Server
) -> None:
    page = visit(shared_server)
    program(shared_server).serve("shed", ECHO, function("wipe", confirm=True))
    row = remote(page, "shed")
    row.locator("summary").click()
    expect(row.get_by_text("echo for tests")).to_be_visible()
    expect(row.get_by_role("listitem").filter(has_text="wipe")).to_contain_text("asks")
    expect(row.get_by_role("listitem").filter(has_text="echo")).not_to_contain_text("asks")


def test_a_remote_is_disconnected_from_the_panel_and_its_program_is_told(
    visit: Visit, program: Start, shared_server: Server
) -> None:
    page = visit(shared_server)
    guest = program(shared_server)
    guest.serve("guest", ECHO)
    remote(page, "guest").locator("summary").click()
    page.get_by_role("button", name="Disconnect guest").click()
    expect(remote(page, "guest")).to_have_attribute("data-here", "false")
    assert guest.event("remote-disconnected")["reason"] == "disconnected"


def test_what_is_switched_on_for_a_new_chat_is_on_in_the_thread_it_becomes(
    visit: Visit, program: Start, shared_server: Server
) -> None:
    page = visit(shared_server)
    program(shared_server).serve("lamp-1", ECHO)
    expect(switch(page, "lamp-1")).not_to_be_checked()
    switch_on(page, "lamp-1")
    page.reload()
    expect(switch(page, "lamp-1")).to_be_checked(timeout=SLOW)
    send(page, "Hello")
    thread_of(page)
    ended(page)
    page.reload()
    expect(switch(page, "lamp-1")).to_be_checked(timeout=SLOW)


def test_switching_in_an_existing_chat_lasts_and_concerns_no_other_chat(
    visit: Visit, program: Start, shared_server: Server
) -> None:
    page = visit(shared_server)
    program(shared_server).serve("lamp-2", ECHO)
    send(page, "Hello")
    thread_of(page)
    switch_on(page, "lamp-2")
    ended(page)
    page.reload()
    expect(switch(page, "lamp-2")).to_be_checked(timeout=SLOW)
    page.get_by_role("link", name="Remotes").click()
    expect(switch(page, "lamp-2")).not_to_be_checked()
    page.go_back()
    expect(switch(page, "lamp-2")).to_be_checked()
    switch(page, "lamp-2").uncheck()
    page.reload()
    expect(switch(page, "lamp-2")).not_to_be_checked(timeout=SLOW)


def test_a_second_tab_follows_the_switch(
    visit: Visit, program: Start, shared_server: Server
) -> None:
    page = visit(shared_server)
    program(shared_server).serve("lamp-3", ECHO)
    send(page, "Hello")
    second = visit(shared_server, f"/t/{thread_of(page)}")
    expect(switch(second, "lamp-3")).not_to_be_checked()
    switch_on(page, "lamp-3")
    expect(switch(second, "lamp-3")).to_be_checked()


def test_a_remote_that_is_switched_on_stays_in_view_while_it_is_away(
    visit: Visit, program: Start, shared_server: Server
) -> None:
    page = visit(shared_server)
    lamp = program(shared_server)
    lamp.serve("lamp-4", ECHO)
    switch_on(page, "lamp-4")
    lamp.leave()
    expect(remote(page, "lamp-4")).to_contain_text("it counts again once it is back")
    page.reload()
    expect(remote(page, "lamp-4")).to_have_attribute("data-here", "false", timeout=SLOW)
    expect(switch(page, "lamp-4")).to_be_checked()


def test_a_second_program_that_takes_a_name_is_told_of_on_the_page(
    visit: Visit, program: Start, shared_server: Server
) -> None:
    page = visit(shared_server)
    first, second = program(shared_server), program(shared_server)
    first.serve("desk", ECHO, client={"program": "desk.py", "host": "old-pc"})
    expect(remote(page, "desk")).to_contain_text("old-pc")
    second.serve("desk", ECHO, client={"program": "desk.py", "host": "new-pc"})
    told = remote(page, "desk").get_by_role("status")
    expect(told).to_contain_text(
        re.compile("desk.py on new-pc took over the name desk from desk.py on old-pc")
    )
    assert first.event("remote-disconnected")["reason"] == "replaced"
    told.get_by_role("button", name="All right").click()
    expect(told).to_have_count(0)
    expect(remote(page, "desk")).to_have_attribute("data-here", "true")


def test_another_users_remote_is_nowhere_on_the_page(
    visit: Visit, program: Start, shared_server: Server
) -> None:
    page = visit(shared_server)
    program(shared_server, user="ben").serve("bens-own", ECHO)
    program(shared_server).serve("anas-own", ECHO)
    expect(remote(page, "anas-own")).to_have_attribute("data-here", "true")
    expect(page.get_by_text("bens-own")).to_have_count(0)
