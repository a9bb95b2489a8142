#!/usr/bin/env bash
# run-vscode.sh: the packaged extension with its program inside, in a real VS
# Code workbench (code-server, see code-server.sh) in Debian's Chromium, beside
# gopls on the same files.
#
#   MANICULE_BIN       the server; built from this repository when unset
#   MANICULE_PICTURES  a folder for pictures (docs/img for those of the documentation)
#   MANICULE_E2E_PARTS what is done, see vscode_e2e.mjs; all when unset
#   MANICULE_PORT      the port of the workbench on this machine, 8397 when unset
#   MANICULE_KEEP      keep the temporary folder when set
#   MANICULE_TOOLS     cache folder for what is installed, as in nvim.sh: worth keeping
#   CI=true            what can't be had is a failure, not a SKIP; as root, Debian
#                      packages are installed
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$(dirname "$here")")
tools=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}
export MANICULE_TOOLS=$tools
port=${MANICULE_PORT:-8397}

# shellcheck source=workspace.sh
. "$here/workspace.sh"
# shellcheck source=vscode.sh
. "$here/vscode.sh"

debian chromium ripgrep libkrb5-dev fonts-dejavu-core g++ make || skip "VS Code's tests need them"
gopls &
building=$!
server=$("$here/code-server.sh") || skip "code-server is not here"
playwright || skip "playwright-core is not here"
wait "$building" || skip "gopls is not here"

work=$(mktemp -d)
workbench=
clean_up() {
	stop_workbench
	if [ -n "${MANICULE_KEEP:-}" ]; then echo "kept: $work"; else remove "$work"; fi
}
trap clean_up EXIT

use_program
package_extension
second_server
ls -l "$work/manicule.vsix" | awk '{ printf "manicule.vsix: %.1f MB\n", $5 / 1e6 }'

isolate "$work"
export MANICULE_E2E_PROGRAM=$MANICULE_BIN MANICULE_E2E_SETTINGS=$work/code/Machine/settings.json \
	MANICULE_E2E_EXTENSIONS=$work/extensions MANICULE_PICTURES=${MANICULE_PICTURES:-$work/pictures}
failed=0

# drive FOLDER SECONDS: a person's part.
drive() {
	MANICULE_E2E_FOLDER=$1 timeout "$2" node "$here/vscode_e2e.mjs" "http://127.0.0.1:$port" || failed=1
}

# alone PART: whether this part is to be done, and has a folder of its own.
alone() {
	[ -z "${MANICULE_E2E_PARTS:-}" ] || [ "$MANICULE_E2E_PARTS" = "$1" ]
}

if [ "${MANICULE_E2E_PARTS:-}" != notebook ] && [ "${MANICULE_E2E_PARTS:-}" != german ] && [ "${MANICULE_E2E_PARTS:-}" != untrusted ] && [ "${MANICULE_E2E_PARTS:-}" != elsewhere ] && [ "${MANICULE_E2E_PARTS:-}" != firstMinute ]; then
	make_workspace "$work/shop"
	make_review "$work/shop"
	make_history "$work/shop"
	start_workbench "$server" "$port" "$work/manicule.vsix" "$work/second-server.vsix"
	drive "$work/shop" 540
	stop_workbench
fi
if [ -z "${MANICULE_E2E_PARTS:-}" ]; then "$here/run-map.sh" || failed=1; fi
if [ "${MANICULE_E2E_PARTS:-}" = firstMinute ]; then
	make_code "$work/shop"
	start_workbench "$server" "$port" "$work/manicule.vsix"
	drive "$work/shop" 180
	stop_workbench
	exit "$failed"
fi
if alone elsewhere; then
	make_elsewhere "$work/elsewhere"
	start_workbench "$server" "$port" "$work/manicule.vsix"
	MANICULE_E2E_PARTS=elsewhere drive "$work/elsewhere" 180
	stop_workbench
fi
if alone notebook; then
	make_notebooks "$work/notebooks"
	start_workbench "$server" "$port" "$work/manicule.vsix"
	MANICULE_E2E_PARTS=notebook drive "$work/notebooks" 240
	stop_workbench
fi
if alone german; then
	make_workspace "$work/laden"
	make_review "$work/laden"
	rm -rf "$work/code"
	german_pack
	language=de start_workbench "$server" "$port" "$work/manicule.vsix"
	MANICULE_E2E_PARTS=german drive "$work/laden" 180
	stop_workbench
fi
if alone untrusted; then
	make_stranger "$work/stranger"
	rm -rf "$work/code"
	restricted=1 start_workbench "$server" "$port" "$work/manicule.vsix"
	MANICULE_E2E_PARTS=untrusted drive "$work/stranger" 180
fi
exit "$failed"
