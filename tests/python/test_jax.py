"""JAX training steps on every device of the build, beside JAX's own CPU."""

import functools
import multiprocessing
import os
import pathlib
import subprocess
import sys
import unittest
import unittest.mock

import jax
import jax.numpy as jnp
import numpy as np

import systole

# One rounding of an operand to bf16 is half of 2^-8; a product has two, losses are sums of many.
BF16_TOLERANCE = 2.0**-6
FP32_TOLERANCE = 1e-5


def dense(shape, seed):
    return jax.random.normal(jax.random.key(seed), shape) / np.sqrt(shape[0])


def batch(features, seed=7):
    inputs = jax.random.normal(jax.random.key(seed), (12, *features))
    return inputs, jnp.arange(12, dtype=jnp.int32) % 3


def mlp(params, x):
    hidden = jax.nn.relu(x @ params["w1"] + params["b1"])
    return hidden @ params["w2"] + params["b2"]


def cnn(params, x):
    x = jax.lax.conv_general_dilated(
        x, params["k"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    x = jax.nn.relu(x + params["b"])
    x = jax.lax.conv_general_dilated(
        x, params["k2"], (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x.reshape(x.shape[0], -1) @ params["w"]


def embedding(params, tokens):
    return jnp.tanh(params["table"][tokens].mean(axis=1)) @ params["w"]


def recurrent(params, x):
    def cell(state, x):
        return jnp.tanh(x @ params["wx"] + state @ params["wh"]), None

    state, _ = jax.lax.scan(cell, jnp.zeros((x.shape[0], 5)), jnp.swapaxes(x, 0, 1))
    return state @ params["w"]


MODELS = {
    "mlp": (
        mlp,
        {"w1": dense((10, 9), 0), "b1": jnp.zeros(9), "w2": dense((9, 3), 1), "b2": jnp.zeros(3)},
        batch((10,)),
    ),
    "cnn": (
        cnn,
        {
            "k": dense((3, 3, 2, 5), 0) / 2,
            "b": jnp.zeros(5),
            "k2": dense((3, 3, 5, 4), 1) / 4,
            "w": dense((16, 3), 2),
        },
        batch((6, 6, 2)),
    ),
    "embedding": (
        embedding,
        {"table": dense((11, 6), 0), "w": dense((6, 3), 1)},
        (jnp.arange(48, dtype=jnp.int32).reshape(12, 4) % 11, batch(())[1]),
    ),
    "recurrent": (
        recurrent,
        {"wx": dense((4, 5), 0), "wh": dense((5, 5), 1), "w": dense((5, 3), 2)},
        batch((6, 4)),
    ),
}


def loss_of(model, params, x, labels):
    scores = jax.nn.log_softmax(model(params, x))
    return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))


def sgd_step(model, state, x, labels):
    loss, gradients = jax.value_and_grad(functools.partial(loss_of, model))(state, x, labels)
    return loss, jax.tree.map(lambda p, d: p - 0.1 * d, state, gradients)


def adam_step(model, state, x, labels):
    params, first, second, step = state
    loss, gradients = jax.value_and_grad(functools.partial(loss_of, model))(params, x, labels)
    step = step + 1
    first = jax.tree.map(lambda m, d: 0.9 * m + 0.1 * d, first, gradients)
    second = jax.tree.map(lambda v, d: 0.999 * v + 0.001 * d * d, second, gradients)

    def update(p, m, v):
        m, v = m / (1 - 0.9**step), v / (1 - 0.999**step)
        return p - 0.01 * m / (jnp.sqrt(v) + 1e-8)

    return loss, (jax.tree.map(update, params, first, second), first, second, step)


def initial(step, params):
    if step is sgd_step:
        return params
    zeros = jax.tree.map(jnp.zeros_like, params)
    return params, zeros, zeros, jnp.int32(0)


def train(jit, name, step, steps=3):
    """Losses, the last state, and the clocks of each step."""
    model, params, data = MODELS[name]
    compiled = jit(functools.partial(step, model))
    state, losses, clocks = initial(step, params), [], []
    for _ in range(steps):
        loss, state = compiled(state, *data)
        losses.append(float(loss))
        clocks.append(systole.last_step() and systole.last_step().clocks)
    return losses, state, clocks


def on(device):
    options = {} if device == "cpu" else {"array_size": 4}
    return functools.partial(systole.jit, device=device, **options)


class TrainingStep(unittest.TestCase):
    def test_losses_on_cpu_are_jax_s_and_on_model_within_bf16(self):
        for name in MODELS:
            for step in (sgd_step, adam_step):
                with self.subTest(model=name, step=step.__name__):
                    expected, expected_state, _ = train(jax.jit, name, step)
                    losses, state, _ = train(on("cpu"), name, step)
                    np.testing.assert_allclose(losses, expected, rtol=FP32_TOLERANCE)
                    self.assertEqual(jax.tree.structure(state), jax.tree.structure(expected_state))
                    for ours, theirs in zip(jax.tree.leaves(state), jax.tree.leaves(expected_state)):
                        self.assertEqual(ours.dtype, theirs.dtype)
                        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-4)
                    losses, _, _ = train(on("model"), name, step)
                    np.testing.assert_allclose(losses, expected, rtol=BF16_TOLERANCE)
                    self.assertLess(losses[-1], losses[0])

    @unittest.skipUnless("rtl" in systole.devices(), "this build has no RTL")
    def test_model_and_rtl_agree_in_every_bit_and_clock(self):
        for name in ("mlp", "cnn"):
            for step in (sgd_step, adam_step):
                with self.subTest(model=name, step=step.__name__):
                    losses, state, clocks = train(on("model"), name, step)
                    rtl_losses, rtl_state, rtl_clocks = train(on("rtl"), name, step)
                    self.assertEqual(losses, rtl_losses)
                    self.assertEqual(clocks, rtl_clocks)
                    self.assertGreater(min(clocks), 0)
                    for model, rtl in zip(jax.tree.leaves(state), jax.tree.leaves(rtl_state)):
                        np.testing.assert_array_equal(model, rtl)

    def test_all_products_run_on_the_device(self):
        _, _, clocks = train(on("model"), "mlp", sgd_step)
        step = systole.last_step()
        # Forward two, two weights' gradients, one input's gradient.
        self.assertEqual(step.products, 5)
        self.assertEqual(step.macs, 12 * (3 * 9 * 3 + 2 * 10 * 9))
        self.assertEqual(step.clocks, clocks[-1])
        self.assertEqual(step.device, "model")
        self.assertLess(sum(step.stalls.values()), step.clocks)
        self.assertTrue(0 < step.utilization < 1)


    def test_mnist_mlp_takes_the_library_s_clocks(self):
        # systole train mnist-mlp --optimizer sgd --steps-per-epoch 3 --device model --array 16
        library_clocks, library_macs = 425_067, 104_726_528
        params = {
            "w1": dense((784, 512), 0),
            "b1": jnp.zeros(512),
            "w2": dense((512, 10), 1),
            "b2": jnp.zeros(10),
        }
        step = systole.jit(functools.partial(sgd_step, mlp), device="model", array_size=16)
        step(params, jnp.zeros((128, 784)), jnp.zeros(128, jnp.int32))
        self.assertEqual(systole.last_step().macs, library_macs)
        self.assertLess(abs(systole.last_step().clocks / library_clocks - 1), 0.1)


class Page(unittest.TestCase):
    def test_the_program_of_docs_python_learns(self):
        page = pathlib.Path(__file__).parents[2].joinpath("docs/python.md").read_text()
        program = page.split("```python\n")[1].split("```")[0]
        rtl = 'device="rtl", array_size=16'
        self.assertIn(rtl, program)
        lines = []
        exec(program.replace(rtl, 'device="model"'), {"print": lines.append})
        losses = [float(line.split()[0]) for line in lines]
        self.assertEqual(len(losses), 10)
        self.assertLess(losses[-1], losses[0] / 2)


class Jit(unittest.TestCase):
    def test_it_compiles_once_for_each_shape(self):
        traces = []

        @systole.jit(device="cpu", static_argnums=1)
        def scaled(x, by):
            traces.append(x.shape)
            return {"y": x * by, "n": x.shape[0] * jnp.ones((), jnp.int32)}

        for rows in (2, 3, 2):
            result = scaled(jnp.ones((rows, 2)), 3.0)
            np.testing.assert_array_equal(result["y"], np.full((rows, 2), 3.0))
            self.assertEqual(int(result["n"]), rows)
        self.assertEqual(traces, [(2, 2), (3, 2)])
        scaled(jnp.ones((2, 2)), 4.0)
        self.assertEqual(len(traces), 3)

    def test_it_takes_scalars_lists_bf16_and_predicates(self):
        @systole.jit(device="cpu")
        def mixed(x, n, flags):
            return jnp.where(flags[0], x * n, x), ~flags[0], x.astype(jnp.bfloat16)

        x = jnp.array([1.5, -2.25, 0.1])
        flags = [jnp.array([True, False, True])]
        values, negated, rounded = mixed(x, 2, flags)
        np.testing.assert_array_equal(values, np.float32([3, -2.25, 0.2]))
        np.testing.assert_array_equal(negated, [False, True, False])
        self.assertEqual(rounded.dtype, jnp.bfloat16)
        np.testing.assert_array_equal(rounded, x.astype(jnp.bfloat16))

    def test_results_are_jax_arrays_without_a_copy(self):
        with unittest.mock.patch("systole.program.empty", side_effect=systole.program.empty) as empty:
            places = []
            empty.side_effect = lambda port, make=empty.side_effect: places.append(make(port)) or places[-1]
            results = systole.jit(lambda x: (x + 1, x.astype(jnp.int8)), "cpu")(jnp.ones((300, 7)))
        self.assertEqual(
            [result.unsafe_buffer_pointer() for result in results], [place.ctypes.data for place in places]
        )

    def test_dropout_has_jax_s_bits(self):
        def dropped(key, x):
            return jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x, 0)

        key, x = jax.random.PRNGKey(3), jnp.ones((4, 5))
        with jax.threefry_partitionable(False):
            expected = jax.jit(dropped)(key, x)
            np.testing.assert_array_equal(systole.jit(dropped, device="cpu")(key, x), expected)


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
        with self.assertRaisesRegex(systole.InvalidArgument, r"^\d+:\d+: .*'sort'"):
            systole.jit(jnp.sort, device="cpu")(jnp.ones(3))
        with self.assertRaisesRegex(ValueError, "while: the number of iterations depends on data"):
            systole.jit(lambda x: jax.lax.while_loop(lambda x: x < 9, lambda x: x * 2, x), "cpu")(1.0)
        with self.assertRaisesRegex(systole.InvalidArgument, "iota: unknown element type 'ui64': .* need jax.config"):
            key = jax.random.PRNGKey(0)
            systole.jit(lambda key: jax.random.uniform(key, (2, 3)), device="cpu")(key)

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
            systole.jit(jnp.sin, device="tpu")
        with self.assertRaisesRegex(systole.InvalidArgument, "unknown configuration"):
            systole.Device("model", configuration="v9")
        with self.assertRaisesRegex(systole.InvalidArgument, "N can be"):
            systole.Device("model", array_size=5)
        with self.assertRaisesRegex(systole.InvalidArgument, "does not multiply fp32"):
            systole.Device("model", precision="fp32")

    def test_a_forked_process_gets_an_error_and_lives(self):
        double = systole.jit(lambda x: x + x, device="cpu")
        self.assertEqual(float(double(1.0)), 2)
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
