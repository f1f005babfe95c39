"""What functions of JAX's may contain and ask for in systole.jit: the numbers of jax.jit, or one line."""

import os
import unittest

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import systole

jax.config.update("jax_threefry_partitionable", False)

MODEL = {"device": "model", "array_size": 4}
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(3, 5)).astype("float32")
W = (RANDOM.normal(size=(5, 5)) / 4).astype("float32")


def tree_close(ours, theirs, **tolerance):
    assert jax.tree.structure(ours) == jax.tree.structure(theirs)
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs)):
        assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, b.dtype, a.shape, b.shape)
        np.testing.assert_allclose(a, b, **tolerance)


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
    "one_hot": (lambda w: jax.nn.one_hot(jnp.array([0, 2, 1]), 5) @ w, W),
}


class Functions(unittest.TestCase):
    def test_functions_of_data_have_the_numbers_of_jax(self):
        for name, (function, *arguments) in RUNS.items():
            with self.subTest(name):
                expected = jax.jit(function)(*arguments)
                tree_close(systole.jit(function, "cpu")(*arguments), expected, rtol=2e-5, atol=2e-5)
                tree_close(systole.jit(function, **MODEL)(*arguments), expected, rtol=0.1, atol=0.05)

    def test_normal_numbers_are_those_of_the_uniform_ones(self):
        """Within 8 units in the last place of the inverse error function in double precision."""
        key = jax.random.key(7)
        least = np.nextafter(np.float32(-1), np.float32(0))
        uniform = np.asarray(jax.random.uniform(key, (20000,), minval=least, maxval=1))
        with jax.enable_x64(True):
            exact = np.sqrt(2) * np.asarray(lax.erf_inv(uniform.astype("float64")))
        for device in ("cpu", "model"):
            ours = np.asarray(systole.jit(lambda key: jax.random.normal(key, (20000,)), device)(key))
            ulps = np.abs(ours - exact) / np.spacing(np.abs(exact).astype("float32"))
            self.assertLess(ulps.max(), 8)

    def test_a_call_is_the_program_of_its_own_static_arguments_and_precision(self):
        n = np.arange(3, dtype="int32")
        for static in ({"static_argnums": 1}, {"static_argnums": -1}, {"static_argnames": "by"}):
            run = systole.jit(lambda n, by: n * by, "cpu", **static)
            for by in (2, 3, 2.0, True):
                tree_close(run(n, by), jax.jit(lambda n: n * by)(n))
                tree_close(run(n, by=by), jax.jit(lambda n: n * by)(n))
        donating = systole.jit(lambda x, by: x * by, "cpu", donate_argnums=-2)
        self.assertIsInstance(donating(X, np.float32(2)), systole.Resident)

        run = systole.jit(jnp.matmul, **MODEL)
        exact = X.astype("float64") @ W

        def error():
            return np.abs(np.asarray(run(X, W)) - exact).max()

        coarse = error()
        with jax.default_matmul_precision("highest"):
            self.assertLess(error(), coarse / 1000)
        self.assertEqual(error(), coarse)

    def test_keys_go_in_and_out_of_steps(self):
        @systole.jit(device="cpu")
        def draw(key):
            key, sub = jax.random.split(key)
            return key, jax.random.uniform(sub, (4,))

        ours = theirs = jax.random.key(5)
        for _ in range(3):
            ours, drawn = draw(ours)
            theirs, sub = jax.random.split(theirs)
            np.testing.assert_allclose(drawn, jax.random.uniform(sub, (4,)), rtol=1e-5)
            self.assertEqual(ours.dtype, theirs.dtype)
        with self.assertRaisesRegex(systole.InvalidArgument, "donate its words"):
            systole.jit(lambda k: jax.random.split(k)[0], "cpu", donate_argnums=0)(ours)

    def test_what_cannot_run_is_one_line_with_advice(self):
        def prints(x):
            jax.debug.print("{x}", x=x)
            return x

        def until(x):
            return lax.while_loop(lambda x: x.sum() < 9, lambda x: x * 2, x)

        for function, argument, text in (
            (prints, X, "take jax.debug.print and callbacks out"),
            (until, X * X, "use a loop that counts to a constant"),
            (lambda x: jnp.sort(x, 1), X, "unknown operation 'sort': compute it outside"),
            (lambda x: lax.top_k(x, 2), X, "'chlo.top_k' is not a stablehlo operation: compute it outside"),
            (lambda w: jnp.linalg.solve(w, w), W, "custom_call @lapack_sgetrf_ffi: .* outside"),
            (lambda x: x * 2, X.astype("complex64"), "is given complex64: a device has float32"),
            (lambda x: x * 2, X.astype("float16"), "is given float16: a device has float32"),
            (lambda x: x * 2, X.astype("int16"), "is given int16: a device has float32"),
            (lambda x: x + x, jnp.ones(3, "int4"), "is given int4: a device has float32"),
            (lambda x: x, jnp.ones(3, jnp.float8_e4m3fn), "is given float8_e4m3fn: a device has"),
            (lambda x: jnp.fft.fft(x).real, X, "unknown element type|complex|fft"),
            (lambda x: x.astype("float16") * 2, X, "unknown element type 'f16'"),
            (lambda x: jax.random.normal(jax.random.key(0), x.shape), X, "random bits need jax.config"),
            (lambda x: x, "text", "is given a str, which is no array: name it in static_argnums"),
            (lambda x: lax.lt_to_p.bind(x, x), X, "TOTALORDER"),
        ):
            for device in ("cpu", "model"):
                with self.subTest(text, device=device):
                    with self.assertRaisesRegex(systole.InvalidArgument, text) as caught:
                        with jax.threefry_partitionable(text.startswith("random")):
                            systole.jit(function, device)(argument)
                    self.assertEqual(len(str(caught.exception).splitlines()), 1)
        with jax.enable_x64(True):
            with self.assertRaisesRegex(systole.InvalidArgument, "is given float64"):
                systole.jit(lambda x: x * 2, "cpu")(X.astype("float64"))
            with self.assertRaisesRegex(systole.InvalidArgument, "unknown element type 'f64'"):
                systole.jit(lambda x: x.astype("float64") * 2, "cpu")(X)

    def test_options_that_jit_lacks_are_named(self):
        with self.assertRaisesRegex(TypeError, "no option 'donate_argnames': choose from configuration"):
            systole.jit(lambda x: x, "cpu", donate_argnames="x")
        with self.assertRaisesRegex(systole.InvalidArgument, "argument -2 of a function with 1"):
            systole.jit(lambda x: x, "cpu", donate_argnums=-2)

    def test_transformations_belong_inside(self):
        run = systole.jit(lambda x: (x * x).sum(), "cpu")
        run(X)
        for transformed in (jax.grad(run), jax.vmap(run), jax.jit(run), jax.jacfwd(run)):
            with self.assertRaisesRegex(systole.InvalidArgument, r"put jax.grad, .* inside of it"):
                transformed(X)
        np.testing.assert_allclose(systole.jit(jax.grad(lambda x: (x * x).sum()), "cpu")(X), 2 * X)
        rows = systole.jit(jax.vmap(lambda x: x @ W), "cpu")(X)
        np.testing.assert_allclose(rows, X @ W, rtol=1e-5)

    def test_static_arguments_go_by_place_and_by_name(self):
        traces = []

        def scaled(x, by, *, way="up"):
            traces.append((by, way))
            return x * by if way == "up" else x / by

        run = systole.jit(scaled, "cpu", static_argnames=("by", "way"))
        np.testing.assert_array_equal(run(X, 2), X * 2)
        np.testing.assert_array_equal(run(X, by=2), X * 2)
        np.testing.assert_array_equal(run(X, 4, way="down"), X / 4)
        np.testing.assert_array_equal(run(X, 2), X * 2)
        self.assertLessEqual(len(traces), 3)
        donating = systole.jit(scaled, "cpu", static_argnames="way", donate_argnums=0)
        np.testing.assert_array_equal(donating(X, np.float32(3), way="up"), X * 3)

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
            expected = jax.jit(function)(none)
            for device in ({"device": "cpu", "threads": 2}, MODEL):
                with self.subTest(name, **device):
                    tree_close(systole.jit(function, **device)(none), expected)


    def test_whole_steps_refuse_tensors_without_elements(self):
        for step, x in (
            (lambda w, x: w - x.T @ x, X[:0, :5]),
            (lambda w, x: (w * 0.5, x.sum()), X[:0]),
            (lambda w, x: w + w[:0].sum() + x.sum(), X),
        ):
            with self.assertRaisesRegex(systole.InvalidArgument, "is a tensor<0x5xf32>: a whole step has no"):
                systole.jit(step, whole=True, donate_argnums=0, **MODEL)(W, x)


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
                run = systole.jit(lambda x, w: jnp.matmul(x, w, precision=precision), **MODEL)
                error = self.error(run(X, W))
                self.assertLess(error, at_most)
                if at_most == 2**-7:
                    self.assertGreater(error, 2**-15)
        with jax.default_matmul_precision("highest"):
            self.assertLess(self.error(systole.jit(jnp.matmul, **MODEL)(X, W)), 2**-21)

    def test_every_algorithm_of_jax_s_runs_as_asked_or_is_refused(self):
        runs = {
            "DEFAULT": 2**-7,
            "BF16_BF16_F32": 2**-7,
            "BF16_BF16_F32_X3": 2**-15,
            "BF16_BF16_F32_X6": 2**-21,
            "F32_F32_F32": 2**-21,
        }
        for algorithm in lax.DotAlgorithmPreset:
            run = systole.jit(lambda x, w: jnp.matmul(x, w, precision=algorithm), **MODEL)
            with self.subTest(algorithm.name):
                if algorithm.name in runs:
                    self.assertLess(self.error(run(X, W)), runs[algorithm.name])
                    continue
                with self.assertRaises((systole.InvalidArgument, ValueError)) as caught:
                    run(X, W)
                self.assertEqual(len(str(caught.exception).splitlines()), 1)

    def test_gradients_keep_the_precision(self):
        def loss(w, precision):
            return (jnp.matmul(X, w, precision=precision) ** 2).sum()

        exact = 2 * X.T.astype("float64") @ (X.astype("float64") @ W)
        for precision, at_most in (("highest", 1e-6), (None, 0.03)):
            ours = systole.jit(lambda w: jax.grad(loss)(w, precision), **MODEL)(W)
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
            exact = run(None)(image.astype("float64"), kernel.astype("float64"))
        errors = [
            np.abs(systole.jit(run(precision), **MODEL)(image, kernel) - exact).max()
            for precision in (None, "high", "highest")
        ]
        self.assertGreater(errors[0], 1e-3)
        self.assertLess(errors[1], 2e-4)
        self.assertLess(errors[2], 2e-5)

    def test_a_whole_step_refuses_more_than_bf16(self):
        def step(w):
            return w - 0.1 * jnp.matmul(w, w, precision="highest")

        with self.assertRaisesRegex(systole.InvalidArgument, "has no HIGH or HIGHEST precision"):
            systole.jit(step, whole=True, donate_argnums=0, **MODEL)(W)

    def test_results_have_the_element_type_that_is_asked_for(self):
        bf16 = jnp.asarray(X, jnp.bfloat16), jnp.asarray(W, jnp.bfloat16)
        for operands in (bf16, (X, W)):
            for wanted in (jnp.float32, jnp.bfloat16):
                run = lambda a, b: jnp.matmul(a, b, preferred_element_type=wanted)
                for device in ({"device": "cpu"}, MODEL):
                    y = systole.jit(run, **device)(*operands)
                    self.assertEqual(y.dtype, wanted)
                    self.assertLess(self.error(y.astype("float32")), 2**-6)
                    self.assertEqual(systole.last_step().products, 1)
        ints = RANDOM.integers(-128, 127, (2, 4, 4)).astype("int8")
        y = systole.jit(lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32), "cpu")(*ints)
        np.testing.assert_array_equal(y, ints[0].astype("int32") @ ints[1].astype("int32"))


class Batches(unittest.TestCase):
    def test_batched_products_run_on_the_device(self):
        q, k = (RANDOM.normal(size=(2, 6, 3, 8)).astype("float32") for _ in range(2))  # b t h d

        def attention(q, k):
            weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8**0.5)
            return jnp.einsum("bhqk,bkhd->bqhd", weights, k)

        before = sum(systole.fallbacks().values())
        for function in (attention, jax.grad(lambda q, k: attention(q, k).sum())):
            expected = jax.jit(function)(q, k)
            ours = systole.jit(function, **MODEL)(q, k)
            np.testing.assert_allclose(ours, expected, atol=0.03)
            np.testing.assert_allclose(systole.jit(function, "cpu")(q, k), expected, atol=1e-5)
        systole.jit(attention, **MODEL)(q, k)
        self.assertEqual(systole.last_step().products, 2 * 6)
        self.assertEqual(systole.last_step().macs, 2 * 6 * 6 * 6 * 8)
        self.assertEqual(sum(systole.fallbacks().values()), before)

    def test_what_falls_back_is_counted(self):
        cube, kernel = jnp.ones((1, 4, 4, 4, 2)), jnp.ones((2, 2, 2, 2, 3))
        layout = ("NDHWC", "DHWIO", "NDHWC")
        run = lambda x, w: lax.conv_general_dilated(x, w, (1, 1, 1), "VALID", dimension_numbers=layout)
        expected = run(cube, kernel)
        np.testing.assert_allclose(systole.jit(run, **MODEL)(cube, kernel), expected)
        self.assertEqual(
            systole.fallbacks().get("convolution(tensor<1x4x4x4x2xf32>, tensor<2x2x2x2x3xf32>)"), 1
        )
        before = systole.fallbacks()
        systole.jit(run, "cpu")(cube, kernel)
        self.assertEqual(systole.fallbacks(), before)


class Donation(unittest.TestCase):
    def test_random_steps_with_donated_arguments_are_those_without(self):
        seed = int(os.environ.get("SEED", 0))
        for seed in range(seed, seed + 25):
            random = np.random.default_rng(seed)
            count = int(random.integers(1, 4))
            state = [random.normal(size=(4, 4)).astype("float32") for _ in range(count)]
            plan = random.integers(0, 6, count), random.integers(0, count, (count, 2))

            def step(state, x):
                next_state = []
                for kind, (i, j) in zip(*plan):
                    a, b = state[i], state[j]
                    next_state.append((a, a + b, x, a @ b, jnp.flip(a, 0) - x, a * 0 + 1)[kind])
                return next_state, state[0], x.sum()

            expected = ours = state
            donating = systole.jit(step, "cpu", donate_argnums=0)
            for number in range(3):
                x = np.full((4, 4), number, "float32")
                with self.subTest(seed=seed, step=number):
                    *rest, = jax.jit(step)(expected, x)
                    expected = rest[0]
                    ours, *others = donating(ours, x)
                    for a, b in zip(others, rest[1:]):
                        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
            for a, b in zip(ours, expected):
                np.testing.assert_allclose(np.asarray(a), b, rtol=1e-5, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
