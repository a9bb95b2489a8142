#!/usr/bin/env bash
# nvim-plugins.sh: prints a folder with other people's Neovim plugins, to test
# beside them: telescope.nvim and its plenary.nvim, as Debian's forky has them,
# unpacked into a cache folder (see deb.sh).
#
#   MANICULE_NVIM_PLUGINS   use this folder instead: a plugin in each of its
#                           folders (telescope.nvim and plenary.nvim, fzf-lua,
#                           snacks.nvim, mini.nvim); those there are tested
#
# Exit codes: 0 the path is on standard output; 3 not possible here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=deb.sh
. "$here/deb.sh"

cannot() {
	echo "nvim-plugins.sh: cannot get plugins: $*" >&2
	exit 3
}

if [ -n "${MANICULE_NVIM_PLUGINS:-}" ]; then
	echo "$MANICULE_NVIM_PLUGINS"
	exit 0
fi
dir=$tools/nvim-plugins
if ! [ -d "$dir" ]; then
	can_unpack
	locked
	rm -rf "$dir.new"
	unpack_only forky "$dir.new" neovim-telescope neovim-plenary
	mv "$dir.new" "$dir"
fi
echo "$dir/usr/share"
