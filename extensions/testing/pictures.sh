#!/usr/bin/env bash
# pictures.sh neovim|vscode: makes docs/img/neovim.png or docs/img/vscode.png, from
# the real editor with the real server on the workspace of the tests.
#
# Needs node, chromium and DejaVu Sans Mono; tmux for Neovim; see code-server.sh
# for VS Code. MANICULE_BIN and MANICULE_TOOLS as in run-nvim.sh and nvim.sh.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$(dirname "$here")")
images=$repository/docs/img
tools=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}
export MANICULE_TOOLS=$tools

# shellcheck source=workspace.sh
. "$here/workspace.sh"

# playwright: makes playwright-core available to browser.mjs.
playwright() {
	export MANICULE_BROWSER_TOOLS=$tools/playwright
	[ -d "$MANICULE_BROWSER_TOOLS/node_modules/playwright-core" ] && return
	mkdir -p "$MANICULE_BROWSER_TOOLS"
	echo '{"private":true}' >"$MANICULE_BROWSER_TOOLS/package.json"
	npm install --prefix "$MANICULE_BROWSER_TOOLS" --ignore-scripts --no-audit --no-fund playwright-core@1.65.1 >&2
}

# more_memories DIR: a few more than the tests need, for a fuller picture.
more_memories() {
	(
		cd "$1"
		"$MANICULE_BIN" remember "Tokens of deleted users stay valid for an hour" \
			--type decision --why "The revocation list is read once an hour" --at auth/token.go#Store.Validate >/dev/null
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
	tm kill-server
	node "$here/terminal-shot.mjs" "$work/neovim.ansi" "$images/neovim.png"
}

vscode() {
	local server port=8397
	server=$("$here/code-server.sh")
	(cd "$repository/extensions/vscode" && npm ci --ignore-scripts >&2 && npm run package >&2)
	mkdir -p "$work/code/User" "$work/extensions"
	cp "$here/vscode-settings.json" "$work/code/User/settings.json"
	export EXTENSIONS_GALLERY='{"serviceUrl":"","itemUrl":"","resourceUrlTemplate":""}'
	printf 'bind-addr: 127.0.0.1:%s\nauth: none\ncert: false\n' "$port" >"$work/code-server.yaml"
	local run=(node "$server/node_modules/code-server/out/node/entry.js" --config "$work/code-server.yaml"
		--user-data-dir "$work/code" --extensions-dir "$work/extensions")
	"${run[@]}" --install-extension "$repository/extensions/vscode/manicule.vsix" --force >&2
	"${run[@]}" --disable-telemetry --disable-update-check --disable-workspace-trust \
		--disable-getting-started-override >"$work/code-server.log" 2>&1 &
	workbench=$!
	node "$here/vscode-shot.mjs" "http://127.0.0.1:$port" "$workspace" "$images/vscode.png"
}

case ${1:-} in
neovim | vscode) ;;
*)
	echo "usage: pictures.sh neovim|vscode" >&2
	exit 2
	;;
esac

work=$(mktemp -d)
workbench=
clean_up() {
	if [ -n "$workbench" ]; then
		kill "$workbench" 2>/dev/null || true
		wait "$workbench" || true
	fi
	rm -rf "$work"
}
trap clean_up EXIT
if [ -z "${MANICULE_BIN:-}" ]; then
	MANICULE_BIN=$work/bin/manicule
	(cd "$repository" && go build -o "$MANICULE_BIN" ./cmd/manicule)
fi
MANICULE_BIN=$(realpath "$MANICULE_BIN")
playwright
mkdir -p "$images"

isolate "$work"
workspace=$work/shop
make_workspace "$workspace"
more_memories "$workspace"
export MANICULE_SERVER=$MANICULE_BIN MANICULE_E2E_PLUGIN=$repository/extensions/neovim
"$1"
