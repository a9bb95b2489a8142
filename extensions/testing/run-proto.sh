#!/usr/bin/env bash
# run-proto.sh: what the server says, held against the protocol: its own
# description (metaModel.json) and the types of Microsoft's client library.
#
#   MANICULE_BIN   the server; built from this repository when unset
#   EVAL_DATA      the folder that holds protocol-schemas/; ../shared/data beside
#                  the repository when unset. Without it the description's half is
#                  left out: it is not part of the repository.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$(dirname "$here")")

# shellcheck source=workspace.sh
. "$here/workspace.sh"
# shellcheck source=vscode.sh
. "$here/vscode.sh"

model=-
for data in ${EVAL_DATA:+"$EVAL_DATA"} "$repository/../shared/data"; do
	file=$data/protocol-schemas/lsp-metaModel-3.18-node.json
	if [ -r "$file" ]; then
		model=$(realpath "$file")
		break
	fi
done

work=$(mktemp -d)
trap 'remove "$work"' EXIT
use_program
# With a lock file of our own; before the tests get a home of theirs.
[ -d "$here/proto/node_modules/vscode-languageserver-protocol" ] || (cd "$here/proto" && npm ci >&2)

isolate "$work"
make_workspace "$work/shop"
make_review "$work/shop"
timeout 120 node "$here/proto/client.mjs" "$MANICULE_BIN" "$work/shop" "$model"
