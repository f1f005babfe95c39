"""JAX on Systole, without a change to its programs (docs/python.md).

    import systole.jax     # or $SYSTOLE_DEVICE in the environment, and no import

makes each product and convolution in float32 that JAX compiles for its CPU, after differentiation, a
call of a core. XLA's CPU devices are the cores: device 3 has core 3.
"""

import ctypes
import functools
import os

import jax
from jax._src import xla_bridge
from jax._src.interpreters import mlir
from jax._src.lax.windowed_reductions import reduce_window_max_p, select_and_scatter_add_p

from systole import jax_calls, library
from systole.device import Step, cores_environment, record_from
from systole.fallback_counts import count, fallbacks
from systole.library import Counters

_PLATFORM = "cpu"
_seen = 0  # the last execution that last_step knows


def counters():
    """The Counters of each open core, since it was opened."""
    result = []
    for core in range(jax.local_device_count(_PLATFORM)):
        counted = Counters()
        if _plugin.systole_jax_count(core, ctypes.byref(counted)) == 0:
            result.append(counted)
    return result


def configure(device="model", *, cores=1, **options):
    """Chooses the device of this process's cores, before JAX's first operation.

    cores   1 to 8; the options are those of systole.Device
    Errors  InvalidArgument; RuntimeError after JAX has opened its devices
    """
    environment = cores_environment(device, cores, **options)
    if xla_bridge.backends_are_initialized():
        raise RuntimeError(
            "JAX has already opened its devices: configure them before its first operation"
        )
    jax.config.update("jax_num_cpu_devices", cores)
    os.environ.update(environment)


def _load():
    plugin = ctypes.CDLL(str(library.plugin("jax")))
    plugin.systole_jax_count.argtypes = [ctypes.c_int32, ctypes.POINTER(Counters)]
    plugin.systole_jax_last_execution.argtypes = [ctypes.POINTER(library.Step)]
    plugin.systole_jax_last_execution.restype = ctypes.c_int64
    for target in jax_calls.TARGETS:
        jax.ffi.register_ffi_target(target, jax.ffi.pycapsule(getattr(plugin, target)), _PLATFORM)
    return plugin


def _local(aval):
    """The type alone, without what it says about a mesh."""
    return jax.core.ShapedArray(aval.shape, aval.dtype)


def _lower(primitive, call, takes, multiplies=True):
    """Lowers a primitive to `call` where `takes` its operands, and as JAX does elsewhere."""
    own = (mlir._platform_specific_lowerings[_PLATFORM].get(primitive) or mlir._lowerings[primitive]).rule

    def rule(ctx, *operands, **params):
        if jax_calls.are_left_out():
            return own(ctx, *operands, **params)
        types = {aval.dtype.name for aval in (*ctx.avals_in, *ctx.avals_out)}
        if types != {"float32"} or not takes(**params):
            if multiplies:
                count(f"{primitive.name} of {', '.join(sorted(types))}")
            return own(ctx, *operands, **params)
        (result,) = ctx.avals_out
        call_of_core = functools.partial(call, _local(result), **params)
        local = ctx.replace(avals_in=[*map(_local, ctx.avals_in)], avals_out=[_local(result)])
        (value,) = mlir.lower_fun(call_of_core, multiple_results=False)(local, *operands)
        return [mlir.lower_with_sharding_in_types(ctx, value, result)]

    mlir.register_lowering(primitive, rule, platform=_PLATFORM)


def _last_execution():
    """The systole.Step of a compiled function's execution since the last call, or None."""
    global _seen
    step = library.Step()
    execution = _plugin.systole_jax_last_execution(ctypes.byref(step))
    if execution == _seen:
        return None
    _seen = execution
    return Step.of(counters()[0].core.name.decode(), step)


def _install():
    _lower(
        jax.lax.dot_general_p,
        jax_calls.product,
        lambda **params: jax_calls.asked(**params) is not None,
    )
    _lower(
        jax.lax.conv_general_dilated_p,
        jax_calls.convolution,
        lambda window_strides, **params: (
            len(window_strides) in (1, 2) and jax_calls.asked(**params) is not None
        ),
    )
    # Loops of this processor, where XLA's take seven times as long.
    _lower(reduce_window_max_p, jax_calls.max_pool, jax_calls.pools, multiplies=False)
    _lower(
        select_and_scatter_add_p,
        jax_calls.max_pool_gradient,
        lambda select_prim, **windows: select_prim is jax.lax.ge_p and jax_calls.pools(**windows),
        multiplies=False,
    )
    record_from(_last_execution)
    if xla_bridge.backends_are_initialized():
        jax.clear_caches()  # of what was compiled without the cores
    cores = _plugin.systole_jax_core_count()
    if cores > 1 and jax.config.jax_num_cpu_devices < 0:
        if "xla_force_host_platform_device_count" not in os.environ.get("XLA_FLAGS", ""):
            jax.config.update("jax_num_cpu_devices", cores)


_plugin = _load()
_install()
