package store

import (
	"cmp"
	"strconv"
	"strings"

	"manicule/indexer/sorting"
	"manicule/memory/file"
)

// A brief quotes a dozen memories and counts the rest. Of a project that has more about itself than this, hooks look only
// at the most telling, and at those that were written since: to rank a thousand took a third of a session's start. What
// was imported has its own bound, as the agent may have all of it anyway.
const (
	maxBriefWritten  = 250
	maxBriefImported = 150
)

// mostTelling returns the outlines that a brief is chosen from: the pinned first, then by importance, verification and
// confidence, as recorded.
func mostTelling(lines []string) []string {
	if len(lines) <= min(maxBriefWritten, maxBriefImported) {
		return lines
	}
	type weighed struct {
		line             string
		pinned, verified bool
		importance       int
		confidence       float64
	}
	var written, imported []weighed
	for _, line := range lines {
		var f [outlineFields]string
		if splitFields(line, f[:]) != outlineFields {
			return lines // whoever decodes them reports it
		}
		w := weighed{line: line, pinned: f[6] != "", importance: file.Importance(f[4]).Rank()}
		w.confidence, _ = strconv.ParseFloat(f[5], 64) // as above
		if _, rest, ok := strings.Cut(f[outlineStandingAt], itemSep); ok {
			verified, _, _ := strings.Cut(rest, itemSep)
			w.verified = verified != ""
		}
		if file.Origin(f[7]) == file.Import {
			imported = append(imported, w)
		} else {
			written = append(written, w)
		}
	}
	var out []string
	keep := func(list []weighed, most int) {
		if len(list) > most {
			sorting.Func(list, func(a, b weighed) int {
				return cmp.Or(
					file.TrueFirst(a.pinned, b.pinned),
					cmp.Compare(b.importance, a.importance),
					file.TrueFirst(a.verified, b.verified),
					cmp.Compare(b.confidence, a.confidence),
					cmp.Compare(a.line, b.line),
				)
			})
			list = list[:most]
		}
		for _, w := range list {
			out = append(out, w.line)
		}
	}
	keep(written, maxBriefWritten)
	keep(imported, maxBriefImported)
	return out
}
