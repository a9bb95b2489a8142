# shellcheck shell=bash
# workspace.sh: the program, a home and a small repository with memories, for tests and pictures. Sourced.

# isolate DIR: gives what runs from here a home of its own.
isolate() {
	mkdir -p "$1/home"
	export HOME=$1/home
	export XDG_CONFIG_HOME=$1/home/config XDG_DATA_HOME=$1/home/data
	export XDG_STATE_HOME=$1/home/state XDG_CACHE_HOME=$1/home/cache
	unset GIT_DIR GIT_WORK_TREE
}

# use_program: MANICULE_BIN is the program to test, which has the hooks' beside it. Both are built in
# $work/bin where it is unset.
use_program() {
	if [ -z "${MANICULE_BIN:-}" ]; then
		MANICULE_BIN=$work/bin/manicule
		(
			cd "$(dirname "${BASH_SOURCE[0]}")/../.."
			go build -o "$work/bin/" ./cmd/manicule
			CGO_ENABLED=0 go build -o "$work/bin/" ./cmd/manicule-hook
		)
	fi
	MANICULE_BIN=$(realpath "$MANICULE_BIN")
	export MANICULE_BIN
}

# make_code DIR: a repository in Go, TypeScript and Python, without memories.
make_code() {
	mkdir -p "$1/auth" "$1/web" "$1/tools"
	cat >"$1/go.mod" <<'EOF'
module example.test/shop

go 1.22
EOF
	cat >"$1/auth/token.go" <<'EOF'
// Package auth checks and renews tokens.
package auth

import "errors"

// Store keeps tokens in Redis.
type Store struct {
	tokens map[string]string
}

// Refresh renews a token before it runs out.
func (s *Store) Refresh(id string) (string, error) {
	token, ok := s.tokens[id]
	if !ok {
		return "", errors.New("unknown token")
	}
	return token + "+", nil
}

// Validate tells whether a token is known.
func (s *Store) Validate(token string) bool {
	for _, known := range s.tokens {
		if known == token {
			return true
		}
	}
	return false
}
EOF
	cat >"$1/web/session.ts" <<'EOF'
export interface Session {
  user: string;
  expires: number;
}

export function isLive(session: Session): boolean {
  return session.expires > Date.now();
}

export function logout(session: Session): void {
  session.expires = 0;
}
EOF
	cat >"$1/tools/report.py" <<'EOF'
"""Prints the sales of a month."""


def month(rows, name):
    return [row for row in rows if row["month"] == name]


def total(rows):
    return sum(row["amount"] for row in rows)
EOF
	git -C "$1" init -q -b main
}

# make_workspace DIR: the same with one memory at a Go method (by its name), one at a line of TypeScript, and one for a
# folder of Python. Uses $MANICULE_BIN.
make_workspace() {
	make_code "$1"
	(
		cd "$1" || exit
		"$MANICULE_BIN" init >/dev/null
		"$MANICULE_BIN" remember "Refresh fails silently when Redis is unreachable" \
			--why "Incident in May: the dial error was swallowed" \
			--type gotcha --at auth/token.go#Store.Refresh >/dev/null
		"$MANICULE_BIN" remember "Clock skew of clients is up to a minute" \
			--type gotcha --at web/session.ts:7 >/dev/null
		"$MANICULE_BIN" remember "Amounts are in cents" \
			--type convention --scope 'tools/**' >/dev/null
		git add -A
		git -c user.name=Test -c user.email=test@example.test commit -q -m "Start"
	)
}

# remove FOLDER...: editors and servers that are just ending may still write there.
# It tries for six seconds, and what is left then fails nothing.
remove() {
	for _ in $(seq 20); do
		rm -rf "$@" 2>/dev/null && return
		sleep 0.3
	done
	echo "not all of $* could be removed" >&2
}
