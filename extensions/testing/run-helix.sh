#!/usr/bin/env bash
# run-helix.sh: the real server in a real Helix in a terminal (tmux), beside
# gopls where that is here. Asserts on the screen.
#
#   GOPLS          a gopls; default: that of the cache folder, see run-nvim.sh
#   HX             this Helix; default: that of hx.sh
#   MANICULE_BIN   the server; built from this repository when unset
#   CI=true        an editor that can't be had is a failure, not a SKIP
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$(dirname "$here")")
export MANICULE_TOOLS=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}

# shellcheck source=workspace.sh
. "$here/workspace.sh"

# shellcheck source=terminal.sh
. "$here/terminal.sh"

hx=$("$here/hx.sh") || missing "Helix is not here"
gopls=${GOPLS:-$MANICULE_TOOLS/bin/gopls}

begin
isolate "$work"
make_workspace "$work/workspace"
mkdir -p "$work/path" "$XDG_CONFIG_HOME/helix"
ln -s "$MANICULE_BIN" "$work/path/manicule"
[ -x "$gopls" ] && ln -s "$gopls" "$work/path/gopls"
cp "$repository/extensions/helix/languages.toml" "$XDG_CONFIG_HOME/helix/languages.toml"
cat >"$XDG_CONFIG_HOME/helix/config.toml" <<'END'
[editor]
end-of-line-diagnostics = "hint"
[editor.lsp]
display-messages = true
END

# escape presses it alone: with a key right behind it, it is read as Alt.
escape() {
	tm send-keys Escape
	sleep 0.3
}

echo "== $("$hx" --version | head -n 1)"
tm new-session -d -x 160 -y 44 \
	"cd '$work/workspace' && exec env PATH='$work/path:$PATH' TERM=tmux-256color '$hx' auth/token.go:12:18"
check "the diagnostic is read in the line" "Refresh fails silently"
tm send-keys Space k
if [ -x "$gopls" ]; then
	# gopls reads the standard library first; what it has not said yet is not shown.
	for _ in $(seq 40); do
		screen | grep -qF '/2]' && break
		escape
		tm send-keys Space k
		sleep 0.5
	done
	check "beside gopls: the hover has two pages" "/2]"
	check "beside gopls: the first is that of gopls" "func (s *Store) Refresh"
	tm send-keys M-n
	check "beside gopls: the second has the memories" "Incident in May"
else
	check "the hover shows why" "Incident in May"
fi
escape
tm send-keys Space a
check "the code actions are offered" "emember"
escape
tm send-keys ":quit!" Enter
ends "the editor ends"
exit "$failed"
