package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"manicule/hooks/install"
	"manicule/indexer/atomicfile"
	"manicule/indexer/graph"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/atlas"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/ledger"
	"manicule/memory/life"
	"manicule/memory/recipe"
	"manicule/memory/services"
	"manicule/memory/store"
)

// mapCommand is `manicule map`.
type mapCommand struct {
	*cli
	open, personal, noLedger, noSymbols bool
	out                                 string
}

func newMapCommand(shared *cli) *cobra.Command {
	mc := &mapCommand{cli: shared}
	c := &cobra.Command{
		Use:   "map",
		Short: "Draw the repository with its memories, as one page",
		Long: "Draw the repository with its memories: where it changes much and nothing is remembered, which\n" +
			"memories no longer match the code, and what came of each. Files, folders, symbols and memories\n" +
			"are found as you type. The page is one file that loads nothing, so it can be sent, or kept by\n" +
			"CI. Personal memories are left out without --personal.",
		Example: "  manicule map --open\n  manicule map -o map.html --no-ledger",
		Args:    cobra.NoArgs,
		RunE:    mc.run,
	}
	c.Flags().BoolVar(&mc.open, "open", false, "open the page in the browser")
	c.Flags().StringVarP(&mc.out, "out", "o", "", "the file; - for standard output (default: a file in the workspace's cache)")
	c.Flags().BoolVar(&mc.personal, "personal", false, "personal memories too")
	c.Flags().BoolVar(&mc.noSymbols, "no-symbols", false, "without symbols and who uses them; the code is not read then")
	c.Flags().BoolVar(&mc.noLedger, "no-ledger", false, "without what this machine knows of sessions: showings, outcomes, failures")
	return c
}

// mapJSON is the shape "map".
type mapJSON struct {
	File     string     `json:"file"`
	Bytes    int        `json:"bytes"`
	Files    int        `json:"files"`
	Memories int        `json:"memories"`
	LeftOut  mapLeftOut `json:"left_out"`
}

type mapLeftOut struct {
	Personal    int `json:"personal"`
	Quarantined int `json:"quarantined"`
	Drafts      int `json:"drafts"`
}

func (mc *mapCommand) run(cmd *cobra.Command, _ []string) error {
	toOutput := mc.out == "-"
	if toOutput && (mc.json || mc.open) {
		return usageError("the page can't go to standard output beside --json or --open", "name a file with -o.")
	}
	return mc.withState(cmd.Context(), func(w *services.Workspace) error {
		now := beginSteps(mc.console)
		defer now.stop()
		in, err := mc.gather(cmd.Context(), w, now)
		if err != nil {
			return err
		}
		now.at("makes the page")
		var page bytes.Buffer
		if err := atlas.WritePage(&page, atlas.Build(in)); err != nil {
			return err
		}
		if toOutput {
			mc.raw = true
			mc.printf("%s", page.Bytes())
			return nil
		}
		out, mode := filepath.Join(w.Place().CacheDir(), "map.html"), os.FileMode(0o600)
		if mc.out != "" {
			if out, err = mc.fileToWrite(mc.out); err != nil {
				return err
			}
			if mode = 0o666; mc.personal || !mc.noLedger {
				mode = 0o600
			}
		}
		if err := atomicfile.Write(out, page.Bytes(), mode); err != nil {
			return &memory.UserError{Msg: fmt.Sprintf("write %s: %v", out, err), Err: err, Hint: "Name a file that can be written to."}
		}
		if mc.json {
			mc.printJSON("map", mapJSON{out, page.Len(), len(in.Files), len(in.Memories), mapLeftOut(in.LeftOut)})
		} else {
			mc.printf("%s %s: %s, %s, %s\n", mc.paint(green, "✓"), gate.Clean(cmp.Or(mc.out, out)), count(len(in.Files), "file", "files"),
				count(len(in.Memories), "memory", "memories"), humanize.IBytes(uint64(page.Len())))
			if n := in.LeftOut.Personal; n > 0 {
				mc.printf("  without %s\n", count(n, "personal memory", "personal memories"))
			}
			if mc.out != "" && !mc.noLedger {
				mc.printf("  with what this machine knows of sessions, by day; --no-ledger leaves it out\n")
			}
		}
		if mc.open {
			if err := openBrowser(cmd.Context(), mc.env, out); err != nil {
				return &memory.UserError{Msg: "open a browser: " + err.Error(), Err: err, Hint: "Open the file yourself: " + out}
			}
		}
		return nil
	})
}

// gather collects what the map shows. What may not leave the machine is left out here.
func (mc *mapCommand) gather(ctx context.Context, w *services.Workspace, now *steps) (in atlas.Input, err error) {
	if _, err := w.Sync(ctx); err != nil {
		return in, err
	}
	now.at("looks where the code of the memories is")
	mc.refresh(ctx, w)
	in = atlas.Input{Name: gate.Clean(filepath.Base(w.Root())), At: mc.now()}
	hits := w.View().Live()
	if !mc.personal {
		shared := slices.DeleteFunc(slices.Clone(hits), isPersonal)
		in.LeftOut.Personal = len(hits) - len(shared)
		hits = shared
	}
	if in.LeftOut.Quarantined, err = w.Quarantine().Count(ctx); err != nil {
		return in, err
	}
	if in.LeftOut.Drafts, err = w.State().Drafts().Count(ctx); err != nil {
		return in, err
	}
	now.at("reads the files and git's history")
	if in.Files, err = mc.mapFiles(ctx, w); err != nil {
		return in, err
	}
	now.at("looks up the memories")
	if health, ok := life.HealthOf(members(w.View(), hits)); ok {
		in.Health = &health
	}
	c, err := coverageOf(ctx, w, mc.shows)
	if err != nil {
		return in, err
	}
	if c != nil {
		in.Coverage = &atlas.Coverage{Share: c.Share, Bare: []atlas.Bare{}}
		for _, b := range c.Bare {
			in.Coverage.Bare = append(in.Coverage.Bare, atlas.Bare{Folder: gate.Clean(b.Folder), Changes: b.Changes})
		}
	}
	numbers := map[string]int{}
	for i, h := range hits {
		numbers[h.Memory.UUID] = i
		m, err := mapMemory(ctx, w, h)
		if err != nil {
			return in, err
		}
		in.Memories = append(in.Memories, m)
	}
	view := w.View()
	in.About = func(path string) (about []int) {
		for _, h := range view.ForPath(path, false) {
			if i, ok := numbers[h.Memory.UUID]; ok && h.Match > memory.MatchProject {
				about = append(about, i)
			}
		}
		return about
	}
	if !mc.noSymbols {
		mc.mapCode(ctx, w, &in, now)
	}
	now.at("reads what sessions were shown")
	if err := ctx.Err(); err != nil {
		return in, err
	}
	if mc.noLedger {
		return in, nil
	}
	return in, mc.mapLedger(ctx, w, &in, numbers)
}

func isPersonal(h memory.Hit) bool { return h.Memory.Visibility == file.Personal }

// shows reports whether the page has a memory.
func (mc *mapCommand) shows(h memory.Hit) bool { return mc.personal || !isPersonal(h) }

// mapFiles lists the files of the repository. Links and Manicule's own files are left out.
func (mc *mapCommand) mapFiles(ctx context.Context, w *services.Workspace) ([]atlas.File, error) {
	paths, err := w.Files().List(ctx) // reads new commits, too
	if err != nil {
		return nil, err
	}
	churn := map[string]int{}
	if past := w.GitHistory(); past != nil {
		churn = past.Churn(nil)
	}
	failures := map[string]int{}
	if !mc.noLedger {
		if failures, err = w.State().Sessions().Failures(ctx); err != nil {
			return nil, fmt.Errorf("count the failures: %w", err)
		}
	}
	slices.Sort(paths)
	out := make([]atlas.File, 0, len(paths))
	for _, p := range paths {
		info, err := os.Lstat(filepath.Join(w.Root(), filepath.FromSlash(p)))
		if err != nil || !info.Mode().IsRegular() || strings.HasPrefix(p, workspace.Folder+"/") {
			continue
		}
		out = append(out, atlas.File{Path: p, Bytes: info.Size(), Changes: churn[p], Failures: failures[p], Recorded: services.Recorded(p), Generated: generated(w.Root(), p, info.Size())})
	}
	return out, ctx.Err()
}

// smallFile is the size of files of which nobody asks whether a program wrote them: the map would be the same.
const smallFile = 16 << 10

// generated reports whether a large file is one that a program writes from others, by its name or by what it says at its
// beginning.
func generated(root, name string, size int64) bool {
	if size < smallFile {
		return false
	}
	for _, end := range []string{".min.js", ".min.mjs", ".min.css", ".js.map", ".css.map", ".pb.go", "_pb2.py", ".pb.cc", ".pb.h", ".g.dart", ".designer.cs", ".snap"} {
		if strings.HasSuffix(strings.ToLower(name), end) {
			return true
		}
	}
	f, err := os.Open(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	head := make([]byte, 1<<10)
	n, err := io.ReadFull(f, head)
	return err == nil && recipe.SaysGenerated(string(head[:n]))
}

// mapCode adds the symbols, and who uses whom. Without a code graph the page has neither.
func (mc *mapCommand) mapCode(ctx context.Context, w *services.Workspace, in *atlas.Input, now *steps) {
	now.at("") // indexing says how far it is
	err := mc.updateGraph(ctx, w)
	now.at("asks the code graph who uses what")
	if err == nil {
		err = askGraph(ctx, w, func(g *graph.Graph) error {
			uses := map[string][]string{}
			graph.EachImports(g, func(file string, of []string) { uses[file] = of })
			in.Uses, in.Symbols = func(file string) []string { return uses[file] }, nil
			for _, u := range g.MostUsed(2 * atlas.MaxSymbols) { // some are in files that the page leaves out
				in.Symbols = append(in.Symbols, atlas.Symbol{Name: gate.Clean(u.Symbol), Kind: u.Kind, Path: u.File, Line: u.Line, UsedBy: u.UsedBy})
			}
			return nil
		})
	}
	w.Graph().Release(0) // the page is made without it
	if err != nil && ctx.Err() == nil {
		mc.warn("the page has no symbols: %v", err)
	}
}

// mapMemory is a memory as the page shows it.
func mapMemory(ctx context.Context, w *services.Workspace, h memory.Hit) (atlas.Memory, error) {
	m, fresh := h.Memory, h.Freshness()
	out := atlas.Memory{ID: m.ShortID(), Type: m.Type.Label(), What: gate.Clean(m.What), Why: gate.Clean(m.Why), Confidence: float64(int(100*h.Confidence()+.5)) / 100,
		State: string(fresh.State), Created: m.CreatedAt.UTC().Format("2006-01-02")}
	if fresh.Doubtful() {
		out.Reason = gate.Clean(fresh.Reason)
	}
	if fresh.State == "" && len(m.Anchors) > 0 {
		out.State = "fresh"
	}
	for _, p := range h.Where() {
		out.Places = append(out.Places, gate.Clean(p))
	}
	for _, mark := range []struct {
		on   bool
		text string
	}{
		{m.Visibility == file.Personal, "personal: only on this machine"},
		{m.Trust.Tainted && m.Trust.VerifiedBy == "", "tainted: from outside, unconfirmed"},
		{m.Trust.Disputed(), "disputed"},
		{len(m.Conflict) > 0, m.Undecided()},
		{h.NeedsReview(), "unreviewed"},
		{m.Trust.Unreviewed, file.NotReviewed},
		{h.Tier() == life.Fading, "fading: nobody uses it"},
	} {
		if mark.on {
			out.Marks = append(out.Marks, gate.Clean(mark.text))
		}
	}
	versions := []*file.Memory{m}
	if m.Lineage.Version > 1 {
		past, err := w.State().Versions().Of(ctx, m.UUID)
		if err != nil {
			return out, fmt.Errorf("list the versions of %s: %w", m.ShortID(), err)
		}
		versions = append(past, m)
	}
	seen := map[int]bool{}
	for _, v := range versions {
		if n := v.Lineage.Version; !seen[n] {
			seen[n] = true
			out.Versions = append(out.Versions, atlas.Version{Number: n, Day: v.VersionAt().UTC().Format("2006-01-02"), Kind: gate.Clean(v.Lineage.ChangeKind)})
		}
	}
	return out, nil
}

// mapLedger adds what came of the memories: numbers by day, and by month for each agent's program;
// never of which person, where or in which session.
func (mc *mapCommand) mapLedger(ctx context.Context, w *services.Workspace, in *atlas.Input, numbers map[string]int) error {
	mc.updateLedger(ctx, w)
	days, err := w.State().Shown().Days(ctx)
	if err != nil {
		return fmt.Errorf("read what was shown: %w", err)
	}
	type key struct {
		memory int
		day    string
	}
	type share struct{ agent, month string }
	lives, months, shares := map[key]*atlas.Outcomes{}, map[string]*atlas.Outcomes{}, map[share]*atlas.Outcomes{}
	for _, d := range days {
		i, ok := numbers[d.UUID]
		if !ok {
			continue // left out, or forgotten
		}
		addOutcome(lives, key{i, d.Day}, d)
		month := d.Day[:min(len("2006-01"), len(d.Day))]
		addOutcome(months, month, d)
		if d.Agent != "" {
			addOutcome(shares, share{programOf(d.Agent), month}, d)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(lives), func(a, b key) int { return cmp.Or(a.memory-b.memory, strings.Compare(a.day, b.day)) }) {
		in.Memories[k.memory].Shown = append(in.Memories[k.memory].Shown, atlas.Day{Day: k.day, Outcomes: *lives[k]})
	}
	for _, m := range slices.Sorted(maps.Keys(months)) {
		in.Months = append(in.Months, atlas.Month{Month: m, Outcomes: *months[m]})
	}
	for _, k := range slices.SortedFunc(maps.Keys(shares), func(a, b share) int {
		return cmp.Or(strings.Compare(a.agent, b.agent), strings.Compare(a.month, b.month))
	}) {
		if n := len(in.Agents); n == 0 || in.Agents[n-1].Agent != k.agent {
			in.Agents = append(in.Agents, atlas.Agent{Agent: k.agent})
		}
		last := &in.Agents[len(in.Agents)-1]
		last.Months = append(last.Months, atlas.Month{Month: k.month, Outcomes: *shares[k]})
	}
	return nil
}

// programOf is the name of an agent's program. That of a client which Manicule doesn't know is not
// on the page: anybody can give it any name, that of a person too.
func programOf(agent string) string {
	if slices.Contains(install.Agents(), agent) {
		return agent
	}
	return atlas.OtherAgents
}

// addOutcome adds showings to a sum.
func addOutcome[K comparable](to map[K]*atlas.Outcomes, k K, d store.ShownDay) {
	o := to[k]
	if o == nil {
		o = &atlas.Outcomes{}
		to[k] = o
	}
	if d.Agent == "" {
		o.People += d.Count
		return
	}
	o.Shown += d.Count
	o.Tokens += d.Tokens
	switch ledger.Verdict(d.Verdict) {
	case ledger.Followed:
		o.Followed += d.Count
	case ledger.Overridden:
		o.Overridden += d.Count
	case ledger.Ignored:
		o.Ignored += d.Count
	}
}
