# shellcheck shell=bash
# terminal.sh: an editor in a terminal (tmux), for tests that assert on its screen.
# Sourced after workspace.sh. Sets $work, a temporary folder that is removed at the end,
# $MANICULE_BIN, and $failed to 0.

# missing WHY: what the test needs is not here: a failure in CI, else a SKIP.
missing() {
	if [ "${CI:-}" = true ]; then
		echo "FAIL $*"
		exit 1
	fi
	echo "SKIP $*"
	exit 0
}

# begin: the folder, and the server.
begin() {
	command -v tmux >/dev/null || missing "tmux is not here"
	work=$(mktemp -d)
	trap 'tm kill-server 2>/dev/null || true; remove "$work"' EXIT
	use_program
	failed=0
}

tm() { tmux -L "manicule-$$" -f /dev/null "$@"; }
screen() { tm capture-pane -p; }

# session ARGUMENT...: a new session; the server of the one before may still be ending.
session() {
	for _ in $(seq 30); do
		if tm new-session "$@" 2>/dev/null; then return; fi
		sleep 0.1
	done
	tm new-session "$@"
}

# check NAME TEXT: waits until the screen shows a text.
check() {
	for _ in $(seq 150); do
		if screen | grep -qF -- "$2"; then
			echo "PASS $1"
			return
		fi
		sleep 0.1
	done
	echo "FAIL $1: the screen was"
	screen
	failed=1
}

# ends NAME: waits until the editor has ended.
ends() {
	for _ in $(seq 50); do
		if ! tm has-session 2>/dev/null; then
			echo "PASS $1"
			return
		fi
		sleep 0.1
	done
	echo "FAIL $1"
	failed=1
	tm kill-server
}
