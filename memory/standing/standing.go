// Package standing reads where a workspace stands beside its memories: its core document, the build that is worked on, and
// the threads that people share, as the files tell it that agents load at their start. It must not know databases: what is on
// this machine alone is in no such file.
package standing

import (
	"fmt"
	"log/slog"

	"manicule/indexer/workspace"
	"manicule/memory/builds"
	"manicule/memory/core"
	"manicule/memory/exporter"
	"manicule/memory/thread"
)

// maxThreads is how many shared threads are told.
const maxThreads = 10

// Of reads where a workspace stands. What may not reach an agent, or can't be read, is left out, and doctor reports it.
func Of(p *workspace.Workspace, log *slog.Logger) (out exporter.Standing) {
	if d, err := core.ReadForAgents(p, ""); err != nil {
		log.Debug("read the core document", "root", p.Root, "err", err)
	} else {
		out.Focus = d.Focus
		for _, f := range d.Fields() {
			if f.Name != string(core.Focus) {
				out.Core = append(out.Core, f.Name+": "+f.Text)
			}
		}
	}
	if list, err := builds.Load(p); err != nil {
		log.Debug("read the builds", "root", p.Root, "err", err)
	} else if b, ok := builds.Current(list, ""); ok && b.CheckForAgents() == nil {
		done, all := b.Progress()
		out.Builds = append(out.Builds, fmt.Sprintf("%s: %d of %d done", b.Title, done, all))
		for _, s := range b.Slices() {
			if s.Status == builds.InProgress || s.Status == builds.Blocked {
				out.Builds = append(out.Builds, string(s.Status)+": "+s.Text)
			}
		}
	}
	// A file is everybody's: what is for one of them is told to their sessions.
	for _, t := range thread.SharedOf(p, log) {
		m := t.Memory
		if t.State != thread.StateOpen || t.Owner != "" || m.Trust.Tainted || len(m.Conflict) > 0 || len(out.Threads) == maxThreads {
			continue
		}
		text := m.What
		if place := t.Place(); place != "" {
			text += " (" + place + ")"
		}
		out.Threads = append(out.Threads, text)
	}
	return out
}
