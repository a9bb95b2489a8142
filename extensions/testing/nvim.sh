#!/usr/bin/env bash
# nvim.sh VERSION: prints the path of a Neovim of that version (0.10 or 0.12).
#
# Debian 12's own Neovim is too old for the plugin, so the packages of a newer
# suite are unpacked, with everything that they need, into a cache folder (see
# deb.sh).
#
#   NVIM_0_10, NVIM_0_12   use this binary instead
#
# Exit codes: 0 the path is on standard output; 2 wrong usage; 3 not possible here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=deb.sh
. "$here/deb.sh"

cannot() {
	echo "nvim.sh: cannot get Neovim $version: $*" >&2
	echo "nvim.sh: install it yourself and name it in NVIM_${version/./_}" >&2
	exit 3
}

# suite_of prints the Debian suite that carries a version.
suite_of() {
	case $1 in
	0.10) echo trixie ;;
	0.12) echo forky ;;
	*) return 1 ;;
	esac
}

# is_version tells whether a binary runs and is of the wanted version.
is_version() {
	[ -x "$1" ] && "$1" --version 2>/dev/null | head -n 1 | grep -q "^NVIM v${version//./\\.}\."
}

version=${1:-}
suite=$(suite_of "$version") || {
	echo "usage: nvim.sh 0.10|0.12" >&2
	exit 2
}

given=NVIM_${version/./_}
if [ -n "${!given:-}" ]; then
	is_version "${!given}" || cannot "$given=${!given} is not that version"
	echo "${!given}"
	exit 0
fi

dir=$tools/nvim-$version
nvim=$dir/usr/bin/nvim
if is_version "$nvim"; then
	echo "$nvim"
	exit 0
fi

can_unpack
locked
if ! is_version "$nvim"; then
	rm -rf "$dir" "$dir.new"
	unpack "$suite" "$dir.new" neovim
	relocate "$dir.new" "$dir"
	mv "$dir.new" "$dir"
fi
is_version "$nvim" || cannot "$suite now carries $("$nvim" --version 2>&1 | head -n 1)"
echo "$nvim"
