"""A device's faults and full memory are JAX's exceptions with our text; its next step runs.

faults.c answers as such a device would, since devices meet neither in the programs of a test.
"""

import os
import subprocess
import sys
import unittest

TEXTS = (
    "the device stopped at command 3 with fault 2",
    "device memory cannot give 64 bytes: 128 of 128 are in use",
)
JAX = """
import os
import jax, jax.numpy as jnp
step = jax.jit(jax.value_and_grad(lambda w, x: jnp.sum((x @ w) ** 2)))
x, w = jnp.ones((5, 7)), jnp.ones((7, 3))
print(float(step(w, x)[0]))
for text in os.environ["TEXTS"].split("|"):
    os.environ["SYSTOLE_TEST_FAULT"] = text
    try:
        jax.block_until_ready(step(w, x))
    except Exception as error:  # JAX has a class of its own, or ValueError, by where it meets one
        print(str(error).splitlines()[0])
    os.environ["SYSTOLE_TEST_FAULT"] = ""
print(float(step(w, x)[0]))
"""


def run(program):
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "LD_PRELOAD": os.environ["FAULTS"], "TEXTS": "|".join(TEXTS)},
        capture_output=True,
        text=True,
        timeout=500,
    )


class Faults(unittest.TestCase):
    def test_jax_raises_them_and_goes_on(self):
        done = run(JAX)
        self.assertEqual(done.returncode, 0, done.stderr)
        faults = "".join(f"INTERNAL: {text}\n" for text in TEXTS)
        self.assertEqual(done.stdout, f"735.0\n{faults}735.0\n")


if __name__ == "__main__":
    unittest.main()
