#!/usr/bin/env bash
# run-wrap.sh [bench]: the proxy of `manicule lsp --wrap` around a real gopls: a
# recorded session, alone and behind the proxy. With bench, what it adds to a
# request instead.
#
#   MANICULE_TEST_GOPLS  the gopls; installed from the Go module proxy when unset
#   MANICULE_TOOLS       where to install it
#   CI=true              a gopls that can't be had is a failure, not a SKIP
set -euo pipefail

version=v0.23.0
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$(dirname "$(dirname "$here")")"
tools=${MANICULE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/manicule-tools}

if [ -z "${MANICULE_TEST_GOPLS:-}" ]; then
	MANICULE_TEST_GOPLS=$tools/gopls-$version/gopls
	if [ ! -x "$MANICULE_TEST_GOPLS" ] && ! GOFLAGS='' GOBIN=$(dirname "$MANICULE_TEST_GOPLS") go install "golang.org/x/tools/gopls@$version"; then
		if [ "${CI:-}" = true ]; then
			echo "FAIL gopls $version is not here"
			exit 1
		fi
		echo "SKIP gopls $version is not here"
		exit 0
	fi
fi
export MANICULE_TEST_GOPLS

if [ "${1:-}" = bench ]; then
	binary=$(mktemp -d)
	trap 'rm -rf "$binary"' EXIT
	go test -c -o "$binary/manicule.test" ./cmd/manicule
	quiet=()
	if chrt -r 10 true 2>/dev/null; then quiet=(chrt -r 10); fi # near-quiet figures on a busy machine
	(cd cmd/manicule && "${quiet[@]}" "$binary/manicule.test" -test.run '^$' -test.bench '^BenchmarkWrap$' -test.benchtime 2000x)
else
	go test ./lsp/wrap
	go test -count=1 -v -run '^TestWrap' ./cmd/manicule
fi
