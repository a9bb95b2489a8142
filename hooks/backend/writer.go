package backend

import (
	"context"
	"errors"
	"time"

	"manicule/hooks"
	"manicule/hooks/learn"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/ledger"
)

// writer makes what a hook writes. The state databases that were read for the same event are closed first.
type writer struct {
	places       *places
	states       *states
	getenv       func(string) string
	now          func() time.Time
	openMemories func(dir string) (*memory.Workspace, *config.Config, error)
	passOn       func(ctx context.Context, input []byte) (answer []byte, err error)
}

// open opens the memories of a folder for writing.
func (wr writer) open(dir string) (*memory.Workspace, *config.Config, error) {
	if err := wr.states.close(); err != nil {
		return nil, nil, err
	}
	return wr.openMemories(dir)
}

// handOver passes an event to another program.
func (wr writer) handOver(ctx context.Context, input []byte) ([]byte, error) {
	if err := wr.states.close(); err != nil {
		return nil, err
	}
	return wr.passOn(ctx, input)
}

func (wr writer) remember(ctx context.Context, dir string, d memory.Draft) (memory.Result, error) {
	w, _, err := wr.open(dir)
	if err != nil {
		return memory.Result{}, err
	}
	if d.Agent {
		d.Tainted, _ = learn.Suspect(ctx, w.Place(), d.Session, wr.now()) // true if it is unknown
	}
	r, err := w.Remember(ctx, d)
	return r, errors.Join(err, w.Close())
}

// forget forgets the memory of an unambiguous id.
func (wr writer) forget(ctx context.Context, dir, id string) (what string, err error) {
	w, _, err := wr.open(dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if _, err := w.Refresh(ctx); err != nil {
		return "", err
	}
	hit, err := w.Get(ctx, id)
	if err != nil {
		return "", err
	}
	return hit.Memory.What, w.Forgotten().Forget(ctx, hit.Memory.UUID)
}

func (wr writer) learn(ctx context.Context, dir, session string) error {
	w, c, err := wr.open(dir)
	if err != nil {
		return err
	}
	o := learn.Options{Workspace: w, Home: wr.getenv("HOME"), Methodology: c.String("hooks.methodology"), Slowness: hooks.Slowness(wr.getenv)}
	switch {
	case !c.Bool("observer.enabled"):
	case session == "":
		_, err = learn.Pending(ctx, o, 0)
	default:
		_, err = learn.Session(ctx, o, session)
	}
	if err == nil {
		err = learn.SettleBranches(ctx, w)
	}
	return errors.Join(err, w.Close())
}

// shown records the memories that an agent was shown.
func (wr writer) shown(ctx context.Context, dir string, s ledger.Showing) error {
	p, _, err := wr.places.at(dir)
	if err != nil {
		return err
	}
	return ledger.NewRecorder(p.StateDir(), p.GitPrefix(), wr.now).Shown(ctx, s)
}
