"""On the path of every Python that the tests start: collects garbage rarely.

TensorFlow and JAX make a million objects when they are imported and when they trace a function, and each
collection looks at all of them: a tenth to a sixth of these tests' processor time.
"""

import gc

gc.set_threshold(100_000, 50, 50)
