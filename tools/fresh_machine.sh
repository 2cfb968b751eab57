#!/usr/bin/env bash
# Runs a make target on a bare Debian tree that has nothing but the prerequisite line: by hand, before a release.
#
#     sudo tools/fresh_machine.sh FOLDER [demo|test]
#
# The tree is made in FOLDER with mmdebstrap from this machine's own apt sources; the committed state is cloned into it.
set -euo pipefail
tree=${1:?usage: tools/fresh_machine.sh FOLDER [demo|test]}
target=${2:-demo}
root=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
if [ ! -d "$tree/usr" ]; then
    mmdebstrap --variant=apt --include=g++,make,python3-dev,python3-venv,ca-certificates bookworm "$tree" \
        /etc/apt/sources.list.d/*.sources
fi
for folder in proc sys dev; do
    mountpoint -q "$tree/$folder" || mount --rbind "/$folder" "$tree/$folder"
done
cp -L /etc/resolv.conf "$tree/etc/"
cp -L /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/"
rm -rf "$tree/src/waywiser"
git clone -q "$root" "$tree/src/waywiser"
exec chroot "$tree" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt make -C /src/waywiser "$target"
