"""Random functions, which TensorFlow's optimizer rewrites after it has placed them: a core's results are
the CPU's, whatever operations it writes.

    SEED=7 FUNCTIONS=1000 python test_tensorflow_rewrites.py     # others, and more
"""

import os
import random
import unittest

import numpy as np

import systole.tensorflow as tf

CORE, CPU = "/SYSTOLE:0", "/CPU:0"
SEED, FUNCTIONS = int(os.environ.get("SEED", 1)), int(os.environ.get("FUNCTIONS", 120))
TYPES = tf.float32, tf.int64, tf.int32, tf.float64, tf.bfloat16, tf.float16
# An operation is off by a rounding of its type, and a rewritten one by another.
TOLERANCES = {tf.float32: 2.0**-16, tf.float64: 2.0**-40, tf.bfloat16: 2.0**-4, tf.float16: 2.0**-7}
SHAPE = 3, 4

BOTH = [tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum, tf.math.squared_difference]
ONE = {
    "-x": tf.negative,
    "|x|": tf.abs,
    "x^2": tf.square,
    "x^2 of pow": lambda x: tf.pow(x, tf.cast(2, x.dtype)),
    "x^3 of pow": lambda x: tf.pow(x, tf.cast(3, x.dtype)),
    "square of a difference": lambda x: tf.square(x - x[:1]),
    "transposed twice": lambda x: tf.transpose(tf.transpose(-x)),
    "reshaped": lambda x: tf.reshape(tf.reshape(x, [-1]), SHAPE),
    "most of -x": lambda x: x - tf.reduce_max(-x, 0, keepdims=True),
    "least of -x": lambda x: x + tf.reduce_min(-x, -1, keepdims=True),
    "product of -x": lambda x: x + tf.reduce_prod(-x[:2], 0, keepdims=True),
    "sum of a row": lambda x: x + tf.reduce_sum(tf.reshape(x, [2, 6])),
    "place of the most": lambda x: x + tf.cast(tf.argmax(-x, 0), x.dtype),
    "place of the least": lambda x: x + tf.cast(tf.argmin(-x, 1, tf.int32), x.dtype)[:, None],
    "repeated": lambda x: tf.tile(x[:1] * x[:1], [SHAPE[0], 1]),
    "broadcast": lambda x: tf.broadcast_to(x[:, :1], SHAPE) * tf.ones(SHAPE, x.dtype),
    "joined": lambda x: tf.concat([x[:1] + x[:1], x[1:] + x[1:]], 0),
    "stacked": lambda x: tf.reduce_sum(tf.stack([x, -x, x], 1), 1),
    "split": lambda x: tf.add_n(tf.split(tf.concat([x, x], 1), 2, 1)),
    "cast and back": lambda x: tf.cast(tf.cast(tf.transpose(x), tf.float64), x.dtype)[: SHAPE[1], :1][:3] + x,
    "where": lambda x: tf.where(tf.logical_not(x < x[:1]), x, tf.zeros_like(x)),
    "doubled": lambda x: tf.add_n([x, x, x]),
    "by one": lambda x: (x * tf.ones_like(x) + tf.zeros_like(x)) - tf.zeros(SHAPE, x.dtype),
    "a common factor": lambda x: x * x[:1] + x[:, :1] * x,
    "reversed": lambda x: tf.reverse(tf.reverse(x, [0]), [0, 1]),
    "clipped": lambda x: tf.clip_by_value(x, tf.cast(-4, x.dtype), tf.cast(4, x.dtype)),
    "gathered": lambda x: tf.gather(x, [2, 0, 1]),
    "padded": lambda x: tf.pad(x[1:] - x[:1], [[1, 0], [0, 0]]),
}
ONE_OF_FLOATS = {
    "sqrt": lambda x: tf.sqrt(tf.abs(x)),
    "rsqrt": lambda x: x / tf.sqrt(tf.abs(x) + 1),
    "log(1 + x)": lambda x: tf.math.log(tf.abs(x) + 1),
    "exp(x) - 1": lambda x: tf.exp(tf.tanh(x)) - tf.ones_like(x),
    "divided": lambda x: x / tf.cast(4, x.dtype) / tf.cast(2, x.dtype),
    "sigmoid": tf.sigmoid,
    "relu and bias": lambda x: tf.nn.relu(tf.nn.bias_add(x, x[0])),
    "mean": lambda x: x - tf.reduce_mean(tf.reshape(-x, [-1])),
    "softmax": lambda x: tf.math.log(tf.nn.softmax(tf.tanh(x))),
    "most of exp": lambda x: tf.reduce_max(tf.exp(-tf.tanh(x)), 0, keepdims=True) + x,
}


def drawn(rng, dtype, depth):
    """A function of one tensor, and its text."""
    if depth == 0:
        return (lambda x: x), "x"
    if rng.random() < 0.4:
        operation = rng.choice(BOTH)
        (a, a_text), (b, b_text) = drawn(rng, dtype, depth - 1), drawn(rng, dtype, rng.randrange(depth))
        return (lambda x: operation(a(x), b(x))), f"{operation.__name__}({a_text}, {b_text})"
    choices = ONE | (ONE_OF_FLOATS if dtype.is_floating else {})
    name = rng.choice([*choices])
    operation, (inner, text) = choices[name], drawn(rng, dtype, depth - 1)
    return (lambda x: operation(inner(x))), f"{name}({text})"


class Rewrites(unittest.TestCase):
    def test_a_random_function_s_results_are_the_cpu_s(self):
        rng = random.Random(SEED)
        for number in range(FUNCTIONS):
            dtype = TYPES[number % len(TYPES)]
            function, text = drawn(rng, dtype, rng.randint(2, 4))
            x = tf.cast(np.random.default_rng(number).integers(-3, 4, SHAPE), dtype)

            def on(device, function=function, x=x):
                with tf.device(device):
                    return tf.function(function, autograph=False)(x)

            with self.subTest(seed=SEED, number=number, type=dtype.name, function=text):
                ours, cpu = on(CORE), on(CPU)
                self.assertEqual(ours.dtype, cpu.dtype)
                ours, cpu = (np.asarray(tf.cast(y, tf.float64)) for y in (ours, cpu))
                scale = np.abs(cpu).max(initial=1, where=np.isfinite(cpu))
                np.testing.assert_allclose(ours, cpu, rtol=0, atol=TOLERANCES.get(dtype, 0) * scale)


if __name__ == "__main__":
    unittest.main()
