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

// Trust returns the trust level of the folder, nil for none.
func (f *Folder) Trust() Trust {
	if f.opts.Trust == nil || f.Memories == nil {
		return nil
	}
	return f.opts.Trust(f.Memories)
}

// Asks returns what a person is asked about what a session in the folder taught.
func (f *Folder) Asks(ctx context.Context) trust.Asks {
	if t := f.Trust(); t != nil {
		return trust.AsksAt(t.Level(ctx))
	}
	return trust.AsksAt(trust.Usual)
}

// TrustLevel returns the trust level of the first folder that has one, 0 if there is none.
func (fs *Set) TrustLevel(ctx context.Context) int {
	for _, f := range fs.All(ctx) {
		if t := f.Trust(); t != nil {
			return t.Level(ctx)
		}
	}
	return 0
}
