package memory

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"manicule/indexer/clip"
	"manicule/memory/file"
	"manicule/memory/gate"
)

// Bounds of what is told of memories that a merge left out.
const (
	maxRemedies  = 5 // files whose history is read for a command that helps
	maxLeftWords = 100
)

// LeftOut lists the memories that are in no list since a merge: those whose files have conflict markers that nobody can read,
// and, while git waits, those whose files it took for others. Messages are for people: they may quote words that nobody has
// judged; [Problem.ForAgents] doesn't. Paths are relative to the workspace. It looks at the loaded view.
func (g *Merges) LeftOut(ctx context.Context) (out []Problem) {
	for _, p := range g.views.Current().Problems() {
		if data, err := file.ReadBytes(p.Path); err != nil || p.Held != "" || !file.HoldsMarkers(data) {
			continue
		}
		out = append(out, p)
	}
	for i, hint := range g.Remedies(ctx, out) {
		out[i].Hint = hint
		if rel, err := filepath.Rel(g.place.Root, out[i].Path); err == nil {
			out[i].Path = filepath.ToSlash(rel)
		}
	}
	for _, m := range g.git.Mistaken(ctx) {
		out = append(out, m.Problem())
	}
	return out
}

// LeftByMerge is LeftOut while git waits, else nothing.
func (g *Merges) LeftByMerge(ctx context.Context) []Problem {
	if !g.git.Merging() {
		return nil
	}
	return g.LeftOut(ctx)
}

// Problem says what became of the memory and how to decide, for people.
func (m Mistaken) Problem() Problem {
	words := clip.MarkedChars(strings.Join(strings.Fields(gate.Clean(m.Memory.What)), " "), maxLeftWords)
	what := "memory"
	if isThread(m.Path) {
		what = "thread"
	}
	return Problem{Path: m.Path, UUID: m.Memory.UUID, Line: 1, Column: 1,
		Message: fmt.Sprintf("%s deleted %s %s, the other side changed it: “%s”. git took its file for that of %s, so that the merge has it no more",
			gate.Clean(cmp.Or(file.OneName(m.Deleted.Author), "somebody")), what, m.Memory.ShortID(), words, file.ShortID(nameID(m.For))),
		Hint: fmt.Sprintf("`git checkout %.8s -- %s` keeps it, doing nothing deletes it; then `git add %s`, and go on as `git status` says.", m.Changed, m.Path, m.For)}
}

// ID is the id of the memory that a problem is about, "" if it is about none.
func (p Problem) ID() string {
	if id := cmp.Or(p.UUID, nameID(filepath.ToSlash(p.Path))); file.ValidUUID(id) {
		return id
	}
	return ""
}

// ForAgents says that a memory was left out, and nothing that a file says.
func (p Problem) ForAgents() string {
	which := "a memory"
	if id := p.ID(); id != "" {
		which = "memory " + file.ShortID(id)
	}
	return which + " has to be decided by a person since a merge: `manicule resolve`"
}

// Remedies names what brings each memory back whose file can't be used. For many, each with a history to read, it names the
// command that lists the versions.
func (g *Merges) Remedies(ctx context.Context, problems []Problem) []string {
	hints := make([]string, len(problems))
	looked := 0
	for i, p := range problems {
		hints[i] = p.Hint
		id := nameID(filepath.ToSlash(p.Path))
		if p.Held != "" || !file.ValidUUID(id) {
			continue
		}
		if looked++; looked > maxRemedies {
			hints[i] = "`manicule history " + file.ShortID(id) + "` lists the versions that are known."
			continue
		}
		if d, ok, err := g.history.Damaged(ctx, id); err == nil && ok {
			hints[i] = d.Remedy(g.place.Root)
		}
	}
	return hints
}
