"""systole.Program, which runs StableHLO text, and systole.Device."""

import functools
import multiprocessing
import os
import subprocess
import sys
import unittest

import jax
import jax.numpy as jnp
import numpy as np

import systole


class Programs(unittest.TestCase):
    def test_products_run_on_the_device_and_what_does_not_is_counted(self):
        lowered = jax.jit(lambda a, b, n: (jnp.tanh(a @ b), n @ n)).lower(
            jnp.ones((3, 5)), jnp.ones((5, 2)), jnp.ones((2, 2), jnp.int32)
        )
        program = systole.Program(lowered.as_text(), systole.Device("model", array_size=4))
        a, b, n = np.full((3, 5), 0.25, "float32"), np.ones((5, 2), "float32"), np.int32([[1, 2], [3, 4]])
        product, integers = program(a, b, n)
        np.testing.assert_allclose(product, np.tanh(a @ b), rtol=1e-6)
        np.testing.assert_array_equal(integers, n @ n)
        step = systole.last_step()
        self.assertEqual((step.device, step.products, step.macs), ("model", 1, 3 * 5 * 2))
        self.assertGreater(step.clocks, 0)
        self.assertLess(sum(step.stalls.values()), step.clocks)
        self.assertTrue(0 < step.utilization < 1)
        self.assertEqual(program.fallbacks, ["dot_general(tensor<2x2xi32>, tensor<2x2xi32>)"])
        self.assertEqual(systole.fallbacks()[program.fallbacks[0]], 1)


class Threads(unittest.TestCase):
    def test_those_that_wait_sleep_unless_the_environment_says_otherwise(self):
        program = """
import ctypes, systole
systole.Device("cpu", threads=2)
omp = next(line.split()[-1] for line in open("/proc/self/maps") if "libomp" in line)
print(ctypes.CDLL(omp).kmp_get_blocktime())
"""
        for variables, milliseconds in (({}, 1), ({"KMP_BLOCKTIME": "7"}, 7)):
            with self.subTest(variables=variables):
                environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
                done = subprocess.run(
                    [sys.executable, "-c", program],
                    env={**environment, **variables},
                    check=True,
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(int(done.stdout), milliseconds)

    def test_a_convolution_starts_none(self):
        layers = ("NHWC", "HWIO", "NHWC")
        convolve = functools.partial(
            jax.lax.conv_general_dilated, window_strides=(1, 1), padding="SAME", dimension_numbers=layers
        )
        x, w = np.ones((16, 14, 14, 8), "float32"), np.ones((3, 3, 8, 16), "float32")
        program = systole.Program(jax.jit(convolve).lower(x, w).as_text(), systole.Device("cpu", threads=1))
        before = os.listdir("/proc/self/task")
        program(x, w)
        self.assertEqual(os.listdir("/proc/self/task"), before)


class Refusals(unittest.TestCase):
    def test_an_operation_that_is_not_supported_is_named(self):
        for function, text in (
            (jnp.sort, r"^\d+:\d+: .*'sort'"),
            (lambda x: jax.lax.while_loop(lambda x: x.sum() < 9, lambda x: x * 2, x), "the number of iterations depends on"),
            (lambda x: jax.random.normal(jax.random.key(0), x.shape), "unknown element type 'ui64': .* need jax.config"),
        ):
            with self.assertRaisesRegex(systole.InvalidArgument, text) as caught:
                systole.Program(jax.jit(function).lower(jnp.ones(3)).as_text(), "cpu")
            self.assertEqual(len(str(caught.exception).splitlines()), 1)

    def test_a_program_refuses_other_shapes_and_types(self):
        lowered = jax.jit(lambda x, y: x + y).lower(jnp.ones((2, 3)), jnp.ones((2, 3)))
        program = systole.Program(lowered.as_text(), "cpu")
        x = np.ones((2, 3), np.float32)
        np.testing.assert_array_equal(program(x, x)[0], x + x)
        with self.assertRaisesRegex(ValueError, r"input arg1 is float32\[2, 3\], not float32\[3, 2\]"):
            program(x, x.T)
        with self.assertRaisesRegex(ValueError, "not float64"):
            program(x, np.ones((2, 3)))
        with self.assertRaisesRegex(ValueError, "1 arrays are given; the program has 2"):
            program(x)

    def test_devices_and_options_that_there_are_not_are_refused(self):
        with self.assertRaisesRegex(systole.InvalidArgument, "unknown device 'tpu': this build has cpu"):
            systole.Device("tpu")
        with self.assertRaisesRegex(systole.InvalidArgument, "unknown configuration"):
            systole.Device("model", configuration="v9")
        with self.assertRaisesRegex(systole.InvalidArgument, "N can be"):
            systole.Device("model", array_size=5)
        with self.assertRaisesRegex(systole.InvalidArgument, "does not multiply fp32"):
            systole.Device("model", precision="fp32")

    def test_a_forked_process_gets_an_error_and_lives(self):
        program = systole.Program(jax.jit(lambda x: x + x).lower(jnp.ones(2)).as_text(), "cpu")
        context = multiprocessing.get_context("fork")
        queue = context.Queue()

        def child():
            try:
                program(np.ones(2, np.float32))
            except systole.ForkedError as error:
                queue.put(str(error))

        process = context.Process(target=child)
        process.start()
        self.assertIn("before the process forked", queue.get(timeout=60))
        process.join()
        self.assertEqual(process.exitcode, 0)


if __name__ == "__main__":
    unittest.main()
