"""Products, convolutions and poolings of JAX as calls, in the forms that the handlers have.

A call's tensors have the groups in front: batches of a product, groups of a convolution. Transposes
and reshapes around a call are XLA's, and disappear where the tensors already lie so.
"""

import contextlib
import math
import threading

import jax
import jax.numpy as jnp
import numpy

PRODUCT, CONVOLUTION = "systole_jax_product", "systole_jax_convolution"
MAX_POOL, MAX_POOL_GRADIENT = "systole_jax_max_pool", "systole_jax_max_pool_gradient"
TARGETS = PRODUCT, CONVOLUTION, MAX_POOL, MAX_POOL_GRADIENT


_thread = threading.local()


def are_left_out():
    return getattr(_thread, "leaves_out", False)


@contextlib.contextmanager
def left_out():
    """Within it this thread lowers to JAX's own operations, which systole.jit reads."""
    _thread.leaves_out = True
    try:
        yield
    finally:
        _thread.leaves_out = False


def _call(name, shape, *operands, **attributes):
    return jax.ffi.ffi_call(name, jax.ShapeDtypeStruct(shape, jnp.float32))(*operands, **attributes)


def _matrices(x, batch, rows, columns):
    """The tensor as [batch, rows, columns], and whether it lies as [batch, columns, rows]."""
    size = [math.prod(x.shape[i] for i in dimensions) for dimensions in (batch, rows, columns)]
    if (*batch, *columns, *rows) == tuple(range(x.ndim)) and rows and columns:
        return x.reshape(size[0], size[2], size[1]), True
    return x.transpose(*batch, *rows, *columns).reshape(size), False


_ASKED = {
    "None": 1,
    "DEFAULT": 1,
    "HIGH": 3,
    "HIGHEST": 6,
    "BF16_BF16_F32": 1,
    "BF16_BF16_F32_X3": 3,
    "BF16_BF16_F32_X6": 6,
    "BF16_BF16_F32_X9": 9,
    "F32_F32_F32": 6,
}


def asked(precision=None, **_):
    """How many products of bf16 numbers a call shall be worth; None for arithmetic that no device has."""
    both = precision if isinstance(precision, tuple) else (precision,)
    counts = [_ASKED.get(getattr(one, "name", str(one))) for one in both]
    return None if None in counts else max(counts)


def product(result, a, b, dimension_numbers, **params):
    """dot_general."""
    (a_depth, b_depth), (a_batch, b_batch) = dimension_numbers
    if a_depth:
        a_depth, b_depth = zip(*sorted(zip(a_depth, b_depth)))
    rows = [i for i in range(a.ndim) if i not in (*a_depth, *a_batch)]
    columns = [i for i in range(b.ndim) if i not in (*b_depth, *b_batch)]
    shape = [math.prod(a.shape[i] for i in dimensions) for dimensions in (a_batch, rows)]
    shape.append(math.prod(b.shape[i] for i in columns))
    a, transpose_a = _matrices(a, a_batch, rows, a_depth)
    b, transpose_b = _matrices(b, b_batch, b_depth, columns)
    y = _call(
        PRODUCT,
        shape,
        a,
        b,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        asked=numpy.int64(asked(**params)),
    )
    return y.reshape(result.shape)


# The device's three convolutions: the layout as StableHLO writes it, and where it has each of JAX's
# dimensions (batch, feature, rows, columns; output and input feature, rows, columns).
_FORWARD = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", (0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2)
_INPUT_GRADIENT = "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]", (0, 3, 1, 2), (2, 3, 0, 1), (0, 3, 1, 2)
_KERNEL_GRADIENT = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]", (3, 0, 1, 2), (3, 0, 1, 2), (2, 3, 0, 1)


def _on_two_dimensions(x, spec):
    """A tensor over columns alone gets one row."""
    column = spec[2]
    return jnp.expand_dims(x, column), (*(i + (i > column) for i in spec[:2]), column, column + 1)


def _arranged(x, spec, groups, grouped, target):
    """[groups, ...] with the dimensions of `spec` where `target` has them; `grouped` is split."""
    shape = list(x.shape)
    shape[spec[grouped]] //= groups
    shape.insert(spec[grouped], groups)
    x = jnp.moveaxis(x.reshape(shape), spec[grouped], 0)
    return x.transpose(0, *(1 + spec[target.index(i)] for i in range(4)))


def convolution(
    result,
    a,
    b,
    window_strides,
    padding,
    lhs_dilation,
    rhs_dilation,
    dimension_numbers,
    feature_group_count,
    batch_group_count,
    **params,
):
    """conv_general_dilated over one or two spatial dimensions."""
    strides, a_spec, b_spec, y_spec = window_strides, *dimension_numbers
    y_shape = list(result.shape)
    if len(strides) == 1:
        strides, padding = (1, *strides), ((0, 0), *padding)
        lhs_dilation, rhs_dilation = (1, *lhs_dilation), (1, *rhs_dilation)
        a, a_spec = _on_two_dimensions(a, a_spec)
        b, b_spec = _on_two_dimensions(b, b_spec)
        y_shape.insert(y_spec[2], 1)
        y_spec = (*(i + (i > y_spec[2]) for i in y_spec[:2]), y_spec[2], y_spec[2] + 1)
    has_strides, has_holes = (any(by != 1 for by in ways) for ways in (strides, lhs_dilation))
    if has_strides and has_holes:  # the device has one of both
        holes = [(0, 0, 0)] * 4
        for dimension, by in zip(a_spec[2:], lhs_dilation):
            holes[dimension] = (0, 0, by - 1)
        a = jax.lax.pad(a, jnp.float32(0), holes)
        lhs_dilation, has_holes = (1, 1), False

    specs = a_spec, b_spec, y_spec
    form = _FORWARD
    if has_holes or (specs == _INPUT_GRADIENT[1:] and not has_strides):
        form = _INPUT_GRADIENT
    elif specs == _KERNEL_GRADIENT[1:]:
        form = _KERNEL_GRADIENT
    mirrors = form is _INPUT_GRADIENT
    layout, a_place, b_place, y_place = form

    groups = feature_group_count * batch_group_count
    a = _arranged(a, a_spec, groups, 1 if feature_group_count > 1 else 0, a_place)
    b = _arranged(b, b_spec, groups, 0, b_place)
    if mirrors:
        b = jnp.flip(b, (1, 2))  # the device mirrors it; XLA drops this with JAX's own
    sizes = [y_shape[i] for i in y_spec]
    sizes[1] //= groups
    shape = [sizes[y_place.index(i)] for i in range(4)]
    y = _call(
        CONVOLUTION,
        (groups, *shape),
        a,
        b,
        dimensions=layout,
        strides=numpy.array(strides),
        padding=numpy.array(padding).reshape(4),
        lhs_dilation=numpy.array(lhs_dilation),
        rhs_dilation=numpy.array(rhs_dilation),
        mirrors_rhs=mirrors,
        asked=numpy.int64(asked(**params)),
    )
    # Back to [batch, feature, rows, columns] with the groups joined, and to the result's order.
    y = y.transpose(1 + y_place[0], 0, *(1 + i for i in y_place[1:]))
    y = y.reshape(sizes[0], sizes[1] * groups, *sizes[2:])
    return y.transpose([y_spec.index(i) for i in range(4)]).reshape(result.shape)


def _windows(window_dimensions, window_strides, padding):
    """What lies in front of the one or two neighbouring dimensions that windows move along, and the
    (size, stride, low padding) of both; None for others."""
    windows = list(zip(window_dimensions, window_strides, padding))
    moving = [i for i, window in enumerate(windows) if window != (1, 1, (0, 0))]
    if not moving or moving[-1] - moving[0] > 1:
        return None
    rows, columns = ((1, 1, 0), *((*windows[i][:2], windows[i][2][0]) for i in moving))[-2:]
    return moving[0], moving[-1] + 1, numpy.array(rows), numpy.array(columns)


def pools(window_dimensions, window_strides, padding, base_dilation=(), window_dilation=(), **_):
    """Whether max_pool and max_pool_gradient have such windows."""
    has_holes = any(by != 1 for by in (*base_dilation, *window_dilation))
    return not has_holes and _windows(window_dimensions, window_strides, padding) is not None


def _pixels(shape, first, end):
    """[images, rows, columns, channels]"""
    rows = shape[first] if end - first == 2 else 1
    return math.prod(shape[:first]), rows, shape[end - 1], math.prod(shape[end:])


def _pool(name, result, *operands, window_dimensions, window_strides, padding, **_):
    first, end, rows, columns = _windows(window_dimensions, window_strides, padding)
    pixels = [x.reshape(_pixels(x.shape, first, end)) for x in operands]
    y = _call(name, _pixels(result.shape, first, end), *pixels, rows=rows, columns=columns)
    return y.reshape(result.shape)


def max_pool(result, x, **windows):
    """reduce_window_max."""
    return _pool(MAX_POOL, result, x, **windows)


def max_pool_gradient(result, d_y, x, **windows):
    """select_and_scatter_add of the largest."""
    return _pool(MAX_POOL_GRADIENT, result, d_y, x, **windows)
