"""Each of AXI's rules that bench.py watches is raised where it is broken."""

import cocotb

from bench import Bench
from programs import INPUTS, OUTPUTS

INCR, FIXED = 1, 0


@cocotb.test()
async def the_monitor_raises_each_broken_rule(dut):
    device = Bench(dut)
    await device.power_on()
    n, whole = device.n, device.n.bit_length() - 1
    a, out, every = INPUTS[0], OUTPUTS[0], (1 << device.n) - 1
    burst = ("m_axi_aw", [0, out, 1, whole, INCR], 1)

    def raised(*clocks):
        """What the monitor says to these clocks of channels: (channel, payload or None, ready)."""
        monitor = device.monitor
        monitor.windows = [(*INPUTS, True, False), (*OUTPUTS, False, True)]
        for state in (monitor.held, monitor.bursts, monitor.beats):
            state.clear()
        try:
            for clock in clocks:
                monitor.see(*clock)
        except AssertionError as error:
            return str(error)
        finally:
            for state in (monitor.held, monitor.bursts, monitor.beats):
                state.clear()
        return None

    read = lambda address, beats, size=whole, kind=INCR: (
        "m_axi_ar", [0, address, beats - 1, size, kind], 1)
    beat = lambda strobes, last: ("m_axi_w", [0, strobes, last], 1)
    assert raised(read(a, 16), read(a + 1, 1), burst, beat(every, 0), beat(1, 1)) is None
    assert raised(beat(every, 0), burst, beat(every, 1)) is None  # data before its address
    for words, clocks in [
            ("17 beats", [read(a, 17)]),
            ("whole beats", [read(a, 1, whole - 1)]),
            ("whole beats", [read(a, 1, whole, FIXED)]),
            ("crosses 4 KiB", [read(a + 4096 - n, 2)]),
            ("no window", [read(a - 1, 1)]),
            ("no window", [read(out, 1)]),
            ("no window", [("m_axi_aw", [0, a, 0, whole, INCR], 1), beat(every, 1)]),
            ("wlast is 1", [burst, beat(every, 1)]),
            ("wlast is 0", [burst, beat(every, 0), beat(every, 0)]),
            ("strobe", [("m_axi_aw", [0, out + 1, 0, whole, INCR], 1), beat(every, 1)]),
            ("before it was taken", [("m_axi_w", [1, 1, 1], 0), ("m_axi_w", [2, 1, 1], 1)]),
            ("before it was taken", [("s_axil_b", [0], 0), ("s_axil_b", None, 0)])]:
        assert words in (raised(*clocks) or ""), f"{words}: {raised(*clocks)}"
