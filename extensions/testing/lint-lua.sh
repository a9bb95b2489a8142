#!/usr/bin/env bash
# lint-lua.sh [--write]: the Lua of the Neovim plugin and of its tests through
# luacheck (Debian's lua-check) and StyLua (npm). With --write it is formatted.
#
#   MANICULE_TOOLS   cache folder; default ${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools
#   CI=true          a tool that can't be had is a failure, not a SKIP; as root,
#                    luacheck is installed
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
plugin=$(dirname "$here")/neovim
tools=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}
export MANICULE_LUA_TOOLS=$tools/stylua
failed=0

# shellcheck source=debian.sh
. "$here/debian.sh"

missing() {
	echo "SKIP $*"
	if [ "${CI:-}" = true ]; then failed=1; fi
}

mapfile -t files < <(find "$plugin" "$here" -name '*.lua' | sort)

if ! [ -d "$MANICULE_LUA_TOOLS/node_modules/@johnnymorganz/stylua" ]; then
	mkdir -p "$MANICULE_LUA_TOOLS"
	echo '{"private":true}' >"$MANICULE_LUA_TOOLS/package.json"
	npm install --prefix "$MANICULE_LUA_TOOLS" --ignore-scripts --no-audit --no-fund @johnnymorganz/stylua@2.5.2 >&2 || true
fi
if [ -d "$MANICULE_LUA_TOOLS/node_modules/@johnnymorganz/stylua" ]; then
	node "$here/lua-format.mjs" "$@" "${files[@]}" || failed=1
else
	missing "StyLua cannot be installed from npm"
fi

if command -v luacheck >/dev/null || debian lua-check; then
	luacheck --quiet --no-color --config "$plugin/.luacheckrc" "${files[@]}" || failed=1
else
	missing "luacheck is not here (Debian: apt-get install lua-check)"
fi
exit "$failed"
