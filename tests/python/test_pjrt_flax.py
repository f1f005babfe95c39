"""A Flax CNN, as people write it, on JAX's platform `systole` beside JAX's own CPU."""

import functools
import importlib.util
import unittest

import numpy as np
import programs
import test_pjrt
from test_pjrt_cores import EIGHT

# Images of CIFAR-10's shape, or smaller ones; BatchNorm, dropout, clipping, a cosine schedule.
PROGRAM = """
    import json, os
    import flax.linen as nn, jax, jax.numpy as jnp, numpy as np, optax
    from jax.sharding import NamedSharding, PartitionSpec as P
    SIZE, BATCH, STEPS, CORES = {size}, {batch}, {steps}, {cores}
    class Net(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            for features in (4, 8):
                x = nn.Conv(features, (3, 3), use_bias=False)(x)
                x = nn.relu(nn.BatchNorm(use_running_average=not train, momentum=0.9)(x))
                x = nn.max_pool(x, (2, 2), (2, 2))
            x = x.reshape((x.shape[0], -1))
            x = nn.Dropout(0.4, deterministic=not train)(nn.relu(nn.Dense(12)(x)))
            return nn.Dense(10)(x)
    net, key = Net(), jax.random.key(0)
    rng = np.random.default_rng(0)
    x = rng.random((BATCH, SIZE, SIZE, 3), dtype=np.float32)
    y = rng.integers(0, 10, BATCH).astype(np.int32)
    variables = net.init(key, x, False)
    schedule = optax.warmup_cosine_decay_schedule(1e-3, 1e-2, 2, 8)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule))
    state = variables["params"], variables["batch_stats"], optimizer.init(variables["params"])
    if CORES > 1:  # images are divided, weights everywhere
        mesh = jax.make_mesh((CORES,), ("batch",), axis_types=(jax.sharding.AxisType.Auto,), devices=jax.devices()[:CORES])
        x, y = jax.device_put((x, y), NamedSharding(mesh, P("batch")))
        state = jax.device_put(state, NamedSharding(mesh, P()))
    @jax.jit
    def step(state, x, y, key):
        params, statistics, memory = state
        def loss(params):
            logits, new = net.apply({{"params": params, "batch_stats": statistics}}, x, True,
                                    mutable=["batch_stats"], rngs={{"dropout": key}})
            losses = optax.softmax_cross_entropy_with_integer_labels(logits, y)
            return losses.mean(), (new["batch_stats"], (logits.argmax(-1) == y).mean())
        (value, (statistics, accuracy)), gradients = jax.value_and_grad(loss, has_aux=True)(params)
        updates, memory = optimizer.update(gradients, memory, params)
        return (optax.apply_updates(params, updates), statistics, memory), value, accuracy
    losses, clocks, left = [], [], []
    for i in range(STEPS):
        state, loss, accuracy = step(state, x, y, jax.random.fold_in(key, i))
        losses.append([float(loss), float(accuracy)])
        if os.environ.get("SYSTOLE_DEVICE"):
            import systole
            clocks.append(systole.last_step().clocks)
            left.append(systole.last_step().on_host)
    print(json.dumps([losses, clocks, left]))
"""
CIFAR10 = PROGRAM.format(size=32, batch=8, steps=4, cores=1)
SMALL = PROGRAM.format(size=8, batch=4, steps=3, cores=1)
ON_CORES = PROGRAM.format(size=16, batch=16, steps=3, cores=8)
ONE_IMAGE = PROGRAM.format(size=16, batch=1, steps=2, cores=1)
ONE_IMAGE_A_CORE = PROGRAM.format(size=8, batch=2, steps=2, cores=2)
SMALL_ON_CORES = PROGRAM.format(size=8, batch=4, steps=3, cores=2)


@functools.cache
def run(program, device=None, array_size=4):
    return test_pjrt.run(program, device, SYSTOLE_ARRAY_SIZE=str(array_size), **({} if device else EIGHT))


INSTALLED = importlib.util.find_spec("flax") and importlib.util.find_spec("optax")
if INSTALLED:
    programs.preload("flax.linen", "optax")


@unittest.skipUnless(INSTALLED, "Flax and optax are not installed (scripts/setup)")
class Flax(unittest.TestCase):
    def test_losses_on_cpu_are_jaxs(self):
        np.testing.assert_allclose(run(CIFAR10, "cpu")[0], run(CIFAR10)[0], rtol=test_pjrt.CPU_TOLERANCE)

    def test_losses_on_model_differ_by_bf16(self):
        ours, jaxs = np.array(run(CIFAR10, "model")[0]), np.array(run(CIFAR10)[0])
        np.testing.assert_allclose(ours[:, 0], jaxs[:, 0], rtol=test_pjrt.BF16_TOLERANCE)

    def test_a_step_leaves_nothing_to_the_host(self):
        self.assertEqual(run(CIFAR10, "model")[2], [""] * 4)

    def test_model_and_rtl_agree_in_every_bit_and_clock(self):
        self.assertEqual(run(SMALL, "model"), run(SMALL, "rtl"))

    def test_losses_of_eight_cores_are_jaxs_of_eight_devices(self):
        jaxs = np.array(run(ON_CORES)[0])
        np.testing.assert_allclose(run(ON_CORES, "cpu:8")[0], jaxs, rtol=test_pjrt.CPU_TOLERANCE)
        losses, _, on_host = run(ON_CORES, "model:8")
        np.testing.assert_allclose(np.array(losses)[:, 0], jaxs[:, 0], rtol=test_pjrt.BF16_TOLERANCE)
        self.assertEqual(on_host, [""] * 3)

    def test_one_image_a_core_leaves_nothing_to_the_host(self):
        for program, device in ((ONE_IMAGE, "model"), (ONE_IMAGE_A_CORE, "model:2")):
            jaxs = np.array(run(program)[0])
            for array_size in (4, 16):
                with self.subTest(device=device, array_size=array_size):
                    losses, _, on_host = run(program, device, array_size)
                    self.assertEqual(on_host, [""] * 2)
                    np.testing.assert_allclose(np.array(losses)[:, 0], jaxs[:, 0], rtol=test_pjrt.BF16_TOLERANCE)

    def test_model_and_rtl_agree_on_two_cores(self):
        self.assertEqual(run(SMALL_ON_CORES, "model:2"), run(SMALL_ON_CORES, "rtl:2"))


if __name__ == "__main__":
    unittest.main()
