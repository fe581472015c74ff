"""What OpenAI's API refuses in a request for a chat completion, as far as we could run into it.

From the published reference (platform.openai.com/docs/api-reference/chat/create) and its error
messages, and stricter where another server is: no content is null, since llama-cpp-python answers
500 to that, and arguments hold a JSON object, since chat templates read them.
"""

import base64
import binascii
import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import jsonschema_rs

NAME = re.compile("[a-zA-Z0-9_-]{1,64}")
IMAGE = re.compile("data:(image/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/=]+)")
IMAGE_STARTS = {
    "image/gif": b"GIF8",
    "image/jpeg": b"\xff\xd8\xff",
    "image/png": b"\x89PNG",
    "image/webp": b"RIFF",
}
MAX_TOOLS = 128
MAX_DESCRIPTION = 1024  # characters
MAX_ID = 40  # characters
KEYS = {"model", "messages", "tools", "stream", "stream_options", "temperature", "tool_choice"}
MESSAGE_KEYS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}
MAPS_OF_SCHEMAS = {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
LISTS_OF_SCHEMAS = {"allOf", "anyOf", "oneOf", "prefixItems"}
SCHEMAS = {"additionalProperties", "contains", "else", "if", "not", "propertyNames", "then"}
PARTS = {"text": {"type", "text"}, "image_url": {"type", "image_url"}}
NOT_AT_THE_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")


def faults(body: Mapping[str, Any], extra_keys: Collection[str] = ()) -> list[str]:
    """What is wrong with a request's body; ``extra_keys`` are let pass in assistant messages."""
    return [
        *(f"Unrecognized request argument supplied: {key}" for key in body.keys() - KEYS),
        *_model_faults(body),
        *_tools_faults(body),
        *_messages_faults(body.get("messages"), extra_keys),
    ]


def _model_faults(body: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "you must provide a model parameter"
    if body.get("stream_options") is not None and body.get("stream") is not True:
        yield "stream_options is only allowed when stream is enabled"


def _tools_faults(body: Mapping[str, Any]) -> Iterator[str]:
    if "tools" not in body:
        return
    tools = body["tools"]
    if not isinstance(tools, list) or not tools:
        yield "Invalid 'tools': expected a non-empty array"
        return
    if len(tools) > MAX_TOOLS:
        yield f"Invalid 'tools': array too long, with {len(tools)} entries"
    names = []
    for index, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or tool.get("type") != "function":
            yield f"Invalid 'tools[{index}]': expected a function"
            continue
        names.append(function.get("name"))
        yield from (f"tools[{index}].function: {fault}" for fault in _function_faults(function))
    if len(set(names)) < len(names):
        yield "Invalid 'tools': names must be unique"


def _function_faults(function: Mapping[str, Any]) -> Iterator[str]:
    if not _is_name(function.get("name")):
        yield f"name {function.get('name')!r} does not match '^[a-zA-Z0-9_-]{{1,64}}$'"
    description = function.get("description", "")
    if not isinstance(description, str) or len(description) > MAX_DESCRIPTION:
        yield "description is no string of at most 1024 characters"
    schema = function.get("parameters", {"type": "object", "properties": {}})
    if not isinstance(schema, dict) or schema.get("type") != "object":
        yield "schema must be a JSON Schema of 'type: \"object\"'"
        return
    if not isinstance(schema.get("properties"), dict):
        yield "object schema missing properties"
    if any(key in schema for key in NOT_AT_THE_TOP):
        yield f"schema must not have {NOT_AT_THE_TOP} at the top level"
    try:
        jsonschema_rs.validator_for(schema, retriever=_no_retrieval)
    except (ValueError, jsonschema_rs.ValidationError) as error:
        yield f"schema is not valid under any of the given schemas: {error}"
    yield from _subschema_faults(schema)


def _subschema_faults(schema: object) -> Iterator[str]:
    """What is refused at any depth: plain values are passed over, names of properties are not."""
    if not isinstance(schema, dict):
        yield f"{schema!r} is not of type 'object'"
        return
    kinds = schema.get("type")
    if "array" in (kinds if isinstance(kinds, list) else [kinds]) and "items" not in schema:
        yield "array schema missing items"
    for key, value in schema.items():
        if key in MAPS_OF_SCHEMAS:
            inside = value.values() if isinstance(value, dict) else [value]
        elif key in LISTS_OF_SCHEMAS:
            inside = value if isinstance(value, list) else [value]
        elif key == "items" or (key in SCHEMAS and not isinstance(value, bool)):
            inside = [value]
        else:
            continue
        for one in inside:
            yield from _subschema_faults(one)


def _no_retrieval(uri: str, /) -> bool:
    raise ValueError(f"{uri} is not inside the schema")


def _messages_faults(messages: object, extra_keys: Collection[str]) -> Iterator[str]:
    if not isinstance(messages, list) or not messages:
        yield "Invalid 'messages': expected a non-empty array"
        return
    awaited: list[str] = []
    seen: set[str] = set()
    for index, message in enumerate(messages):
        where = f"messages[{index}]"
        if not isinstance(message, dict) or message.get("role") not in MESSAGE_KEYS:
            yield f"Invalid '{where}': not a message with a known role"
            continue
        yield from (f"{where}: {fault}" for fault in _message_faults(message, extra_keys))
        if message["role"] == "tool":
            expected = awaited.pop(0) if awaited else None
            if message.get("tool_call_id") != expected:
                yield f"{where}: it should answer the call {expected!r}"
            continue
        if awaited:
            yield f"{where}: no tool message answers the calls {awaited} before it"
        awaited = [call["id"] for call in message.get("tool_calls", [])]
        if seen.intersection(awaited) or len(set(awaited)) < len(awaited):
            yield f"{where}: a tool call's id stands twice"
        seen.update(awaited)
    if awaited:
        yield f"no tool message answers the calls {awaited} at the end"


def _message_faults(message: Mapping[str, Any], extra_keys: Collection[str]) -> Iterator[str]:
    role = message["role"]
    allowed = MESSAGE_KEYS[role] | (set(extra_keys) if role == "assistant" else set())
    for key in message.keys() - allowed:
        yield f"Additional properties are not allowed ({key!r} was unexpected)"
    if role == "user" and isinstance(message.get("content"), list):
        yield from _part_faults(message["content"])
    elif not isinstance(message.get("content"), str):
        yield f"Invalid value for 'content': expected a string, got {message.get('content')!r}"
    if "tool_calls" in message:
        calls = message["tool_calls"]
        if not isinstance(calls, list) or not calls:
            yield "Invalid 'tool_calls': expected a non-empty array"
        else:
            yield from (fault for call in calls for fault in _call_faults(call))
    elif role == "assistant" and not message.get("content"):
        yield "an assistant message must have content or tool calls"


def _part_faults(parts: list[Any]) -> Iterator[str]:
    if not parts:
        yield "Invalid 'content': expected a non-empty array"
    for part in parts:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in PARTS or part.keys() != PARTS[kind]:
            yield f"Invalid content part {str(part)[:80]}"
        elif kind == "text" and not (isinstance(part["text"], str) and part["text"]):
            yield "a text part must have text"
        elif kind == "image_url" and not _is_image(part["image_url"]):
            yield "You uploaded an unsupported image. Please make sure your image is valid."


def _is_image(image: object) -> bool:
    url = image.get("url") if isinstance(image, dict) else None
    match = IMAGE.fullmatch(url) if isinstance(url, str) else None
    if match is None:
        return False
    try:
        return base64.b64decode(match[2], validate=True).startswith(IMAGE_STARTS[match[1]])
    except binascii.Error:
        return False


def _call_faults(call: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(call.get("id"), str) or not 0 < len(call["id"]) <= MAX_ID:
        yield f"Invalid tool call id {call.get('id')!r}"
    function = call.get("function", {})
    if call.get("type") != "function" or not _is_name(function.get("name")):
        yield f"Invalid tool call {call!r}"
    try:
        arguments = json.loads(function.get("arguments"), parse_constant=_no_constant)
    except (TypeError, ValueError):
        arguments = None
    if not isinstance(arguments, dict):
        yield f"arguments hold no JSON object: {function.get('arguments')!r}"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
