"""jit: a function that JAX traces, on a Systole device."""

import functools

import jax
import jax.numpy
import numpy

from systole import jax_calls
from systole.device import Device
from systole.program import Program


def jit(function=None, device="model", *, static_argnums=(), **options):
    """Runs a JAX function on a device: jit(train_step, device="rtl", array_size=4).

    JAX traces the function, and differentiates what it differentiates itself (jax.grad,
    jax.value_and_grad). Its StableHLO is compiled once for each combination of shapes: products and
    convolutions run on the device, everything else on this processor. The result has JAX arrays.

    device   a Device, to share it between functions, or a name and the options of Device
    Errors   InvalidArgument for operations that are not supported, with their place in the text
    """
    if function is None:
        return functools.partial(jit, device=device, static_argnums=static_argnums, **options)
    opened = device if isinstance(device, Device) else Device(device, **options)

    @functools.wraps(function)
    def fresh(*args, **kwargs):  # JAX may have lowered `function` to calls of systole.jax
        return function(*args, **kwargs)

    jitted = jax.jit(fresh, static_argnums=static_argnums, keep_unused=True)
    static = {static_argnums} if isinstance(static_argnums, int) else set(static_argnums)
    programs = {}

    @functools.wraps(function)
    def call(*args, **kwargs):
        fixed = tuple(arg for i, arg in enumerate(args) if i in static)
        traced = [arg for i, arg in enumerate(args) if i not in static]
        leaves, tree = jax.tree.flatten((traced, kwargs))
        key = tree, fixed, tuple(map(_signature, leaves))
        if key not in programs:
            with jax_calls.left_out():
                lowered = jitted.lower(*args, **kwargs)
            programs[key] = Program(lowered.as_text(), opened), lowered.out_tree
        program, out_tree = programs[key]
        arrays = [numpy.asarray(leaf, port.dtype) for leaf, port in zip(leaves, program.inputs)]
        return jax.tree.unflatten(out_tree, map(jax.numpy.asarray, program(*arrays)))

    return call


def _signature(leaf):
    weak = isinstance(leaf, (bool, int, float)) or getattr(leaf, "weak_type", False)
    return numpy.shape(leaf), jax.numpy.result_type(leaf), weak
