#!/usr/bin/env bash
# code-server.sh [VERSION]: prints the folder of a code-server that can be driven in a test.
#
# code-server is the VS Code workbench (VS Code OSS with code-server's patches)
# served to a browser. Its npm package fetches a ripgrep from GitHub while it
# installs; so it is installed without scripts, its native modules are built
# one by one against this machine's Node, and Debian's rg is linked in. Only
# the npm registry is contacted. Takes about two minutes and 320 MB, once.
#
# Needs: node 20 (24 for versions from 4.101 on) with its headers (/usr/include/node
# or beside its bin folder), npm, a C++ compiler, rg and libkrb5-dev. MANICULE_TOOLS
# names the cache folder, as in nvim.sh.
set -euo pipefail

version=${1:-4.100.3} # VS Code 1.100.3, the last one for node 20
tools=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}
dir=$tools/code-server-$version
entry=$dir/node_modules/code-server/out/node/entry.js
prefix=$(dirname "$(dirname "$(command -v node)")")

cannot() {
	echo "code-server.sh: $*" >&2
	exit 3
}

if [ -e "$dir/.complete" ]; then
	echo "$dir"
	exit 0
fi
for program in node npm g++ make rg; do
	command -v "$program" >/dev/null || cannot "$program is missing"
done
[ -r "$prefix/include/node/node.h" ] || cannot "node's headers are not in $prefix/include/node"
[ -r /usr/include/gssapi/gssapi.h ] || cannot "libkrb5-dev is missing (the kerberos module needs it)"

export npm_config_nodedir=$prefix npm_config_build_from_source=true
export npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false

# build NAME: the native part of a package in the current folder. npm's exit
# code says little: node-pty fails in a step after its .node file is there.
build() {
	[ -d "node_modules/$1" ] || return 0
	npm rebuild --foreground-scripts "$1" >"$dir/build-${1//\//_}.log" 2>&1 || true
	find "node_modules/$1" -name '*.node' | grep -q . || cannot "$1 did not build, see $dir/build-${1//\//_}.log"
}

mkdir -p "$dir"
cd "$dir"
echo '{"private":true}' >package.json
npm install "code-server@$version" --ignore-scripts --no-package-lock >&2
build argon2
cd node_modules/code-server/lib/vscode
npm install --omit=dev --ignore-scripts >&2
(cd extensions && npm install --omit=dev --ignore-scripts >&2)
for module in kerberos @parcel/watcher @vscode/spdlog native-watchdog @vscode/native-watchdog node-pty @vscode/deviceid; do
	build "$module"
done
ln -sfn node_modules node_modules.asar
mkdir -p node_modules/@vscode/ripgrep/bin
ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
node "$entry" --version >&2
touch "$dir/.complete"
echo "$dir"
