#!/usr/bin/env bash
# thread-conflict.sh WORKSPACE TEXT MINE [THEIRS]: shares the thread that says TEXT, changes it in
# the workspace to MINE and in a clone to THEIRS, and merges the clone with git, which stops at the
# thread's file. With THEIRS git does not know the driver, as in a clone where nobody ran
# `manicule init`, and leaves its conflict markers; without it the clone deletes the file.
#
#   MANICULE_BIN  the program
set -euo pipefail

[ $# -eq 3 ] || [ $# -eq 4 ] || {
	echo "usage: thread-conflict.sh WORKSPACE TEXT MINE [THEIRS]" >&2
	exit 2
}
workspace=$1 text=$2 mine=$3 theirs=${4:-}
clone=$workspace-cleo
PATH=$(dirname "$MANICULE_BIN"):$PATH # git's configuration names the driver

# commit DIR NAME WORDS
commit() {
	git -C "$1" add -A
	git -C "$1" -c user.name="$2" -c user.email="$2@example.test" commit -q --allow-empty -m "$3"
}

cd "$workspace"
"$MANICULE_BIN" init >/dev/null
"$MANICULE_BIN" thread share "$("$MANICULE_BIN" thread list | grep -F "$text" | cut -d' ' -f1)" >/dev/null
file=$(grep -rlF "\"what\": \"$text\"" .manicule/sessions)
commit . ann "What is left open"
rm -rf "$clone"
git clone -q . "$clone"
# say DIR WORDS: writes the thread anew, as somebody did who said this. The newer version is the first.
say() {
	sed -i -E "s/\"what\": \"$text\"/\"what\": \"$2\"/; s/(\"updated_at\": \").*\"/\1$(date -u +%FT%T.%3NZ)\"/" "$1/$file"
}

if [ -n "$theirs" ]; then
	say "$clone" "$theirs"
else
	git -C "$clone" rm -q "$file"
fi
commit "$clone" cleo "Cleo knows better"
say . "$mine"
commit . ann "Ann knows better"
git fetch -q "$clone" HEAD
[ -z "$theirs" ] || git config --remove-section merge.manicule
if git -c user.name=ann -c user.email=ann@example.test merge -q -m "Merge what Cleo did" FETCH_HEAD >/dev/null; then
	echo "thread-conflict.sh: git did not stop" >&2
	exit 1
fi
[ "$(git diff --name-only --diff-filter=U)" = "$file" ] || {
	echo "thread-conflict.sh: git stopped elsewhere" >&2
	git status --short >&2
	exit 1
}
