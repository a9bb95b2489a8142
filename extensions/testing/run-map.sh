#!/usr/bin/env bash
# run-map.sh: the page of `manicule map` in Debian's Chromium: its search by keyboard
# and for a screen reader, and how long a page of 100,000 files and 10,000 memories
# takes. About 15 seconds.
#
#   MANICULE_BIN       the program; built from this repository when unset
#   MANICULE_PICTURES  a folder for pictures
#   MANICULE_TOOLS     cache folder for what is installed, as in nvim.sh
#   CI=true            what can't be had is a failure, not a SKIP
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$(dirname "$here")")
tools=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}

# shellcheck source=workspace.sh
. "$here/workspace.sh"
# shellcheck source=vscode.sh
. "$here/vscode.sh"

if ! debian chromium fonts-dejavu-core || ! playwright; then
	if [ "${CI:-}" = true ]; then
		echo "FAIL the map's test needs chromium and playwright-core"
		exit 1
	fi
	echo "SKIP the map's test needs chromium and playwright-core"
	exit 0
fi

work=$(mktemp -d)
trap 'remove "$work"' EXIT
(cd "$repository" && MANICULE_MAP_LARGE=$work/large.html go test -count=1 -run '^TestEveryFileIsFound$' ./memory/atlas)
use_program

isolate "$work"
make_workspace "$work/shop"
make_review "$work/shop"
(cd "$work/shop" && "$MANICULE_BIN" edit "$("$MANICULE_BIN" search "leave out returns" --json | sed -n 's/.*"uuid": *"\([0-9a-f-]*\)".*/\1/p' | head -n 1)" --why 'Exports call `total`, too' >/dev/null)
# A picture that is larger than all code.
mkdir "$work/shop/art"
head -c 300000 /dev/zero >"$work/shop/art/banner.png"
# Two agents are shown memories: Claude Code and a program that has no name here.
told() {
	local event=$1 more=$2
	printf '{"session_id":"s1","cwd":"%s","permission_mode":"default","hook_event_name":"%s",%s}' "$work/shop" "$event" "$more" |
		(cd "$work/shop" && "$MANICULE_BIN" hook claude-code) >/dev/null
}
told SessionStart '"source":"startup"'
told PreToolUse '"tool_name":"Read","tool_input":{"file_path":"'"$work/shop/auth/token.go"'"}'
coproc server { cd "$work/shop" && "$MANICULE_BIN" mcp; }
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"ada.lovelace","version":"1"}}}' \
	'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
	'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"recall","arguments":{"paths":["auth/token.go"]}}}' >&"${server[1]}"
while read -r -t 20 answer <&"${server[0]}"; do case $answer in *'"id":2'*) break ;; esac; done
exec {server[1]}>&-
wait "$server_PID" || true
(cd "$work/shop" && "$MANICULE_BIN" map -o "$work/small.html" >/dev/null)
node "$here/map_e2e.mjs" "$work/small.html" "$work/large.html"
