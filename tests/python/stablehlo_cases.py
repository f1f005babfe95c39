"""Runs the programs of openxla/stablehlo that have expected values on the platform of $JAX_PLATFORMS.

    stablehlo_cases.py FOLDER PLAN    prints a line of JSON as each program begins and ends

FOLDER has files of MLIR, of which each part has a function with checks (`check.expect_eq` and
others). The constants and @inputs() of that function become arguments, and what it checks becomes
its results; JAX's CPU computes the arguments and the expected values. PLAN is as jax_cases.py's.
"""

import json
import pathlib
import re
import sys

import jax
import ml_dtypes
import numpy as np
from jax._src import compiler
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func, stablehlo

from jax_cases import TYPE_REFUSALS

HELD = {"f32", "bf16", "i32", "ui32", "i8", "ui8", "i1"}  # what a device has
ULPS = 3  # of expect_close where a program does not say, as the interpreter has it
# Where another order of sums, or another approximation, leaves a program's own tolerance, which holds
# for the interpreter: that of JAX's tests in float32; in bfloat16 that of eight sums, each rounded.
TOLERANCES = {np.dtype(np.float32): 1e-5, np.dtype(ml_dtypes.bfloat16): 2.0**-5}
# Operands that say a shape stay constants, as JAX leaves them.
OF_SHAPES = ("dynamic_", "real_dynamic_slice")


def with_generic_checks(text):
    """Operations of the dialect `check`, which JAX does not know, in the form that needs no dialect."""
    tolerance = r"(?:,\s*tolerance\s*=\s*(\S+?)(?:\s*:\s*f64)?)?"

    def attributes(given):
        return f"tolerance = {float(given)} : f64" if given else ""

    def const(match):
        name, value, constant, kind, given, given_later = match.groups()
        given = attributes(given or given_later)
        limit = f", {given}" if given else ""
        return f'"check.{name}"({value}) {{value = {constant} : {kind}{limit}}} : ({kind}) -> ()'

    def both(match):
        name, actual, expected, given, most, kind = match.groups()
        limit = attributes(given) or (f"max_ulp_difference = {most} : i64" if most else "")
        return f'"check.{name}"({actual}, {expected}) {{{limit}}} : ({kind}, {kind}) -> ()'

    text = re.sub(
        r"check\.(expect\w*_const)\s+(%[\w#]+),\s*((?:dense|array).*?)\s*:\s*(tensor<[^\n]*?>)" + tolerance +
        r"(?:\s*\{tolerance = (\S+) : f64\})?\s*$", const, text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(
        r"check\.(expect\w*)\s+(%[\w#]+),\s*(%[\w#]+)" + tolerance +
        r"(?:,\s*max_ulp_difference\s*=\s*(\d+))?(?:,\s*min_ulp_difference\s*=\s*\d+)?\s*:\s*(tensor<[^\n,]*>)[^\n]*$",
        both, text, flags=re.MULTILINE)


def check_of(operation):
    """What an operation checks, such as "expect_eq", or None."""
    name = operation.name
    if name == "stablehlo.custom_call":
        name = ir.StringAttr(operation.attributes["call_target_name"]).value
        name = name if name.startswith("check.") else ""
    return name.removeprefix("check.") if name.startswith("check.") else None


def operations_in(operation):
    for region in operation.regions:
        for block in region:
            for one in block:
                yield one.operation
                yield from operations_in(one.operation)


def functions_of(module):
    return {ir.StringAttr(one.attributes["sym_name"]).value: one for one in operations_in(module.operation)
            if one.name == "func.func"}


def main_of(module):
    """The function with checks."""
    for one in functions_of(module).values():
        if any(check_of(operation) for operation in operations_in(one)):
            return one
    return None


def element_types(module):
    types = set()
    for operation in operations_in(module.operation):
        values = [*operation.results, *operation.operands]
        for region in operation.regions:
            values += [argument for block in region for argument in block.arguments]
        for value in values:
            kind = value.type
            if isinstance(kind, ir.ShapedType):
                shaped = ir.ShapedType(kind)
                types.add("a size that is not known" if not shaped.has_static_shape else str(shaped.element_type))
            else:
                types.add(str(kind))
    return types


def give(function, values):
    """Has a function return values, and no more; its name is main."""
    block = function.regions[0].blocks[0]
    old = list(block)[-1].operation
    with ir.InsertionPoint(old), ir.Location.unknown():
        func.ReturnOp(values)
    old.erase()
    kind = ir.FunctionType.get([argument.type for argument in block.arguments], [value.type for value in values])
    function.attributes["function_type"] = ir.TypeAttr.get(kind)
    function.attributes["sym_name"] = ir.StringAttr.get("main")
    function.attributes["sym_visibility"] = ir.StringAttr.get("public")
    for name in ("res_attrs", "arg_attrs"):
        if name in function.attributes:
            del function.attributes[name]


def is_called(operation, name):
    return operation.name == "func.call" and ir.FlatSymbolRefAttr(operation.attributes["callee"]).value == name


def sources(function):
    """Operations whose results become arguments: constants of some rank, and a call of @inputs."""
    found = []
    for one in function.regions[0].blocks[0]:
        operation = one.operation
        if is_called(operation, "inputs"):
            found.append(operation)
        elif operation.name == "stablehlo.constant" and operation.results[0].type.rank > 0:
            users = [use.owner.name.removeprefix("stablehlo.") for use in operation.results[0].uses]
            if users and not any(name.startswith(OF_SHAPES) for name in users):
                found.append(operation)
    return found


def checks(function):
    return [one.operation for one in function.regions[0].blocks[0] if check_of(one.operation)]


def is_expected(value):
    return isinstance(value, ir.OpResult) and is_called(value.owner, "expected")


def values_module(text):
    """A program without arguments that has the arguments and the expected values."""
    module = ir.Module.parse(text)
    function = main_of(module)
    values = [result for operation in sources(function) for result in operation.results]
    arguments = len(values)
    for operation in checks(function):
        if "value" in operation.attributes:
            with ir.InsertionPoint(operation), ir.Location.unknown():
                values.append(stablehlo.ConstantOp(operation.attributes["value"]).result)
        elif is_expected(operation.operands[1]):
            values.append(operation.operands[1])
    for operation in checks(function):
        operation.erase()
    give(function, values)
    for one in reversed(list(function.regions[0].blocks[0])):  # nobody's
        operation = one.operation
        if operation.name != "func.return" and not any(list(result.uses) for result in operation.results):
            operation.erase()
    return module, arguments


def program_module(text):
    """The program, with what it checks as results; and of each check its name, limit, and whether
    both values are results."""
    module = ir.Module.parse(text)
    function = main_of(module)
    block = function.regions[0].blocks[0]
    results, rules = [], []
    for operation in checks(function):
        known = "value" in operation.attributes or is_expected(operation.operands[1])
        results += [operation.operands[0]] if known else list(operation.operands)[:2]
        limit = next((ir.FloatAttr(operation.attributes[name]).value if name == "tolerance"
                      else ir.IntegerAttr(operation.attributes[name]).value
                      for name in ("tolerance", "max_ulp_difference") if name in operation.attributes), None)
        rules.append((check_of(operation), limit, known))
    for operation in sources(function):
        for result in operation.results:
            argument = block.add_argument(result.type, ir.Location.unknown())
            result.replace_all_uses_with(argument)
            results = [argument if value == result else value for value in results]
        operation.erase()
    for operation in checks(function):
        operation.erase()
    for one in list(block):
        if is_called(one.operation, "expected"):
            one.operation.erase()
    give(function, results)
    functions = functions_of(module)
    called = {ir.FlatSymbolRefAttr(one.attributes["callee"]).value
              for one in operations_in(module.operation) if one.name == "func.call"}
    for name, one in functions.items():
        if name in ("inputs", "expected") and name not in called:
            one.erase()
    if "sym_name" not in module.operation.attributes:
        module.operation.attributes["sym_name"] = ir.StringAttr.get("program")
    assert module.operation.verify()
    return module, rules


def execute(module, platform, arguments):
    device = jax.devices(platform)[0]
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    program = device.client.compile_and_load(
        module, executable_devices=xla_client.DeviceList((device,)), compile_options=options)
    results = program.execute_sharded([jax.device_put(one, device) for one in arguments])
    return [np.asarray(one[0]) for one in results.disassemble_into_single_device_arrays()]


def ulps(actual, wanted):
    """How many numbers of their type lie between two finite values, by element."""
    word = {2: np.int16, 4: np.int32}[actual.dtype.itemsize]

    def place(x):
        bits = np.frombuffer(np.ascontiguousarray(x).tobytes(), word).astype(np.int64)
        return np.where(bits < 0, -(bits & np.iinfo(word).max), bits)

    return np.abs(place(actual) - place(wanted))


def agreement(rule, limit, actual, wanted):
    """(whether the values agree, whether they do by the program's own check)."""
    if not np.issubdtype(actual.dtype, np.floating) and actual.dtype not in TOLERANCES:
        same = np.array_equal(actual, wanted)
        return same, same
    a, w = actual.astype(np.float64).ravel(), wanted.astype(np.float64).ravel()
    special = ~(np.isfinite(a) & np.isfinite(w))
    same = (a == w) | (np.isnan(a) & np.isnan(w))
    if not np.all(same[special]):
        return False, False
    if rule.startswith("expect_almost_eq"):
        own = np.abs(a - w) <= (1e-4 if limit is None else limit)
    elif rule == "expect_close":
        own = ulps(actual, wanted) <= (ULPS if limit is None else limit)
    else:
        own = same
    own = bool(np.all(own | same | special))
    tolerance = TOLERANCES[actual.dtype]
    near = np.abs(a - w) <= tolerance + tolerance * np.abs(w)
    return own or bool(np.all(near | same | special)), own


def outcome_of(text):
    """(outcome, its text)."""
    module, rules = program_module(text)
    lacks = sorted(element_types(module) - HELD)
    try:
        values, count = values_module(text)
        known = execute(values, "cpu", [])
    except Exception as error:  # types that JAX's CPU has no arrays of
        if lacks:
            return "refused by type", f"types {', '.join(lacks)}"
        return "not run", f"JAX's CPU: {error}"
    arguments, expected = known[:count], iter(known[count:])
    try:
        found = iter(execute(module, jax.default_backend(), arguments))
        found = [(next(found), next(expected) if knows else next(found)) for _, _, knows in rules]
    except (jax.errors.JaxRuntimeError, ir.MLIRError) as error:
        by_type = lacks or any(words in str(error) for words in TYPE_REFUSALS)
        return "refused by type" if by_type else "refused by operation", str(error)
    own = True
    for (actual, wanted), (rule, limit, _) in zip(found, rules, strict=True):
        agrees, by_own = agreement(rule, limit, actual, wanted)
        if not agrees:
            return "wrong", f"{rule}: {actual.ravel()[:8]}, expected {wanted.ravel()[:8]}"
        own = own and by_own
    return "passed", "" if own else "not by its own check"


def programs(folder):
    """Name and text of each program with checks, but for those of several processes."""
    for file in sorted(folder.rglob("*.mlir")):
        parts = re.split(r"^// -----.*$", file.read_text(), flags=re.MULTILINE)
        for i, text in enumerate(parts):
            if "check.expect" not in text or "expect_serialized" in text or "run_parallel" in text:
                continue
            name = str(file.relative_to(folder).with_suffix(""))
            yield (name if len(parts) == 1 else f"{name}:{i + 1}"), text


def say(name, outcome, text=""):
    print("\n" + json.dumps({"test": name, "outcome": outcome, "text": text[:2000]}), flush=True)


def main():
    jax.config.update("jax_enable_x64", True)  # arrays keep the types of programs
    np.seterr(invalid="ignore")
    folder, plan = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
    context = mlir.make_ir_context()
    context.allow_unregistered_dialects = True
    for name, text in programs(folder):
        if name in plan["done"] or (plan["only"] and name not in plan["only"]):
            continue
        say(name, "begins")
        with context:
            try:
                say(name, *outcome_of(with_generic_checks(text)))
            except Exception as error:
                say(name, "not read", f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
