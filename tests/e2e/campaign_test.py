#!/usr/bin/env python3
"""scripts/campaign goes on where it ended, was killed, or met a difference.

  tests/e2e/campaign_test.py SYSTOLE N
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIRST = 1_000_000  # of a campaign's seeds

# A `systole verify` that notes its seeds, takes its time, and finds a difference where it is told.
PROGRAM = """#!/usr/bin/env python3
import json, os, sys, time
words = dict(zip(sys.argv[3::2], sys.argv[4::2]))  # after: verify --quiet
seed, count = int(words["--seed"]), int(words["--programs"])
with open(os.environ["RUNS"], "a") as runs:
    runs.write(f"{seed} {count}\\n")
time.sleep(float(os.environ.get("SECONDS_A_SLICE", 0)))
if seed <= int(os.environ.get("DIFFERS", -1)) < seed + count:
    sys.exit(f"seed {os.environ['DIFFERS']} differs")
with open(words["--json"], "w") as file:
    json.dump({"array": int(words["--array"]), "seed": seed, "cases": count}, file)
"""


def campaign(record, cases, array=4, kind="verify", **env):
    return subprocess.Popen(
        [ROOT / "scripts/campaign", kind, "--goal", f"{array}={cases}", "--slice", "5",
         "--jobs", "2", "--nice", "0", "--record", record],
        env=os.environ | {key: str(value) for key, value in env.items()}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def ended(process, code):
    said, errors = process.communicate(timeout=120)
    assert process.returncode == code, f"{process.returncode}, not {code}: {said}{errors}"
    return errors


def seeds(record):
    """Those recorded, each of which must be there once."""
    found = [seed for one in json.loads(record.read_text())
             for seed in range(one["seed"], one["seed"] + one["cases"])]
    assert len(found) == len(set(found)), f"a seed is recorded twice: {found}"
    return sorted(found)


def killed_campaign_goes_on(folder, env):
    record = folder / "killed.json"
    process = campaign(record, 40, SECONDS_A_SLICE=0.5, **env)
    while not record.exists():
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    before = seeds(record)
    assert 0 < len(before) < 40, f"{len(before)} of 40 seeds were recorded before the kill"
    runs = len(Path(env["RUNS"]).read_text().splitlines())
    ended(campaign(record, 40, **env), 0)
    assert seeds(record) == list(range(FIRST, FIRST + 40)), seeds(record)
    again = len(Path(env["RUNS"]).read_text().splitlines()) - runs
    assert again == (40 - len(before)) // 5, f"{again} slices ran for the {40 - len(before)} left"
    ended(campaign(record, 40, **env), 0)  # nothing is left, so nothing runs
    assert len(Path(env["RUNS"]).read_text().splitlines()) == runs + again
    ended(campaign(record, 43, **env), 0)  # a larger goal goes on
    assert seeds(record) == list(range(FIRST, FIRST + 43))


def difference_is_not_recorded(folder, env):
    record = folder / "differs.json"
    errors = ended(campaign(record, 20, DIFFERS=FIRST + 7, **env), 1)
    assert f"seed {FIRST + 7} differs" in errors, errors
    left = [seed for seed in range(FIRST, FIRST + 20) if seed not in seeds(record)]
    assert set(range(FIRST + 5, FIRST + 10)) <= set(left), left
    ended(campaign(record, 20, **env), 0)  # mended: the gap is filled
    assert seeds(record) == list(range(FIRST, FIRST + 20))


def real_programs_are_recorded(folder, systole, array):
    record = folder / "real.json"
    ended(campaign(record, 7, array, SYSTOLE_PROGRAM=systole), 0)
    assert seeds(record) == list(range(FIRST, FIRST + 7))
    for one in json.loads(record.read_text()):
        assert one["differences"] == 0 and one["clocks"] > 0 and one["commit"], one


def lines_of_cores_are_recorded(folder, systole):
    record = folder / "lines.json"
    ended(campaign(record, 7, 2, "lines", SYSTOLE_PROGRAM=systole), 0)
    assert seeds(record) == list(range(1, 8))
    slices = json.loads(record.read_text())
    for one in slices:
        assert (one["cores"], one["array"], one["differences"]) == (2, 4, 0), one
    assert 0 < sum(one["faults"] for one in slices) < 7, slices


def random_kernels_are_recorded(folder):
    """Of both kinds, beside each other, with the commit that last changed the compiler or them."""
    record = folder / "kernels.json"
    ended(campaign(record, 3, "all", "kernels"), 0)
    ended(campaign(record, 2, "loops", "kernels"), 0)
    kernels, loops = json.loads(record.read_text())
    assert (kernels["form"], kernels["cases"], kernels["function"]) == ("all", 3, 1), kernels
    assert (loops["form"], loops["cases"], loops["loops"]) == ("loops", 2, 2), loops
    assert kernels["failed"] == loops["failed"] == 0 and kernels["commit"] == loops["commit"]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = folder / "program"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        env = {"SYSTOLE_PROGRAM": program, "RUNS": folder / "runs"}
        killed_campaign_goes_on(folder, env)
        difference_is_not_recorded(folder, env)
        real_programs_are_recorded(folder, Path(sys.argv[1]).resolve(), int(sys.argv[2]))
        lines_of_cores_are_recorded(folder, Path(sys.argv[1]).resolve())
        random_kernels_are_recorded(folder)


if __name__ == "__main__":
    main()
