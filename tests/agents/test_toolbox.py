"""Which functions a model is offered, and who hears of it when there are too many or a bad one."""

import pytest

from gateway.limits import limits
from tests.agents.bench import Bench, echo, run, run_input, user
from tests.support.fake_model import FakeModel, calls, refuses, says


def connected(**counts: int) -> Bench:
    """Remotes with so many functions each."""
    bench = Bench()
    for remotename, count in counts.items():
        for number in range(count):
            bench.add(f"f{number}", echo, remotename=remotename)
    return bench


async def test_a_model_is_offered_no_more_than_it_takes(fake_model: FakeModel) -> None:
    """G18."""
    bench = connected(big=150, bench=3)
    given = run_input(user("go"), remotes=["big", "bench"])
    fake_model.always(says("Fine."))
    ran = await run(bench, given)
    offered = fake_model.requests[0].offered
    assert len(offered) == limits.tools
    assert offered[-3:] == ["bench__f0", "bench__f1", "bench__f2"]
    assert offered[:125] == [f"big__f{number}" for number in range(125)]
    await run(bench, given)
    assert fake_model.requests[1].offered == offered
    assert ran.finished.status == "done"
    assert "left out were 25 of big" in ran.error
    assert "Switch off remotes" in ran.error
    assert '{"big": 25}' in fake_model.requests[0].messages[0]["content"]


async def test_remotes_have_equal_shares(fake_model: FakeModel) -> None:
    bench = connected(a=100, b=100, c=10)
    fake_model.script(says("Fine."))
    ran = await run(bench, run_input(user("go"), remotes=["a", "b", "c"]))
    offered = fake_model.requests[0].offered
    counts = [sum(name.startswith(f"{remote}__") for name in offered) for remote in "abc"]
    assert counts == [59, 59, 10]
    assert offered == sorted(offered, key=lambda name: "abc".index(name[0]))
    assert "41 of a, 41 of b" in ran.error


async def test_a_function_that_was_left_out_is_not_called(fake_model: FakeModel) -> None:
    bench = connected(big=129)
    fake_model.script(calls("big__f128"), says("Sorry."))
    await run(bench, run_input(user("go"), remotes=["big"]))
    assert bench.sent == []
    assert "no function 'big__f128'" in fake_model.requests[1].tool_texts[0]


async def test_nothing_is_said_where_all_are_offered(fake_model: FakeModel) -> None:
    fake_model.script(says("Fine."))
    ran = await run(connected(big=limits.tools), run_input(user("go"), remotes=["big"]))
    assert ran.finished.error is None
    assert "too many" not in fake_model.requests[0].messages[0]["content"]


@pytest.mark.parametrize(
    "words",
    [
        "Invalid schema for function 'lab__s_k_imowgrdkdi': 'any' is not valid.",
        "Invalid 'tools[1].function.parameters': object schema missing properties.",
        "Input should be a valid dictionary: body.tools.1.function.parameters",
    ],
)
async def test_a_function_that_the_endpoint_refuses_is_named_as_people_know_it(
    fake_model: FakeModel, words: str
) -> None:
    """G17."""
    bench = Bench()
    bench.add("ping", echo, remotename="lab")
    bench.add("s k", echo, remotename="lab")
    words = words.replace("lab__s_k_imowgrdkdi", bench.tools[1].name)
    fake_model.script(refuses(400, words, "invalid_function_parameters"))
    ran = await run(bench, run_input(user("go"), remotes=["lab"]))
    assert ran.finished.status == "failed"
    assert words in ran.error
    assert "the function 's k' of the remote 'lab'" in ran.error
    assert "'ping'" not in ran.error


async def test_a_refusal_for_another_reason_blames_no_function(fake_model: FakeModel) -> None:
    fake_model.script(refuses(400, "Unsupported value: temperature"))
    ran = await run(connected(lab=2), run_input(user("go"), remotes=["lab"]))
    assert "of the remote" not in ran.error
