"""JAX programs of several devices on cores of the platform `systole`, beside JAX's CPU with eight devices."""

import functools
import unittest

import numpy as np

from test_pjrt import BF16_TOLERANCE, CPU_TOLERANCE, run

EIGHT = {"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}

TRAIN = """
    import functools, json, os
    import jax, jax.numpy as jnp, numpy as np
    from jax.sharding import NamedSharding, PartitionSpec as P

    cores, way = int(os.environ["CORES"]), os.environ["WAY"]
    mesh = jax.make_mesh((cores,), ("batch",), axis_types=(jax.sharding.AxisType.Auto,), devices=jax.devices()[:cores])

    def loss_of(params, x, y, key=None):
        hidden = jax.nn.relu(x @ params["w1"] + params["b1"])
        if key is not None:
            hidden = jnp.where(jax.random.bernoulli(key, 0.8, hidden.shape), hidden / 0.8, 0)
        logits = hidden @ params["w2"]
        picked = jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], axis=1)
        return -picked.mean(), (logits.argmax(-1) == y).mean()

    def update(params, gradients):
        return jax.tree.map(lambda p, d: p - 0.3 * d, params, gradients)

    @functools.partial(jax.jit, donate_argnums=0)
    def by_shardings(params, x, y, key):
        (loss, accuracy), gradients = jax.value_and_grad(loss_of, has_aux=True)(params, x, y, key)
        return loss, accuracy, update(params, gradients)

    @functools.partial(jax.jit, donate_argnums=0)
    @functools.partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("batch"), P("batch"), P()), out_specs=P(),
                       check_vma=False)
    def by_shard_map(params, x, y, key):
        (loss, accuracy), gradients = jax.value_and_grad(loss_of, has_aux=True)(params, x, y)
        loss, gradients = jax.lax.pmean((loss, gradients), "batch")
        return loss, jax.lax.psum(accuracy, "batch") / cores, update(params, gradients)

    @functools.partial(jax.pmap, axis_name="batch", in_axes=(None, 0, 0), out_axes=None, devices=jax.devices()[:cores])
    def by_pmap(params, x, y):
        (loss, accuracy), gradients = jax.value_and_grad(loss_of, has_aux=True)(params, x, y)
        loss, accuracy, gradients = jax.lax.pmean((loss, accuracy, gradients), "batch")
        return loss, accuracy, update(params, gradients)

    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((48, 8)).astype(np.float32), (np.arange(48) % 3).astype(np.int32)
    k1, k2 = jax.random.split(jax.random.key(0))
    params = {"w1": 0.3 * jax.random.normal(k1, (8, 12)), "b1": jnp.zeros(12), "w2": 0.3 * jax.random.normal(k2, (12, 3))}
    if way != "pmap":
        params = jax.device_put(params, NamedSharding(mesh, P()))
        x, y = jax.device_put((x, y), NamedSharding(mesh, P("batch")))
    losses, clocks = [], []
    for i in range(4):
        given = params
        if way == "pmap":
            loss, accuracy, params = by_pmap(params, x.reshape(cores, -1, 8), y.reshape(cores, -1))
        else:
            step = by_shardings if way == "shardings" else by_shard_map
            loss, accuracy, params = step(params, x, y, jax.random.key(i))
            assert all(one.is_deleted() for one in jax.tree.leaves(given)), "donated"
            assert params["w1"].sharding == NamedSharding(mesh, P()), params["w1"].sharding
        losses += [float(loss), float(accuracy)]
        if os.environ.get("SYSTOLE_DEVICE"):
            import systole
            done = systole.last_step()
            assert done.on_host == "", done
            clocks.append([done.clocks, done.products, done.macs])
    sums = [np.asarray(one, np.float64).sum() for one in jax.tree.leaves(params)]
    print(json.dumps([losses, sums, clocks]))
"""


@functools.cache
def train(way, cores, device=None):
    return run(TRAIN, device and f"{device}:8", CORES=str(cores), WAY=way, **({} if device else EIGHT))


class Training(unittest.TestCase):
    def test_losses_on_cpu_are_jaxs(self):
        for way in ("shardings", "shard_map", "pmap"):
            for cores in (2, 4, 8):
                with self.subTest(way=way, cores=cores):
                    ours, jaxs = train(way, cores, "cpu"), train(way, cores)
                    np.testing.assert_allclose(ours[0], jaxs[0], rtol=CPU_TOLERANCE)
                    np.testing.assert_allclose(ours[1], jaxs[1], rtol=1e-5, atol=1e-6)

    def test_losses_on_model_differ_by_bf16_and_steps_run_whole(self):
        for way in ("shardings", "shard_map"):
            for cores in (2, 4, 8):
                with self.subTest(way=way, cores=cores):
                    losses, _, clocks = train(way, cores, "model")
                    np.testing.assert_allclose(losses, train(way, cores)[0], rtol=BF16_TOLERANCE)
                    self.assertEqual(clocks[-1][1:], [5 * cores, 48 * (8 * 12 * 2 + 12 * 3 * 3)])

    def test_model_and_rtl_agree_in_every_bit_and_clock(self):
        self.assertEqual(train("shard_map", 2, "model"), train("shard_map", 2, "rtl"))

    def test_cores_are_faster_than_one(self):
        self.assertLess(train("shardings", 4, "model")[2][-1][0], train("shardings", 2, "model")[2][-1][0])


# Each function of arrays with shardings, on 8 devices: results, and where they lie.
FUNCTIONS = """
    import json, jax, jax.numpy as jnp, numpy as np
    from jax import lax
    from jax.sharding import NamedSharding, PartitionSpec as P
    def mesh_of(shape, names):
        return jax.make_mesh(shape, names, axis_types=(jax.sharding.AxisType.Auto,) * len(names), devices=jax.devices()[:8])
    line, grid = mesh_of((8,), ("b",)), mesh_of((2, 4), ("x", "y"))
    def put(x, *spec, mesh=line):
        return jax.device_put(x, NamedSharding(mesh, P(*spec)))
    rng = np.random.default_rng(1)
    a, w = rng.standard_normal((16, 8)).astype(np.float32), rng.standard_normal((8, 24)).astype(np.float32)
    i = rng.integers(0, 16, 32).astype(np.int32)
    images, kernel = (rng.standard_normal(s).astype(np.float32) for s in ((8, 6, 6, 3), (3, 3, 3, 8)))
    rows, columns = put(a, "b"), put(a, None, "b")
    def convolve(x, k, strides=(1, 1)):
        return lax.conv_general_dilated(x, k, strides, "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    def pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    def manual(f, ins, outs, *args, mesh=line):
        return jax.jit(jax.shard_map(f, mesh=mesh, in_specs=ins, out_specs=outs, check_vma=False))(*args)
    results = {}
    def add(name, value):
        results[name] = [[np.asarray(one, np.float64).ravel().tolist(), str(one.sharding.spec)] for one in jax.tree.leaves(value)]
    BODY
    print(json.dumps(results))
"""

PRODUCTS_AND_SUMS = """
    for name, f, *args in (
        ("sum", lambda a: (a + a, a.sum(), a.sum(0), a.max(), a.min(0), a.prod(1), (a > 0).any(), (a > 0).all(0)), rows),
        ("integers", lambda i: (i.sum(), i.max(), i.min(), i * 2, jnp.cumsum(i)), put(i, "b")),
        ("other rows", lambda a, b: a + b, rows, columns),
        ("whole array", lambda a, b: a + b, rows, a),
        ("rows", jnp.matmul, rows, put(w)),
        ("depth", jnp.matmul, columns, put(w, "b")),
        ("columns", jnp.matmul, put(a), put(w, None, "b")),
        ("grid", jnp.matmul, put(a, "x", "y", mesh=grid), put(w, "y", mesh=grid)),
        ("all pairs", lambda a: a.T @ a, rows),
        ("argmax", lambda a: (a.argmax(), a.argmax(0), a.argmax(1), a.argmin(0)), rows),
        ("softmax", lambda a: (jax.nn.softmax(a, axis=0), jax.nn.softmax(a)), rows),
        ("convolution", convolve, put(images, "b"), put(kernel)),
        ("its gradients", lambda x, k: jax.grad(lambda x, k: (convolve(x, k, (2, 2)) ** 2).mean(), (0, 1))(x, k),
         put(images, "b"), put(kernel, None, None, None, "b")),
        ("pooling", lambda x: (pool(x), jax.grad(lambda x: (pool(x) ** 2).sum())(x)), put(images, "b")),
        ("gelu", lambda a: jax.nn.gelu(a, approximate=False), rows),
    ):
        add(name, jax.jit(f)(*args))
"""

MOVES = """
    for name, f, *args in (
        ("reshape", lambda a: (a.reshape(-1), a.reshape(4, 4, 8), a.reshape(16, 2, 4), a.reshape(2, 8, 8)), rows),
        ("columns", lambda a: (a.reshape(-1), a.reshape(32, 4), a.T), columns),
        ("slices", lambda a: (a[:4], a[:, 1:3], a[3], a[::2], a[:, 0]), rows),
        ("concatenated", lambda a, b: (jnp.concatenate([a, b]), jnp.concatenate([a, b], 1)), rows, rows),
        ("padded", lambda a: (jnp.pad(a, ((1, 2), (0, 1))), jnp.pad(a, ((0, 0), (1, 1)))), rows),
        ("turned", lambda a: (a[::-1], a[:, ::-1], jnp.roll(a, 3, 0)), rows),
        ("rows of a table", lambda t, i: t[i], put(a), put(i, "b")),
        ("a table's parts", lambda t, i: t[i], rows, put(i)),
        ("its columns", lambda t, i: t[i], columns, put(i)),
        ("one of each row", lambda a, i: jnp.take_along_axis(a, i[:16, None] % 8, axis=1), rows, put(i, "b")),
        ("counts", lambda i: jnp.zeros(16).at[i].add(1.0), put(i, "b")),
        ("added to parts", lambda a, i: a.at[i].add(1.0), rows, put(i)),
        ("added to a whole", lambda a, i: a.at[i].add(1.0), put(a), put(i, "b")),
        ("embedding", lambda t, i: jax.grad(lambda t: (t[i] ** 2).sum())(t), put(a), put(i, "b")),
        ("sorted", lambda a: (jnp.sort(a, 0), jnp.sort(a, 1), jnp.argsort(a, 1)), rows),
        ("scan over parts", lambda a: lax.scan(lambda c, x: (c * 0.5 + x, c.sum()), jnp.zeros(8), a), rows),
        ("scan", lambda a, w: lax.scan(lambda h, _: (jnp.tanh(h @ w), h.sum(1)), a, None, length=3), rows, put(0.3 * a[:8])),
        ("counted loop", lambda a: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 2), (0, a)), rows),
        ("random", lambda a: (jax.random.normal(jax.random.key(0), a.shape) + a, jax.random.permutation(jax.random.key(1), 16)), rows),
        ("dropout", lambda a: jnp.where(jax.random.bernoulli(jax.random.key(3), 0.5, a.shape), a, 0), rows),
        ("counting", lambda a: (jnp.arange(16)[:, None] + a, jnp.arange(16, dtype=jnp.int32) * i[:16], jnp.eye(16, 8) + a), rows),
        ("one of many", lambda i: jax.nn.one_hot(i, 5), put(i % 5, "b")),
        ("constraint", lambda a: lax.with_sharding_constraint(a * 2, NamedSharding(line, P(None, "b"))) + 1, rows),
    ):
        add(name, jax.jit(f)(*args))
    add("out_shardings", jax.jit(lambda a: a * 2, out_shardings=NamedSharding(line, P(None, "b")))(rows))
    add("device_put", [put(rows, None, "b"), put(put(a, "x", "y", mesh=grid), "y", "x", mesh=grid), put(put(a), "b")])
    add("one by one", (rows * 2 + 1).sum(0))
"""

COLLECTIVES = """
    b, every = P("b"), P()
    add("sums", manual(lambda a: (lax.psum(a, "b"), lax.pmean(a, "b"), lax.pmax(a, "b"), lax.pmin(a, "b")), b, every, a))
    add("gathered", manual(lambda a: (lax.all_gather(a, "b"), lax.all_gather(a, "b", axis=1, tiled=True)), b, every, a))
    add("parts of a sum", manual(lambda a: lax.psum_scatter(a, "b", scatter_dimension=1, tiled=True), b, b, a))
    add("exchanged", manual(lambda a: lax.all_to_all(a, "b", 1, 0, tiled=True), b, P(None, "b"), a))
    add("passed on", manual(lambda a: (lax.ppermute(a, "b", [(d, (d + 1) % 8) for d in range(8)]),
                                       lax.ppermute(a, "b", [(0, 1), (1, 2)])), b, b, a))
    add("numbered", manual(lambda a: a + lax.axis_index("b"), b, b, a))
    add("of a grid", manual(lambda a: (lax.psum(a, "x"), lax.psum(a, "y"), lax.psum(a, ("x", "y")), lax.axis_index("y") + a * 0),
                            P("x", "y"), (P(None, "y"), P("x"), P(), P("x", "y")), a, mesh=grid))
    add("integers", manual(lambda i: (lax.psum(i, "b"), lax.pmax(i, "b"), lax.psum(i > 7, "b"), lax.all_gather(i > 7, "b", tiled=True)),
                           b, every, i))
    add("gradient", manual(lambda a: jax.grad(lambda a: lax.psum((a ** 2).sum(), "b"))(a), b, b, a))
    add("needed on one core", manual(lambda a: jnp.where(lax.axis_index("b") == 0, lax.psum(a, "b"), a), b, b, a))
    add("in a loop", manual(lambda a: lax.scan(lambda c, _: (lax.psum(c, "b") * 0.1, c.sum()), a, None, length=3), b, (b, every), a))
    add("beside shardings", jax.jit(lambda a: jax.shard_map(lambda a: lax.psum(a, "b"), mesh=line, in_specs=b, out_specs=every,
                                                            check_vma=False)(a * 2).sum() + a)(rows))
    add("pmap", jax.pmap(lambda a: (lax.psum(a, "d"), lax.axis_index("d"), a * 2), axis_name="d", devices=jax.devices()[:8])(
        a.reshape(8, 2, 8)))
"""


class Functions(unittest.TestCase):
    def compare(self, body, device, tolerance):
        program = FUNCTIONS.replace("    BODY\n", body)
        ours, jaxs = run(program, device), run(program, **EIGHT)
        self.assertEqual(list(ours), list(jaxs))
        for name, values in ours.items():
            for ours_, jaxs_ in zip(values, jaxs[name], strict=True):
                with self.subTest(name=name, device=device):
                    self.assertEqual(ours_[1], jaxs_[1])
                    np.testing.assert_allclose(ours_[0], jaxs_[0], rtol=tolerance, atol=tolerance)

    def test_products_and_sums_are_jaxs(self):
        self.compare(PRODUCTS_AND_SUMS, "cpu:8", 2e-5)
        self.compare(PRODUCTS_AND_SUMS, "model:8", 2.0**-5)

    def test_what_is_moved_is_jaxs(self):
        self.compare(MOVES, "cpu:8", 2e-5)
        self.compare(MOVES, "model:8", 2.0**-6)

    def test_collectives_are_jaxs(self):
        self.compare(COLLECTIVES, "cpu:8", 2e-5)
        self.compare(COLLECTIVES, "model:8", 2e-5)

    def test_sums_of_which_only_the_sign_is_needed_are_jaxs(self):
        program = """
            import json, os, jax, jax.numpy as jnp, numpy as np
            from jax.sharding import NamedSharding, PartitionSpec as P
            mesh = jax.make_mesh((2,), ("b",), axis_types=(jax.sharding.AxisType.Auto,), devices=jax.devices()[:2])
            x = np.arange(24, dtype=np.float32).reshape(4, 6) - np.array([3, 9, 15, 9, 8, 21], np.float32)
            x = jax.device_put(x, NamedSharding(mesh, P("b")))
            values, clocks = [], []
            for f in (lambda x: x.sum() > 0, lambda x: x.sum(0) <= 0, lambda x: jnp.where(-x.sum(0) > 0, 1.0, x),
                      jax.shard_map(lambda x: jax.lax.psum(x, "b") == 0, mesh=mesh, in_specs=P("b"), out_specs=P())):
                values.append(np.asarray(jax.jit(f)(x), np.float64).tolist())
                if os.environ.get("SYSTOLE_DEVICE"):
                    import systole
                    assert systole.last_step().on_host == "", systole.last_step()
                    clocks.append(systole.last_step().clocks)
            print(json.dumps([values, clocks]))
        """
        on_model = run(program, "model:2")
        self.assertEqual(on_model[0], run(program, **EIGHT)[0])
        self.assertEqual(on_model, run(program, "rtl:2"))

    def test_what_the_cores_lack_is_the_hosts_between_their_sums(self):
        program = """
            import json, jax, jax.numpy as jnp, numpy as np, systole
            random = np.random.default_rng(0)
            x, w = np.float32(random.integers(-2, 3, (2, 6, 4))), np.float32(random.integers(-2, 3, (4, 4)))
            def f(x, w):
                y = jnp.fmod(jax.lax.psum(x @ w, "i"), 5)
                return jax.lax.psum(y @ w, "i"), jnp.fmod(y, 3) @ w
            values = jax.pmap(f, axis_name="i", in_axes=(0, None), devices=jax.devices()[:2])(x, w)
            values = [np.asarray(one).tolist() for one in values]  # before the last step is asked for
            done = systole.last_step()
            print(json.dumps([values, done and [done.clocks, done.products, done.on_host]]))
        """
        on_model = run(program, "model:2")
        self.assertEqual(on_model[0], run(program, **EIGHT)[0])
        self.assertIn("on the host: remainder, 1 unit beside 2 programs of the device", on_model[1][2])
        self.assertEqual(on_model, run(program, "rtl:2"))


class Refusals(unittest.TestCase):
    def refusal(self, lines, device="cpu:2"):
        program = f"""
            import json, jax, jax.numpy as jnp, numpy as np
            from jax.sharding import NamedSharding, PartitionSpec as P
            mesh = jax.make_mesh((2,), ("b",), axis_types=(jax.sharding.AxisType.Auto,))
            try:
                {lines}
                print(json.dumps("it runs"))
            except Exception as error:
                print(json.dumps(str(error)))
        """
        return run(program, device)

    def test_a_sum_in_a_loop_that_depends_on_data_is_refused(self):
        loop = 'jax.lax.while_loop(lambda x: x.sum() < 9, lambda x: x + jax.lax.psum(x, "b"), x)'
        line = f'jax.jit(jax.shard_map(lambda x: {loop}, mesh=mesh, in_specs=P("b"), out_specs=P("b"), check_vma=False))(jnp.ones(2))'
        self.assertIn("all_reduce in a loop whose number of iterations depends on data", self.refusal(line))

    def test_types_and_operations_are_refused_as_on_one_device(self):
        put = 'jax.device_put(np.eye(4, dtype=np.float32), NamedSharding(mesh, P("b")))'
        self.assertIn("cholesky is not supported", self.refusal(f"jax.jit(jnp.linalg.cholesky)({put})"))
        self.assertIn("f16 is not supported", self.refusal(f"jax.jit(lambda x: x.astype(jnp.float16) + 1)({put})"))

    def test_more_devices_than_cores_are_refused(self):
        self.assertIn("2", self.refusal("jax.make_mesh((4,), ('b',))"))


if __name__ == "__main__":
    unittest.main()
