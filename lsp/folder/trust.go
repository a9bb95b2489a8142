package folder

import (
	"context"
)

// Trust is the setting hooks.trust_level, from 1 to 4: how much of what agents learn is
// shown to agents. It is safe for concurrent use.
type Trust interface {
	Level(ctx context.Context) int
	// SetLevel changes the person's setting.
	SetLevel(ctx context.Context, level int) error
}

// Trust returns the trust level of the first folder that has one, nil for none.
func (fs *Set) Trust(ctx context.Context) Trust {
	if fs.opts.Trust == nil {
		return nil
	}
	for _, f := range fs.All(ctx) {
		if t := fs.opts.Trust(f.Memories); t != nil {
			return t
		}
	}
	return nil
}

// TrustLevel returns the trust level, 0 if there is none.
func (fs *Set) TrustLevel(ctx context.Context) int {
	if t := fs.Trust(ctx); t != nil {
		return t.Level(ctx)
	}
	return 0
}
