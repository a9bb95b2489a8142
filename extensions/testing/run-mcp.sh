#!/usr/bin/env bash
# run-mcp.sh: the MCP server against clients that are not ours: one written with
# the TypeScript SDK, and the command line of the MCP Inspector.
#
#   MANICULE_BIN   the server; built from this repository when unset
#   MANICULE_KEEP  keep the temporary folder when set
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=workspace.sh
. "$here/workspace.sh"

work=$(mktemp -d)
if [ -n "${MANICULE_KEEP:-}" ]; then
	echo "kept: $work"
else
	trap 'remove "$work"' EXIT
fi

use_program
(cd "$here/mcp" && npm ci --no-audit --no-fund --loglevel=error)

isolate "$work"
make_workspace "$work/workspace"
export MANICULE_SERVER=$MANICULE_BIN MANICULE_E2E_WORKSPACE=$work/workspace

echo "== TypeScript SDK"
(cd "$here/mcp" && timeout 180 node --test client.test.mjs)

echo "== MCP Inspector"
# inspect WANT METHOD [ARGUMENT...]: what the inspector prints has to hold WANT.
inspect() {
	local want=$1 out
	shift
	out=$(cd "$here/mcp" && timeout 60 node node_modules/@modelcontextprotocol/inspector-cli/build/index.js "$MANICULE_BIN" mcp --root "$MANICULE_E2E_WORKSPACE" --method "$@") || {
		echo "FAIL $*: exit code $?"
		return 1
	}
	if ! grep -q -- "$want" <<<"$out"; then
		echo "FAIL $*: no $want in"
		echo "$out"
		return 1
	fi
	echo "ok   $*"
}
inspect '"name": "recall"' tools/list
inspect 'readOnlyHint' tools/list
inspect 'memories for auth/token.go\|memory for auth/token.go' tools/call --tool-name recall --tool-arg 'paths=["auth/token.go"]'
inspect '☞ Manicule' tools/call --tool-name search --tool-arg query=token
inspect '☞ Manicule' tools/call --tool-name context --tool-arg 'task=change the token'
inspect 'Leader' tools/call --tool-name stats
inspect 'manicule://topic/MEMORY.md' resources/list
inspect 'manicule://memory/{id}' resources/templates/list
inspect '☞' resources/read --uri manicule://topic/MEMORY.md
inspect '"name": "plan"' prompts/list
inspect 'no instructions' prompts/get --prompt-name ask --prompt-args question=token
