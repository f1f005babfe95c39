"""A module whose values have shardings of Shardy, made one of a single device's parts.

Each value gets the type of its part. What moves between devices becomes StableHLO's collectives and
slices at places that follow from the device's number. An operation that cannot be done on parts gets
whole operands, which the devices gather, and its result is cut.
"""

import itertools
import math

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import sdy
from jaxlib.mlir.dialects import stablehlo as hlo


class Refused(Exception):
    """What cannot be divided."""


_COMBINATIONS = {"add", "maximum", "minimum", "multiply", "and", "or"}

_ELEMENTWISE = {
    f"stablehlo.{name}"
    for name in (
        "abs add and atan2 bitcast_convert cbrt ceil clamp compare convert cosine count_leading_zeros divide "
        "exponential exponential_minus_one floor is_finite log log_plus_one logistic maximum minimum multiply "
        "negate not optimization_barrier or popcnt power reduce_precision remainder round_nearest_afz "
        "round_nearest_even rsqrt select shift_left shift_right_arithmetic shift_right_logical sign sine sqrt "
        "subtract tan tanh xor all_reduce"
    ).split()
} | {f"chlo.{name}" for name in ("erf", "erfc", "erf_inv", "square", "asin", "acos", "atan", "sinh", "cosh")}


def integers(attribute):
    """Of a list of MLIR's."""
    return [int(number) for number in attribute]


def _shardings(attribute):
    return sdy.TensorShardingPerValueAttr(attribute).shardings


class Mesh:
    """The devices of a program, numbered along its axes, the last of which is the fastest."""

    def __init__(self, attribute):
        attribute = sdy.MeshAttr(attribute)
        axes = map(sdy.MeshAxisAttr, attribute.axes)
        self.axes = {axis.name: axis.size for axis in axes}
        self.count = math.prod(self.axes.values())
        if list(attribute.device_ids) not in ([], list(range(self.count))):
            raise Refused("a mesh has its devices in another order: use one mesh for a program")

    def coordinate(self, device, axis):
        """Along an axis, or (name, before, size), a part of one."""
        name, before, size = axis
        later = 1
        for other in reversed(self.axes):
            if other == name:
                break
            later *= self.axes[other]
        return device // later % self.axes[name] // (self.axes[name] // (before * size)) % size

    def place(self, device, axes):
        """Among the parts of a dimension that these axes divide."""
        place = 0
        for axis in axes:
            place = place * axis[2] + self.coordinate(device, axis)
        return place

    def groups(self, axes):
        """The devices that differ along these axes alone, in the order of their places."""
        groups = {}
        for device in range(self.count):
            rest = [
                (name, self.coordinate(device, (name, 1, size)))
                for name, size in self.axes.items()
                if all(name != axis[0] for axis in axes)
            ]
            for name in {axis[0] for axis in axes}:  # of a part of an axis, its other parts
                coordinate = self.coordinate(device, (name, 1, self.axes[name]))
                for _, before, size in (axis for axis in axes if axis[0] == name):
                    after = self.axes[name] // (before * size)
                    coordinate -= coordinate // after % size * after
                rest.append((name, coordinate))
            groups.setdefault(tuple(sorted(rest)), []).append(device)
        return [sorted(group, key=lambda device: self.place(device, axes)) for group in groups.values()]


def size_of(axes):
    return math.prod(axis[2] for axis in axes)


def need_parameters(module):
    """Gives each parameter of main that has no sharding that of a copy on every device."""
    names = [
        ir.StringAttr(op.attributes["sym_name"]).value
        for op in module.body.operations
        if op.operation.name == "sdy.mesh" and Mesh(op.attributes["mesh"]).count > 1
    ]
    if not names:
        raise Refused("no mesh names its devices")
    main = _main(module)
    kinds = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).inputs
    given = list(main.attributes["arg_attrs"]) if "arg_attrs" in main.attributes else [{}] * len(kinds)
    attributes = []
    for one, kind in zip(given, kinds):
        entries = {entry.name: entry.attr for entry in one} if one else {}
        if "sdy.sharding" not in entries and isinstance(kind, ir.RankedTensorType):
            whole = [sdy.DimensionShardingAttr.get([], is_closed=True)] * kind.rank
            entries["sdy.sharding"] = sdy.TensorShardingAttr.get(names[0], whole)
        attributes.append(ir.DictAttr.get(entries))
    main.attributes["arg_attrs"] = ir.ArrayAttr.get(attributes)


def _main(module):
    for op in module.body.operations:
        if op.operation.name == "func.func" and ir.StringAttr(op.attributes["sym_name"]).value == "main":
            return op.operation
    raise Refused("there is no function main")


class Localizer:
    """Rewrites the function main of a module, whose calls are inlined."""

    def __init__(self, module):
        self.module = module
        self.meshes = {}
        self.partial = {}  # by value: the combination and axes that its parts are to be combined over
        self.channel = 1 << 16  # beyond the user's

    def run(self):
        """Returns the function's type, and how its parameters and results lie."""
        main = _main(self.module)
        for op in self.module.body.operations:
            if op.operation.name == "sdy.mesh":
                name = ir.StringAttr(op.attributes["sym_name"]).value
                mesh = Mesh(op.attributes["mesh"])
                self.meshes[name] = mesh
        counts = {mesh.count for mesh in self.meshes.values() if mesh.count > 1}
        if len(counts) > 1:
            raise Refused("its meshes have different numbers of devices: use one mesh for a program")
        self.mesh = max(self.meshes.values(), key=lambda mesh: mesh.count)
        self.shardings = {}  # of values: the axes that divide each dimension
        block = main.regions[0].blocks[0]
        kinds = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
        parameters = self._attributes(main, "arg_attrs", len(kinds.inputs))
        results = self._attributes(main, "res_attrs", len(kinds.results))
        inputs = [self._dimensions(one, kind) for one, kind in zip(parameters, kinds.inputs)]
        outputs = [self._dimensions(one, kind) for one, kind in zip(results, kinds.results)]
        for argument, dimensions in zip(block.arguments, inputs):
            self._set(argument, dimensions)
        self._walk(block, outputs)
        types = [argument.type for argument in block.arguments]
        returned = block.operations[len(block.operations) - 1].operation.operands
        kind = ir.FunctionType.get(types, [value.type for value in returned])
        main.attributes["function_type"] = ir.TypeAttr.get(kind)
        for name in ("arg_attrs", "res_attrs"):
            if name in main.attributes:
                main.attributes[name] = ir.ArrayAttr.get([self._plain(one) for one in ir.ArrayAttr(main.attributes[name])])
        self._pair_donated(main, kind, inputs, outputs)
        for op in list(self.module.body.operations):
            if op.operation.name == "sdy.mesh":
                op.operation.erase()
        return kind, [self._tiling(one) for one in inputs], [self._tiling(one) for one in outputs]

    @staticmethod
    def _pair_donated(main, kind, inputs, outputs):
        """JAX says of several devices that a parameter is donated; here it becomes the first result that is like it."""
        free = list(range(len(outputs)))
        attributes = [dict((entry.name, entry.attr) for entry in one) for one in main.attributes["arg_attrs"]]
        for entries in attributes:
            if "tf.aliasing_output" in entries:
                free.remove(ir.IntegerAttr(entries["tf.aliasing_output"]).value)
        for i, entries in enumerate(attributes):
            if entries.pop("jax.buffer_donor", None) is None:
                continue
            same = [j for j in free if kind.results[j] == kind.inputs[i] and outputs[j] == inputs[i]]
            if same:
                free.remove(same[0])
                entries["tf.aliasing_output"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), same[0])
        main.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(one) for one in attributes])

    # ---- Shardings ----

    @staticmethod
    def _attributes(function, name, count):
        if name not in function.attributes:
            return [None] * count
        lists = [ir.DictAttr(one) for one in ir.ArrayAttr(function.attributes[name])]
        return [one["sdy.sharding"] if "sdy.sharding" in one else None for one in lists]

    @staticmethod
    def _plain(dictionary):
        dictionary = ir.DictAttr(dictionary)
        return ir.DictAttr.get({one.name: one.attr for one in dictionary if not one.name.startswith("sdy.")})

    def _dimensions(self, sharding, kind, without=(), by_hand=False):
        """The axes of each dimension, as (name, before, size)."""
        if not isinstance(kind, ir.RankedTensorType):
            return None
        if sharding is None:
            return ((),) * ir.RankedTensorType(kind).rank
        sharding = sdy.TensorShardingAttr(sharding)
        name = str(sharding.mesh_or_ref).lstrip("@")
        mesh = self.meshes[name] if name in self.meshes else Mesh(sharding.mesh_or_ref)
        if list(sharding.unreduced_axes):
            raise Refused("a sharding with unreduced axes is not supported")

        def axis_of(reference):
            reference = sdy.AxisRefAttr(reference)
            part = reference.sub_axis_info
            if part is None:
                return (reference.name, 1, mesh.axes[reference.name])
            part = sdy.SubAxisInfoAttr(part)
            return (reference.name, part.pre_size, part.size)

        dimensions = []
        for size, one in zip(kind.shape, map(sdy.DimensionShardingAttr, sharding.dimension_shardings)):
            axes = tuple(axis for axis in map(axis_of, one.axes) if axis[0] not in without and axis[2] > 1)
            # What does not divide evenly stays whole. Where the user divides by hand, all does.
            dimensions.append(axes if by_hand or size % size_of(axes) == 0 else ())
        return tuple(dimensions)

    def _tiling(self, dimensions):
        """The parts of each dimension, the devices that have them, and whether several have each; None: all whole."""
        if not dimensions or not any(dimensions):
            return None
        sizes = [size_of(axes) for axes in dimensions]
        order = sorted(
            range(self.mesh.count), key=lambda d: [self.mesh.place(d, axes) for axes in dimensions] + [d]
        )
        copies = self.mesh.count // math.prod(sizes)
        return sizes + ([copies] if copies > 1 else []), order, copies > 1

    def _of(self, value):
        """The axes of a value's dimensions."""
        if value in self.shardings:
            return self.shardings[value]
        return ((),) * ir.RankedTensorType(value.type).rank if isinstance(value.type, ir.RankedTensorType) else ()

    def _local(self, kind, dimensions):
        kind = ir.RankedTensorType(kind)
        shape = []
        for size, axes in zip(kind.shape, dimensions):
            if size % size_of(axes) != 0:
                raise Refused(f"a dimension of {size} does not divide among {size_of(axes)} devices")
            shape.append(size // size_of(axes))
        return ir.RankedTensorType.get(shape, kind.element_type)

    def _set(self, value, dimensions):
        if dimensions is None:
            return
        value.set_type(self._local(value.type, dimensions))
        self.shardings[value] = dimensions

    def _stated(self, op, without=()):
        """The shardings of an operation's results."""
        if "sdy.sharding" not in op.attributes:
            return [self._dimensions(None, result.type) for result in op.results]
        stated = _shardings(op.attributes["sdy.sharding"])
        return [self._dimensions(one, result.type, without) for one, result in zip(stated, op.results)]

    # ---- New operations ----

    def _make(self, name, before, operands, kinds, attributes=(), region=None):
        made = ir.Operation.create(
            name,
            results=list(kinds),
            operands=list(operands),
            attributes=dict(attributes),
            regions=1 if region else 0,
            ip=ir.InsertionPoint(before),
            loc=before.location,
        )
        if region:
            combination, element = region
            scalar = ir.RankedTensorType.get([], element)
            body = ir.Block.create_at_start(made.regions[0], [scalar, scalar])
            with ir.InsertionPoint(body), before.location:
                both = ir.Operation.create(f"stablehlo.{combination}", results=[scalar], operands=list(body.arguments))
                ir.Operation.create("stablehlo.return", operands=[both.results[0]])
        return made.results[0] if len(made.results) == 1 else made

    def _collective(self, axes):
        rows = self.mesh.groups(axes)
        self.channel += 1
        return {
            "replica_groups": ir.Attribute.parse(f"dense<{rows}> : tensor<{len(rows)}x{len(rows[0])}xi64>"),
            "channel_handle": ir.Attribute.parse(f"#stablehlo.channel_handle<handle = {self.channel}, type = 1>"),
            "use_global_device_ids": ir.UnitAttr.get(),
        }

    def _number(self, before, places, word=None):
        """A scalar that is places[d] on device d."""
        word = word or ir.IntegerType.get_signless(32)
        table = self._make(
            "stablehlo.constant", before, [], [ir.RankedTensorType.get([len(places)], word)],
            {"value": ir.Attribute.parse(f"dense<{places}> : tensor<{len(places)}x{word}>")},
        )  # fmt: skip
        unsigned = ir.RankedTensorType.get([], ir.IntegerType.get_unsigned(32))
        device = self._make("stablehlo.partition_id", before, [], [unsigned])
        one = self._make(
            "stablehlo.dynamic_slice", before, [table, device], [ir.RankedTensorType.get([1], word)],
            {"slice_sizes": ir.DenseI64ArrayAttr.get([1])},
        )  # fmt: skip
        return self._make("stablehlo.reshape", before, [one], [ir.RankedTensorType.get([], word)])

    def _places(self, axes, each):
        return [self.mesh.place(device, axes) * each for device in range(self.mesh.count)]

    def _reshard(self, value, wanted, before):
        """The value divided in another way."""
        given = self._of(value)
        if value in self.partial:
            raise Refused("a sum over devices is used before it is added up")
        if wanted is None or given == tuple(wanted):
            return value
        for d, axes in enumerate(given):  # gather what is not divided as it is to be
            if axes == wanted[d] or not axes:
                continue
            kept = 0
            while kept < len(axes) and kept < len(wanted[d]) and axes[kept] == wanted[d][kept]:
                kept += 1
            gathered = axes[kept:]
            if not gathered:
                continue
            kind = ir.RankedTensorType(value.type)
            shape = list(kind.shape)
            shape[d] *= size_of(gathered)
            value = self._make(
                "stablehlo.all_gather", before, [value], [ir.RankedTensorType.get(shape, kind.element_type)],
                self._collective(gathered) | {"all_gather_dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), d)},
            )  # fmt: skip
            given = given[:d] + (axes[:kept],) + given[d + 1 :]
        return self._cut(value, given, wanted, before)

    def _cut(self, value, given, wanted, before):
        if given == tuple(wanted):
            self.shardings[value] = tuple(wanted)
            return value
        kind = ir.RankedTensorType(value.type)
        cut = [wanted[d][len(axes) :] for d, axes in enumerate(given)]
        shape = [size // size_of(axes) for size, axes in zip(kind.shape, cut)]
        if any(size % size_of(axes) for size, axes in zip(kind.shape, cut)):
            raise Refused(f"{list(kind.shape)} does not divide among {[size_of(axes) for axes in cut]} devices")
        starts = [self._number(before, self._places(axes, size)) for axes, size in zip(cut, shape)]
        part = self._make(
            "stablehlo.dynamic_slice", before, [value, *starts], [ir.RankedTensorType.get(shape, kind.element_type)],
            {"slice_sizes": ir.DenseI64ArrayAttr.get(shape)},
        )  # fmt: skip
        self.shardings[part] = tuple(wanted)
        return part

    # ---- Operations ----

    def _walk(self, block, wanted):
        """Rewrites a block, whose terminator's operands are to lie as `wanted`."""
        *operations, end = block.operations
        for op in operations:
            self._visit(op.operation)
        self._give(end.operation, wanted)

    def _give(self, op, wanted):
        for i, one in enumerate(wanted):
            op.operands[i] = self._reshard(op.operands[i], one, op)

    def _visit(self, op):
        name = op.name.split(".")[1]
        if op.name.startswith("sdy."):
            return getattr(self, f"_sdy_{name}", self._sdy_unknown)(op)
        stated = self._stated(op)
        if "sdy.sharding" in op.attributes:
            del op.attributes["sdy.sharding"]
        if name in ("while", "case", "if"):
            return self._flow(op, stated)
        for value in op.operands:
            if value in self.partial:
                raise Refused(f"{op.name} of a sum over devices that is not added up")
        given = [self._of(value) for value in op.operands]
        if not any(map(any, given)) and not any(one and any(one) for one in stated):
            return None
        write = self._elementwise if op.name in _ELEMENTWISE else getattr(self, f"_do_{name}", None)
        if write is None or not write(op, given, stated):
            self._on_whole(op, stated)
        return None

    def _replace(self, op, values):
        for result, value in zip(op.results, values):
            result.replace_all_uses_with(value)
        op.erase()

    def _on_whole(self, op, stated):
        self._give(op, [((),) * len(self._of(value)) for value in op.operands])
        following = self._after(op)
        for result, wanted in zip(op.results, stated):
            if not wanted or not any(wanted):
                continue
            before = {use.owner.operation for use in result.uses}
            cut = self._cut(result, ((),) * len(wanted), wanted, following)
            for user in before:
                self._exchange(user, result, cut)

    @staticmethod
    def _exchange(user, value, other):
        for i, operand in enumerate(user.operands):
            if operand == value:
                user.operands[i] = other

    @staticmethod
    def _after(op):
        operations = [one.operation for one in op.block.operations]
        return operations[operations.index(op) + 1]

    def _flow(self, op, stated):
        is_loop = op.name == "stablehlo.while"
        if is_loop:
            self._give(op, stated)
        for i, region in enumerate(op.regions):
            block = region.blocks[0]
            for argument, wanted in zip(block.arguments, stated):
                self._set(argument, wanted)
            self._walk(block, [None] if is_loop and i == 0 else stated)
        for result, wanted in zip(op.results, stated):
            self._set(result, wanted)

    # ---- Shardy's ----

    def _sdy_unknown(self, op):
        raise Refused(f"{op.name} is not supported")

    def _sdy_constant(self, op):
        wanted = self._stated(op)[0]
        attribute = ir.DenseElementsAttr(op.attributes["value"])
        if attribute.is_splat:
            kind = self._local(op.results[0].type, wanted)
            value = ir.DenseElementsAttr.get_splat(kind, attribute.get_splat_value())
            made = self._make("stablehlo.constant", op, [], [kind], {"value": value})
            self.shardings[made] = wanted
        else:
            whole = self._make("stablehlo.constant", op, [], [op.results[0].type], {"value": attribute})
            made = self._cut(whole, ((),) * len(wanted), wanted, op)
        self._replace(op, [made])

    def _moved(self, op):
        name = "out_sharding" if "out_sharding" in op.attributes else "sharding"
        wanted = self._dimensions(op.attributes[name], op.results[0].type)
        value = self._reshard(op.operands[0], wanted, op)
        self._replace(op, [value])

    _sdy_all_gather = _sdy_all_slice = _sdy_all_to_all = _sdy_collective_permute = _sdy_reshard = _moved
    _sdy_sharding_constraint = _moved

    def _sdy_propagation_barrier(self, op):
        self._replace(op, [op.operands[0]])

    def _combined(self, op):
        """all_reduce and reduce_scatter, which change nothing where the parts were gathered before."""
        value = op.operands[0]
        if value in self.partial:
            combination, axes = self.partial.pop(value)
            given = self._of(value)
            kind = ir.RankedTensorType(value.type)
            value = self._make(
                "stablehlo.all_reduce", op, [value], [kind], self._collective(axes), (combination, kind.element_type)
            )
            self.shardings[value] = given
        wanted = self._dimensions(op.attributes["out_sharding"], op.results[0].type)
        self._replace(op, [self._reshard(value, wanted, op)])

    _sdy_all_reduce = _sdy_reduce_scatter = _combined

    def _sdy_manual_computation(self, op):
        manual = list(sdy.ManualAxesAttr(op.attributes["manual_axes"]))
        block = op.regions[0].blocks[0]
        kinds = [value.type for value in block.arguments]
        shardings = _shardings(op.attributes["in_shardings"])
        for i, (argument, sharding, kind) in enumerate(zip(block.arguments, shardings, kinds)):
            value = self._reshard(op.operands[i], self._dimensions(sharding, kind, by_hand=True), op)
            inside = self._make("stablehlo.reshape", op, [value], [value.type])  # has other shardings
            self.shardings[inside] = self._dimensions(sharding, kind, manual, True)
            argument.replace_all_uses_with(inside)
        *operations, end = [one.operation for one in block.operations]
        for one in operations:
            one.move_before(op)
        for one in operations:
            self._visit(one)
        results = []
        for value, sharding in zip(end.operands, _shardings(op.attributes["out_shardings"])):
            value = self._reshard(value, self._dimensions(sharding, value.type, manual, True), op)
            outside = self._make("stablehlo.reshape", op, [value], [value.type])
            self.shardings[outside] = self._dimensions(sharding, value.type, by_hand=True)
            results.append(outside)
        self._replace(op, results)

    # ---- StableHLO's: each returns whether it can be done on parts ----

    def _finish(self, op, wanted, stated):
        self._give(op, wanted)
        for result, one in zip(op.results, stated):
            self._set(result, one)
        return True

    def _elementwise(self, op, given, stated):
        if len(stated) > 1:
            return self._finish(op, stated, stated)
        rank = len(stated[0])
        if any(len(one) not in (0, rank) for one in given):
            return False
        return self._finish(op, [stated[0] if len(one) == rank else one for one in given], stated)

    def _global(self, value):
        kind = ir.RankedTensorType(value.type)
        return [size * size_of(axes) for size, axes in zip(kind.shape, self._of(value))]

    def _do_broadcast_in_dim(self, op, given, stated):
        shape = ir.RankedTensorType(op.results[0].type).shape
        dimensions = integers(op.attributes["broadcast_dimensions"])
        sizes = self._global(op.operands[0])
        wanted = [stated[0][d] if size == shape[d] else () for size, d in zip(sizes, dimensions)]
        return self._finish(op, [tuple(wanted)], stated)

    def _do_transpose(self, op, given, stated):
        wanted = [()] * len(stated[0])
        for axes, d in zip(stated[0], integers(op.attributes["permutation"])):
            wanted[d] = axes
        return self._finish(op, [tuple(wanted)], stated)

    def _do_reshape(self, op, given, stated):
        before = self._global(op.operands[0])
        after = list(ir.RankedTensorType(op.results[0].type).shape)
        if 0 in before:
            return False
        wanted, i, j = [()] * len(before), 0, 0
        while i < len(before) or j < len(after):  # groups of dimensions with as many elements
            from_, to, sizes = i, j, [1, 1]
            while sizes[0] != sizes[1] or (i == from_ and j == to):
                if j == len(after) or (i < len(before) and sizes[0] <= sizes[1]):
                    sizes[0], i = sizes[0] * before[i], i + 1
                else:
                    sizes[1], j = sizes[1] * after[j], j + 1
            inner = [d for d in range(from_, i) if before[d] > 1]
            outer = [d for d in range(to, j) if after[d] > 1]
            divided = [d for d in range(to, j) if stated[0][d]]
            if not divided:
                continue
            if divided != outer[:1] or before[inner[0]] % size_of(stated[0][divided[0]]) != 0:
                return False
            wanted[inner[0]] = stated[0][divided[0]]
        return self._finish(op, [tuple(wanted)], stated)

    def _do_iota(self, op, given, stated):
        d = ir.IntegerAttr(op.attributes["iota_dimension"]).value
        axes, result = stated[0][d], op.results[0]
        self._set(result, stated[0])
        if not axes:
            return True
        kind = ir.RankedTensorType(result.type)
        element, following = kind.element_type, self._after(op)
        users = [use.owner.operation for use in result.uses]
        is_integer = isinstance(element, ir.IntegerType)
        number = self._number(following, self._places(axes, kind.shape[d]), element if is_integer else None)
        if not is_integer:
            number = self._make("stablehlo.convert", following, [number], [ir.RankedTensorType.get([], element)])
        offset = self._make(
            "stablehlo.broadcast_in_dim", following, [number], [kind],
            {"broadcast_dimensions": ir.DenseI64ArrayAttr.get([])},
        )  # fmt: skip
        moved = self._make("stablehlo.add", following, [result, offset], [kind])
        self.shardings[moved] = stated[0]
        for user in users:
            self._exchange(user, result, moved)
        return True

    def _do_constant(self, op, given, stated):
        self._sdy_constant(op)
        return True

    @staticmethod
    def _body(op):
        """A region's one operation, of its two arguments: its name."""
        block = op.regions[0].blocks[0]
        operations = [one.operation for one in block.operations]
        if len(operations) != 2 or list(operations[0].operands) != list(block.arguments):
            return None
        name = operations[0].name.split(".")[1]
        return name if name in _COMBINATIONS else None

    @staticmethod
    def _is_neutral(value, combination):
        op = value.owner
        while isinstance(op, (ir.Operation, ir.OpView)) and op.operation.name == "stablehlo.convert":
            op = op.operation.operands[0].owner
        if not isinstance(op, (ir.Operation, ir.OpView)) or "value" not in op.attributes:
            return False
        attribute = ir.DenseElementsAttr(op.attributes["value"])
        if not attribute.is_splat:
            return False
        number = attribute.get_splat_value()
        kind = ir.RankedTensorType(value.type).element_type
        if isinstance(kind, ir.IntegerType):
            kind = ir.IntegerType(kind)
            number, bits = ir.IntegerAttr(number).value, kind.width
            if bits == 1:
                number, least, most = bool(number), False, True
            else:
                least, most = (0, 2**bits - 1) if kind.is_unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            ones = most if kind.is_unsigned or bits == 1 else -1
        else:
            number, least, most, ones = ir.FloatAttr(number).value, -math.inf, math.inf, None
        neutral = {"add": 0, "multiply": 1, "maximum": least, "minimum": most, "or": 0, "and": ones}
        return number == neutral[combination]

    def _do_reduce(self, op, given, stated):
        count = len(op.results)
        dimensions = integers(op.attributes["dimensions"])
        axes = tuple(itertools.chain.from_iterable(given[0][d] for d in dimensions))
        kept = iter(stated[0])
        combination = self._body(op) if count == 1 else None
        stays = combination and self._is_neutral(op.operands[1], combination)
        used = {axis[0] for one in stated[0] for axis in one}
        stays = stays and not any(axis[0] in used for axis in axes)
        wanted = tuple(
            (given[0][d] if stays else ()) if d in dimensions else next(kept) for d in range(len(given[0]))
        )
        self._finish(op, [wanted] * count + given[count:], stated)
        if axes and stays:
            self.partial[op.results[0]] = (combination, axes)
        return True

    def _product(self, op, wanted, axes, stated):
        self._finish(op, wanted, stated)
        if axes:
            self.partial[op.results[0]] = ("add", axes)
        return True

    @staticmethod
    def _same_depth(left, right, stated):
        """The axes that divide what is summed over, if they divide both and nothing else."""
        used = {axis[0] for one in stated for axis in one}
        is_same = left == right and not any(axis[0] in used for axes in left for axis in axes)
        return left if is_same else ((),) * len(left)

    def _do_dot_general(self, op, given, stated):
        numbers = hlo.DotDimensionNumbers(op.attributes["dot_dimension_numbers"])
        batches = [list(numbers.lhs_batching_dimensions), list(numbers.rhs_batching_dimensions)]
        depths = [list(numbers.lhs_contracting_dimensions), list(numbers.rhs_contracting_dimensions)]
        depth = self._same_depth(*(tuple(given[i][d] for d in depths[i]) for i in (0, 1)), stated[0])
        rest, wanted = list(stated[0][len(batches[0]) :]), []
        for i in (0, 1):
            side = [None] * len(given[i])
            for axes, d in zip(stated[0], batches[i]):
                side[d] = axes
            for axes, d in zip(depth, depths[i]):
                side[d] = axes
            wanted.append(tuple(rest.pop(0) if one is None else one for one in side))
        return self._product(op, wanted, tuple(itertools.chain.from_iterable(depth)), stated)

    def _do_convolution(self, op, given, stated):
        numbers = hlo.ConvDimensionNumbers(op.attributes["dimension_numbers"])
        groups = ir.IntegerAttr(op.attributes["feature_group_count"]).value
        batch = stated[0][numbers.output_batch_dimension]
        features = stated[0][numbers.output_feature_dimension]
        if any(stated[0][d] for d in numbers.output_spatial_dimensions):
            return False
        if ir.IntegerAttr(op.attributes["batch_group_count"]).value != 1 or (groups != 1 and features):
            return False
        depth = ((),)
        if groups == 1:
            left = (given[0][numbers.input_feature_dimension],)
            depth = self._same_depth(left, (given[1][numbers.kernel_input_feature_dimension],), stated[0])
        x, w = [()] * len(given[0]), [()] * len(given[1])
        x[numbers.input_batch_dimension], x[numbers.input_feature_dimension] = batch, depth[0]
        w[numbers.kernel_input_feature_dimension], w[numbers.kernel_output_feature_dimension] = depth[0], features
        return self._product(op, [tuple(x), tuple(w)], depth[0], stated)

    def _resize(self, op, name, sizes):
        op.attributes[name] = ir.DenseI64ArrayAttr.get(sizes)

    def _do_slice(self, op, given, stated):
        names = ("start_indices", "limit_indices", "strides")
        starts, limits, strides = (integers(op.attributes[name]) for name in names)
        for d, size in enumerate(self._global(op.operands[0])):
            if stated[0][d] and (starts[d], limits[d], strides[d]) != (0, size, 1):
                return False
            limits[d] //= size_of(stated[0][d])
        self._resize(op, "limit_indices", limits)
        return self._finish(op, [stated[0]], stated)

    def _do_pad(self, op, given, stated):
        names = ("edge_padding_low", "edge_padding_high", "interior_padding")
        paddings = list(zip(*(integers(op.attributes[name]) for name in names)))
        if any(axes and any(paddings[d]) for d, axes in enumerate(stated[0])):
            return False
        return self._finish(op, [stated[0], ()], stated)

    def _do_concatenate(self, op, given, stated):
        if stated[0][ir.IntegerAttr(op.attributes["dimension"]).value]:
            return False
        return self._finish(op, [stated[0]] * len(given), stated)

    def _do_reverse(self, op, given, stated):
        if any(stated[0][d] for d in integers(op.attributes["dimensions"])):
            return False
        return self._finish(op, [stated[0]], stated)

    def _do_sort(self, op, given, stated):
        d = ir.IntegerAttr(op.attributes["dimension"]).value
        if any(one[d] for one in stated):
            return False
        return self._finish(op, stated, stated)

    def _do_dynamic_slice(self, op, given, stated):
        sizes = integers(op.attributes["slice_sizes"])
        if any(axes and size != all_ for axes, size, all_ in zip(stated[0], sizes, self._global(op.operands[0]))):
            return False
        self._resize(op, "slice_sizes", [size // size_of(axes) for size, axes in zip(sizes, stated[0])])
        return self._finish(op, [stated[0]] + given[1:], stated)

    def _do_dynamic_update_slice(self, op, given, stated):
        whole, part = self._global(op.operands[0]), self._global(op.operands[1])
        if any(axes and size != all_ for axes, size, all_ in zip(stated[0], part, whole)):
            return False
        return self._finish(op, [stated[0]] * 2 + given[2:], stated)

    def _windows(self, op, given, stated, operands):
        sizes = integers(op.attributes["window_dimensions"])
        strides = integers(op.attributes["window_strides"]) if "window_strides" in op.attributes else [1] * len(sizes)
        if any(axes and (size != 1 or stride != 1) for axes, size, stride in zip(stated[0], sizes, strides)):
            return False
        return self._finish(op, [stated[0]] * operands + given[operands:], stated)

    def _do_reduce_window(self, op, given, stated):
        return len(stated) == 1 and self._windows(op, given, stated, 1)

    def _do_select_and_scatter(self, op, given, stated):
        return self._windows(op, given, stated, 2)

    def _do_gather(self, op, given, stated):
        """Of parts: the numbers of rows, and what is taken whole of each row."""
        numbers = hlo.GatherDimensionNumbers(op.attributes["dimension_numbers"])
        sizes, whole = integers(op.attributes["slice_sizes"]), self._global(op.operands[0])
        batching, gone = list(numbers.operand_batching_dims), list(numbers.collapsed_slice_dims)
        offsets = list(numbers.offset_dims)
        rows = [d for d in range(len(stated[0])) if d not in offsets]
        vector = numbers.index_vector_dim
        places = [d for d in range(len(given[1])) if d != vector]
        wanted = [()] * len(given[0]), [()] * len(given[1])
        for d, place in zip(rows, places):
            wanted[1][place] = stated[0][d]
        kept = [d for d in range(len(given[0])) if d not in batching + gone]
        for d, source in zip(offsets, kept):
            if stated[0][d] and sizes[source] != whole[source]:
                return False
            wanted[0][source] = stated[0][d]
            sizes[source] //= size_of(stated[0][d])
        for source, place in zip(batching, numbers.start_indices_batching_dims):
            wanted[0][source] = wanted[1][place]
        self._resize(op, "slice_sizes", sizes)
        return self._finish(op, [tuple(one) for one in wanted], stated)

    def _do_scatter(self, op, given, stated):
        """Of parts: rows of a batch; or updates, whose sums over the devices follow."""
        if len(stated) > 1:
            return False
        numbers = hlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
        batching = list(numbers.input_batching_dims)
        windows = list(numbers.update_window_dims)
        rows = [d for d in range(len(given[2])) if d not in windows]
        places = [d for d in range(len(given[1])) if d != numbers.index_vector_dim]
        inside = [d for d in range(len(given[0])) if d not in batching + list(numbers.inserted_window_dims)]
        whole, part = self._global(op.operands[0]), self._global(op.operands[2])
        indices, updates = [()] * len(given[1]), [()] * len(given[2])
        for d, target in zip(windows, inside):
            if stated[0][target] and whole[target] != part[d]:
                return False
            updates[d] = stated[0][target]
        if any(stated[0][d] for d in numbers.inserted_window_dims):
            return False
        for target, place in zip(batching, numbers.scatter_indices_batching_dims):
            indices[place] = stated[0][target]
        axes = ()
        combination = self._body(op)
        used = {axis[0] for one in stated[0] for axis in one}
        for d, place in zip(rows, places):
            if place in numbers.scatter_indices_batching_dims:
                updates[d] = indices[place]
            elif given[2][d] and combination == "add" and self._is_zero(op.operands[0]):
                if not any(axis[0] in used for axis in given[2][d]):
                    updates[d] = indices[place] = given[2][d]
                    axes += given[2][d]
        return self._product(op, [stated[0], tuple(indices), tuple(updates)], axes, stated)

    def _is_zero(self, value):
        op = value.owner
        while isinstance(op, (ir.Operation, ir.OpView)) and op.operation.name == "stablehlo.broadcast_in_dim":
            value = op.operation.operands[0]
            op = value.owner
        return self._is_neutral(value, "add")
