"""A device's faults, full memory and a fork are the framework's exceptions with our text; its next step runs.

faults.c answers as a device that faulted would; the memory is really full, on a device with little.
"""

import os
import subprocess
import sys
import unittest

FAULT = "the device stopped at command 3 with fault 2"
# Each multiplies by matrices that fit, meets a fault, asks for more memory than 32 MiB, and goes on.
JAX = """
import os
import jax, jax.numpy as jnp
step = jax.jit(jax.value_and_grad(lambda w, x: jnp.sum((x @ w) ** 2)))
x, w = jnp.ones((5, 7)), jnp.ones((7, 3))
print(float(step(w, x)[0]))
os.environ["SYSTOLE_TEST_FAULT"] = os.environ["FAULT"]
try:
    jax.block_until_ready(step(w, x))
except Exception as error:  # JAX has a class of its own, or ValueError, by where it meets one
    print(str(error).splitlines()[0])
del os.environ["SYSTOLE_TEST_FAULT"]
try:
    jax.block_until_ready(step(w, jnp.ones((2_000_000, 7))))
except Exception as error:
    print(str(error).splitlines()[0])
print(float(step(w, x)[0]))
"""
TENSORFLOW = """
import os
import systole.tensorflow as tf

@tf.function
def step(w, x):
    with tf.GradientTape() as tape:
        tape.watch(w)
        loss = tf.reduce_sum(tf.matmul(x, w) ** 2)
    return loss, tape.gradient(loss, w)

x, w = tf.ones((5, 7)), tf.ones((7, 3))
print(float(step(w, x)[0]))
os.environ["SYSTOLE_TEST_FAULT"] = os.environ["FAULT"]
try:
    step(w, x)
except tf.errors.InternalError as error:
    print("INTERNAL:", [line for line in str(error).splitlines() if "device" in line][0].strip())
del os.environ["SYSTOLE_TEST_FAULT"]
try:
    step(w, tf.ones((2_000_000, 7)))
except tf.errors.ResourceExhaustedError as error:
    print("RESOURCE_EXHAUSTED:", [line for line in str(error).splitlines() if "device" in line][0].strip())
print(float(step(w, x)[0]))
"""
JAX_FORK = """
import os
import jax, jax.numpy as jnp

multiply = jax.jit(jnp.matmul)
x, w = jnp.ones((5, 7)), jnp.ones((7, 3))
print(float(multiply(x, w)[0, 0]), flush=True)
if os.fork() == 0:
    try:
        multiply(x, w)
    except Exception as error:
        print(error, flush=True)
    os._exit(0)
print(os.wait()[1], flush=True)
print(float(multiply(x, w)[0, 0]))
"""
TENSORFLOW_FORK = """
import os
import systole.tensorflow as tf

x, w = tf.ones((5, 7)), tf.ones((7, 3))
print(float(tf.matmul(x, w)[0, 0]), flush=True)
child = os.fork()
if child == 0:
    try:
        tf.matmul(x, w)
    except tf.errors.FailedPreconditionError as error:
        print([line for line in str(error).splitlines() if "device" in line][0].strip(), flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1], flush=True)
print(float(tf.matmul(x, w)[0, 0]))
"""


def run(program):
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "JAX_PLATFORMS": "systole", "LD_PRELOAD": os.environ["FAULTS"], "FAULT": FAULT},
        capture_output=True,
        text=True,
        timeout=500,
    )


class Faults(unittest.TestCase):
    def check(self, program):
        done = run(program)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, fault, full, last = done.stdout.splitlines()
        self.assertEqual((first, last), ("735.0", "735.0"))
        self.assertRegex(fault, f"INTERNAL: .*{FAULT}")
        self.assertRegex(full, "RESOURCE_EXHAUSTED: .*device memory cannot give .* of 33554432 are in use")

    def test_jax_raises_them_and_goes_on(self):
        self.check(JAX)

    @unittest.skipUnless(os.environ.get("TENSORFLOW"), "this build has no plugin for TensorFlow")
    def test_tensorflow_raises_them_and_goes_on(self):
        self.check(TENSORFLOW)

    def test_a_forked_child_of_jax_is_refused_and_its_parent_goes_on(self):
        self.check_fork(JAX_FORK)

    @unittest.skipUnless(os.environ.get("TENSORFLOW"), "this build has no plugin for TensorFlow")
    def test_a_forked_child_of_tensorflow_is_refused_and_its_parent_goes_on(self):
        self.check_fork(TENSORFLOW_FORK)

    def check_fork(self, program):
        done = run(program)
        self.assertEqual(done.returncode, 0, done.stderr)
        first, refused, status, last = done.stdout.splitlines()
        self.assertEqual((first, status, last), ("7.0", "0", "7.0"))
        self.assertIn("this device was opened before the process forked", refused)


if __name__ == "__main__":
    unittest.main()
