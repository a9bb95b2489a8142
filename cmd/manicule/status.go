package main

import (
	"context"
	"errors"
	"sort"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"manicule/indexer/graph"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/leader"
	"manicule/memory/store"
)

// unusedAfter is the age at which a memory that was never recalled is called
// stale in the statistics (AIDE-AN-02).
const unusedAfter = 30 * 24 * time.Hour

type recalled struct {
	UUID  string `json:"uuid"`
	What  string `json:"what"`
	Count int    `json:"count"`
}

// statusJSON is what status knows.
type statusJSON struct {
	Root      string         `json:"root"`
	Repo      string         `json:"repository_id"`
	Total     int            `json:"total"`
	Personal  int            `json:"personal"`
	Pinned    int            `json:"pinned"`
	ByLayer   []store.Count  `json:"by_layer"`
	ByOrigin  map[string]int `json:"by_origin"`
	Drafts    int            `json:"drafts"`
	Problems  int            `json:"problems"`
	Unused    int            `json:"unused_30_days"`
	Recalled  []recalled     `json:"most_recalled"`
	Used      map[string]int `json:"used_30_days"`
	Leader    *leader.Hello  `json:"leader"`
	State     string         `json:"state_db"`
	Memories  string         `json:"memories_db"`
	MemoryDir string         `json:"memories_dir"`
	Graph     *graphStatus   `json:"graph"`
}

// graphStatus is how the code graph was left by who last indexed.
type graphStatus struct {
	graph.Counts
	Commit  string    `json:"commit,omitzero"`
	Indexed time.Time `json:"indexed"`
	Bytes   int64     `json:"bytes"`
	Alarms  []string  `json:"alarms"`
}

// graphStatus looks at the code graph without bringing it up to date; nil where
// there is none.
func (a *app) graphStatus(ctx context.Context, w *memory.Workspace) (s *graphStatus, err error) {
	if !graph.Exists(w.Place().CacheDir()) {
		return nil, nil
	}
	ix := a.graphIndex(w.Place())
	defer func() { err = errors.Join(err, ix.Close()) }()
	st, err := ix.State(ctx)
	if err != nil {
		return nil, graphFault(err)
	}
	return &graphStatus{Counts: st.Counts, Commit: st.Commit, Indexed: st.Indexed, Bytes: st.Bytes, Alarms: list(st.Alarms)}, nil
}

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show what is remembered here, how it is used, and who leads",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(w *memory.Workspace) error {
				s, err := a.status(cmd, w)
				if err != nil {
					return err
				}
				if a.json {
					a.printJSON("status", s)
					return nil
				}
				a.printStatus(s)
				return nil
			})
		},
	}
}

func (a *app) status(cmd *cobra.Command, w *memory.Workspace) (s statusJSON, err error) {
	ctx := cmd.Context()
	if _, err := w.Sync(ctx); err != nil {
		return s, err
	}
	s = statusJSON{Root: w.Root(), Repo: w.Place().RepoID, State: w.State().Path(), Memories: w.Store().Path(),
		MemoryDir: w.Place().MemoriesDir(), ByOrigin: map[string]int{}, Recalled: []recalled{}}
	var errs [5]error
	var accesses map[string]store.Access
	s.ByLayer, errs[0] = w.Store().Counts(ctx)
	s.Drafts, errs[1] = w.State().CountDrafts(ctx)
	accesses, errs[2] = w.State().Accesses(ctx)
	s.Used, errs[3] = w.State().Usage(ctx, a.now().Add(-unusedAfter))
	if err := errors.Join(errs[:]...); err != nil {
		return s, err
	}
	if s.Graph, err = a.graphStatus(ctx, w); err != nil {
		return s, err
	}
	s.Problems = len(w.View().Problems())
	for _, h := range w.View().All() {
		m := h.Memory
		s.Total++
		s.ByOrigin[string(m.Trust.Origin)]++
		if m.Visibility == file.Personal {
			s.Personal++
		}
		if m.Pinned {
			s.Pinned++
		}
		n := accesses[m.UUID].Recalled
		if n > 0 {
			s.Recalled = append(s.Recalled, recalled{m.UUID, m.What, n})
		} else if a.now().Sub(m.CreatedAt.Time) > unusedAfter {
			s.Unused++
		}
	}
	sort.SliceStable(s.Recalled, func(i, j int) bool { return s.Recalled[i].Count > s.Recalled[j].Count })
	s.Recalled = s.Recalled[:min(5, len(s.Recalled))]
	var h leader.Hello
	if leader.Ask(ctx, w.Place().Socket(), "hello", nil, &h) == nil {
		s.Leader = &h
	}
	return s, nil
}

func (a *app) printStatus(s statusJSON) {
	a.printf("%s in %s\n", a.paint(bold, "☞ "+count(s.Total, "memory", "memories")), s.Root)
	for _, l := range file.Layers() {
		var parts []string
		for _, c := range s.ByLayer {
			if c.Layer == l {
				parts = append(parts, count(c.N, c.Type.Label(), c.Type.Label()+"s"))
			}
		}
		if len(parts) > 0 {
			a.printf("  %-13s %s\n", strings.ReplaceAll(string(l), "_", " "), strings.Join(parts, ", "))
		}
	}
	var origins []string
	for _, o := range file.Origins() {
		if n := s.ByOrigin[string(o)]; n > 0 {
			origins = append(origins, strings.ReplaceAll(string(o), "_", " ")+" "+humanize.Comma(int64(n)))
		}
	}
	if len(origins) > 0 {
		a.printf("  %-13s %s\n", "from", strings.Join(origins, ", "))
	}
	if s.Drafts > 0 {
		a.printf("  %-13s %s: `manicule review`\n", "to review", count(s.Drafts, "draft", "drafts"))
	}
	if s.Problems > 0 {
		a.printf("  %-13s %s: `manicule doctor`\n", "broken", count(s.Problems, "file", "files"))
	}
	if s.Unused > 0 {
		a.printf("  %-13s %s never recalled here in 30 days\n", "unused", count(s.Unused, "memory", "memories"))
	}
	for i, r := range s.Recalled {
		label := ""
		if i == 0 {
			label = "most recalled"
		}
		a.printf("  %-13s %d× %s\n", label, r.Count, firstLine(r.What))
	}
	if g := s.Graph; g != nil {
		a.printf("  %-13s %s, %s, %s\n", "code graph", count(g.Files, "file", "files"), count(g.Symbols, "symbol", "symbols"), count(g.Edges, "edge", "edges"))
		for _, alarm := range g.Alarms {
			a.printf("  %-13s %s\n", "", alarm)
		}
	}
	switch {
	case s.Leader != nil:
		a.printf("  %-13s %s %s, process %d\n", "leader", s.Leader.Role, s.Leader.Version, s.Leader.PID)
	default:
		a.printf("  %-13s none: nothing runs in the background\n", "leader")
	}
}
