package action

import (
	"slices"
	"testing"

	"manicule/memory"
	"manicule/memory/file"
)

// TestVersionTitles: two versions of one number that say the same are told apart.
func TestVersionTitles(t *testing.T) {
	past := func(version int, hash string, current bool) memory.Past {
		return memory.Past{Memory: &file.Memory{What: "Tokens expire", Lineage: file.Lineage{Version: version}}, Hash: "sha256:" + hash, Current: current}
	}
	titles, hashes := versionTitles([]memory.Past{past(3, "aaaaaaaaaa", true), past(2, "bbbbbbbbbb", false), past(2, "cccccccccc", false), past(1, "dddddddddd", false)})
	if want := []string{"version 2: “Tokens expire”", "version 2 (cccccccc): “Tokens expire”", "version 1: “Tokens expire”"}; !slices.Equal(titles, want) {
		t.Errorf("titles: %q", titles)
	}
	if hashes[titles[0]] != "sha256:bbbbbbbbbb" || hashes[titles[1]] != "sha256:cccccccccc" {
		t.Errorf("hashes: %v", hashes)
	}
}
