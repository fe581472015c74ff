"""A model server for tests: a real OpenAI-compatible endpoint on loopback, scripted and strict.

It runs in a thread of its own, so that tests of any kind can use it, in this process or from
others. It answers each request with the next answer of its script, chunk by chunk, and records
the request. What OpenAI's API would refuse gets a 400 and is noted in ``complaints``.

    with FakeModel() as model:
        model.script(calls("bench__echo", {"n": 1}), says("Done."))
"""

import asyncio
import itertools
import json
import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from tests.support import openai_rules

PATIENCE = 10.0  # seconds that a test waits for what must happen


@dataclass(frozen=True, slots=True)
class Pause:
    """Send nothing for a while."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Hold:
    """Send nothing until ``release`` is called, or the client leaves."""


@dataclass(frozen=True, slots=True)
class BreakOff:
    """Drop the connection in the middle of the answer."""


Step = bytes | Pause | Hold | BreakOff


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request gets: a status and the steps in which the body is sent."""

    steps: Sequence[Step]
    status: int = 200
    content_type: str = "text/event-stream"
    headers: str = "x-should-retry: false\r\n"
    """More of the head; with the default a refused client does not try again."""
    before: Sequence[Step] = ()
    """What happens before the head is sent."""


@dataclass(slots=True)
class Request:
    """One request as it came."""

    body: dict[str, Any]
    headers: Mapping[str, str]
    left: threading.Event = field(default_factory=threading.Event)
    """Set when the client has closed the connection before the answer's end."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation that the model is sent."""
        found: list[dict[str, Any]] = self.body["messages"]
        return found

    @property
    def tool_texts(self) -> list[str]:
        """What the model reads of the outcomes of the last round's calls, in order."""
        texts: list[str] = []
        for message in reversed(self.messages):
            if message["role"] != "tool":
                break
            texts.insert(0, message["content"])
        return texts

    @property
    def offered(self) -> list[str]:
        """The names of the functions that the model may call."""
        return [tool["function"]["name"] for tool in self.body.get("tools", [])]


Script = Answer | Callable[[Request], Answer]


# Chunks


def raw(data: str) -> bytes:
    """An event with this data, whatever it is."""
    return b"data: " + data.encode() + b"\n\n"


def delta(**content: Any) -> bytes:
    """A chunk with this delta."""
    return _chunk(content, None)


def finish(reason: str) -> bytes:
    """A chunk that only ends the answer."""
    return _chunk({}, reason)


DONE = raw("[DONE]")


def _chunk(content: Mapping[str, Any], reason: str | None) -> bytes:
    choice = {"index": 0, "delta": content, "finish_reason": reason}
    return raw(json.dumps({"object": "chat.completion.chunk", "choices": [choice]}))


# Answers

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call as a model asks for it."""

    name: str
    arguments: str
    id: str


def call(name: str, args: object = None, id: str | None = None) -> Wanted:
    """A call to go into :func:`says`; ``args`` is an object, or text to be sent as it is."""
    arguments = args if isinstance(args, str) else json.dumps(args or {})
    return Wanted(name, arguments, f"call_{next(_numbers)}" if id is None else id)


def says(text: str, *wanted: Wanted, every: float = 0.0, reason: str | None = None) -> Answer:
    """An answer in words, with calls after them; ``every`` is the seconds before each word."""
    steps: list[Step] = [delta(role="assistant", content="")]
    for word in re.findall(r"\S+\s*|\s+", text):
        if every:
            steps.append(Pause(every))
        steps.append(delta(content=word))
    for index, one in enumerate(wanted):
        opening = {"name": one.name, "arguments": ""}
        entry = {"index": index, "id": one.id, "type": "function", "function": opening}
        steps.append(delta(tool_calls=[entry]))
        steps.append(delta(tool_calls=[{"index": index, "function": {"arguments": one.arguments}}]))
    steps.append(finish(reason or ("tool_calls" if wanted else "stop")))
    return streams(*steps)


def calls(name: str, args: object = None) -> Answer:
    """An answer that is one call."""
    return says("", call(name, args))


def streams(*steps: Step, done: bool = True) -> Answer:
    """These chunks as they are, and the mark of the end unless ``done`` is False."""
    return Answer([*steps, DONE] if done else steps)


def refuses(status: int, message: str = "No.", code: str | None = None) -> Answer:
    """An error as OpenAI's API words it."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return Answer([json.dumps({"error": error}).encode()], status, "application/json")


def refuses_for_now(status: int, headers: str = "") -> Answer:
    """An error that leaves it to the client whether it tries again."""
    return replace(refuses(status), headers=headers)


def drops() -> Answer:
    """No answer: the connection is dropped."""
    return Answer([], before=[BreakOff()])


def says_nothing() -> Answer:
    """No answer, and no end of the wait for one."""
    return Answer([], before=[Hold()])


def page(text: str) -> Answer:
    """A web page instead of an API's answer."""
    return Answer([text.encode()], 200, "text/html; charset=utf-8")


TOO_LONG = "This model's maximum context length is {} tokens. However, you sent {} tokens."

# The server


class FakeModel:
    """The server; used as a context manager, or started and stopped.

    Args:
        models: The names of its models, and what its list tells of each besides.
        key: The key that it insists on, if any.
        extra_keys: Keys that it takes in assistant messages besides OpenAI's own.
        window: Tokens above which it refuses a request; one is counted for every four bytes.

    Attributes:
        requests: Those for a chat completion, in the order in which they came.
        complaints: What was wrong with them; a test ends with none.
        connections: How many were opened.
        listings: How often it was asked for its models.
    """

    def __init__(
        self,
        models: Collection[str] | Mapping[str, Mapping[str, object]] = ("fake-1",),
        key: str | None = None,
        extra_keys: Collection[str] = (),
        window: int | None = None,
    ) -> None:
        self.requests: list[Request] = []
        self.complaints: list[str] = []
        self.connections = 0
        self.listings = 0
        self.port = 0
        self._models = models
        self._key = key
        self._extra_keys = extra_keys
        self._window = window
        self._script: list[Script] = []
        self._always: Script | None = None
        self._came = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._gate = _Gate()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._listening = threading.Event()

    @property
    def url(self) -> str:
        """The value for OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def script(self, *answers: Script) -> None:
        """Answer the next requests with these, one each."""
        self._script.extend(answers)

    def always(self, answer: Script) -> None:
        """Answer every request for which the script has nothing with this."""
        self._always = answer

    def release(self) -> None:
        """Let all answers that are held now go on."""
        self._loop.call_soon_threadsafe(self._gate.open)

    def wait_for_request(self, number: int = 1) -> Request:
        """The request of that number, once it has come; blocks the thread."""
        with self._came:
            assert self._came.wait_for(lambda: len(self.requests) >= number, PATIENCE)
        return self.requests[number - 1]

    def start(self) -> None:
        """Listen on a free port of loopback."""
        self._thread.start()
        assert self._listening.wait(PATIENCE)

    def stop(self) -> None:
        """Drop all connections and end."""
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(PATIENCE)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._listen())

    async def _listen(self) -> None:
        self._stopping = asyncio.Event()
        server = await self._loop.create_server(
            lambda: asyncio.StreamReaderProtocol(_Reader(), self._connection), "127.0.0.1", 0
        )
        self.port = server.sockets[0].getsockname()[1]
        self._listening.set()
        await self._stopping.wait()
        server.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert isinstance(reader, _Reader)
        self.connections += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _exchange(self, reader: "_Reader", writer: asyncio.StreamWriter) -> bool:
        """Serve one request; returns whether the connection can have another."""
        method, path, headers = await _head(reader)
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        if self._key is not None and headers.get("authorization") != f"Bearer {self._key}":
            answer = refuses(401, f"Incorrect API key: {headers}", "invalid_api_key")
        elif (method, path) == ("GET", "/v1/models"):
            self.listings += 1
            answer = Answer([json.dumps(self._listed()).encode()], content_type="application/json")
        elif (method, path) == ("POST", "/v1/chat/completions"):
            request = Request(_strict_json(body), headers)
            return await self._send_watched(reader, writer, request, self._answer(request))
        else:
            answer = refuses(404, "Not Found")
        return await _send(writer, answer, self._gate)

    def _listed(self) -> dict[str, Any]:
        models = self._models
        told = models if isinstance(models, Mapping) else {name: {} for name in models}
        data = [{"id": name, **more} for name, more in told.items()]
        return {"object": "list", "data": data}

    def _answer(self, request: Request) -> Answer:
        with self._came:
            self.requests.append(request)
            self._came.notify_all()
        if found := openai_rules.faults(request.body, self._extra_keys):
            self.complaints += found
            return refuses(400, found[0])
        if request.body["model"] not in self._models:
            return refuses(404, "The model does not exist", "model_not_found")
        tokens = len(json.dumps(request.body, ensure_ascii=False).encode()) // 4
        if self._window is not None and tokens > self._window:
            return refuses(400, TOO_LONG.format(self._window, tokens), "context_length_exceeded")
        answer = self._script.pop(0) if self._script else self._always
        if answer is None:
            self.complaints.append("A request came for which nothing is scripted.")
            return refuses(400, self.complaints[-1])
        return answer if isinstance(answer, Answer) else answer(request)

    async def _send_watched(
        self,
        reader: "_Reader",
        writer: asyncio.StreamWriter,
        request: Request,
        answer: Answer,
    ) -> bool:
        """Send the answer, but stop as soon as the client is gone."""
        sending = asyncio.create_task(_send(writer, answer, self._gate))
        leaving = asyncio.create_task(reader.ended.wait())
        try:
            await asyncio.wait([sending, leaving], return_when=asyncio.FIRST_COMPLETED)
            if not sending.done() or sending.exception() is not None:
                request.left.set()
                return False
            return sending.result()
        finally:
            sending.cancel()
            leaving.cancel()


class _Gate:
    """Where held answers wait; it shuts again behind those that it lets through."""

    def __init__(self) -> None:
        self._opened = asyncio.Event()

    async def passed(self) -> None:
        await self._opened.wait()

    def open(self) -> None:
        self._opened.set()
        self._opened = asyncio.Event()


class _Reader(asyncio.StreamReader):
    """What comes over a connection; ``ended`` is set when the client closes it."""

    def __init__(self) -> None:
        super().__init__(loop=asyncio.get_running_loop())
        self.ended = asyncio.Event()

    def feed_eof(self) -> None:
        super().feed_eof()
        self.ended.set()

    def set_exception(self, exc: Exception) -> None:
        super().set_exception(exc)
        self.ended.set()


async def _head(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str]]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ")
    pairs = (line.split(":", 1) for line in lines)
    return method, path, {name.lower(): value.strip() for name, value in pairs}


async def _send(writer: asyncio.StreamWriter, answer: Answer, gate: "_Gate") -> bool:
    """Send the answer; returns whether it came to its end."""
    head = (
        f"HTTP/1.1 {answer.status} Scripted\r\nContent-Type: {answer.content_type}\r\n"
        f"Transfer-Encoding: chunked\r\n{answer.headers}\r\n"
    )
    sent = [_framed(step) for step in answer.steps]
    for step in [*answer.before, head.encode(), *sent]:
        match step:
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case Hold():
                await gate.passed()
            case BreakOff():
                return False
            case bytes():
                writer.write(step)
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


def _framed(step: Step) -> Step:
    return b"%x\r\n%s\r\n" % (len(step), step) if isinstance(step, bytes) else step


def _strict_json(body: bytes) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(body.decode(), parse_constant=_refuse)
    return value


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
