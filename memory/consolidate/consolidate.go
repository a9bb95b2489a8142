package consolidate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/restate"
	"manicule/memory/store"
)

// Threshold is the cosine from which two texts count as saying the same, unless they differ
// otherwise. docs/consolidate.md has the measurements.
const Threshold = restate.Cosine

// Options configure a consolidator. Workspace is required.
type Options struct {
	Workspace *memory.Workspace
	// Model makes missing vectors; nil if there is none. The consolidator does not close it.
	Model *embed.Service
	// Expect, which may be nil, returns the id of the model's vectors without loading the model.
	Expect    func() embed.Info
	Threshold float64 // Threshold when 0
	// Log, which may be nil, receives secondary errors.
	Log *slog.Logger
}

// Phase is the current step of a consolidation.
type Phase string

// The phases, in their order.
const (
	Embed   Phase = "embedding"
	Compare Phase = "comparing"
	Merge   Phase = "merging"
)

// Progress is the progress of a phase, in memories; when merging, in groups.
type Progress struct {
	Phase       Phase
	Done, Total int
}

// Member is a memory of a cluster.
type Member struct {
	UUID       string      `json:"uuid"`
	What       string      `json:"what"`
	Type       file.Type   `json:"type"`
	Origin     file.Origin `json:"origin"`
	Verified   bool        `json:"verified"`
	Confidence float64     `json:"confidence"`
	Updated    file.Time   `json:"updated_at"`
	// Cosine is the similarity to the kept memory; 1 for that itself.
	Cosine float64 `json:"cosine"`

	hash string // of the version
}

// Cluster is a group of memories that say the same.
type Cluster struct {
	// ID identifies the versions of the memories and the result of their merge.
	ID     string         `json:"id"`
	About  string         `json:"about"` // the folders, or "project"
	Kept   Member         `json:"kept"`
	Others []Member       `json:"others"` // to be archived
	Least  float64        `json:"least"`  // the smallest cosine of any two
	Adds   []memory.Field `json:"adds"`   // what the kept memory gains
	// Wording replaces the text of the kept memory, if a person chose it.
	Wording Wording `json:"-"`

	stands []store.MergedVersion
}

// Report is the result of a search for clusters.
type Report struct {
	At        time.Time `json:"at"`
	Model     string    `json:"model"` // whose vectors were compared, or ""
	Threshold float64   `json:"threshold"`
	Looked    int       `json:"looked"`   // memories
	Compared  int       `json:"compared"` // those with others of their kind and place
	// Unavailable says why nothing was compared, or "".
	Unavailable string         `json:"unavailable,omitzero"`
	Hint        string         `json:"hint,omitzero"`
	Skipped     []store.Reason `json:"skipped"` // memories that were left out
	Apart       []store.Reason `json:"apart"`   // similar pairs, and why they don't say the same
	Clusters    []Cluster      `json:"clusters"`
	Took        time.Duration  `json:"-"`
}

// Groups reports whether two memories are in one cluster.
func (r Report) Groups(a, b string) bool {
	return slices.ContainsFunc(r.Clusters, func(c Cluster) bool {
		in := func(uuid string) bool {
			return c.Kept.UUID == uuid || slices.ContainsFunc(c.Others, func(m Member) bool { return m.UUID == uuid })
		}
		return in(a) && in(b)
	})
}

// Consolidator finds memories of one workspace that say the same.
type Consolidator struct{ o Options }

// New makes a consolidator.
func New(o Options) *Consolidator {
	o.Threshold = cmp.Or(o.Threshold, Threshold)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Consolidator{o}
}

// Find finds clusters and changes nothing. progress may be nil.
func (c *Consolidator) Find(ctx context.Context, progress func(Progress)) (Report, error) {
	w := c.o.Workspace
	if progress == nil {
		progress = func(Progress) {}
	}
	r := Report{At: w.Now(), Threshold: c.o.Threshold, Skipped: []store.Reason{}, Apart: []store.Reason{}, Clusters: []Cluster{}}
	start := time.Now()
	if _, err := w.Sync(ctx); err != nil {
		return r, err
	}
	f, err := c.finder(ctx, &r)
	if err != nil {
		return r, err
	}
	err = f.find(ctx, progress)
	if errors.Is(err, embed.ErrNone) {
		r.Unavailable, r.Hint, err = "this needs a model for search by meaning, and none is installed", "`manicule model install` installs one that runs on this machine.", nil
		r.Skipped = []store.Reason{{Reason: embed.ErrNone.Error(), Count: r.Looked}}
	}
	r.Took = time.Since(start)
	return r, err
}

// id is equal for the same versions of the same memories.
func (c *Cluster) id() string {
	parts := []string{c.Kept.UUID, c.Kept.hash}
	for _, o := range c.Others {
		parts = append(parts, o.UUID, o.hash)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:6])
}
