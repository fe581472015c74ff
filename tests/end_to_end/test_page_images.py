"""Pictures that a call brings back, on its card."""

import random
import struct
import zlib
from base64 import b64encode
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.end_to_end.pages import SLOW, card, ended, open_card, send, switch_on
from tests.end_to_end.programs import Program
from tests.end_to_end.servers import Server
from tests.end_to_end.sockets import function

pytestmark = pytest.mark.usefixtures("watch")

Visit = Callable[..., Page]
Start = Callable[..., Program]


@pytest.fixture
def camera(program: Start, shared_server: Server) -> Program:
    camera = program(shared_server)
    camera.serve("camera", function("shoot", {}))
    return camera


@pytest.fixture
def page(visit: Visit, shared_server: Server, camera: Program) -> Page:
    page = visit(shared_server)
    switch_on(page, "camera")
    return page


def png(width: int, height: int) -> str:
    """A picture of noise, which can't be made smaller, in Base64."""
    noise = random.Random(width)  # noqa: S311
    rows = b"".join(b"\0" + noise.randbytes(3 * width) for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    made = b"\x89PNG\r\n\x1a\n"
    for kind, data in chunks:
        made += struct.pack(">I", len(data)) + kind + data
        made += struct.pack(">I", zlib.crc32(kind + data))
    return b64encode(made).decode()


def shoot(page: Page, camera: Program, result: object) -> None:
    send(page, "shoot {}")
    camera.answer(camera.next_call(), result)
    expect(card(page)).to_have_attribute("data-status", "done", timeout=SLOW)
    ended(page)


def pictures(page: Page) -> Locator:
    return card(page).get_by_role("img")


def is_drawn(picture: Locator, width: int) -> None:
    """The browser made a picture of that width out of it."""
    expect(picture).to_have_js_property("complete", True)
    expect(picture).to_have_js_property("naturalWidth", width)


def test_a_picture_is_shown_on_the_card_and_still_is_after_a_reload(
    page: Page, camera: Program
) -> None:
    shoot(page, camera, f"data:image/png;base64,{png(24, 16)}")
    is_drawn(pictures(page), 24)
    page.reload()
    is_drawn(pictures(page), 24)


def test_pictures_among_other_content_are_all_shown(page: Page, camera: Program) -> None:
    blocks = [
        {"type": "text", "text": "Two of them."},
        {"type": "image", "mimeType": "image/png", "data": png(20, 10)},
        {"type": "image", "mimeType": "image/png", "data": png(30, 10)},
    ]
    shoot(page, camera, {"content": blocks})
    expect(pictures(page)).to_have_count(2)
    is_drawn(pictures(page).first, 20)
    is_drawn(pictures(page).last, 30)
    result = open_card(page).get_by_role("region", name="Result")
    expect(result).to_contain_text("Two of them.")
    expect(result).to_contain_text("characters)")


def test_a_large_picture_is_read_when_it_is_asked_for(page: Page, camera: Program) -> None:
    shoot(page, camera, {"type": "image", "mimeType": "image/png", "data": png(300, 400)})
    expect(pictures(page)).to_have_count(0)
    card(page).get_by_role("button", name="Show the picture").click()
    is_drawn(pictures(page), 300)
    low = pictures(page).bounding_box()
    assert low is not None
    pictures(page).click()
    expect(card(page).get_by_role("button", name="Picture 1 from shoot")).to_have_attribute(
        "aria-expanded", "true"
    )
    high = pictures(page).bounding_box()
    assert high is not None
    assert high["height"] > low["height"]


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(
            "data:image/svg+xml;base64,PHN2Zy8+", id="a drawing that could carry a script"
        ),
        pytest.param("https://pictures.example/cat.png", id="an address elsewhere"),
    ],
)
def test_other_addresses_are_shown_as_text_only(page: Page, camera: Program, result: str) -> None:
    shoot(page, camera, result)
    expect(open_card(page).get_by_role("region", name="Result")).to_contain_text(result)
    expect(pictures(page)).to_have_count(0)


def test_bytes_that_are_no_picture_are_said_to_be_none(page: Page, camera: Program) -> None:
    shoot(page, camera, "data:image/png;base64,AAAA")
    expect(card(page)).to_contain_text("its bytes are no picture")
