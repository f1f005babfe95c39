#!/usr/bin/env python3
"""Toggles of two runs of a real training step, from its simulation on, are equal, and the configuration
for LibreLane has the whole core.

  silicon_step_test.py BUILD FOLDER    FOLDER is made
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SMALL = Path(__file__).resolve().parent / "silicon" / "small.lib"
SAMPLES = "1x128:21"  # a window in which rows enter the array


def toggles(build, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    done = subprocess.run(
        [ROOT / "scripts" / "silicon", SMALL, "--units", "processing_element", "--network",
         "mnist-mlp", "--batch-size", "8", "--samples", SAMPLES, "--output", folder],
        capture_output=True, text=True, check=False, env=os.environ | {"SYSTOLE_BUILD": str(build)})
    if "fashion-mnist: no data files" in done.stderr:
        print("skipped: no fashion-mnist")
        sys.exit(0)
    assert done.returncode == 0, done.stderr
    # The head has the date.
    values = next(folder.glob("*.vcd")).read_text().partition("$scope")[2]
    return values, json.loads((folder / "table.json").read_text())["units"][0]["energy"]


def check_librelane(folder):
    """Each module is in a file of the configuration, and nothing is in two."""
    config = json.loads((folder / "librelane" / "config.json").read_text())
    assert "not run" in config["//"]
    files, boxes = (" ".join(config[name]) for name in ("VERILOG_FILES", "EXTRA_VERILOG_MODELS"))
    defines = " ".join(f"-D {name}" for name in config["VERILOG_DEFINES"])
    subprocess.run(["yosys", "-q", "-p", f"read_verilog -sv -lib {boxes}; read_verilog -sv {defines} {files}; "
                    f"hierarchy -check -top {config['DESIGN_NAME']}"], check=True)


def main():
    build, folder = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    (first_trace, first), (second_trace, second) = (
        toggles(build, folder / name) for name in ("first", "second"))
    assert first["rows"] > 0 and first["toggles"] > 0, "the window has no row"
    assert first["checked"] > 0
    assert first == second, f"two runs differ: {first} and {second}"
    assert first_trace == second_trace, "the traces of two runs differ"
    check_librelane(folder / "first")


if __name__ == "__main__":
    main()
