"""jit: a function that JAX traces, on a Systole device."""

import functools
import inspect
import re
import warnings

import jax
import jax.numpy
import numpy
from jax._src import config

from systole import jax_calls
from systole.device import Device
from systole.library import InvalidArgument
from systole.program import Program, Resident, StepProgram


def jit(
    function=None,
    device="model",
    *,
    static_argnums=(),
    static_argnames=(),
    whole=False,
    donate_argnums=(),
    **options,
):
    """Runs a JAX function on a device: jit(train_step, device="rtl", array_size=4).

    JAX traces the function, and differentiates what it differentiates itself (jax.grad,
    jax.value_and_grad). Its StableHLO is compiled once for each combination of shapes: products and
    convolutions run on the device, everything else on this processor. The result has JAX arrays.

    device          a Device, to share it between functions, or a name and the options of Device
    static_argnums, static_argnames
                    the arguments that are fixed, by place or by name, as in jax.jit
    donate_argnums  the arguments that the function returns updated, in the same structure, as
                    parameters and an optimizer's state: the program keeps them from call to call, and
                    the results are systole.Resident
    whole           everything runs on the device, as one program a step, or is refused. What is donated
                    stays there, and other results are scalars
    Errors          InvalidArgument for operations that are not supported, with their place in the text; for
                    element types that no device has; and within jax.grad, jax.vmap, jax.jit and the like,
                    which belong inside of the function
    """
    if function is None:
        return functools.partial(
            jit,
            device=device,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
            whole=whole,
            donate_argnums=donate_argnums,
            **options,
        )
    static, donated = _numbers(function, static_argnums), _numbers(function, donate_argnums)
    static_names = {static_argnames} if isinstance(static_argnames, str) else set(static_argnames)
    static |= _places(function, static_names)
    static_names |= _names(function, static)
    if unknown := options.keys() - _OPTIONS:
        raise TypeError(f"systole.jit has no option '{min(unknown)}': choose from {', '.join(_OPTIONS)}")
    opened = device if isinstance(device, Device) else Device(device, **options)

    @functools.wraps(function)
    def fresh(*args, **kwargs):  # JAX may have lowered `function` to calls of systole.jax
        return function(*args, **kwargs)

    # JAX notes in the text which results may lie in which arguments; whole steps take theirs from us.
    in_place = () if whole else tuple(donated)
    jitted = jax.jit(
        fresh,
        static_argnums=tuple(static),
        static_argnames=tuple(static_names),
        donate_argnums=in_place,
        keep_unused=True,
    )
    programs = {}

    def compile(args, kwargs):
        args, kwargs = jax.tree.map(_without_data, (args, kwargs))
        with jax_calls.left_out(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Some donated buffers were not usable")
            lowered = jitted.lower(*args, **kwargs)
        text = lowered.as_text()
        if not whole and not donated:
            return Program(text, opened), lowered
        counts = [0 if i in static else len(jax.tree.leaves(arg)) for i, arg in enumerate(args)]
        counts.append(len(jax.tree.leaves({n: v for n, v in kwargs.items() if n not in static_names})))
        updates = _updates(args, counts, donated, lowered.out_info)
        try:
            return StepProgram(text, opened, updates, whole), lowered
        except InvalidArgument as error:
            names = [*_input_names(function, args, kwargs, static, static_names)]
            named = re.sub(r"'arg(\d+)'", lambda found: f"'{names[int(found[1])]}'", str(error))
            raise InvalidArgument(named) from None

    @functools.wraps(function)
    def call(*args, **kwargs):
        fixed = tuple((type(arg), arg) for i, arg in enumerate(args) if i in static)
        traced = [arg for i, arg in enumerate(args) if i not in static]
        named = tuple((name, type(kwargs[name]), kwargs[name]) for name in sorted(static_names & {*kwargs}))
        free = {name: arg for name, arg in kwargs.items() if name not in static_names}
        leaves, tree = jax.tree.flatten((traced, free))
        # Values that are equal, such as 2 and 2.0, are traced to other programs, and so is another precision.
        try:
            key = tree, fixed, named, tuple(map(_signature, leaves)), config.trace_context()
        except TypeError:
            _check(function, leaves)
            raise
        if key not in programs:
            _check(function, leaves)
            program, lowered = compile(args, kwargs)
            made = [_key_of(info) for info in jax.tree.leaves(lowered.out_info)]
            programs[key] = program, lowered.out_tree, [_is_key(leaf) for leaf in leaves], made
        program, out_tree, keys, made = programs[key]
        try:
            arrays = [_array(*one) for one in zip(leaves, keys, program.inputs, strict=True)]
        except jax.errors.TracerArrayConversionError:
            _check(function, leaves)
            raise
        results = [make(one) if make else one for make, one in zip(made, program(*arrays))]
        mine = iter(_jax_arrays([one for one in results if isinstance(one, numpy.ndarray)]))
        return jax.tree.unflatten(
            out_tree, [next(mine) if isinstance(one, numpy.ndarray) else one for one in results]
        )

    return call


def _places(function, names):
    """The places of the parameters of these names."""
    return {place for place, name in enumerate(_parameters(function)) if name in names}


def _names(function, places):
    return {name for place, name in enumerate(_parameters(function)) if place in places}


def _parameters(function):
    """The names of parameters that have a place; none where Python does not know them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]


def _input_names(function, args, kwargs, static, static_names):
    """What Python calls the inputs of a program: params['w1']."""
    names = _parameters(function)
    names += [f"argument {i}" for i in range(len(names), len(args))]
    given = {names[i]: arg for i, arg in enumerate(args) if i not in static}
    given |= {name: kwargs[name] for name in sorted(kwargs) if name not in static_names}
    for name, arg in given.items():
        for path, _ in jax.tree_util.tree_flatten_with_path(arg)[0]:
            yield name + jax.tree_util.keystr(path)


def _check(function, leaves):
    """Refuses what no program takes, with one line."""
    name = getattr(function, "__name__", "the function")
    for leaf in leaves:
        if isinstance(leaf, jax.core.Tracer):
            raise InvalidArgument(
                f"systole.jit runs {name} on arrays and cannot be traced: put jax.grad, jax.vmap, jax.jit, "
                f"jax.lax loops inside of it, as in systole.jit(jax.grad({name}))"
            )
        if not isinstance(leaf, _ARRAYS):
            raise InvalidArgument(
                f"{name} is given a {type(leaf).__name__}, which is no array: name it in static_argnums or "
                "static_argnames"
            )
        if not isinstance(leaf, Resident) and _dtype(leaf) not in _TYPES and not _is_key(leaf):
            raise InvalidArgument(
                f"{name} is given {_dtype(leaf)}: a device has float32, bfloat16, int32, uint32, int8 and "
                "bool; convert it outside"
            )


_ARRAYS = (Resident, jax.Array, numpy.ndarray, numpy.generic, bool, int, float, complex)
_OPTIONS = ("configuration", "array_size", "threads", "precision")  # of Device
_TYPES = {numpy.dtype(one) for one in ("float32", "int32", "uint32", "int8", "bool")} | {
    numpy.dtype(jax.numpy.bfloat16)
}


def _is_key(leaf):
    """Whether it is a typed key, as of jax.random.key."""
    return isinstance(leaf, jax.Array) and jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _array(leaf, is_key, port):
    if isinstance(leaf, Resident):
        return leaf
    return numpy.asarray(jax.random.key_data(leaf) if is_key else leaf, port.dtype)


def _key_of(info):
    """What makes a typed key of a result's words; None for a result that is none."""
    if not jax.numpy.issubdtype(info.dtype, jax.dtypes.prng_key):
        return None
    return functools.partial(jax.random.wrap_key_data, impl=info.dtype._impl)


_copied = jax.jit(lambda arrays: arrays)


def _jax_arrays(arrays):
    """Without a copy, except of a few bytes, such as a loss: a compiled function takes half as long for them."""
    if sum(array.nbytes for array in arrays) <= 1024:
        return _copied(arrays)
    return jax.device_put(arrays, may_alias=True)


def _numbers(function, argnums):
    """As places from the first argument on."""
    numbers = {argnums} if isinstance(argnums, int) else set(argnums)
    if all(number >= 0 for number in numbers):
        return numbers
    count = len(_parameters(function))
    if min(numbers) < -count:
        raise InvalidArgument(f"argument {min(numbers)} of a function with {count}: count from its first")
    return {number % count for number in numbers}


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
    if any(_is_key(leaf) for number in donated for leaf in jax.tree.leaves(args[number])):
        raise InvalidArgument("a typed key is donated: donate its words, jax.random.key_data(key)")
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
