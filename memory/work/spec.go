package work

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"manicule/indexer/treefile"
	"manicule/memory/builds"
	"manicule/memory/file"
)

// specFolders are the folders, below a root, in which tools keep a folder for each specification: Spec Kit, OpenSpec, Kiro.
func specFolders() []string { return []string{"specs", "openspec/changes", ".kiro/specs"} }

// taskFile lists the tasks of a specification in its folder.
const taskFile = "tasks.md"

// maxTaskFile bounds a list of tasks that is read, in bytes.
const maxTaskFile = 256 << 10

// Tasks is how far a unit of work is carried out, by a list of its own.
type Tasks struct {
	File      string // below the root
	Done, All int
	Next      string // the task to go on with, "" for none, or if its words must not reach agents
}

// Open is the number of tasks that are not done.
func (t Tasks) Open() int { return t.All - t.Done }

// specTasks returns how far a specification below a root is carried out; ok is false if it lists no task.
func specTasks(root string, r file.WorkRef) (t Tasks, ok bool) {
	if r.Kind != Spec {
		return t, false
	}
	for _, folder := range specFolders() {
		name := path.Join(folder, r.ID, taskFile)
		data, err := treefile.ReadWithin(root, name, maxTaskFile)
		if err != nil {
			continue // most have none
		}
		b := builds.Parse(bytes.ReplaceAll(data, []byte("[-] "), []byte("[ ] "))) // Kiro's mark of a task under way
		s, held := builds.Summarize(b)
		t = Tasks{File: name, Done: s.Done, All: s.All}
		if held == nil && s.Next != nil {
			t.Next = s.Next.Text
		}
		return t, t.All > 0
	}
	return t, false
}

// specBranch finds the specification that a branch carries out: the last part of its name is that of a folder of one below a
// root, or has a form such as 003-retry-queue.
func specBranch(root string) func(name string) (file.WorkRef, bool) {
	numbered := regexp.MustCompile(`^\d{3}-[a-z]`)
	return func(name string) (file.WorkRef, bool) {
		last := name[strings.LastIndexByte(name, '/')+1:]
		if isID(last) && (numbered.MatchString(last) || root != "" && hasSpec(root, last)) {
			return file.WorkRef{Kind: Spec, ID: last}, true
		}
		return FromBranch(name)
	}
}

// hasSpec reports whether one of the folders of specifications has one of that name.
func hasSpec(root, name string) bool {
	for _, folder := range specFolders() {
		for _, f := range []string{"spec.md", "proposal.md", "requirements.md", taskFile} {
			if st, err := treefile.Lstat(root, path.Join(folder, name, f)); err == nil && st.Mode().IsRegular() {
				return true
			}
		}
	}
	return false
}
