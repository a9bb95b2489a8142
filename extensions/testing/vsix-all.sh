#!/usr/bin/env bash
# vsix-all.sh DIST OUT: the VS Code extension for each platform that is in DIST, as make release wrote it.
set -euo pipefail

dist=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/../vscode"
npm ci --ignore-scripts --no-audit --no-fund
version=$(node -p 'require("./package.json").version')
for pair in linux-amd64:linux-x64 linux-arm64:linux-arm64 linux-amd64-musl:alpine-x64 linux-arm64-musl:alpine-arm64 windows-amd64:win32-x64 darwin-amd64:darwin-x64 darwin-arm64:darwin-arm64; do
	id=${pair%%:*} target=${pair##*:}
	archive=$(find "$dist" -maxdepth 1 \( -name "manicule_*_$id.tar.gz" -o -name "manicule_*_$id.zip" \))
	[ -n "$archive" ] || { echo "skipped: $target, which needs $id"; continue; }
	tmp=$(mktemp -d)
	case $archive in
	*.zip) unzip -q "$archive" -d "$tmp" ;;
	*) tar -xzf "$archive" -C "$tmp" ;;
	esac
	program=$(find "$tmp" -name manicule -type f -o -name manicule.exe -type f)
	node scripts/package.mjs --target "$target" --binary "$program" --out "$out/manicule-$version-$target.vsix"
	rm -rf "$tmp"
done
