"""Programs of several devices: what each of them runs, with the partitioner of jaxlib.

JAX hands a plugin a program with the shardings that the user gave. Shardy, which jaxlib brings, gives all
other values theirs and says where values move between devices; localize.py makes each device's program.
"""

import ctypes

from jax._src.interpreters import mlir
from jaxlib.mlir import ir, passmanager

from systole.localize import Localizer, Refused, need_parameters

try:
    from jax._src.lib import _jax
except ImportError:  # before JAX 0.6
    from jax._src.lib import xla_extension as _jax

_VERSION = "1.13.0"  # of StableHLO, as the plugin asks for it

# Shardy's: from the user's shardings to those of all values, with collectives where they differ.
_SHARE = (
    "builtin.module(sdy-import-pipeline,sdy-user-priority-propagate,"
    "sdy-export-pipeline{enable-insert-explicit-collectives=true})"
)


def _calls(block):
    for op in block.operations:
        for region in op.operation.regions:
            for inner in region.blocks:
                yield from _calls(inner)
        if op.operation.name == "func.call":
            yield op.operation


def _use(op, values):
    """Has a copied operation use copies."""
    for i, value in enumerate(op.operands):
        if value in values:
            op.operands[i] = values[value]
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                _use(inner.operation, values)


def _inline(module):
    """Calls are copies of their functions: a function has other shardings in each call."""
    functions = {
        ir.StringAttr(op.attributes["sym_name"]).value: op.operation
        for op in module.body.operations
        if op.operation.name == "func.func"
    }
    calls = list(_calls(functions["main"].regions[0].blocks[0]))
    while calls:
        call = calls.pop()
        body = functions[ir.FlatSymbolRefAttr(call.attributes["callee"]).value].regions[0].blocks[0]
        values = dict(zip(body.arguments, call.operands))
        *operations, end = [op.operation for op in body.operations]
        for op in operations:
            copy = op.clone(ip=ir.InsertionPoint(call)).operation
            _use(copy, values)
            values.update(zip(op.results, copy.results))
            if copy.name == "func.call":
                calls.append(copy)
            for region in copy.regions:
                for block in region.blocks:
                    calls += _calls(block)
        for result, value in zip(call.results, end.operands):
            result.replace_all_uses_with(values[value])
        call.erase()


def _does_nothing(op):
    """A constraint to no mesh, or a number that is broadcast to a number: random words and sorts have them."""
    if op.name == "sdy.sharding_constraint":
        return "@empty_mesh" in str(op.attributes["sharding"])
    return op.name == "stablehlo.broadcast_in_dim" and op.results[0].type.rank == 0


def _drop_idle(operations):
    """JAX 0.7 cannot divide, and functions of a sort cannot contain, what does nothing."""
    for op in list(operations):
        op = op.operation
        for region in op.regions:
            for block in region.blocks:
                _drop_idle(block.operations)
        if _does_nothing(op):
            op.results[0].replace_all_uses_with(op.operands[0])
            op.erase()


def partition(artifact):
    """Of a portable artifact: what each device runs, and the shardings, as JAX reads them."""
    with mlir.make_ir_context(), ir.Location.unknown():
        module = _jax.mlir.deserialize_portable_artifact(artifact)
        if not isinstance(module, ir.Module):
            module = ir.Module.parse(module)
        _inline(module)
        _drop_idle(module.body.operations)
        need_parameters(module)
        passmanager.PassManager.parse(_SHARE).run(module.operation)
        kind, inputs, outputs = Localizer(module).run()
        passmanager.PassManager.parse("builtin.module(symbol-dce)").run(module.operation)
        module.operation.verify()
        shardings = _shardings(kind, inputs, outputs) if outputs else b""
        return _jax.mlir.serialize_portable_artifact(mlir.module_to_bytecode(module), _VERSION), shardings


# ---- What JAX reads of how parameters and results lie: a HloModuleProtoWithConfig ----


def _varint(number):
    digits = []
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])


def _field(number, value):
    """A field of a protocol buffer: a number, or bytes."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _find(message, wanted):
    """The bytes of a message's field, of which other fields are numbers or bytes."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while at < len(message):
        tag = number()
        size = number()
        if tag & 7 == 2:
            if tag >> 3 == wanted:
                return message[at : at + size]
            at += size
    raise Refused(f"jaxlib's HLO has no field {wanted}")


def _op_sharding(tiling):
    """Of xla_data.proto: OpSharding."""
    replicated, other = 0, 3
    if tiling is None:
        return _field(1, replicated)
    sizes, devices, has_copies = tiling
    packed = [b"".join(map(_varint, numbers)) for numbers in (sizes, devices)]
    return _field(1, other) + _field(3, packed[0]) + _field(4, packed[1]) + _field(6, int(has_copies))


def _shardings(kind, inputs, outputs):
    """A function of the program's type, with how its parameters and results lie on the devices."""
    parameters = ", ".join(f"%p{i}: {one}" for i, one in enumerate(kind.inputs))
    results = ", ".join(map(str, kind.results))
    lines, names = [], []
    for i, one in enumerate(kind.results):
        element = one.element_type
        zero = "false" if str(element) == "i1" else "0" if isinstance(element, ir.IntegerType) else "0.0"
        lines.append(f"%r{i} = stablehlo.constant dense<{zero}> : {one}")
        names.append(f"%r{i}")
    body = " ".join([*lines, "return", ", ".join(names), ":", results])
    text = f"module @shardings {{ func.func public @main({parameters}) -> ({results}) {{ {body} }} }}"
    made = _jax.mlir.mlir_module_to_xla_computation(text, use_tuple_args=False, return_tuple=False)
    module = made.as_serialized_hlo_module_proto()
    kind_of_program = _find(module, 4)
    whole = [_op_sharding(one) for one in outputs]
    tuple_ = 2
    output = whole[0] if len(whole) == 1 else _field(1, tuple_) + b"".join(_field(5, one) for one in whole)
    module += _field(12, output) + b"".join(_field(14, _op_sharding(one)) for one in inputs)
    return _field(1, module) + _field(2, _field(1, kind_of_program))


_Partitioner = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)


def register(plugin):
    """Gives JAX's plugin, a ctypes.CDLL, its partitioner. Returns what must live as long as the plugin."""
    give, refuse = plugin.systole_pjrt_give_partitioned, plugin.systole_pjrt_refuse_partitioning
    give.restype = None
    give.argtypes = [ctypes.c_void_p, *[ctypes.c_char_p, ctypes.c_size_t] * 2]
    refuse.restype, refuse.argtypes = None, [ctypes.c_void_p, ctypes.c_char_p]

    @_Partitioner
    def partitioner(artifact, size, result):
        try:
            local, shardings = partition(ctypes.string_at(artifact, size))
            give(result, local, len(local), shardings, len(shardings))
        except Exception as error:  # nothing may leave through C
            kind = "" if isinstance(error, Refused) else f"{type(error).__name__}: "
            refuse(result, f"a program of several devices cannot be divided: {kind}{error}".encode())

    plugin.systole_pjrt_set_partitioner.restype = None
    plugin.systole_pjrt_set_partitioner.argtypes = [_Partitioner]
    plugin.systole_pjrt_set_partitioner(partitioner)
    return partitioner
