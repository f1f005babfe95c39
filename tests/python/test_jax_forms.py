"""Each form of a product, a convolution and a pooling on the platform `systole`, forward and backward.

Integers are exact in bf16, so results are equal to those of JAX's own CPU, which multiplies float64.
"""

import unittest

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import systole

random = np.random.default_rng(0)


def integers(*shape):
    return random.integers(-3, 4, shape).astype(np.float32)


def in_float64(function, *operands):
    with jax.enable_x64(True), jax.default_device(jax.devices("cpu")[0]):
        return jax.jit(function)(*(operand.astype(np.float64) for operand in operands))


class Forms(unittest.TestCase):
    def check(self, function, *operands):
        result = jax.block_until_ready(jax.jit(function)(*operands))
        self.assertEqual(systole.fallbacks(), {})
        for ours, theirs in zip(jax.tree.leaves(result), jax.tree.leaves(in_float64(function, *operands))):
            np.testing.assert_array_equal(ours, theirs)

    def test_products_over_any_dimensions(self):
        for numbers, a, b in (
            (([1], [0]), (5, 7), (7, 3)),
            (([0], [0]), (7, 5), (7, 3)),
            (([0], [1]), (7, 5), (3, 7)),
            (([1], [1]), (5, 7), (3, 7)),
            (([0], [0]), (7,), (7,)),
            (([1], [0]), (5, 7), (7,)),
            (([], []), (3,), (4,)),
            (([2, 0], [0, 1]), (2, 5, 7), (7, 2, 3)),
            (([1], [0]), (5, 0), (0, 3)),
            (([1], [0]), (0, 5), (5, 3)),
        ):
            with self.subTest(dimensions=numbers, a=a, b=b):
                self.check(
                    lambda a, b: lax.dot_general(a, b, (numbers, ([], []))),
                    integers(*a),
                    integers(*b),
                )

    def test_batches_are_a_product_for_each_matrix(self):
        for text, a, b in (
            ("bqhd,bkhd->bhqk", (2, 3, 4, 5), (2, 6, 4, 5)),
            ("bij,bjk->bik", (3, 4, 5), (3, 5, 2)),
            ("ibj,kbj->bik", (4, 3, 5), (2, 3, 5)),
            ("bij,jk->bik", (3, 4, 5), (5, 2)),
        ):
            with self.subTest(product=text):
                self.check(lambda a, b: jnp.einsum(text, a, b), integers(*a), integers(*b))
        self.check(jax.vmap(jnp.matmul), integers(3, 4, 5), integers(3, 5, 2))

    def test_convolutions_and_their_gradients(self):
        ones, sizes = (1, 1), {"N": 4, "C": 4, "H": 7, "W": 6}
        for layout in (("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW"), ("NHWC", "HWOI", "NHWC")):
            for stride, padding, holes, dilation, groups, batches in (
                (ones, "SAME", ones, ones, 1, 1),
                ((2, 2), "SAME", ones, ones, 1, 1),
                ((2, 1), "VALID", ones, (1, 2), 1, 1),
                (ones, ((1, 2), (0, -1)), ones, ones, 1, 1),
                (ones, ((2, 2), (2, 2)), (2, 3), (2, 1), 1, 1),
                ((2, 2), ((2, 2), (2, 2)), (2, 2), ones, 1, 1),
                ((2, 2), "SAME", ones, ones, 4, 1),
                (ones, "VALID", ones, ones, 1, 2),
            ):

                def convolve(x, kernel):
                    return lax.conv_general_dilated(
                        x, kernel, stride, padding, holes, dilation, layout, groups, batches
                    )

                x = integers(*(sizes[letter] for letter in layout[0]))
                kernel = {"O": 8, "I": 4 // groups, "H": 3, "W": 2}
                kernel = integers(*(kernel[letter] for letter in layout[1]))
                gradient = integers(*jax.eval_shape(convolve, x, kernel).shape)
                with self.subTest(layout=layout, stride=stride, holes=holes, groups=groups, batches=batches):
                    self.check(convolve, x, kernel)
                    self.check(
                        lambda x, kernel, gradient: jax.vjp(convolve, x, kernel)[1](gradient),
                        x,
                        kernel,
                        gradient,
                    )

    def test_convolutions_over_one_dimension_transposed_and_mapped(self):
        def convolve(x, kernel):
            return lax.conv_general_dilated(x, kernel, (2,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))

        x, kernel = integers(4, 9, 3), integers(3, 3, 5)
        self.check(convolve, x, kernel)
        self.check(jax.grad(lambda x, kernel: convolve(x, kernel).sum(), (0, 1)), x, kernel)
        self.check(jax.vmap(convolve), integers(2, 4, 9, 3), integers(2, 3, 3, 5))
        self.check(
            lambda x, kernel: lax.conv_transpose(x, kernel, (2, 2), "SAME"),
            integers(2, 4, 4, 3),
            integers(2, 2, 3, 5),
        )

    def check_pooling(self, pool, x):
        gradient = integers(*jax.eval_shape(pool, x).shape)

        def both(x, gradient):
            y, back = jax.vjp(pool, x)
            return y, back(gradient)

        self.check(both, x, gradient)

    def test_poolings_and_their_gradients(self):
        for shape, window, strides, padding in (
            ((3, 6, 4, 5), (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
            ((3, 7, 5, 5), (1, 3, 3, 1), (1, 2, 1, 1), "SAME"),
            ((3, 7, 5, 5), (1, 3, 2, 1), (1, 1, 2, 1), ((0, 0), (2, 1), (0, 1), (0, 0))),
            ((2, 5, 7, 6), (1, 1, 2, 3), (1, 1, 2, 2), "VALID"),
            ((3, 9, 5), (1, 3, 1), (1, 2, 1), "SAME"),
            ((9,), (3,), (1,), "VALID"),
        ):

            def pool(x):
                return lax.reduce_window(x, -jnp.inf, lax.max, window, strides, padding)

            with self.subTest(shape=shape, window=window, strides=strides, padding=padding):
                self.check_pooling(pool, integers(*shape))
                self.check_pooling(jax.vmap(pool), integers(2, *shape))

    def test_poolings_over_images_with_holes_and_by_minima(self):
        x = integers(4, 6, 5, 6)
        for window, reduce, first, dilation in (
            ((2, 1, 2, 1), lax.max, -jnp.inf, None),
            ((1, 2, 2, 1), lax.max, -jnp.inf, (1, 2, 1, 1)),
            ((1, 2, 2, 1), lax.min, jnp.inf, None),
        ):

            def pool(x):
                return lax.reduce_window(x, first, reduce, window, (1,) * 4, "VALID", window_dilation=dilation)

            with self.subTest(window=window, dilation=dilation):
                self.check(pool, x)

    def test_a_nan_stays_in_its_windows(self):
        x = integers(1, 4, 4, 2)
        x[0, 2, 1, 0] = np.nan
        self.check(
            lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), x
        )


if __name__ == "__main__":
    unittest.main()
