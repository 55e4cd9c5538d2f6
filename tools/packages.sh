# shellcheck shell=sh
# Shared by quickstart.sh, test.sh and gpu-test.sh: finds the checkout, prints messages, and installs
# missing packages. Source it, do not run it.

# shellcheck disable=SC2034 # used by the scripts that source this
root=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)

# Packages for building the library and the command, by the names of Debian and Ubuntu.
# shellcheck disable=SC2034
build_packages="gcc libc6-dev cmake ninja-build pkg-config libjansson-dev libpng-dev libfreetype-dev
fonts-dejavu-core libisal-dev libzstd-dev libxxhash-dev"

say() {
    printf '== %s\n' "$*"
}

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# missing_packages PACKAGE...: prints the packages that are not installed, one per line.
missing_packages() {
    for package; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
            echo "$package"
    done
}

# as_root COMMAND...: runs a command as root, through sudo if necessary.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# apt_get ARGUMENT...: waits until another installation has ended, and asks no questions.
apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@"
}

# If nothing can or may be installed, the tools may still exist.
check_tools() {
    for tool in gcc cmake ninja pkg-config; do
        command -v "$tool" >/dev/null || fail "$tool is missing and is not installed here: there is" \
            "no apt-get, or FURROW_NO_INSTALL is set; install what Debian calls: $*"
    done
    say "Installing nothing here; going on with what is there"
}

# need_packages PACKAGE...: installs missing packages, unless FURROW_NO_INSTALL is set. In that case
# the tools may exist without dpkg knowing them.
need_packages() {
    if [ -n "${FURROW_NO_INSTALL:-}" ] || ! command -v apt-get >/dev/null ||
        ! command -v dpkg-query >/dev/null; then
        check_tools "$@"
        return
    fi
    missing=$(missing_packages "$@" | paste -s -d ' ' -)
    if [ -z "$missing" ]; then
        return
    fi
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        fail "neither root nor sudo; have an administrator run: apt-get install $missing"
    fi
    say "Installing $missing"
    apt_get update || fail "apt-get update failed; check the network and the package sources"
    # shellcheck disable=SC2086 # one word a package
    apt_get install -y --no-install-recommends $missing ||
        fail "apt-get could not install $missing; its messages above say why (is the network up?)"
}
