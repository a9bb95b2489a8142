#!/usr/bin/env bash
# walk.sh [shell] [tui] [neovim] [vscode]: what one does with memories most, as a person
# does it, counted, in each place: remember, correct, review (four drafts: accept one, edit
# one, reject two with a reason), resolve (a merge left two versions), settle (code changed,
# and moved) and find, on the workspace of the tests. Prints a row for each:
#
#   steps   what is on the screen and is read and answered: a command's output, a prompt, a form
#   keys    keys pressed; Ctrl+Alt+M is one, and each character of a command is one
#   clicks  of the mouse
#   words   characters that only the person knows: a memory's text, a reason, what is looked
#           for. They are no keys
#
# Each task is checked in the memories' files, and the rows are compared with walk_counts.txt,
# which FIGURES.md shows as a table: more steps or keys than there is a failure, and so are
# fewer, until they are written there. Puts pictures into $MANICULE_PICTURES.
# Takes about two minutes; needs tmux, and what run-nvim.sh and run-vscode.sh need.
# MANICULE_BIN, MANICULE_TOOLS, MANICULE_PORT and MANICULE_KEEP as there.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$(dirname "$here")")
tools=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}
export MANICULE_TOOLS=$tools
[ $# -gt 0 ] || set -- shell tui neovim vscode

# shellcheck source=workspace.sh
. "$here/workspace.sh"
# shellcheck source=vscode.sh
. "$here/vscode.sh"
command -v tmux >/dev/null || debian tmux

work=$(mktemp -d)
if [ -n "${MANICULE_KEEP:-}" ]; then
	echo "kept: $work"
else
	trap 'remove "$work"' EXIT
fi
use_program
if [ -n "${MANICULE_PICTURES:-}" ]; then
	mkdir -p "$MANICULE_PICTURES"
	playwright
fi
MANICULE_WALK_NVIM=$("$here/nvim.sh" 0.12)
export MANICULE_WALK_NVIM
export MANICULE_SERVER=$MANICULE_BIN MANICULE_E2E_PLUGIN=$repository/extensions/neovim

# two_versions DIR: gives a memory a second version, as a merge does.
two_versions() {
	local file
	file=$(grep -lr "Amounts are in cents" "$1/.manicule/memories")
	sed -i '0,/{/s//{\n  "conflict": [{"type": "convention", "what": "Amounts are in cents, also in exports", "scope": "tools\/**", "contributor": "bea", "updated_at": "2026-01-01T00:00:00.000Z"}],/' "$file"
}

# The pictures of VS Code and the walk there are parts of its tests.
vscode() {
	MANICULE_E2E_PARTS=firstRun,walk "$here/run-vscode.sh" 2>/dev/null | grep -E '^(vscode|FAIL)' || failed=1
}

failed=0
walked() {
	for surface in "$@"; do
		case $surface in
		vscode) vscode ;;
		shell | tui | neovim)
			isolate "$work/$surface"
			make_workspace "$work/$surface/shop"
			make_review "$work/$surface/shop"
			git -C "$work/$surface/shop" config user.name Ann
			two_versions "$work/$surface/shop"
			MANICULE_WALK_SHOP=$work/$surface/shop node "$here/walk.mjs" "$surface" || failed=1
			;;
		*)
			echo "usage: walk.sh [shell] [tui] [neovim] [vscode]" >&2
			exit 2
			;;
		esac
	done
}

walked "$@" > >(tee "$work/rows")
wait $!
for surface in "$@"; do
	if ! diff -u --label walk_counts.txt <(grep "^$surface " "$here/walk_counts.txt") --label now <(grep "^$surface " "$work/rows"); then
		echo "FAIL $surface takes other steps or keys than walk_counts.txt says"
		failed=1
	fi
done
exit "$failed"
