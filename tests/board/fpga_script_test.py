#!/usr/bin/env python3
"""scripts/fpga: what it refuses, and what its page says of a router's report."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
spec = importlib.util.spec_from_file_location("fpga_report", ROOT / "scripts/lib/fpga_report.py")
fpga_report = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fpga_report)
import fpga  # noqa: E402


def run(*words, **environment):
    return subprocess.run([sys.executable, ROOT / "scripts" / "fpga", *words], capture_output=True,
                          text=True, check=False, env={**os.environ, **environment})


def step(delay, kind, cell):
    return {"delay": delay, "type": kind, "to": {"cell": cell}}


REPORT = {
    "fmax": {"$glbnet$clk": {"achieved": 41.5, "constraint": 40.0}},
    "utilization": {"TRELLIS_COMB": {"used": 30000, "available": 83640}},
    "critical_paths": [
        {"from": "posedge $glbnet$clk", "to": "posedge $glbnet$clk",
         "path": [step(0.5, "clk-to-q", "a"), step(3.5, "routing", "b"), step(2, "logic", "b"),
                  step(1, "setup", "c")]},
        {"from": "<async>", "to": "posedge $glbnet$clk", "path": [step(2.5, "routing", "d")]},
        {"from": "posedge $glbnet$clk", "to": "<async>", "path": [step(6.5, "routing", "e")]}]}
BOARD = {"top": "systole_ulx3s", "part_name": "a part", "clock_mhz": 40}


class Refusals(unittest.TestCase):
    def test_a_board_must_be_named(self):
        done = run()
        self.assertEqual(done.returncode, 2)
        self.assertIn("--board", done.stderr)

    def test_an_unknown_board_lists_the_known_ones(self):
        done = run("--board", "arty")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no board 'arty'; there are ulx3s", done.stderr)

    def test_without_hlsc_it_says_how_to_build_it_and_installs_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("--board", "ulx3s", "--output", folder, SYSTOLE_HLSC="/no/hlsc")
            self.assertEqual(done.returncode, 1)
            self.assertIn("--target hlsc", done.stderr)
            self.assertEqual(list(Path(folder).iterdir()), [])


class Page(unittest.TestCase):
    def test_the_slowest_path_is_that_of_the_clock(self):
        result = fpga_report.summary(BOARD, {}, REPORT, 1, ["tool==1"])
        self.assertEqual(result["slowest_ns"], 7)
        self.assertEqual(result["logic_ns"], 3.5)
        self.assertEqual(result["pads_ns"], {"out": 6.5, "in": 2.5})
        page = fpga_report.page(result)
        self.assertIn("40 MHz, timing met", page)
        self.assertIn("30,000 of 83,640", page)

    def test_a_missed_clock_is_said(self):
        result = fpga_report.summary({**BOARD, "clock_mhz": 42}, {}, REPORT, 1, [])
        self.assertIn("timing NOT met", fpga_report.page(result))

    def test_a_report_without_the_clocks_path_is_refused(self):
        with self.assertRaisesRegex(fpga.ToolError, "no path of the clock"):
            fpga_report.summary(BOARD, {}, {**REPORT, "critical_paths": []}, 1, [])


class Pins(unittest.TestCase):
    def test_every_pin_of_the_top_has_a_site_of_its_own(self):
        text = (ROOT / "rtl/shell/systole_ulx3s.lpf").read_text().splitlines()
        sites = [line.split('"')[3] for line in text if line.startswith("LOCATE")]
        self.assertEqual(len(sites), len(set(sites)))
        self.assertEqual(len(sites), 5 + 8 + 6 + 2 + 13 + 2 + 16)


if __name__ == "__main__":
    unittest.main()
