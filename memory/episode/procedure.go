package episode

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"manicule/indexer/sorting"
)

// Procedure is what several sessions with alike tasks did alike.
type Procedure struct {
	// Key is equal for the same procedure, found again from more sessions.
	Key     string          `json:"key"`
	Trigger string          `json:"trigger"` // the task, in the words of the session that is most like the others, without what only that one is about
	Words   []string        `json:"words"`   // that most of the tasks have
	Steps   []ProcedureStep `json:"steps"`
	// Successes and Failures count the sessions by their outcome; partial ones count as neither.
	Successes int       `json:"successes"`
	Failures  int       `json:"failures"`
	Sessions  []string  `json:"sessions"` // oldest first
	Outcomes  []Outcome `json:"outcomes"` // of the sessions
	LastUsed  int64     `json:"last_used"`
	// LastWorked is when it last ended well.
	LastWorked int64 `json:"last_worked,omitzero"`
	// Score is how much the procedure tells that the project's sessions don't do anyway.
	Score float64 `json:"score"`
	// On is of a recipe that commits show: the file whose change begins it, or a pattern with one star of those that are
	// added; and Commits how many did so.
	On      string `json:"on,omitzero"`
	Commits int    `json:"commits,omitzero"`
}

// ProcedureStep is a step that most of the sessions took.
type ProcedureStep struct {
	ID   string `json:"id"` // the same in every session
	Act  Act    `json:"act"`
	What string `json:"what"`
	At   int    `json:"line,omitzero"` // of an edit: the line where the sessions change the file, if most do so in the same place
	In   int    `json:"in"`            // sessions that took it, or commits
	// Of is of how many commits, or of a check of how many sessions, if the recipe is one that commits show.
	Of   int  `json:"of,omitzero"`
	Made bool `json:"made,omitzero"` // a program writes the file
}

// Limits of clustering. They were chosen on the sessions of two repositories and kept for others.
const (
	minSessions   = 3    // of a procedure
	minAlike      = 0.34 // similarity of an episode to the middle of its cluster
	minShare      = 0.6  // of the sessions that take a step
	ubiquitous    = 0.5  // share of all sessions from which a step tells nothing
	frequentWord  = 0.1  // share of the other sessions whose task has a word that tells nothing
	minSteps      = 2
	minTelling    = 2 // steps that are no checks, and not those of half of all sessions
	maxSteps      = 10
	maxPostings   = 400 // clusters that one feature may lead to
	weightOfWords = 0.6
	weightOfFiles = 0.25
	weightOfRuns  = 0.15
	samePlace     = 20 // lines within which edits are in the same place
)

// features are what an episode is compared by. Each kind is a vector of length 1.
type features struct {
	words, files, runs map[string]float64
}

// vocabulary knows in how many episodes each feature is.
type vocabulary struct {
	n     int
	count map[string]int
}

func (v *vocabulary) weight(feature string) float64 {
	return math.Log(float64(v.n+1) / float64(v.count[feature]+1))
}

func (v *vocabulary) vector(prefix string, list []string) map[string]float64 {
	out := make(map[string]float64, len(list))
	sum := 0.0
	for _, x := range list {
		w := v.weight(prefix + x)
		if w <= 0 {
			continue
		}
		out[prefix+x] = w
		sum += w * w
	}
	if sum == 0 {
		return nil
	}
	for k := range out {
		out[k] /= math.Sqrt(sum)
	}
	return out
}

// stepID identifies a step in different sessions.
func stepID(s Step) string {
	switch s.Act {
	case Run:
		return "run " + s.Key
	case Edit, Create:
		return "edit " + pattern(s.What)
	}
	return ""
}

// pattern replaces what varies in the names of files of one kind: digits, and the name of a new file.
func pattern(p string) string {
	return path.Join(path.Dir(p), strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '#'
		}
		return r
	}, path.Base(p)))
}

// described is an episode with what it is compared by.
type described struct {
	Episode
	words, files, runs []string
	features           features
}

func describe(e Episode) described {
	d := described{Episode: e, words: Words(e.Task)}
	for _, s := range e.Approach {
		id := stepID(s)
		switch {
		case id == "" || s.Tainted && e.Tainted && s.Act != Run:
		case s.Act == Run && !slices.Contains(d.runs, s.Key):
			d.runs = append(d.runs, s.Key)
		case s.Act != Run && !slices.Contains(d.files, pattern(s.What)):
			d.files = append(d.files, pattern(s.What))
		}
	}
	return d
}

// cluster is a group of alike episodes, and the sum of their vectors.
type cluster struct {
	members []int
	sum     map[string]float64
	norm    [3]float64 // lengths of the sums of words, files, runs
}

// Procedures finds what at least three episodes of alike tasks did alike, the best first. Episodes are in
// the order of time. Fallbacks and failures tell no way that works, but count.
func Procedures(episodes []Episode) []Procedure {
	out, _ := procedures(episodes)
	return out
}

// procedures also returns how often an episode was compared with a cluster.
func procedures(episodes []Episode) (_ []Procedure, compared int) {
	v := &vocabulary{count: map[string]int{}}
	var all []described
	for _, e := range episodes {
		if e.Fallback || len(e.Approach) == 0 {
			continue
		}
		d := describe(e)
		all = append(all, d)
		for _, w := range d.words {
			v.count["w"+w]++
		}
		for _, f := range d.files {
			v.count["f"+f]++
		}
		for _, r := range d.runs {
			v.count["r"+r]++
		}
	}
	v.n = len(all)
	for i := range all {
		d := &all[i]
		d.features = features{v.vector("w", d.words), v.vector("f", d.files), v.vector("r", d.runs)}
	}
	var out []Procedure
	clusters, compared := group(all)
	for _, c := range clusters {
		if len(c.members) < minSessions {
			continue
		}
		members := make([]described, len(c.members))
		for i, m := range c.members {
			members[i] = all[m]
		}
		if p, ok := distil(members, c, v); ok {
			out = append(out, p)
		}
	}
	sorting.Func(out, func(a, b Procedure) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Key, b.Key)) })
	return out, compared
}

// group puts each episode to the cluster that it is most like, or begins one. Only clusters that share a
// feature that tells something are compared.
func group(all []described) (clusters []*cluster, compared int) {
	postings := map[string][]int{}
	for i, d := range all {
		similar := sharing(postings, d.features)
		compared += len(similar)
		best, most := -1, minAlike
		for c := range similar {
			if s := clusters[c].alike(d.features); s > most || s == most && best >= 0 && c < best {
				best, most = c, s
			}
		}
		if best < 0 {
			best = len(clusters)
			clusters = append(clusters, &cluster{sum: map[string]float64{}})
		}
		clusters[best].add(i, d.features, func(f string) { postings[f] = append(postings[f], best) })
	}
	return clusters, compared
}

// sharing returns the clusters that share a feature with others, without those that too many have.
func sharing(postings map[string][]int, of features) map[int]bool {
	similar := map[int]bool{}
	for _, vec := range []map[string]float64{of.words, of.files} {
		for f := range vec {
			list := postings[f]
			if len(list) > maxPostings {
				continue
			}
			for _, c := range list {
				similar[c] = true
			}
		}
	}
	return similar
}

func (c *cluster) add(i int, f features, isNew func(feature string)) {
	c.members = append(c.members, i)
	for kind, vec := range [3]map[string]float64{f.words, f.files, f.runs} {
		for k, w := range vec {
			had, known := c.sum[k]
			if !known {
				isNew(k)
			}
			c.norm[kind] += (had+w)*(had+w) - had*had
			c.sum[k] = had + w
		}
	}
}

// alike is the similarity of an episode to the middle of a cluster, from 0 to 1.
func (c *cluster) alike(f features) float64 {
	out := 0.0
	for kind, vec := range [3]map[string]float64{f.words, f.files, f.runs} {
		if c.norm[kind] <= 0 {
			continue
		}
		dot := 0.0
		for k, w := range vec {
			dot += w * c.sum[k]
		}
		out += [3]float64{weightOfWords, weightOfFiles, weightOfRuns}[kind] * dot / math.Sqrt(c.norm[kind])
	}
	return out
}

// distil makes a procedure of a cluster, if its sessions have enough in common that others have not.
func distil(members []described, c *cluster, v *vocabulary) (p Procedure, ok bool) {
	p.tally(members)
	steps, good := stepsOf(members)
	if good < minSessions || p.Successes < 2 || p.Successes <= p.Failures || occasions(members) < minSessions {
		return p, false
	}
	common := slices.DeleteFunc(steps, func(x *memberStep) bool {
		return x.worked < 2 || x.in < minSessions || float64(x.in) < minShare*float64(good) || Housekeeping(x.step)
	})
	sorting.Func(common, func(a, b *memberStep) int {
		return cmp.Or(cmp.Compare(a.place/float64(a.in), b.place/float64(b.in)), cmp.Compare(a.id, b.id))
	})
	telling := 0
	for _, x := range common {
		if v.share(x.id) < ubiquitous && !x.step.Check { // checks belong to any work
			telling++
			p.Score += float64(x.in) / float64(good) * v.weightOf(x.id)
		}
	}
	if len(common) < minSteps || telling < minTelling {
		return p, false
	}
	var ids []string
	for _, x := range common[:min(len(common), maxSteps)] {
		ids = append(ids, x.id)
		p.Steps = append(p.Steps, x.procedureStep())
	}
	slices.Sort(ids)
	p.Score *= math.Log(float64(1 + len(members)))
	p.Key = strings.Join(ids, "\n")
	p.trigger(members, c, v)
	return p, len(p.Words) > 1
}

// tally counts how the sessions of a procedure ended.
func (p *Procedure) tally(members []described) {
	p.Sessions = make([]string, 0, len(members))
	for _, m := range members {
		p.Sessions, p.Outcomes = append(p.Sessions, m.Session), append(p.Outcomes, m.Outcome)
		p.LastUsed = max(p.LastUsed, m.Ended)
		switch m.Outcome {
		case Success:
			p.Successes++
			p.LastWorked = max(p.LastWorked, m.Ended)
		case Failure:
			p.Failures++
		}
	}
}

// memberStep is a step with what the sessions of a cluster did by it.
type memberStep struct {
	id         string
	step       Step           // of the first session that did it
	in, worked int            // sessions
	place      float64        // sum of the relative positions
	forms      map[string]int // sessions by the form of the command that worked
	lines      []int          // where the sessions changed the file
}

// stepsOf returns the steps of the sessions that did not fail, and the number of these sessions: what failed is no way.
func stepsOf(members []described) (steps []*memberStep, good int) {
	by := map[string]*memberStep{}
	for _, m := range members {
		if m.Outcome == Failure {
			continue
		}
		good++
		once := map[string]bool{}
		for i, s := range m.Approach {
			id := stepID(s)
			if id == "" || once[id] || s.Tainted {
				continue
			}
			once[id] = true
			if by[id] == nil {
				by[id] = &memberStep{id: id, step: s, forms: map[string]int{}}
				steps = append(steps, by[id])
			}
			by[id].add(s, float64(i)/float64(len(m.Approach)))
		}
	}
	return steps, good
}

// add counts a session that did the step at some place of its approach.
func (x *memberStep) add(s Step, place float64) {
	x.in++
	if s.Line > 0 {
		x.lines = append(x.lines, s.Line)
	}
	x.place += place
	if s.Times > s.Fails {
		x.worked++
		x.forms[s.What]++
	}
}

// procedureStep is the step as most sessions did it.
func (x *memberStep) procedureStep() ProcedureStep {
	out := ProcedureStep{ID: x.id, Act: x.step.Act, In: x.in}
	if out.Act == Run {
		out.What = x.step.Key // its operands vary
		for form, n := range x.forms {
			if 2*n > x.in {
				out.What = form
			}
		}
		return out
	}
	out.What = pattern(x.step.What)
	if strings.Contains(out.What, "#") {
		out.Act = Create
		return out
	}
	out.Act, out.At = Edit, usualLine(x.lines, x.in)
	return out
}

// usualLine returns the line at which most of the sessions change a file, the median, or 0 if they do so in
// different places.
func usualLine(lines []int, sessions int) int {
	if len(lines) == 0 {
		return 0
	}
	slices.Sort(lines)
	middle, near := lines[(len(lines)-1)/2], 0
	for _, l := range lines {
		if max(l, middle)-min(l, middle) <= samePlace {
			near++
		}
	}
	if 2*near <= sessions {
		return 0
	}
	return middle
}

// occasion is the time within which sessions with the same request are one work: continued, forked, tried
// again.
const occasion = 7 * 24 * 60 * 60 * 1000 // milliseconds

// occasions counts the sessions that are not the same work again.
func occasions(members []described) int {
	n := 0
	last := map[string]int64{}
	for _, m := range members {
		task := strings.ToLower(m.Task)
		if at, known := last[task]; !known || m.Started-at > occasion {
			n++
		}
		last[task] = m.Ended
	}
	return n
}

// Housekeeping reports whether a step belongs to any work: the acts of git, and looks at what a host keeps.
func Housekeeping(s Step) bool {
	if s.Act != Run {
		return false
	}
	if words := strings.Fields(s.Key); len(words) > 1 && (words[0] == "gh" || words[0] == "glab") {
		switch words[len(words)-1] {
		case "view", "list", "status", "checks", "diff", "watch", "api", "auth":
			return true
		}
		return words[1] == "api"
	}
	_, after, ok := strings.Cut(" "+s.Key, " git ")
	if !ok {
		return false
	}
	act, _, _ := strings.Cut(after, " ")
	switch act {
	case "status", "diff", "log", "add", "show", "branch", "fetch", "stash", "rev-parse", "ls-files", "checkout", "switch", "pull", "remote", "config", "blame", "commit", "push":
		return true
	}
	return false
}

func featureOf(id string) string {
	kind, what, _ := strings.Cut(id, " ")
	if kind == "run" {
		return "r" + what
	}
	return "f" + what
}

func (v *vocabulary) share(id string) float64 {
	return float64(v.count[featureOf(id)]) / float64(max(1, v.n))
}

func (v *vocabulary) weightOf(id string) float64 { return v.weight(featureOf(id)) }

// trigger says what the tasks have in common: the words of most of them, and the task that is most like
// all.
func (p *Procedure) trigger(members []described, c *cluster, v *vocabulary) {
	in := map[string]int{}
	best, most := 0, -1.0
	for i, m := range members {
		for _, w := range m.words {
			in[w]++
		}
		s := 0.0
		for k, w := range m.features.words {
			s += w * c.sum[k]
		}
		s /= math.Sqrt(float64(3 + len(m.words))) // the shorter says it better
		if s > most && m.Outcome != Failure {
			best, most = i, s
		}
	}
	p.Trigger = general(members[best].Task, func(w string) bool { return 2*in[w] > len(members) })
	for w, n := range in {
		if 2*n > len(members) && float64(v.count["w"+w]-n) < frequentWord*float64(v.n) {
			p.Words = append(p.Words, w)
		}
	}
	slices.Sort(p.Words)
}

// mostGeneral is how many words a task has that is said without what its session alone was about.
const mostGeneral = 15

// general is a short task with an ellipsis for the words that most tasks lack: of an endpoint for orders, one for users and one
// for items, "Add an endpoint for …". A task of which more than a third would be left out stays as it is, and so does one
// that would lose its first word, which says what is done.
func general(task string, shared func(word string) bool) string {
	fields := strings.Fields(task)
	if len(fields) > mostGeneral {
		return task
	}
	var out []string
	varies := 0
	for i, f := range fields {
		words := Words(f)
		if len(words) == 0 || slices.ContainsFunc(words, shared) {
			out = append(out, f)
			continue
		}
		if varies++; i == 0 {
			return task
		}
		if out[len(out)-1] != "…" {
			out = append(out, "…")
		}
	}
	if 3*varies > len(fields) {
		return task
	}
	return strings.Join(out, " ")
}
