"""Runs tests of JAX's own repository on the platform of $JAX_PLATFORMS, one generated case each.

    jax_cases.py FILE PLAN    prints a line of JSON as each test begins and ends

PLAN is JSON: `only` these tests, or all if it is empty, but for those that are `done`.

Cases are drawn of the types that a device has, as JAX's list for TPUs names those of a TPU.
"""

import importlib.util
import json
import os
import re
import sys
import traceback
import unittest
import warnings

os.environ["JAX_NUM_GENERATED_CASES"] = "1"

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from absl.testing import parameterized  # noqa: E402
from jax._src import test_util  # noqa: E402

TYPES = {np.bool_, np.int8, np.uint8, np.int32, np.uint32, np.float32, ml_dtypes.bfloat16}
TYPE_REFUSALS = ("is not supported: a device has", "a device has float32")


def outcome_of(error):
    """Of an exception that ended a test: (outcome, its text)."""
    refusals = (jax.errors.JaxRuntimeError, NotImplementedError)
    text = f"{type(error).__name__}: {error}"
    while error is not None:
        if isinstance(error, refusals):
            is_type = any(words in str(error) for words in TYPE_REFUSALS)
            return "refused by type" if is_type else "refused by operation", str(error)
        error = error.__cause__ or error.__context__
    return "wrong", text


def draw_cases_of_types():
    """Has JAX's tests draw cases of TYPES; a test with none is skipped."""
    test_util.supported_dtypes = lambda: TYPES
    decorator = parameterized._parameter_decorator

    def decorator_or_skip(naming, cases):
        try:
            return decorator(naming, cases)
        except parameterized.NoTestsError:
            return unittest.skip("no case of these types")

    parameterized._parameter_decorator = decorator_or_skip


def name_of(test):
    """Without addresses of functions, which are others in each process."""
    return re.sub(r" at 0x[0-9a-f]+", "", test.id().split(".", 1)[1])


class Printer(unittest.TestResult):
    def say(self, test, outcome, text=""):
        line = {"test": name_of(test), "outcome": outcome, "text": text[:2000]}
        print("\n" + json.dumps(line), flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.say(test, "begins")

    def addSuccess(self, test):
        self.say(test, "passed")

    def addSkip(self, test, reason):
        self.say(test, "skipped", reason)

    def addFailure(self, test, error):
        outcome, text = outcome_of(error[1])
        if outcome == "wrong":
            text += "\n" + "".join(traceback.format_tb(error[2])[-3:])
        self.say(test, outcome, text)

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.addFailure(test, error)


def all_tests(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from all_tests(one)
        else:
            yield one


def main():
    file = sys.argv[1]
    with open(sys.argv[2]) as plan:
        plan = json.load(plan)
    del sys.argv[1:]
    warnings.simplefilter("ignore")
    draw_cases_of_types()
    spec = importlib.util.spec_from_file_location("cases", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["cases"] = module
    spec.loader.exec_module(module)
    for test in all_tests(test_util.JaxTestLoader().loadTestsFromModule(module)):
        name = name_of(test)
        if name not in plan["done"] and (not plan["only"] or name in plan["only"]):
            test.run(Printer())


if __name__ == "__main__":
    main()
