"""Every kernel that the plugin registers, in each of its types: empty operands, and what TensorFlow's
optimizer writes for it, beside TensorFlow's CPU."""

import functools
import itertools
import unittest

import numpy as np
from tensorflow.python.framework import kernels

import systole.tensorflow as tf

CORE, CPU = "/SYSTOLE:0", "/CPU:0"
raw = tf.raw_ops
# Extents of operands by letter. A case gives each operand's letters, and the attributes.
EXTENTS = {"a": 2, "b": 3, "c": 4, "k": 5, "m": 3, "n": 2, "h": 6, "w": 7, "i": 3, "o": 2, "y": 3, "x": 2, "1": 1}
WINDOWS = {"strides": [1, 1, 1, 1], "padding": "SAME"}
POOL = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
BINARY = [("ab", "ab"), ("ab", "b"), ("b", "ab"), ("ab", ""), ("a1", "1b"), ("abc", "1bc")]
UNARY = [("ab",), ("abc",), ("",)]


def named(operation, *names, **attributes):
    return lambda *operands: getattr(raw, operation)(**dict(zip(names, operands)), **attributes)


def convolution(x, w):
    """TensorFlow's CPU gives empty images as many channels as x has (oneDNN, 2.21), not the kernel's."""
    y = raw.Conv2D(input=x, filter=w, **WINDOWS)
    return tf.reshape(y, [*x.shape[:3], w.shape[3]]) if "CPU" in y.device and not y.shape.num_elements() else y


def product(result, x, y):
    """TensorFlow's CPU has results of the operands' type alone."""
    if "CPU" in tf.zeros([]).device:
        return tf.cast(tf.matmul(tf.cast(x, tf.float32), tf.cast(y, tf.float32)), result)
    return raw.BatchMatMulV3(x=x, y=y, Tout=result)


def reduced(operation):
    return lambda x: [
        getattr(raw, operation)(input=x, axis=axis, keep_dims=keeps)
        for axis in ([0], [-1], [0, 1], [])
        for keeps in (False, True)
    ]


def sized(operation, name):
    """Convolution's gradients take the shape of an operand that they do not read."""
    return {
        "input": lambda w, g: raw.Conv2DBackpropInput(
            input_sizes=[*g.shape[:3], w.shape[2]], filter=w, out_backprop=g, **WINDOWS
        ),
        "filter": lambda x, g: raw.Conv2DBackpropFilter(
            input=x, filter_sizes=[3, 2, x.shape[3], g.shape[3]], out_backprop=g, **WINDOWS
        ),
    }[name]


def pool_gradient(x, y, g):
    return raw.MaxPoolGrad(orig_input=x, orig_output=y, grad=g, **POOL)


def by_labels(x, labels):
    return raw.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=labels)


CASES = {
    **{
        operation: (named(operation, "x", "y"), BINARY)
        for operation in "AddV2 Sub Mul Equal NotEqual Less LessEqual Greater GreaterEqual RealDiv DivNoNan "
        "Maximum Minimum Pow SquaredDifference LogicalAnd LogicalOr".split()
    },
    **{
        operation: (named(operation, "x"), UNARY)
        for operation in "Neg ZerosLike OnesLike Abs Exp Expm1 Log Log1p Sqrt Rsqrt Square Reciprocal Tanh "
        "Sigmoid LogicalNot".split()
    },
    **{
        operation: (named(operation, "y", "dy"), [("ab", "ab")])
        for operation in "SigmoidGrad TanhGrad SqrtGrad RsqrtGrad".split()
    },
    **{operation: (reduced(operation), [("ab",), ("abc",)]) for operation in "Sum Mean Max Prod".split()},
    "Relu": (named("Relu", "features"), UNARY),
    "ReluGrad": (named("ReluGrad", "gradients", "features"), [("ab", "ab")]),
    "SelectV2": (named("SelectV2", "condition", "t", "e"), [("?ab", "ab", "ab"), ("?b", "ab", "a1")]),
    "Select": (
        named("Select", "condition", "x", "y"),
        [("?ab", "ab", "ab"), ("?a", "ab", "ab"), ("?", "ab", "ab"), ("?a", "aa", "aa"), ("?b", "ab", "ab")],
    ),
    "AddN": (lambda *x: raw.AddN(inputs=x), [("ab", "ab", "ab")]),
    "MatMul": (named("MatMul", "a", "b"), [("mk", "kn")]),
    "BatchMatMulV3": (None, [("amk", "akn"), ("a1mk", "bkn")]),
    "BatchMatMulV2": (named("BatchMatMulV2", "x", "y"), [("amk", "akn"), ("a1mk", "bkn")]),
    "Conv2D": (convolution, [("ahwi", "yxio")]),
    "Conv2DBackpropInput": (sized("Conv2DBackpropInput", "input"), [("yxio", "ahwo")]),
    "Conv2DBackpropFilter": (sized("Conv2DBackpropFilter", "filter"), [("ahwi", "ahwo")]),
    "BiasAdd": (named("BiasAdd", "value", "bias"), [("ab", "b"), ("abc", "c")]),
    "BiasAddGrad": (named("BiasAddGrad", "out_backprop"), [("ab",), ("abc",)]),
    "Softmax": (named("Softmax", "logits"), [("ab",)]),
    "LogSoftmax": (named("LogSoftmax", "logits"), [("ab",)]),
    "SoftmaxCrossEntropyWithLogits": (
        named("SoftmaxCrossEntropyWithLogits", "features", "labels"),
        [("ab", "ab")],
    ),
    "SparseSoftmaxCrossEntropyWithLogits": (by_labels, [("ab", "#a")]),
    "MaxPool": (named("MaxPool", "input", **POOL), [("ahwi",)]),
    "MaxPoolGrad": (pool_gradient, [("ahwi", "ayci", "ayci")]),
    "Fill": (lambda x: [raw.Fill(dims=dims, value=x) for dims in ([0], [2, 0], [0, 3], [2])], [("",)]),
    "BroadcastTo": (
        lambda x: [raw.BroadcastTo(input=x, shape=shape) for shape in ([2, 3], [0, 3], [2, 2, 3], [2, 0])],
        [("ab",), ("1b",), ("a1",)],
    ),
    "Tile": (
        lambda x: [raw.Tile(input=x, multiples=times) for times in ([2, 3], [0, 1], [1, 0], [-1, 2])],
        [("ab",)],
    ),
    "ArgMax": (None, [("ab",), ("abc",)]),
    "Cast": (None, UNARY),
    "SystoleAdam": (None, []),  # no other device has it: test_keras.py compares its bits
}


def registered():
    """(operation, {attribute: type}) of each kernel of the plugin, from TensorFlow's list."""
    for kernel in kernels.get_all_registered_kernels().kernel:
        if kernel.device_type == "SYSTOLE":
            yield kernel.op, {
                constraint.name: tf.as_dtype(constraint.allowed_values.list.type[0])
                for constraint in kernel.constraint
            }


def operand(letters, extents, dtype, seed):
    values = np.random.default_rng(seed).integers(1, 4, [extents[letter] for letter in letters if letter not in "?#"])
    if letters[:1] in ("?", "#"):
        return tf.constant(values % 2, tf.bool) if letters[0] == "?" else tf.constant(values % 2, tf.int64)
    return tf.constant(values % 2 == 0) if dtype == tf.bool else tf.cast(tf.constant(values), dtype)


def function_of(operation, types):
    if operation == "ArgMax":
        output = types["output_type"]
        return lambda x: [raw.ArgMax(input=x, dimension=axis, output_type=output) for axis in (0, -1)]
    if operation == "BatchMatMulV3":
        return functools.partial(product, types["Tout"])
    if operation == "Cast":
        return lambda x: raw.Cast(x=x, DstT=types["DstT"])
    return CASES[operation][0]


def results(device, function, operands):
    """Arrays in double precision, or the class of the exception."""
    try:
        with tf.device(device):
            found = function(*operands)
        return [np.asarray(tf.cast(x, tf.float64)) for x in tf.nest.flatten(found)]
    except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError) as error:
        return type(error)


def cpu_s_operands(operation, operands):
    """TensorFlow's float16 convolutions are oneDNN's or Eigen's, by processor, and refuse different empty extents."""
    if operation.startswith("Conv2D"):
        return [tf.cast(one, tf.float32) if one.dtype == tf.float16 else one for one in operands]
    return operands


class Kernels(unittest.TestCase):
    def each_case(self):
        for operation, types in registered():
            self.assertIn(operation, CASES, "a kernel without a case here")
            dtype = types.get("T", types.get("Ta", types.get("SrcT", tf.bool if operation.startswith("Logical") else tf.float32)))
            if types.get("Tlabels") == tf.int32:
                continue  # as of int64
            for letters in CASES[operation][1]:
                yield operation, function_of(operation, types), dtype, letters

    def test_operands_of_any_extent_of_zero_give_the_cpu_s_results(self):
        for operation, function, dtype, letters in self.each_case():
            names = sorted({*"".join(letters)} - {*"?#1"})
            for zeros in itertools.chain([()], ((name,) for name in names), itertools.combinations(names, 2)):
                extents = {**EXTENTS, **dict.fromkeys(zeros, 0)}
                with tf.device(CPU):
                    operands = [operand(own, extents, dtype, seed) for seed, own in enumerate(letters)]
                with self.subTest(operation=operation, type=dtype.name, operands=letters, zeros=zeros):
                    ours = results(CORE, function, operands)
                    expected = results(CPU, function, cpu_s_operands(operation, operands))
                    if isinstance(ours, type) or isinstance(expected, type):
                        self.assertEqual(ours, expected)
                        continue
                    for a, b in zip(ours, expected, strict=True):
                        self.assertEqual(a.shape, b.shape)
                        np.testing.assert_allclose(a, b, rtol=2.0**-6)

    def test_a_condition_of_one_dimension_chooses_rows(self):
        x = tf.constant([[0.0, 1.0], [2.0, 3.0]])
        with tf.device(CORE):
            chosen = tf.compat.v1.where([True, False], x, -1 - x)
            np.testing.assert_array_equal(chosen, [[0, 1], [-3, -4]])
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, r"condition \[3\] does not choose"):
                tf.compat.v1.where([True, False, True], x, x)


# What TensorFlow's optimizer rewrites into other operations once it has placed a graph.
REWRITES = {
    "exp(x) - 1": lambda x: tf.exp(x) - tf.ones_like(x),
    "x * x": lambda x: x * x,
    "x + x + x + x": lambda x: x + x + x + x,
    "x ** 2": lambda x: tf.pow(x, 2 * tf.ones([], x.dtype)),
    "x ** 3": lambda x: tf.pow(x, 3 * tf.ones([], x.dtype)),
    "x ** 0.5": lambda x: tf.pow(x, tf.cast(0.5, x.dtype)),
    "x ** -1": lambda x: tf.pow(x, tf.cast(-1, x.dtype)),
    "x / sqrt(x)": lambda x: x / tf.sqrt(x),
    "log(softmax(x))": lambda x: tf.math.log(tf.nn.softmax(x)),
    "log(x + 1)": lambda x: tf.math.log(x + tf.ones_like(x)),
    "0 * x": lambda x: tf.zeros_like(x) * x + x[:1],
    "x + broadcast zeros": lambda x: x[:1] + tf.zeros([2, 3], x.dtype),
    "x and broadcast true": lambda x: tf.logical_and(x[:1] > x[:1], tf.ones([2, 3], tf.bool)),
    "not x < y": lambda x: tf.logical_not(x < x[:1]),
    "x where true": lambda x: tf.where(tf.ones([2, 3], tf.bool), x[:1], x),
    "(x + y) + z": lambda x: (x + x[:1]) + (x[:, :1] + x),
    "x * y + x * z": lambda x: x * x[:1] + x * x[:, :1],
    "x / constant": lambda x: x / tf.cast(2, x.dtype) / tf.cast(4, x.dtype),
    "max(exp(x))": lambda x: tf.reduce_max(tf.exp(x)),
    "transposed products": lambda x: tf.matmul(tf.transpose(x), x) * tf.cast(2, x.dtype),
    "bias and relu": lambda x: tf.nn.relu(tf.nn.bias_add(tf.matmul(x, x, transpose_b=True), x[0, :2])),
}


class Rewrites(unittest.TestCase):
    def test_a_function_s_results_are_the_cpu_s_in_every_type(self):
        types = (tf.float32, tf.bfloat16, tf.float16, tf.float64, tf.int64, tf.int32)
        for (name, function), dtype in itertools.product(REWRITES.items(), types):
            x = tf.cast(tf.constant([[1, 2, 3], [3, 1, 2]]), dtype)

            def on(device):
                with tf.device(device):
                    return np.asarray(tf.cast(tf.function(function)(x), tf.float64))

            with self.subTest(expression=name, type=dtype.name):
                try:
                    expected = on(CPU)
                except (tf.errors.OpError, TypeError, ValueError):
                    continue  # TensorFlow has no such expression of this type
                np.testing.assert_allclose(on(CORE), expected, rtol=2.0**-5, atol=2.0**-5)


if __name__ == "__main__":
    unittest.main()
