package folder

import (
	"context"

	"manicule/memory/trust"
)

// Trust is the trust level of a workspace, from 1 to 4: how sure a memory must be to be shown to
// agents unasked, and what is asked about new ones. It is safe for concurrent use.
type Trust interface {
	Level(ctx context.Context) int
	// SetLevel changes the person's setting for this repository.
	SetLevel(ctx context.Context, level int) error
	// Higher returns the next level if what happened here speaks for it.
	Higher(ctx context.Context) (trust.Offer, bool)
	// Keep notes that the level stays: evidence for the next one is collected anew.
	Keep(ctx context.Context) error
}

// Trust returns the trust level of the first folder that has one, nil for none.
func (fs *Set) Trust(ctx context.Context) Trust {
	for _, f := range fs.All(ctx) {
		if t := fs.TrustOf(f); t != nil {
			return t
		}
	}
	return nil
}

// TrustOf returns the trust level of a folder, nil for none.
func (fs *Set) TrustOf(f *Folder) Trust {
	if fs.opts.Trust == nil || f.Memories == nil {
		return nil
	}
	return fs.opts.Trust(f.Memories)
}

// TrustLevel returns the trust level of the first folder that has one, 0 if there is none.
func (fs *Set) TrustLevel(ctx context.Context) int {
	if t := fs.Trust(ctx); t != nil {
		return t.Level(ctx)
	}
	return 0
}

// Asks returns what a person is asked about what a session in a folder taught.
func (fs *Set) Asks(ctx context.Context, f *Folder) trust.Asks {
	if t := fs.TrustOf(f); t != nil {
		return trust.AsksAt(t.Level(ctx))
	}
	return trust.AsksAt(trust.Usual)
}
