package branch

import (
	"path/filepath"
	"strings"

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
