package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"manicule/indexer/anchor"
	"manicule/indexer/graph"
	"manicule/memory/config"
	"manicule/memory/embed/provider"
	"manicule/memory/file"
	"manicule/memory/follow"
	"manicule/memory/leader"
	"manicule/memory/services"
	"manicule/memory/store"
)

// unusedAfter is the age at which a memory that was never recalled counts as unused.
const unusedAfter = 30 * 24 * time.Hour

// oftenRecalled is from how many times on a memory is named as recalled often.
const oftenRecalled = 3

type recalled struct {
	UUID  string `json:"uuid"`
	What  string `json:"what"`
	Count int    `json:"count"`
}

// graphState is the state of the code graph.
type graphState struct {
	State   string `json:"state"` // none, building, built, damaged
	Files   int    `json:"files"`
	Symbols int    `json:"symbols"`
	Edges   int    `json:"edges"`
	Stale   int    `json:"stale"` // files with outdated edges

	Commit  string    `json:"commit,omitzero"` // the commit that was indexed
	Indexed time.Time `json:"indexed,omitzero"`
	Bytes   int64     `json:"bytes"`  // size of graph.db
	Alarms  []string  `json:"alarms"` // exceeded thresholds of the store
}

// The states of the code graph.
const (
	graphNone     = "none"
	graphBuilding = "building" // begun and never finished
	graphBuilt    = "built"
	graphDamaged  = "damaged"
)

// statusJSON is the shape "status".
type statusJSON struct {
	Root      string               `json:"root"`
	Repo      string               `json:"repository_id"`
	Total     int                  `json:"total"`
	Personal  int                  `json:"personal"`
	Pinned    int                  `json:"pinned"`
	ByLayer   []store.Count        `json:"by_layer"`
	ByOrigin  map[string]int       `json:"by_origin"`
	Drafts    int                  `json:"drafts"`
	Problems  int                  `json:"problems"`
	Unused    int                  `json:"unused_30_days"`
	Anchors   map[anchor.State]int `json:"anchors"` // by state
	Recalled  []recalled           `json:"most_recalled"`
	Used      map[string]int       `json:"used_30_days"`
	Leader    *leader.Hello        `json:"leader"`
	Graph     graphState           `json:"code_graph"`
	Embedding provider.State       `json:"embedding"`
	// Embedded is how far the leader has embedded the code, or null.
	Embedded *services.CodeProgress `json:"embedding_code"`
	// Consolidated is the last consolidation, or null.
	Consolidated *lastConsolidation `json:"consolidation"`
	// Life counts the tiers, and has the last sweep.
	Life      lifeJSON  `json:"life"`
	Trust     trustJSON `json:"trust"`
	State     string    `json:"state_db"`
	Memories  string    `json:"memories_db"`
	MemoryDir string    `json:"memories_dir"`
	lost      string    // that their folder was deleted, and how it comes back
	emptied   int       // memories about folders that are not there
	disputed  int       // memories that somebody disputes
	versions  int       // memories of which a merge left several versions
	unset     string    // what this clone lacks to share memories
	temporary string    // where the state is if the system may delete it
	copied    string    // what this repository began without because it is a copy
}

// statusCommand is `manicule status`.
type statusCommand struct {
	*cli
}

func newStatusCommand(shared *cli) *cobra.Command {
	sc := &statusCommand{cli: shared}
	return &cobra.Command{
		Use:   "status",
		Short: "Show how many memories there are, how they are used, and which process leads",
		Args:  cobra.NoArgs,
		RunE:  sc.run,
	}
}

func (sc *statusCommand) run(cmd *cobra.Command, _ []string) error {
	return sc.with(cmd.Context(), func(w *services.Workspace) error {
		sc.refresh(cmd.Context(), w)
		s, err := sc.status(cmd, w)
		if err != nil {
			return err
		}
		s.Anchors = states(w.Tracker())
		lost, back, err := deletedFiles(cmd.Context(), w)
		if err != nil {
			return err
		}
		if lost != "" {
			s.lost = lost + ": " + back
		}
		if sc.json {
			sc.printJSON("status", s)
			return nil
		}
		s.emptied, s.unset = len(emptiedScopes(w, nil, "")), sc.unset(w)
		s.temporary = stateInTemporary(w.Place())
		s.copied, _ = copyOf(w.Place())
		sc.printStatus(s)
		return nil
	})
}

// unset says what a clone lacks that has memories and in which nobody ran init: they came by git, and so did no settings of git.
func (sc *statusCommand) unset(w *services.Workspace) string {
	p := w.Place()
	if m := sc.setupOf(p).MergeDriver(); p.GitTop == "" || m.Registered || !m.Attributed {
		return ""
	}
	return "not in this clone yet: without `manicule init` git merges memories as text"
}

func (sc *statusCommand) status(cmd *cobra.Command, w *services.Workspace) (s statusJSON, err error) {
	ctx := cmd.Context()
	if _, err := w.Sync(ctx); err != nil {
		return s, err
	}
	s = statusJSON{Root: w.Root(), Repo: w.Place().RepoID, State: w.State().Path(), Memories: w.Store().Path(),
		MemoryDir: w.Place().MemoriesDir(), ByOrigin: map[string]int{}, Recalled: []recalled{}}
	var errs [7]error
	var accesses map[string]int
	s.ByLayer, errs[0] = w.Store().Counts(ctx)
	s.Drafts, errs[1] = w.State().Drafts().Count(ctx)
	accesses, errs[2] = w.State().Usage().Accesses(ctx)
	s.Used, errs[3] = w.State().Usage().Since(ctx, sc.now().Add(-unusedAfter))
	s.Consolidated, errs[4] = lastConsolidated(ctx, w)
	s.Life, errs[5] = lifeOf(ctx, w)
	s.Trust, errs[6] = sc.trustOf(ctx, w)
	if i := slices.IndexFunc(errs[:], func(err error) bool { return errors.Is(err, store.ErrNewer) }); i >= 0 {
		return s, errs[i] // the others are the same
	}
	if err := errors.Join(errs[:]...); err != nil {
		return s, err
	}
	s.Problems = len(w.View().Problems())
	for _, h := range w.View().All() {
		m := h.Memory
		s.Total++
		s.ByOrigin[cmp.Or(string(m.Trust.Origin), "not_stated")]++
		if m.Visibility == file.Personal {
			s.Personal++
		}
		if m.Pinned {
			s.Pinned++
		}
		if m.Trust.Disputed() {
			s.disputed++
		}
		if len(m.Conflict) > 0 {
			s.versions++
		}
		n := accesses[m.UUID]
		if n > 0 {
			s.Recalled = append(s.Recalled, recalled{m.UUID, m.What, n})
		} else if sc.now().Sub(m.CreatedAt.Time) > unusedAfter {
			s.Unused++
		}
	}
	sort.SliceStable(s.Recalled, func(i, j int) bool { return s.Recalled[i].Count > s.Recalled[j].Count })
	s.Recalled = s.Recalled[:min(5, len(s.Recalled))]
	var h leader.Hello
	if leader.Ask(ctx, w.Place().Socket(), "hello", nil, &h) == nil {
		s.Leader = &h
		s.Embedded = services.CodeProgressOf(ctx, w)
	}
	s.Embedding = w.EmbedderState()
	s.Graph, err = readGraphState(ctx, w)
	return s, err
}

// states counts the anchors by state.
func states(t *follow.Tracker) map[anchor.State]int {
	out := map[anchor.State]int{}
	for _, p := range t.All() {
		out[p.State]++
	}
	return out
}

// readGraphState reads the state of the code graph without building it.
func readGraphState(ctx context.Context, w *services.Workspace) (s graphState, err error) {
	if !graph.Exists(w.Place().CacheDir()) {
		return graphState{State: graphNone, Alarms: []string{}}, nil
	}
	ix := w.Graph()
	st, err := ix.State(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
		return graphState{State: graphDamaged, Alarms: []string{}}, nil // doctor reports why
	}
	s = graphState{graphBuilt, st.Files, st.Symbols, st.Edges, st.Stale, st.Commit, st.Indexed, st.Bytes, list(st.Alarms)}
	if st.Indexed.IsZero() {
		s.State = graphBuilding
	}
	return s, nil
}

func (sc *statusCommand) printStatus(s statusJSON) {
	sc.printMemories(s)
	sc.printToDo(s)
	sc.printLife(s)
	sc.printMachine(s)
}

// row prints one line: what it is about, and what is so.
func (sc *statusCommand) row(label, format string, args ...any) {
	sc.printf("  %-13s %s\n", label, fmt.Sprintf(format, args...))
}

// printMemories tells which memories there are.
func (sc *statusCommand) printMemories(s statusJSON) {
	sc.printf("%s in %s\n", sc.paint(bold, "☞ "+count(s.Total, "memory", "memories")), s.Root)
	if s.lost != "" {
		sc.printf("  %s\n", s.lost)
	}
	if s.unset != "" {
		sc.row("set up", "%s", s.unset)
	}
	if s.temporary != "" {
		sc.row("state", "%s", s.temporary)
	}
	if s.copied != "" {
		sc.row("state", "%s: `manicule doctor`", s.copied)
	}
	for _, l := range file.Layers() {
		var parts []string
		for _, c := range s.ByLayer {
			if c.Layer == l {
				parts = append(parts, c.Type.Count(c.N))
			}
		}
		if len(parts) > 0 {
			sc.row(strings.ReplaceAll(string(l), "_", " "), "%s", strings.Join(parts, ", "))
		}
	}
	var origins []string
	for _, o := range file.Origins() {
		if n := s.ByOrigin[string(o)]; n > 0 {
			origins = append(origins, strings.ReplaceAll(string(o), "_", " ")+" "+humanize.Comma(int64(n)))
		}
	}
	if len(origins) > 0 {
		sc.row("from", "%s", strings.Join(origins, ", "))
	}
}

// printToDo tells what waits for a person.
func (sc *statusCommand) printToDo(s statusJSON) {
	if s.Drafts > 0 {
		sc.row("to review", "%s: `manicule review`", count(s.Drafts, "draft", "drafts"))
	}
	if s.versions > 0 {
		sc.row("versions", "%s several versions: `manicule resolve`", count(s.versions, "memory has", "memories have"))
	}
	if s.disputed > 0 {
		sc.row("disputed", "%s: `manicule list --state disputed`", count(s.disputed, "memory", "memories"))
	}
	if len(s.Anchors) > 0 {
		text := countStates(s.Anchors)
		if s.Anchors[anchor.Stale]+s.Anchors[anchor.Orphaned]+s.Anchors[anchor.Drifted] > 0 {
			text += ": `manicule verify`"
		}
		sc.row("anchors", "%s", text)
	}
	if s.emptied > 0 {
		sc.row("scopes", "%s about folders that are not there: `manicule verify`", count(s.emptied, "memory is", "memories are"))
	}
	if s.Problems > 0 {
		sc.row("broken", "%s: `manicule doctor`", count(s.Problems, "file", "files"))
	}
	if s.Unused > 0 {
		sc.row("unused", "%s never recalled here in 30 days", count(s.Unused, "memory", "memories"))
	}
}

// printLife tells how the memories do.
func (sc *statusCommand) printLife(s statusJSON) {
	if s.Life.Kept+s.Life.Fading > 0 {
		sc.row("tiers", "%s", s.Life.text())
	}
	switch {
	case s.Life.Health != nil:
		sc.row("health", "%s", s.Life.healthText())
	case s.Total > 0:
		sc.row("health", "not known yet: the memories are new")
	}
	if s.Life.Coverage != nil {
		sc.row("coverage", "%s", s.Life.Coverage.text())
	}
	if s.Trust.Offer != nil {
		sc.row("trust", "level %d; offered is %s: `manicule trust`", s.Trust.Level, offerText(s.Trust))
	} else if s.Trust.From != config.Default {
		sc.row("trust", "level %d", s.Trust.Level)
	}
	if s.Life.Sweep != nil {
		sc.row("swept", "%s", sweepText(s.Life.Sweep, sc.now()))
	}
	if s.Consolidated != nil {
		sc.row("consolidated", "%s", s.Consolidated.text(sc.now()))
	}
	for i, r := range s.Recalled {
		if r.Count < oftenRecalled { // no ranking: one look at a folder recalls all that is about it
			break
		}
		label := ""
		if i == 0 {
			label = "recalled"
		}
		sc.row(label, "%d× %s", r.Count, firstLine(r.What))
	}
}

// printMachine tells what this machine has computed, and what computes in the background.
func (sc *statusCommand) printMachine(s statusJSON) {
	switch s.Graph.State {
	case graphNone:
		sc.row("code graph", "not built yet: an editor, or the first command that needs it, reads all code once")
	case graphBuilding:
		sc.row("code graph", "begun and not finished, with %s so far: `manicule index` resumes it", count(s.Graph.Files, "file", "files"))
	case graphDamaged:
		sc.row("code graph", "can't be read: `manicule doctor`")
	default:
		sc.row("code graph", "%s, %s, %s", count(s.Graph.Files, "file", "files"), count(s.Graph.Symbols, "symbol", "symbols"), count(s.Graph.Edges, "edge", "edges"))
		for _, alarm := range s.Graph.Alarms {
			sc.row("", "%s", alarm)
		}
	}
	sc.row("meaning", "%s", s.Embedding.String())
	if p := s.Embedded; p != nil {
		sc.row("", "%s of %s embedded in the background", humanize.Comma(int64(p.Done)), count(p.Total, "piece of code", "pieces of code"))
	}
	if s.Embedding.Advice != "" {
		sc.row("", "%s", s.Embedding.Advice)
	}
	switch {
	case s.Leader != nil:
		sc.row("leader", "%s %s, process %d", s.Leader.Role, s.Leader.Version, s.Leader.PID)
	default:
		sc.row("leader", "none: nothing runs in the background")
	}
}
