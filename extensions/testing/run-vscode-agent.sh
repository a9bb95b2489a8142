#!/usr/bin/env bash
# run-vscode-agent.sh: VS Code's own agent (the agent mode of Copilot Chat, which
# is a part of VS Code) with the hooks and the server that init installs, in a real
# workbench (code-server, see code-server.sh) in Debian's Chromium, against a
# scripted model as its "custom endpoint". It takes no account. The workbench is a
# newer one than that of run-vscode.sh: the first run takes ten minutes and 900 MB.
#
#   MANICULE_BIN       the program; built from this repository when unset
#   MANICULE_PICTURES  a folder for pictures of what failed
#   MANICULE_PORT      the port of the workbench on this machine, 8398 when unset
#   MANICULE_KEEP      keep the temporary folder when set, with the events as they came
#   MANICULE_TOOLS     cache folder for what is installed, as in nvim.sh: worth keeping
#   CI=true            what can't be had is a failure, not a SKIP
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$(dirname "$here")")
tools=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}
export MANICULE_TOOLS=$tools
port=${MANICULE_PORT:-8398}
code_server_version=4.139.1 # VS Code 1.139.1 with Copilot Chat 0.67.0

# shellcheck source=workspace.sh
. "$here/workspace.sh"
# shellcheck source=vscode.sh
. "$here/vscode.sh"

debian chromium ripgrep libkrb5-dev fonts-dejavu-core g++ make || skip "VS Code's tests need them"
[ "$(uname -sm)" = "Linux x86_64" ] || skip "node 24 is taken from npm, for this machine there is none"
node_24 || skip "node 24 is not here"
server=$("$here/code-server.sh" "$code_server_version") || skip "code-server is not here"
playwright || skip "playwright-core is not here"

work=$(mktemp -d)
workbench=
api=
clean_up() {
	stop_workbench
	[ -z "$api" ] || kill "$api" 2>/dev/null || true
	if [ -n "${MANICULE_KEEP:-}" ]; then echo "kept: $work"; else remove "$work"; fi
}
trap clean_up EXIT

use_program
isolate "$work"
space=$work/shop
make_workspace "$space"
printf 'test:\n\t@echo "auth/token.go:21: expired tokens are accepted"; exit 1\n' >"$space/Makefile"
# Both read ~/.copilot/hooks, each runs the other's hooks too.
(cd "$space" && "$MANICULE_BIN" init --agent vscode,copilot >/dev/null)

# Every hook's input is kept, as it comes.
cat >"$work/record" <<-'SH'
	#!/bin/sh
	input=$(cat)
	printf '%s\n' "$input" >>"$(dirname "$0")/events.jsonl"
	printf '%s' "$input" | "$@"
SH
chmod +x "$work/record"
sed -i "s#\"\\(command\\|bash\\)\": \"#&$work/record #" "$HOME"/.copilot/hooks/*.json

cat >"$work/script.json" <<-JSON
	[
	  {"name": "read_file", "input": {"filePath": "$space/auth/token.go", "startLine": 1, "endLine": 30}},
	  {"name": "mcp_manicule_recall", "input": {"paths": ["web/session.ts"]}},
	  {"name": "run_in_terminal", "input": {"command": "make test", "explanation": "Runs the tests", "goal": "Test", "mode": "sync", "isBackground": false, "timeout": 20000}},
	  {"name": "replace_string_in_file", "input": {"filePath": "$space/auth/token.go", "oldString": "known == token", "newString": "token == known"}},
	  {"name": "grep_search", "input": {"query": "amount", "isRegexp": false, "includePattern": "tools/**"}},
	  {"name": "runSubagent", "input": {"prompt": "/remember Of a model", "description": "Look"}}
	]
JSON
: >"$work/api.jsonl"
mkfifo "$work/port"
node "$here/model-api.mjs" "$work/script.json" "$work/api.jsonl" >"$work/port" &
api=$!
read -r model <"$work/port"
model=http://127.0.0.1:$model

start_workbench "$server" "$port"
MANICULE_E2E_FOLDER=$space MANICULE_E2E_PROGRAM=$MANICULE_BIN MANICULE_E2E_MODEL=$work/api.jsonl MANICULE_E2E_EVENTS=$work/events.jsonl \
	MANICULE_PICTURES=${MANICULE_PICTURES:-$work/pictures} timeout 580 node "$here/vscode_agent.mjs" "http://127.0.0.1:$port"
