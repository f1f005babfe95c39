"""A training as people write it, in JAX or Keras: nothing here knows of Systole.

train() returns the losses of three steps on one batch, the weights, and what `each_step` returned
after each step.
"""

import jax
import jax.numpy as jnp
import numpy as np

STEPS, BATCH, CLASSES = 3, 12, 3


def dense(key, *shape):
    return jax.random.normal(jax.random.key(key), shape) / np.sqrt(np.prod(shape[:-1]))


def mlp(params, x):
    return jax.nn.relu(x.reshape(BATCH, -1) @ params["w1"] + params["b1"]) @ params["w2"]


def cnn(params, x):
    x = jax.lax.conv_general_dilated(
        x, params["k1"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    x = jax.nn.relu(jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"))
    x = jax.lax.conv_general_dilated(
        x, params["k2"], (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    return x.reshape(x.shape[0], -1) @ params["w"]


def gru(params, x):
    def cell(state, x):
        update, reset = jnp.split(jax.nn.sigmoid(x @ params["wx"] + state @ params["wh"]), 2, axis=-1)
        new = jnp.tanh(x @ params["nx"] + (reset * state) @ params["nh"])
        return (1 - update) * state + update * new, None

    steps = jnp.swapaxes(x.reshape(BATCH, 6, -1), 0, 1)
    return jax.lax.scan(jax.checkpoint(cell), jnp.zeros((BATCH, 5)), steps)[0] @ params["w"]


def attention(params, x):
    x = x.reshape(BATCH, 6, -1)
    q, k, v = (jnp.einsum("btd,dhe->bthe", x, params[name]) for name in "qkv")
    weights = jax.nn.softmax(jnp.einsum("bqhe,bkhe->bhqk", q, k) / 2, axis=-1)
    return jnp.einsum("bqhe,hec->bc", jnp.einsum("bhqk,bkhe->bqhe", weights, v), params["w"]) / 6


def embedding(params, x):
    tokens = np.arange(4 * BATCH, dtype=np.int32).reshape(BATCH, 4) % 11
    return jnp.tanh(params["table"][tokens].mean(axis=1)) @ params["w"]


MODELS = {
    "embedding": (embedding, {"table": dense(0, 11, 6), "w": dense(1, 6, CLASSES)}),
    "mlp": (mlp, {"w1": dense(0, 72, 9), "b1": jnp.zeros(9), "w2": dense(1, 9, CLASSES)}),
    "cnn": (cnn, {"k1": dense(0, 3, 3, 2, 5), "k2": dense(1, 2, 2, 5, 4), "w": dense(2, 16, CLASSES)}),
    "gru": (
        gru,
        {
            "wx": dense(0, 12, 10),
            "wh": dense(1, 5, 10),
            "nx": dense(2, 12, 5),
            "nh": dense(3, 5, 5),
            "w": dense(4, 5, CLASSES),
        },
    ),
    "attention": (
        attention,
        {name: dense(i, 12, 2, 4) for i, name in enumerate("qkv")} | {"w": dense(3, 2, 4, CLASSES)},
    ),
}


def data():
    random = np.random.default_rng(2)
    labels = np.arange(BATCH) % CLASSES
    images = random.normal(size=(BATCH, 6, 6, 2)) + labels[:, None, None, None]
    return images.astype(np.float32), labels.astype(np.int32)


def train_jax(name, each_step):
    model, params = MODELS[name]

    @jax.jit
    def train_step(params, x, labels):
        def loss(params):
            scores = jax.nn.log_softmax(model(params, x))
            return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))

        loss, gradients = jax.value_and_grad(loss)(params)
        return loss, jax.tree.map(lambda p, d: p - 0.03 * d, params, gradients)

    images, labels = data()
    losses, steps = [], []
    for _ in range(STEPS):
        loss, params = train_step(params, images, labels)
        losses.append(float(loss))
        steps.append(each_step())
    return losses, jax.tree.leaves(params), steps


def train_keras(name, each_step):
    import keras

    class Steps(keras.callbacks.Callback):
        losses, steps = [], []

        def on_train_batch_end(self, batch, logs=None):
            self.losses.append(float(logs["loss"]))
            self.steps.append(each_step())

    keras.utils.set_random_seed(1)
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((6, 6, 2)),
            layers.Conv2D(5, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(4, 2, strides=2),
            layers.Flatten(),
            layers.Dense(CLASSES),
        ]
    )
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    steps = Steps()
    model.fit(*data(), batch_size=BATCH, epochs=STEPS, shuffle=False, verbose=0, callbacks=[steps])
    return steps.losses, model.get_weights(), steps.steps


def train(name, each_step):
    return (train_keras if name == "keras" else train_jax)(name, each_step)
