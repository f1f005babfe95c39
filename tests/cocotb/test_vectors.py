"""The vector engine: random steps among products and copies, its clocks, and what resets keep."""

import os
import random

import cocotb
from cocotb.triggers import ClockCycles

from bench import COUNTS, Bench
from driver import COMMANDS, COMPUTE, LOAD, STORE, VECTOR, command
from programs import Area, Case
from vector_steps import CONSTANTS, Steps, with_tokens
from vector_unit import EXCHANGES, REGISTERS, SLOTS, SOURCES, Unit, instruction

FIRST, PROGRAMS = int(os.environ.get("SEED", "1")), int(os.environ.get("PROGRAMS", "8"))
INPUTS, OUTPUTS = (0x4000, 0x80000), (0x80000, 0x100000)
WINDOWS = [(*INPUTS, True, False), (*OUTPUTS, True, True)]
RING = 0x1000


async def ready(dut, seed=None):
    device = Bench(dut, OUTPUTS[1])
    device.pause(seed)
    await device.power_on()
    await device.prepare(WINDOWS, RING)
    return device


def steps_of(draw, device, unit):
    base, end = OUTPUTS
    device.memory[base:end] = draw.randbytes(end - base)
    return Steps(draw, device, unit, Area(device.memory, *INPUTS, draw),
                 Area(device.memory, *OUTPUTS, draw))


def check(steps, seed):
    base, end = OUTPUTS
    if steps.memory[base:end] != steps.expected[base:end]:
        at = next(i for i in range(base, end) if steps.memory[i] != steps.expected[i])
        raise AssertionError(f"seed {seed}: {steps.memory[at:at + 16].hex()} at {at:#x}, expected "
                             f"{steps.expected[at:at + 16].hex()}")
    COUNTS.update(steps.counts)


def add_copy(steps, number):
    """Words that a step wrote, through load, the accumulators and store; the next step waits.

    The step before signals load. Returns the engines that the step after takes tokens from.
    """
    draw, n = steps.draw, steps.n
    written = [one for one in steps.written if one[1] >= 4] or [(steps.put(bytes(4)), 4)]
    base, extent = draw.choice(written)
    cols = min(draw.randint(1, n), extent // 4)
    rows = draw.randint(1, min(8, extent // (4 * cols)))
    at, bank_row = steps.outputs.take(4 * cols * rows), steps.bank_rows + draw.randrange(8)
    steps.words += [
        command("load_shape", rows=rows, cols=cols, tile_stride=rows, row_stride=4 * cols),
        command("load", VECTOR | (STORE if number else 0), STORE | VECTOR, address=base,
                buffer="accumulators", type="word32", row=bank_row),
        command("store_shape", rows=rows, cols=cols, row_stride=4 * cols),
        command("store", LOAD, LOAD | VECTOR, address=at, sum_row=bank_row, format="word32")]
    steps.expected[at:at + 4 * cols * rows] = steps.expected[base:base + 4 * cols * rows]
    steps.written.append((at, 4 * cols * rows))
    return LOAD | STORE


def add_product(steps, device):
    """A product that waits for the step before, and whose result the step after may read."""
    case = Case(steps.draw, steps.n, steps.inputs, steps.outputs, [0, 0, 0], steps.bank_rows, 0)
    case.build(False, False)
    opcode = {name: COMMANDS[name]["opcode"] for name in ("matmul", "store")}
    for word in case.words:
        if word[0] == opcode["matmul"]:
            word = with_tokens(word, VECTOR, VECTOR)
        elif word[0] == opcode["store"]:
            word = with_tokens(word, 0, VECTOR)
        steps.words.append(word)
    steps.expected[case.at:case.at + len(case.expected)] = case.expected
    steps.written.append((case.at, len(case.expected)))
    return COMPUTE | STORE


@cocotb.test()
async def random_steps_leave_what_the_page_says(dut):
    device = await ready(dut, FIRST)
    unit = Unit(device.n)
    for seed in range(FIRST, FIRST + PROGRAMS):
        draw = random.Random(seed)
        cocotb.log.info("seed %d", seed)
        device.pause(draw.choice([None, seed]))
        await device.prepare(WINDOWS, ring=draw.randrange(0x100, 0x2000) // 16 * 16,
                             ring_log2=draw.randint(0, 7))
        await device.enable_interrupts(draw.random() < 0.7)
        steps = steps_of(draw, device, unit)
        steps.bank_rows = device.bank_rows
        if seed == FIRST:
            steps.set_registers()
        markers, wait, copies, has_product = [], 0, 0, False
        for i in range(draw.randint(1, 4)):
            follows = draw.choice(["copy", "product", None, None])
            if follows == "product" and has_product:
                follows = None
            steps.add(wait, {"copy": LOAD, "product": COMPUTE}.get(follows, 0))
            wait = 0
            if follows == "copy":
                wait = add_copy(steps, copies)
                copies += 1
            elif follows == "product":
                wait, has_product = add_product(steps, device), True
            if draw.random() < 0.4:
                waits = draw.randrange(2)
                steps.words.append(command("fence", interrupt=waits, wait_for_host=waits,
                                           marker=i + 1))
                markers += [i + 1] * waits
        seen = []
        await device.run(steps.words, draw.choice([1, 3, 1 << 16]), seen.append)
        check(steps, seed)
        assert seen == markers, f"seed {seed}: fences {seen}, expected {markers}"
        assert await device.read("ring_head") == len(steps.words)
        COUNTS["vector_programs"] += 1


async def busy(device, steps, program, runs, words):
    """What vector_busy counts of so many runs of a program that has no streams."""
    await device.prepare(WINDOWS, RING)
    steps.words = []
    steps.bring(program, 0)
    run = command("vector_run", last=len(program) - 1, words=words)
    await device.run(steps.words + [run] * runs)
    steps.unit.run(program * runs, words, [[], [], [], []])
    return await device.counter("vector_busy")


@cocotb.test()
async def a_run_takes_the_clocks_that_the_page_says(dut):
    device = await ready(dut)
    steps = steps_of(random.Random(FIRST), device, Unit(device.n))
    plain = instruction("or", a=1, b=2, writes=1, target=3)
    crosses = plain | {"exchange": EXCHANGES["slot"]}
    for program, runs, words, exchanges in [
            ([plain], 1, 1, 0), ([plain] * 5, 1, 8, 0), ([plain] * 5, 1, 9, 0),
            ([crosses], 1, 8, 0),            # nothing is under way
            ([plain, crosses], 1, 8, 1), ([crosses, plain], 1, 16, 1),
            ([crosses, plain, crosses, crosses], 1, 24, 8),
            ([plain] * 9, 3, 24, 0)]:
        groups = -(-words // SLOTS)
        expected = runs * (1 + 8 * groups * len(program)) + 2 * (runs - 1) + 9 * exchanges + 9
        found = await busy(device, steps, program, runs, words)
        assert found == expected, f"{len(program)} instructions, {runs} runs of {words}: {found}"


def dump(steps):
    """Appends commands that write all constants and registers; where they lie then."""
    program = [instruction("or", a=SOURCES["constants"] + i, out=1) for i in range(CONSTANTS)]
    program += [instruction("or", a=i, out=1) for i in range(REGISTERS)]
    steps.bring(program, 0)
    words, n = SLOTS * len(program), steps.n
    at = steps.outputs.take(4 * n * words)
    steps.words += [command("vector_stream", address=at, rows=1, cols=n * words, writes=1,
                            format="word"),
                    command("vector_run", last=len(program) - 1, words=SLOTS)]
    out = steps.unit.run(program, SLOTS, [[], [], [], []])[0]
    steps.expected[at:at + 4 * n * words] = b"".join(
        lane.to_bytes(4, "little") for word in out for lane in word)


@cocotb.test()
async def a_reset_keeps_constants_and_registers_and_takes_programs(dut):
    device, draw = await ready(dut), random.Random(FIRST)
    steps = steps_of(draw, device, Unit(device.n))
    steps.set_registers()
    steps.add()
    await device.run(steps.words)
    for words in [[], [command("vector_run")]]:  # the second has lost its program
        await device.prepare(WINDOWS, RING)
        if words:
            await device.expect_fault(words, "illegal_command", 0)
            await device.prepare(WINDOWS, RING)
        steps.words = []
        dump(steps)
        await device.run(steps.words)
        check(steps, FIRST)


@cocotb.test()
async def a_reset_at_any_time_lets_vectors_start_anew(dut):
    device, draw = await ready(dut, FIRST), random.Random(FIRST + 1)
    unit = Unit(device.n)
    for clocks in [0, 30, 90, 150, 250, 400, 700, 1000] + [draw.randrange(1500) for _ in range(4)]:
        await device.prepare(WINDOWS, RING)
        steps = steps_of(draw, device, unit)
        steps.set_registers()
        for _ in range(2):
            steps.add()
        await device.ring_up(steps.words[:63])
        await ClockCycles(dut.clk_i, clocks)
        await device.prepare(WINDOWS, RING)
        steps = steps_of(draw, device, unit)
        steps.set_registers()
        steps.add()
        await device.run(steps.words)
        check(steps, clocks)


@cocotb.test()
async def words_of_a_stream_stay_for_the_next_run(dut):
    device, draw = await ready(dut, FIRST), random.Random(FIRST)
    steps = steps_of(draw, device, Unit(device.n))
    n, words = device.n, 21
    data = draw.randbytes(4 * n * words)
    source, at = steps.put(data), steps.outputs.take(len(data))
    steps.bring([instruction("or", a=SOURCES["stream"], out=2, **{"in": 3})], 5)
    shape = dict(rows=words, cols=n, row_stride=4 * n, format="word")
    steps.words += [command("vector_stream", address=source, number=3, **shape),
                    command("vector_stream", address=at, number=1, writes=1, **shape)]
    # Three runs share both streams.
    steps.words += [command("vector_run", first=5, last=5, words=count) for count in (1, 11, 9)]
    await device.run(steps.words)
    assert device.memory[at:at + len(data)] == data


@cocotb.test()
async def columns_and_rows_start_anew_at_each_run(dut):
    """And `first_word` moves the element's place alone."""
    device, draw = await ready(dut), random.Random(FIRST)
    steps, words = steps_of(draw, device, Unit(device.n)), 7
    sources = ("column", "row", "element")
    steps.bring([instruction("or", a=SOURCES[name], out=i + 1) for i, name in enumerate(sources)], 0)
    n, runs = device.n, [(0, 3), (5, 2), (1000, 7)]  # the first word, and words a row
    at = [steps.outputs.take(4 * n * words * len(runs)) for _ in sources]
    steps.words += [command("vector_stream", address=at[i], cols=n * words * len(runs), number=i,
                            writes=1, format="word") for i in range(len(sources))]
    steps.words += [command("vector_run", last=2, words=words, first_word=first, words_a_row=row)
                    for first, row in runs]
    await device.run(steps.words)
    places = [(first, row, word, lane) for first, row in runs for word in range(words)
              for lane in range(n)]
    for begin, expected in zip(at, [
            [word % row * n + lane for _, row, word, lane in places],
            [word // row for _, row, word, _ in places],
            [(first + word) * n + lane for first, _, word, lane in places]]):
        found = device.memory[begin:begin + 4 * len(places)]
        assert found == b"".join(one.to_bytes(4, "little") for one in expected)
