#!/usr/bin/env bash
# hx.sh: prints the path of Helix, of Debian's forky, unpacked into a cache
# folder (see deb.sh).
#
#   HX   use this binary instead
#
# Exit codes: 0 the path is on standard output; 3 not possible here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=deb.sh
. "$here/deb.sh"

cannot() {
	echo "hx.sh: cannot get Helix: $*" >&2
	exit 3
}

if [ -n "${HX:-}" ]; then
	"$HX" --version >/dev/null 2>&1 || cannot "HX=$HX does not run"
	echo "$HX"
	exit 0
fi
dir=$tools/helix
if ! "$dir/usr/bin/hx" --version >/dev/null 2>&1; then
	can_unpack
	locked
	rm -rf "$dir" "$dir.new"
	unpack forky "$dir.new" hx
	relocate "$dir.new" "$dir"
	mv "$dir.new" "$dir"
fi
"$dir/usr/bin/hx" --version >/dev/null || cannot "what was unpacked does not run"
echo "$dir/usr/bin/hx"
