"""What a TensorFlow program may ask of a product: its type runs on the core or is counted and said."""

import unittest
import warnings

import numpy as np

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
        counted = {name: number - before.get(name, 0) for name, number in tf.fallbacks().items()}
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


if __name__ == "__main__":
    unittest.main()
