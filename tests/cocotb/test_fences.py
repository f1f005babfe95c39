"""No fence is passed after a command that fails, and nothing after one that is refused counts."""

import os
import random
from collections import namedtuple

import cocotb
from cocotb.triggers import ClockCycles

from bench import COUNTS, Bench
from driver import BITS, COMMAND_BYTES, COMPUTE, LOAD, STORE, DeviceFault, command
from programs import INPUTS, OUTPUTS, packed
from vector_unit import STREAM, encode, instruction

FIRST, PROGRAMS = int(os.environ.get("SEED", "1")), int(os.environ.get("PROGRAMS", "108"))
RING, WINDOWS = 0x1000, [(*INPUTS, True, False), (*OUTPUTS, False, True)]
CODE = INPUTS[0] + 0x1000
CLOSED = 0x3000
UNKNOWN = bytes([99]) + bytes(15)
WAITING = command("fence", interrupt=1, wait_for_host=1, marker=0x44)
# Commands, which of them meets the fault at which address, and the bytes that fail.
Failure = namedtuple("Failure", "fault words at address bad", defaults=(0, 0, frozenset()))


def load(address, rows, cols, wait=0, signal=0, buffer="rows"):
    word = "word32" if buffer == "accumulators" else "int8"
    return [command("load_shape", rows=rows, cols=cols, tile_stride=rows, row_stride=64),
            command("load", wait, signal, address=address, buffer=buffer, type=word)]


def store(address, cols, wait=0):
    return [command("store_shape", rows=1, cols=cols),
            command("store", wait, address=address, format="word32")]


def stream(address, n, **fields):
    return command("vector_stream", address=address, cols=n, format="word", **fields)


def failures(device, draw, first):
    """Each kind; `first` is the index of the first command."""
    n, bus = device.n, device.monitor.n
    cols = draw.randint(1, n)
    at, out = INPUTS[0] + draw.randrange(64), OUTPUTS[0] + draw.randrange(64)
    byte, word = draw.randrange(cols), draw.randrange(4 * cols)
    take, send = 0, 1  # instructions
    code = packed(map(encode, [instruction("or", a=STREAM), instruction("or", out=1)]), 8)
    device.memory[CODE:CODE + len(code)] = code
    program = command("vector_program", address=CODE, count=2)
    run = lambda which: command("vector_run", first=which, last=which, words=1)
    writes = lambda address: [program, stream(address, n, writes=1), run(send)]
    lane, ring = draw.randrange(4 * n), RING + COMMAND_BYTES * first
    return [
        Failure("illegal_command", [UNKNOWN]),
        Failure("missing_shape", [command("matmul")]),
        Failure("write_error", store(out, cols), 1, out, {out + word}),
        Failure("write_window", store(at, cols), 1, at),
        Failure("read_error", load(at, 1, cols), 1, at, {at + byte}),
        Failure("read_window", load(CLOSED, 1, cols), 1, CLOSED),
        # The last beat of a burst of sixteen.
        Failure("read_error", load(INPUTS[0], 1, 16 * bus), 1, INPUTS[0],
                {INPUTS[0] + 16 * bus - 1 - draw.randrange(bus)}),
        # What a store would write that must not.
        Failure("read_error", load(at, 1, cols, signal=STORE, buffer="accumulators")
                + store(out, cols, LOAD), 1, at, {at + word}),
        Failure("token_underflow", load(at, 1, cols, COMPUTE), 1),
        Failure("read_error", [command("store_shape")], 0, ring,
                {ring + draw.randrange(COMMAND_BYTES)}),
        Failure("write_error", writes(out), 1, out, {out + lane}),
        Failure("write_window", writes(at), 1, at),
        Failure("read_error", [program, stream(at, n), run(take)], 1, at, {at + lane}),
        Failure("read_window", [program, stream(CLOSED, n), run(take)], 1, CLOSED),
        Failure("read_error", [program], 0, CODE, {CODE + draw.randrange(16)}),
        Failure("illegal_command", [command("vector_program", address=CODE + 8 * 8, count=1)], 0,
                CODE + 8 * 8),
        Failure("illegal_command", [run(send)]),
        Failure("token_underflow", [program, stream(at, n)], 1)]


def refuses(failure):
    """Whether the sequencer meets the fault."""
    return failure.words[0] == UNKNOWN or failure.fault == "missing_shape"


def followers(draw, refused):
    """What follows: fences, some after commands that must do nothing."""
    fence = [command("fence", interrupt=draw.randrange(2), marker=0x55)]
    waiting = [command("fence", interrupt=1, wait_for_host=1, marker=0x66)]
    return draw.choice([fence, waiting, fence + waiting, load(INPUTS[0], 1, 1) + fence,
                        (store(OUTPUTS[0], 1) if refused else []) + waiting,
                        ([UNKNOWN] if refused else []) + fence])


async def marker_stays(device, shown, what):
    """What the host may see after a fault, for some time; then nothing is under way."""
    for _ in range(3):
        assert await device.read("marker") == shown, f"{what}: a fence after it was passed"
        assert not await device.read("interrupt_status") & BITS["fence"], what
        await ClockCycles(device.dut.clk_i, 100)
    while await device.read("status") & BITS["busy"]:
        pass
    device.monitor.all_is_written()
    COUNTS["faults"] += 1


@cocotb.test()
async def no_marker_shows_after_a_fault(dut):
    device = Bench(dut)
    await device.power_on()
    for seed in range(FIRST, FIRST + PROGRAMS):
        draw = random.Random(seed)
        device.pause(draw.choice([None, seed]))
        await device.prepare(WINDOWS, RING)
        device.memory[CODE + 8 * 8:CODE + 9 * 8] = b"\xff" * 8
        # A fence before them lets the device fetch what follows first.
        waits = draw.randrange(2)
        before = draw.choice([[], [command("fence", interrupt=waits, wait_for_host=waits,
                                           marker=0x44)]])
        kinds = failures(device, draw, len(before))
        failure = kinds[seed % len(kinds)]
        device.model.bad = set(failure.bad)
        at = len(before) + failure.at
        of_ring = failure.address == RING + COMMAND_BYTES * len(before)
        events, written = [], bytes(device.memory[slice(*OUTPUTS)])
        what = f"seed {seed}, {failure.fault} at {at}"
        try:
            await device.run(before + failure.words + followers(draw, refuses(failure)),
                             fence=events.append)
            raise AssertionError(f"{what}: no fault")
        except DeviceFault as met:
            assert met.found == (failure.fault, at, failure.address), f"{what}: {met}"
        shown = 0x44 if before else 0
        if of_ring:  # which may fail before the fence is passed
            shown = await device.read("marker")
            assert shown in (0, 0x44 if before else 0), f"{what}: marker {shown:#x}"
        await marker_stays(device, shown, what)
        assert events == [0x44] * bool(shown and waits), f"{what}: fences {events}"
        if failure.fault != "write_error":
            assert device.memory[slice(*OUTPUTS)] == written, f"{what}: results were written"
        head = await device.read("ring_head")
        assert await device.counter("commands") == head, what
        assert head == at if refuses(failure) else (head <= at if of_ring else head > at), (
            f"{what}: ring_head is {head}")
        device.model.bad = set()


async def at_the_fence(device, words):
    """Runs up to a fence that waits, and until all that follows it has been fetched."""
    await device.prepare(WINDOWS, RING)
    await device.ring_up([WAITING, *words, command("fence", interrupt=1, marker=0x55)])
    await device.event()
    await ClockCycles(device.dut.clk_i, 200)


async def found_fault(device):
    while not await device.read("status") & BITS["faulted"]:
        pass
    try:
        await device.raise_fault()
    except DeviceFault as met:
        return met.found


@cocotb.test()
async def two_errors_at_once_pass_no_fence(dut):
    """Of a read and of a write, up to three clocks apart."""
    device = Bench(dut)
    await device.power_on()
    n, at, out = device.n, INPUTS[0], OUTPUTS[0]
    channels = [device.reads.r_channel, device.writes.b_channel]
    for words in (load(at, 1, n), [stream(at, n)]):
        for apart in range(-3, 4):
            await at_the_fence(device, words + store(out, n))
            device.model.bad = {at, out}
            for channel in channels:
                channel.pause = True
            await device.write("resume", 0)
            await ClockCycles(dut.clk_i, 200)
            for channel in channels if apart < 0 else channels[::-1]:
                channel.pause = False
                await ClockCycles(dut.clk_i, abs(apart)) if apart else None
            met = await found_fault(device)
            what = f"{apart} clocks apart: {met}"
            assert met in {("read_error", len(words), at),
                           ("write_error", len(words) + 2, out)}, what
            await marker_stays(device, 0x44, what)
            device.model.bad = set()


@cocotb.test()
async def a_doorbell_or_a_reset_beside_an_error_passes_no_fence(dut):
    device = Bench(dut)
    await device.power_on()
    n, at, out = device.n, INPUTS[0], OUTPUTS[0]
    kinds = [("write_error", store(out, n), out), ("read_error", load(at, 1, n), at)]
    for clocks in range(0, 60, 4):
        fault, words, address = kinds[clocks // 4 % 2]
        for resets in (False, True):
            await at_the_fence(device, words)
            device.model.bad = {address}
            await device.write("resume", 0)
            await ClockCycles(dut.clk_i, clocks)
            if resets:
                await device.reset()
                device.model.bad = set()
                for name in ("status", "fault_code", "marker", "interrupt_status", "ring_head"):
                    assert await device.read(name) == 0, f"{name}, {clocks} clocks after"
                await device.run([command("fence", marker=7)])
                assert await device.read("marker") == 7
                COUNTS["faults"] += 1
            else:
                await device.ring_up([command("fence", interrupt=1, marker=0x77)])
                assert await found_fault(device) == (fault, 2, address)
                await marker_stays(device, 0x44, f"a doorbell {clocks} clocks after, {fault}")
            device.model.bad = set()


@cocotb.test()
async def token_underflow_names_what_waits(dut):
    device = Bench(dut)
    await device.power_on()
    for before in range(3):
        await device.prepare(WINDOWS, RING)
        words = [command("fence")] * before + load(INPUTS[0], 1, 1, wait=COMPUTE)
        await device.expect_fault([*words, command("fence", marker=9)], "token_underflow",
                                  before + 1)
        assert await device.read("marker") == 0


@cocotb.test()
async def few_reads_go_out_after_a_stop(dut):
    """Those that engines had prepared, while memory took none."""
    device = Bench(dut)
    await device.power_on()
    await device.prepare(WINDOWS, RING)
    streams = [command("vector_stream", address=INPUTS[0], rows=16, cols=1024, row_stride=4096,
                       number=i, format="word") for i in range(4)]
    await device.ring_up([command("fence", interrupt=1, wait_for_host=1),
                          *load(INPUTS[0], 16, 1000), *streams])
    await device.event()
    await ClockCycles(dut.clk_i, 200)  # all commands have been fetched
    device.reads.ar_channel.pause = True
    await device.write("resume", 0)
    await ClockCycles(dut.clk_i, 200)
    await device.write("control", BITS["reset"])
    taken = COUNTS["ar_bursts"]
    device.reads.ar_channel.pause = False
    while await device.read("status") & BITS["resetting"]:
        pass
    # Two at the pins, two of load and of each stream; the fetcher has none.
    assert 4 < COUNTS["ar_bursts"] - taken <= 12, COUNTS["ar_bursts"] - taken
    await ClockCycles(dut.clk_i, 100)
    assert await device.read("status") == 0


@cocotb.test()
async def few_writes_go_out_after_a_stop(dut):
    """Those that engines had prepared, while memory took none; each gets its beats and its answer."""
    device = Bench(dut)
    await device.power_on()
    n, words, after = device.n, 16, set()
    for clocks in range(20, 200, 20):
        await device.prepare(WINDOWS, RING)
        code = packed((encode(instruction("or", out=1 + i)) for i in range(4)), 8)
        device.memory[CODE:CODE + len(code)] = code
        outputs = [command("vector_stream", address=OUTPUTS[0] + 4096 * i, cols=words * n, writes=1,
                           number=i, format="word") for i in range(4)]
        await device.ring_up([WAITING, command("vector_program", address=CODE, count=4), *outputs,
                              command("vector_run", last=3, words=words),
                              command("store_shape", rows=words, cols=n, row_stride=4 * n),
                              command("store", address=OUTPUTS[0] + 0x8000, format="word32")])
        await device.event()
        await ClockCycles(dut.clk_i, 200)
        # W may be late as well, so that beats of earlier bursts are under way when the stop comes.
        await device.write("resume", 0)
        await ClockCycles(dut.clk_i, clocks)
        device.writes.w_channel.pause = True
        await ClockCycles(dut.clk_i, 10)
        device.writes.aw_channel.pause = True
        await ClockCycles(dut.clk_i, 100)
        await device.write("control", BITS["reset"])
        taken = COUNTS["aw_bursts"]
        for channel in (device.writes.aw_channel, device.writes.w_channel):
            channel.pause = False
        while await device.read("status") & BITS["resetting"]:
            pass
        after.add(COUNTS["aw_bursts"] - taken)
        device.monitor.all_is_written()
        taken = COUNTS["aw_bursts"]
        await ClockCycles(dut.clk_i, 100)
        assert COUNTS["aw_bursts"] == taken and await device.read("status") == 0
    assert 1 < max(after) <= 5, after
