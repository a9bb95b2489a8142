#!/usr/bin/env bash
# merge-conflict.sh WORKSPACE TEXT MINE THEIRS: changes the memory that says TEXT
# in the workspace to MINE and in a clone of it to THEIRS, and merges the clone
# with git. Afterwards the memory has both versions, as for anybody who pulls.
#
#   MANICULE_BIN   the program whose merge driver git runs
#   WITHOUT_DRIVER git does not know the driver, as in a clone where nobody ran `manicule init`:
#                  the merge is not done, and the file has git's conflict markers
set -euo pipefail

[ $# -eq 4 ] || {
	echo "usage: merge-conflict.sh WORKSPACE TEXT MINE THEIRS" >&2
	exit 2
}
workspace=$1 text=$2 mine=$3 theirs=$4
clone=$workspace-bea
PATH=$(dirname "$MANICULE_BIN"):$PATH # git's configuration names the driver

# commit DIR NAME WORDS
commit() {
	git -C "$1" add -A
	git -C "$1" -c user.name="$2" -c user.email="$2@example.test" commit -q --allow-empty -m "$3"
}

# change DIR NAME WHAT
change() {
	local id
	id=$(basename "$(grep -rlF -- "\"what\": \"$text\"" "$1/.manicule/memories")" .json)
	git -C "$1" config user.name "$2"
	git -C "$1" config user.email "$2@example.test"
	(cd "$1" && "$MANICULE_BIN" edit "$id" --what "$3" >/dev/null)
	commit "$1" "$2" "$2 says what she found"
}

(cd "$workspace" && "$MANICULE_BIN" init >/dev/null)
commit "$workspace" ann "what was there"
rm -rf "$clone"
git clone -q "$workspace" "$clone"
(cd "$clone" && "$MANICULE_BIN" init >/dev/null)
change "$clone" bea "$theirs"
change "$workspace" ann "$mine"
git -C "$workspace" fetch -q "$clone" HEAD
if [ -n "${WITHOUT_DRIVER:-}" ]; then
	git -C "$workspace" config --remove-section merge.manicule
	if git -C "$workspace" -c user.name=ann -c user.email=ann@example.test merge -q -m "Merge what bea found" FETCH_HEAD; then
		echo "merge-conflict.sh: git merged without a conflict" >&2
		exit 1
	fi
	grep -rlF '<<<<<<<' "$workspace/.manicule/memories" >/dev/null || {
		echo "merge-conflict.sh: no memory has git's conflict markers" >&2
		exit 1
	}
	exit
fi
git -C "$workspace" -c user.name=ann -c user.email=ann@example.test merge -q -m "Merge what bea found" FETCH_HEAD
git -C "$workspace" log -1 --format=%p | grep -q ' ' || {
	echo "merge-conflict.sh: git merged nothing" >&2
	exit 1
}
grep -rlF '"conflict": [' "$workspace/.manicule/memories" >/dev/null || {
	echo "merge-conflict.sh: the merge kept one version" >&2
	exit 1
}
