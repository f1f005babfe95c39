"""JAX's products and convolutions are calls of the cores: each form, several cores, and refusals.

Integers are exact in bf16, so results are equal to those of JAX's own CPU, which multiplies float64.
"""

import os
import subprocess
import sys
import threading
import unittest

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

import systole
import systole.jax
from systole import jax_calls, library

CORES = 4
random = np.random.default_rng(0)


def integers(*shape):
    return random.integers(-3, 4, shape).astype(np.float32)


def total():
    cores = systole.jax.counters()
    return [sum(core.calls for core in cores)] + [
        sum(getattr(core.done, name) for core in cores) for name in ("products", "macs", "clocks")
    ]


def run(program, device, **variables):
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "SYSTOLE_DEVICE": device, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )


class Forms(unittest.TestCase):
    def check(self, function, *operands, products=1):
        before = total()
        result = jax.jit(function)(*operands)
        jax.block_until_ready(result)
        calls, done, _, _ = (a - b for a, b in zip(total(), before))
        self.assertEqual(calls, products)
        self.assertEqual(done, products)
        with jax.enable_x64(True):
            expected = jax.jit(function)(*(operand.astype(np.float64) for operand in operands))
        self.assertEqual(total()[0], before[0] + products)  # float64 is JAX's
        for ours, theirs in zip(jax.tree.leaves(result), jax.tree.leaves(expected)):
            np.testing.assert_array_equal(ours, theirs)

    def test_products_over_any_dimensions(self):
        for numbers, a, b, products in (
            (([1], [0]), (5, 7), (7, 3), 1),
            (([0], [0]), (7, 5), (7, 3), 1),
            (([0], [1]), (7, 5), (3, 7), 1),
            (([1], [1]), (5, 7), (3, 7), 1),
            (([0], [0]), (7,), (7,), 1),
            (([1], [0]), (5, 7), (7,), 1),
            (([], []), (3,), (4,), 1),
            (([2, 0], [0, 1]), (2, 5, 7), (7, 2, 3), 1),
            (([1], [0]), (5, 0), (0, 3), 0),
            (([1], [0]), (0, 5), (5, 3), 0),
        ):
            with self.subTest(dimensions=numbers, a=a, b=b):
                self.check(
                    lambda a, b: lax.dot_general(a, b, (numbers, ([], []))),
                    integers(*a),
                    integers(*b),
                    products=products,
                )

    def test_batches_are_a_product_for_each_matrix(self):
        for text, a, b, products in (
            ("bqhd,bkhd->bhqk", (2, 3, 4, 5), (2, 6, 4, 5), 8),
            ("bij,bjk->bik", (3, 4, 5), (3, 5, 2), 3),
            ("ibj,kbj->bik", (4, 3, 5), (2, 3, 5), 3),
            ("bij,jk->bik", (3, 4, 5), (5, 2), 1),
        ):
            with self.subTest(product=text):
                self.check(lambda a, b: jnp.einsum(text, a, b), integers(*a), integers(*b), products=products)
        self.check(jax.vmap(jnp.matmul), integers(3, 4, 5), integers(3, 5, 2), products=3)

    def test_convolutions_and_their_gradients(self):
        ones, sizes = (1, 1), {"N": 4, "C": 4, "H": 7, "W": 6}
        for layout in (("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW"), ("NHWC", "HWOI", "NHWC")):
            for stride, padding, holes, dilation, groups, batches in (
                (ones, "SAME", ones, ones, 1, 1),
                ((2, 2), "SAME", ones, ones, 1, 1),
                ((2, 1), "VALID", ones, (1, 2), 1, 1),
                (ones, ((1, 2), (0, -1)), ones, ones, 1, 1),
                (ones, ((2, 2), (2, 2)), (2, 3), (2, 1), 1, 1),
                ((2, 2), ((2, 2), (2, 2)), (2, 2), ones, 1, 1),
                ((2, 2), "SAME", ones, ones, 4, 1),
                (ones, "VALID", ones, ones, 1, 2),
            ):

                def convolve(x, kernel):
                    return lax.conv_general_dilated(
                        x, kernel, stride, padding, holes, dilation, layout, groups, batches
                    )

                x = integers(*(sizes[letter] for letter in layout[0]))
                kernel = {"O": 8, "I": 4 // groups, "H": 3, "W": 2}
                kernel = integers(*(kernel[letter] for letter in layout[1]))
                gradient = integers(*jax.eval_shape(convolve, x, kernel).shape)
                with self.subTest(layout=layout, stride=stride, holes=holes, groups=groups, batches=batches):
                    count = groups * batches
                    self.check(convolve, x, kernel, products=count)
                    self.check(
                        lambda x, kernel, gradient: jax.vjp(convolve, x, kernel)[1](gradient),
                        x,
                        kernel,
                        gradient,
                        products=2 * count,
                    )

    def test_convolutions_over_one_dimension_transposed_and_mapped(self):
        def convolve(x, kernel):
            return lax.conv_general_dilated(x, kernel, (2,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))

        x, kernel = integers(4, 9, 3), integers(3, 3, 5)
        self.check(convolve, x, kernel)
        self.check(jax.grad(lambda x, kernel: convolve(x, kernel).sum(), (0, 1)), x, kernel, products=2)
        self.check(jax.vmap(convolve), integers(2, 4, 9, 3), integers(2, 3, 3, 5), products=2)
        self.check(
            lambda x, kernel: lax.conv_transpose(x, kernel, (2, 2), "SAME"),
            integers(2, 4, 4, 3),
            integers(2, 2, 3, 5),
        )

    def check_pooling(self, pool, x):
        gradient = integers(*jax.eval_shape(pool, x).shape)

        def both(x, gradient):
            y, back = jax.vjp(pool, x)
            return y, back(gradient)

        self.check(both, x, gradient, products=0)
        return jax.jit(both).lower(x, gradient).as_text()

    def test_poolings_and_their_gradients_are_calls(self):
        for shape, window, strides, padding in (
            ((3, 6, 4, 5), (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
            ((3, 7, 5, 5), (1, 3, 3, 1), (1, 2, 1, 1), "SAME"),
            ((3, 7, 5, 5), (1, 3, 2, 1), (1, 1, 2, 1), ((0, 0), (2, 1), (0, 1), (0, 0))),
            ((2, 5, 7, 6), (1, 1, 2, 3), (1, 1, 2, 2), "VALID"),
            ((3, 9, 5), (1, 3, 1), (1, 2, 1), "SAME"),
            ((9,), (3,), (1,), "VALID"),
        ):

            def pool(x):
                return lax.reduce_window(x, -jnp.inf, lax.max, window, strides, padding)

            with self.subTest(shape=shape, window=window, strides=strides, padding=padding):
                text = self.check_pooling(pool, integers(*shape))
                for name in (jax_calls.MAX_POOL, jax_calls.MAX_POOL_GRADIENT):
                    self.assertRegex(text, f"@{name}\\W")
                for name in ("reduce_window", "select_and_scatter"):
                    self.assertNotIn(name, text)
                self.check_pooling(jax.vmap(pool), integers(2, *shape))

    def test_other_poolings_are_jax_s(self):
        x = integers(4, 6, 5, 6)
        for window, reduce, first, dilation in (
            ((2, 1, 2, 1), lax.max, -jnp.inf, None),
            ((1, 2, 2, 1), lax.max, -jnp.inf, (1, 2, 1, 1)),
            ((1, 2, 2, 1), lax.min, jnp.inf, None),
        ):

            def pool(x):
                return lax.reduce_window(
                    x, first, reduce, window, (1,) * 4, "VALID", window_dilation=dilation
                )

            with self.subTest(window=window, dilation=dilation):
                self.check(pool, x, products=0)
                self.assertNotIn(jax_calls.MAX_POOL, jax.jit(pool).lower(x).as_text())

    def test_a_nan_stays_in_its_windows(self):
        x = integers(1, 4, 4, 2)
        x[0, 2, 1, 0] = np.nan
        self.check(
            lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), x, products=0
        )

    def test_other_types_and_dimensions_are_jax_s_and_counted(self):
        before, fallbacks = total(), systole.jax.fallbacks()
        x = jnp.ones((2, 2), jnp.bfloat16)
        np.testing.assert_array_equal(jax.jit(jnp.matmul)(x, x), np.full((2, 2), 2))
        volume = jnp.ones((1, 1, 3, 3, 3))
        self.assertEqual(float(lax.conv(volume, volume, (1, 1, 1), "VALID").squeeze()), 27)
        self.assertEqual(total(), before)
        after = systole.jax.fallbacks()
        for name in ("dot_general of bfloat16", "conv_general_dilated of float32"):
            self.assertEqual(after[name], fallbacks.get(name, 0) + 1)


class WholeSteps(unittest.TestCase):
    def test_systole_jit_takes_the_same_function_whole(self):
        def multiply(x, w):
            return jnp.matmul(x, w) + 1

        x, w = integers(6, 5), integers(5, 3)
        whole = systole.jit(multiply, device="model", array_size=4)
        for _ in range(2):
            np.testing.assert_array_equal(jax.jit(multiply)(x[:2], w), x[:2] @ w + 1)
            before = total()
            np.testing.assert_array_equal(whole(x, w), x @ w + 1)
            self.assertEqual(systole.last_step().macs, 6 * 5 * 3)
            self.assertEqual(total(), before)
            jax.jit(multiply)(x[:2], w).block_until_ready()
            self.assertEqual(systole.last_step().macs, 2 * 5 * 3)


class Plugin(unittest.TestCase):
    def test_it_exports_its_functions_alone_and_needs_no_static_tls(self):
        def output(*command):
            return subprocess.run(
                [*command, library.plugin("jax")], check=True, capture_output=True, text=True
            ).stdout

        names = {line.split()[-1] for line in output("nm", "-D", "--defined-only").splitlines()}
        self.assertEqual(
            names,
            {*jax_calls.TARGETS}
            | {"systole_jax_" + name for name in ("core_count", "count", "last_execution")},
        )
        self.assertNotRegex(output("readelf", "-d"), "TEXTREL|STATIC_TLS")


class Cores(unittest.TestCase):
    def test_each_device_of_jax_is_a_core_and_work_does_not_grow_with_them(self):
        devices = jax.devices()
        self.assertEqual(len(devices), CORES)
        weights = [integers(10, 6), integers(6, 3)]
        x = integers(16, 10)

        def loss(weights, x):
            return jnp.sum((jax.nn.relu(x @ weights[0]) @ weights[1]) ** 2)

        results, macs = [], []
        for cores in (1, CORES):
            mesh = jax.make_mesh((cores,), ("batch",), devices=devices[:cores])
            rows = PartitionSpec("batch")

            @jax.jit
            @jax.shard_map(mesh=mesh, in_specs=(PartitionSpec(), rows), out_specs=PartitionSpec())
            def gradients(weights, x):
                return jax.value_and_grad(lambda weights: lax.psum(loss(weights, x), "batch"))(weights)

            on_the_mesh = [jax.device_put(w, NamedSharding(mesh, PartitionSpec())) for w in weights]
            before = total()
            results.append(jax.device_get(gradients(on_the_mesh, jax.device_put(x, NamedSharding(mesh, rows)))))
            macs.append(total()[2] - before[2])
            step = systole.last_step()
            self.assertEqual((step.products, step.macs), (5 * cores, macs[-1]))
        self.assertEqual(macs[0], macs[1])
        self.assertEqual(len(systole.jax.counters()), CORES)
        for one, several in zip(*map(jax.tree.leaves, results)):
            np.testing.assert_allclose(one, several, rtol=2.0**-6)


class Process(unittest.TestCase):
    def test_images_of_a_pooling_are_split_between_threads(self):
        program = """
import jax, jax.numpy as jnp, numpy as np
from jax import lax
x = np.random.default_rng(0).permutation(3 * 2**17).astype(np.float32).reshape(3, 512, 128, 2)
pool = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "VALID")
both = jax.jit(lambda x: (pool(x), jax.grad(lambda x: (pool(x) ** 2).sum())(x)))
ours = both(x)
with jax.enable_x64(True):
    for one, other in zip(ours, both(x.astype(np.float64))):
        np.testing.assert_allclose(one, other, rtol=2.0**-22)
"""
        done = run(program, "cpu", SYSTOLE_THREADS="3")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_keeps_freed_memory_for_the_next_step(self):
        program = """
import resource, jax.numpy as jnp, numpy as np
jnp.ones((2, 2)) @ jnp.ones((2, 2))
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.ones(1 << 24, np.float32)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
print(faults())
"""
        done = run(program, "cpu")
        self.assertLess(int(done.stdout), 100, done.stderr)  # its 64 MiB are new pages where nothing is kept


class Refusals(unittest.TestCase):
    def test_two_threads_may_use_one_core(self):
        multiply = jax.jit(jnp.matmul)
        x, w = integers(20, 30), integers(30, 10)
        expected, results = multiply(x, w), []
        before = total()
        threads = [
            threading.Thread(target=lambda: results.extend(np.asarray(multiply(x, w)) for _ in range(20)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 80)
        self.assertEqual(total()[0], before[0] + 80)
        for result in results:
            np.testing.assert_array_equal(result, expected)

    def test_a_wrong_device_is_jax_s_exception_with_our_text_and_the_interpreter_lives(self):
        program = """
import jax.numpy as jnp
try:
    float(jnp.ones(2) @ jnp.ones(2))
except Exception as error:
    print(error)
print(float(jnp.ones(2).sum()))
"""
        for device, text, size in (
            ("tpu", "unknown device 'tpu': this build has cpu, model", "4"),
            ("model:9", "a process has 1 to 8 cores", "4"),
            ("model", "N can be", "5"),
        ):
            with self.subTest(device=device):
                done = run(program, device, SYSTOLE_ARRAY_SIZE=size)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, f"INVALID_ARGUMENT: .*{text}.*\\n2.0\\n")

    def test_a_forked_process_gets_an_error_and_lives(self):
        program = """
import os
import jax, jax.numpy as jnp
multiply = jax.jit(jnp.matmul)
x = jnp.ones((2, 2))
print(float(multiply(x, x)[0, 0]), flush=True)
if os.fork() == 0:
    try:
        multiply(x, x).block_until_ready()
    except Exception as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
print(float(multiply(x, x)[0, 0]))
"""
        done = run(program, "model")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "^2.0\nFAILED_PRECONDITION: .*before the process forked.*\n2.0\n$")

    def test_tensors_without_elements_are_those_of_jax(self):
        layout = ("NHWC", "HWIO", "NHWC")
        convolve = lambda x, k: lax.conv_general_dilated(x, k, (2, 2), "SAME", dimension_numbers=layout)
        pool = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        kernel, none, no_channels = jnp.ones((3, 3, 2, 4)), jnp.zeros((0, 6, 6, 2)), jnp.zeros((2, 6, 6, 0))
        matrix = jnp.ones((5, 4))
        for function, arguments, shape in (
            (lambda x: x @ matrix, (jnp.zeros((0, 5)),), (0, 4)),
            (lambda x: x.T @ x, (jnp.zeros((0, 5)),), (5, 5)),
            (lambda a, b: jnp.einsum("bij,bjk->bik", a, b), (jnp.zeros((0, 2, 3)), jnp.zeros((0, 3, 2))), (0, 2, 2)),
            (convolve, (none, kernel), (0, 3, 3, 4)),
            (jax.grad(lambda x, k: convolve(x, k).sum(), 0), (none, kernel), none.shape),
            (jax.grad(lambda x, k: convolve(x, k).sum(), 1), (none, kernel), kernel.shape),
            (convolve, (no_channels, jnp.ones((3, 3, 0, 4))), (2, 3, 3, 4)),
            (pool, (none,), (0, 3, 3, 2)),
            (jax.grad(lambda x: pool(x).sum()), (none,), none.shape),
            (jax.grad(lambda x: pool(x).sum()), (no_channels,), no_channels.shape),
        ):
            y = jax.jit(function)(*arguments)
            self.assertEqual(y.shape, shape)
            np.testing.assert_array_equal(y, np.zeros(shape))

    def test_calls_are_as_precise_as_they_are_asked_to_be(self):
        a, b = (random.normal(size=shape).astype("float32") for shape in ((2, 9, 20), (2, 20, 7)))
        exact = a.astype("float64") @ b
        x, k = random.normal(size=(2, 6, 6, 3)).astype("float32"), random.normal(size=(3, 3, 3, 5)).astype("float32")
        layout = {"padding": "SAME", "dimension_numbers": ("NHWC", "HWIO", "NHWC")}
        convolved = None
        for precision, at_most, at_least, products in (
            ("highest", 1e-5, 0, 6),
            ("high", 5e-4, 1e-6, 3),
            (None, 0.2, 1e-3, 1),
            ("BF16_BF16_F32_X3", 5e-4, 1e-6, 3),
        ):
            with self.subTest(precision):
                before = total()
                y = jax.jit(lambda a, b: jnp.matmul(a, b, precision=precision))(a, b)
                error = np.abs(np.asarray(y) - exact).max()
                self.assertLess(error, at_most)
                self.assertGreaterEqual(error, at_least)
                self.assertEqual(total()[1] - before[1], 2 * products)
                if products == 6:
                    with jax.default_matmul_precision("float32"):
                        np.testing.assert_array_equal(jax.jit(jnp.matmul)(a, b), y)
                if precision == "BF16_BF16_F32_X3":
                    continue
                y = jax.jit(lambda x, k: lax.conv_general_dilated(x, k, (1, 1), precision=precision, **layout))(x, k)
                if convolved is None:
                    convolved = y  # the most precise
                    with jax.enable_x64(True):
                        wide = lax.conv_general_dilated(x.astype("float64"), k.astype("float64"), (1, 1), **layout)
                    np.testing.assert_allclose(y, wide, atol=2e-5)
                else:
                    error = np.abs(np.asarray(y) - convolved).max()
                    self.assertTrue(at_least < error < at_most, error)

    def test_configure_comes_before_jax_s_first_operation(self):
        with self.assertRaisesRegex(ValueError, "unknown device 'tpu'"):
            systole.jax.configure("tpu")
        with self.assertRaisesRegex(ValueError, "9 cores: a process has 1 to 8"):
            systole.jax.configure(cores=9)
        jax.devices()
        with self.assertRaisesRegex(RuntimeError, "JAX has already opened its devices"):
            systole.jax.configure()
        program = """
import jax.numpy as jnp, systole.jax
systole.jax.configure("cpu", cores=2)
print(float(jnp.ones(2) @ jnp.ones(2)), len(systole.jax.jax.devices()), systole.last_step().device)
"""
        done = run(program, "")
        self.assertEqual(done.stdout, "2.0 2 cpu\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
