#!/bin/sh
# Checks what the include directories of a layer cannot forbid.
#
#   check_includes.sh SOURCE
set -eu

cd "$1"
failed=0
if grep -rnE '^ *# *include *["<][^">]*\.\./' src io tools cuda include ranks python --include='*.[ch]' \
    --include='*.cu*' --include='*.cpp'; then
    echo "a path with .. leads out of a layer"
    failed=1
fi
if grep -nE '# *include *<furrow/' src/base/*.[ch] | grep -vE '<furrow/(base|author/clock|author/try)\.h>'; then
    echo "src/base includes a public header other than base.h, author/clock.h and author/try.h"
    failed=1
fi
exit $failed
