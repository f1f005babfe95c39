"""No fence is passed after a command that fails, and nothing after one that is refused counts."""

import os
import random

import cocotb
from cocotb.triggers import ClockCycles

from bench import COUNTS, Bench
from driver import BITS, COMPUTE, DeviceFault, command
from programs import INPUTS, OUTPUTS

FIRST, PROGRAMS = int(os.environ.get("SEED", "1")), int(os.environ.get("PROGRAMS", "72"))
RING, WINDOWS = 0x1000, [(*INPUTS, True, False), (*OUTPUTS, False, True)]
CLOSED = 0x3000
UNKNOWN = bytes([99]) + bytes(15)


def load(address, rows, cols, **tokens):
    return [command("load_shape", rows=rows, cols=cols, tile_stride=rows, row_stride=64),
            command("load", address=address, buffer="rows", type="int8", **tokens)]


def store(address, cols):
    return [command("store_shape", rows=1, cols=cols), command("store", address=address)]


def failures(n, draw):
    """Each kind: the fault, commands of which the last meets it, its address, bytes that fail."""
    cols = draw.randint(1, n)
    at, out = INPUTS[0] + draw.randrange(64), OUTPUTS[0] + draw.randrange(64)
    byte = draw.randrange(cols)
    return [("illegal_command", [UNKNOWN], 0, set()),
            ("missing_shape", [command("matmul")], 0, set()),
            ("write_error", store(out, cols), out, {out + byte}),
            ("write_window", store(at, cols), at, set()),
            ("read_error", load(at, 1, cols), at, {at + byte}),
            ("read_window", load(CLOSED, 1, cols), CLOSED, set())]


def followers(draw, refused):
    """What follows: fences, some after commands that must do nothing."""
    fence = [command("fence", interrupt=draw.randrange(2), marker=0x55)]
    waiting = [command("fence", interrupt=1, wait_for_host=1, marker=0x66)]
    return draw.choice([fence, waiting, fence + waiting,
                        load(INPUTS[0], 1, 1) + fence, store(OUTPUTS[0], 1) + waiting,
                        ([UNKNOWN] if refused else []) + fence])


@cocotb.test()
async def no_marker_shows_after_a_fault(dut):
    device = Bench(dut)
    await device.power_on()
    for seed in range(FIRST, FIRST + PROGRAMS):
        draw = random.Random(seed)
        device.pause(draw.choice([None, seed]))
        await device.prepare(WINDOWS, RING)
        kinds = failures(device.n, draw)
        fault, failing, address, device.model.bad = kinds[seed % len(kinds)]
        refused = fault in ("illegal_command", "missing_shape")
        # A fence before them lets the device fetch what follows first.
        waits = draw.randrange(2)
        before = draw.choice([[], [command("fence", interrupt=waits, wait_for_host=waits,
                                           marker=0x44)]])
        at = len(before) + len(failing) - 1
        events = []
        what = f"seed {seed}, {fault} at {at}"
        try:
            await device.run(before + failing + followers(draw, refused), fence=events.append)
            raise AssertionError(f"{what}: no fault")
        except DeviceFault as met:
            assert met.found == (fault, at, address), f"{what}: {met}"
        COUNTS["programs"] += 1
        COUNTS["faults"] += 1
        shown = 0x44 if before else 0
        for _ in range(3):
            assert await device.read("marker") == shown, f"{what}: a fence after it was passed"
            assert not await device.read("interrupt_status") & BITS["fence"], what
            await ClockCycles(dut.clk_i, 100)
        assert events == [0x44] * (len(before) and waits), f"{what}: fences {events}"
        head = await device.read("ring_head")
        assert await device.counter("commands") == head, what
        assert head == at if refused else head > at, f"{what}: ring_head is {head}"
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
