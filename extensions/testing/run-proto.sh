#!/usr/bin/env bash
# run-proto.sh: what the server says, held against the protocol: its own
# description (metaModel.json) and the types of Microsoft's client library.
#
#   MANICULE_BIN   the server; built from this repository when unset
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$(dirname "$here")")

# shellcheck source=workspace.sh
. "$here/workspace.sh"
# shellcheck source=vscode.sh
. "$here/vscode.sh"

work=$(mktemp -d)
trap 'remove "$work"' EXIT
use_program
# With a lock file of our own; before the tests get a home of theirs.
[ -d "$here/proto/node_modules/vscode-languageserver-protocol" ] || (cd "$here/proto" && npm ci >&2)

isolate "$work"
make_workspace "$work/shop"
make_review "$work/shop"
gunzip -c "$repository/lsp/lsptest/metaModel.json.gz" >"$work/metaModel.json"
timeout 120 node "$here/proto/client.mjs" "$MANICULE_BIN" "$work/shop" "$work/metaModel.json"
