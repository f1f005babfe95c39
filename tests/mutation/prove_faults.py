"""Proves that a fault in a pipeline changes nothing: that with it the module is still its C++.

The lanes of an array print a pipelined function in a loop, which no proof reads; but the same stages
stand in a module of their own (systole_multiply_add, systole_accumulate_add), statement by
statement, under names that differ in the path to a value and its stage. A fault of a lane is put there, and hlsc_prove compares the module with
the C++ function for every input and whatever the registers held.
"""

import re
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

MUTATE = Path(__file__).resolve().parent / "mutate_rtl.py"
ROOT = MUTATE.parent.parent.parent
RTL = ROOT / "rtl" / "generated"

Pipeline = namedtuple("Pipeline", "module kernel top constant")
MAC = Pipeline("systole_multiply_add", "mac.h", "mac", "kMacStages")
ACCUMULATE = Pipeline("systole_accumulate_add", "accumulate.h", "accumulate", "kAccumulateStages")
PIPELINE_OF = {
    "systole_processing_element": MAC,
    "systole_systolic_array": MAC,
    "systole_accumulators": ACCUMULATE,
}
# What the modules with lanes call the inputs of the first stage.
INPUTS = {
    MAC: {"operand_is_int8": "is_int8_i", "operand_activation": "activation_i",
          "weight": "weight_i", "sum_from_above": "sum_i"},
    ACCUMULATE: {"is_int8": "is_int8_i", "accumulate": "accumulate_i", "old": "total_i",
                 "sum": "sum_i"},
}
REGISTER = re.compile(r"_q(_\d+)?$")
STAGE = re.compile(r"^s\d_(?=.)")
PATH = re.compile(r"^(pe|mac|total|add|integers)_(?=..)")
LEAST_MATCH = 0.85  # of a pipeline's statements; fewer, and the names above are out of date

Fault = namedtuple("Fault", "number module statement what")


def plain_name(name, pipeline):
    """The name without where it lies: pe_mac_s1_big_q, s1_big and big are one value."""
    path, stage = REGISTER.sub("", name), ""
    while True:
        if STAGE.match(path):
            stage = "s"
        shorter = PATH.sub("", STAGE.sub("", path))
        if shorter == path:
            break
        path = shorter
    return path if stage else INPUTS[pipeline].get(path, path)


def canonical(statement, pipeline):
    """The statement as it is spelt in every module that has the pipeline."""
    text = statement.replace("[lane]", "").replace(" <= ", " = ", 1)
    return re.sub(r"\d+'\w+|[A-Za-z_]\w*",
                  lambda word: word[0] if word[0][0].isdigit() else plain_name(word[0], pipeline), text)


def faults_of(module):
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "list"
        mutate("--output", Path(folder) / "all.sv", "--list", found, RTL / f"{module}.sv")
        rows = [line.split("\t") for line in found.read_text().splitlines()]
    return [Fault(int(number), *rest) for number, *rest in rows]


def mutate(*words):
    subprocess.run([sys.executable, MUTATE, *words], check=True)


class Prover:
    """Asks hlsc_prove about each distinct fault once."""

    def __init__(self, program):
        self.program = program
        self.places = {}
        self.ambiguous = {}
        self.verdicts = {}

    def is_equal(self, fault, before):
        """Whether `fault` provably changes nothing; False where it may, or is in no pipeline.
        `before` counts the faults of its name earlier in its statement."""
        pipeline = PIPELINE_OF.get(fault.module)
        if not pipeline:
            return False
        if pipeline not in self.places:
            self.places[pipeline] = self.find_places(pipeline)
        statement = canonical(fault.statement, pipeline)
        if statement in self.ambiguous.get(fault.module, ()):
            return False
        number = self.places[pipeline].get((statement, fault.what, before))
        if number is None:
            return False
        if (pipeline, number) not in self.verdicts:
            self.verdicts[pipeline, number] = self.prove(pipeline, number)
        return self.verdicts[pipeline, number]

    def take_module(self, module, faults):
        """Learns the statements of the module that has the faults: those spelt alike are told
        apart by nothing, so nothing is proved of them."""
        pipeline = PIPELINE_OF.get(module)
        if not pipeline:
            return
        spelt = {}
        for fault in faults:
            spelt.setdefault(canonical(fault.statement, pipeline), set()).add(fault.statement)
        self.ambiguous[module] = {text for text, all_ in spelt.items() if len(all_) > 1}
        wanted = {canonical(fault.statement, pipeline) for fault in faults_of(pipeline.module)}
        if len(wanted & spelt.keys()) < LEAST_MATCH * len(wanted):
            raise SystemExit(
                f"{module} has {len(wanted & spelt.keys())} of the {len(wanted)} statements of "
                f"{pipeline.module}, for example not '{min(wanted - spelt.keys())}'; correct the "
                "names in tests/mutation/prove_faults.py")

    def check_itself(self, not_found):
        """Of each pipeline, a fault that the stimuli do find must be refuted."""
        for module, pipeline in PIPELINE_OF.items():
            lost = {canonical(fault.statement, pipeline) for fault in not_found}
            found = next(fault for fault in faults_of(pipeline.module)
                         if fault.what == "is not written" and
                         canonical(fault.statement, pipeline) not in lost)
            if self.prove(pipeline, found.number):
                raise SystemExit(f"{self.program} proves that {found.what} in {found.statement} "
                                 "changes nothing; trust none of its proofs")

    @staticmethod
    def find_places(pipeline):
        places = {}
        for fault, before in numbered(faults_of(pipeline.module)):
            key = (canonical(fault.statement, pipeline), fault.what, before)
            places[key] = None if key in places else fault.number  # said twice: which is not known
        return places

    def prove(self, pipeline, number):
        kernel = ROOT / "hls" / "kernels" / pipeline.kernel
        stages = re.search(rf"{pipeline.constant} = (\d+);", kernel.read_text())[1]
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder) / "faulty.sv"
            mutate("--output", text, "--only", str(number), RTL / f"{pipeline.module}.sv")
            return subprocess.run(
                [self.program, kernel, "--top", pipeline.top, "--stages", stages, "-I", ROOT, "-I",
                 ROOT / "hls" / "include", "--rtl", text, "--module", pipeline.module],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def numbered(faults):
    """Each fault with how many of the same name its statement has before it."""
    seen = {}
    for fault in faults:
        key = (fault.module, fault.statement, fault.what)
        yield fault, seen.get(key, 0)
        seen[key] = seen.get(key, 0) + 1
