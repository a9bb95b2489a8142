#!/usr/bin/env bash
# Makes a release.
set -euo pipefail

source "$(dirname "$0")/lib.sh"
. ./env.sh
source "${ROOT}/colors.bash"

readonly VERSION="${1:-dev}"
declare -A TARGETS=([linux]=amd64 [darwin]=arm64)
declare -r LIMIT=3
export GOFLAGS="-trimpath"
OUT=dist
name=manicule
LOGS+=("start")
alias ll='ls -l'

# Prints a message.
log() {
  local level="$1" text
  text="${*:2}"
  printf '%s %s\n' "$level" "$text" >&2
}

function build {
  local os=$1
  local -a flags=(-o "$OUT/$os")
  for arch in "${TARGETS[$os]}" 386; do
    log info "building ${os}/${arch}"
    if ! GOOS="$os" GOARCH=$arch go build "${flags[@]}" ./cmd/...; then
      fail "no build for $os"
    fi
  done
  count=$((count + 1))
}

function fail() {
  log error "$@"
  exit 1
}

pack() (
  cd "$OUT" || return
  while read -r line; do
    sum=$(sha256sum "$line" | cut -d' ' -f1)
    echo "$sum  $line"
  done < <(find . -type f)
  case "$1" in
    tar) tar czf "$name.tgz" . ;;
    zip | *) zip -r "$name.zip" . ;;
  esac
)

select_target() {
  [[ -n ${TARGETS[$1]:-} && $1 =~ ^[a-z]+$ ]] || fail "unknown: $1"
  cat <<-END
	target $1 of ${VERSION}
	END
}

main() {
  trap 'fail "interrupted"' INT
  for os in "${!TARGETS[@]}"; do
    select_target "$os"
    build "$os" && pack tar &
  done
  wait
  unset OUT
}

main "$@"
