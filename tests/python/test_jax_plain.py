"""JAX and Keras-on-JAX train on the cores without a change: plain_jax.py, in processes of its own.

The environment alone chooses the device. Python finds jax_plugins.systole beside the package.
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import systole

# One rounding of an operand to bf16 is half of 2^-8; a product has two, losses are sums of many.
BF16_TOLERANCE = 2.0**-6
STEPS = 3
# Products of a step: forward, weights' gradients, and inputs' gradients of all layers but the first.
# A scan and a batched product run one for each step and each matrix.
PRODUCTS = {"mlp": 5, "cnn": 8, "keras": 8, "gru": 87, "attention": 153}
TRAIN = """
import json, sys
import numpy as np
import plain_jax

def each_step():
    if sys.argv[1] == "none":
        assert "systole" not in sys.modules
        return []
    import systole
    step = systole.last_step()
    return [step.device, step.clocks, step.products, step.macs]

for name in sys.argv[3:]:
    losses, weights, steps = plain_jax.train(name, each_step)
    np.savez(f"{sys.argv[2]}/{name}.npz", losses, *weights)
    print(json.dumps(steps))
"""


@functools.cache
def train(device):
    """{name: (losses, weights, each step's device, clocks, products and multiply-adds)}, and the
    operations that XLA has compiled."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "KERAS_BACKEND": "jax",
            "PYTHONPATH": f"{pathlib.Path(__file__).parent}:{os.environ['PYTHONPATH']}",
            "SYSTOLE_DEVICE": "" if device == "none" else device,
            "XLA_FLAGS": f"--xla_dump_to={folder} --xla_dump_hlo_as_text",
        }
        done = subprocess.run(
            [sys.executable, "-c", TRAIN, device, folder, *PRODUCTS],
            env=environment,
            capture_output=True,
            text=True,
            timeout=400,
        )
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        trained = {}
        for name, line in zip(PRODUCTS, done.stdout.splitlines(), strict=True):
            losses, *weights = np.load(f"{folder}/{name}.npz").values()
            trained[name] = losses, weights, json.loads(line)
        operations = set()
        for dump in pathlib.Path(folder).glob("*cpu_after_optimizations.txt"):
            operations |= set(re.findall(r"^.* = [^ ]+ ([a-z-]+)\(", dump.read_text(), re.MULTILINE))
        return trained, operations


class Training(unittest.TestCase):
    def test_no_product_is_left_to_xla(self):
        _, by_xla = train("none")
        self.assertLessEqual({"dot", "convolution"}, by_xla)
        _, left = train("model")
        self.assertIn("custom-call", left)
        self.assertFalse(left & {"dot", "convolution"}, left)

    def test_losses_and_weights_are_jax_s_within_bf16(self):
        for name, products in PRODUCTS.items():
            with self.subTest(model=name):
                expected, expected_weights, _ = train("none")[0][name]
                losses, weights, steps = train("model")[0][name]
                np.testing.assert_allclose(losses, expected, rtol=BF16_TOLERANCE)
                for ours, theirs in zip(weights, expected_weights, strict=True):
                    np.testing.assert_allclose(ours, theirs, atol=BF16_TOLERANCE * np.abs(theirs).max())
                self.assertLess(losses[-1], losses[0])
                self.assertEqual(len(steps), STEPS)
                for device, clocks, done, _ in steps:
                    self.assertEqual((device, done), ("model", products))
                    self.assertGreater(clocks, 0)

    @unittest.skipUnless("rtl" in systole.devices(), "this build has no RTL")
    def test_model_and_rtl_agree_in_every_bit_and_clock(self):
        for name in PRODUCTS:
            with self.subTest(model=name):
                losses, weights, steps = train("model")[0][name]
                rtl_losses, rtl_weights, rtl_steps = train("rtl")[0][name]
                np.testing.assert_array_equal(losses, rtl_losses)
                for ours, theirs in zip(weights, rtl_weights, strict=True):
                    np.testing.assert_array_equal(ours, theirs)
                self.assertEqual([step[1:] for step in steps], [step[1:] for step in rtl_steps])


if __name__ == "__main__":
    unittest.main()
