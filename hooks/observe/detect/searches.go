package detect

import (
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// early triggers
const (
	sameSearch      = 3
	acuteSearch     = 0.8
	acuteCorrection = 0.9
	acuteConfig     = 0.7
)

// searches are repeated searches for the same thing. Their result is the file
// that was read right after.
func searches(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	count := map[string]int{}
	for _, lane := range ses.ByAgent() {
		for i, s := range lane {
			if s.Class != event.Search || !searchable(s.Query) || !definition(s.Query) || s.Done && !s.OK {
				continue
			}
			q := strings.TrimSpace(s.Query)
			count[named(q)]++
			name := named(q)
			sought := signal.SoughtName{Name: name}
			sig := signal.Signal{N: 1, Evidence: []int{s.N}, Tainted: s.Tainted}
			for _, t := range lane[i+1 : min(len(lane), i+3)] {
				if (t.Class == event.Read || t.Class == event.Edit) && len(t.Paths) == 1 && (!t.Done || t.OK) {
					sought.Path = t.Paths[0]
					sig.Evidence = append(sig.Evidence, t.N)
					break
				}
			}
			if sought.Path == "" {
				continue
			}
			sig.Detail, sig.Paths = sought, []string{sought.Path}
			sig.Key = name + "\x00" + sought.Path
			out = append(out, sig)
		}
	}
	for i := range out {
		if d, ok := out[i].Detail.(signal.SoughtName); ok && count[d.Name] >= sameSearch {
			out[i].Acute = acuteSearch
		}
	}
	return out
}

// definition reports whether a search looks for a declaration. A search for a mere name
// may find any use.
func definition(q string) bool {
	for _, word := range strings.FieldsFunc(q, func(r rune) bool { return !(r >= 'a' && r <= 'z') }) {
		switch word {
		case "func", "type", "class", "def", "interface", "struct", "function", "enum", "trait", "fn", "const", "impl":
			return !strings.Contains(q, "|")
		}
	}
	return false
}

// named returns the name that a pattern looks for: `func \(s \*Store\) Open\(` gives
// Open.
func named(q string) string {
	best := ""
	for _, w := range strings.FieldsFunc(q, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_')
	}) {
		if len(w) > len(best) {
			best = w
		}
	}
	if strings.Contains(q, "|") || len(best) < 5 {
		return q
	}
	return best
}

// searchable reports whether a query names something, instead of matching all lines.
func searchable(q string) bool {
	q = strings.TrimSpace(q)
	if len(q) < 5 || len(q) > 80 || strings.ContainsAny(q, "*") {
		return false
	}
	letters := 0
	for _, r := range q {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' {
			letters++
		}
	}
	return letters*10 >= len(q)*7 && strings.Count(q, "|") < 3
}
