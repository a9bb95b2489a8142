#!/usr/bin/env bash
# run-kakoune.sh: the configuration of docs/editors.md in a real Kakoune in a terminal
# (tmux): the language's own server stays, and Manicule is named once. kakoune-lsp is in
# no package; two definitions stand for it, which do what its rc/lsp.kak does.
#
#   CI=true   Kakoune that can't be had is a failure, not a SKIP
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$(dirname "$here")")

# shellcheck source=workspace.sh
. "$here/workspace.sh"
# shellcheck source=terminal.sh
. "$here/terminal.sh"

command -v kak >/dev/null || missing "Kakoune is not here (Debian: kakoune)"
command -v tmux >/dev/null || missing "tmux is not here"
work=$(mktemp -d)
trap 'tm kill-server 2>/dev/null || true; remove "$work"' EXIT
failed=0
isolate "$work"

# What kakoune-lsp does: a list of servers for each file type, asked for where a buffer names none.
cat >"$work/lsp.kak" <<'KAK'
declare-option str lsp_servers
define-command lsp-nop-with-0 nop
define-command lsp-if-no-servers -params 1.. %{
    evaluate-commands -save-regs a %{
        try %{
            "lsp-nop-with-0%opt{lsp_servers}"
            set-register a %arg{@}
        } catch %{
            set-register a nop
        }
        %reg{a}
    }
}
hook -group lsp-filetype-go global User LSPDefaultConfig=go %{
    set-option buffer lsp_servers %{
        [gopls]
        root_globs = ["go.mod"]
    }
}
KAK
awk '/^## Kakoune/ { found = 1 } found && /^```/ { if (inside) exit; inside = 1; next } inside' "$repository/docs/editors.md" >"$work/manicule.kak"
# lsp-enable and lsp-enable-window ask for the list, before our hook or after it.
echo 'hook -group lsp global BufSetOption filetype=(.*) %{ lsp-if-no-servers trigger-user-hook "LSPDefaultConfig=%val{hook_param_capture_1}" }' >"$work/all.kak"
echo 'hook -group lsp global WinSetOption filetype=go %{ lsp-if-no-servers trigger-user-hook "LSPDefaultConfig=%opt{filetype}" }' >"$work/window.kak"
printf 'package a\n' >"$work/a.go"

# names NAME FILE...: reads the files in this order, opens a file and tells which servers its buffer names.
names() {
	local name=$1 file found
	shift
	for file; do echo "source $work/$file"; done >"$work/rc.kak"
	rm -f "$work/servers"
	# shellcheck disable=SC2016
	printf 'evaluate-commands %%sh{ printf "%%s" "$kak_opt_lsp_servers" >%s.part; mv %s.part %s }\n' "$work/servers" "$work/servers" "$work/servers" >"$work/tell.kak"
	session -d -x 100 -y 24 "kak -e 'source $work/rc.kak; edit $work/a.go; source $work/tell.kak'"
	for _ in $(seq 150); do
		if [ -e "$work/servers" ]; then break; fi
		sleep 0.1
	done
	found=$(grep -o '\[[a-z]*\]$' "$work/servers" | tr '\n' ' ' || true)
	if [ "$found" = "[gopls] [manicule] " ]; then
		echo "PASS $name"
	else
		echo "FAIL $name: ${found:-none}"
		screen
		failed=1
	fi
	tm kill-server
}

echo "== $(kak -version)"
names "lsp-enable after the hook" lsp.kak manicule.kak all.kak
names "lsp-enable before the hook" lsp.kak all.kak manicule.kak
names "lsp-enable-window" lsp.kak manicule.kak window.kak
exit "$failed"
