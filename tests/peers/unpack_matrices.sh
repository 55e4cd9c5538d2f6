#!/bin/sh
# Unpacks the .mtx.gz and .mtx.zst files of a folder, and of its folder malformed, into another
# folder. Existing files are kept. Exit status 77, skipped, if the folder is missing.
set -eu
from=$1
to=$2
if [ ! -d "$from" ]; then
    echo "SKIPPED: there is no folder $from"
    exit 77
fi
for part in . malformed; do
    mkdir -p "$to/$part"
    for packed in "$from/$part"/*.mtx.gz "$from/$part"/*.mtx.zst; do
        [ -f "$packed" ] || continue
        name=$(basename "$packed")
        name=${name%.*}
        [ -f "$to/$part/$name" ] && continue
        case $packed in
        *.gz) gzip -dc "$packed" >"$to/$part/$name.part" ;;
        *.zst) zstd -qdc "$packed" >"$to/$part/$name.part" ;;
        esac
        mv "$to/$part/$name.part" "$to/$part/$name"
    done
done
