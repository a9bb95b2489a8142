package services

import (
	"context"
	"fmt"

	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/trust"
)

// trustKey is the setting with the trust level.
const trustKey = "hooks.trust_level"

// Trust is the trust level of a workspace: a person's own setting, which a repository can't have.
type Trust struct {
	opener *Opener
	w      *memory.Workspace
}

// Trust returns the trust level of a workspace.
func (o *Opener) Trust(w *memory.Workspace) Trust { return Trust{o, w} }

// Level returns the effective level.
func (t Trust) Level(context.Context) int {
	c, _ := t.opener.Settings(t.w.Place()) // doctor shows the warnings
	return c.Int(trustKey)
}

// From returns where the level comes from.
func (t Trust) From() config.Source {
	c, _ := t.opener.Settings(t.w.Place())
	return c.From(trustKey)
}

// SetLevel writes the level to the person's settings for this repository, and begins to collect
// evidence for the next one.
func (t Trust) SetLevel(ctx context.Context, level int) error {
	if t.From() == config.Env {
		return &memory.UserError{Msg: "an environment variable says what " + trustKey + " is", Hint: "Change it there: " + config.EnvName(trustKey) + "."}
	}
	if err := config.Write(t.w.Place().LocalConfigFile(), trustKey, level); err != nil {
		return fmt.Errorf("set the trust level: %w", err)
	}
	return t.w.State().Trust().Start(ctx, level)
}

// Keep notes that the level stays.
func (t Trust) Keep(ctx context.Context) error { return t.w.State().Trust().Start(ctx, t.Level(ctx)) }

// Evidence returns what happened since the level was set.
func (t Trust) Evidence(ctx context.Context) (trust.Evidence, error) {
	e, err := t.w.State().Trust().Evidence(ctx, t.Level(ctx))
	if err != nil {
		return e, fmt.Errorf("read the evidence for the trust level: %w", err)
	}
	return e, nil
}

// Higher returns the next level if what happened here speaks for it. There is none where the
// environment sets the level.
func (t Trust) Higher(ctx context.Context) (trust.Offer, bool) {
	if t.From() == config.Env {
		return trust.Offer{}, false
	}
	e, err := t.Evidence(ctx)
	if err != nil {
		t.opener.Log.Warn("look for a trust level to offer", "err", err)
		return trust.Offer{}, false
	}
	return trust.Higher(t.Level(ctx), e)
}
