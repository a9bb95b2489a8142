package file

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Details is what the details of a memory say, by its type. Members of other types are left out.
type Details struct {
	// Instead is what works in place of a dead end.
	Instead string `json:"instead,omitzero"`
	// Task is the kind of task at which a lesson was learned, such as "fix a flaky test": what somebody wanted who
	// ended in a dead end, what a recipe is for, or what a calibration is of.
	Task string `json:"task,omitzero"`
	// Steps are the steps of a recipe, in their order.
	Steps []Step `json:"steps,omitempty"`
	// Successes and Failures count the sessions that went a recipe's way and ended well, or not, when it was written;
	// ValidatedAt is when it worked last.
	Successes   int   `json:"successes,omitzero"`
	Failures    int   `json:"failures,omitzero"`
	ValidatedAt *Time `json:"validated_at,omitzero"`
	// Always and Often are the files that are read with those of a prefetch pattern.
	Always []string `json:"always,omitempty"`
	Often  []string `json:"often,omitempty"`
	// Estimated and Actual are what a kind of task was reckoned to take and took, in Unit.
	Estimated float64 `json:"estimated,omitzero"`
	Actual    float64 `json:"actual,omitzero"`
	Unit      string  `json:"unit,omitzero"`
	// Forbids and Requires are regular expressions: what no line of the memory's files may have, and what each file must have.
	Forbids  string `json:"forbids,omitzero"`
	Requires string `json:"requires,omitzero"`
	// Proof is a command line that passes as long as the memory holds. Only a person runs it.
	Proof string `json:"proof,omitzero"`
	// Sessions is from how many sessions a prefetch pattern or a calibration was made.
	Sessions int `json:"sessions,omitzero"`
}

// Step is one step of a recipe.
type Step struct {
	Do   string `json:"do"`
	File string `json:"file,omitzero"` // relative to the root, with slashes
	Line int    `json:"line,omitzero"` // from 1
}

// String formats a step as [ParseStep] reads it: "FILE:LINE: what to do".
func (s Step) String() string {
	switch {
	case s.File != "" && s.Line > 0:
		return s.File + ":" + strconv.Itoa(s.Line) + ": " + s.Do
	case s.File != "":
		return s.File + ": " + s.Do
	}
	return s.Do
}

// ParseStep reads a step, which may begin with its place. A place is a word with a dot or a slash in
// it, and ends with a colon.
func ParseStep(text string) Step {
	text = strings.TrimSpace(text)
	word, rest, ok := strings.Cut(text, " ")
	place, colon := strings.CutSuffix(word, ":")
	if !ok || !colon || !strings.ContainsAny(place, "./") {
		return Step{Do: text}
	}
	s := Step{Do: strings.TrimSpace(rest), File: place}
	if name, number, ok := strings.Cut(place, ":"); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || name == "" {
			return Step{Do: text}
		}
		s.File, s.Line = name, n
	}
	return s
}

// membersOf are the members of details that a type has.
func membersOf(t Type) []string {
	switch t {
	case Gotcha:
		return []string{"task", "forbids", "requires", "proof"}
	case ErrorPattern:
		return []string{"task", "proof"}
	case ModuleInsight:
		return []string{"proof"}
	case DeadEnd:
		return []string{"instead", "task", "forbids", "requires", "proof"}
	case Convention, Requirement, Decision, Pattern:
		return []string{"forbids", "requires", "proof"}
	case WorkflowRecipe:
		return []string{"steps", "task", "successes", "failures", "validated_at", "proof"}
	case PrefetchPattern:
		return []string{"always", "often", "sessions"}
	case TaskCalibration:
		return []string{"estimated", "actual", "unit", "task", "sessions"}
	}
	return nil
}

// maxProof is the size in bytes of the longest proof.
const maxProof = 300

// ReadDetails reads the details that a memory's type has. Other members stay in the file. The error
// says what a person wrote that the type can't have.
func (m *Memory) ReadDetails() (d Details, err error) {
	if len(m.Details) == 0 || m.Details.Kind() != '{' {
		return d, nil
	}
	var all map[string]jsontext.Value
	if err := json.Unmarshal(m.Details, &all); err != nil {
		return d, nil // what another program keeps there
	}
	own := map[string]jsontext.Value{}
	for _, name := range membersOf(m.Type) {
		if v, ok := all[name]; ok {
			own[name] = v
		}
	}
	data, err := json.Marshal(own)
	if err == nil {
		err = json.Unmarshal(data, &d)
	}
	if err != nil {
		return Details{}, fmt.Errorf("the details of a %s: %w", m.Type.Label(), err)
	}
	for i, s := range d.Steps {
		if strings.TrimSpace(s.Do) == "" || s.Line < 0 {
			return Details{}, fmt.Errorf("step %d of a recipe says nothing to do", i+1)
		}
	}
	for _, p := range slices.Concat(d.Always, d.Often) {
		if strings.TrimSpace(p) == "" {
			return Details{}, errors.New("a file of a prefetch pattern has no name")
		}
	}
	if len(d.Proof) > maxProof || strings.ContainsAny(d.Proof, "\r\n") {
		return Details{}, fmt.Errorf("a proof is one line of at most %d bytes", maxProof)
	}
	if d.Estimated < 0 || d.Actual < 0 {
		return Details{}, errors.New("a calibration is less than nothing")
	}
	if d.Successes < 0 || d.Failures < 0 || d.Sessions < 0 {
		return Details{}, errors.New("a number of sessions is less than nothing")
	}
	return d, nil
}

// SetDetails replaces the details that a memory's type has, and keeps what else is there.
func (m *Memory) SetDetails(d Details) error {
	all := map[string]jsontext.Value{}
	if m.Details.Kind() == '{' {
		if err := json.Unmarshal(m.Details, &all); err != nil {
			return fmt.Errorf("read the details of memory %s: %w", m.UUID, err)
		}
	}
	data, err := json.Marshal(d)
	var given map[string]jsontext.Value
	if err == nil {
		err = json.Unmarshal(data, &given)
	}
	if err != nil {
		return fmt.Errorf("write the details of memory %s: %w", m.UUID, err)
	}
	for _, name := range membersOf(m.Type) {
		delete(all, name)
		if v, ok := given[name]; ok {
			all[name] = v
			delete(given, name)
		}
	}
	for name := range given {
		return fmt.Errorf("a %s has no %q", m.Type.Label(), name)
	}
	if len(all) == 0 {
		m.Details = nil
		return nil
	}
	m.Details, err = json.Marshal(all, json.Deterministic(true))
	return err
}

// Lines formats details for people, a line each.
func (d Details) Lines() []string {
	var out []string
	add := func(name, text string) {
		if text != "" {
			out = append(out, name+": "+text)
		}
	}
	add("Instead", d.Instead)
	add("Task", d.Task)
	add("No line may have", d.Forbids)
	add("Each file must have", d.Requires)
	add("Proof", d.Proof)
	for i, s := range d.Steps {
		out = append(out, strconv.Itoa(i+1)+". "+s.String())
	}
	if d.Successes+d.Failures > 0 {
		text := fmt.Sprintf("%d worked, %d failed", d.Successes, d.Failures)
		if d.ValidatedAt != nil {
			text += ", last on " + d.ValidatedAt.Format(time.DateOnly)
		}
		add("When it was written", text)
	}
	add("Always read with it", strings.Join(d.Always, ", "))
	add("Often read with it", strings.Join(d.Often, ", "))
	if d.Estimated > 0 || d.Actual > 0 {
		number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
		out = append(out, strings.TrimSpace("Reckoned "+number(d.Estimated)+", took "+number(d.Actual)+" "+d.Unit))
	}
	if d.Sessions > 0 {
		add("From", fmt.Sprintf("%d sessions", d.Sessions))
	}
	return out
}

// DetailLines formats the details of a memory for people. Details that can't be read have none.
func (m *Memory) DetailLines() []string {
	d, err := m.ReadDetails()
	if err != nil {
		return nil
	}
	return d.Lines()
}

// detailsWith returns a memory's details if its type has a member. Details that can't be read are none.
func detailsWith(m *Memory, member string) Details {
	if len(m.Details) == 0 || !slices.Contains(membersOf(m.Type), member) {
		return Details{}
	}
	d, err := m.ReadDetails()
	if err != nil {
		return Details{}
	}
	return d
}

// Instead returns what works in place of a dead end, or "".
func (m *Memory) Instead() string { return detailsWith(m, "instead").Instead }

// Task returns the kind of task at which a lesson was learned, or that a calibration is of, or "".
func (m *Memory) Task() string { return detailsWith(m, "task").Task }

// Checks returns the expressions of what no line of a memory's files may have, and of what each file must have; "" for none.
func (m *Memory) Checks() (forbids, requires string) {
	d := detailsWith(m, "forbids")
	return d.Forbids, d.Requires
}

// Proof returns the command line that passes as long as a memory holds, or "".
func (m *Memory) Proof() string { return detailsWith(m, "proof").Proof }
