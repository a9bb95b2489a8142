#!/usr/bin/env bash
# keep-version.sh PROGRAM NAME: what a version of the program leaves on a machine, in cmd/manicule/testdata/upgrade/NAME.
# TestUpgrade opens it with every later version. The folder is never changed afterwards.
set -euo pipefail

program=$(realpath "$1")
name=$2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
out=$PWD/cmd/manicule/testdata/upgrade/$name
[ ! -e "$out" ] || { echo "$out is there already, and stays as it is" >&2; exit 1; }
tmp=/tmp/manicule-kept # paths in the files are those of no machine
mkdir "$tmp"
trap 'rm -rf "$tmp"' EXIT
export HOME=$tmp/home XDG_STATE_HOME=$tmp/state XDG_CACHE_HOME=$tmp/cache XDG_DATA_HOME=$tmp/data XDG_CONFIG_HOME=$tmp/config
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.com GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com
mkdir -p "$HOME" "$tmp/repo"
cd "$tmp/repo"
git init -q -b main
mkdir .git/manicule
echo a915960e42ac4b0d >.git/manicule/id # the tests' repository has it, too
printf 'package a\n\n// F adds.\nfunc F(a, b int) int { return a + b }\n' >a.go

# id prints the short id in the last answer of the program.
id() { sed -n 's/^☞ [a-z ]*: \([0-9a-f]\{8\}\).*/\1/p'; }
remember() { "$program" remember "$@" | id; }
hook() { printf '%s' "$1" | "$program" hook claude-code >/dev/null; }

"$program" init >/dev/null
gotcha=$(remember "the cache is flushed on Friday" --type gotcha --at 'a.go#F')
"$program" edit "$gotcha" --what "the cache is flushed by hand" --why "the pool keeps it" >/dev/null
convention=$(remember "retries wait for a second" --type convention --scope '**/*.go')
preference=$(remember "say the branch first" --type preference --personal)
draft=$(remember "a draft of an agent about F" --type gotcha --at 'a.go#F' --draft)
forgotten=$(remember "to be forgotten soon enough" --type convention)
"$program" forget "$forgotten" >/dev/null
thread=$("$program" thread add "the timeout is still open" --at 'a.go#F' | id)
"$program" trust 2 >/dev/null
"$program" index >/dev/null
"$program" dispute "$convention" "they wait for two" >/dev/null
event() { printf '{"session_id":"kept-%s","cwd":"%s","hook_event_name":"%s"%s}' "$1" "$PWD" "$2" "${3:-}"; }
for session in one two; do
	hook "$(event $session SessionStart ',"source":"startup"')"
	hook "$(event $session UserPromptSubmit ',"prompt":"Let F refuse what is too large"')"
	hook "$(event $session PreToolUse ',"tool_name":"Read","tool_input":{"file_path":"'"$PWD"'/a.go"}')"
	hook "$(event $session PostToolUse ',"tool_name":"Edit","tool_use_id":"e1","tool_input":{"file_path":"'"$PWD"'/a.go","old_string":"a + b","new_string":"a+b"},"tool_response":{"filePath":"x"}')"
	hook "$(event $session PostToolUseFailure ',"tool_name":"Bash","tool_use_id":"f1","tool_input":{"command":"go test ./..."},"error":"Exit code 1\na_test.go:7: want 3, got 2"')"
	hook "$(event $session PostToolUse ',"tool_name":"TodoWrite","tool_use_id":"t1","tool_input":{"todos":[{"content":"Write the test of F","status":"pending"}]}')"
	hook "$(event $session SessionEnd ',"reason":"other"')"
done
"$program" observe >/dev/null

mkdir -p "$out"
cp -r .manicule "$out/workspace"
state=$XDG_STATE_HOME/manicule/a915960e42ac4b0d
sqlite3 "$state/state.db" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
gzip -9nc "$state/state.db" >"$out/state.db.gz"
cp -r "$state" "$out/state"
rm -rf "$out"/state/state.db* "$out"/state/*.lock "$out/workspace/memories/.tmp"
# Without their dots git reads neither, and takes the files that they name.
find "$out" -name '.git*' | while read -r f; do mv "$f" "${f%/.git*}/git${f##*/.git}"; done
gotcha_uuid=$(cd "$out/workspace/memories" && find . -name "*$gotcha.json" -exec basename {} .json \;)
for v in gotcha gotcha_uuid convention preference draft forgotten thread; do echo "$v ${!v}"; done >"$out/ids"
"$program" version --json >"$out/version.json"
find "$out" -type f | sed "s,^$out/,,"
