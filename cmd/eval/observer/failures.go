package observer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks/event"
)

// generic matches messages that say nothing about a project: the agent's own
// housekeeping, a person's refusals, and failures without a cause.
var generic = regexp.MustCompile(`(?i)^$|string to replace|has not been read|modified since read|unexpectedly modified|file does not exist\.?$|matches of the string|no changes to make|` +
	`doesn't want to proceed|user rejected|permission for this tool|sibling tool call|request interrupted|task failed|^\$ |^found # error|exceeds maximum allowed|inputvalidation|argument validation|eisdir`)

// namesError reports whether a fingerprint names an error. The data's program took the first line of an output where none tells one: "(no
// output)", the banner of a host. Two failures with the same such line are not the same failure.
func namesError(fingerprint string) bool {
	return tellingLine.MatchString(fingerprint) && !strings.Contains(fingerprint, "file does not exist. note")
}

// fileMissing is the data's kind of a read or an edit of a file that is not there. Its line names no path, so two such failures are the
// same one only if their paths are.
const fileMissing = "file_missing"

// score counts the results of one way to offer on repeated failures.
type score struct {
	repeated, covered int                // all repeated failures
	specific, found   int                // those with specific messages
	named, foundNamed int                // those whose fingerprint names an error
	byPath, foundPath int                // specific ones, a missing file repeated only by its path
	kinds, foundKinds [ofTheCall + 1]int // by what the fingerprint is about
	hand, foundHand   [ofTheCall + 1]int // likewise, of those that a reader sorted
	ended, foundEnded int                // those about the call or the machine, if a session that had met them had ended by then
	earlier           int                // those found with an earlier call, which the agent had time to read
	offers, wrong     int
	sessions          int
	missed            []string
	reasons           map[string]int // of the missed
	falseOffers       []string
	rightOffers       []string
}

// failures counts the repeated failures that were offered before they came back.
func (r *replayed) failures(verbose bool) {
	fmt.Printf("== repeated failures (%d sessions)\n", len(r.results))
	for _, kinds := range [][]string{{"command_failed", "file_missing"}, nil} {
		name := "every failure"
		if kinds != nil {
			name = "commands and missing files"
		}
		for _, way := range []struct {
			name  string
			offer func(*result) []offered
		}{{"plain table", func(x *result) []offered { return x.plain }}, {"manicule", func(x *result) []offered { return x.offers }},
			{"reminders", func(x *result) []offered { return x.reminders }}, {"both", func(x *result) []offered { return append(slices.Clone(x.offers), x.reminders...) }}} {
			s := r.score(way.offer, kinds)
			fmt.Printf("%-28s %-12s told before %3d of %3d (%.3f); specific %3d of %3d (%.3f), naming an error %3d of %3d (%.3f), %d of them with an earlier call; offers %d, right %.3f, false %.2f a session\n",
				name, way.name, s.covered, s.repeated, evalkit.Share(s.covered, s.repeated), s.found, s.specific, evalkit.Share(s.found, s.specific), s.foundNamed, s.named, evalkit.Share(s.foundNamed, s.named), s.earlier, s.offers, evalkit.Share(s.offers-s.wrong, s.offers), float64(s.wrong)/float64(max(1, s.sessions)))
			if kinds != nil && way.name != "plain table" {
				s.printKinds()
			}
			if kinds != nil && way.name == "both" && len(s.reasons) > 0 {
				printReasons(s.reasons)
			}
			if verbose && kinds != nil && way.name == "both" {
				for _, m := range s.missed {
					fmt.Println("   missed:", m)
				}
				for _, m := range s.rightOffers {
					fmt.Println("   right: ", m)
				}
				for _, m := range s.falseOffers {
					fmt.Println("   false: ", m)
				}
			}
		}
	}
	if verbose {
		for _, x := range r.results {
			for _, o := range x.reminders {
				if !x.unscored {
					fmt.Printf("   reminder: %s %s\n      met: %s\n      told: %s\n      → %s\n", x.s.repo, o.id, o.met, o.text, o.then)
				}
			}
		}
	}
}

// printKinds says how many specific failures were told of each kind.
func (s score) printKinds() {
	fmt.Printf("  of the specific ones, a missing file repeated only by its path: %d of %d (%.3f)\n", s.foundPath, s.byPath, evalkit.Share(s.foundPath, s.byPath))
	fmt.Print("  of the specific ones, by what they are about:")
	for k := range s.kinds {
		fmt.Printf(" %s %d of %d;", errorKind(k), s.foundKinds[k], s.kinds[k])
	}
	fmt.Printf(" call or machine, met in a session that had ended: %d of %d (%.3f)\n", s.foundEnded, s.ended, evalkit.Share(s.foundEnded, s.ended))
	if s.hand == ([ofTheCall + 1]int{}) {
		return
	}
	fmt.Print("  of those sorted by hand:")
	for _, k := range errorKinds() {
		fmt.Printf(" %s %d of %d;", k, s.foundHand[k], s.hand[k])
	}
	fmt.Println()
}

func (r *replayed) score(offers func(*result) []offered, kinds []string) score {
	s := score{reasons: map[string]int{}}
	met := r.met()
	for _, x := range r.results {
		list := offers(x)
		hit := make([]bool, len(list))
		for i, it := range x.s.items {
			f, ok := r.truth[it.id]
			if !ok || it.record.Kind != "post_tool_failure" {
				continue
			}
			told, earlier := false, false
			for j, o := range list {
				if o.at <= i && o.prints[f.Fingerprint] {
					hit[j], told = true, true
					earlier = earlier || o.id != f.ID
				}
			}
			if x.unscored || !met.before(x.s, f.Fingerprint, it.at) || kinds != nil && !slices.Contains(kinds, f.Kind) {
				continue
			}
			s.repeated++
			s.covered += asInt(told)
			if generic.MatchString(f.Fingerprint) {
				continue
			}
			s.specific++
			s.found += asInt(told)
			if namesError(f.Fingerprint) {
				s.named++
				s.foundNamed += asInt(told)
			}
			if f.Kind != fileMissing || met.before(x.s, f.Fingerprint+"\x00"+f.Input, it.at) {
				s.byPath++
				s.foundPath += asInt(told)
			}
			kind := kindOf(f.Fingerprint)
			s.kinds[kind]++
			s.foundKinds[kind] += asInt(told)
			if hand, ok := r.judged[[2]string{f.Repo, f.Fingerprint}]; ok {
				s.hand[hand]++
				s.foundHand[hand] += asInt(told)
			}
			if why, _, _ := strings.Cut(x.why[it.id], " | "); kind == ofTheCall && (told || why != notKept) {
				s.ended++
				s.foundEnded += asInt(told)
			}
			s.earlier += asInt(earlier)
			if !told {
				why, _, _ := strings.Cut(x.why[it.id], " | ")
				s.reasons[why]++
				s.missed = append(s.missed, fmt.Sprintf("%s\n          | %s | %s | %.70q | %.90q", x.why[it.id], kind, f.Kind, f.Fingerprint, f.Input))
			}
		}
		if x.unscored {
			continue
		}
		s.sessions++
		s.offers += len(list)
		for j := range list {
			if hit[j] {
				s.rightOffers = append(s.rightOffers, x.s.repo+": "+list[j].text+" ["+list[j].facts+"]")
			} else {
				s.wrong++
				s.falseOffers = append(s.falseOffers, x.s.repo+": "+list[j].text+" ["+list[j].facts+"]")
			}
		}
	}
	return s
}

// firsts holds when each session first met an error, by repository and fingerprint.
type firsts map[string]map[string]int64

func (r *replayed) met() firsts {
	out := firsts{}
	for _, x := range r.results {
		for _, it := range x.s.items {
			f, ok := r.truth[it.id]
			if !ok || it.record.Kind != string(event.PostToolFailure) {
				continue
			}
			out.note(x.s, f.Fingerprint, it.at)
			if f.Kind == fileMissing {
				out.note(x.s, f.Fingerprint+"\x00"+f.Input, it.at)
			}
		}
	}
	return out
}

func (m firsts) note(s *session, fingerprint string, at int64) {
	key := s.repo + "\x00" + fingerprint
	if m[key] == nil {
		m[key] = map[string]int64{}
	}
	if _, ok := m[key][s.id]; !ok {
		m[key][s.id] = at
	}
}

// before reports whether another session had met an error by then, ended or not.
func (m firsts) before(s *session, fingerprint string, at int64) bool {
	for id, first := range m[s.repo+"\x00"+fingerprint] {
		if id != s.id && first < at {
			return true
		}
	}
	return false
}

func asInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
