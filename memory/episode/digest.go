package episode

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"manicule/indexer/sorting"
)

// Visit is a session with the files below the root that it read or changed.
type Visit struct {
	Episode Episode
	Files   []string
}

// FindingKind is what a digest found.
type FindingKind string

// The kinds of findings.
const (
	Prefetch    FindingKind = "prefetch"    // files that sessions of a module touch
	Calibration FindingKind = "calibration" // what a kind of work takes
	QA          FindingKind = "qa"          // a check that fails, and the file that mends it
	FixCommit   FindingKind = "fix_commit"  // a file that fixes keep changing
	MCP         FindingKind = "mcp"         // a tool of an MCP server that fails in the same way
)

// Finding is something that several sessions of a module have in common.
type Finding struct {
	Kind     FindingKind `json:"kind"`
	Key      string      `json:"key"`              // equal for the same finding, made from more sessions
	Module   string      `json:"module"`           // folder, "" for the whole project
	Sessions []string    `json:"sessions"`         // some of them
	Always   []string    `json:"always,omitempty"` // of a prefetch
	Often    []string    `json:"often,omitempty"`
	Work     Kind        `json:"work,omitzero"`    // of a calibration
	Planned  float64     `json:"planned,omitzero"` // items of the list, the median
	Calls    float64     `json:"calls,omitzero"`   // the median
	Minutes  float64     `json:"minutes,omitzero"` // without pauses, the median
	Ratio    float64     `json:"ratio,omitzero"`   // calls for an item, the median
	Check    string      `json:"check,omitzero"`   // of qa
	File     string      `json:"file,omitzero"`    // of qa and of a fix
	Tool     string      `json:"tool,omitzero"`    // of mcp
	Line     string      `json:"line,omitzero"`    // of its failures
	Seen     int         `json:"seen"`             // sessions that show it
	Of       int         `json:"of"`               // sessions that could
}

// Limits of digests.
const (
	maxFindings   = 5
	minVisits     = 5  // sessions from which there is a digest
	minPrefetched = 10 // sessions from which a list of files holds for later ones
	always, often = .8, .5
	maxAlways     = 6
	maxOften      = 6
	minPlanned    = 3 // items of a list that says something
	minCalibrated = 5
	minMended     = 3  // sessions in which the same file mended a check
	minFailed     = 3  // sessions in which a tool failed in the same way
	maxUsualFile  = .4 // share of other modules' sessions from which a file is no file of the module
)

// Thresholds are the numbers of sessions of a module at which a digest is made.
func Thresholds() []int { return []int{5, 10, 20, 50, 100} }

// Module is the folder, at most four deep, in which a session made most of its changes, "" if there is none
// with half of them.
func (e Episode) Module() string {
	n := map[string]int{}
	for _, p := range e.Edited {
		if strings.HasPrefix(p, "/") {
			continue // outside of the workspace
		}
		parts := strings.Split(path.Dir(p), "/")
		if dir := path.Join(parts[:min(4, len(parts))]...); dir != "." && dir != "" && !strings.HasPrefix(dir, ".") {
			n[dir]++
		}
	}
	best := ""
	for dir, k := range n {
		if 2*k >= len(e.Edited) && (k > n[best] || k == n[best] && dir < best || best == "") {
			best = dir
		}
	}
	return best
}

// Digest finds what the visits of a module have in common, at most five findings, the best first. Visits are in the order of time;
// usual is the share of the sessions of other modules that touch a file.
func Digest(module string, visits []Visit, usual func(file string) float64) []Finding {
	if len(visits) < minVisits {
		return nil
	}
	var out []Finding
	if f, ok := prefetch(module, visits, usual); ok {
		out = append(out, f)
	}
	out = append(out, mended(module, visits)...)
	out = append(out, fixed(module, visits)...)
	out = append(out, failing(module, visits)...)
	out = append(out, Calibrate(module, visits)...)
	return out[:min(maxFindings, len(out))]
}

func sessionsOf(visits []Visit) []string {
	var out []string
	for _, v := range visits[max(0, len(visits)-8):] {
		out = append(out, v.Episode.Session)
	}
	return out
}

// prefetch lists the files that most sessions of a module touch, without those that the whole project's do.
func prefetch(module string, visits []Visit, usual func(string) float64) (Finding, bool) {
	n := map[string]int{}
	for _, v := range visits {
		for _, p := range v.Files {
			n[p]++
		}
	}
	f := Finding{Kind: Prefetch, Key: "prefetch " + module, Module: module, Sessions: sessionsOf(visits), Of: len(visits)}
	for p, k := range n {
		share := float64(k) / float64(len(visits))
		switch {
		case share <= often || usual(p) > maxUsualFile:
		case share > always:
			f.Always = append(f.Always, p)
		default:
			f.Often = append(f.Often, p)
		}
	}
	rank := func(list []string, most int) []string {
		sorting.Func(list, func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), strings.Compare(a, b)) })
		return list[:min(most, len(list))]
	}
	f.Always, f.Often = rank(f.Always, maxAlways), rank(f.Often, maxOften)
	f.Seen = len(visits)
	return f, len(visits) >= minPrefetched && len(f.Always)+len(f.Often) >= 2
}

// mended finds the checks that the same file mended in several sessions.
func mended(module string, visits []Visit) []Finding {
	type key struct{ check, file string }
	seen, failed := map[key][]string{}, map[string]int{}
	for _, v := range visits {
		had, once := map[string]bool{}, map[key]bool{}
		for _, m := range v.Episode.Mends {
			if !had[m.Check] {
				had[m.Check] = true
				failed[m.Check]++
			}
			for _, p := range m.Files {
				if k := (key{m.Check, p}); !once[k] {
					once[k] = true
					seen[k] = append(seen[k], v.Episode.Session)
				}
			}
		}
	}
	var out []Finding
	for k, sessions := range seen {
		if len(sessions) >= minMended && 2*len(sessions) >= failed[k.check] {
			out = append(out, Finding{Kind: QA, Key: "qa " + k.check + " " + k.file, Module: module, Check: k.check, File: k.file, Sessions: sessions, Seen: len(sessions), Of: failed[k.check]})
		}
	}
	sorting.Func(out, func(a, b Finding) int { return cmp.Or(cmp.Compare(b.Seen, a.Seen), strings.Compare(a.Key, b.Key)) })
	return out
}

// fixed finds the files that fixes kept changing: checks failed, and the commit of what mended them is a fix.
func fixed(module string, visits []Visit) []Finding {
	seen, of := map[string][]string{}, 0
	for _, v := range visits {
		once := map[string]bool{}
		for _, m := range v.Episode.Mends {
			for _, p := range m.Files {
				if m.Commit != "" && !once[p] {
					once[p] = true
					seen[p] = append(seen[p], v.Episode.Session)
				}
			}
		}
		if len(once) > 0 {
			of++
		}
	}
	var out []Finding
	for p, sessions := range seen {
		if len(sessions) >= minMended {
			out = append(out, Finding{Kind: FixCommit, Key: "fix " + p, Module: module, File: p, Sessions: sessions, Seen: len(sessions), Of: of})
		}
	}
	sorting.Func(out, func(a, b Finding) int { return cmp.Or(cmp.Compare(b.Seen, a.Seen), strings.Compare(a.Key, b.Key)) })
	return out
}

// failing finds the tools of MCP servers that failed in several sessions with the same message.
func failing(module string, visits []Visit) []Finding {
	type key struct{ tool, line string }
	seen, used := map[key][]string{}, map[string]int{}
	for _, v := range visits {
		for _, c := range v.Episode.Servers {
			used[c.Tool]++
			if c.Fails > 0 && c.Line != "" {
				k := key{c.Tool, c.Line}
				seen[k] = append(seen[k], v.Episode.Session)
			}
		}
	}
	var out []Finding
	for k, sessions := range seen {
		if len(sessions) >= minFailed {
			out = append(out, Finding{Kind: MCP, Key: "mcp " + k.tool + " " + k.line, Module: module, Tool: k.tool, Line: k.line, Sessions: sessions, Seen: len(sessions), Of: used[k.tool]})
		}
	}
	sorting.Func(out, func(a, b Finding) int { return cmp.Or(cmp.Compare(b.Seen, a.Seen), strings.Compare(a.Key, b.Key)) })
	return out
}

// Calibrate says of each kind of work with enough sessions that made a list what its items took. module is "" for the whole
// project.
func Calibrate(module string, visits []Visit) []Finding {
	type sample struct{ planned, calls, minutes float64 }
	by := map[Kind][]sample{}
	sessions := map[Kind][]string{}
	for _, v := range visits {
		e := v.Episode
		if e.Planned < minPlanned || e.Fallback || e.Calls() == 0 {
			continue
		}
		k := KindOf(e.Task)
		by[k] = append(by[k], sample{float64(e.Planned), float64(e.Calls()), float64(e.Active) / 60_000})
		sessions[k] = append(sessions[k], e.Session)
	}
	var out []Finding
	for k, list := range by {
		if k == "" || len(list) < minCalibrated {
			continue
		}
		of := func(get func(sample) float64) float64 {
			var x []float64
			for _, s := range list {
				x = append(x, get(s))
			}
			return median(x)
		}
		out = append(out, Finding{Kind: Calibration, Key: fmt.Sprintf("calibration %s %s", module, k), Module: module, Work: k, Sessions: sessions[k][max(0, len(list)-8):], Seen: len(list), Of: len(list),
			Planned: of(func(s sample) float64 { return s.planned }), Calls: of(func(s sample) float64 { return s.calls }),
			Minutes: math.Round(of(func(s sample) float64 { return s.minutes })), Ratio: math.Round(10*of(func(s sample) float64 { return s.calls / s.planned })) / 10})
	}
	sorting.Func(out, func(a, b Finding) int { return cmp.Or(cmp.Compare(b.Seen, a.Seen), strings.Compare(a.Key, b.Key)) })
	return out
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	slices.Sort(x)
	if n := len(x); n%2 == 0 {
		return (x[n/2-1] + x[n/2]) / 2
	}
	return x[len(x)/2]
}
