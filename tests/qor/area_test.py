#!/usr/bin/env python3
"""scripts/area on a small device of two commits."""

import importlib.machinery
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))
import fpga  # noqa: E402
import recorded  # noqa: E402

loader = importlib.machinery.SourceFileLoader("area", str(ROOT / "scripts" / "area"))
area = importlib.util.module_from_spec(importlib.util.spec_from_loader("area", loader))
loader.exec_module(area)

# Three instances of a part that keeps WIDTH bits; the inputs' xor is the top's own.
TOP = """module systole_accelerator (
  input  logic clk_i,
  input  logic [7:0] a_i,
  input  logic [7:0] b_i,
  output logic [23:0] sum_o
);
  for (genvar i = 0; i < 3; i++) begin : gen_part
    systole_part u_part (
      .clk_i(clk_i), .a_i(a_i ^ b_i), .sum_o(sum_o[i*8 +: 8])
    );
  end
endmodule
"""
PART = """module systole_part (
  input  logic clk_i,
  input  logic [7:0] a_i,
  output logic [7:0] sum_o
);
  logic [WIDTH-1:0] sum_q;
  assign sum_o = 8'(sum_q);
  always_ff @(posedge clk_i) sum_q <= a_i[WIDTH-1:0];
endmodule
"""


class Area(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.repository = cls.folder / "repository"
        (cls.repository / "rtl" / "generated").mkdir(parents=True)
        (cls.repository / "rtl" / "cells").mkdir()
        (cls.repository / "rtl" / "cells" / "cell.sv").write_text("module cell; endmodule\n")
        (cls.repository / "rtl" / "generated" / "systole_accelerator.sv").write_text(TOP)
        cls.git("init", "-q")
        for width in (4, 8):
            (cls.repository / "rtl" / "generated" / "systole_part.sv").write_text(
                PART.replace("8'(sum_q)", f"{{{8 - width}'d0, sum_q}}" if width < 8 else "sum_q")
                .replace("WIDTH", str(width)))
            cls.git("add", "-A")
            cls.git("-c", "user.name=a", "-c", "user.email=b", "commit", "-q", "-m", f"{width} bits")
        cls.output = cls.folder / "area"
        cls.commits = [cls.commit(name) for name in ("HEAD^", "HEAD")]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def git(cls, *words):
        subprocess.run(["git", *words], cwd=cls.repository, check=True)

    @classmethod
    def commit(cls, name):
        return area.Commit(name, cls.output, cls.repository)

    def compared(self, targets):
        return area.compared(*self.commits, targets, ["systole_accelerator", "systole_part"], 1, self.output)

    def test_a_module_counts_its_own_logic(self):
        found = self.compared(["xc7", "ecp5"])
        for target in ("xc7", "ecp5"):
            before, after = found["systole_part"][target]
            self.assertEqual((before["flip_flops"], after["flip_flops"], after["luts"]), (4, 8, 0))
            before, after = found["systole_accelerator"][target]
            self.assertEqual((before["flip_flops"], before["luts"], after), (0, 8, before))

    def test_the_sums_count_instances(self):
        self.assertEqual([one.instances() for one in self.commits],
                         2 * [{"systole_accelerator": 1, "systole_part": 3}])
        record = {"modules": [{"module": name, "instances": [times, times], "areas": areas}
                              for times, (name, areas) in zip((1, 3), self.compared(["xc7"]).items())]}
        self.assertIn("| these, by instances |  | 8 / 8 | +0.0% | 12 / 24 | +100.0% |", recorded.area_table(record))

    def test_what_two_commits_share_is_synthesised_once(self):
        self.compared(["xc7", "ecp5"])
        self.assertEqual(len(list((self.output / "kept").iterdir())), 2 * (1 + 2))

    def test_a_module_of_one_commit_alone_is_shown(self):
        areas = {"xc7": [None, {"luts": 5, "flip_flops": 1}]}
        table = recorded.area_table({"modules": [{"module": "systole_new", "instances": [0, 2], "areas": areas}]})
        self.assertIn("| new | 0 / 2 | 0 / 5 |  | 0 / 1 |  |", table)

    def test_an_unknown_commit_is_refused(self):
        with self.assertRaisesRegex(fpga.ToolError, "git knows no commit 'nothing'"):
            self.commit("nothing")

    def test_wrong_words_are_refused(self):
        for words, said in ((["HEAD", "--targets", "z80"], "unknown target z80; choose from xc7"),
                            (["HEAD", "--jobs", "0"], "--jobs is at least 1")):
            done = subprocess.run([sys.executable, ROOT / "scripts" / "area", *words], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
