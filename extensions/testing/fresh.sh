#!/bin/sh
# What a person does first, on a machine with nothing but a shell: one line installs, then init, a memory and a nudge.
set -eu

export HOME=/root FROM=/tmp
! command -v go || exit 1
sh /tmp/install.sh
PATH=$HOME/.local/bin:$PATH
mkdir -p /project/src
cd /project
printf 'package a\n\n// F adds.\nfunc F(a, b int) int { return a + b }\n' >src/a.go
manicule init
manicule remember "the cache is flushed by hand" --type gotcha --at 'src/a.go#F'
manicule search cache
echo '{"session_id":"s","cwd":"/project","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/project/src/a.go"}}' |
	manicule-hook claude-code | grep "the cache is flushed by hand"
rm -r "$HOME/.local/bin"
dpkg -i /tmp/manicule_*.deb
/usr/bin/manicule recall src/a.go | grep "the cache is flushed by hand"
zcat /usr/share/man/man1/manicule.1.gz | grep -q '^.TH MANICULE 1'
dpkg -r manicule
