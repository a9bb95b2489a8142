package anchors

import (
	"context"
	"fmt"
	"strings"
)

// traced is the origin of a line according to git blame.
type traced struct {
	path string
	line int // 0 for a new one, -1 for a blank one, which says nothing
}

// blame maps lines of a file to their origin in the parent, across all files that the same commit changed: code that
// moved changes the file that it leaves. The parent is a full id. It may lie many commits before: a line that came or
// changed on the way is new, whichever of the commits made it.
func (r *repository) blame(ctx context.Context, parent, commit, path string, from, to int) ([]traced, error) {
	out, err := r.git(ctx, "blame", "-w", "-M", "-C", "--line-porcelain", fmt.Sprintf("-L%d,%d", from, to), parent+".."+commit, "--", path)
	if err != nil {
		return nil, err
	}
	return parseBlame(string(out), parent), nil
}

// parseBlame parses the output of git blame --line-porcelain. A line that another commit than the parent has is in that
// commit's count of lines, not in the parent's.
func parseBlame(out, parent string) []traced {
	var all []traced
	var at traced
	for text := range strings.Lines(out) {
		f := strings.Fields(text)
		switch {
		case strings.HasPrefix(text, "\t"):
			if strings.TrimSpace(text) == "" {
				at = traced{line: -1}
			}
			all = append(all, at)
		case len(f) >= 3 && len(f[0]) == len(parent) && strings.Trim(f[0], "0123456789abcdef") == "":
			at = traced{line: number(f[1], 0)}
			if f[0] != parent {
				at.line = 0
			}
		case len(f) >= 2 && f[0] == "filename":
			at.path = strings.TrimSuffix(strings.TrimPrefix(text, "filename "), "\n")
		}
	}
	return all
}
