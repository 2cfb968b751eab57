#!/bin/sh
# Installs Waywiser @VERSION@ without network: sh FILE DIRECTORY. `make bundle` fills in what stands
# between @ signs, and puts the archive of wheels behind these lines.
set -eu
python=${PYTHON:-python@PYTHON@}
if [ $# -ne 1 ]; then
    echo "waywiser: write it as: sh $0 DIR, with the directory for the installation" >&2
    exit 2
fi
if [ "$(uname -sm)" != "@SYSTEM@" ]; then
    echo "waywiser: this file is for @SYSTEM@, and this machine is $(uname -sm)" >&2
    exit 2
fi
if [ "$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" != "@PYTHON@" ]; then
    echo "waywiser: this file is for Python @PYTHON@, and $python is not that; set PYTHON to one that is" >&2
    exit 2
fi
if [ -e "$1" ]; then
    echo "waywiser: $1 exists already; give the name of a new directory" >&2
    exit 2
fi
wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
sed '1,/^# == wheels ==$/d' "$0" | tar -xf - -C "$wheels"
"$python" -m venv "$1"
"$1/bin/python" -m pip --disable-pip-version-check --quiet install --no-index --find-links "$wheels" waywiser
native=$("$1/bin/python" -c 'from waywiser.native import SHIM; print(SHIM.parent)')
for program in @PROGRAMS@; do ln -s "$native/$program" "$1/bin/$program"; done
echo "waywiser: installed; try $1/bin/waywiser doctor"
exit
# == wheels ==
