#!/usr/bin/env bash
# run-packages.sh [AGENT...]: the agents' packages in the agents themselves, as
# far as those run without an account: claude-code, opencode, codex, gemini,
# copilot (default: all). Only the npm registry is contacted.
#
#   MANICULE_BIN     the program; built from this repository when unset
#   MANICULE_AGENTS  a folder with the agents installed by npm; else they are
#                    installed into a temporary one (about 1.4 GB)
#   MANICULE_HOOK_BUDGET  the time of a hook, 2s when unset: what is told is tested here, not the speed
#   MANICULE_KEEP    keep the temporary folder when set
#   CI=true          an agent that can't be had is a failure, not a SKIP
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
extensions=$(dirname "$here")
[ $# -gt 0 ] || set -- claude-code opencode codex gemini copilot

work=$(mktemp -d)
api=
finish() {
	if [ -n "$api" ]; then kill "$api" 2>/dev/null || true; fi
	if [ -n "${MANICULE_KEEP:-}" ]; then echo "kept: $work"; else remove "$work"; fi
}
trap finish EXIT

# shellcheck source=workspace.sh
. "$here/workspace.sh"
use_program
mkdir -p "$work/bin"
[ -e "$work/bin/manicule" ] || ln -s "$MANICULE_BIN" "$work/bin/manicule"
MANICULE_BIN=$work/bin/manicule
node=$(command -v node || true)
agents=${MANICULE_AGENTS:-$work/agents}

git config --global --get user.name >/dev/null 2>&1 || export GIT_AUTHOR_NAME=Test GIT_COMMITTER_NAME=Test
npm_cache=$(npm config get cache 2>/dev/null || true)

failed=0
ok() { echo "  ok   $* (${SECONDS}s)"; }
fail() {
	echo "  FAIL $*"
	failed=1
}
skip() {
	if [ "${CI:-}" = true ]; then fail "$*"; else echo "  SKIP $*"; fi
}

# package NAME VERSION: installs an npm package without its scripts.
package() {
	[ -n "$node" ] || return 1
	[ -d "$agents/node_modules/$1" ] && return 0
	mkdir -p "$agents"
	[ -f "$agents/package.json" ] || echo '{"private":true}' >"$agents/package.json"
	(cd "$agents" && npm_config_cache=$npm_cache npm install "$1@$2" --ignore-scripts --no-audit --no-fund --loglevel=error >"$work/npm.log" 2>&1)
}

# home NAME: a fresh home and workspace for one agent, as $HOME and $space.
home() {
	isolate "$work/$1"
	space=$work/$1/workspace
	make_workspace "$space"
}

# clean COMMAND...: runs in the workspace with a bare environment, for at most
# three minutes (MANICULE_PATIENCE seconds).
clean() {
	(cd "$space" && env -i HOME="$HOME" PATH="$work/bin:$(dirname "$node"):/usr/bin:/bin" TERM=dumb \
		XDG_CONFIG_HOME="$XDG_CONFIG_HOME" XDG_DATA_HOME="$XDG_DATA_HOME" XDG_STATE_HOME="$XDG_STATE_HOME" XDG_CACHE_HOME="$XDG_CACHE_HOME" \
		MANICULE_HOOK_BUDGET="${MANICULE_HOOK_BUDGET:-2s}" DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
		OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1 OPENCODE_DISABLE_DEFAULT_PLUGINS=1 \
		"${more[@]}" timeout "${MANICULE_PATIENCE:-180}" "$@" 2>&1) </dev/null
}
more=()

# says WHAT PATTERN COMMAND...: runs it; it must succeed and print a match.
says() {
	local what=$1 pattern=$2 out
	shift 2
	if out=$(clean "$@") && grep -Eq -- "$pattern" <<<"$out"; then
		ok "$what"
	else
		fail "$what: no match for $pattern in"
		sed 's/^/       | /' <<<"$out"
	fi
}

# wired AGENT: what init has installed works as doctor runs it, and goes again.
wired() {
	says "doctor agents runs the hooks" "✓ $1 +hooks" manicule doctor agents
	says "doctor agents asks the server" "✓ $1 +server .*tools" manicule doctor agents
	says "undo takes it back" "all changes reverted|memories are kept" manicule init --undo
	local left # opencode puts packages of its own beside
	left=$(grep -rIl manicule "$space" "$HOME" --exclude-dir=.git --exclude-dir=.manicule --exclude-dir=node_modules --include='*.json' --include='*.toml' --include='*.js' --include='*.md*' |
		grep -v -e '/\.claude/' -e '/\.claude\.json' -e '/\.gemini/extension' -e '/\.gemini/trusted_hooks' -e '/\.codex/' -e '/\.copilot/' -e '/state/' -e '/cache/' -e '/data/' || true)
	if [ -z "$left" ]; then ok "nothing is left of it"; else fail "left after undo: $left"; fi
}

# logged WHAT PATTERN [TURN]: a request to the model, of that turn or later, holds a match.
logged() {
	if "$node" -e '
		const [file, pattern, turn] = process.argv.slice(1)
		const lines = require("fs").readFileSync(file, "utf8").trim().split("\n").map((l) => JSON.parse(l))
		process.exit(lines.some((l) => l.turn >= Number(turn) && l.tools.length > 0 && new RegExp(pattern).test(JSON.stringify(l.request))) ? 0 : 1)
	' "$work/api.jsonl" "$2" "${3:-0}"; then
		ok "$1"
	else
		fail "$1: no request holds $2"
	fi
}

# converse SCRIPT CLAUDE-ARGUMENT...: one conversation of Claude Code with the
# scripted model; the requests are in $work/api.jsonl.
converse() {
	serve "$1"
	shift
	more=(ANTHROPIC_BASE_URL="$model" ANTHROPIC_API_KEY=dummy-not-a-key)
	clean "$claude" "$@" --permission-mode acceptEdits >"$work/said.txt" || fail "claude: $(cat "$work/said.txt")"
	more=()
	stop_serving
}

# serve SCRIPT: a scripted model; $model is its address, and $work/api.jsonl gets
# the requests.
serve() {
	printf '%s' "$1" >"$work/script.json"
	: >"$work/api.jsonl"
	mkfifo "$work/port"
	"$node" "$here/model-api.mjs" "$work/script.json" "$work/api.jsonl" >"$work/port" &
	api=$!
	read -r model <"$work/port"
	model=http://127.0.0.1:$model
	rm "$work/port"
}

# stop_serving ends it.
stop_serving() {
	kill "$api" 2>/dev/null || true
	wait "$api" 2>/dev/null || true
	api=
}

# leave DECISION: the arguments of the session tool that leaves a decision.
leave() { printf '{"open": "%s", "kind": "decision", "at": "auth/token.go#Store.Validate", "why": "the store has no clock"}' "$1"; }

# repo GIT-ARGUMENT...: git in the workspace.
repo() { git -C "$space" -c user.name=Test -c user.email=test@example.test "$@"; }

# two_days: what the first session left, the second one is told in its first
# request, and it lives as long as its branch. The functions day_one and day_two
# run the agent: the first edits auth/token.go, then a check fails, and it leaves
# a decision. On the third day it reads auth/token.go and web/session.ts; day_three runs that.
two_days() {
	echo "  two days"
	printf 'test:\n\t@echo "auth/token.go:21: expired tokens are accepted"; exit 1\n' >"$space/Makefile"
	repo checkout -q -b feat
	repo add -A
	repo commit -q -m wip
	clean manicule build new "Refuse expired tokens" --branch feat >/dev/null || fail "build new"
	clean manicule build add "Compare the expiry" --phase Checks >/dev/null || fail "build add"
	clean manicule build start 1 >/dev/null || fail "build start"
	day_one
	cp "$work/said.txt" "$work/day1.txt"
	cp "$work/api.jsonl" "$work/day1.jsonl"
	# Not every agent says when a session ends: then it has ended by the next day.
	find "$XDG_STATE_HOME/manicule" -path '*/sessions/*.jsonl' -exec touch -d yesterday {} +
	says "what it decided waits" "decision: Expiry stays with the caller .*at auth/token.go#Store.Validate" manicule thread list
	repo add -A
	repo commit -q -m day1
	day_two
	cp "$work/api.jsonl" "$work/day2.jsonl"
	logged "the first request of the second day says what was decided" "decision “Expiry stays with the caller”"
	logged "and which build is under way" "Under way, as data: build “Refuse expired tokens” .* In progress: 1 “Compare the expiry”"
	logged "and which check fails" "failed at its end: .make test"
	says "the check waits at the place of its error" "thread: .make test. fails.* at auth/token.go" manicule thread list
	package js-tiktoken 1.0.21 || skip "the tokens can't be counted exactly"
	if (cd "$agents" && "$node" -e '
		const lines = require("fs").readFileSync(process.argv[1], "utf8").trim().split("\n").map((l) => JSON.parse(l))
		const texts = []
		const walk = (v) => (typeof v === "string" ? texts.push(v) : v && typeof v === "object" && Object.values(v).forEach(walk))
		walk(lines.find((l) => l.tools.length > 0).request)
		// All that a start is told: the brief, the build, the threads and what the last session left. It ends before an empty line.
		const told = texts.filter((t) => t.includes("☞ Left open by") && t.includes("make test")).map((t) => t.slice(t.indexOf("☞")).split(/<.system-reminder>|\n\n/)[0])[0] ?? ""
		let n = Math.ceil(told.length / 3)
		try { n = require("js-tiktoken").getEncoding("o200k_base").encode(told).length } catch {}
		console.log(n)
		console.error(told)
		process.exit(told !== "" && n <= 500 && /Expiry stays/.test(told) && /make test/.test(told) ? 0 : 1)
	' "$work/api.jsonl") >"$work/length" 2>"$work/told"; then ok "both, with the brief, in $(cat "$work/length") tokens"; else fail "both are told in $(cat "$work/length") tokens: $(cat "$work/told")"; fi
	stands "the failing check stands at the line of its error" 21 "make test"
	stands "the decision stands at its declaration" 21 "Expiry stays with the caller"
	clean manicule remember "Callers of Validate compare the expiry" --at "auth/token.go#Store.Validate" --personal >/dev/null || fail "remember"
	says "what was written on the branch is the branch's" "of branch feat" manicule list
	repo checkout -q main
	repo merge -q --squash feat >/dev/null
	repo commit -q -m feat
	repo branch -q -D feat
	says "after a squash it is the project's" "feat reached main by a squash; now for the whole project" manicule branch
	says "and told on the default branch" "Expiry stays with the caller" manicule wake
	if clean manicule list | grep -q "of branch feat"; then fail "the branch's memory is still the branch's"; else ok "and so is the branch's memory"; fi
	repo checkout -q -b tried
	echo >>"$space/web/session.ts"
	repo commit -q -a -m tried
	clean manicule thread add "Try a cache" >/dev/null || fail "thread add"
	clean manicule remember "A session asks the cache first" --type decision --at "web/session.ts#isLive" --personal >/dev/null || fail "remember"
	clean manicule remember "The cache is shared by all tests" --type gotcha --at "go.mod" >/dev/null || fail "remember"
	repo add -A
	repo commit -q -m "what was learned"
	clean manicule branch >/dev/null || fail "branch"
	day_three
	logged "on its branch an agent is told of the memory" "asks the cache first" 1
	repo checkout -q main
	repo branch -q -D tried
	says "what was left on a branch that is given up is retired" "tried was deleted before it reached main; retired: 1 thread; forgotten in a week: 1 personal memory; for review, since it says what failed: 1 memory" manicule branch
	says "the thread with the reason" "Try a cache .*parked, its branch tried was deleted before it reached main" manicule thread list --all
	says "the memory waits, and nobody is told" "tried +1 thread, 1 personal memory, deleted, nobody is told, forgotten on" manicule branch
	says "the one that was committed is gone with it, and what failed waits for a review" "shared by all tests" manicule review list
	day_three
	if grep -q "Callers of Validate compare the expiry" "$work/api.jsonl" && ! grep -Eq "asks the cache first|shared by all tests" "$work/api.jsonl"; then
		ok "no agent is told of either, and is told what reached main"
	else
		fail "a memory of the deleted branch is told, or one of main is not"
	fi
	a_week_passes
	says "a week later the memory is retired" "tried was deleted before it reached main; retired: 1 personal memory" manicule branch
	says "with the reason, and can be brought back" "A session asks the cache first +its branch tried was deleted before it reached main" manicule restore
	if clean manicule list | grep -q "asks the cache first"; then fail "it is still listed"; else ok "and it is listed no more"; fi
}

# a_check_fails SHELL READ FIELD: what failed in the first session is told in the first request of the
# second one, with what then worked, and a file's memory once in a conversation. The function prompt runs the
# agent, whose tools for a command and a file are SHELL and READ, and the latter's field is FIELD.
a_check_fails() {
	echo "  a check that fails"
	printf 'test:\n\t@test -n "$$REDIS_URL" || { echo "Error: REDIS_URL is not set"; exit 3; }; echo "12 passed"\n' >"$space/Makefile"
	local read='{"name": "'"$2"'", "input": {"'"$3"'": "'"$space"'/auth/token.go"}}'
	prompt '[{"name": "'"$1"'", "input": {"command": "make test", "description": "test"}}, {"name": "'"$1"'", "input": {"command": "REDIS_URL=redis://localhost make test", "description": "test"}}]' "Run the tests"
	find "$XDG_STATE_HOME/manicule" -path '*/sessions/*.jsonl' -exec touch -d yesterday {} +
	says "what was asked is known" "Run the tests" manicule session list
	prompt "[$read, $read]" "Run the tests again"
	logged "what it needs is told before it is run again" "make test. failed in an earlier session with .REDIS_URL is not set.; with the variable .REDIS_URL. set it worked"
	if "$node" -e '
		const lines = require("fs").readFileSync(process.argv[1], "utf8").trim().split("\n").map((l) => JSON.parse(l))
		const text = JSON.stringify(lines.filter((l) => l.tools.length > 0).at(-1).request)
		process.exit(text.match(/☞ About auth\/token.go: 1 memory/g)?.length === 1 ? 0 : 1)
	' "$work/api.jsonl"; then ok "a file that is read twice is told of once"; else fail "a file that is read twice is told of twice, or not at all"; fi
}

# a_week_passes: what state.db knows of branches is eight days older.
a_week_passes() {
	python3 - "$XDG_STATE_HOME/manicule" <<-'PY'
		import glob, sqlite3, sys
		for file in glob.glob(sys.argv[1] + "/*/state.db"):
		    db = sqlite3.connect(file)
		    db.execute("UPDATE branches SET since_ms = since_ms - 8 * 24 * 3600 * 1000")
		    db.commit()
	PY
}

# stands WHAT LINE PATTERN: the language server shows a lens with a match at the line of auth/token.go.
stands() {
	local lenses
	lenses=$("$node" "$here/lens.mjs" "$MANICULE_BIN" "$space" auth/token.go 2>/dev/null || true)
	if grep -Eq "^$2 .*$3" <<<"$lenses"; then ok "$1"; else fail "$1: no lens at line $2 with $3 in: $lenses"; fi
}

# told LINE...: events of a session of Claude Code that nobody has to play.
told() {
	local line
	for line in "$@"; do (cd "$space" && "$MANICULE_BIN" hook claude-code >/dev/null) <<<"$line"; done
}

# learn_a_skill: what Claude Code did in several sessions becomes a skill that it loads.
learn_a_skill() {
	echo "  a skill of what it did"
	home claude-skill
	printf '# Changes\n\n## 1.0.0\n' >"$space/CHANGELOG.md"
	echo 1.0.0 >"$space/version.txt"
	printf 'release-check:\n\t@echo fine\n' >"$space/Makefile"
	repo add -A
	repo commit -q -m "a release"
	clean manicule init --agent claude-code >/dev/null || fail "init"
	local task n=0 next
	for task in "Colour the output of the printer" "Add a flag for languages" "The login page is blank in Safari" "Rename the cache package" "Make the index faster" "Translate the manual"; do
		n=$((n + 1))
		told '{"hook_event_name":"UserPromptSubmit","session_id":"other-'$n'","cwd":"'"$space"'","prompt":"'"$task"'"}' \
			'{"hook_event_name":"PostToolUse","session_id":"other-'$n'","cwd":"'"$space"'","tool_name":"Edit","tool_use_id":"e","tool_input":{"file_path":"'"$space"'/f'$n'.go","old_string":"a","new_string":"b"},"tool_response":{}}' \
			'{"hook_event_name":"SessionEnd","session_id":"other-'$n'","cwd":"'"$space"'","reason":"exit"}'
	done
	for n in 0 1 2 3; do
		next=$((n + 1))
		converse '[{"name": "Read", "input": {"file_path": "'"$space"'/CHANGELOG.md"}}, {"name": "Read", "input": {"file_path": "'"$space"'/version.txt"}},
			{"name": "Edit", "input": {"file_path": "'"$space"'/CHANGELOG.md", "old_string": "## 1.'$n'.0", "new_string": "## 1.'$next'.0"}},
			{"name": "Edit", "input": {"file_path": "'"$space"'/version.txt", "old_string": "1.'$n'.0", "new_string": "1.'$next'.0"}},
			{"name": "Bash", "input": {"command": "make release-check"}}]' -p "Prepare the release of 1.$next.0" --allowedTools Read,Edit,Bash
	done
	clean manicule observe >/dev/null || fail "observe"
	says "its recipe waits for a person" "Prepare the release of .*4 worked, 0 failed" manicule skill list
	local id
	id=$(clean manicule skill list | grep -Eo '^[ *]*[0-9a-f]{8}  Prepare' | grep -Eo '[0-9a-f]{8}')
	clean manicule review accept "$id" >/dev/null || fail "accept"
	says "it is exported as a skill" "wrote .claude/skills/prepare-the-release/SKILL.md" manicule skill export "$id" --agent claude-code
	converse '[{"name": "Skill", "input": {"skill": "prepare-the-release"}}]' -p "Prepare the release of 1.9.0" --allowedTools Skill
	logged "Claude Code offers the skill" "prepare-the-release"
	logged "and loads its steps" "Run .make release-check" 1
	clean manicule init --undo >/dev/null || fail "undo"
}

claude_code() {
	package @anthropic-ai/claude-code 2.1.329 || { skip "claude-code can't be installed"; return; }
	claude=$(echo "$agents"/node_modules/@anthropic-ai/claude-code-*/claude)
	[ -x "$claude" ] || { skip "claude-code has no program for this machine"; return; }
	home claude-code
	local plugin=$extensions/claude-code
	says "the plugin is valid" "Validation passed" "$claude" plugin validate --strict "$plugin"
	says "its marketplace can be added from a clone" "Successfully added" "$claude" plugin marketplace add "$plugin"
	says "it can be installed" "Successfully installed" "$claude" plugin install manicule@manicule
	says "it brings 8 hooks" "Hooks \(8\)" "$claude" plugin details manicule
	says "it brings a skill and three commands" "Skills \(4\)  memories, recall, remember, review" "$claude" plugin details manicule
	says "it brings no language server" "LSP servers \(0\)" "$claude" plugin details manicule
	says "its server is connected" "plugin:manicule:manicule.*(Connected|✔)" "$claude" mcp list
	says "doctor agents knows the plugin" "✓ claude-code +plugin .*version" manicule doctor agents
	says "doctor agents runs its hooks" "✓ claude-code +hooks .*hooks.json" manicule doctor agents
	says "the gopls opt-in is a plugin of its own" "Successfully installed" "$claude" plugin install manicule-gopls@manicule
	says "it brings a language server" "LSP servers \(1\)" "$claude" plugin details manicule-gopls
	says "it goes again" "Successfully uninstalled|uninstalled" "$claude" plugin uninstall manicule-gopls@manicule

	echo "  a conversation with the plugin"
	converse '[{"name": "Read", "input": {"file_path": "'"$space"'/auth/token.go"}}, {"name": "mcp__plugin_manicule_manicule__recall", "input": {"paths": ["web/session.ts"]}}]' \
		-p "look at the token" --allowedTools Read,mcp__plugin_manicule_manicule__recall
	logged "the brief opens the session" "Manicule (keeps|is new)"
	logged "the nudge comes with the file" "☞ About auth/token.go: 1 memory" 1
	logged "the server's tools are offered" '"name":"mcp__plugin_manicule_manicule__(recall|search)"|mcp__plugin_manicule_manicule__recall'
	logged "the server says when to use them" "## plugin:manicule:manicule"
	logged "a recalled memory reaches the model" '"tool_use_id":"toolu_1".*Clock skew of clients' 2
	converse '[]' -p "/manicule:remember --at web/session.ts#logout Sessions live in cookies"
	logged "the command's text reaches the model" "asks to keep this as a memory"
	logged "what the hook did with it is beside it" "Manicule (has stored|keeps) .{1,4}Sessions live in cookies"
	says "the memory is there" "Sessions live in cookies" manicule list

	echo "  beside what init installs"
	clean manicule init --agent claude-code >/dev/null || fail "init"
	says "Claude Code finds the server of init" "^manicule: manicule mcp.*(Connected|✔)" "$claude" mcp list
	converse '[{"name": "Read", "input": {"file_path": "'"$space"'/auth/token.go"}}]' -p "look at the token" --allowedTools Read
	logged "the nudge still comes" "☞ About auth/token.go: 1 memory" 1
	if "$node" -e '
		const lines = require("fs").readFileSync(process.argv[1], "utf8").trim().split("\n").map((l) => JSON.parse(l))
		const last = lines.filter((l) => l.tools.length > 0).at(-1)
		const text = JSON.stringify(last.request)
		const brief = /☞ Manicule keeps \d+ memories/g
		const count = (re) => (text.match(re) ?? []).length
		const servers = new Set(last.tools.filter((t) => /^mcp__.*__recall$/.test(t)))
		if (count(/☞ About auth\/token.go: 1 memory/g) !== 1 || count(brief) !== 1 || servers.size > 1) {
			console.log(count(/☞ About auth\/token.go: 1 memory/g), count(brief), [...servers])
			process.exit(1)
		}
	' "$work/api.jsonl"; then ok "nothing is said twice, and no tool is there twice"; else fail "something is there twice"; fi
	local log
	log=$(ls -t "$XDG_STATE_HOME"/manicule/*/sessions/*.jsonl | head -n 1)
	if [ "$(grep -c '"PreToolUse"' "$log")" = 1 ]; then ok "what happened is logged once"; else fail "logged twice: $(cut -c 1-120 "$log")"; fi
	says "doctor agents says that both are there" "• claude-code +plugin its hooks are installed beside" manicule doctor agents
	clean "$claude" plugin uninstall manicule@manicule >/dev/null || fail "uninstall"
	wired claude-code
	says "Claude Code has no server left" "No MCP servers" "$claude" mcp list

	clean manicule init --agent claude-code >/dev/null || fail "init"
	day_one() {
		converse '[{"name": "Read", "input": {"file_path": "'"$space"'/auth/token.go"}},
			{"name": "Edit", "input": {"file_path": "'"$space"'/auth/token.go", "old_string": "known == token", "new_string": "token == known"}},
			{"name": "Bash", "input": {"command": "make test"}},
			{"name": "mcp__manicule__session", "input": '"$(leave "Expiry stays with the caller")"'}]' \
			-p "Refuse expired tokens" --allowedTools Read,Edit,Bash,mcp__manicule__session
	}
	day_two() { converse '[]' -p "go on with the tokens"; }
	day_three() { converse '[{"name": "Read", "input": {"file_path": "'"$space"'/web/session.ts"}}, {"name": "Read", "input": {"file_path": "'"$space"'/auth/token.go"}}]' -p "look at the token" --allowedTools Read; }
	two_days
	clean manicule init --undo >/dev/null || fail "undo"

	echo "  for a colleague without the program"
	says "the plugin can be installed" "Successfully installed" "$claude" plugin install manicule@manicule
	rm "$work/bin/manicule"
	converse '[{"name": "Read", "input": {"file_path": "'"$space"'/auth/token.go"}}]' -p "look at the token" --allowedTools Read --output-format stream-json --verbose
	ln -s "$(realpath "$real")" "$work/bin/manicule"
	if grep -q '"subtype":"success"' "$work/said.txt" && ! grep -Eiq 'hook (error|failed)|command not found' "$work/said.txt" "$work/api.jsonl"; then
		ok "the conversation goes on, and no hook fails"
	else
		fail "without the program: $(tail -c 600 "$work/said.txt")"
	fi
	learn_a_skill
}

opencode() {
	package opencode-ai 1.18.33 || { skip "opencode can't be installed"; return; }
	local program
	program=$(echo "$agents"/node_modules/opencode-linux-*/bin/opencode | tr ' ' '\n' | head -n 1)
	[ -x "$program" ] || { skip "opencode has no program for this machine"; return; }
	home opencode
	clean manicule init --agent opencode >/dev/null || fail "init"
	says "its server is connected" "manicule.*connected" "$program" mcp list
	says "its plugin is loaded" "plugins/manicule\.js" "$program" debug config
	prompt() {
		serve "$1"
		mkdir -p "$XDG_CONFIG_HOME/opencode"
		printf '{"provider": {"anthropic": {"options": {"baseURL": "%s/v1", "apiKey": "dummy"}, "models": {"scripted": {"name": "scripted", "tool_call": true, "limit": {"context": 100000, "output": 4000}}}}}, "model": "anthropic/scripted", "small_model": "anthropic/scripted", "permission": "allow"}' \
			"$model" >"$XDG_CONFIG_HOME/opencode/opencode.json"
		clean "$program" run "$2" >"$work/said.txt" || fail "opencode: $(cat "$work/said.txt")"
		rm "$XDG_CONFIG_HOME/opencode/opencode.json"
		stop_serving
	}
	day_one() {
		prompt '[{"name": "read", "input": {"filePath": "'"$space"'/auth/token.go"}},
			{"name": "edit", "input": {"filePath": "'"$space"'/auth/token.go", "oldString": "known == token", "newString": "token == known"}},
			{"name": "bash", "input": {"command": "make test", "description": "test"}},
			{"name": "manicule_session", "input": '"$(leave "Expiry stays with the caller")"'}]' "Refuse expired tokens"
	}
	day_two() { prompt '[]' "go on with the tokens"; }
	day_three() { prompt '[{"name": "read", "input": {"filePath": "'"$space"'/web/session.ts"}}, {"name": "read", "input": {"filePath": "'"$space"'/auth/token.go"}}]' "look at the token"; }
	two_days
	wired opencode
}

codex() {
	package @openai/codex 0.169.0 || { skip "codex can't be installed"; return; }
	home codex
	clean manicule init --agent codex >/dev/null || fail "init"
	# A project's configuration counts where a person has trusted the folder.
	mkdir -p "$HOME/.codex"
	printf '[projects."%s"]\ntrust_level = "trusted"\n' "$space" >"$HOME/.codex/config.toml"
	says "it reads the server" "manicule +manicule +mcp .*enabled" "$agents/node_modules/.bin/codex" mcp list
	prompt() {
		serve "$1"
		cp "$HOME/.codex/config.toml" "$work/codex.toml"
		{
			printf 'model = "scripted"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\nbase_url = "%s/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n' "$model"
			cat "$work/codex.toml"
		} >"$HOME/.codex/config.toml"
		more=(SCRIPTED_KEY=dummy)
		clean "$agents/node_modules/.bin/codex" exec --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust "$2" >"$work/said.txt" || fail "codex: $(cat "$work/said.txt")"
		more=()
		cp "$work/codex.toml" "$HOME/.codex/config.toml"
		stop_serving
	}
	day_one() {
		prompt '[{"name": "exec_command", "input": {"cmd": "apply_patch <<\u0027PATCH\u0027\n*** Begin Patch\n*** Update File: auth/token.go\n@@\n-\t\tif known == token {\n+\t\tif token == known {\n*** End Patch\nPATCH"}},
			{"name": "exec_command", "input": {"cmd": "make test"}},
			{"name": "session", "namespace": "mcp__manicule", "input": '"$(leave "Expiry stays with the caller")"'}]' "Refuse expired tokens"
	}
	day_two() { prompt '[]' "go on with the tokens"; }
	day_three() { prompt '[{"name": "exec_command", "input": {"cmd": "sed -n 1,40p web/session.ts"}}, {"name": "exec_command", "input": {"cmd": "sed -n 1,40p auth/token.go"}}]' "look at the token"; }
	two_days
	wired codex
}

gemini() {
	package @google/gemini-cli 0.61.0 || { skip "gemini can't be installed"; return; }
	home gemini
	says "the extension is valid" "successfully validated|is valid" "$agents/node_modules/.bin/gemini" extensions validate "$extensions/gemini"
	more=(GEMINI_CLI_TRUST_WORKSPACE=true)
	says "it can be linked" "linked successfully" "$agents/node_modules/.bin/gemini" extensions link --consent "$extensions/gemini"
	says "its server is connected" "manicule \(from manicule\).*Connected" "$agents/node_modules/.bin/gemini" mcp list
	says "doctor agents runs its hooks" "✓ gemini +hooks .*/hooks\.json" manicule doctor agents
	says "it goes again" "successfully uninstalled" "$agents/node_modules/.bin/gemini" extensions uninstall manicule
	echo "  installed by init"
	clean manicule init --agent gemini >/dev/null || fail "init"
	says "its server is connected" "manicule.*Connected" "$agents/node_modules/.bin/gemini" mcp list
	more=()
	prompt() {
		serve "$1"
		more=(GEMINI_CLI_TRUST_WORKSPACE=true GEMINI_API_KEY=dummy GOOGLE_GEMINI_BASE_URL="$model")
		mkdir -p "$HOME/.gemini"
		echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}}' >"$HOME/.gemini/settings.json"
		clean "$agents/node_modules/.bin/gemini" -y -m gemini-2.5-pro -p "$2" >"$work/said.txt" || fail "gemini: $(cat "$work/said.txt")"
		more=()
		stop_serving
	}
	a_check_fails run_shell_command read_file file_path
	wired gemini
}

copilot() {
	package @github/copilot 1.0.102 || { skip "copilot can't be installed"; return; }
	home copilot
	clean manicule init --agent copilot >/dev/null || fail "init"
	says "it reads the server" "manicule \(local\)" "$agents/node_modules/.bin/copilot" mcp list
	prompt() {
		serve "$1"
		more=(COPILOT_PROVIDER_BASE_URL="$model" COPILOT_PROVIDER_TYPE=anthropic COPILOT_PROVIDER_API_KEY=dummy COPILOT_MODEL=claude-sonnet-4.5 COPILOT_OFFLINE=true)
		clean "$agents/node_modules/.bin/copilot" --allow-all-tools -p "$2" >"$work/said.txt" || fail "copilot: $(cat "$work/said.txt")"
		more=()
		stop_serving
	}
	a_check_fails bash view path
	wired copilot
}

real=$(realpath "$MANICULE_BIN")
for agent in "$@"; do
	echo "== $agent"
	case $agent in
	claude-code) claude_code ;;
	opencode | codex | gemini | copilot) "$agent" ;;
	*) fail "there is no test of $agent" ;;
	esac
done
exit "$failed"
