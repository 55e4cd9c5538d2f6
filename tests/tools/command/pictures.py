"""PNG and SVG files in plain Python, with which the tests read the pictures.

Written from the formats' descriptions, for as much of them as the command writes.
"""

import re
import struct
import xml.etree.ElementTree
import zlib

SVG = "{http://www.w3.org/2000/svg}"


class Png:
    """A PNG picture: its width, its height, and rows of (red, green, blue, opacity)."""

    def __init__(self, data):
        if data[:8] != b"\x89PNG\r\n\x1a\n":
            raise ValueError("not a PNG file")
        chunks = dict(self.chunks(data[8:]))
        self.width, self.height, depth, kind, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
        if kind != 3 or rest != [0, 0, 0]:
            raise ValueError("not a palette image, or interlaced")
        colors = [tuple(chunks[b"PLTE"][i : i + 3]) for i in range(0, len(chunks[b"PLTE"]), 3)]
        clear = chunks.get(b"tRNS", b"")
        palette = [color + ((clear[i] if i < len(clear) else 255),)
                   for i, color in enumerate(colors)]
        lines = self.lines(zlib.decompress(chunks[b"IDAT"]), depth)
        self.rows = [[palette[index] for index in line] for line in lines]

    @staticmethod
    def chunks(data):
        """Yields the chunks after a check of their checksums. The IDAT chunks are joined."""
        at, pixels = 0, b""
        while at < len(data):
            size, name = struct.unpack(">I4s", data[at : at + 8])
            content = data[at + 8 : at + 8 + size]
            if zlib.crc32(name + content) != struct.unpack(">I", data[at + 8 + size :][:4])[0]:
                raise ValueError(f"wrong checksum of {name}")
            pixels += content if name == b"IDAT" else b""
            yield name, pixels if name == b"IDAT" else content
            at += size + 12

    def lines(self, data, depth):
        """Yields lines of palette indices, with each line's filter undone."""
        size = (self.width * depth + 7) // 8
        above = [0] * size
        for row in range(self.height):
            kind, *line = data[row * (size + 1) : (row + 1) * (size + 1)]
            for i in range(size):
                left, corner = (line[i - 1], above[i - 1]) if i else (0, 0)
                line[i] = (line[i] + self.guess(kind, left, above[i], corner)) % 256
            above = line
            yield [line[i * depth // 8] >> 8 - depth - i * depth % 8 & (1 << depth) - 1
                   for i in range(self.width)]

    @staticmethod
    def guess(kind, left, up, corner):
        if kind < 4:
            return (0, left, up, (left + up) // 2)[kind]
        nearest = left + up - corner
        return min((left, up, corner), key=lambda pixel: abs(nearest - pixel))


class Svg:
    """An SVG picture: its texts, the cells of each panel as {(row, column): color}, and the place where the cells of
    each panel begin, in pixels from the left and the top."""

    def __init__(self, text):
        root = xml.etree.ElementTree.fromstring(text)
        self.texts = [element.text for element in root.iter(f"{SVG}text")]
        self.width, self.height = int(root.get("width")), int(root.get("height"))
        groups = list(root.iter(f"{SVG}g"))
        self.panels = [self.cells(group) for group in groups]
        self.places = [tuple(map(int, re.match(r"translate\((\d+) (\d+)\)",
                                               group.get("transform")).groups()))
                       for group in groups]

    @staticmethod
    def cells(group):
        found = {}
        for path in group.iter(f"{SVG}path"):
            row = col = 0
            for what, first, second in re.findall(r"([Mmh])(\d+)(?: (\d+))?", path.get("d")):
                if what == "h":
                    for _ in range(int(first)):
                        if (row, col) in found:
                            raise ValueError(f"two tones at {row}, {col}")
                        found[row, col] = path.get("stroke")
                        col += 1
                else:
                    row, col = (int(second), int(first)) if what == "M" else (row, col + int(first))
        return found
