"""What functions of JAX's may contain and ask for on the platform `systole`: the numbers of JAX's CPU, or one line.

$SYSTOLE_DEVICE is cpu or model, with an array of 4 x 4.
"""

import os
import unittest

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import systole

DEVICE = os.environ["SYSTOLE_DEVICE"]
EXACT = DEVICE == "cpu"  # fp32; else operands are rounded to bf16
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(3, 5)).astype("float32")
W = (RANDOM.normal(size=(5, 5)) / 4).astype("float32")


def on_jaxs_cpu(function, *arguments):
    with jax.default_device(jax.devices("cpu")[0]):
        return jax.jit(function)(*jax.device_put(arguments, jax.devices("cpu")[0]))


def tree_close(ours, theirs, **tolerance):
    assert jax.tree.structure(ours) == jax.tree.structure(theirs)
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
        assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, b.dtype, a.shape, b.shape)
        a, b = (jax.random.key_data(one) if is_key(one) else one for one in (a, b))
        np.testing.assert_allclose(a, b, **tolerance)


def is_key(array):
    return jnp.issubdtype(array.dtype, jax.dtypes.prng_key)


RUNS = {
    "cond": (jax.value_and_grad(lambda w: lax.cond(w.sum() > 0, lambda: ((X @ w) ** 2).sum(), lambda: (X @ w).sum())), W),
    "the other cond": (lambda w: lax.cond(w.sum() > 99, lambda: w * 2, lambda: w - 1), W),
    "cond of one that divides by 0": (lambda w: lax.cond((w == 0).all(), lambda: 1 / w, lambda: w), 0 * W + 1),
    "switch": (lambda w, i: lax.switch(i, [lambda w: (X @ w, i), lambda w: (X @ w.T, i + 1), lambda w: (X * 2, i)], w), W, np.int32(1)),
    "switch beyond the last": (lambda i: lax.switch(i, [lambda: 1.0, lambda: 2.0]), np.int32(7)),
    "switch by a constant": (lambda w: lax.switch(2, [jnp.sin, jnp.cos, jnp.tanh], w), W),
    "argmax": (lambda w: (jnp.argmax(w, 1), jnp.argmin(w, 0), jnp.argmax(w)), W),
    "argmax of equal ones": (lambda w: (jnp.argmax(jnp.round(w), 1), jnp.argmin(jnp.round(w), -1)), W),
    "argmax of NaN": (lambda w: (jnp.argmax(w, 1), jnp.argmin(w, 1)), np.where(W > 0.3, np.nan, W)),
    "argmax of infinities": (lambda w: (jnp.argmax(w, 1), jnp.argmin(w, 1)), np.full((2, 3), -np.inf, "float32")),
    "argmax of integers": (lambda n: (jnp.argmax(n, 1), jnp.argmin(n, 0)), RANDOM.integers(-9, 9, (4, 6)).astype("int32")),
    "accuracy": (lambda w: (jnp.argmax(X @ w, 1) == jnp.array([0, 2, 1])).mean(), W),
    "sine": (jax.value_and_grad(lambda x: (jnp.sin(x) * jnp.cos(2 * x)).sum()), 9 * X),
    "rounding": (lambda x: (jnp.round(x), jnp.ceil(x), jnp.trunc(x), lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO)), np.float32([-2.5, -1.5, -0.5, -0.2, 0.5, 1.5, 2.5, 7.0])),
    "remainder": (lambda x: (jnp.mod(x, 0.7), jnp.fmod(x, -0.7), x % 2), 9 * X),
    "remainder's gradient": (jax.grad(lambda x: (jnp.mod(x, 0.7) * x).sum()), 9 * X),
    "remainder of integers": (lambda n: (n % 5, n // 5, lax.rem(n, -3)), np.arange(-9, 9, dtype="int32")),
    "is_finite": (lambda x: (jnp.isfinite(x), jnp.isnan(x), jnp.nan_to_num(x)), np.float32([1, np.inf, -np.inf, np.nan])),
    "nanmean": (lambda x: jnp.nanmean(x), X),
    "a typed key": (lambda k: jax.random.uniform(k, (3, 2)), jax.random.key(3)),
    "a returned key": (lambda k: jax.random.key_data(jax.random.split(k)[0]), jax.random.key(3)),
    "erf_inv": (jax.value_and_grad(lambda x: (lax.erf_inv(x) * x).sum()), np.float32([-0.999, -0.5, 0, 1e-20, 0.3, 0.99999])),
    "erf_inv at its ends": (lax.erf_inv, np.float32([-1, 1, 1.5, np.nan])),
    "erf": (jax.value_and_grad(lambda x: (lax.erf(x) * x + lax.erfc(x)).sum()), 2 * X),
    "gelu": (jax.value_and_grad(lambda x: jax.nn.gelu(x, approximate=False).sum()), 2 * X),
    "normal": (lambda k: jax.random.normal(k, (50, 4)), jax.random.key(3)),
    "a named jit of no name": (jax.jit(lambda x: jax.jit(lambda x: x * 2)(x) + 1), X),
    "products of int8 that wrap": (lambda x: x @ x.T, RANDOM.integers(-128, 128, (3, 40)).astype("int8")),
    "int32 that becomes int8": (lambda n: ((n * 100).astype("int8"), (n * 100).astype("int8").astype("float32")), np.arange(-9, 9, dtype="int32")),
    "total order": (lambda x, y: lax.lt_to_p.bind(x, y), np.float32([-0.0, 0.0, np.nan, 1, 2]), np.float32([0.0, -0.0, 1, np.nan, 3])),
    "one_hot": (lambda w: jax.nn.one_hot(jnp.array([0, 2, 1]), 5) @ w, W),
}


class Functions(unittest.TestCase):
    def test_functions_of_data_have_the_numbers_of_jax(self):
        tolerance = {"rtol": 2e-5, "atol": 2e-5} if EXACT else {"rtol": 0.1, "atol": 0.05}
        for name, (function, *arguments) in RUNS.items():
            with self.subTest(name):
                tree_close(jax.jit(function)(*arguments), on_jaxs_cpu(function, *arguments), **tolerance)

    def test_what_cannot_run_is_one_line_with_advice(self):
        def prints(x):
            jax.debug.print("{x}", x=x)
            return x

        for function, argument, text in (
            (prints, X, "rule for primitive 'debug_print' not found for platform systole"),
            (lambda w: jnp.linalg.solve(w, w), W, "triangular_solve is not supported: compute it on JAX's CPU"),
            (lambda x: x * 2, X.astype("complex64"), "complex is not supported: a device has f32"),
            (lambda x: x * 2, X.astype("float16"), "f16 is not supported: a device has f32"),
            (lambda x: x * 2, X.astype("int16"), "i16 is not supported: a device has f32"),
            (lambda x: x + x, np.ones(3, jnp.int4), "i4 is not supported: a device has f32"),
            (lambda x: x, np.ones(3, jnp.float8_e4m3fn), "f8E4M3FN is not supported: a device has"),
            (lambda x: jnp.fft.fft(x).real, X, "test_jax_functions.py:.* complex is not supported"),
            (lambda x: x.astype("float16") * 2, X, "test_jax_functions.py:.* f16 is not supported"),
        ):
            with self.subTest(text):
                with self.assertRaisesRegex((jax.errors.JaxRuntimeError, NotImplementedError), text) as caught:
                    jax.block_until_ready(jax.jit(function)(argument))
                self.assertEqual(len(str(caught.exception).splitlines()), 1)
        with jax.enable_x64(True):
            for function, argument, text in (
                (lambda x: x * 2, X.astype("float64"), "f64 is not supported: a device has f32"),
                (lambda x: x.astype("float64") * 2, X, "f64 is not supported: a device has f32"),
            ):
                with self.assertRaisesRegex(jax.errors.JaxRuntimeError, text):
                    jax.block_until_ready(jax.jit(function)(argument))

    def test_tensors_without_elements_are_those_of_jax(self):
        none = X[:0]
        cases = {
            "rows": lambda x: x @ W,
            "depth": lambda x: x.T @ x,
            "sums": lambda x: (x.sum(), x.sum(0), x.sum(1), x.max(1)),
            "elements": lambda x: jnp.tanh(x) * 2 + x[:, :1],
            "places": lambda x: (jnp.concatenate([x, X]), x.T, x[:, 1:3], jnp.pad(x, 1), x[:, ::-1]),
            "reshape": lambda x: x.reshape(0, 1),
            "batches": lambda x: jnp.einsum("bi,bij->bj", x, jnp.zeros((0, 5, 4))),
            "embedding": lambda x: jnp.asarray(W)[jnp.zeros(0, "int32")],
            "scatter": lambda x: jnp.asarray(W).at[jnp.zeros(0, "int32")].add(x),
            "image": lambda x: lax.conv_general_dilated(
                jnp.zeros((0, 6, 6, 2)), jnp.ones((3, 3, 2, 4)), (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            ),
            "image gradients": jax.grad(
                lambda x: lax.conv_general_dilated(
                    jnp.zeros((0, 6, 6, 1)) + x.sum(), jnp.ones((3, 3, 1, 4)), (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
                ).sum()
            ),
            "pooling": lambda x: lax.reduce_window(jnp.zeros((0, 4, 4, 2)), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
            "random": lambda x: jax.random.uniform(jax.random.PRNGKey(0), (0, 3)),
            "cumsum": lambda x: jnp.cumsum(x, 1),
            "integers": lambda x: (x.astype("int32").sum(0), x.astype("int32") @ jnp.ones((5, 2), "int32")),
        }
        for name, function in cases.items():
            with self.subTest(name):
                tree_close(jax.jit(function)(none), on_jaxs_cpu(function, none))


@unittest.skipIf(EXACT, "products are fp32")
class Precision(unittest.TestCase):
    EXACT = X.astype("float64") @ W

    def error(self, y):
        return np.abs(np.asarray(y) - self.EXACT).max() / np.abs(self.EXACT).max()

    def test_products_are_as_precise_as_they_are_asked_to_be(self):
        for precision, at_most in (
            (None, 2**-7),
            ("default", 2**-7),
            ("high", 2**-15),
            ("highest", 2**-21),
            ("float32", 2**-21),
            ("BF16_BF16_F32", 2**-7),
            ("BF16_BF16_F32_X3", 2**-15),
            ("BF16_BF16_F32_X6", 2**-21),
            (lax.Precision.HIGHEST, 2**-21),
            ((lax.Precision.HIGHEST, lax.Precision.DEFAULT), 2**-21),
        ):
            with self.subTest(precision):
                run = jax.jit(lambda x, w: jnp.matmul(x, w, precision=precision))
                error = self.error(run(X, W))
                self.assertLess(error, at_most)
                if at_most == 2**-7:
                    self.assertGreater(error, 2**-15)
        with jax.default_matmul_precision("highest"):
            self.assertLess(self.error(jax.jit(jnp.matmul)(X, W)), 2**-21)

    def test_every_algorithm_of_jax_s_runs_as_asked_or_is_refused(self):
        runs = {
            "DEFAULT": 2**-7,
            "BF16_BF16_F32": 2**-7,
            "BF16_BF16_F32_X3": 2**-15,
            "BF16_BF16_F32_X6": 2**-21,
            "BF16_BF16_F32_X9": 2**-21,
            "F32_F32_F32": 2**-21,
        }
        for algorithm in lax.DotAlgorithmPreset:
            run = jax.jit(lambda x, w: jnp.matmul(x, w, precision=algorithm))
            with self.subTest(algorithm.name):
                if algorithm.name in runs:
                    self.assertLess(self.error(run(X, W)), runs[algorithm.name])
                    continue
                with self.assertRaises((jax.errors.JaxRuntimeError, ValueError)) as caught:
                    jax.block_until_ready(run(X, W))
                self.assertEqual(len(str(caught.exception).splitlines()), 1)

    def test_gradients_keep_the_precision(self):
        def loss(w, precision):
            return (jnp.matmul(X, w, precision=precision) ** 2).sum()

        exact = 2 * X.T.astype("float64") @ (X.astype("float64") @ W)
        for precision, at_most in (("highest", 1e-6), (None, 0.03)):
            ours = jax.jit(lambda w: jax.grad(loss)(w, precision))(W)
            error = np.abs(ours - exact).max() / np.abs(exact).max()
            self.assertLess(error, at_most)
        self.assertGreater(error, 1e-4)

    def test_convolutions_are_as_precise_as_they_are_asked_to_be(self):
        image = RANDOM.normal(size=(2, 6, 6, 3)).astype("float32")
        kernel = RANDOM.normal(size=(3, 3, 3, 5)).astype("float32")

        def run(precision):
            return lambda x, w: lax.conv_general_dilated(
                x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), precision=precision
            )

        with jax.enable_x64(True):
            exact = on_jaxs_cpu(run(None), image.astype("float64"), kernel.astype("float64"))
        errors = [
            np.abs(np.asarray(jax.jit(run(precision))(image, kernel)) - np.asarray(exact)).max()
            for precision in (None, "high", "highest")
        ]
        self.assertGreater(errors[0], 1e-3)
        self.assertLess(errors[1], 2e-4)
        self.assertLess(errors[2], 2e-5)

    def test_results_have_the_element_type_that_is_asked_for(self):
        bf16 = jnp.asarray(X, jnp.bfloat16), jnp.asarray(W, jnp.bfloat16)
        for operands in (bf16, (X, W)):
            for wanted in (jnp.float32, jnp.bfloat16):
                y = jax.jit(lambda a, b: jnp.matmul(a, b, preferred_element_type=wanted))(*operands)
                self.assertEqual(y.dtype, wanted)
                self.assertLess(self.error(y.astype("float32")), 2**-6)
                self.assertEqual(systole.last_step().products, 1)
        ints = RANDOM.integers(-128, 127, (2, 4, 4)).astype("int8")
        y = jax.jit(lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32))(*ints)
        np.testing.assert_array_equal(y, ints[0].astype("int32") @ ints[1].astype("int32"))


class Batches(unittest.TestCase):
    def test_batched_products_run_on_the_device(self):
        q, k = (RANDOM.normal(size=(2, 6, 3, 8)).astype("float32") for _ in range(2))  # b t h d

        def attention(q, k):
            weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8**0.5)
            return jnp.einsum("bhqk,bkhd->bqhd", weights, k)

        before = systole.fallbacks()
        for function in (attention, jax.grad(lambda q, k: attention(q, k).sum())):
            expected = on_jaxs_cpu(function, q, k)
            np.testing.assert_allclose(jax.jit(function)(q, k), expected, atol=1e-5 if EXACT else 0.03)
        jax.block_until_ready(jax.jit(attention)(q, k))
        self.assertEqual(systole.last_step().macs, 2 * 6 * 6 * 6 * 8)
        self.assertEqual(systole.fallbacks(), before)

    def test_what_falls_back_is_counted(self):
        cube, kernel = np.ones((1, 4, 4, 4, 2), "float32"), np.ones((2, 2, 2, 2, 3), "float32")
        layout = ("NDHWC", "DHWIO", "NDHWC")
        run = lambda x, w: lax.conv_general_dilated(x, w, (1, 1, 1), "VALID", dimension_numbers=layout)
        np.testing.assert_allclose(jax.jit(run)(cube, kernel), on_jaxs_cpu(run, cube, kernel))
        name = "convolution(tensor<1x4x4x4x2xf32>, tensor<2x2x2x2x3xf32>)"
        self.assertEqual(systole.fallbacks(), {} if EXACT else {name: 1})
        self.assertEqual(systole.last_step().on_host == "", EXACT)


class Donation(unittest.TestCase):
    def test_random_steps_with_donated_arguments_are_those_without(self):
        seed = int(os.environ.get("SEED", 0))
        tolerance = {"rtol": 1e-5, "atol": 1e-5} if EXACT else {"rtol": 0.05, "atol": 0.5}
        for seed in range(seed, seed + 25):
            random = np.random.default_rng(seed)
            count = int(random.integers(1, 4))
            state = [random.normal(size=(4, 4)).astype("float32") for _ in range(count)]
            plan = random.integers(0, 6, count), random.integers(0, count, (count, 2))

            def step(state, x):
                next_state = []
                for kind, (i, j) in zip(*plan):
                    a, b = state[i], state[j]
                    next_state.append((a, a + b, x, a @ b / 4, jnp.flip(a, 0) - x, a * 0 + 1)[kind])
                return next_state, state[0], x.sum()

            expected = ours = state
            donating = jax.jit(step, donate_argnums=0)
            for number in range(3):
                x = np.full((4, 4), number, "float32")
                with self.subTest(seed=seed, step=number):
                    ours, *others = donating(ours, x)
                    expected, *rest = on_jaxs_cpu(step, expected, x)
                    for a, b in zip(others, rest):
                        np.testing.assert_allclose(a, b, **tolerance)
            for a, b in zip(ours, expected):
                np.testing.assert_allclose(a, b, **tolerance)


if __name__ == "__main__":
    unittest.main()
