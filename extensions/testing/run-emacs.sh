#!/usr/bin/env bash
# run-emacs.sh: the real server in a real Emacs without a screen, with eglot and
# with lsp-mode (beside gopls where that is here).
#
# Needs emacs with eglot, lsp-mode and go-mode (Debian: emacs-nox elpa-eglot
# elpa-lsp-mode elpa-go-mode).
#
#   GOPLS          a gopls; default: that of the cache folder, see run-nvim.sh
#   MANICULE_BIN   the server; built from this repository when unset
#   CI=true        an editor that can't be had is a failure, not a SKIP
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$(dirname "$here")")
MANICULE_TOOLS=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}

# shellcheck source=workspace.sh
. "$here/workspace.sh"

if ! emacs -q --batch --eval '(progn (require (quote eglot)) (require (quote lsp-mode)) (require (quote go-mode)))' 2>/dev/null; then
	if [ "${CI:-}" = true ]; then
		echo "FAIL Emacs with eglot, lsp-mode and go-mode is not here"
		exit 1
	fi
	echo "SKIP Emacs with eglot, lsp-mode and go-mode is not here"
	exit 0
fi

work=$(mktemp -d)
trap 'remove "$work"' EXIT
use_program
MANICULE_E2E_GOPLS=${GOPLS:-$MANICULE_TOOLS/bin/gopls}
[ -x "$MANICULE_E2E_GOPLS" ] || MANICULE_E2E_GOPLS=
export MANICULE_E2E_GOPLS

failed=0
# As package managers install it: compiled, without lsp-mode at hand.
mkdir "$work/plugin"
cp "$repository/extensions/emacs/manicule.el" "$work/plugin"
emacs -Q --batch --eval '(setq byte-compile-error-on-warn t)' -f batch-byte-compile "$work/plugin/manicule.el" || failed=1
for client in eglot lsp-mode; do
	isolate "$work/$client"
	mkdir -p "$work/$client/bin"
	ln -s "$MANICULE_BIN" "$work/$client/bin/manicule"
	make_workspace "$work/$client/workspace"
	echo "== $(emacs --version | head -n 1), $client"
	PATH=$work/$client/bin:$PATH \
		MANICULE_SERVER=$MANICULE_BIN \
		MANICULE_E2E_CLIENT=$client \
		MANICULE_E2E_WORKSPACE=$work/$client/workspace \
		MANICULE_E2E_PLUGIN=$work/plugin \
		timeout 180 emacs -q --batch -l "$here/emacs_e2e.el" 2>"$work/$client.err" || {
		failed=1
		tail -n 20 "$work/$client.err" >&2
	}
done
exit "$failed"
