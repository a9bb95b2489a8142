package branch

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"manicule/indexer/treefile"
)

// maxReflog bounds the log of HEAD in bytes.
const maxReflog = 8 << 20

// left returns the commits at which branches were last left for another one, by their names, as the
// log of HEAD has them: git drops a branch's own log with the branch. Without a log it is empty.
func left(gitDir string) map[string]string {
	data, err := treefile.Read(filepath.Join(gitDir, "logs", "HEAD"), maxReflog)
	if err != nil {
		return nil
	}
	out := map[string]string{}
	for line := range strings.Lines(string(data)) { // OLD NEW WHO<TAB>checkout: moving from NAME to NAME
		head, message, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		rest, ok := strings.CutPrefix(message, "checkout: moving from ")
		old, _, two := strings.Cut(head, " ")
		if name, _, moved := strings.Cut(rest, " to "); ok && two && moved && len(old) >= 40 {
			out[name] = old
		}
	}
	return out
}

// maxRenamed is how many branches' logs are read for a rename.
const maxRenamed = 500

// renames returns what the branches that were renamed are called now, as the logs of those that are there tell.
func renames(commonDir string, local map[string]string) map[string]string {
	out := map[string]string{}
	names := slices.Sorted(maps.Keys(local))
	for _, name := range names[:min(len(names), maxRenamed)] {
		data, err := treefile.Read(filepath.Join(commonDir, "logs", "refs", "heads", filepath.FromSlash(name)), maxReflog)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) { // OLD NEW WHO<TAB>Branch: renamed refs/heads/NAME to refs/heads/NAME
			_, message, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			rest, ok := strings.CutPrefix(message, "Branch: renamed refs/heads/")
			if old, _, two := strings.Cut(rest, " to refs/heads/"); ok && two && old != name {
				out[old] = name
			}
		}
	}
	return out
}

// began returns when a branch was made, as its own log has it, or the zero time: without a log, and where the log has lost its
// beginning.
func began(commonDir, name string) time.Time {
	data, err := treefile.Read(filepath.Join(commonDir, "logs", "refs", "heads", filepath.FromSlash(name)), maxReflog)
	if err != nil {
		return time.Time{}
	}
	line, _, _ := strings.Cut(string(data), "\n") // OLD NEW WHO <ADDRESS> SECONDS ZONE<TAB>MESSAGE
	head, _, _ := strings.Cut(line, "\t")
	old, _, _ := strings.Cut(head, " ")
	_, at, ok := strings.Cut(head, "> ")
	seconds, _, two := strings.Cut(at, " ")
	if !ok || !two || strings.Trim(old, "0") != "" {
		return time.Time{}
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(n, 0)
}
