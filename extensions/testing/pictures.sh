#!/usr/bin/env bash
# pictures.sh neovim|tui|vscode|moving|map: makes docs/img/neovim*.png, docs/img/tui.png, docs/img/vscode*.png,
# docs/img/first-minute.gif or docs/img/map.png: the editors with the real server, and the terminal, on the
# workspace of the tests, the map of a clone of this repository.
#
# Needs node, chromium and DejaVu Sans Mono; tmux for Neovim and the terminal; see code-server.sh
# for VS Code; ffmpeg for the moving one. MANICULE_BIN and MANICULE_TOOLS as in run-nvim.sh and nvim.sh.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$(dirname "$here")")
images=$repository/docs/img
tools=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}
export MANICULE_TOOLS=$tools

# shellcheck source=workspace.sh
. "$here/workspace.sh"
# shellcheck source=vscode.sh
. "$here/vscode.sh"

# more_memories DIR: a few more than the tests need, for a fuller picture.
more_memories() {
	(
		cd "$1"
		"$MANICULE_BIN" remember "Tokens of deleted users stay valid for an hour" \
			--type decision --why "The revocation list is read once an hour" --at auth/token.go#Store.Validate >/dev/null
		"$MANICULE_BIN" remember "Tokens are compared in constant time" --draft \
			--type convention --why "The audit in March found a timing attack" --at auth/token.go#Store.Validate >/dev/null
		"$MANICULE_BIN" remember "Two tabs of a browser share one token" --draft \
			--type module_insight --scope 'web/**' --why "A logout in one tab ends both" >/dev/null
	)
}

# tm ARG...: tmux on a server of our own.
tm() { tmux -L "manicule-$$" -f /dev/null "$@"; }

# until_shown TEXT: waits until the terminal shows a text.
until_shown() {
	for _ in $(seq 100); do
		tm capture-pane -p | grep -qF -- "$1" && return
		sleep 0.2
	done
	echo "pictures.sh: the terminal never showed: $1" >&2
	tm capture-pane -p >&2
	return 1
}

neovim() {
	local nvim look
	nvim=$("$here/nvim.sh" 0.12)
	look='set laststatus=0 noruler cmdheight=0 nohlsearch winborder=rounded'
	tm new-session -d -x 118 -y 30 "cd '$workspace' && exec env TERM=tmux-256color COLORTERM=truecolor '$nvim' -u '$here/nvim_init.lua' -i NONE -c '$look' auth/token.go"
	tm set -g status off
	tm set -ga terminal-overrides ',*:Tc'
	until_shown "memory here"
	until_shown "■"
	tm send-keys "/) Refresh(" Enter "ll" "K"
	until_shown "Incident in May"
	tm capture-pane -e -p >"$work/neovim.ansi"
	tm send-keys Escape ":Manicule review" Enter
	until_shown "Two tabs of a browser"
	tm send-keys "?"
	until_shown "reject, and say why"
	tm capture-pane -e -p >"$work/review.ansi"
	tm send-keys "q"
	until_shown "Refresh fails silently" # in its line again
	tm send-keys "/) Refresh(" Enter "ll" ":Manicule correct" Enter
	until_shown "# What was wrong"
	tm send-keys "iIt is no longer silent: the dial error is returned since June" Escape
	until_shown "since June"
	tm send-keys "/Refresh fails" Enter "CRefresh fails with the dial error when Redis is unreachable" Escape
	until_shown "with the dial error when"
	tm capture-pane -e -p >"$work/correct.ansi"
	tm kill-server
	node "$here/terminal-shot.mjs" "$work/neovim.ansi" "$images/neovim.png"
	node "$here/terminal-shot.mjs" "$work/review.ansi" "$images/neovim-review.png"
	node "$here/terminal-shot.mjs" "$work/correct.ansi" "$images/neovim-correct.png"
}

# tui: the list of the terminal, narrowed to what has to do with tokens.
tui() {
	tm new-session -d -x 130 -y 21 "cd '$workspace' && exec env TERM=tmux-256color '$MANICULE_BIN' tui"
	tm set -g status off
	until_shown "tab review"
	tm send-keys "/token"
	until_shown "4 of 6"
	tm send-keys Down Down
	until_shown "unknown token"
	tm capture-pane -e -p >"$work/tui.ansi"
	tm kill-server
	node "$here/terminal-shot.mjs" "$work/tui.ansi" "$images/tui.png"
}

# The parts of the tests that the documentation's pictures are of.
pictured=firstRun,reading,seenBefore,sideBar,reviewing,attention,following,correcting,others,covering,mapping,sessionEnds,previewing

# vscode: those of the tests that the documentation shows.
vscode() {
	local name
	MANICULE_PICTURES=$work/pictures MANICULE_E2E_PARTS=${MANICULE_E2E_PARTS:-$pictured} "$here/run-vscode.sh"
	for name in vscode vscode-peek vscode-seen-before vscode-sidebar vscode-preview vscode-history vscode-session vscode-correct vscode-card vscode-map-search vscode-coverage; do
		cp "$work/pictures/$name.png" "$images/"
	done
}

# moving: the first minute in VS Code. The frames in which somebody types are short.
moving() {
	local frame seconds
	MANICULE_PICTURES=${MANICULE_PICTURES:-$work/pictures} MANICULE_E2E_PARTS=firstMinute "$here/run-vscode.sh"
	for frame in "${MANICULE_PICTURES:-$work/pictures}"/vscode-first-minute-*.png; do
		case $frame in
		*-02.png | *-03.png | *-04.png) seconds=0.8 ;;
		*-07.png | *-08.png | *-11.png) seconds=3.5 ;;
		*) seconds=2 ;;
		esac
		printf "file '%s'\nduration %s\n" "$frame" "$seconds"
	done >"$work/frames.txt"
	echo "file '$frame'" >>"$work/frames.txt" # the duration of the last one counts only if another follows
	ffmpeg -v error -y -f concat -safe 0 -i "$work/frames.txt" -filter_complex \
		"scale=960:-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=64:stats_mode=full[p];[b][p]paletteuse=dither=none" \
		-fps_mode vfr "$images/first-minute.gif"
}

# map: that of this repository as it is committed, with a few memories.
map() {
	playwright
	isolate "$work"
	git clone -q "$repository" "$work/manicule"
	(
		cd "$work/manicule"
		git config user.name Ann
		git config user.email ann@example.test
		"$MANICULE_BIN" init >/dev/null </dev/null
		"$MANICULE_BIN" remember "Anchors are resolved against git blobs, never against unsaved text" --type gotcha \
			--why "Unsaved edits made every anchor drift" --at memory/follow/tracker.go --at indexer/anchor/anchor.go >/dev/null
		"$MANICULE_BIN" remember "A hook that fails says nothing and exits with 0" --type decision \
			--why "An agent's work must not stop because of a memory" --scope 'hooks/**' >/dev/null
		"$MANICULE_BIN" remember "Positions are UTF-16 at the border, bytes inside" --type gotcha --scope 'lsp/convert/**' >/dev/null
		"$MANICULE_BIN" remember "Neovim 0.10 has no vim.lsp.config" --type dead_end --scope 'extensions/neovim/**' >/dev/null
		"$MANICULE_BIN" remember "A language is data: queries and samples, no code" --type decision --scope 'grammars/**' >/dev/null
		"$MANICULE_BIN" index >/dev/null
		"$MANICULE_BIN" map -o "$work/map.html" >/dev/null
	)
	node "$here/page-shot.mjs" "$work/map.html" "$images/map.png"
}

case ${1:-} in
neovim | tui | vscode | moving | map) ;;
*)
	echo "usage: pictures.sh neovim|tui|vscode|moving|map" >&2
	exit 2
	;;
esac

work=$(mktemp -d)
trap 'remove "$work"' EXIT
use_program
mkdir -p "$images"
case $1 in
neovim | tui) playwright ;;
*)
	"$1"
	exit
	;;
esac

isolate "$work"
git config --global user.name Ann
git config --global user.email ann@example.test
workspace=$work/shop
make_workspace "$workspace"
more_memories "$workspace"
export MANICULE_SERVER=$MANICULE_BIN MANICULE_E2E_PLUGIN=$repository/extensions/neovim
"$1"
