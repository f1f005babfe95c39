"""The registers over AXI4-Lite, in every order, and what resets keep and clear."""

import os
import random

import cocotb
from cocotb.triggers import ClockCycles, Combine
from cocotbext.axi import AxiResp

from bench import Bench
from driver import BITS, COUNTERS, REGISTERS, SlaveError, command
from programs import INPUTS, OUTPUTS, random_cases

SEED = int(os.environ.get("SEED", "1"))
RING, WINDOWS = 0x1000, [(*INPUTS, True, False), (*OUTPUTS, False, True)]
SETTINGS = ("ring_base_low", "ring_base_high", "ring_log2", "interrupt_enable", "window_access")
LONGEST_RING = REGISTERS["ring_tail"]["bits"] - 1  # its log2
STATE = ("status", "fault_code", "fault_command", "fault_address_low", "interrupt_status",
         "ring_tail", "ring_head", "marker")


async def ready(dut, seed=None):
    device = Bench(dut)
    device.pause(seed)
    await device.power_on()
    return device


def places():
    """Every register with its offset, bits and access."""
    for name, about in REGISTERS.items():
        bits = sum(1 << f["low"] + i * f.get("step", 1)
                   for f in about.get("fields", []) for i in range(f.get("count", 1)))
        bits = bits or (1 << about.get("bits", 32)) - 1 << about.get("low", 0)
        for i in range(about.get("count", 1)):
            offset = about["offset"] + i * about.get("step", 0)
            yield name, offset, bits & 0xFFFFFFFF, about["access"]


@cocotb.test()
async def registers_take_their_bits_and_refuse_others(dut):
    device, draw = await ready(dut, SEED), random.Random(SEED)
    values, accepted = {}, []

    async def refused(offset, data):
        if (await device.lite.write(offset, data)).resp != AxiResp.SLVERR:
            accepted.append(f"{data.hex()} at {offset:#x}")
    for name, offset, bits, access in places():
        if "write" not in access:
            await refused(offset, bytes(4))
            continue
        for bit in range(32):
            if not bits >> bit & 1:
                await refused(offset, (1 << bit).to_bytes(4, "little"))
        for strobes in (1, 2, 3):
            await refused(offset, bytes(strobes))
        await refused(offset + 1, bytes(3))
        if access == "read, write" and name != "ring_tail":
            values[offset] = draw.getrandbits(32) & bits
            if name == "ring_log2":
                values[offset] %= LONGEST_RING + 1
                await refused(offset, (LONGEST_RING + 1).to_bytes(4, "little"))
            await device.bus.write(offset, values[offset])
    known = {offset for _, offset, _, access in places() if "read" in access}
    known |= {at + half for at in COUNTERS.values() for half in (0, 4)}
    for offset in range(0, 0x200, 4):
        if offset not in known:
            answer = await device.lite.read(offset, 4)
            assert answer.resp == AxiResp.SLVERR, f"a read at {offset:#x} was not refused"
    assert not accepted, f"not refused: {', '.join(accepted)}"
    for offset, value in values.items():
        found = await device.bus.read(offset)
        assert found == value, f"{offset:#x} holds {found:#x}, {value:#x} was written"


@cocotb.test()
async def addresses_and_data_come_in_any_order(dut):
    device = await ready(dut)
    lite, offset = device.lite, REGISTERS["window_base_low"]["offset"]
    channels = [lite.write_if.aw_channel, lite.write_if.w_channel, lite.write_if.b_channel]
    for first in range(8):
        for i, channel in enumerate(channels):
            channel.pause = not first >> i & 1
        write = cocotb.start_soon(device.bus.write(offset, 0x1234 + first))
        await ClockCycles(dut.clk_i, 10)
        # A read is answered while a write waits, and shows it only when both halves are there.
        held = await device.bus.read(offset)
        assert held == (0x1234 + first if first & 3 == 3 else 0 if first == 0 else 0x1233 + first)
        for i in random.Random(first).sample(range(3), 3):
            channels[i].pause = False
            await ClockCycles(dut.clk_i, 5)
        await write
        assert await device.bus.read(offset) == 0x1234 + first
    # Many at once, answered in order.
    writes = [cocotb.start_soon(device.bus.write(offset + 16 * i, i)) for i in range(4)]
    await Combine(*writes)
    reads = [cocotb.start_soon(device.bus.read(offset + 16 * i)) for i in range(4)]
    assert [await one for one in reads] == list(range(4))


@cocotb.test()
async def fences_wait_for_the_host(dut):
    device = await ready(dut, SEED)
    await device.prepare(WINDOWS, RING)
    await device.write("resume", 0)  # lost: no fence waits
    await device.ring_up([command("fence", interrupt=1, wait_for_host=1, marker=0xCAFE),
                          command("fence", marker=5)])
    assert await device.event() & BITS["fence"]
    assert await device.read("marker") == 0xCAFE
    await ClockCycles(dut.clk_i, 300)
    assert await device.read("status") == BITS["busy"] | BITS["waits_for_host"]
    await device.write("resume", 0)
    assert await device.event() == BITS["done"]
    assert await device.read("marker") == 5 and await device.counter("commands") == 2
    await device.write("interrupt_enable", 0)
    await device.ring_up([command("fence", interrupt=1)])
    while await device.read("status") & BITS["busy"]:
        pass
    assert not dut.interrupt_o.value.integer, "a masked event raised the interrupt"
    assert await device.read("interrupt_status") == BITS["fence"] | BITS["done"]
    await device.write("interrupt_enable", BITS["fence"])
    assert dut.interrupt_o.value.integer
    await device.write("interrupt_status", BITS["fence"])
    assert await device.read("interrupt_status") == BITS["done"]
    assert not dut.interrupt_o.value.integer


@cocotb.test()
async def a_reset_at_any_time_keeps_settings_and_drops_work(dut):
    device, draw = await ready(dut, SEED), random.Random(SEED)
    for clocks in (0, 7, 40, 90, 200, 400):
        await device.prepare(WINDOWS, RING)
        kept = [await device.read(name) for name in SETTINGS]
        cases = random_cases(draw, device, 3)
        words = sum((case.words for case in cases), [])
        await device.ring_up(words)
        await ClockCycles(dut.clk_i, clocks)
        await device.reset()
        for name in STATE:
            assert await device.read(name) == 0, name
        for name in COUNTERS:
            assert await device.counter(name) == 0, name
        assert [await device.read(name) for name in SETTINGS] == kept
        await device.run(words)
        for case in cases:
            case.check()
        await device.reset()
    dut.rst_ni.value = 0
    await ClockCycles(dut.clk_i, 3)
    dut.rst_ni.value = 1
    for name in (*STATE, *SETTINGS, "window_base_low", "window_end_high"):
        assert await device.read(name) == 0, name


@cocotb.test()
async def a_doorbell_during_a_reset_is_refused(dut):
    device = await ready(dut)
    await device.prepare(WINDOWS, RING)
    device.reads.r_channel.pause = True  # the fetch is under way, so the reset must wait for it
    await device.ring_up([command("fence")])
    await ClockCycles(dut.clk_i, 20)
    await device.write("control", BITS["reset"])
    assert await device.read("status") & BITS["resetting"]
    try:
        await device.write("ring_tail", 1)
        raise AssertionError("the doorbell was taken")
    except SlaveError:
        pass
    device.reads.r_channel.pause = False
    while await device.read("status") & BITS["resetting"]:
        pass
    device.tail = 0
    await device.run([command("fence", marker=7)])
    assert await device.read("marker") == 7 and await device.read("ring_head") == 1
