#!/usr/bin/env python3
"""scripts/silicon's parts on a small library of our own making.

  silicon_test.py FOLDER    which is made
"""

import copy
import gzip
import json
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import gate_energy  # noqa: E402
import liberty  # noqa: E402
import signals  # noqa: E402
import silicon_synthesis  # noqa: E402
import silicon_table  # noqa: E402
import silicon_units  # noqa: E402

FOLDER = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "/tmp/silicon_test").resolve()
SMALL = HERE / "silicon" / "small.lib"
FEMTO = 1e-15
FLIP_FLOPS = 13  # of fourteen registers: the lowest bits of sum_q and last_q are one


def simulate(files, folder):
    """The signals of the bench's clocks, by Icarus."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["iverilog", "-g2012", "-o", "bench.vvp", HERE / "silicon" / "bench.v", *files],
                   cwd=folder, check=True)
    subprocess.run(["vvp", "-n", "bench.vvp"], cwd=folder, check=True, capture_output=True)
    return signals.Trace((folder / "trace.vcd").read_text())


def mapped_stepper(liberty_file, library, folder):
    """Area and path of the stepper on a library."""
    folder.mkdir()
    modules = silicon_synthesis.generic_of(FOLDER)
    return silicon_synthesis.Mapped(liberty_file, library, folder).flatten(modules, "stepper", folder)


class Silicon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        cls.library = liberty.read(SMALL.read_text(), "small.lib")
        design = HERE / "silicon" / "stepper.sv"
        silicon_synthesis.write_generic([design], "stepper", FOLDER)
        cls.result = mapped_stepper(SMALL, cls.library, FOLDER / "small")
        cls.netlist = json.loads((FOLDER / "small" / "netlist.json").read_text())
        cls.generic = json.loads((FOLDER / "small" / "generic.json").read_text())
        cls.trace = simulate([design], FOLDER / "rtl")

    def mapped(self, netlist=None):
        return gate_energy.Netlist(netlist or self.netlist, self.generic, "stepper", self.library, [])

    def states(self, trace=None):
        return gate_energy.States(trace or self.trace, "bench.u_stepper")

    def test_area_is_the_sum_of_the_cells(self):
        cells = self.netlist["modules"]["stepper"]["cells"].values()
        area = {"INV": 1, "BUF": 1.5, "NAND2": 2, "NOR2": 2, "DFF": 8}
        self.assertEqual(self.result["area"], sum(area[cell["type"]] for cell in cells))
        self.assertEqual(self.result["flip_flops"], FLIP_FLOPS)
        self.assertGreater(self.result["picoseconds"], 0)

    def test_a_module_is_mapped_once(self):
        """In whatever design it stands, and however often."""
        folder = FOLDER / "pair"
        folder.mkdir()
        silicon_synthesis.write_generic([HERE / "silicon" / f"{name}.sv" for name in ("pair", "stepper")],
                                        "pair", folder)
        modules = silicon_synthesis.generic_of(folder)
        mapped = silicon_synthesis.Mapped(SMALL, self.library, FOLDER / "small")
        pair = mapped.flatten(modules, "pair", folder)
        found = re.findall(r"netlist of module `(\S+)'", (FOLDER / "small" / "abc.txt").read_text())
        self.assertEqual(found, ["\\pair"])
        self.assertEqual(pair["flip_flops"], 2 * FLIP_FLOPS)
        self.assertGreater(pair["area"], 2 * self.result["area"])
        self.assertGreater(pair["picoseconds"], self.result["picoseconds"])
        self.assertEqual(mapped.flatten(modules, "stepper", folder), self.result)
        self.assertEqual(json.loads((folder / "netlist.json").read_text())["modules"],
                         self.netlist["modules"])

    def test_each_register_has_its_name_of_the_source(self):
        """That of a table's address as well, which Yosys would put into the table."""
        names = self.mapped().register_names
        self.assertEqual(len(names), FLIP_FLOPS)
        for cell, found in names.items():
            self.assertTrue([name for name, _ in found if name.endswith("_q")], f"{cell}: {found}")
        self.assertIn([("place_q", 1)], names.values())

    def test_toggles_are_those_of_the_simulated_netlist(self):
        """Icarus simulates the netlist itself, with the cells as Verilog."""
        subprocess.run(["yosys", "-q", "-p", f"read_json {FOLDER}/small/netlist.json; "
                        f"write_verilog -noattr {FOLDER}/netlist.v"], check=True)
        gates = simulate([FOLDER / "netlist.v", HERE / "silicon" / "cells.v"], FOLDER / "gates")
        energy = self.mapped().energy(self.states())
        # Each cell has one output, Y or Q, in a scope of its own.
        pairs = gate_energy.pairs_of(gates)
        toggles = 0
        for name in gates.names():
            if name.startswith("bench.u_stepper.") and name.split(".")[-1] in ("Y", "Q"):
                bit = gates.bits(name)[0]
                toggles += ((bit ^ bit >> 1) & pairs).bit_count()
        self.assertGreater(toggles, 100)
        self.assertEqual(energy.toggles, toggles)
        self.assertEqual(energy.checked, FLIP_FLOPS * pairs.bit_count())

    def test_energy_is_toggles_by_the_librarys_numbers(self):
        energy = self.mapped().energy(self.states())
        clocks = sum(energy.clocks)
        # A clock pin has two transitions a clock: half of 2 fF at 1 V, and 3 within the cell.
        self.assertAlmostEqual(sum(energy.clock_pins) / FEMTO, FLIP_FLOPS * clocks * 2 * (1 + 3), 6)
        # By hand from the trace: a flip-flop's output with its load.
        module = self.netlist["modules"]["stepper"]
        mapped = self.mapped()
        values, _ = mapped.evaluate(self.states())
        pairs = gate_energy.pairs_of(self.trace)
        expected = 0.0
        for cell in module["cells"].values():
            if cell["type"] != "DFF":
                continue
            bit = cell["connections"]["Q"][0]
            load = sum(1 for other in module["cells"].values()
                       for pin, bits in other["connections"].items()
                       if pin in ("A", "B", "D") and bits[0] == bit)
            inside = 4 + 2 * min(max(load - 1, 0), 10) / 10
            expected += ((values[bit] ^ values[bit] >> 1) & pairs).bit_count() * (load / 2 + inside)
        self.assertAlmostEqual(sum(energy.registers) / FEMTO, expected, 6)
        self.assertAlmostEqual(energy.leakage_watts / 1e-9, sum(
            {"INV": 1, "BUF": 1, "NAND2": 2, "NOR2": 2, "DFF": 5}[cell["type"]]
            for cell in module["cells"].values()), 6)

    def test_flip_flops_that_hold_their_data_inverted_are_evaluated(self):
        folder = FOLDER / "inverted"
        text = SMALL.read_text()
        for old, new in (("ff (IQ, IQN)", "ff (IQN, IQNN)"), ('next_state : "D"', 'next_state : "!D"'),
                         ("pin (Q)", "pin (QN)"), ('function : "IQ"', 'function : "IQN"')):
            self.assertEqual(text.count(old), 1)
            text = text.replace(old, new)
        file = FOLDER / "inverted.lib"
        file.write_text(text)
        library = liberty.read(text)
        mapped_stepper(file, library, folder)
        mapped = gate_energy.Netlist(json.loads((folder / "netlist.json").read_text()),
                                     self.generic, "stepper", library, [])
        energy = mapped.energy(self.states())
        self.assertEqual(energy.checked,
                         FLIP_FLOPS * gate_energy.pairs_of(self.trace).bit_count())

    def test_two_runs_are_equal(self):
        again = simulate([HERE / "silicon" / "stepper.sv"], FOLDER / "again")
        self.assertEqual(self.mapped().energy(self.states()), self.mapped().energy(self.states(again)))

    def test_a_wrong_netlist_is_refused(self):
        wrong = copy.deepcopy(self.netlist)
        cells = wrong["modules"]["stepper"]["cells"].values()
        other = {"NAND2": "NOR2", "NOR2": "NAND2"}
        data = {cell["connections"]["D"][0] for cell in cells if cell["type"] == "DFF"}
        gate = next(cell for cell in cells
                    if cell["type"] in other and cell["connections"]["Y"][0] in data)
        gate["type"] = other[gate["type"]]
        with self.assertRaisesRegex(gate_energy.GateError, "differs from the simulation after clock"):
            self.mapped(wrong).energy(self.states())

    def test_equal_registers_may_differ_until_they_are_written(self):
        def cell(data, output):
            return {"type": "DFF", "connections": {"D": [data], "CK": [2], "Q": [output]}}

        module = {"ports": {"clk_i": {"direction": "input", "bits": [2]}},
                  "cells": {"one": cell(3, 3), "reader": cell(3, 4)},
                  "netnames": {name: {"bits": [bit]} for name, bit in
                               (("clk_i", 2), ("a_q", 3), ("b_q", 3), ("c_q", 4))}}
        generic = copy.deepcopy(module)
        for one in generic["cells"].values():
            one["type"] = "$_DFF_P_"
        netlist = gate_energy.Netlist({"modules": {"m": module}}, {"modules": {"m": generic}}, "m",
                                      self.library, [])

        class Trace:
            samples, windows, clocks = 4, [[0, 3]], [10, 11, 12, 13]

            def __init__(self, **values):
                self.ids = {f"m.{name}": [value] for name, value in values.items()}

            def bits(self, name):
                return self.ids[name]

        def checked(**values):
            return netlist.evaluate(gate_energy.States(Trace(clk_i=0, **values), "m"))[1]

        self.assertEqual(checked(a_q=0b0000, b_q=0b1111, c_q=0b1110), 6)
        self.assertEqual(checked(a_q=0b0000, b_q=0b1111, c_q=0b0000), 6)
        for wrong in ({"a_q": 0b0000, "b_q": 0b1101, "c_q": 0b1111},
                      {"a_q": 0b0000, "b_q": 0b0000, "c_q": 0b1110}):
            with self.assertRaisesRegex(gate_energy.GateError, "differs from the simulation after clock"):
                checked(**wrong)

    def test_a_trace_without_a_register_is_refused(self):
        with self.assertRaisesRegex(gate_energy.GateError, "are not in the trace, such as"):
            self.mapped().energy(gate_energy.States(self.trace, "bench.nothing"))

    def test_a_confidence_interval_needs_windows(self):
        energy = gate_energy.Energy([10, 10, 10], [1.0, 2.0, 3.0], [0] * 3, [0] * 3, 0, 0, 0, 0)
        mean, half = energy.a_clock()
        self.assertAlmostEqual(mean, 0.2)
        self.assertAlmostEqual(half, 1.96 * 0.1 / 3 ** 0.5)
        self.assertEqual(self.mapped().energy(self.states()).a_clock()[1], float("inf"))

    def test_windows_lie_in_equal_parts_where_the_seed_says(self):
        drawn = silicon_units.windows(2_315_201, 8, 256, 1)
        self.assertEqual(drawn[0], (74620, 74875))
        self.assertEqual(drawn, silicon_units.windows(2_315_201, 8, 256, 1))
        self.assertNotEqual(drawn, silicon_units.windows(2_315_201, 8, 256, 2))
        for i, (first, last) in enumerate(drawn):
            self.assertEqual(last - first, 255)
            self.assertTrue(i * 289_400 <= first and last < (i + 1) * 289_400)
        self.assertEqual(silicon_units.windows(40, 4, 10, 3), [(0, 9), (10, 19), (20, 29), (30, 39)])
        with self.assertRaisesRegex(gate_energy.GateError, "do not fit into 40 clocks"):
            silicon_units.windows(40, 4, 11, 1)

    def test_samples_are_read_or_refused(self):
        self.assertEqual(silicon_units.samples("20x64"), (20, 64, 1))
        self.assertEqual(silicon_units.samples("20x64:7"), (20, 64, 7))
        for text in ("", "20", "0x64", "20x1", "20x64:", "20x64:1:2"):
            with self.subTest(text), self.assertRaisesRegex(ValueError, "as 8x256:1"):
                silicon_units.samples(text)

    def test_a_trace_may_have_several_windows(self):
        """What changes between two windows stands at the begin of the second."""
        clocks = self.trace.clocks
        first, last = clocks[len(clocks) // 3], clocks[len(clocks) // 2]
        gap = {f"#{2 * clock + half}" for clock in range(first, last + 1) for half in (0, 1)}
        lines, held, is_left_out = [], [], False
        for line in (FOLDER / "rtl" / "trace.vcd").read_text().splitlines():
            is_time = line.startswith("#")
            if is_time:
                is_left_out = line in gap
            if not is_time and is_left_out:
                held.append(line)
            elif not (is_time and is_left_out):
                lines += [line, *held] if is_time else [line]
                held = [] if is_time else held
        cut = signals.Trace("\n".join(lines) + "\n")
        self.assertEqual([cut.clocks[one] for window in cut.windows for one in window],
                         [clocks[0], first - 1, last + 1, clocks[-1]])
        whole = self.mapped().energy(self.states())
        energy = self.mapped().energy(self.states(cut))
        self.assertEqual(sum(energy.clocks), sum(whole.clocks) - (last - first + 2))
        self.assertEqual(energy.checked, FLIP_FLOPS * sum(energy.clocks))
        self.assertTrue(0 < energy.toggles < whole.toggles)

    def test_functions_bind_as_liberty_says(self):
        values = {"A": 0b1100, "B": 0b1010, "C": 0b1111}
        for text, expected in (("!(A & B)", 0b0111), ("A B + !C", 0b1000), ("(A+B)'", 0b0001),
                               ("A^B", 0b0110), ("!A*B|A", 0b1110), ("0", 0), ("1", 15)):
            with self.subTest(text):
                self.assertEqual(gate_energy.compile_function(text)(values, 15), expected)

    def test_energies_between_loads_are_interpolated(self):
        pin = self.library.cells["INV"].pins["Y"]
        self.assertEqual([pin.energy(load) for load in (0, 1, 6, 11, 50)], [0.5, 0.5, 1, 1.5, 1.5])

    def test_a_library_of_several_files_packed_or_not_is_one(self):
        head, tail = SMALL.read_text().split("  cell (NAND2)")
        nand, rest = ("  cell (NAND2)" + tail).split("  cell (NOR2)")
        (FOLDER / "first.lib").write_text(head + "  cell (NOR2)" + rest)
        (FOLDER / "second.lib.gz").write_bytes(
            gzip.compress(("library (more) {\n" + nand + "}\n").encode()))
        joined = liberty.read(liberty.joined([FOLDER / "first.lib", FOLDER / "second.lib.gz"]))
        self.assertEqual(sorted(joined.cells), sorted(self.library.cells))
        self.assertEqual(joined.cells["NAND2"].area, 2)

    def test_what_is_no_library_is_refused(self):
        for text in ("", "cell (INV) { area : 1; }", "library (x) { cell (A) { ", "}"):
            with self.subTest(text), self.assertRaises(liberty.LibertyError):
                liberty.read(text, "it")
        with self.assertRaisesRegex(liberty.LibertyError, "it: no cells"):
            liberty.read('library (x) { nom_voltage : 1; leakage_power_unit : "1nW"; }', "it")

    def test_arrays_are_composed_of_elements(self):
        def unit(name, area):
            return {"library": "l", "volts": 1, "unit": name, "area": area, "picoseconds": 7,
                    "cells": None, "flip_flops": None}

        record = {"units": [unit("processing_element", 10), unit("array_4", 170)],
                  "yosys": "", "network": "", "batch_size": 1, "samples": ""}
        silicon_table.add_composed(record)
        bits = silicon_table.register_bits
        self.assertEqual([one["unit"] for one in record["units"][2:]], ["array_16, composed"])
        self.assertAlmostEqual(record["units"][-1]["area"], 2560 + 10 * bits(16) / bits(4))
        # An array of 8 that was mapped shows how well composing does.
        record["units"].append(unit("array_8", 800))
        for _ in range(2):
            silicon_table.add_composed(record)
        composed = {one["unit"]: one["area"] for one in record["units"][3:]}
        self.assertEqual(list(composed), ["array_8, composed", "array_16, composed"])
        self.assertAlmostEqual(composed["array_8, composed"], 640 + 10 * bits(8) / bits(4))
        share = 100 * (composed["array_8, composed"] / 800 - 1)
        self.assertIn(f"Composed, array_8 on l has {composed['array_8, composed']:.0f} um2, {share:+.1f}% of the "
                      "mapped area.", silicon_table.markdown(record))


if __name__ == "__main__":
    unittest.main()
