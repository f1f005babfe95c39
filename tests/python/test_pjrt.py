"""JAX's platform `systole`: unchanged programs on the cores, in processes of their own (programs.py)."""

import functools
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import programs

CPU_TOLERANCE = 1e-6  # of losses: fp32, in another order of sums
BF16_TOLERANCE = 2.0**-6  # one rounding of an operand is half of 2^-8; losses are sums of many


def run(program, device=None, fresh=False, **environment):
    """The last line that a program prints, as JSON, on JAX's CPU or on a device."""
    platforms = "systole,cpu" if device else "cpu"
    environment = {**os.environ, "JAX_PLATFORMS": platforms, "SYSTOLE_ARRAY_SIZE": "4", **environment}
    if device:
        environment["SYSTOLE_DEVICE"] = device
    else:
        environment.pop("SYSTOLE_DEVICE", None)
    return json.loads(programs.run(program, environment, fresh).splitlines()[-1])


TRAIN = """
    import functools, json, os
    import jax, jax.numpy as jnp

    def scores(params, x):
        return jax.nn.relu(x @ params["w1"] + params["b1"]) @ params["w2"]

    @functools.partial(jax.jit, donate_argnums=0)
    def train_step(params, x, labels):
        def loss(params):
            logits = scores(params, x)
            picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
            return -picked.mean(), (logits.argmax(-1) == labels).mean()
        (loss, accuracy), gradients = jax.value_and_grad(loss, has_aux=True)(params)
        return loss, accuracy, jax.tree.map(lambda p, d: p - 0.3 * d, params, gradients)

    k1, k2, k3 = jax.random.split(jax.random.key(0), 3)
    labels = jnp.arange(48) % 3
    x = jax.random.normal(k1, (48, 8)) + 2 * jax.nn.one_hot(labels, 8)
    params = {"w1": 0.3 * jax.random.normal(k2, (8, 12)), "b1": jnp.zeros(12),
              "w2": 0.3 * jax.random.normal(k3, (12, 3))}
    losses, clocks = [], []
    for _ in range(4):
        given = params
        loss, accuracy, params = train_step(params, x, labels)
        assert all(one.is_deleted() for one in jax.tree.leaves(given)), "donated"
        losses += [float(loss), float(accuracy)]
        if os.environ.get("SYSTOLE_DEVICE"):
            import systole
            step = systole.last_step()
            assert step.device == os.environ["SYSTOLE_DEVICE"], step
            assert step.on_host == "", step
            clocks.append([step.clocks, step.products, step.macs])
    print(json.dumps([losses, [float(p.sum()) for p in jax.tree.leaves(params)], clocks]))
"""


# A transformer's step with rotary positions and an encoding of times, which are data and large.
ROTARY = """
    import functools, json, os
    import jax, jax.numpy as jnp, numpy as np

    D, H, T, B, V = 16, 2, 8, 2, 11
    SLOW, SLOWER = np.float32(1 / 100 ** np.linspace(0, 1, 4)), np.float32(np.exp(-0.7 * np.arange(8)))

    def turned(x, times):
        angle = times[:, :, None, None] * SLOW
        a, b = jnp.split(x, 2, -1)
        return jnp.concatenate([a * jnp.cos(angle) - b * jnp.sin(angle), a * jnp.sin(angle) + b * jnp.cos(angle)], -1)

    def scores(p, tokens, times):
        angle = times[:, :, None] * SLOWER
        x = p["embed"][tokens] + jnp.concatenate([jnp.sin(angle), jnp.cos(angle)], -1)
        q, k, v = [(x @ p[name]).reshape(B, T, H, D // H) for name in "qkv"]
        s = jnp.einsum("bthd,bshd->bhts", turned(q, times), turned(k, times)) / np.sqrt(D // H)
        s = jnp.where(jnp.tril(jnp.ones((T, T), bool)), s, -1e9)
        x = x + jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(s), v).reshape(B, T, D) @ p["o"]
        hidden = x @ p["up"]
        hidden = jax.nn.softplus(hidden) + jnp.sin(hidden) ** 2
        return (x + hidden @ p["down"]) @ p["embed"].T

    @functools.partial(jax.jit, donate_argnums=0)
    def step(p, tokens, times, labels):
        def loss(p):
            return -jnp.take_along_axis(jax.nn.log_softmax(scores(p, tokens, times)), labels[..., None], -1).mean()
        value, slopes = jax.value_and_grad(loss)(p)
        return value, jax.tree.map(lambda a, b: a - 0.05 * b, p, slopes)

    random = np.random.default_rng(0)
    shapes = {"embed": (V, D), "q": (D, D), "k": (D, D), "v": (D, D), "o": (D, D), "up": (D, 2 * D), "down": (2 * D, D)}
    p = {name: jnp.asarray(0.2 * random.standard_normal(shape), jnp.float32) for name, shape in shapes.items()}
    tokens = random.integers(0, V, (B, T))
    times = np.float32(np.cumsum(random.uniform(0.1, 2, (B, T)), 1) + 1e6 * np.arange(B)[:, None])
    losses, steps = [], []
    for _ in range(4):
        value, p = step(p, tokens, times, (tokens * 3 + 1) % V)
        losses.append(float(value))
        if os.environ.get("SYSTOLE_DEVICE"):
            import systole
            done = systole.last_step()
            steps.append([done.clocks, done.products, done.on_host])
    print(json.dumps([losses, steps]))
"""

# Angles and cube roots, which the device lacks, between products, of parameters that both sides read.
BESIDE_HOST = """
    import functools, json, os
    import jax, jax.numpy as jnp, numpy as np

    @functools.partial(jax.jit, donate_argnums=0)
    def step(p, x, y):
        def loss(p):
            hidden = x @ p["w1"] + p["b1"]
            hidden = jnp.arctan2(hidden, 1.0 + p["b1"] ** 2) + 0.1 * jnp.cbrt(hidden)
            return ((hidden @ p["w2"] - y) ** 2).mean()
        value, slopes = jax.value_and_grad(loss)(p)
        return value, jax.tree.map(lambda a, b: a - 0.03 * b, p, slopes)

    random = np.random.default_rng(0)
    normal = lambda *shape: jnp.asarray(random.standard_normal(shape), jnp.float32)
    x, y, p = normal(24, 8), normal(24, 3), {"w1": 0.3 * normal(8, 12), "b1": jnp.full(12, 0.1), "w2": 0.3 * normal(12, 3)}
    losses, steps = [], []
    for _ in range(4):
        value, p = step(p, x, y)
        losses.append(float(value))
        if os.environ.get("SYSTOLE_DEVICE"):
            import systole
            done = systole.last_step()
            steps.append([done.clocks, done.products, done.macs, done.on_host])
    print(json.dumps([losses, [float(one.sum()) for one in jax.tree.leaves(p)], steps]))
"""


@functools.cache
def train(device=None):
    return run(TRAIN, device, fresh=True)


class Training(unittest.TestCase):
    def test_a_step_with_sines_of_data_runs_whole(self):
        jaxs, on_cpu = run(ROTARY), run(ROTARY, "cpu")
        on_model = run(ROTARY, "model", SYSTOLE_WHOLE="1")
        np.testing.assert_allclose(on_cpu[0], jaxs[0], rtol=1e-5)
        np.testing.assert_allclose(on_model[0], jaxs[0], rtol=BF16_TOLERANCE)
        self.assertLess(jaxs[0][-1], jaxs[0][0])
        self.assertEqual([step[2] for step in on_model[1]], [""] * 4)
        self.assertEqual(on_model, run(ROTARY, "rtl"))

    def test_what_the_device_lacks_is_the_hosts_between_programs_of_a_step(self):
        jaxs, on_model = run(BESIDE_HOST), run(BESIDE_HOST, "model")
        np.testing.assert_allclose(on_model[0], jaxs[0], rtol=BF16_TOLERANCE)
        np.testing.assert_allclose(on_model[1], jaxs[1], rtol=BF16_TOLERANCE, atol=BF16_TOLERANCE)
        clocks, products, macs, on_host = on_model[2][-1]
        self.assertEqual((products, macs), (5, 24 * (8 * 12 * 2 + 12 * 3 * 3)))
        self.assertRegex(on_host, "program.py:8: atan2.*; on the host: atan2, cbrt, 1 unit beside 2 programs of the device$")
        self.assertEqual(on_model, run(BESIDE_HOST, "rtl"))
        with self.assertRaisesRegex(AssertionError, "atan2.*SYSTOLE_WHOLE leaves nothing to the host"):
            run(BESIDE_HOST, "model", SYSTOLE_WHOLE="1")

    def test_losses_on_cpu_are_jaxs(self):
        np.testing.assert_allclose(train("cpu")[0], train()[0], rtol=CPU_TOLERANCE)

    def test_losses_on_model_differ_by_bf16(self):
        np.testing.assert_allclose(train("model")[0], train()[0], rtol=BF16_TOLERANCE)

    def test_model_and_rtl_agree_in_every_bit_and_clock(self):
        self.assertEqual(train("model"), train("rtl"))

    def test_a_step_runs_whole_on_the_device(self):
        clocks = train("model")[2]
        self.assertEqual({tuple(step) for step in clocks}, {tuple(clocks[-1])})
        self.assertEqual(clocks[-1][1:], [5, 48 * (8 * 12 * 2 + 12 * 3 * 3)])


class Values(unittest.TestCase):
    def test_random_numbers_are_jaxs_bit_for_bit(self):
        program = """
            import json, jax
            keys = jax.random.split(jax.random.key(7), 3)
            print(json.dumps([jax.random.bits(keys[0], (5, 3)).tolist(),
                              jax.random.uniform(keys[1], (9,)).tolist(),
                              jax.random.bernoulli(keys[2], 0.3, (11,)).tolist()]))
        """
        self.assertEqual(run(program, "cpu"), run(program))

    def test_sorting_and_setting_are_jaxs(self):
        program = """
            import json, jax, jax.numpy as jnp, numpy as np
            rng = np.random.default_rng(1)
            x = rng.standard_normal((3, 13)).astype(np.float32)
            x[0, :4] = [np.nan, -0.0, 0.0, -np.inf]
            keys = rng.integers(0, 4, 37).astype(np.int32)
            values = np.arange(37, dtype=np.float32)
            results = [jnp.sort(x, axis=0), jnp.sort(x), jnp.argsort(keys), jnp.argsort(keys, descending=True),
                       *jax.lax.sort((keys, keys[::-1], values), num_keys=2), *jax.lax.top_k(x[1:], 3),
                       jax.random.permutation(jax.random.key(3), 20), jnp.sort(x[:, :1]), jnp.median(x[1]),
                       jnp.sort(x.astype(jnp.bfloat16), axis=1).astype(jnp.float32),
                       jnp.asarray(values).at[keys[:3] * 5].set(-1.0), jnp.asarray(x).at[1, 2].set(5.0),
                       jnp.isfinite(x), jnp.fmod(x, 0.7), jnp.remainder(keys, -3)]
            print(json.dumps([np.asarray(one, np.float64).astype(str).tolist() for one in results]))
        """
        on_cpu, on_model, jaxs = run(program, "cpu"), run(program, "model"), run(program)
        for i, wanted in enumerate(jaxs):
            self.assertEqual(on_cpu[i], wanted, i)
            self.assertEqual(on_model[i], wanted, i)

    def test_elements_along_an_axis_and_their_gradients_are_chosen_on_the_device(self):
        program = """
            import json, jax, jax.numpy as jnp, numpy as np
            rng, values = np.random.default_rng(0), []
            for shape, chosen, axis in (((1, 10), (1, 1), 1), ((1, 1), (1, 1), 1), ((1, 10), (1, 3), 1), ((4, 10), (4, 3), 1),
                                        ((10, 4), (1, 4), 0), ((10, 4), (3, 4), 0), ((10,), (1,), 0), ((10,), (3,), 0),
                                        ((4, 1, 10), (4, 1, 1), 2), ((1, 4, 10), (1, 4, 1), 2), ((2, 6, 3), (2, 2, 3), 1)):
                x, places = rng.integers(-9, 9, shape).astype(np.float32), rng.integers(0, shape[axis], chosen)
                f = lambda x, i: (jnp.take_along_axis(x, i, axis=axis) ** 2).sum()
                for one in (lambda x, i: jnp.take_along_axis(x, i, axis=axis), f, jax.grad(f)):
                    values.append(np.asarray(jax.jit(one)(x, places), np.float64).tolist())
            print(json.dumps(values))
        """
        jaxs = run(program)
        self.assertEqual(run(program, "model", SYSTOLE_WHOLE="1"), jaxs)
        self.assertEqual(run(program, "cpu"), jaxs)

    def test_functions_beside_a_product_are_jaxs(self):
        program = """
            import json, jax, jax.numpy as jnp, numpy as np, os
            x = np.float32([[0.0, -0.0, 0.3, -0.7], [1.5, -2.5, 3.1415927, 1e-4], [22.0, -710.0, 4096.0, 1e7],
                            [-3e9, 1e20, -3.4e38, 1e-30]])
            eye, results = jnp.eye(4, dtype=jnp.float32), []
            exact = [jnp.ceil, jnp.round, lambda x: jax.lax.round(x)]
            near = [jnp.sin, jnp.cos, lambda x: jnp.tan(jnp.minimum(abs(x), 1.5)), lambda x: jnp.log1p(abs(x)),
                    lambda x: jnp.log1p(-jnp.tanh(abs(x)) * 0.9), lambda x: jnp.expm1(jnp.clip(x, -99, 80)), jax.nn.elu,
                    lambda x: jax.lax.shift_right_arithmetic(jax.lax.shift_left(jnp.clip(x, -99, 99).astype(jnp.int32), 28), 25)]
            for one in exact + near:
                value, product = jax.jit(lambda x, eye: (one(x), eye @ eye))(x, eye)
                results.append(np.asarray(value, np.float64).ravel().tolist())
            print(json.dumps([results[:3], results[3:]]))
        """
        jaxs = run(program)
        exact, near = run(program, "model", SYSTOLE_WHOLE="1")
        self.assertEqual(exact, jaxs[0])
        np.testing.assert_allclose(near, jaxs[1], rtol=8 * 2.0**-23, atol=1e-30)

    def test_what_the_device_lacks_is_jaxs_beside_products(self):
        program = """
            import json, jax, jax.numpy as jnp, numpy as np, systole
            random = np.random.default_rng(1)
            x, w = np.float32(random.integers(-3, 4, (6, 4))), np.float32(random.integers(-2, 3, (4, 4)))
            def loop(x, w):  # with a product of its own
                y = jax.lax.while_loop(lambda y: jnp.sum(jnp.abs(y)) < 99, lambda y: 2 * y + jnp.sign(y @ w), x @ w + 1)
                return jnp.clip(y, -32, 32) @ w
            def places(x, w):
                y = x @ w
                i = jnp.argsort(y[:, 0])
                return y[i % 5, (i + 1) % 4] * 2, y
            def bits(x, w):
                y = (x @ w).astype(jnp.int32)
                return jax.lax.population_count(y), (y // 3).astype(jnp.float32) @ w, y > 0
            def twice(x, w):
                return jnp.fmod(jnp.fmod(x @ w, 7) @ w, 5)
            def truths(x, w):
                wins = jnp.fmod(x @ w, 3) > 0
                return jnp.where(wins, x @ w, 0) @ w, wins
            def first(x, w):
                return jnp.fmod(x, 2) @ w
            def rounded(x, w):
                return (jnp.fmod((x @ w).astype(jnp.bfloat16), 3) @ w.astype(jnp.bfloat16)).astype(jnp.float32)
            results, hosts = [], []
            for one in (loop, places, bits, twice, truths, first, rounded):
                results.append([np.asarray(y, np.float64).tolist() for y in jax.tree.leaves(jax.jit(one)(x, w))])
                done = systole.last_step()
                hosts.append(done and done.on_host)
            print(json.dumps([results, hosts]))
        """
        found, hosts = run(program, "model")
        self.assertEqual(found, run(program)[0])
        for host in hosts:
            self.assertIn("of the device", host)
        self.assertEqual(found, run(program, "model", SYSTOLE_ARRAY_SIZE="16")[0])

    def test_loops_whose_end_depends_on_data_are_jaxs(self):
        program = """
            import json, jax, jax.numpy as jnp, numpy as np
            def root(x):  # Newton's, until it stands
                def goes_on(state):
                    return jnp.any(jnp.abs(state[0] - state[1]) > 1e-6)
                return jax.lax.while_loop(goes_on, lambda state: (0.5 * (state[0] + x / state[0]), state[0]), (x, x + 1))[0]
            @jax.jit
            def product(w, x):  # a counted loop and a product within
                def body(state):
                    i, y = state
                    return i + 1, jax.lax.fori_loop(0, 2, lambda _, y: jnp.tanh(y @ w), y)
                return jax.lax.while_loop(lambda state: (state[0] < 5) & (jnp.sum(state[1]) < 3), body, (0, x))
            @jax.jit
            def between(w, x):  # what goes in and what comes out, of one shape and beside each other
                y = x - jnp.mean(x)
                return y * jax.lax.while_loop(lambda z: jnp.sum(z) < 9, lambda z: z + w * w, y)
            rng = np.random.default_rng(3)
            numbers = rng.integers(1, 1000, (2, 17)).astype(np.int32)
            key = jax.random.key(4)
            results = [root(jnp.asarray(rng.uniform(0.5, 9, (3, 5)), jnp.float32)), jnp.gcd(*numbers), jnp.lcm(*numbers),
                       jax.random.poisson(key, 3.0, (11,)),
                       jax.scipy.special.betainc(1.5, 2.5, jnp.linspace(0.1, 0.9, 5)),
                       *product(jnp.asarray(0.3 * rng.standard_normal((4, 4)), jnp.float32), jnp.ones((2, 4))),
                       between(*jnp.asarray(rng.standard_normal((2, 3, 4)), jnp.float32))]
            print(json.dumps([np.asarray(one, np.float64).ravel().tolist() for one in results]))
        """
        for device in ("cpu", "model"):
            for ours, jaxs in zip(run(program, device), run(program), strict=True):
                np.testing.assert_allclose(ours, jaxs, rtol=2e-6)

    def test_groups_and_functions_of_the_users_own_are_jaxs(self):
        program = """
            import json, jax, jax.numpy as jnp, numpy as np
            rng = np.random.default_rng(5)
            x = jnp.asarray(rng.standard_normal((2, 7, 6, 4)), jnp.float32)
            def convolve(x, w, groups):
                return jax.lax.conv_general_dilated(x, w, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                                    feature_group_count=groups)
            def both(groups, features):  # and the gradients, of groups of batches
                w = jnp.asarray(rng.standard_normal((3, 3, 4 // groups, features)), jnp.float32)
                value, gradients = jax.value_and_grad(lambda x, w: (convolve(x, w, groups) ** 2).sum(), (0, 1))(x, w)
                return [value, *gradients]
            def logadd(a, b):
                return jnp.logaddexp(a, b)
            def better(a, b):
                wins = a[0] * a[0] > b[0] * b[0]
                return jnp.where(wins, a[0], b[0]), jnp.where(wins, a[1], b[1])
            places = jnp.arange(x.size, dtype=jnp.int32).reshape(x.shape)
            results = [*both(2, 6), *both(4, 8),
                       jax.lax.reduce(x, -jnp.inf, logadd, (1, 3)),
                       *jax.lax.reduce((x, places), (np.float32(0), np.int32(-1)), better, (2, 1)),
                       jax.lax.reduce_window(x, -jnp.inf, logadd, (1, 3, 2, 1), (1, 2, 1, 1), "SAME"),
                       jax.lax.reduce(places, np.int32(0), jax.lax.bitwise_xor, (0, 1)),
                       jax.lax.reduce_max(x > 0.5, (1,)), jax.lax.reduce_min(x > -2, (2, 3)),
                       jnp.argmax(x > 0, 1), jnp.argmin(x > 0, 2),
                       jnp.arctan2(x[0], x[1]), jnp.cbrt(x), jnp.tan(x), jnp.arcsin(x[0] / 5),
                       jax.lax.population_count(places), jax.lax.clz(places), jnp.right_shift(-places, 2),
                       jax.lax.shift_right_logical(jnp.arange(-4, 4, dtype=jnp.int8), np.int8(1)),
                       jax.lax.reduce_precision(x, 8, 7)]
            print(json.dumps([np.asarray(one, np.float64).ravel().tolist() for one in results]))
        """
        for ours, jaxs in zip(run(program, "cpu"), run(program), strict=True):
            np.testing.assert_allclose(ours, jaxs, rtol=2e-5, atol=2e-5)

    def test_images_and_labels_of_uint8_are_those_of_jax(self):
        program = """
            import functools, json, jax, jax.numpy as jnp, numpy as np, systole
            random = np.random.default_rng(3)
            images = random.integers(0, 256, (8, 6, 6, 1), "uint8")
            labels = random.integers(0, 10, 8).astype("uint8")
            @functools.partial(jax.jit, donate_argnums=0)
            def step(weight, seen, images, labels):
                def loss(weight):
                    scores = (images.astype(jnp.float32) / 255).reshape(8, 36) @ weight
                    wanted = (labels[:, None] == jnp.arange(10, dtype=jnp.uint8)).astype(jnp.float32)
                    return -(jax.nn.log_softmax(scores) * wanted).sum() / 8, scores
                (value, scores), slope = jax.value_and_grad(loss, has_aux=True)(weight)
                right = (scores.argmax(-1).astype(jnp.uint8) == labels).sum()
                return weight - 0.1 * slope, seen + images[0, 0] * 3 - labels[0], value, right, jnp.where(images > 127, images, 0)
            weight, seen, losses = jnp.zeros((36, 10)), jnp.zeros((6, 1), jnp.uint8), []
            for _ in range(3):
                weight, seen, value, right, light = step(weight, seen, images, labels)
                losses.append(float(value))
            left = systole.last_step().on_host if jax.devices()[0].platform == "systole" else ""
            whole = [seen, light, (jnp.float32([-3, 2.7, 300])).astype(jnp.uint8), ~images[0], -labels, labels.sum(),
                     images[:, :, 0, 0] @ images[0, :, :, 0], jax.lax.dot(images[0, ..., 0], images[1, ..., 0], preferred_element_type=jnp.int32)]
            print(json.dumps([losses, [[str(one.dtype), one.tolist()] for one in whole], int(right), left]))
        """
        losses, *others = run(program)
        for device, tolerance in (("cpu", CPU_TOLERANCE), ("model", BF16_TOLERANCE)):
            result = run(program, device)
            np.testing.assert_allclose(result[0], losses, rtol=tolerance)
            self.assertEqual(result[1:], others)

    def test_orthogonal_matrices_are_jaxs(self):
        program = """
            import json, jax, jax.numpy as jnp, numpy as np
            q = jax.nn.initializers.orthogonal()(jax.random.key(1), (9, 5))
            batch = jax.random.normal(jax.random.key(2), (2, 4, 6))
            q2, r2 = jnp.linalg.qr(batch)
            print(json.dumps([one.ravel().tolist() for one in (q, q2, r2)]))
        """
        for ours, jaxs in zip(run(program, "cpu"), run(program)):
            np.testing.assert_allclose(ours, jaxs, atol=2e-6)

    def test_arrays_come_and_go_as_they_are(self):
        program = """
            import json, jax, jax.numpy as jnp, numpy as np
            x = np.arange(24, dtype=np.float32).reshape(4, 6)
            arrays = [x.T, x[::2, ::-3], np.broadcast_to(np.float32(2), (2, 3)), np.zeros((0, 3), np.float32),
                      np.int8([-3, 4]), np.array(True), np.uint32([2**32 - 1]), np.uint8([[7, 255]])]
            same = [bool((np.asarray(jnp.asarray(one)) == one).all()) for one in arrays]
            moved = jax.device_put(jax.device_put(x, jax.devices("cpu")[0]), jax.devices()[0]) + 1
            print(json.dumps([same, moved.tolist(), jnp.asarray(x.T)[1].tolist()]))
        """
        same, moved, row = run(program, "cpu")
        self.assertEqual(same, [True] * 8)
        self.assertEqual([same, moved, row], run(program))

    def test_an_argument_that_is_not_donated_keeps_its_value(self):
        program = """
            import json, jax, jax.numpy as jnp
            step = jax.jit(lambda a, b: (a + b, b), donate_argnums=1)
            a, b = jnp.ones(3), jnp.full(3, 2.0)
            kept = jnp.copy(b)
            for _ in range(3):
                b, other = step(a, b)
            print(json.dumps([a.tolist(), b.tolist(), other.tolist(), kept.tolist()]))
        """
        for device in ("cpu", "model"):
            self.assertEqual(run(program, device), [[1] * 3, [5] * 3, [4] * 3, [2] * 3])

    def test_a_result_that_stays_on_the_device_is_read_before_the_next_run(self):
        program = """
            import json, jax, jax.numpy as jnp
            step = jax.jit(lambda w, x: w - 0.5 * (x.T @ (x @ w)), donate_argnums=0)
            w, x = jnp.ones((4, 4)), jnp.eye(4)
            first = step(w, x)
            other = step(jnp.full((4, 4), 2.0), x)
            print(json.dumps([first.tolist(), other.tolist(), step(first, x).tolist()]))
        """
        self.assertEqual(run(program, "model"), [[[value] * 4] * 4 for value in (0.5, 1.0, 0.25)])

    def test_each_core_has_its_own_arrays(self):
        program = """
            import json, jax, jax.numpy as jnp
            arrays = [jax.device_put(jnp.ones((4, 4)), one) for one in jax.devices()]
            results = [(one @ one).devices().pop().id for one in arrays]
            print(json.dumps([len(jax.devices()), results, str(jax.devices()[1])]))
        """
        self.assertEqual(run(program, "model:3"), [3, [0, 1, 2], "systole:1"])


class Process(unittest.TestCase):
    def test_systole_device_alone_chooses_the_platform(self):
        program = "import json, jax; print(json.dumps(jax.devices()[0].platform))"
        for platforms, chosen in (("", "systole"), ("cpu", "cpu"), ("systole", "systole")):
            self.assertEqual(run(program, "cpu", fresh=True, JAX_PLATFORMS=platforms), chosen)

    def test_the_program_of_docs_python_learns(self):
        page = pathlib.Path(__file__).parents[2].joinpath("docs/python.md").read_text()
        program = page.split("```python\n")[1].split("```")[0]
        losses = 'print(f"{loss:.4f} '
        self.assertIn(losses, program)
        program = program.replace(losses, 'losses.append(float(loss)); ' + losses)
        losses = run(f"import json\nlosses = []\n{program}\nprint(json.dumps(losses))", "model")
        self.assertEqual(len(losses), 10)
        self.assertLess(losses[-1], losses[0] / 2)

    def test_threads_take_turns_on_a_core(self):
        program = """
            import json, threading, jax, jax.numpy as jnp, numpy as np
            multiply = jax.jit(jnp.matmul)
            x, w = np.arange(12, dtype=np.float32).reshape(3, 4), np.eye(4, dtype=np.float32)
            results = []
            def work():
                results.extend(np.asarray(multiply(x, w)) for _ in range(20))
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            print(json.dumps([len(results), all((one == x).all() for one in results)]))
        """
        self.assertEqual(run(program, "model"), [80, True])

    def test_it_keeps_freed_memory_for_the_next_step(self):
        program = """
            import json, resource, jax.numpy as jnp, numpy as np
            (jnp.ones((2, 2)) @ jnp.ones((2, 2))).block_until_ready()
            def faults():
                before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
                np.ones(1 << 24, np.float32)
                return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
            faults()
            print(json.dumps(faults()))
        """
        self.assertLess(run(program, "cpu"), 100)  # its 64 MiB are new pages where nothing is kept

    def test_the_plugin_exports_its_functions_alone_and_needs_no_static_tls(self):
        plugin = pathlib.Path(os.environ["SYSTOLE_LIBRARY"]).with_name("libsystole_pjrt.so")

        def output(*command):
            return subprocess.run([*command, plugin], check=True, capture_output=True, text=True).stdout

        names = {line.split()[-1] for line in output("nm", "-D", "--defined-only").splitlines()}
        own = ("last_run", "fallback", "set_partitioner", "give_partitioned", "refuse_partitioning")
        self.assertEqual(names, {"GetPjrtApi", *(f"systole_pjrt_{name}" for name in own)})
        self.assertNotRegex(output("readelf", "-d"), "TEXTREL|STATIC_TLS")


class Refusals(unittest.TestCase):
    def refusal(self, line, device="cpu", **environment):
        program = f"""
            import json, jax, jax.numpy as jnp
            try:
                {line}
                print(json.dumps("it runs"))
            except Exception as error:
                print(json.dumps(str(error)))
        """
        return run(program, device, **environment)

    def test_types_that_no_device_has_are_named(self):
        self.assertIn("f16 is not supported", self.refusal("jnp.ones(3, jnp.float16) + 1"))
        self.assertIn("a device has float32", self.refusal("jax.device_put(__import__('numpy').float16(1))"))

    def test_an_operation_has_its_line_in_the_users_program(self):
        self.assertIn(
            "program.py:3: stablehlo.cholesky is not supported",
            self.refusal("jax.jit(lambda x: jnp.linalg.cholesky(x))(jnp.eye(3))"),
        )

    def test_a_loop_within_a_loop_that_depends_on_data_is_refused(self):
        inner = "jax.lax.while_loop(lambda y: y < x, lambda y: y * 2 + 1, x * 0)"
        line = f"jax.jit(lambda x: jax.lax.while_loop(lambda x: x < 99, lambda x: x + 1 + {inner}, x))(1)"
        self.assertIn("program.py:3: while: the number of iterations depends on data, in a loop", self.refusal(line))

    def test_types_of_results_are_refused_before_operations(self):
        self.assertIn("complex is not supported: a device has", self.refusal("jax.lax.complex(jnp.ones(3), jnp.ones(3))"))

    def test_what_runs_on_the_host_is_named_and_can_be_refused(self):
        line = "jax.jit(lambda x: jnp.arctan2(x @ x, 1.0))(jnp.eye(4))"
        refused = self.refusal(line, "model", SYSTOLE_WHOLE="1")
        self.assertIn("atan2", refused)
        self.assertIn("$SYSTOLE_WHOLE", refused)
        self.assertEqual(self.refusal(line, "model"), "it runs")
        reason = run(
            """
            import json, jax, jax.numpy as jnp, systole
            jax.jit(lambda x: jnp.arctan2(x @ x, 1.0))(jnp.eye(4)).block_until_ready()
            print(json.dumps(systole.last_step().on_host))
            """,
            "model",
        )
        self.assertRegex(reason, r"^program.py:2: atan2\(.*: the device's vector engine has no such operation; "
                                 "on the host: atan2, 1 unit beside 1 program of the device$")

    def test_the_last_step_is_one_with_products_or_updates(self):
        program = """
            import json, jax, jax.numpy as jnp, systole
            x, seen = jnp.full((4, 4), 2.0), []
            def look(one):
                one.block_until_ready()
                seen.append([systole.last_step().products, systole.last_step().clocks])
            look(x + 1)                                               # any, before the first step
            look(jnp.exp(x))
            look(jax.jit(lambda x: x @ x)(x))
            look(x + 1)                                               # no step
            look(jax.jit(lambda x: x * 0.5 + 1, donate_argnums=0)(x)) # a step without products
            print(json.dumps(seen))
        """
        seen = run(program, "model")
        self.assertEqual([products for products, _ in seen], [0, 0, 1, 1, 0])
        self.assertEqual(len({clocks for _, clocks in seen}), 4)
        self.assertEqual(seen[2], seen[3])

    def test_programs_are_kept_in_a_folder_that_is_asked_for(self):
        program = "import jax, json; jax.jit(lambda x: x + 1)(2.0).block_until_ready(); print(json.dumps(1))"
        with tempfile.TemporaryDirectory() as folder:
            run(program, "cpu", SYSTOLE_KEEP_PROGRAMS=f"{folder}/new/kept")
            self.assertTrue(pathlib.Path(folder, "new", "kept", "program-0.mlirbc").stat().st_size > 0)
            pathlib.Path(folder, "file").touch()
            with self.assertRaisesRegex(AssertionError, "file/program-0.mlirbc cannot be written: .* is a folder"):
                run(program, "cpu", SYSTOLE_KEEP_PROGRAMS=f"{folder}/file")

    def test_an_unknown_device_is_named(self):
        program = "import jax; jax.numpy.ones(3)"
        with self.assertRaisesRegex(AssertionError, "unknown device 'nothing'|no device 'nothing'"):
            run(program, "nothing", JAX_PLATFORMS="systole")


if __name__ == "__main__":
    unittest.main()
