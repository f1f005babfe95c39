"""Programs with known results, of other projects, on the platform `systole`; what became of each."""

import collections
import json
import os
import queue
import re
import subprocess
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = ROOT / "build" / "frameworks" / "bin" / "python"
OUTCOMES = ["passed", "refused by type", "refused by operation", "wrong"]
MOST_SECONDS = 300  # for one case


def version_of_jax():
    return subprocess.run([PYTHON, "-c", "import jax; print(jax.__version__)"], capture_output=True,
                          text=True, check=True).stdout.strip()


def lines_of(process):
    """A process's lines as they come; ends with it, or when it is silent for too long."""
    lines = queue.Queue()
    def read():
        for line in process.stdout:
            lines.put(line)
        lines.put(None)
    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=MOST_SECONDS)
        except queue.Empty:
            process.kill()
            return
        if line is None:
            return
        yield line


def run(cases, source, platform, device, only=()):
    """The last line that tests/python/CASES prints of each case of a source. One that ends its process
    is wrong, and the others go on."""
    environment = os.environ | {
        "SYSTOLE_LIBRARY": str(ROOT / "build" / "lib" / "libsystole.so"), "JAX_PLATFORMS": platform,
        "PYTHONPATH": str(ROOT / "host" / "python"), "SYSTOLE_DEVICE": device}
    if not device:
        del environment["SYSTOLE_DEVICE"]
    done = {}
    while True:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as plan:
            json.dump({"only": list(only), "done": list(done)}, plan)
            plan.flush()
            process = subprocess.Popen(
                [PYTHON, ROOT / "tests" / "python" / cases, source, plan.name], text=True,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
            runs = None
            for line in lines_of(process):
                if not line.startswith('{"test"'):
                    continue
                one = json.loads(line)
                runs = one["test"] if one["outcome"] == "begins" else None
                if runs is None:
                    done.setdefault(one["test"], one)
                    if one["outcome"] != "passed":
                        done[one["test"]] = one
            process.wait()
        if runs is None:
            return done
        done[runs] = {"test": runs, "outcome": "wrong", "text": "the process ended"}


def counted(cases, source, device, only=()):
    """What became of each case that JAX's CPU passes."""
    tests = run(cases, source, "systole,cpu", device, only)
    failed = [name for name, one in tests.items() if one["outcome"] == "wrong"]
    if failed:
        for name, one in run(cases, source, "cpu", "", failed).items():
            if one["outcome"] != "passed":
                del tests[name]
    return {name: one for name, one in tests.items() if one["outcome"] in OUTCOMES}


def entry(tests, passed_before=0):
    """Of a record: how many cases came to what, and each that did not pass."""
    found = collections.Counter(one["outcome"] for one in tests.values())
    found["passed"] += passed_before
    return {"counts": {name: found[name] for name in OUTCOMES},
            "refused": sorted((one | {"text": one["text"][:250]} for one in tests.values()
                               if one["outcome"] != "passed"), key=lambda one: one["test"])}


def reason(one):
    """Why a test is refused, without its place."""
    text = re.sub(r"^(\w+: )?(\S+:\d+: )?", "", one["text"].splitlines()[0])
    text = re.sub(r"tensor<[^>]*>", "tensor", text)
    return re.sub(r" is not supported: (a device has|compute it).*", "", text)[:120]


def table(head, entries):
    """A row for each of {what: entry}, and what was refused most."""
    lines = [f"| {head} | " + " | ".join(OUTCOMES) + " | passed of those whose types a device has |",
             "|---|---|---|---|---|---|"]
    refused = collections.Counter()
    for name, one in entries.items():
        counts = one["counts"]
        held = sum(counts.values()) - counts["refused by type"]
        lines.append(f"| {name} | " + " | ".join(str(counts[outcome]) for outcome in OUTCOMES) +
                     f" | {100 * counts['passed'] / held:.1f}% |")
        refused.update(reason(test) for test in one["refused"] if test["outcome"] == "refused by operation")
    most = "; ".join(f"{text} ({count})" for text, count in refused.most_common(8))
    return "\n".join(lines) + f"\n\nRefused most: {most}.\n"


def has_wrong(entries):
    return any(one["counts"]["wrong"] for one in entries.values())
