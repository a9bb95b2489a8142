#!/usr/bin/env bash
# walk.sh [shell] [tui] [neovim] [vscode]: what one does with memories most, as a person
# does it, counted: remember, correct, review, settle (the code changed), resolve (a merge
# left two versions) and find, on the workspace of the tests. Prints a row for each:
#
#   steps   what is on the screen and asks for an answer: a command line, a prompt, a form
#   keys    keys pressed; Ctrl+Alt+M is one, and each character of a command is one
#   clicks  of the mouse
#   words   characters that only the person knows: a memory's text, a reason, what is
#           looked for. They are the same everywhere, and no keys
#
# Each task is checked in the memories' files. Puts pictures into $MANICULE_PICTURES.
# Takes about a minute; needs tmux, and what run-nvim.sh and run-vscode.sh need.
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

work=$(mktemp -d)
clean_up() {
	tm kill-server 2>/dev/null || true
	if [ -n "${MANICULE_KEEP:-}" ]; then echo "kept: $work"; else remove "$work"; fi
}
trap clean_up EXIT
if [ -z "${MANICULE_BIN:-}" ]; then
	MANICULE_BIN=$work/bin/manicule
	(cd "$repository" && go build -o "$work/bin/" ./cmd/manicule ./cmd/manicule-hook)
fi
MANICULE_BIN=$(realpath "$MANICULE_BIN")
export MANICULE_BIN
pictures=${MANICULE_PICTURES:-}
[ -z "$pictures" ] || mkdir -p "$pictures"
[ -z "$pictures" ] || playwright

# The same words everywhere.
wrong="A cache in front of Validate kept revoked tokens alive"
right="A cache in front of Validate kept revoked tokens alive for an hour"
note="They did run out"
new="The id is never empty"
because="The gateway checks it"
theirs="Amounts are in cents, also in exports"

# tm ARG...: tmux on a server of our own.
tm() { tmux -L "manicule-walk-$$" -f /dev/null "$@"; }

# screen: what the terminal shows.
screen() { tm capture-pane -p -J; }

# sees TEXT: waits until the terminal shows it; a step of the person.
sees() {
	for _ in $(seq 150); do
		if screen | grep -qF -- "$1"; then
			steps=$((steps + 1))
			return
		fi
		sleep 0.1
	done
	echo "FAIL $surface, $task: the terminal never showed: $1" >&2
	screen >&2
	exit 1
}

# waits TEXT: the same for what asks for nothing.
waits() {
	sees "$1"
	steps=$((steps - 1))
}

# keys KEY...: presses keys. types TEXT: keys, by their characters. say TEXT: words.
keys() {
	local key
	for key in "$@"; do
		tm send-keys "$key"
		keys=$((keys + 1))
	done
}
types() {
	tm send-keys -l -- "$1"
	keys=$((keys + ${#1}))
}
say() {
	tm send-keys -l -- "$1"
	words=$((words + ${#1}))
}

steps=0 keys=0 words=0
begin() {
	task=$1
	steps=0 keys=0 words=0
}

# holds JQ-CONDITION: checks the memories, and ends the task with its row.
holds() {
	for _ in $(seq 100); do
		if find .manicule/memories -name '*.json' -exec cat {} + | node "$here/walk_holds.mjs" "$1"; then
			printf '%-8s %-9s %3d steps %4d keys %3d clicks %4d words\n' "$surface" "$task" "$steps" "$keys" 0 "$words"
			return
		fi
		sleep 0.1
	done
	echo "FAIL $surface, $task: no memory is such: $1" >&2
	screen >&2
	exit 1
}

# shot NAME: a picture of the terminal.
shot() {
	[ -n "$pictures" ] || return 0
	tm capture-pane -e -p >"$work/shot.ansi"
	node "$here/terminal-shot.mjs" "$work/shot.ansi" "$pictures/walk-$surface-$1.png"
}

# disagree: gives a memory a second version, as a merge does.
disagree() {
	local file
	file=$(grep -l "Amounts are in cents" -r "$workspace/.manicule/memories")
	sed -i "0,/{/s//{\n  \"conflict\": [{\"type\": \"convention\", \"what\": \"$theirs\", \"scope\": \"tools\/**\", \"contributor\": \"bea\", \"updated_at\": \"2026-01-01T00:00:00.000Z\"}],/" "$file"
}

# prepare: a workspace of its own for a surface.
prepare() {
	isolate "$work/$surface"
	workspace=$work/$surface/shop
	make_workspace "$workspace"
	make_review "$workspace"
	git -C "$workspace" config user.name Ann
	disagree
	cd "$workspace"
}

# terminal COMMAND: starts it in a terminal.
terminal() {
	tm kill-server 2>/dev/null || true
	tm new-session -d -x 118 -y 34 "cd '$workspace' && exec env TERM=tmux-256color COLORTERM=truecolor PATH='$(dirname "$MANICULE_BIN"):$PATH' $1"
	tm set -g status off
	tm set -ga terminal-overrides ',*:Tc'
}

# id_of TEXT: the id of a memory or draft, as the terminal shows it.
id_of() { screen | grep -F -- "$1" | grep -oE '[0-9a-f]{8}' | head -n 1; }

shell() {
	surface=shell
	prepare
	terminal "PS1='$ ' EDITOR='sed -i s/Reports/Nightly:\\ Reports/' bash --norc --noprofile"
	waits '$ '

	begin remember
	types 'manicule remember "' && say "$new" && types '" --type gotcha --why "' && say "$because" && types '" --at auth/token.go#Store.Refresh'
	keys Enter
	sees "☞ remembered"
	shot remember
	holds "what === '$new' && types === 'gotcha' && why === '$because'"

	keys C-l
	begin correct
	types "manicule recall auth/token.go" && keys Enter
	sees "$wrong"
	types "manicule edit $(id_of "$wrong") --what \"" && say "$right" && types '" --correct "' && say "$note" && types '"' && keys Enter
	sees "version 2"
	shot correct
	holds "what === '$right' && lineage.change_note === '$note'"

	keys C-l
	begin review
	types "manicule review" && keys Enter
	sees "versions of one memory"
	keys l
	for _ in 1 2 3 4; do
		sees "[q]uit?"
		shot "review$_"
		keys s
	done
	holds "what === 'Nightly'"
}

for each in "$@"; do
	case $each in
	shell | tui | neovim | vscode) "$each" ;;
	*)
		echo "usage: walk.sh [shell] [tui] [neovim] [vscode]" >&2
		exit 2
		;;
	esac
done
