#!/usr/bin/env python3
"""Damaged kernels through hlsc, or damaged modules through hlsc_prove.

  fuzz_hlsc.py --hlsc BUILD/bin/hlsc --mutants M | --seconds S [--seed N] [--keep FOLDER]
  fuzz_hlsc.py --hlsc_prove BUILD/bin/hlsc_prove ...

Changes a few tokens or statements of one kernel of tests/compiler/kernels at a time: hlsc refuses
it with a message, or compiles it to SystemVerilog that Verilator reads. Or of rtl/generated's
multiply-add: hlsc_prove refuses it, refutes it, or proves it. Statements are wrapped in branches and
loops, moved, and taken from other kernels, and operands become expressions, so that most changes
pass clang and hlsc itself has to answer; the counts say how many. A crash, an internal error, a
minute without an answer and an error without a message are findings; --keep writes their sources
to FOLDER, --json FILE the counts.
Exit codes: 0 none, 1 some, 2 wrong usage.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
KERNELS = ROOT / "tests" / "compiler" / "kernels"
MODULE = ROOT / "rtl" / "generated" / "systole_multiply_add.sv"
TIMEOUT = 60  # seconds
NUMBERS = ["0", "1", "2", "3", "7", "31", "32", "63", "64", "127", "128", "129", "1000000"]
ALIKE = [["+", "-", "*", "/", "%"], ["&", "|", "^"], ["<", ">"], ["UInt", "Int"],
         ["UInt1", "UInt8", "UInt16", "Int8", "Int32", "bool"], ["if", "while"],
         ["const", "constexpr", "static", "auto", "volatile"], ["break", "continue", "return"],
         ["(", ")", "{", "}", "[", "]", ";", ",", ".", ":", "?", "=", "!"]]

# A statement, or an operand, where @ is.
AROUND_STATEMENT = ["if (%n > 2) { @ }", "if (%n == 0) { @ } else { @ }", "@ @", "{ @ }",
                    "for (int fuzz = 0; fuzz < 3; ++fuzz) { @ }",
                    "for (UInt4 fuzz = 0; fuzz < 9; ++fuzz) { if (fuzz == 5) break; @ }",
                    "while (%n != 0) { @ }", "if (%n < 3) return; @", "switch (1) { default: @ }"]
AROUND_OPERAND = ["(@ + 1)", "(@ >> 1)", "(@ << 2)", "(-@)", "(~@)", "(@ * @)", "(@ > 3 ? @ : 0)",
                  "UInt<7>(@)", "Int<65>(@)", "UInt<1>(@)", "(@ == @)", "(@ % 7)", "(@)[0]"]


def models():
    """(header, top) of every model of the compiler's lock-step tests."""
    text = (ROOT / "tests" / "compiler" / "CMakeLists.txt").read_text()
    return re.findall(r'"\w+ (\w+) ([^"]+)"', text)


def alike(token, names, rng):
    """Another token that may well stand in the same place."""
    if token.isdigit():
        return rng.choice(NUMBERS)
    for group in ALIKE:
        if token in group:
            return rng.choice(group)
    return rng.choice(names) if token in names else token


def tokens_of(source):
    return re.findall(r"//.*|\s+|\w+|[^\w\s]", source)


def first_of_kernel(tokens):
    """Where includes and `using` end."""
    return next((i for i, token in enumerate(tokens) if token in ("struct", "class", "template",
                                                                  "always_ff", "input")), 0)


def statements(tokens):
    """[begin, end) of each that ends with a semicolon and holds no brace, assignments where there
    are any: their neighbours are statements, not members."""
    stops = [i for i, token in enumerate(tokens) if token in ";{}"]
    found = [(begin + 1, end + 1) for begin, end in zip(stops, stops[1:])
             if tokens[end] == ";" and begin > first_of_kernel(tokens)]
    assignments = [(begin, end) for begin, end in found
                   if re.match(r"\s*(//.*\s+)*[a-z]\w*(\[[^=]*\])*\s*[-+*&|^]?=[^=]",
                               "".join(tokens[begin:end]))]
    return assignments or found


def value_in(tokens, rng):
    values = [token for token in tokens if re.fullmatch(r"[a-z]\w*_?", token)]
    return rng.choice(values or ["0"])


def mutated(source, rng, others):
    """Most changes leave C++ that clang takes, so that hlsc itself has to answer."""
    tokens = tokens_of(source)
    names = sorted({token for token in tokens if re.fullmatch(r"[A-Za-z_]\w*", token)})
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        start = first_of_kernel(tokens)
        places = [i for i, token in enumerate(tokens)
                  if i >= start and token.strip() and not token.startswith("//")]
        begin, end = rng.choice(statements(tokens))
        body = "".join(tokens[begin:end])
        kind = rng.random()
        if kind < 0.3:
            at = rng.choice(places)
            tokens[at] = alike(tokens[at], names, rng)
        elif kind < 0.34:
            tokens[rng.choice(places)] = chr(rng.randrange(1, 0x250))
        elif kind < 0.38:
            at = rng.choice(places)
            tokens[at] = rng.choice(["", f"{tokens[at]} {tokens[at]}"])
        elif kind < 0.7:  # an operand of an assignment's right side
            sides = tokens[begin:end]
            after = sides.index("=") + 1 if "=" in sides else 0
            operands = [i for i in range(begin + after, end)
                        if re.fullmatch(r"[a-z]\w*_?|\d+", tokens[i]) and tokens[i + 1] not in "(:<"]
            at = rng.choice(operands or places)
            tokens[at] = rng.choice(AROUND_OPERAND).replace("@", tokens[at])
        else:
            if kind < 0.76:
                body = ""
            elif kind < 0.8:  # from another kernel
                other = tokens_of(rng.choice(others))
                first, last = rng.choice(statements(other))
                body += "".join(other[first:last])
            else:
                body = (rng.choice(AROUND_STATEMENT).replace("%n", value_in(tokens[begin:end], rng))
                        .replace("@", body))
            tokens[begin:end] = [body]
            tokens = tokens_of("".join(tokens))
    return "".join(tokens)


def fault(hlsc, source, top, folder):
    """What hlsc did that it must not, "" where it did well; and whether it compiled the source, and
    whether clang did."""
    kernel = folder / "kernel.h"
    kernel.write_text(source)
    out = folder / "rtl"
    out.mkdir(exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    command = [hlsc, kernel, "--top", top, "-I", ROOT, "-I", ROOT / "hls" / "include",
               "--output-dir", out]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"more than {TIMEOUT} s", False, True
    if run.returncode == 1:
        told = run.stderr.startswith("hlsc: error: ")
        by_clang = re.match(r"hlsc: error: \S+:\d+:\d+: ", run.stderr) is not None
        return "" if told else f"an error without a message: {run.stderr[:200]}", False, not by_clang
    if run.returncode != 0:
        return f"exit code {run.returncode}: {run.stderr[:300]}", False, True
    files = sorted(out.glob("*.sv"))
    lint = subprocess.run(["verilator", "--lint-only", "-Wno-fatal", "-Wno-lint", "-Wno-style",
                           "-Wno-MULTITOP", *files, *(ROOT / "rtl" / "cells").glob("*.sv")],
                          capture_output=True, text=True)
    told = "" if lint.returncode == 0 else f"RTL that is no SystemVerilog: {lint.stderr[:300]}"
    return told, True, True


def fault_of_proof(hlsc_prove, source, folder):
    """The same of hlsc_prove and a module."""
    module = folder / "module.sv"
    module.write_text(source)
    command = [hlsc_prove, ROOT / "hls" / "kernels" / "mac.h", "--top", "mac", "--stages", "5",
               "-I", ROOT, "-I", ROOT / "hls" / "include", "--rtl", module,
               "--module", MODULE.stem, "--timeout", "10"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"more than {TIMEOUT} s", False, True
    said = run.stdout + run.stderr
    if run.returncode in (0, 1) and said.strip():
        return "", run.returncode == 0, "counterexample" in said or run.returncode == 0
    return f"exit code {run.returncode}: {said[:300]}", False, True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    tool = parser.add_mutually_exclusive_group(required=True)
    tool.add_argument("--hlsc", type=Path)
    tool.add_argument("--hlsc_prove", type=Path)
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not options.mutants and not options.seconds:
        parser.error("say --mutants M or --seconds S")
    program = (options.hlsc or options.hlsc_prove).resolve()
    if not program.exists():
        parser.error(f"{program} is not there: build it first")
    begin = time.monotonic()
    end = time.monotonic() + (options.seconds or 1e9)
    done = compiled = beyond = faults = 0
    others = [file.read_text() for file in sorted(KERNELS.glob("*.h"))]
    with tempfile.TemporaryDirectory() as scratch:
        while time.monotonic() < end and not (options.mutants and done >= options.mutants):
            seed = options.seed + done
            rng = random.Random(seed)
            if options.hlsc:
                header, top = rng.choice(models())
                kernel = KERNELS / f"{header}.h"
                source = mutated(kernel.read_text(), rng, others)
                found, accepted, parsed = fault(program, source, f"tests::{top}", Path(scratch))
            else:
                kernel, top = MODULE, "mac"
                source = mutated(kernel.read_text(), rng, [kernel.read_text()])
                found, accepted, parsed = fault_of_proof(program, source, Path(scratch))
            done += 1
            compiled += accepted
            beyond += parsed
            if found:
                faults += 1
                print(f"seed {seed}, {kernel.name}, --top '{top}': {found}", flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / f"{seed}_{kernel.name}").write_text(source)
    if options.json:
        options.json.write_text(json.dumps({"executions": done, "found": faults,
                                            "beyond_parser": beyond,
                                            "seconds": round(time.monotonic() - begin)}))
    print(f"{done} mutants: {beyond} beyond the parser, {compiled} accepted, "
          f"{done - compiled - faults} refused, {faults} faults")
    sys.exit(faults != 0)


if __name__ == "__main__":
    main()
