"""JAX and Keras-on-JAX train on the cores without a change: pjrt_training.py, in processes of its own.

The environment alone chooses the device. Python finds jax_plugins.systole beside the package.
"""

import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import systole

# One rounding of an operand to bf16 is half of 2^-8; a product has two, losses are sums of many.
BF16_TOLERANCE = 2.0**-6
FP32_TOLERANCE = 1e-5
STEPS = 3
# Products of a step: forward, weights' gradients, and inputs' gradients of all layers but the first.
# A scan runs those of each step, and its weights' gradients as one; a batched product one for each matrix;
# a look-up of a table's rows and its gradient are products.
PRODUCTS = {"mlp": 5, "cnn": 8, "keras": 8, "gru": 42, "attention": 153, "embedding": 5}
TRAIN = """
import json, sys
import numpy as np
import pjrt_training

def each_step():
    if sys.argv[1] == "none":
        assert "systole" not in sys.modules
        return []
    import systole
    step = systole.last_step()
    return [step.device, step.on_host, step.clocks, step.products, step.macs]

for name in sys.argv[3:]:
    losses, weights, steps = pjrt_training.train(name, each_step)
    np.savez(f"{sys.argv[2]}/{name}.npz", losses, *weights)
    print(json.dumps(steps))
"""


@functools.cache
def train(device):
    """{name: (losses, weights, what each step did)}."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "KERAS_BACKEND": "jax",
            "PYTHONPATH": f"{pathlib.Path(__file__).parent}:{os.environ['PYTHONPATH']}",
            "JAX_PLATFORMS": "cpu" if device == "none" else "systole",
            "SYSTOLE_DEVICE": "" if device == "none" else device,
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
        return trained


class Training(unittest.TestCase):
    def test_losses_and_weights_are_jax_s_within_bf16(self):
        for name, products in PRODUCTS.items():
            with self.subTest(model=name):
                expected, expected_weights, _ = train("none")[name]
                losses, weights, steps = train("model")[name]
                np.testing.assert_allclose(losses, expected, rtol=BF16_TOLERANCE)
                for ours, theirs in zip(weights, expected_weights, strict=True):
                    np.testing.assert_allclose(ours, theirs, atol=BF16_TOLERANCE * np.abs(theirs).max())
                self.assertLess(losses[-1], losses[0])
                self.assertEqual(len(steps), STEPS)
                for device, on_host, clocks, done, _ in steps:
                    self.assertEqual((device, on_host, done), ("model", "", products))
                    self.assertGreater(clocks, 0)

    def test_losses_on_cpu_are_jax_s(self):
        for name in PRODUCTS:
            with self.subTest(model=name):
                np.testing.assert_allclose(train("cpu")[name][0], train("none")[name][0], rtol=FP32_TOLERANCE)

    @unittest.skipUnless("rtl" in systole.devices(), "this build has no RTL")
    def test_model_and_rtl_agree_in_every_bit_and_clock(self):
        for name in PRODUCTS:
            with self.subTest(model=name):
                losses, weights, steps = train("model")[name]
                rtl_losses, rtl_weights, rtl_steps = train("rtl")[name]
                np.testing.assert_array_equal(losses, rtl_losses)
                for ours, theirs in zip(weights, rtl_weights, strict=True):
                    np.testing.assert_array_equal(ours, theirs)
                self.assertEqual([step[1:] for step in steps], [step[1:] for step in rtl_steps])


if __name__ == "__main__":
    unittest.main()
