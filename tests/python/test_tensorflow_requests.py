"""What a TensorFlow program may ask of a product: its type runs on the core or is counted and said."""

import collections
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import systole
import systole.tensorflow as tf

CORE, CPU = "/SYSTOLE:0", "/CPU:0"
EQUATIONS = {
    "ab,bc->ac": ((3, 4), (4, 5)),
    "abc,cd->abd": ((2, 3, 4), (4, 5)),
    "aecd,abcd->acbe": ((2, 3, 2, 4), (2, 5, 2, 4)),  # attention: keys and queries
    "acbe,aecd->abcd": ((2, 2, 5, 3), (2, 3, 2, 4)),  # attention: weights and values
    "abc,cde->abde": ((2, 3, 4), (4, 2, 5)),
    "ba,bc->ac": ((4, 3), (4, 5)),
    "ab,cb->ca": ((3, 4), (5, 4)),
}


def random(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def calls():
    return sum(core.calls for core in tf.counters())


class Types(unittest.TestCase):
    def test_bfloat16_and_float16_are_multiplied_on_the_core(self):
        for dtype in (tf.bfloat16, tf.float16):
            for function, shapes in (
                (tf.matmul, ((5, 9), (9, 3))),
                (tf.matmul, ((2, 5, 9), (2, 9, 3))),
                (lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), ((2, 6, 5, 3), (3, 3, 3, 4))),
            ):
                with self.subTest(type=dtype.name, shapes=shapes), tf.device(CORE):
                    operands = [tf.cast(random(*shape, seed=i), dtype) for i, shape in enumerate(shapes)]
                    before = calls()
                    result = function(*operands)
                    self.assertGreater(calls(), before)
                    self.assertEqual(result.dtype, dtype)
                    with tf.device(CPU):
                        expected = tf.cast(function(*operands), tf.float32).numpy()
                    np.testing.assert_allclose(
                        tf.cast(result, tf.float32), expected, atol=2.0**-6 * np.abs(expected).max()
                    )

    def test_a_policy_of_mixed_bfloat16_leaves_no_product_to_the_cpu(self):
        keras, fallbacks = tf.keras, tf.fallbacks()
        for policy in ("mixed_bfloat16", "mixed_float16"):
            with self.subTest(policy=policy), tf.distribute.OneDeviceStrategy(CORE).scope():
                model = keras.Sequential(
                    [
                        keras.layers.Input((6, 6, 2)),
                        keras.layers.Conv2D(5, 3, activation="relu", dtype=policy),
                        keras.layers.MaxPooling2D(dtype=policy),
                        keras.layers.Flatten(dtype=policy),
                        keras.layers.Dense(9, activation="relu", dtype=policy),
                        keras.layers.Dense(3, dtype="float32"),
                    ]
                )
                model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
                before = calls()
                model.fit(random(48, 6, 6, 2), np.arange(48) % 3, 16, verbose=0)
                self.assertEqual(calls() - before, 3 * 8)
        self.assertEqual(tf.fallbacks(), fallbacks)


    def test_a_product_has_the_type_that_is_asked_for(self):
        for operands in (tf.bfloat16, tf.float16):
            x, w = (tf.cast(random(*shape, seed=i), operands) for i, shape in enumerate(((2, 5, 9), (2, 9, 3))))
            expected = np.asarray(x, np.float32) @ np.asarray(w, np.float32)
            for result in (operands, tf.float32):
                with self.subTest(operands=operands.name, result=result.name), tf.device(CORE):
                    before = calls()
                    y = tf.linalg.matmul(x, w, output_type=result)
                    self.assertEqual(calls() - before, 2)
                    self.assertEqual(y.dtype, result)
                    np.testing.assert_allclose(np.asarray(y, np.float32), expected, atol=2.0**-6 * np.abs(expected).max())
        with tf.device(CORE):
            n = tf.constant(np.random.default_rng(0).integers(-128, 128, (5, 9)), tf.int8)
            before = tf.fallbacks().get("BatchMatMulV3 of int32", 0)
            y = tf.linalg.matmul(n, n, transpose_b=True, output_type=tf.int32)
            np.testing.assert_array_equal(y, np.asarray(n, np.int32) @ np.asarray(n, np.int32).T)
            self.assertEqual(tf.fallbacks()["BatchMatMulV3 of int32"], before + 1)
            with self.assertRaises(tf.errors.OpError):  # TensorFlow's own: no device has it
                tf.linalg.matmul(x, w, output_type=tf.float64)

    def test_keras_s_quantized_layers_and_narrow_types_predict_what_the_cpu_does(self):
        keras, x = tf.keras, random(16, 8)
        quantized = {"int8": 0, "float8": 2.0**-6, "int4": 2.0**-6}
        for policy in (*quantized, "float16", "bfloat16", "float64"):
            with self.subTest(policy=policy):
                predicted = []
                for device in (CPU, CORE):
                    with tf.distribute.OneDeviceStrategy(device).scope():
                        keras.utils.set_random_seed(1)
                        options = {} if policy in quantized else {"dtype": policy}
                        layers = [keras.layers.Dense(16, activation="relu", **options), keras.layers.Dense(4, **options)]
                        model = keras.Sequential([keras.layers.Input((8,)), *layers])
                        if policy in quantized:
                            model.quantize(policy)
                        predicted.append(np.asarray(model.predict(x, verbose=0), np.float64))
                expected, ours = predicted
                tolerance = {"int8": 0, "float64": 1e-12}.get(policy, 2.0**-6)
                np.testing.assert_allclose(ours, expected, atol=tolerance * np.abs(expected).max())


class Precision(unittest.TestCase):
    def error(self, function, *operands):
        """Of a result on the core beside double precision, in sums of |a||b|."""
        exact, scale = (function(*(tf.cast(change(x), tf.float64) for x in operands)) for change in (tf.identity, tf.abs))
        with tf.device(CORE):
            return np.abs(tf.cast(function(*operands), tf.float64) - exact).max() / scale.numpy().max()

    def test_products_have_float32_s_precision_without_tensor_float_32(self):
        enable = tf.config.experimental.enable_tensor_float_32_execution
        self.addCleanup(enable, True)

        def convolution(x, w):
            return tf.nn.conv2d(x, w, 1, "SAME")

        def gradients(x, w):
            with tf.GradientTape() as tape:
                tape.watch(w)
                y = convolution(x, w)
                loss = tf.reduce_sum(y * y)
            return tape.gradient(loss, w)

        traced = tf.function(tf.matmul)
        for name, function, shapes in (
            ("product", tf.matmul, ((20, 90), (90, 30))),
            ("function", traced, ((20, 90), (90, 30))),
            ("batches", tf.matmul, ((2, 4, 90), (2, 90, 3))),
            ("convolution", convolution, ((2, 6, 5, 3), (3, 3, 3, 4))),
            ("gradient", gradients, ((2, 6, 5, 3), (3, 3, 3, 4))),
        ):
            operands = [tf.constant(random(*shape, seed=i)) for i, shape in enumerate(shapes)]
            for enabled, least, most in ((False, 0, 2.0**-21), (True, 2.0**-15, 2.0**-7)):
                with self.subTest(operation=name, tensor_float_32=enabled):
                    enable(enabled)
                    self.assertEqual(tf.config.experimental.tensor_float_32_execution_enabled(), enabled)
                    error = self.error(function, *operands)
                    self.assertGreaterEqual(error, least)
                    self.assertLess(error, most)
        enable(False)
        narrow = [tf.cast(random(4, 4, seed=i), tf.bfloat16) for i in range(2)]
        before = tf.counters()[0].done.products
        with tf.device(CORE):
            tf.matmul(*narrow)
        self.assertEqual(tf.counters()[0].done.products, before + 1)

    def test_products_in_int8_refuse_float32_s_precision(self):
        program = (
            "import systole.tensorflow as tf; tf.config.experimental.enable_tensor_float_32_execution(False);"
            "tf.matmul(tf.ones([4, 4]), tf.ones([4, 4]))"
        )
        failed = in_another_process(program, SYSTOLE_PRECISION="int8")
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("products in int8 have no HIGH or HIGHEST precision", failed.stderr)

    def test_hints_leave_the_numbers_as_they_are(self):
        x, w = random(2, 5, 9), random(2, 9, 3, seed=1)
        with tf.device(CORE):
            plain = tf.matmul(x, w)
            for hint in ({"grad_x": True}, {"grad_y": True}):
                np.testing.assert_array_equal(tf.raw_ops.BatchMatMulV2(x=x, y=w, **hint), plain)
            for hint in ({"grad_a": True}, {"grad_b": True}):
                np.testing.assert_array_equal(tf.raw_ops.MatMul(a=x[0], b=w[0], **hint), plain[0])

        def function(x):
            return tf.matmul(tf.nn.relu(tf.matmul(x, x, transpose_b=True)), x)

        results = []
        for enabled in (False, True):
            options = dict.fromkeys(("auto_mixed_precision", "auto_mixed_precision_onednn_bfloat16"), enabled)
            tf.config.optimizer.set_experimental_options(options)
            with tf.device(CORE):
                results.append(tf.function(function)(x))
        tf.config.optimizer.set_experimental_options(dict.fromkeys(options, False))
        np.testing.assert_array_equal(*results)

    def test_bits_are_the_same_in_each_run_and_on_any_number_of_threads(self):
        programs = [in_another_process("", "--bits", SYSTOLE_THREADS=threads) for threads in "1223"]
        self.assertEqual(len(programs[0].stdout.split()), 2, programs[0].stderr)
        self.assertEqual({done.stdout for done in programs}, {programs[0].stdout})


def in_another_process(program, *words, **environment):
    command = [sys.executable, __file__, *words] if words else [sys.executable, "-c", program]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)


def print_bits():
    """A checksum of results that several threads have computed, of two runs with determinism asked for."""
    tf.config.experimental.enable_op_determinism()
    keras, image = tf.keras, random(2, 160, 160, 8)

    def step():
        with tf.device(CORE):
            keras.utils.set_random_seed(1)
            layer, optimizer = keras.layers.Conv2D(8, 3, padding="same"), keras.optimizers.Adam()
            for _ in range(2):
                with tf.GradientTape() as tape:
                    y = tf.nn.max_pool2d(tf.nn.relu(layer(image)), 3, 2, "SAME")
                    loss = tf.reduce_mean(tf.square(y)) + tf.reduce_sum(tf.nn.softmax(tf.reshape(y, [2, -1])))
                optimizer.apply(tape.gradient(loss, layer.trainable_variables), layer.trainable_variables)
            values = [loss, tf.reduce_sum(image, [0, 1, 2]), tf.tanh(image), *layer.variables]
            return hashlib.sha256(b"".join(np.asarray(value).tobytes() for value in values)).hexdigest()

    print(step(), step())


class Einsum(unittest.TestCase):
    def test_products_of_einsum_and_their_gradients_run_on_the_core(self):
        for equation, shapes in EQUATIONS.items():
            operands = [tf.constant(random(*shape, seed=i)) for i, shape in enumerate(shapes)]

            def gradients(device, equation=equation, operands=operands):
                with tf.device(device), tf.GradientTape() as tape:
                    tape.watch(operands)
                    y = tf.einsum(equation, *operands)
                    loss = tf.reduce_sum(y * y)
                return [y, *tape.gradient(loss, operands)]

            for function in (gradients, tf.function(gradients)):
                with self.subTest(equation=equation):
                    before = calls()
                    ours = function(CORE)
                    self.assertGreaterEqual(calls() - before, 3)
                    for a, b in zip(ours, gradients(CPU)):
                        np.testing.assert_allclose(a, b, atol=2.0**-5 * np.abs(b).max())


class Fallbacks(unittest.TestCase):
    def test_products_that_no_core_has_are_counted_and_said_once(self):
        before = tf.fallbacks()
        x = tf.constant(random(4, 4))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for _ in range(2):
                tf.matmul(tf.cast(x, tf.int64), tf.cast(x, tf.int64))
                tf.matmul(tf.cast(x, tf.complex64), tf.cast(x, tf.complex64), adjoint_a=True)
            tf.nn.conv3d(random(1, 4, 4, 4, 2), random(2, 2, 2, 2, 3), [1] * 5, "SAME")
            tf.nn.depthwise_conv2d(random(1, 4, 4, 2), random(2, 2, 2, 1), [1] * 4, "SAME")
            with tf.device(CPU):
                tf.matmul(tf.cast(x, tf.float64), tf.cast(x, tf.float64))
            tf.matmul(x, x)
        counted = collections.Counter(tf.fallbacks()) - collections.Counter(before)
        expected = {
            "MatMul of int64": 2,
            "MatMul of complex64": 2,
            "Conv3D of float32": 1,
            "DepthwiseConv2dNative of float32": 1,
        }
        self.assertEqual(counted, expected)
        texts = [str(warning.message) for warning in said if "tf.fallbacks()" in str(warning.message)]
        self.assertEqual(len(texts), len(expected))
        self.assertIn("Conv3D of float32 runs on TensorFlow's CPU: no core has it (tf.fallbacks())", texts)
        self.assertEqual(tf.fallbacks(), systole.fallbacks())

    def test_what_a_loaded_model_leaves_to_the_cpu_is_counted(self):
        class Model(tf.Module):
            @tf.function(input_signature=[tf.TensorSpec([1, 4, 4, 2], tf.float32)])
            def __call__(self, x):
                y = tf.nn.depthwise_conv2d(x, tf.ones([2, 2, 2, 1]), [1] * 4, "SAME")
                with tf.device(CPU):
                    own = tf.matmul(tf.cast(y[0, 0], tf.float64), tf.ones([2, 2], tf.float64))
                on_the_core = tf.matmul(y[0, 0], y[0, 1], transpose_b=True)
                return tf.einsum("bhwc,bhwd->", y, y) + on_the_core[0, 0] + tf.cast(own[0, 0], tf.float32)

        x = random(1, 4, 4, 2)
        with tempfile.TemporaryDirectory() as folder:
            tf.saved_model.save(Model(), folder)
            program = (
                "import sys, numpy as np, systole.tensorflow as tf\n"
                f"model = tf.saved_model.load({folder!r})\n"
                f"print(float(model(tf.constant({x.tolist()}))))\n"
                "print(tf.fallbacks())"
            )
            done = in_another_process(program)
        value, counted = done.stdout.splitlines()
        with tf.device(CPU):
            np.testing.assert_allclose(float(value), Model()(x), rtol=2.0**-6)
        self.assertEqual(eval(counted), {"DepthwiseConv2dNative of float32": 1, "Einsum of float32": 1})
        self.assertIn("DepthwiseConv2dNative of float32 runs on TensorFlow's CPU", done.stderr)


if __name__ == "__main__":
    if sys.argv[1:] == ["--bits"]:
        print_bits()
    else:
        unittest.main()
