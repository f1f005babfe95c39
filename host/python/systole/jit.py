"""jit: a function that JAX traces, on a Systole device."""

import functools
import warnings

import jax
import jax.numpy
import numpy

from systole import jax_calls
from systole.device import Device
from systole.library import InvalidArgument
from systole.program import Program, Resident, StepProgram


def jit(function=None, device="model", *, static_argnums=(), whole=False, donate_argnums=(), **options):
    """Runs a JAX function on a device: jit(train_step, device="rtl", array_size=4).

    JAX traces the function, and differentiates what it differentiates itself (jax.grad,
    jax.value_and_grad). Its StableHLO is compiled once for each combination of shapes: products and
    convolutions run on the device, everything else on this processor. The result has JAX arrays.

    device          a Device, to share it between functions, or a name and the options of Device
    donate_argnums  the arguments that the function returns updated, in the same structure, as
                    parameters and an optimizer's state: the program keeps them from call to call, and
                    the results are systole.Resident
    whole           everything runs on the device, as one program a step, or is refused. What is donated
                    stays there, and other results are scalars
    Errors          InvalidArgument for operations that are not supported, with their place in the text
    """
    if function is None:
        return functools.partial(
            jit,
            device=device,
            static_argnums=static_argnums,
            whole=whole,
            donate_argnums=donate_argnums,
            **options,
        )
    static, donated = _numbers(static_argnums), _numbers(donate_argnums)
    opened = device if isinstance(device, Device) else Device(device, **options)

    @functools.wraps(function)
    def fresh(*args, **kwargs):  # JAX may have lowered `function` to calls of systole.jax
        return function(*args, **kwargs)

    # JAX notes in the text which results may lie in which arguments; whole steps take theirs from us.
    in_place = () if whole else donate_argnums
    jitted = jax.jit(fresh, static_argnums=static_argnums, donate_argnums=in_place, keep_unused=True)
    programs = {}

    def compile(args, kwargs):
        args, kwargs = jax.tree.map(_without_data, (args, kwargs))
        with jax_calls.left_out(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Some donated buffers were not usable")
            lowered = jitted.lower(*args, **kwargs)
        text = lowered.as_text()
        if not whole and not donated:
            return Program(text, opened), lowered.out_tree
        counts = [0 if i in static else len(jax.tree.leaves(arg)) for i, arg in enumerate(args)]
        counts.append(len(jax.tree.leaves(kwargs)))
        updates = _updates(args, counts, donated, lowered.out_info)
        return StepProgram(text, opened, updates, whole), lowered.out_tree

    @functools.wraps(function)
    def call(*args, **kwargs):
        fixed = tuple(arg for i, arg in enumerate(args) if i in static)
        traced = [arg for i, arg in enumerate(args) if i not in static]
        leaves, tree = jax.tree.flatten((traced, kwargs))
        key = tree, fixed, tuple(map(_signature, leaves))
        if key not in programs:
            programs[key] = compile(args, kwargs)
        program, out_tree = programs[key]
        arrays = [
            leaf if isinstance(leaf, Resident) else numpy.asarray(leaf, port.dtype)
            for leaf, port in zip(leaves, program.inputs)
        ]
        results = program(*arrays)
        mine = iter(_jax_arrays([one for one in results if not isinstance(one, Resident)]))
        return jax.tree.unflatten(
            out_tree, [one if isinstance(one, Resident) else next(mine) for one in results]
        )

    return call


_copied = jax.jit(lambda arrays: arrays)


def _jax_arrays(arrays):
    """Without a copy, except of a few bytes, such as a loss: a compiled function takes half as long for them."""
    if sum(array.nbytes for array in arrays) <= 1024:
        return _copied(arrays)
    return jax.device_put(arrays, may_alias=True)


def _numbers(argnums):
    return {argnums} if isinstance(argnums, int) else set(argnums)


def _signature(leaf):
    if isinstance(leaf, (Resident, numpy.ndarray)):  # first: to ask for a jax.Array takes longer
        return leaf.shape, leaf.dtype, False
    if isinstance(leaf, jax.Array):
        return leaf.shape, leaf.dtype, getattr(leaf, "weak_type", False)
    weak = isinstance(leaf, (bool, int, float)) or getattr(leaf, "weak_type", False)
    return numpy.shape(leaf), _dtype(leaf), weak


def _dtype(leaf):
    return leaf.dtype if isinstance(leaf, Resident) else jax.numpy.result_type(leaf)


def _without_data(leaf):
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) if isinstance(leaf, Resident) else leaf


def _updates(args, counts, donated, results):
    """For each input of the program the output with its next value, or -1.

    A donated argument becomes the first result, or part of one, of its structure, shapes and types.
    """
    if wrong := {number for number in donated if number >= len(args) or counts[number] == 0}:
        raise InvalidArgument(f"donate_argnums names {min(wrong)}, which is no argument with arrays")
    updates, taken = [], set()
    for number, count in enumerate(counts):
        becomes = [-1] * count
        if number in donated:
            becomes = next(
                (
                    outputs
                    for part, first in _parts(results)
                    if _like(args[number], part) and taken.isdisjoint(outputs := range(first, first + count))
                ),
                None,
            )
            if becomes is None:
                raise InvalidArgument(
                    f"argument {number} is donated, but the function returns nothing of its structure, "
                    "shapes and types: return it updated"
                )
            taken |= set(becomes)
        updates += becomes
    return updates


def _parts(tree, first=0):
    """A tree and all trees in it, with the number of the first output of each."""
    yield tree, first
    for child in jax.tree.leaves(tree, is_leaf=lambda one: one is not tree):
        if child is tree:
            return
        yield from _parts(child, first)
        first += len(jax.tree.leaves(child))


def _like(argument, result):
    leaves, tree = jax.tree.flatten(argument)
    others, other_tree = jax.tree.flatten(result)
    return tree == other_tree and all(
        (numpy.shape(a), _dtype(a)) == (b.shape, b.dtype) for a, b in zip(leaves, others)
    )
