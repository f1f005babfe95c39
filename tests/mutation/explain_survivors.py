#!/usr/bin/env python3
"""Says of each fault that the lock-step stimuli do not find why that is, and proves what it can.

  explain_survivors.py --prove build/bin/hlsc_prove     completes survivors.txt, writes survivors.md
  explain_survivors.py --check                          both say what the groups say

Both are in docs/trust. rtl_mutation writes the faults into survivors.txt; verdict and group are added here. The groups are in survivor_groups.py, the proofs in prove_faults.py.
Exit codes: 0 done, 1 a fault is of no group or the files disagree, 2 wrong usage.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from prove_faults import ROOT, Fault, Prover, numbered
from survivor_groups import GROUPS, NO_REASON, group_of

TRUST = ROOT / "docs" / "trust"
RECORD = TRUST / "survivors.txt"
UNEXPLAINED = "unexplained"
VERDICTS = ["proved", "argued", "gap", UNEXPLAINED]


def survivors():
    """(kernel, Fault) for each fault that was not found."""
    return [(kernel, Fault(int(number), module, statement, what))
            for kernel, number, module, what, statement, *_ in lines()]


def lines():
    return [line.split("\t") for line in RECORD.read_text().splitlines()]


def verdict_of(kernel, fault, is_proved):
    group = group_of(kernel, fault.statement, fault.what, is_proved)
    if group is None:
        return UNEXPLAINED, ""
    return ("proved" if is_proved else group.unproved), group.name


def explanation(is_proved):
    """A row (kernel, number, verdict, group) for each survivor."""
    return [(kernel, fault.number, *verdict_of(kernel, fault, is_proved(kernel, fault)))
            for kernel, fault in survivors()]


def proofs(program, lists):
    """Which survivors provably change nothing, as a function."""
    prover = Prover(program)
    before = {}
    for kernel in {kernel for kernel, _ in survivors()}:
        rows = [line.split("\t") for line in (lists / f"{kernel}.txt").read_text().splitlines()]
        faults = [Fault(int(number), *rest) for number, *rest in rows]
        for module in {fault.module for fault in faults}:
            prover.take_module(module, [fault for fault in faults if fault.module == module])
        before.update({(kernel, fault): earlier for fault, earlier in numbered(faults)})
    prover.check_itself({fault for _, fault in survivors()})
    return lambda kernel, fault: prover.is_equal(fault, before[kernel, fault])


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] +
                     ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def counts(rows):
    return [sum(row[2] == verdict for row in rows) for verdict in VERDICTS[:3]]


def page(rows):
    """survivors.md."""
    faults = {(kernel, fault.number): fault for kernel, fault in survivors()}
    kernels = list(dict.fromkeys(row[0] for row in rows))
    text = (
        "# Faults that the lock-step stimuli do not find\n\n"
        "Written by tests/mutation/explain_survivors.py from survivors.txt, which has each fault's "
        "statement and group.\n\n"
        "*Proved*: with the fault the pipeline still is its C++ function, for every input "
        "(`hlsc_prove`); such a\nfault cannot be found. *Argued*: it cannot show at a port for the "
        "reason given, unproved. *Gap*: inputs exist\nthat show it, and the stimuli make them seldom "
        "or never. The native tests of `fp32.h` and `mac.h` and the\nproofs of the generated pipelines "
        "(docs/verification.md) reach what the gaps leave out.\n\n")
    text += table(["kernel", "not found", "proved", "argued", "gap"],
                  [[kernel, len(own), *counts(own)] for kernel in kernels
                   for own in [[row for row in rows if row[0] == kernel]]])
    text += "\n## Groups\n\n"
    examples = []
    for group in [*GROUPS, NO_REASON]:
        own = [row for row in rows if row[3] == group.name]
        if not own:
            continue
        fault = faults[own[0][:2]]
        target = fault.statement.split("=")[0].removesuffix("<").strip()
        examples.append([group.name, f"`{target}`: {fault.what}", group.why, *counts(own)])
    text += table(["group", "example", "why it is not found", "proved", "argued", "gap"], examples)
    left = [row for row in rows if row[2] == UNEXPLAINED]
    if left:
        text += "\nOf no group: " + ", ".join(f"{row[0]} {row[1]}" for row in left) + "\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--prove", metavar="HLSC_PROVE")
    parser.add_argument("--lists", type=Path, default=ROOT / "build" / "tests" / "mutation",
                        help="where mutate_rtl.py wrote the kernels' lists")
    words = parser.parse_args()
    if bool(words.prove) == words.check:
        parser.error("either --prove or --check")
    if words.check:
        proved = {tuple(row[:2]) for row in lines() if row[5:6] == ["proved"]}
        rows = explanation(lambda kernel, fault: (kernel, str(fault.number)) in proved)
    else:
        rows = explanation(proofs(words.prove, words.lists))
    written = "".join("\t".join([*fault[:5], *row[2:]]) + "\n" for fault, row in zip(lines(), rows))
    wanted = {RECORD: written, TRUST / "survivors.md": page(rows)}
    for file, text in wanted.items():
        if not words.check:
            file.write_text(text)
        elif file.read_text() != text:
            raise SystemExit(f"{file.relative_to(ROOT)} is not what the groups say; "
                             "run scripts/report_trust")
    left = [row for row in rows if row[2] == UNEXPLAINED]
    for kernel, number, *_ in left:
        print(f"{kernel} {number} is of no group; give it one in tests/mutation/survivor_groups.py")
    raise SystemExit(1 if left else 0)


if __name__ == "__main__":
    main()
