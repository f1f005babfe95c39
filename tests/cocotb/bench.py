"""The device's pins: cocotbext-axi's register host and memory, pauses, and AXI's rules."""

import atexit
import json
import logging
import os
import random
from collections import Counter, deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, First, RisingEdge
from cocotbext.axi import (AxiBus, AxiLiteBus, AxiLiteMaster, AxiResp, AxiSlaveRead, AxiSlaveWrite)

from driver import MAP, DeviceFault, Driver, SlaveError

BURST_BEATS = next(one["value"] for one in MAP["limits"] if one["name"] == "burst_beats")
COUNTS = Counter()  # of all tests: clocks, bursts, beats, register accesses, programs, faults



@atexit.register
def record():
    """What has been done, for scripts/campaign; it keeps this where every test has passed."""
    if "COUNTS" in os.environ:
        with open(os.environ["COUNTS"], "w") as file:
            json.dump({"array": COUNTS.pop("array"), "seed": int(os.environ["SEED"]),
                       "cases": COUNTS.pop("programs", 0), **COUNTS, "violations": 0,
                       "differences": 0}, file)


AXI_LITE = ("awaddr awprot awvalid awready wdata wstrb wvalid wready bresp bvalid bready "
            "araddr arprot arvalid arready rdata rresp rvalid rready")
AXI = ("arid araddr arlen arsize arburst arlock arcache arprot arvalid arready "
       "rid rdata rresp rlast rvalid rready "
       "awid awaddr awlen awsize awburst awlock awcache awprot awvalid awready "
       "wdata wstrb wlast wvalid wready bid bresp bvalid bready")


class Pins:
    """The device's ports, each looked up by its name.

    cocotbext-axi would list them, and of a list Verilator 5.006 gives not the ports but copies,
    which it overwrites.
    """

    def __init__(self, dut):
        self._log, self._name = dut._log, dut._name
        for prefix, names in [("s_axil", AXI_LITE), ("m_axi", AXI)]:
            for name in names.split():
                setattr(self, f"{prefix}_{name}", getattr(dut, f"{prefix}_{name}"))


class Memory:
    """Memory from address 0 on, which fails at the bytes of `bad`, with either error of AXI."""

    draw = random.Random(2)

    def __init__(self, size=1 << 18):
        self.bytes = bytearray(size)
        self.bad = set()

    def error(self):
        return self.draw.choice([AxiResp.SLVERR, AxiResp.DECERR])

    async def read(self, address, length):
        if self.bad and not self.bad.isdisjoint(range(address, address + length)):
            raise ValueError("memory is to fail here")
        return bytes(self.bytes[address:address + length]).ljust(length, b"\0")

    async def write(self, address, data):
        if self.bad and not self.bad.isdisjoint(range(address, address + len(data))):
            raise ValueError("memory is to fail here")
        self.bytes[address:address + len(data)] = data


class InterleavedRead(AxiSlaveRead):
    """Answers bursts of different IDs in any order, their beats interleaved at random."""

    draw = random.Random(1)

    async def _process_read(self):
        waiting = {reader: deque() for reader in range(3)}  # commands, load, vector
        while True:
            while not any(waiting.values()) or not self.ar_channel.empty():
                burst = await self.ar_channel.recv()
                for beat in range(int(burst.arlen) + 1):
                    address = (int(burst.araddr) // self.byte_lanes + beat) * self.byte_lanes
                    waiting[int(burst.arid)].append((address, beat == int(burst.arlen)))
            read_id = self.draw.choice([one for one, beats in waiting.items() if beats])
            address, last = waiting[read_id].popleft()
            beat = self.r_channel._transaction_obj()
            beat.rid, beat.rlast, beat.rresp = read_id, last, AxiResp.OKAY
            try:
                data = await self.target.read(address, self.byte_lanes)
            except ValueError:
                data, beat.rresp = self.draw.randbytes(self.byte_lanes), self.target.error()
            beat.rdata = int.from_bytes(data, "little")
            await self.r_channel.send(beat)


class FailingWrite(AxiSlaveWrite):
    """Answers a write that failed with an error of the memory's choice."""

    def __init__(self, *words, **named):
        super().__init__(*words, **named)
        answer = self.b_channel.send

        async def send(beat):
            if beat.bresp != AxiResp.OKAY:
                beat.bresp = self.target.error()
            await answer(beat)
        self.b_channel.send = send


class Monitor:
    """AXI's rules for what the device drives, at every clock; raises the first that is broken."""

    def __init__(self, dut, pins, n):
        self.dut, self.n, self.windows = dut, n, []
        port = lambda name: getattr(pins, name)
        self.channels = [
            (name, port(name + "valid"), port(name + "ready"), [port(name + one) for one in parts])
            for name, parts in [("m_axi_ar", ["id", "addr", "len", "size", "burst"]),
                                ("m_axi_aw", ["id", "addr", "len", "size", "burst"]),
                                ("m_axi_w", ["data", "strb", "last"]),
                                ("m_axi_b", ["resp"]),
                                ("s_axil_b", ["resp"]), ("s_axil_r", ["data", "resp"])]]
        self.held = {}
        self.bursts = deque()   # writes that await data: (address, beats left)
        self.beats = deque()    # write data that awaits its burst
        self.unanswered = 0     # writes on AW that no B has answered
        cocotb.start_soon(self.run())

    async def run(self):
        edge = RisingEdge(self.dut.clk_i)
        while True:
            await edge
            COUNTS["clocks"] += 1
            if not self.dut.rst_ni.value.integer:
                self.held.clear()
                self.bursts.clear()
                self.beats.clear()
                self.unanswered = 0
                continue
            for name, valid, ready, payload in self.channels:
                now = [part.value.integer for part in payload] if valid.value.integer else None
                self.see(name, now, now and ready.value.integer)

    def see(self, channel, payload, ready):
        """A channel at a clock; payload is None where it is not valid."""
        held = self.held.get(channel, payload)
        assert payload == held, f"{channel} changed from {held} to {payload} before it was taken"
        self.held[channel] = payload
        if payload is None or ready:
            del self.held[channel]
        if payload is not None and ready:
            self.taken(channel, *payload)

    def taken(self, channel, *payload):
        if channel in ("m_axi_ar", "m_axi_aw"):
            _, address, beats, size, kind = payload
            beats += 1
            first = address // self.n * self.n
            assert beats <= BURST_BEATS, f"{channel}: {beats} beats"
            assert 1 << size == self.n and kind == 1, f"{channel}: no INCR burst of whole beats"
            assert first // 4096 == (first + self.n * beats - 1) // 4096, f"{channel} crosses 4 KiB"
            COUNTS[channel[-2:] + "_bursts"] += 1
            if channel == "m_axi_ar":
                COUNTS["read_beats"] += beats
                # The last beat may bring up to N - 1 bytes beyond what is wanted.
                self.inside(address, first + self.n * (beats - 1) + 1, 2)
            else:
                self.bursts.append([address, beats])
                self.unanswered += 1
        elif channel == "m_axi_b":
            self.unanswered -= 1
        elif channel == "m_axi_w":
            COUNTS["write_beats"] += 1
            self.beats.append(payload)
        while self.bursts and self.beats:
            burst, (_, strobes, last) = self.bursts[0], self.beats.popleft()
            address, left = burst
            assert last == (left == 1), f"wlast is {last} with {left} beats left"
            written = [i for i in range(self.n) if strobes >> i & 1]
            assert all(address // self.n * self.n + i >= address for i in written), "strobe too low"
            if written:
                base = address // self.n * self.n
                self.inside(base + written[0], base + written[-1] + 1, 3)
            burst[:] = (address // self.n + 1) * self.n, left - 1
            if left == 1:
                self.bursts.popleft()

    def all_is_written(self):
        """Every write that went out has had its beats, no more, and its answer."""
        assert not self.bursts, f"beats of {len(self.bursts)} writes are missing"
        assert not self.beats, f"{len(self.beats)} beats belong to no write"
        assert self.unanswered == 0, f"{self.unanswered} writes are not answered"

    def inside(self, first, end, access):
        assert any(window[0] <= first and end <= window[1] and window[access]
                   for window in self.windows), f"{first:#x} to {end:#x} lies in no window"


class Host:
    """Registers over AXI4-Lite, and the interrupt pin."""

    def __init__(self, dut, lite):
        self.dut, self.lite = dut, lite

    async def read(self, offset):
        COUNTS["register_reads"] += 1
        answer = await self.lite.read(offset, 4)
        if answer.resp != AxiResp.OKAY:
            raise SlaveError(f"a read at {offset:#x}")
        return int.from_bytes(answer.data, "little")

    async def write(self, offset, value):
        COUNTS["register_writes"] += 1
        answer = await self.lite.write(offset, value.to_bytes(4, "little"))
        if answer.resp != AxiResp.OKAY:
            raise SlaveError(f"{value:#x} written at {offset:#x}")

    async def interrupt(self, clocks=200_000):
        if not self.dut.interrupt_o.value.integer:
            late = ClockCycles(self.dut.clk_i, clocks)
            if await First(RisingEdge(self.dut.interrupt_o), late) is late:
                raise TimeoutError(f"no interrupt within {clocks} clocks")


class Bench(Driver):
    """The driver on the device's pins, over a memory of 256 KiB unless told."""

    def __init__(self, dut, memory_bytes=1 << 18):
        logging.getLogger("cocotb.systole_device").setLevel(logging.WARNING)
        self.dut, pins, self.model = dut, Pins(dut), Memory(memory_bytes)
        reset = {"reset_active_level": False}
        self.lite = AxiLiteMaster(AxiLiteBus.from_prefix(pins, "s_axil"), dut.clk_i, dut.rst_ni,
                                  **reset)
        bus = AxiBus.from_prefix(pins, "m_axi")
        self.writes = FailingWrite(bus.write, dut.clk_i, dut.rst_ni, self.model, **reset)
        self.reads = InterleavedRead(bus.read, dut.clk_i, dut.rst_ni, self.model, **reset)
        super().__init__(Host(dut, self.lite), self.model.bytes)
        self.monitor = Monitor(dut, pins, len(pins.m_axi_wstrb))
        cocotb.start_soon(Clock(dut.clk_i, 10, units="ns").start())

    def channels(self):
        return [self.lite.write_if.aw_channel, self.lite.write_if.w_channel,
                self.lite.write_if.b_channel, self.lite.read_if.ar_channel,
                self.lite.read_if.r_channel, self.writes.aw_channel, self.writes.w_channel,
                self.writes.b_channel, self.reads.ar_channel, self.reads.r_channel]

    def pause(self, seed):
        """All channels pause at random, each at its own rate; None: none does."""
        draw = random.Random(seed)

        def pauses(rate):
            while True:
                yield draw.random() < rate
        for channel in self.channels():
            if seed is None:
                channel.clear_pause_generator()
                channel.pause = False
            else:
                channel.set_pause_generator(pauses(draw.choice([0, 0.1, 0.5, 0.9])))

    async def power_on(self):
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 4)
        self.dut.rst_ni.value = 1
        await self.identify()
        COUNTS["array"] = self.n

    async def reset(self):
        await super().reset()
        self.monitor.all_is_written()

    async def prepare(self, windows, ring=0x1000, ring_log2=6):
        """Resets the device and opens windows, besides one for the ring."""
        await self.reset()
        self.monitor.windows = [(ring, ring + (16 << ring_log2), True, False), *windows]
        await self.open_windows(self.monitor.windows)
        await self.set_ring(ring, ring_log2)
        await self.enable_interrupts()

    async def expect_fault(self, commands, name, at, address=0):
        """Runs commands that must end in this fault."""
        COUNTS["faults"] += 1
        try:
            await self.run(commands)
        except DeviceFault as fault:
            assert fault.found == (name, at, address), f"{fault}, not {name} at {at}, {address:#x}"
        else:
            raise AssertionError(f"no fault, {name} at command {at} was due")
