#!/usr/bin/env bash
# bundle.sh: makes d3-hierarchy.min.js, the part of D3 that lays out the map, from npm.
# The result is in the repository, so that a build needs no npm.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts=false d3-hierarchy@3.1.2 esbuild@0.25.9 >/dev/null
echo 'export { hierarchy, treemap } from "d3-hierarchy";' >entry.js
{
	printf '/*! d3-hierarchy 3.1.2, ISC\n\n'
	cat node_modules/d3-hierarchy/LICENSE
	printf '*/\n'
	npx esbuild entry.js --bundle --minify --format=iife --global-name=d3 --target=es2022 --charset=ascii --legal-comments=none
} >"$here/d3-hierarchy.min.js"
