#!/usr/bin/env bash
# Runs a make target on a bare Debian tree that has nothing but the prerequisite line: by hand, before a release.
#
#     sudo tools/fresh_machine.sh DIRECTORY [demo|test]
#     sudo tools/fresh_machine.sh DIRECTORY wheel dist/waywiser-*.whl
#
# With `wheel`, the tree has Python alone, no compiler and no make, and tools/try_wheel.sh uses the wheel in it.
#
# The tree is made in DIRECTORY with mmdebstrap from this machine's own apt sources; the committed state is cloned into it.
set -euo pipefail
tree=${1:?usage: tools/fresh_machine.sh DIRECTORY [demo|test|wheel WHEEL]}
target=${2:-demo}
packages=g++,make,git,python3-dev,python3-venv,ca-certificates
[ "$target" != wheel ] || packages=python3-venv,ca-certificates
root=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
if [ ! -d "$tree/usr" ]; then
    mmdebstrap --variant=apt --include=$packages bookworm "$tree" \
        /etc/apt/sources.list.d/*.sources
fi
for directory in proc sys dev; do
    mountpoint -q "$tree/$directory" || mount --rbind "/$directory" "$tree/$directory"
done
cp -L /etc/resolv.conf "$tree/etc/"
cp -L /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/"
inside=(chroot "$tree" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt)
if [ "$target" = wheel ]; then
    mkdir -p "$tree/src"
    cp "${3:?name the wheel, e.g. dist/waywiser-*.whl}" "$root/tools/try_wheel.sh" "$tree/src/"
    exec "${inside[@]}" /src/try_wheel.sh "/src/$(basename "$3")"
fi
rm -rf "$tree/src/waywiser"
git clone -q "$root" "$tree/src/waywiser"
exec "${inside[@]}" make -C /src/waywiser "$target"
