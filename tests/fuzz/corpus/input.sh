#!/bin/sh
# Writes the seeds of the fuzz targets gzip, zstd and tar: small files in every form that is read.
#
#     input.sh FOLDER
#
# Takes the commands gzip, zstd and tar of GNU.
set -eu

mkdir -p "$1/gzip" "$1/zstd" "$1/tar"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"

mkdir name other
matrix='%%MatrixMarket matrix coordinate real general'
printf '%s\n3 3 3\n1 1 1.5\n2 2 -2e1\n3 3 .25\n' "$matrix" >name/name.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n' >name/name_b.mtx
cp name/name.mtx other/another.mtx
seq 1 500 >numbers

pack_tar() {
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -b1 "$@"
}

gzip -nc name/name.mtx >"$out/gzip/plain.gz"
gzip -c name/name.mtx >"$out/gzip/named.gz"
gzip -n1c numbers >"$out/gzip/fast.gz"
gzip -n9c numbers >"$out/gzip/best.gz"
cat "$out/gzip/plain.gz" "$out/gzip/named.gz" >"$out/gzip/members.gz"
{ cat "$out/gzip/plain.gz"; head -c 100 /dev/zero; } >"$out/gzip/padded.gz"
gzip -nc </dev/null >"$out/gzip/empty.gz"

zstd -qc name/name.mtx >"$out/zstd/plain.zst"
zstd -qc --no-check numbers >"$out/zstd/unchecked.zst"
zstd -19 -qc numbers >"$out/zstd/best.zst"
zstd -qc <numbers >"$out/zstd/streamed.zst"
{ printf '\120\052\115\030\003\0\0\0abc'; cat "$out/zstd/plain.zst" "$out/zstd/best.zst"; } \
    >"$out/zstd/frames.zst"
zstd -qc </dev/null >"$out/zstd/empty.zst"

for format in v7 ustar gnu; do
    pack_tar --format=$format -cf "$out/tar/$format.tar" name
done
pack_tar --format=pax --pax-option=delete=atime,delete=ctime,comment:=text \
    -cf "$out/tar/pax.tar" name
pack_tar --format=gnu -cf "$out/tar/lone.tar" other
mkdir packed
gzip -nc name/name.mtx >packed/matrix.mtx.gz
pack_tar --format=ustar -cf "$out/tar/packed.tar" packed
long=$(printf 'f%.0s' $(seq 1 110))
mkdir "$long"
cp name/name.mtx "$long/$long.mtx"
pack_tar --format=gnu -cf "$out/tar/long_gnu.tar" "$long"
pack_tar --format=pax --pax-option=delete=atime,delete=ctime -cf "$out/tar/long_pax.tar" "$long"
pack_tar --format=ustar -cf "$out/tar/prefix.tar" --transform "s|^name|${long}/name|" name
pack_tar --format=gnu -cf - name | gzip -nc >"$out/tar/gnu.tar.gz"
pack_tar --format=pax -cf - name | zstd -qc >"$out/tar/pax.tar.zst"
