"""A GPT of gpt-words' size, as people write it in Flax and in Keras, on JAX's platform `systole` beside
JAX's own CPU: trained on the words of Debian's wamerican."""

import functools
import importlib.util
import pathlib
import textwrap
import unittest

import numpy as np
import programs
import test_pjrt

WORDS = pathlib.Path("/usr/share/dict/american-english")
STEPS, WEIGHTS = 3, 203_840

# 15 texts of 32 characters, in batches of 5, whose masks are too large to fold; what follows has them as `batches`.
DATA = f"""
    import json, os
    os.environ["KERAS_BACKEND"] = "jax"
    os.environ["SYSTOLE_ARRAY_SIZE"] = "16"
    import numpy as np

    words = [word for word in open("{WORDS}").read().split() if word.isascii() and word.islower() and word.isalpha()]
    np.random.default_rng(0).shuffle(words)
    text = [ord(letter) - 96 if letter != " " else 0 for letter in " " + " ".join(words[:200])]
    CONTEXT, BATCH = 32, 5
    tokens = np.array(text, np.int32)[: {STEPS} * BATCH * CONTEXT + 1]
    batches = list(zip(tokens[:-1].reshape(-1, BATCH, CONTEXT), tokens[1:].reshape(-1, BATCH, CONTEXT)))

    def report(losses, weights):
        on_host = []
        if os.environ.get("SYSTOLE_DEVICE"):
            import systole
            step = systole.last_step()
            on_host = [step.on_host, step.products]
        print(json.dumps([[float(loss) for loss in losses], weights, on_host]))
"""
FLAX = """
    import functools
    import jax, jax.numpy as jnp, optax
    from flax import linen as nn

    class Block(nn.Module):
        heads: int

        @nn.compact
        def __call__(self, x, mask):
            h = nn.LayerNorm()(x)
            x = x + nn.MultiHeadDotProductAttention(num_heads=self.heads)(h, mask=mask)
            h = nn.LayerNorm()(x)
            h = nn.gelu(nn.Dense(4 * x.shape[-1])(h), approximate=False)
            return x + nn.Dense(x.shape[-1])(h)

    class Gpt(nn.Module):
        vocabulary: int = 27
        context: int = 32
        units: int = 64
        heads: int = 4
        blocks: int = 4

        @nn.compact
        def __call__(self, tokens):
            table = nn.Embed(self.vocabulary, self.units)
            places = nn.Embed(self.context, self.units)
            x = table(tokens) + places(jnp.arange(tokens.shape[1]))
            mask = nn.make_causal_mask(tokens)
            for _ in range(self.blocks):
                x = Block(self.heads)(x, mask)
            return table.attend(nn.LayerNorm()(x))

    model = Gpt()
    schedule = optax.warmup_cosine_decay_schedule(0.0, 0.003, 2, 10)
    optimizer = optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.adamw(schedule, weight_decay=0.1, mask=lambda params: jax.tree.map(lambda p: p.ndim > 1, params)))

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def train_step(params, state, tokens, targets):
        def loss_of(params):
            logits = model.apply(params, tokens)
            return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()

        loss, gradients = jax.value_and_grad(loss_of)(params)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, loss

    params = jax.jit(model.init)(jax.random.key(0), batches[0][0])
    state = optimizer.init(params)
    losses = []
    for tokens, targets in batches:
        params, state, loss = train_step(params, state, tokens, targets)
        losses.append(loss)
    report(losses, sum(p.size for p in jax.tree.leaves(params)))
"""
KERAS = """
    import keras
    from keras import layers, ops

    keras.utils.set_random_seed(1)
    VOCABULARY, UNITS, HEADS, BLOCKS = 27, 64, 4, 4

    class Places(layers.Layer):
        def __init__(self):
            super().__init__()
            self.table = layers.Embedding(CONTEXT, UNITS)

        def build(self, shape):
            self.table.build((CONTEXT,))

        def call(self, x):
            return x + self.table(ops.arange(CONTEXT))

    tokens = layers.Input((CONTEXT,), dtype="int32")
    table = layers.ReversibleEmbedding(VOCABULARY, UNITS)
    x = Places()(table(tokens))
    for _ in range(BLOCKS):
        h = layers.LayerNormalization()(x)
        x = layers.Add()([x, layers.MultiHeadAttention(HEADS, UNITS // HEADS)(h, h, use_causal_mask=True)])
        h = layers.LayerNormalization()(x)
        h = layers.Dense(4 * UNITS, activation="gelu")(h)
        x = layers.Add()([x, layers.Dense(UNITS)(h)])
    model = keras.Model(tokens, table(layers.LayerNormalization()(x), reverse=True))

    schedule = keras.optimizers.schedules.CosineDecay(0.0, 10, warmup_target=0.003, warmup_steps=2)
    optimizer = keras.optimizers.AdamW(schedule, weight_decay=0.1, global_clipnorm=1.0)
    optimizer.exclude_from_weight_decay(var_names=["bias", "gamma", "beta"])
    model.compile(optimizer, keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    report([model.train_on_batch(*batch) for batch in batches], model.count_params())
"""


programs.preload("keras", KERAS_BACKEND="jax")


@functools.cache
def train(program, device=None):
    return test_pjrt.run(textwrap.dedent(DATA) + textwrap.dedent(program), device)


@unittest.skipUnless(WORDS.exists(), f"{WORDS} is not there: scripts/setup installs wamerican")
class Gpt(unittest.TestCase):
    def check(self, program):
        losses, weights, _ = train(program)
        self.assertEqual([len(losses), weights], [STEPS, WEIGHTS])
        self.assertLess(losses[-1], losses[0])
        np.testing.assert_allclose(train(program, "cpu")[0], losses, rtol=test_pjrt.CPU_TOLERANCE)
        on_model, _, (on_host, products) = train(program, "model")
        np.testing.assert_allclose(on_model, losses, rtol=test_pjrt.BF16_TOLERANCE)
        self.assertEqual(on_host, "")
        self.assertGreater(products, 18 * 4)

    @unittest.skipUnless(importlib.util.find_spec("flax"), "flax is not there: scripts/setup installs it")
    def test_flax_trains_one_whole_program_a_step(self):
        self.check(FLAX)

    def test_keras_trains_one_whole_program_a_step(self):
        self.check(KERAS)


if __name__ == "__main__":
    unittest.main()
