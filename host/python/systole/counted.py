"""Products and convolutions of TensorFlow that no core runs: counted, and said once each.

They are counted as a program calls or traces them, unless it asks for TensorFlow's CPU device. A loaded
SavedModel calls none of these functions.
"""

import collections
import functools
import warnings

import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework import kernels
from tensorflow.python.ops import gen_linalg_ops, gen_math_ops, gen_nn_ops, gen_sparse_ops, special_math_ops

from systole.plugin import DEVICE_TYPE

_OPERATIONS = {
    gen_math_ops: {
        "mat_mul": "MatMul",
        "batch_mat_mul": "BatchMatMul",
        "batch_mat_mul_v2": "BatchMatMulV2",
        "batch_mat_mul_v3": "BatchMatMulV3",
        "sparse_mat_mul": "SparseMatMul",
    },
    gen_linalg_ops: {"einsum": "Einsum"},
    gen_nn_ops: {
        "conv": "Conv",
        "conv2d": "Conv2D",
        "conv2d_backprop_input": "Conv2DBackpropInput",
        "conv2d_backprop_filter": "Conv2DBackpropFilter",
        "conv3d": "Conv3D",
        "conv3d_backprop_input_v2": "Conv3DBackpropInputV2",
        "conv3d_backprop_filter_v2": "Conv3DBackpropFilterV2",
        "depthwise_conv2d_native": "DepthwiseConv2dNative",
        "depthwise_conv2d_native_backprop_input": "DepthwiseConv2dNativeBackpropInput",
        "depthwise_conv2d_native_backprop_filter": "DepthwiseConv2dNativeBackpropFilter",
    },
    gen_sparse_ops: {"sparse_tensor_dense_mat_mul": "SparseTensorDenseMatMul"},
}
_fallbacks = collections.Counter()


def fallbacks():
    """Products and convolutions for TensorFlow's own CPU: {"Conv3D of float32": 2}."""
    return dict(_fallbacks)


@functools.cache
def _types(operation):
    """The types of which a core has the operation."""
    return {
        value
        for kernel in kernels.get_registered_kernels_for_op(operation).kernel
        if kernel.device_type == DEVICE_TYPE
        for constraint in kernel.constraint
        if constraint.name == "T"
        for value in constraint.allowed_values.list.type
    }


def _count(operation, result):
    place = context.context().device_name if tf.executing_eagerly() else result.op.device
    if "CPU" in (place or "") or result.dtype.as_datatype_enum in _types(operation):
        return
    name = f"{operation} of {result.dtype.name}"
    if name not in _fallbacks:
        warnings.warn(f"{name} runs on TensorFlow's CPU: no core has it (tf.fallbacks())", stacklevel=4)
    _fallbacks[name] += 1


def _counted(operation, function):
    @functools.wraps(function)
    def counted(*operands, **options):
        result = function(*operands, **options)
        _count(operation, result)
        return result

    return counted


def _multiplied(einsum):
    """Einsum as transpositions and a product of matrices, where that is what it says."""

    @functools.wraps(einsum)
    def multiplied(inputs, equation, name=None):
        terms = equation.replace(" ", "").replace("->", ",").split(",")
        plain = all(term.isalpha() and len({*term}) == len(term) for term in terms)
        inputs = [tf.convert_to_tensor(value) for value in inputs]
        if len(inputs) == 2 and plain and inputs[0].dtype.as_datatype_enum in _types("BatchMatMulV2"):
            if {*terms[0]} & {*terms[1]} and all(value.shape.rank is not None for value in inputs):
                return special_math_ops._einsum_v1(equation, *inputs)
        return einsum(inputs=inputs, equation=equation, name=name)

    return multiplied


def install():
    for module, operations in _OPERATIONS.items():
        for function, operation in operations.items():
            setattr(module, function, _counted(operation, getattr(module, function)))
    gen_linalg_ops.einsum = _multiplied(gen_linalg_ops.einsum)
