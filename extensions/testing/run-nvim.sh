#!/usr/bin/env bash
# run-nvim.sh [VERSION...]: the Neovim plugin and the real server in a real
# Neovim, of each version (default: 0.10 and 0.12).
#
#   GOPLS          a gopls; installed into the cache folder when unset
#   MANICULE_BIN   the server; built from this repository when unset
#   MANICULE_KEEP  keep the temporary folder when set
#   CI=true        an editor that can't be had is a failure, not a SKIP
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$(dirname "$here")")
[ $# -gt 0 ] || set -- 0.10 0.12
# Fixed before the tests get a home of their own.
export MANICULE_TOOLS=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}

# shellcheck source=workspace.sh
. "$here/workspace.sh"

work=$(mktemp -d)
if [ -n "${MANICULE_KEEP:-}" ]; then
	echo "kept: $work"
else
	trap 'remove "$work"' EXIT # gopls still writes its cache
fi

use_program

failed=0
"$here/lint-lua.sh" || failed=1
MANICULE_E2E_PLUGINS=$("$here/nvim-plugins.sh") || {
	if [ "${CI:-}" = true ]; then failed=1; fi
	MANICULE_E2E_PLUGINS=$work/no-plugins
}
export MANICULE_E2E_PLUGINS

# gopls is a language server to stand beside.
MANICULE_E2E_GOPLS=${GOPLS:-$MANICULE_TOOLS/bin/gopls}
if ! [ -x "$MANICULE_E2E_GOPLS" ]; then
	GOBIN=$MANICULE_TOOLS/bin go install golang.org/x/tools/gopls@v0.23.0 || {
		if [ "${CI:-}" = true ]; then failed=1; fi
		MANICULE_E2E_GOPLS=
	}
fi
export MANICULE_E2E_GOPLS

for version in "$@"; do
	if ! nvim=$("$here/nvim.sh" "$version"); then
		if [ "${CI:-}" = true ]; then
			echo "FAIL Neovim $version is not here"
			failed=1
		else
			echo "SKIP Neovim $version is not here"
		fi
		continue
	fi
	isolate "$work/$version"
	make_workspace "$work/$version/workspace"
	echo "== Neovim $version"
	"$nvim" -u NONE -i NONE -l "$here/nvim_doc.lua" --check || failed=1
	MANICULE_E2E_NVIM=$nvim \
		MANICULE_E2E_WORKSPACE=$work/$version/workspace \
		MANICULE_E2E_PLUGIN=$repository/extensions/neovim \
		MANICULE_SERVER=$MANICULE_BIN \
		timeout 600 "$nvim" -u NONE -i NONE --cmd 'set columns=165 lines=50' -l "$here/nvim_e2e.lua" || failed=1
done
exit "$failed"
