package memory

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/memory/file"
	"manicule/memory/life"
	"manicule/memory/store"
)

// SweepOptions configure a sweep.
type SweepOptions struct {
	Trigger string // manual or schedule
	DryRun  bool
	// Shared archives memories that git carries, too. Without it only personal ones are archived: a
	// machine must not take from a team what its own person did not use.
	Shared bool
	// Changed returns the share of a memory's files that changed since it was written; nil if it is
	// unknown.
	Changed func(Hit) float64
	// Locate returns where the code of archived memories is now; nil if it is unknown.
	Locate func(context.Context, []Hit) ([]Hit, error)
	// Yield runs between two chunks. An error ends the sweep; what was done stays.
	Yield func(context.Context) error
}

// SweepReport is what a sweep did, or would do.
type SweepReport struct {
	store.Sweep
	Moves []life.Move `json:"moves"`
	// Waiting lists what a person may archive with `manicule sweep`.
	Waits []life.Move `json:"waits"`
	// Back lists archived memories whose code is back.
	Back []life.Move `json:"back"`
}

// sweeper is one sweep.
type sweeper struct {
	*Workspace
	o        SweepOptions
	standing map[string]life.Standing
	access   map[string]float64
	excess   map[string]string // reason by uuid
	over     map[string]bool   // sessions that own memories, true if it is over
	scores   map[string]float64
	pending  store.Chunk // judged, not written yet
	archive  []Hit       // of the pending moves
	report   SweepReport
}

// Sweep moves memories between tiers by their effective confidence and use, and archives those that
// outlived their use or exceed their owner's limit. Each archived memory can be restored.
func (w *Workspace) Sweep(ctx context.Context, o SweepOptions) (SweepReport, error) {
	begin := time.Now()
	s := &sweeper{Workspace: w, o: o, report: SweepReport{Sweep: store.Sweep{At: w.Now(), Trigger: o.Trigger}, Moves: []life.Move{}, Waits: []life.Move{}, Back: []life.Move{}}}
	if err := s.load(ctx); err != nil {
		return s.report, err
	}
	hits := w.View().All()
	s.report.Looked = len(hits)
	s.limits(hits)
	if err := s.sessionsOver(ctx, hits); err != nil {
		return s.report, err
	}
	for chunk := range slices.Chunk(hits, life.ChunkSize) {
		if err := s.sweep(ctx, chunk); err != nil {
			return s.report, err
		}
		if err := s.yield(ctx); err != nil {
			return s.report, err
		}
	}
	if err := s.flush(ctx); err != nil {
		return s.report, err
	}
	if err := s.finish(ctx); err != nil {
		return s.report, err
	}
	s.report.Took = time.Since(begin)
	if o.DryRun {
		return s.report, nil
	}
	if err := w.state.Sweeps().Note(ctx, s.report.Sweep); err != nil {
		return s.report, fmt.Errorf("keep a log of the sweep: %w", err)
	}
	return s.report, nil
}

func (s *sweeper) yield(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.o.Yield == nil {
		return nil
	}
	return s.o.Yield(ctx)
}

func (s *sweeper) load(ctx context.Context) (err error) {
	if _, err := s.Sync(ctx); err != nil {
		return err
	}
	if err := s.uses.Note(ctx, s.o.Changed); err != nil {
		return err
	}
	if s.standing, err = s.state.Sweeps().Standings(ctx); err != nil {
		return fmt.Errorf("read the tiers: %w", err)
	}
	if s.access, err = s.state.Sweeps().AccessScores(ctx); err != nil {
		return fmt.Errorf("read the use: %w", err)
	}
	return nil
}

// afterSession is how long what was written for one session alone outlives its end: a session may be resumed.
const afterSession = 24 * time.Hour

// sessionsOver finds which of the sessions that own memories are over.
func (s *sweeper) sessionsOver(ctx context.Context, hits []Hit) error {
	s.over = map[string]bool{}
	for _, h := range hits {
		id := h.Memory.OfSession()
		if _, known := s.over[id]; known || id == "" {
			continue
		}
		records, err := s.state.Sessions().RecordsOf(ctx, id)
		if err != nil {
			return fmt.Errorf("look whether session %s is over: %w", id, err)
		}
		s.over[id] = slices.ContainsFunc(records, func(r store.SessionRecord) bool {
			return r.Session == id && s.Now().Sub(r.Ended) >= afterSession
		})
	}
	return nil
}

// limits finds the memories that exceed their owner's limit.
func (s *sweeper) limits(hits []Hit) {
	s.excess, s.scores = map[string]string{}, make(map[string]float64, len(hits))
	byOwner := map[[2]string][]life.Ranked{}
	for _, h := range hits {
		owner := [2]string{"project", ""}
		if o := h.Memory.Owner; o != nil {
			owner = [2]string{o.Kind, o.ID}
		}
		score := life.Score(h.Facts(), s.access[h.Memory.UUID])
		if _, used := s.access[h.Memory.UUID]; used {
			s.scores[h.Memory.UUID] = score
		}
		byOwner[owner] = append(byOwner[owner], life.Ranked{UUID: h.Memory.UUID, Score: score, Exempt: h.Memory.Pinned})
	}
	for owner, list := range byOwner {
		limit := life.Limit(owner[0])
		for _, r := range life.Excess(list, limit) {
			s.excess[r.UUID] = fmt.Sprintf("its %s has %d memories, %d is the limit, and this one has the lowest score (%.2f)", owner[0], len(list), limit, r.Score)
		}
	}
}

// sweep judges one chunk. It writes once enough is to be written: opening the database takes longer
// than a row.
func (s *sweeper) sweep(ctx context.Context, chunk []Hit) error {
	if s.pending.Scores == nil {
		s.pending.Scores = map[string]float64{}
	}
	for _, h := range chunk {
		uuid := h.Memory.UUID
		if score, ok := s.scores[uuid]; ok {
			s.pending.Scores[uuid] = score
		}
		m, moves := s.judge(h)
		switch {
		case !moves:
		case m.To == life.Archived && !s.o.Shared && h.Memory.Visibility != file.Personal:
			s.report.Waits = append(s.report.Waits, m)
			s.report.Waiting++
		case m.To == life.Archived:
			s.archive = append(s.archive, h)
			s.pending.Moves = append(s.pending.Moves, m)
		default:
			s.pending.Moves = append(s.pending.Moves, m)
		}
	}
	if len(s.pending.Moves)+len(s.pending.Scores) < life.ChunkSize {
		return nil
	}
	return s.flush(ctx)
}

// flush writes what was judged, and counts it.
func (s *sweeper) flush(ctx context.Context) error {
	c, archive := s.pending, s.archive
	s.pending, s.archive = store.Chunk{}, nil
	if !s.o.DryRun {
		if err := s.write(ctx, &c, archive); err != nil {
			return err
		}
	}
	for _, m := range c.Moves {
		switch {
		case m.To == life.Archived:
			s.report.Archived++
		case m.To > m.From:
			s.report.Demoted++
		default:
			s.report.Promoted++
		}
	}
	s.report.Moves = append(s.report.Moves, c.Moves...)
	return nil
}

func (s *sweeper) judge(h Hit) (life.Move, bool) {
	m := h.Memory
	was := s.standing[m.UUID]
	f := h.Facts()
	was.Orphaned = orphanedSince(h, f)
	from := cmp.Or(was.Tier, life.Active)
	to, reason := life.Judge(f, was)
	if m.OfSession() != "" && s.over[m.OfSession()] {
		to, reason = life.Archived, "its session is over"
	}
	if over, ok := s.excess[m.UUID]; ok {
		to, reason = life.Archived, over
	}
	return life.Move{UUID: m.UUID, What: m.What, From: from, To: to, Reason: reason}, to != from
}

// orphanedSince returns since when all code of a memory is gone, zero if some is there.
func orphanedSince(h Hit, f life.Facts) time.Time {
	if !life.AllOrphaned(f.Anchors, len(h.Memory.Anchors)) {
		return time.Time{}
	}
	var last time.Time
	for _, p := range h.Places {
		if p.Since.After(last) {
			last = p.Since
		}
	}
	return last
}

// write stores a chunk. It first keeps what it removes: a crash between both leaves a tombstone of a
// memory that is there.
func (s *sweeper) write(ctx context.Context, c *store.Chunk, archive []Hit) error {
	if len(c.Moves)+len(c.Scores) == 0 {
		return nil
	}
	if len(archive) == 0 {
		return s.state.Sweeps().PutChunk(ctx, *c)
	}
	unlock, err := LockEdits(ctx, s.place)
	if err != nil {
		return err
	}
	defer unlock()
	var paths []string
	c.Worktree = s.place.WorktreeID
	for _, h := range archive {
		i := slices.IndexFunc(c.Moves, func(m life.Move) bool { return m.UUID == h.Memory.UUID })
		data, rel, ok := s.unchanged(h)
		if !ok {
			c.Moves = slices.Delete(c.Moves, i, i+1) // the next sweep judges it
			continue
		}
		c.Tombstones = append(c.Tombstones, store.Tombstone{UUID: h.Memory.UUID, Path: rel, Reason: store.ArchivedReason + c.Moves[i].Reason, JSON: data})
		paths = append(paths, rel)
		if h.Memory.Visibility == file.Personal {
			c.Unmirror = append(c.Unmirror, h.Memory.UUID)
		}
	}
	if err := s.state.Sweeps().PutChunk(ctx, *c); err != nil {
		return fmt.Errorf("keep copies of archived memories: %w", err)
	}
	if _, err := file.RemoveAll(s.place.MemoriesDir(), paths); err != nil {
		return writeError(err)
	}
	return nil
}

// unchanged returns a memory's file, if it still says what the sweep judged.
func (s *sweeper) unchanged(h Hit) (data []byte, rel string, ok bool) {
	data, err := file.ReadBytes(h.Path)
	if err != nil {
		return nil, "", false
	}
	m, err := file.Parse(data)
	if err != nil {
		return nil, "", false
	}
	was, err1 := h.Memory.Marshal()
	is, err2 := m.Marshal()
	rel, err3 := filepath.Rel(s.place.MemoriesDir(), h.Path)
	if err1 != nil || err2 != nil || err3 != nil || !bytes.Equal(was, is) {
		return nil, "", false
	}
	return is, filepath.ToSlash(rel), true
}

// finish drops what can't be restored any more, and looks for archived memories whose code is back.
func (s *sweeper) finish(ctx context.Context) (err error) {
	if s.o.Locate != nil {
		if err := s.returned(ctx); err != nil {
			return err
		}
	}
	if s.o.DryRun {
		return nil
	}
	if s.report.Expired, err = s.state.Tombstones().Expire(ctx); err != nil {
		return err
	}
	if s.report.Archived > 0 {
		_, err = s.Sync(ctx)
	}
	if err == nil && len(s.report.Moves) > 0 {
		err = s.uses.Note(ctx, nil)
	}
	return err
}

// returned finds the archived memories whose code is back. Only a person restores them.
func (s *sweeper) returned(ctx context.Context) error {
	list, err := s.state.Tombstones().List(ctx)
	if err != nil {
		return fmt.Errorf("read what was archived: %w", err)
	}
	var gone []Hit
	for _, t := range list {
		if m, err := file.Parse(t.JSON); err == nil && len(m.Anchors) > 0 && isOrphanReason(t.Reason) {
			gone = append(gone, Hit{Memory: m})
		}
	}
	if len(gone) == 0 {
		return nil
	}
	found, err := s.o.Locate(ctx, gone)
	if err != nil {
		return fmt.Errorf("look for the code of archived memories: %w", err)
	}
	for _, h := range found {
		if f := h.Facts(); life.AllOrphaned(f.Anchors, len(h.Memory.Anchors)) {
			continue
		}
		s.report.Returned++
		s.report.Back = append(s.report.Back, life.Move{UUID: h.Memory.UUID, What: h.Memory.What, From: life.Archived, To: life.Active, Reason: "its code is back"})
	}
	return nil
}

func isOrphanReason(reason string) bool { return strings.Contains(reason, "its code is gone") }
