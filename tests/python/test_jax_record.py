"""docs/trust/jax.json: what became of JAX's own tests, and the table of it in docs/results.md."""

import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import unittest

SOURCE = pathlib.Path(__file__).parents[2]
LEAST_PASSED = 0.85  # of the tests whose types a device has


def load(name):
    """A script as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(SOURCE / "scripts" / name))
    spec = importlib.util.spec_from_loader(name, loader)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


class Functions(unittest.TestCase):
    script = load("jax_tests")
    record = json.loads((SOURCE / "docs" / "trust" / "jax.json").read_text())

    def test_no_result_is_wrong(self):
        self.assertEqual(list(self.record["files"]), self.script.FILES)
        for file, one in self.record["files"].items():
            self.assertEqual(one["counts"]["wrong"], 0, file)

    def test_most_tests_whose_types_a_device_has_pass(self):
        for file, one in self.record["files"].items():
            counts = one["counts"]
            held = sum(counts.values()) - counts["refused by type"]
            self.assertGreaterEqual(counts["passed"] / held, LEAST_PASSED, file)
            self.assertGreater(held, 100, file)

    def test_each_refused_test_has_its_reason(self):
        for one in self.record["files"].values():
            for outcome in self.script.OUTCOMES[1:]:
                named = [test for test in one["refused"] if test["outcome"] == outcome]
                self.assertEqual(len(named), one["counts"][outcome])
                self.assertTrue(all(self.script.reason(test) for test in named))

    def test_the_table_in_results_is_the_records(self):
        self.assertIn(self.script.table(self.record).strip(), (SOURCE / "docs" / "results.md").read_text())


class Versions(unittest.TestCase):
    script = load("jax_versions")
    record = json.loads((SOURCE / "docs" / "trust" / "jax_versions.json").read_text())

    def test_losses_are_the_same_in_all_versions(self):
        self.assertGreaterEqual(len({row["jax"] for row in self.record["rows"]}), 3)
        self.assertTrue(self.script.agree(self.record["rows"]))

    def test_the_table_in_results_is_the_records(self):
        self.assertIn(self.script.table(self.record).strip(), (SOURCE / "docs" / "results.md").read_text())


if __name__ == "__main__":
    unittest.main()
