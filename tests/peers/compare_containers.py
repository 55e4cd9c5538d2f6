"""Reads packed files with the library, with Python's gzip and tarfile, and with the program zstd.

    compare_containers.py UNPACK_INPUT COUNT [SEED]

Each container holds a text, packed in a random way by Python and the command zstd: gzip of one or
several members, zstd frames, tar in each of its formats, tar inside gzip or zstd. Most containers
are then mutated as bytes, or as headers with a corrected checksum.
Both sides must get equal texts, or both must refuse. If one side is stricter on purpose, `STRICTER`
and `LOOSER` say why. Exit status 1 if they differ; the message names the folder with the
containers. Exit status 77 if the program zstd is missing.
"""

import gzip
import io
import os
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zlib

HEADER = "%%MatrixMarket matrix coordinate real general\n"

# Containers that the library refuses and Python accepts.
STRICTER = {
    "other bytes after it": "Python passes over zeros between two members",
    "a pax header with a broken record": "Python passes over what is no record",
    "a sparse file, which cannot be read": "Python reads GNU's sparse files",
    "takes more than 128 MiB to decompress": "the program may take more memory",
    "a file name that is too long": "Python takes names of any length",
    "a second extended header for one entry": "Python lets the first overrule the second",
    "an extended header of more than 64 KiB": "Python takes headers of any size",
}

# Containers that Python refuses and the library accepts.
LOOSER = {
    "invalid distances set": "ISA-L takes codes that say more than is used; the checksum proves the text",
}

# The checksum of tar adds unsigned bytes (POSIX). Python also accepts the sum of signed bytes,
# which some old systems wrote. This is switched off here.
both_sums = tarfile.calc_chksums
tarfile.calc_chksums = lambda block: both_sums(block)[:1]


class Refused(Exception):
    """Raised with the reason if the reference finds the container broken."""


class Different(Exception):
    """Raised if the two readers disagree."""


# Containers.


def random_text(rng):
    """Returns lines of a matrix, or zeros, which compress to almost nothing."""
    size = rng.choice((0, 1, 30, 300, 3000, 30000, 200000))
    if rng.random() < 0.2:
        return b"0\n" * (size // 2)
    lines = [HEADER]
    while sum(map(len, lines[:20])) * len(lines) // min(len(lines), 20) < size:
        lines.append(f"{rng.randrange(10000)} {rng.randrange(10000)} {rng.gauss(0, 1)!r}\n")
    return "".join(lines).encode()


def pack_gzip(rng, text):
    """Packs one or several members. The optional fields of the header are random."""
    out = b""
    cuts = sorted(rng.randrange(len(text) + 1) for _ in range(rng.choice((0, 0, 1, 3))))
    for begin, end in zip([0, *cuts], [*cuts, len(text)]):
        flags = rng.choice((0, 0, 0, *range(0, 32, 4)))
        fields = ((4, b"\3\0abc"), (8, b"name.mtx\0"), (16, b"comment\0"))
        head = b"\x1f\x8b\x08" + bytes([flags]) + b"\1\2\3\4\0\3"
        head += b"".join(field for flag, field in fields if flags & flag)
        packer = zlib.compressobj(rng.randrange(10), zlib.DEFLATED, -15, rng.randrange(1, 10),
                                  rng.choice((zlib.Z_DEFAULT_STRATEGY, zlib.Z_FIXED, zlib.Z_RLE)))
        piece = text[begin:end]
        out += head + packer.compress(piece) + packer.flush()
        out += zlib.crc32(piece).to_bytes(4, "little") + len(piece).to_bytes(4, "little")
    return out + b"\0" * rng.choice((0, 0, 0, 1, 700))


def run_zstd(data, *options):
    return subprocess.run(["zstd", "-q", "-c", *options], input=data, capture_output=True)


def pack_zstd(rng, text):
    """Packs one or two frames. Adds frames that readers must skip."""
    cut = rng.choice((len(text), rng.randrange(len(text) + 1)))
    out = b""
    for piece in (text[:cut], text[cut:]):
        if rng.random() < 0.2:
            out += bytes([0x50 + rng.randrange(16)]) + b"\x2a\x4d\x18\3\0\0\0abc"
        if piece or not out:
            out += run_zstd(piece, f"-{rng.randrange(1, 13)}",
                            rng.choice(("--check", "--no-check"))).stdout
    return out


def pack_plain(_, text):
    return text


PACKERS = (pack_plain, pack_gzip, pack_zstd)


def pack_tar(rng, text):
    """Packs a matrix and other files: named as in the SuiteSparse collection, or as lone.mtx."""
    out = io.BytesIO()
    name = rng.choice(("m", "matrix", "x" * 120, "folder/" * 20 + "m"))
    members = [(rng.choice((f"{name}/{os.path.basename(name)}.mtx", "lone.mtx")), text)]
    for _ in range(rng.randrange(3)):
        other = rng.choice((f"{name}/{os.path.basename(name)}_b.mtx", "README", "a/b/c.txt"))
        members.insert(rng.randrange(2), (other, random_text(rng)))
    form = rng.choice((tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    comments = {"comment": "of all entries"} if rng.random() < 0.2 else None
    with tarfile.open(fileobj=out, mode="w", format=form, pax_headers=comments) as archive:
        for path, data in members:
            info = tarfile.TarInfo(path)
            info.size = len(data)
            if form == tarfile.PAX_FORMAT and rng.random() < 0.3:
                info.pax_headers = {"comment": "x" * rng.randrange(600), "size": str(len(data))}
            try:
                archive.addfile(info, io.BytesIO(data))
            except ValueError:  # the name is too long
                pass
    return out.getvalue()


# Damage.


def mutate_bytes(rng, data):
    """Changes, removes, doubles or appends a few bytes."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.choice((rng.randrange(len(data) + 1), rng.randrange(min(len(data), 40) + 1)))
        end = at + rng.choice((1, 2, 8, 100, 512))
        kind = rng.randrange(7)
        if kind < 2 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data[at:end] = rng.randbytes(rng.randrange(9))
        elif kind == 3:
            del data[at:]
        elif kind == 4:
            data[at:at] = data[at:end]
        elif kind == 5:
            data += rng.choice((b"\0", b"\0" * 600, rng.randbytes(3), bytes(data[:200])))
        else:
            del data[at:end]
    return bytes(data)


def header_places(data):
    return [at for at in range(0, len(data) - 511, 512) if data[at + 257 : at + 262] == b"ustar"]


# Offsets of name, link, prefix and unused bytes in a header. Owners and times are left out, because
# Python checks them.
NAMES = [*range(100), *range(157, 257), *range(345, 512)]
FIELDS = [*NAMES, *range(124, 136)]  # and the size


def mend_checksum(block):
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)


def mutate_tar(rng, data):
    """Changes a field of a header and corrects the checksum. It does not change the size of a long
    name, because Python reads the complete block. It does not change a size that a pax header
    overrides either: Python still reads this size and refuses it if it is not a number."""
    data = bytearray(data)
    for at in header_places(data):
        if rng.random() < 0.6:
            continue
        block = data[at : at + 512]
        overridden = b" size=" in data and block[156] not in b"xg"
        sized = block[156] != ord("L") and not overridden
        kind = rng.randrange(6)
        if kind == 0 and sized:
            block[124:136] = rng.choice((b"00000000017 ", b"           7", b"\x80" + b"\0" * 9 + b"\1\0",
                                         b"77777777777\0", b"000000x0017\0", b"\0" * 12))
        elif kind == 1:
            block[156] = rng.choice(b"0\x00175xLKSz")
        elif kind == 2:
            block[rng.randrange(100)] = rng.choice(b"\0/.mab")
        elif kind == 3:
            block[345 + rng.randrange(155)] = rng.choice(b"\0/ab")
        elif kind == 4:
            block[257:265] = rng.choice((b"ustar  \0", b"ustar\x0000", b"\0" * 8))
        else:
            block[rng.choice(FIELDS if sized else NAMES)] ^= 1 << rng.randrange(8)
        mend_checksum(block)
        data[at : at + 512] = block
    return bytes(data)


def make_container(rng):
    text = random_text(rng)
    if rng.random() < 0.6:
        text = pack_tar(rng, text)
        text = rng.choice((lambda r, t: t, mutate_tar, mutate_tar, mutate_bytes))(rng, text)
    data = rng.choice(PACKERS)(rng, text)
    return mutate_bytes(rng, data) if rng.random() < 0.5 else data


# The reference.


def unpack(data):
    if data[:2] == b"\x1f\x8b":
        try:
            return gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise Refused(f"gzip: {error}") from error
    if data[:4] == b"\x28\xb5\x2f\xfd" or (data[:1].hex()[:1] == "5" and data[1:4] == b"\x2a\x4d\x18"):
        done = run_zstd(data, "-d")
        if done.returncode:
            raise Refused(f"zstd: {done.stderr.decode().strip()}")
        return done.stdout
    return data


def follows_rule(name, suffix):
    folder, _, base = name.rpartition("/")
    stem = folder.rpartition("/")[2]
    return "/" in name and base == (f"{stem}_{suffix}.mtx" if suffix else f"{stem}.mtx")


def is_matrix(name):
    base = name.rpartition("/")[2]
    return base.endswith(".mtx") and base != ".mtx" and not base.startswith(".")


def find_member(archive, text, suffix):
    """Returns the member that the rule names, or else the only matrix. tarfile stops at a broken
    header as at the end of the archive, so the block of zeros at the end is checked here."""
    matrices = []
    for member in archive:
        if follows_rule(member.name, suffix):
            return member
        if is_matrix(member.name):
            matrices.append(member)
    if text[archive.offset :][:512] != bytes(512):
        raise Refused("tar: a broken header")
    if suffix or len(matrices) != 1:
        raise Refused("tar: no such member")
    name = matrices[0].name
    return next(member for member in archive if member.name == name)


def is_tar(text):
    """Returns whether the magic is ustar, or the checksum is right. TarInfo.frombuf would also
    require owners and times in digits."""
    if text[257:262] == b"ustar":
        return True
    try:
        return len(text) >= 512 and tarfile.nti(text[148:156]) in tarfile.calc_chksums(text[:512])
    except tarfile.HeaderError:
        return False


def read_reference(data, suffix):
    text = unpack(data)
    if not is_tar(text):
        if suffix:
            raise Refused("no archive")
        return text
    try:
        with tarfile.open(fileobj=io.BytesIO(text), mode="r:") as archive:
            member = find_member(archive, text, suffix)
            if not member.isreg() or member.type == tarfile.GNUTYPE_SPARSE:
                raise Refused("tar: not a file")
            return archive.extractfile(member).read()
    except (tarfile.TarError, OSError, ValueError, EOFError) as error:
        raise Refused(f"tar: {error}") from error


# The comparison.


class Library:
    """The program unpack_input, which reads as the library does."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, errors="replace")

    def read(self, path, suffix):
        self.process.stdin.write(f"{suffix or '-'} {path}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")


def describe(data, suffix):
    try:
        text = read_reference(data, suffix)
    except Refused as refused:
        return False, str(refused)
    return True, f"ok {len(text)} {zlib.crc32(text)}"


def compare(library, path, data, suffix):
    """Returns whether both accept the container. Raises Different if they disagree."""
    with open(path, "wb") as file:
        file.write(data)
    found = library.read(path, suffix)
    accepted, expected = describe(data, suffix)
    if found == expected or (not accepted and not found.startswith("ok ") and found):
        return accepted
    if accepted and any(sentence in found for sentence in STRICTER):
        return False
    if found.startswith("ok ") and any(reason in expected for reason in LOOSER):
        return False
    raise Different(f"library: {found}\nreference: {expected}")


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else int(os.environ.get("FURROW_SEED") or 0) or \
        random.SystemRandom().randrange(1 << 32)
    if shutil.which("zstd") is None:
        print("no zstd")
        return 77
    print(f"FURROW_SEED={seed}", flush=True)
    folder = tempfile.mkdtemp(prefix="furrow-containers-")
    library, accepted, different = Library(program), 0, 0
    for i in range(count):
        rng = random.Random(f"{seed} {i}")
        path = f"{folder}/container"
        suffix = "b" if rng.random() < 0.15 else None
        try:
            accepted += compare(library, path, make_container(rng), suffix)
        except Different as difference:
            different += 1
            kept = shutil.copy(path, f"{folder}/different-{i}")
            print(f"container {i}, member {suffix}: {kept}\n{difference}")
    print(f"{count} containers, {accepted} accepted, {different} different")
    if different == 0:
        shutil.rmtree(folder)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
