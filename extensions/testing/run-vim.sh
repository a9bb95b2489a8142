#!/usr/bin/env bash
# run-vim.sh: the real server in a real Vim in a terminal (tmux), with ALE and
# with vim-lsp as docs/editors.md configures them. Asserts on the screen.
#
#   ALE            ALE's folder; default: that of Debian's package vim-ale
#   VIM_LSP        vim-lsp's folder; without it that part is left out
#   MANICULE_BIN   the server; built from this repository when unset
#   CI=true        Vim or ALE that can't be had is a failure, not a SKIP
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$(dirname "$here")")
ALE=${ALE:-/usr/share/vim-scripts/bundle/ale}
[ -d "$ALE" ] || ALE=$(dpkg -L vim-ale 2>/dev/null | sed -n 's,/plugin/ale.vim$,,p' | head -n 1) || true

# shellcheck source=workspace.sh
. "$here/workspace.sh"

# shellcheck source=terminal.sh
. "$here/terminal.sh"

vim=$(command -v vim) || missing "Vim is not here"
[ -n "$ALE" ] || missing "ALE is not here (Debian: vim-ale)"

begin

# documented HEAD: the configuration in docs/editors.md below a line that begins with HEAD.
documented() {
	awk -v head="$1" 'index($0, head) == 1 { found = 1 } found && /^```/ { if (inside) exit; inside = 1; next } inside' "$repository/docs/editors.md"
}

# start NAME PLUGIN HEAD SETTINGS: Vim with a plugin, as it is documented, at a line with a memory.
start() {
	local dir=$work/$1
	isolate "$dir"
	make_workspace "$dir/workspace"
	mkdir -p "$dir/path"
	ln -s "$MANICULE_BIN" "$dir/path/manicule"
	{
		printf 'set nocompatible nomore shortmess+=F\nset runtimepath^=%s\nfiletype plugin on\n' "$2"
		documented "$3"
		printf '%s\n' "$4"
	} >"$dir/vimrc"
	tm new-session -d -x 120 -y 40 \
		"cd '$dir/workspace' && exec env PATH='$dir/path:$PATH' TERM=tmux-256color '$vim' -u '$dir/vimrc' -i NONE -n '+call cursor(12, 18)' auth/token.go"
}

# leave NAME: ends Vim.
leave() {
	tm send-keys Escape
	tm send-keys ":qall!" Enter
	ends "$1: the editor ends"
}

echo "== $("$vim" --version | head -n 1), ALE"
start ale "$ALE" '**ALE**' 'let g:ale_virtualtext_cursor = 1'
check "ALE: the diagnostic is said at the cursor" "Refresh fails silently"
tm send-keys ":ALEHover" Enter
check "ALE: the hover shows why" "Incident in May"
tm send-keys Enter
tm send-keys ":ALECodeAction" Enter
check "ALE: the code actions are offered" "emember"
tm send-keys Escape
leave ALE

if [ -z "${VIM_LSP:-}" ]; then
	echo "SKIP vim-lsp: VIM_LSP is not set"
	exit "$failed"
fi
echo "== $("$vim" --version | head -n 1), vim-lsp"
start vim-lsp "$VIM_LSP" '**vim-lsp**' 'let g:lsp_diagnostics_echo_cursor = 1'
check "vim-lsp: the diagnostic is said" "Refresh fails silently"
tm send-keys ":LspHover" Enter
check "vim-lsp: the hover shows why" "Incident in May"
tm send-keys Escape
tm send-keys ":LspCodeAction" Enter
check "vim-lsp: the code actions are offered" "emember"
tm send-keys Escape
leave vim-lsp
exit "$failed"
