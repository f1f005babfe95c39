"""TensorFlow's products and convolutions on the device that SYSTOLE_DEVICE names, beside its CPU."""

import itertools
import os
import pathlib
import subprocess
import sys
import threading
import unittest

import numpy as np

import systole.tensorflow as tf

# An operand rounded to bf16 is off by half of 2^-8 of itself, a product by two such errors.
TOLERANCE = 1e-5 if os.environ.get("SYSTOLE_DEVICE") == "cpu" else 2.0**-7
CORE = "/SYSTOLE:0"


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def on(device, function, *tensors):
    with tf.device(device):
        result = function(*map(tf.constant, tensors))
    assert device[1:] in result.device, result.device
    return result.numpy()


class Products(unittest.TestCase):
    def check(self, function, *tensors, calls=1):
        """Compares with the CPU, and counts: each call is one product of the device."""
        before = tf.counters()
        result = on(CORE, function, *tensors)
        after = tf.counters()
        self.assertEqual((after[0].calls if after else 0) - (before[0].calls if before else 0), calls)
        if after[0].done.clocks > 0:
            self.assertEqual(after[0].calls, after[0].done.products)
        expected = on("/CPU:0", function, *tensors)
        scale = np.abs(expected).max(initial=0)
        np.testing.assert_allclose(result, expected, atol=TOLERANCE * scale)

    def test_matmul_of_all_orders_is_the_cpu_s(self):
        for a, b in itertools.product((False, True), repeat=2):
            x, w = random(*((9, 5) if a else (5, 9))), random(*((3, 9) if b else (9, 3)), seed=1)
            with self.subTest(transpose_a=a, transpose_b=b):
                self.check(lambda x, w: tf.matmul(x, w, transpose_a=a, transpose_b=b), x, w)

    def test_batches_of_matrices_repeat_where_they_are_one(self):
        self.check(lambda x, w: tf.matmul(x, w), random(2, 1, 4, 5), random(3, 5, 6), calls=6)
        self.check(
            lambda x, w: tf.matmul(x, w, adjoint_b=True), random(4, 5), random(3, 1, 6, 5), calls=3
        )

    def test_empty_products_are_zero_without_the_device(self):
        self.check(tf.matmul, random(0, 4), random(4, 3), calls=0)
        self.check(tf.matmul, random(2, 0), random(0, 3), calls=0)

    def test_convolutions_and_their_gradients_are_the_cpu_s(self):
        explicit = [[0, 0], [1, 2], [2, 0], [0, 0]]
        for rows, kernel, stride, padding in itertools.product(
            (7, 8), ((1, 1), (3, 2), (5, 4)), (1, 2, 3), ("SAME", "VALID", explicit)
        ):
            with self.subTest(rows=rows, kernel=kernel, stride=stride, padding=padding):
                image, weights = random(2, rows, 6, 3), random(*kernel, 3, 5, seed=1)
                self.check(lambda x, w: tf.nn.conv2d(x, w, stride, padding), image, weights)
                shape = tf.nn.conv2d(image, weights, stride, padding).shape
                options = {
                    "strides": [1, stride, stride, 1],
                    "padding": padding if isinstance(padding, str) else "EXPLICIT",
                    "explicit_paddings": [] if isinstance(padding, str) else sum(padding, []),
                }
                gradient = random(*shape, seed=2)
                raw = tf.raw_ops
                self.check(
                    lambda w, g: raw.Conv2DBackpropInput(
                        input_sizes=image.shape, filter=w, out_backprop=g, **options
                    ),
                    weights,
                    gradient,
                )
                self.check(
                    lambda x, g: raw.Conv2DBackpropFilter(
                        input=x, filter_sizes=weights.shape, out_backprop=g, **options
                    ),
                    image,
                    gradient,
                )

    def test_dilated_convolutions_are_the_cpu_s(self):
        self.check(
            lambda x, w: tf.nn.conv2d(x, w, 1, "SAME", dilations=2),
            random(2, 8, 7, 3),
            random(3, 2, 3, 5),
        )


# The operations of a training step that are loops of the plugin, with their operands.
X, Y, ROW, POSITIVE = random(3, 4, 5), random(3, 4, 5, seed=1), random(5, seed=2), np.abs(random(4, 5)) + 0.1
LARGE = np.abs(random(90, 100, 33))  # several threads' work; sums without cancellation
IMAGES, LABELS = random(2, 7, 6, 3), np.arange(6) % 4
raw = tf.raw_ops
LOOPS = {
    **{
        f"{function.__name__} {i}": (function, operands)
        for function in (tf.add, tf.subtract, tf.multiply, tf.divide, tf.maximum, tf.minimum)
        + (tf.math.squared_difference, tf.math.divide_no_nan, tf.greater, tf.less_equal, tf.equal)
        for i, operands in enumerate(
            ((X, Y), (X, ROW), (ROW, X), (X, np.float32(2)), (X[:, :1], Y[:1]), (X[:0], Y[:0]))
        )
    },
    **{
        function.__name__: (function, (X,))
        for function in (tf.abs, tf.exp, tf.square, tf.tanh, tf.sigmoid, tf.nn.relu, tf.negative)
        + (tf.ones_like, tf.nn.softmax, tf.nn.log_softmax)
    },
    **{
        function.__name__: (function, (POSITIVE,))
        for function in (tf.math.log, tf.sqrt, tf.math.rsqrt, tf.math.log1p, tf.math.reciprocal)
    },
    "pow": (tf.pow, (POSITIVE, ROW)),
    "int64": (lambda x, y: x * y - (x + 1), (LABELS, LABELS[:1])),
    "select": (lambda x, y, row: tf.where(x > y, x, row), (X, Y, ROW)),
    "logical": (lambda x, y: tf.logical_and(x > 0, tf.logical_not(tf.logical_or(y > 0, x > 1))), (X, Y)),
    "casts": (lambda x: tf.cast(tf.cast(tf.cast(x, tf.int64), tf.bool), tf.float32), (3 * X,)),
    "add_n": (lambda x, y: tf.add_n([x, y, x]), (X, Y)),
    "bias": (tf.nn.bias_add, (X, ROW)),
    "bias gradient": (lambda x: raw.BiasAddGrad(out_backprop=x), (X,)),
    "relu gradient": (lambda x, y: raw.ReluGrad(gradients=x, features=y), (X, Y)),
    "sigmoid gradient": (lambda x, y: raw.SigmoidGrad(y=x, dy=y), (X, Y)),
    "tanh gradient": (lambda x, y: raw.TanhGrad(y=x, dy=y), (X, Y)),
    "sqrt gradient": (lambda x, y: raw.SqrtGrad(y=x, dy=y), (POSITIVE, POSITIVE)),
    "rsqrt gradient": (lambda x, y: raw.RsqrtGrad(y=x, dy=y), (POSITIVE, POSITIVE)),
    **{
        f"{function.__name__} {axis} {keeps}": (
            lambda x, function=function, axis=axis, keeps=keeps: function(x, axis, keepdims=keeps),
            (X,),
        )
        for function in (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_prod)
        for axis in (None, 0, 1, -1, (0, 2), ())
        for keeps in (False, True)
    },
    "argmax": (lambda x: tf.argmax(x, 1), (X,)),
    "argmax int32": (lambda x: tf.argmax(x, -1, tf.int32), (X,)),
    "sparse loss": (
        lambda x, labels: tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x),
        (random(6, 4), LABELS),
    ),
    "loss": (
        lambda x, y: tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(y), x),
        (random(6, 4), random(6, 4, seed=1)),
    ),
    **{
        f"large sum {axis}": (lambda x, axis=axis: tf.reduce_sum(x, axis), (LARGE,))
        for axis in (None, 0, 1, -1, (0, 1), (1, 2))
    },
    "large maximum": (lambda x: tf.reduce_max(x, (0, 1)), (LARGE,)),
    "large sum of few lines": (lambda x: tf.reduce_sum(x, 0), (LARGE.reshape(2, -1),)),
    "large bias": (tf.nn.bias_add, (LARGE, LARGE[0, 0])),
    "large bias gradient": (lambda x: raw.BiasAddGrad(out_backprop=x), (LARGE,)),
    "large broadcast": (tf.add, (LARGE[:, :1], LARGE[:1])),
    "large line": (tf.multiply, (LARGE.reshape(-1), LARGE.reshape(-1))),
    "large tanh": (tf.tanh, (LARGE,)),
    "fill": (lambda x: tf.fill([2, 3], x), (np.float32(3),)),
    "broadcast": (lambda x: tf.broadcast_to(x, [2, 4, 5]), (ROW,)),
    "tile": (lambda x: tf.tile(x, [2, 1, 3]), (X,)),
    **{
        f"pooling {padding} {stride}": (
            lambda x, padding=padding, stride=stride: tf.nn.max_pool2d(x, 2, stride, padding),
            (IMAGES,),
        )
        for padding in ("SAME", "VALID")
        for stride in (1, 2, 3)
    },
}


def gradient_of_pooling(x, padding, stride):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, 3, stride, padding)
    return tape.gradient(y, x)


class Loops(unittest.TestCase):
    def test_they_run_on_the_core_with_the_cpu_s_results(self):
        for name, (function, operands) in LOOPS.items():
            with self.subTest(operation=name):
                result, expected = (on(device, function, *operands) for device in (CORE, "/CPU:0"))
                self.assertEqual(result.dtype, expected.dtype)
                np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)

    def test_the_gradient_of_pooling_is_the_cpu_s(self):
        for padding in ("SAME", "VALID"):
            for stride in (1, 2, 4):
                with self.subTest(padding=padding, stride=stride):
                    result, expected = (
                        on(device, lambda x: gradient_of_pooling(x, padding, stride), IMAGES)
                        for device in (CORE, "/CPU:0")
                    )
                    np.testing.assert_allclose(result, expected, rtol=1e-6)


class Refusals(unittest.TestCase):
    def test_shapes_that_do_not_fit_are_invalid_arguments_with_our_text(self):
        with tf.device(CORE):
            with self.assertRaisesRegex(
                tf.errors.InvalidArgumentError, r"matrices \[5, 7\] and \[5, 7\] have no product"
            ):
                tf.matmul(random(5, 7), random(5, 7))
            with self.assertRaisesRegex(
                tf.errors.InvalidArgumentError, "4 channels and a kernel for 2: groups are not"
            ):
                tf.nn.conv2d(random(1, 5, 5, 4), random(3, 3, 2, 6), 1, "SAME")
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "use channels_last"):
                tf.nn.conv2d(random(1, 4, 5, 5), random(3, 3, 4, 6), 1, "SAME", data_format="NCHW")
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "label 4 of row 1 is none of"):
                tf.nn.sparse_softmax_cross_entropy_with_logits([1, 4], random(2, 3))
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, r"\[2, 3\] and \[4\] do not fit"):
                tf.add(random(2, 3), random(4))
            self.assertEqual(tf.matmul([[2.0]], [[3.0]]).numpy(), 6)

    def test_two_threads_may_use_one_core(self):
        x, w = random(20, 30), random(30, 10)
        expected, results = on(CORE, tf.matmul, x, w), []

        def multiply():
            for _ in range(20):
                results.append(on(CORE, tf.matmul, x, w))

        threads = [threading.Thread(target=multiply) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 80)
        for result in results:
            np.testing.assert_array_equal(result, expected)


class Plugin(unittest.TestCase):
    def test_it_exports_its_entry_points_alone_and_needs_no_static_tls(self):
        plugin = pathlib.Path(os.environ["SYSTOLE_LIBRARY"]).with_name("libsystole_tensorflow.so")

        def output(*command):
            return subprocess.run(
                [*command, plugin], check=True, capture_output=True, text=True
            ).stdout

        names = {line.split()[-1] for line in output("nm", "-D", "--defined-only").splitlines()}
        entries = {"SE_InitPlugin", "TF_InitGraph", "TF_InitKernel"}
        self.assertEqual(names, entries | {"systole_tensorflow_ask", "systole_tensorflow_count"})
        self.assertNotRegex(output("readelf", "-d"), "TEXTREL|STATIC_TLS")

    def test_unknown_devices_are_refused_and_the_known_ones_listed(self):
        with self.assertRaisesRegex(ValueError, "unknown device 'tpu': this build has cpu, model"):
            tf.configure("tpu")
        with self.assertRaisesRegex(ValueError, "9 cores: a process has 1 to 8"):
            tf.configure("model", cores=9)
        program = "import systole.tensorflow as tf; tf.config.list_logical_devices()"
        for device, text in (("tpu", "unknown device 'tpu'"), ("cpu:9", "1 to 8 cores")):
            with self.subTest(device=device):
                failed = subprocess.run(
                    [sys.executable, "-c", program],
                    env={**os.environ, "SYSTOLE_DEVICE": device},
                    capture_output=True,
                    text=True,
                )
                self.assertEqual(failed.returncode, 1)
                self.assertIn(text, failed.stderr)


if __name__ == "__main__":
    unittest.main()
