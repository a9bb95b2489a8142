package builds

import (
	"fmt"
	"strings"

	"manicule/memory/gate/injection"
	"manicule/memory/secret"
)

// errHeld is wrapped if the words of a build must not reach agents: it may have come with a clone.
const errHeld = Error("the build is held back from agents")

// Progress counts the slices that are done, and all.
func (b *Build) Progress() (done, all int) {
	for _, s := range b.Slices() {
		if all++; s.Status == Done {
			done++
		}
	}
	return done, all
}

// Summary is what a session that starts must know of a build.
type Summary struct {
	Name, Title, Phase string
	Done, All          int
	Going              []Slice // in progress
	Blocked            []Slice
	Next               *Slice // the first that is planned, in the phase that is worked on
}

// maxSummed is how many slices of a state a summary has.
const maxSummed = 3

// Summarize sums up a build. What reads like orders or holds a secret is an error that wraps [errHeld].
func Summarize(b Build) (Summary, error) {
	s := Summary{Name: b.Name, Title: b.Title}
	s.Done, s.All = b.Progress()
	said := []string{b.Title}
	if p := b.Phase(); p != nil {
		s.Phase = p.Title
		said = append(said, p.Title)
		for _, sl := range p.Slices() {
			if sl.Status == Planned {
				s.Next = &sl
				said = append(said, sl.Text)
				break
			}
		}
	}
	for _, sl := range b.Slices() {
		switch {
		case sl.Status == InProgress && len(s.Going) < maxSummed:
			s.Going = append(s.Going, sl)
		case sl.Status == Blocked && len(s.Blocked) < maxSummed:
			s.Blocked = append(s.Blocked, sl)
		default:
			continue
		}
		said = append(said, sl.Text, sl.Why)
	}
	return s, check(b.Name, strings.Join(said, "\n"))
}

// CheckForAgents returns an error that wraps [errHeld] if any words of a build read like orders or hold a
// secret.
func (b *Build) CheckForAgents() error {
	said := []string{b.Title, b.Branch, b.Brief, b.Technical}
	for _, p := range b.Phases {
		said = append(said, p.Title)
		for _, d := range p.Deliverables {
			said = append(said, d.Title)
			for _, s := range d.Slices {
				said = append(said, s.Text, s.Why)
			}
		}
	}
	return check(b.Name, strings.Join(said, "\n"))
}

func check(name, text string) error {
	if rule := injection.Find(text); rule != "" {
		return fmt.Errorf("%w: %s reads like orders", errHeld, name)
	}
	if len(secret.Find(text)) > 0 {
		return fmt.Errorf("%w: %s seems to hold a secret", errHeld, name)
	}
	return nil
}
