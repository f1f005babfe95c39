"""What became of JAX's own tests and StableHLO's programs: docs/trust, and the tables in docs/results.md."""

import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import unittest

SOURCE = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(SOURCE / "scripts" / "lib"))
import known_results  # noqa: E402

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
    named = known_results.OUTCOMES[1:]  # of these the record has each test
    files = script.FILES

    def test_no_result_is_wrong(self):
        self.assertEqual(list(self.record["files"]), self.files)
        self.assertFalse(known_results.has_wrong(self.record["files"]))

    def entries(self):
        """Of each file by itself."""
        return self.record["files"]

    def test_most_tests_whose_types_a_device_has_pass(self):
        for file, one in self.entries().items():
            counts = one["counts"]
            held = sum(counts.values()) - counts["refused by type"]
            self.assertGreaterEqual(counts["passed"] / held, LEAST_PASSED, file)
            self.assertGreater(held, 100, file)

    def test_each_refused_test_has_its_reason(self):
        for one in self.record["files"].values():
            for outcome in self.named:
                tests = [test for test in one["refused"] if test["outcome"] == outcome]
                self.assertEqual(len(tests), one["counts"][outcome])
                self.assertTrue(all(known_results.reason(test) for test in tests))

    def test_the_table_in_results_is_the_records(self):
        self.assertIn(self.script.text_of(self.record).strip(), (SOURCE / "docs" / "results.md").read_text())


class Programs(Functions):
    script = load("stablehlo_tests")
    record = json.loads((SOURCE / "docs" / "trust" / "stablehlo.json").read_text())
    named = ["refused by operation", "wrong"]
    files = script.FOLDERS

    def entries(self):
        return {"all": self.script.total(self.record["files"])}


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
