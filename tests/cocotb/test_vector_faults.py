"""The vector engine's faults, each with its command and address, and how a reset leads on."""

import random

import cocotb
from cocotb.triggers import ClockCycles

from bench import COUNTS
from driver import BITS, LOAD, MAP, STORE, VECTOR, DeviceFault, command
from test_vectors import FIRST, INPUTS, OUTPUTS, RING, WINDOWS, check, ready, steps_of
from vector_steps import packed, random_instruction
from vector_unit import (EXCHANGES, FIELDS, MODES, OPERATIONS, REGISTERS, SLOTS, SOURCES, STREAM,
                         Unit, encode, instruction, takes_word)

A, OUT = INPUTS[0], OUTPUTS[0]
TAKE = instruction("or", a=STREAM)  # stream 0
SEND = instruction("or", out=1)


async def still_works(device, seed):
    device.model.bad = set()
    await device.prepare(WINDOWS, RING)
    steps = steps_of(random.Random(seed), device, Unit(device.n))
    steps.set_registers()
    steps.add()
    await device.run(steps.words)
    check(steps, seed)


def put(device, at, program):
    data = packed(map(encode, program), 8)
    device.memory[at:at + len(data)] = data


def program(at, count=1, **fields):
    return command("vector_program", address=at, count=count, **fields)


def illegal_words(n):
    """Every kind of instruction that the page refuses, made from a legal one."""
    plain = instruction("or", a=1, b=2, c=3, writes=1, target=4)
    for number in range(len(OPERATIONS), 1 << FIELDS["operation"]["bits"]):
        yield encode(plain | {"operation": number})
    for name, modes in MODES.items():
        for mode in range(max(1, len(modes)), 1 << FIELDS["mode"]["bits"]):
            yield encode(instruction(name, mode))
    for name in OPERATIONS:  # whether or not the operation uses the operand
        for operand in "abc":
            for source in range(SOURCES["element"] + 1, SOURCES["constants"]):
                yield encode(instruction(name) | {operand: source})
    for out in range(5, 8):
        yield encode(plain | {"out": out})
    lanes = range(EXCHANGES["lane"], EXCHANGES["lane"] + n.bit_length() - 1)
    slots = range(EXCHANGES["slot"], EXCHANGES["slot"] + 3)
    for exchange in set(range(1, 16)) - {*lanes, *slots}:
        yield encode(plain | {"exchange": exchange})
    for exchange in slots:
        crosses = plain | {"exchange": exchange}
        yield from (encode(crosses | change) for change in (
            {"a": STREAM}, {"b": STREAM}, {"c": STREAM}, {"out": 1}, {"target": 2}))
    for bit in range(sum(f["bits"] for f in FIELDS.values()), 64):
        yield encode(plain) | 1 << bit


@cocotb.test()
async def illegal_instructions_are_refused_with_their_address(dut):
    device, draw = await ready(dut), random.Random(FIRST)
    words = list(illegal_words(device.n))
    for word in draw.sample(words, 60):
        before = draw.randrange(6)
        at = A + draw.randrange(64)
        put(device, at, [random_instruction(draw, device.n) for _ in range(before)])
        device.memory[at + 8 * before:at + 8 * before + 8] = word.to_bytes(8, "little")
        await device.reset()
        await device.expect_fault([command("fence"), program(at, before + 1), command("vector_run")],
                                  "illegal_command", 1, at + 8 * before)
    await still_works(device, FIRST)


@cocotb.test()
async def what_the_page_ignores_is_accepted(dut):
    device, draw = await ready(dut), random.Random(FIRST)
    steps = steps_of(draw, device, Unit(device.n))
    steps.set_registers()
    for _ in range(12):
        code = random_instruction(draw, device.n)
        code |= {"writes": 1, "out": 0}
        if not takes_word(code):  # else all of these have a meaning
            code |= {"in": draw.randrange(4)}
        if code["exchange"] >= EXCHANGES["slot"] and code["target"] == code["b"]:
            continue
        streams = [[], [], [], []]
        if takes_word(code):
            at = steps.put(draw.randbytes(4 * device.n * SLOTS))
            steps.words.append(command("vector_stream", address=at, rows=1, cols=SLOTS * device.n,
                                       number=code["in"], format="word"))
            if code["in"] == 0:  # its program must come before it
                steps.words.pop()
                code["in"] = 1
                steps.words.append(command("vector_stream", address=at, rows=1,
                                           cols=SLOTS * device.n, number=1, format="word"))
            data = device.memory[at:at + 4 * device.n * SLOTS]
            lanes = [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]
            streams[code["in"]] = [lanes[i:i + device.n] for i in range(0, len(lanes), device.n)]
        steps.bring([code, instruction("or", a=code["target"], out=4)], 0)
        at = steps.outputs.take(4 * device.n * SLOTS)
        steps.words += [command("vector_stream", address=at, rows=1, cols=SLOTS * device.n,
                                number=3, writes=1, format="word"),
                        command("vector_run", last=1, words=SLOTS)]
        steps.unit.run([code], SLOTS, streams)
        out = steps.unit.run([instruction("or", a=code["target"], out=4)], SLOTS,
                             [[], [], [], []])[3]
        steps.expected[at:at + 4 * device.n * SLOTS] = packed(sum(out, []), 4)
    await device.run(steps.words)
    check(steps, FIRST)


@cocotb.test()
async def a_run_needs_its_program_since_reset(dut):
    device = await ready(dut)
    put(device, A, [SEND] * 4)
    for first, last, at in [(0, 0, 1), (2, 6, 1), (6, 6, 1), (3, 3, None), (2, 5, None)]:
        await device.prepare(WINDOWS, RING)
        n = device.n
        words = [program(A, 4, place=2), command("vector_run", first=first, last=last),
                 command("vector_stream", address=OUT, cols=n * (last - first + 1), writes=1,
                         format="word")]
        if at is None:
            await device.run(words)
        else:
            await device.expect_fault(words, "illegal_command", at)
            await device.prepare(WINDOWS, RING)
            await device.expect_fault(words[1:], "illegal_command", 0)
    await still_works(device, FIRST)


@cocotb.test()
async def errors_of_memory_name_their_stream_and_row(dut):
    device = await ready(dut, FIRST)
    n, rows, stride = device.n, 3, 256
    put(device, A, [TAKE, SEND])
    at, out = A + 0x1003, OUT + 0x105
    shape = dict(rows=rows, cols=n, row_stride=stride, format="word")
    words = [program(A, 2), command("vector_stream", address=at, **shape),
             command("vector_stream", address=out, writes=1, **shape),
             command("vector_run", last=1, words=rows), command("fence", marker=7)]
    await device.run(words)
    for row in range(rows):
        for byte in (0, 4 * n - 1):
            await device.prepare(WINDOWS, RING)
            device.model.bad = {at + row * stride + byte}
            await device.expect_fault(words, "read_error", 1, at + row * stride)
            assert await device.read("marker") == 0
            await device.prepare(WINDOWS, RING)
            device.model.bad = {out + row * stride + byte}
            await device.expect_fault(words, "write_error", 2, out + row * stride)
    for byte in (0, 8, 15):
        await device.prepare(WINDOWS, RING)
        device.model.bad = {A + byte}
        await device.expect_fault(words, "read_error", 0, A)
    await still_works(device, FIRST)


@cocotb.test()
async def streams_and_programs_stay_in_the_windows(dut):
    """The monitor raises what leaves them."""
    device = await ready(dut, FIRST + 1)
    n, rows, stride = device.n, 3, 128
    put(device, A, [TAKE, SEND])
    at, out, end = A + 0x1000, OUT + 0x100, 2 * stride + 4 * n
    shape = dict(rows=rows, cols=n, row_stride=stride, format="word")
    words = [program(A, 2), command("vector_stream", address=at, **shape),
             command("vector_stream", address=out, writes=1, **shape),
             command("vector_run", last=1, words=rows)]
    code, block, written = ((A, A + 16, True, False), (at, at + end, True, False),
                            (out, out + end, False, True))
    await device.prepare([code, block, written], RING)
    await device.run(words)  # windows that just fit
    for windows, fault, index, address in [
            ([(A, A + 15, True, False), block, written], "read_window", 0, A),
            ([(A, A + 16, False, True), block, written], "read_window", 0, A),
            ([code, (at + 1, at + end, True, False), written], "read_window", 1, at),
            ([code, (at, at + end - 1, True, False), written], "read_window", 1, at + 2 * stride),
            ([code, block, (out + 1, out + end, False, True)], "write_window", 2, out),
            ([code, block, (out, out + end - 1, False, True)], "write_window", 2, out + 2 * stride),
            ([code, block, (out, out + end, True, False)], "write_window", 2, out)]:
        await device.prepare(windows, RING)
        await device.expect_fault(words, fault, index, address)
    await still_works(device, FIRST)


@cocotb.test()
async def what_waits_for_ever_is_a_fault(dut):
    device = await ready(dut)
    n = device.n
    put(device, A, [TAKE, SEND])
    read = lambda words, number=0: command("vector_stream", address=A, rows=words, cols=n,
                                           row_stride=4 * n, number=number, format="word")
    write = lambda words: command("vector_stream", address=OUT, cols=words * n, writes=1,
                                  format="word")
    run = lambda words: command("vector_run", last=1, words=words)
    code = program(A, 2)
    for words, index in [
            ([code, read(1), write(2), run(2)], 3),                   # an input ends early
            ([code, read(2), write(1), run(2), command("fence")], 3), # an output does
            ([code, read(20), write(40), run(20)], 2),                # it wants more
            *[([code, read(2 + more), write(2), run(2)], 1) for more in (1, 2, 3, 20)],
            *[([read(words, number)], 0) for words in (1, 2, 3) for number in (0, 3)],
            *[([read(words), code], 1) for words in (1, 2, 3)],       # a program behind a stream
            ([code, read(200), read(1), write(201), run(201)], 2),    # a stream behind an untaken one
            ([command("vector_program", LOAD, address=A)], 0),
            ([code, command("vector_run", STORE)], 1)]:
        await device.prepare(WINDOWS, RING)
        # The fault names no command of a program that ended before a reset.
        await device.run([command("fence")] * 5 + [code, read(2), write(2), run(2)])
        await device.prepare(WINDOWS, RING)
        await device.expect_fault(words, "token_underflow", index)
    await still_works(device, FIRST)


@cocotb.test()
async def what_a_command_waits_for_must_come_in_time(dut):
    """With a doorbell of its own, but no later than the clocks that the fault's entry names."""
    device = await ready(dut)
    n = device.n
    clocks = next(fault["clocks"] for fault in MAP["faults"] if fault["name"] == "token_underflow")
    put(device, A, [TAKE, SEND])
    words = dict(cols=n, row_stride=4 * n, format="word")
    streams = [program(A, 2), command("vector_stream", address=A, rows=2, **words),
               command("vector_stream", address=OUT, rows=2, writes=1, **words)]
    run = command("vector_run", last=1, words=2)
    load = [command("load_shape"), command("load", STORE, address=A)]
    store = [command("store_shape"), command("store", 0, LOAD, address=OUT)]
    # The streams' own reads take some of the clocks before the device stands still.
    for first, later, wait, in_time in [
            (streams, [run], clocks - 50, True), (streams, [run], clocks + 100, False),
            (load, store, clocks - 50, True), (load, store, clocks + 100, False),
            ([*streams, command("fence")], [run], 0, False)]:
        await device.prepare(WINDOWS, RING)
        await device.ring_up(first)
        await ClockCycles(dut.clk_i, wait)
        if in_time:
            await device.run(later)
        else:
            await device.expect_fault(later, "token_underflow", 1)
    await still_works(device, FIRST)


@cocotb.test()
async def a_signal_says_that_all_before_it_is_written(dut):
    """Load reads what an output wrote as soon as its token is there, at any pauses of the bus."""
    device = await ready(dut)
    n, words = device.n, 20
    for seed in range(FIRST, FIRST + 4):
        device.pause(seed)
        draw = random.Random(seed)
        await device.prepare(WINDOWS, RING)
        data = draw.randbytes(4 * n * words)
        at, shape = A + 0x1000, dict(rows=1, cols=n * words, format="word")
        device.memory[at:at + len(data)] = data
        device.memory[OUT:OUT + 3 * len(data)] = bytes(3 * len(data))
        put(device, A, [instruction("or", a=STREAM, writes=1, target=2, out=1),
                        instruction("xor", a=2, b=SOURCES["unit"], out=2)])
        second, third = OUT + len(data), OUT + 2 * len(data)
        block = dict(rows=words, cols=n, row_stride=4 * n)
        await device.run([
            program(A, 2), command("vector_stream", address=at, **shape),
            command("vector_stream", address=OUT, writes=1, **shape),
            command("vector_stream", 0, LOAD, address=second, number=1, writes=1, **shape),
            command("vector_run", last=1, words=words),
            command("load_shape", tile_stride=1, **block),
            command("load", VECTOR, STORE, address=OUT, buffer="accumulators", type="word32"),
            command("store_shape", **block), command("store", LOAD, address=third),
            command("fence", marker=seed)])
        assert device.memory[OUT:second] == device.memory[third:third + len(data)] == data
        assert device.memory[second:third] == bytes(b ^ (i % 4 == 0) for i, b in enumerate(data))
        assert await device.read("marker") == seed and not await device.read("status") & BITS["busy"]
