"""Products and convolutions of TensorFlow that no core runs: counted, and said once each.

They are counted as a program calls, traces or loads them, unless it asks for TensorFlow's CPU device.
"""

import functools
import warnings

import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework import importer, kernels
from tensorflow.python.ops import gen_linalg_ops, gen_math_ops, gen_nn_ops, gen_sparse_ops, special_math_ops

from systole.fallback_counts import count
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
_COUNTED = {operation for operations in _OPERATIONS.values() for operation in operations.values()}


@functools.cache
def _kernels(operation):
    """What each kernel that a core has for the operation takes: {"T": types}."""
    return [
        {constraint.name: {*constraint.allowed_values.list.type} for constraint in kernel.constraint}
        for kernel in kernels.get_registered_kernels_for_op(operation).kernel
        if kernel.device_type == DEVICE_TYPE
    ]


def _is_on_a_core(operation, types):
    return any(
        all(types.get(name) in allowed for name, allowed in kernel.items()) for kernel in _kernels(operation)
    )


def _count(operation, types, result, device):
    if "CPU" in device.upper() or _is_on_a_core(operation, types):
        return
    name = f"{operation} of {tf.as_dtype(result).name}"
    if count(name):
        warnings.warn(f"{name} runs on TensorFlow's CPU: no core has it (tf.fallbacks())", stacklevel=4)


def _counted(operation, function):
    @functools.wraps(function)
    def counted(*operands, **options):
        result = function(*operands, **options)
        kind = result.dtype.as_datatype_enum
        types = {"T": kind, "Tout": kind}
        if len(operands) > 1:
            first, second = (getattr(operand, "dtype", result.dtype) for operand in operands[:2])
            types |= {"Ta": tf.as_dtype(first).as_datatype_enum, "Tb": tf.as_dtype(second).as_datatype_enum}
        device = context.context().device_name if tf.executing_eagerly() else result.op.device
        _count(operation, types, kind, device or "")
        return result

    return counted


def _counted_import(import_graph_def):
    """Of what a program loads: a SavedModel's functions, and graphs."""

    @functools.wraps(import_graph_def)
    def counted(graph_def, *args, **options):
        for node in graph_def.node:
            if node.op in _COUNTED:
                types = {name: attribute.type for name, attribute in node.attr.items()}
                _count(node.op, types, types.get("T", types.get("Tout")), node.device)
        return import_graph_def(graph_def, *args, **options)

    return counted


def _multiplied(einsum):
    """Einsum as transpositions and a product of matrices, where that is what it says."""

    @functools.wraps(einsum)
    def multiplied(inputs, equation, name=None):
        terms = equation.replace(" ", "").replace("->", ",").split(",")
        plain = all(term.isalpha() and len({*term}) == len(term) for term in terms)
        inputs = [tf.convert_to_tensor(value) for value in inputs]
        types = {"T": inputs[0].dtype.as_datatype_enum}
        if len(inputs) == 2 and plain and _is_on_a_core("BatchMatMulV2", types):
            if {*terms[0]} & {*terms[1]} and all(value.shape.rank is not None for value in inputs):
                return special_math_ops._einsum_v1(equation, *inputs)
        return einsum(inputs=inputs, equation=equation, name=name)

    return multiplied


def install():
    for module, operations in _OPERATIONS.items():
        for function, operation in operations.items():
            setattr(module, function, _counted(operation, getattr(module, function)))
    gen_linalg_ops.einsum = _multiplied(gen_linalg_ops.einsum)
    importer._import_graph_def_internal = _counted_import(importer._import_graph_def_internal)
