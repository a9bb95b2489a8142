package life

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"manicule/memory"
	"manicule/memory/services"
)

// clone is one person's clone on a machine of their own.
type clone struct {
	person string
	dir    string
	home   string
	w      *services.Workspace
	now    func() time.Time
}

func newClone(ctx context.Context, dir, person, driver string, now func() time.Time, seed byte) (*clone, error) {
	c := &clone{person: person, dir: filepath.Join(dir, person), home: filepath.Join(dir, person+"-home"), now: now}
	if err := os.MkdirAll(c.home, 0o755); err != nil {
		return nil, err
	}
	if err := c.gitIn(ctx, dir, "clone", "-q", filepath.Join(dir, "origin.git"), c.dir); err != nil {
		return nil, err
	}
	if err := c.git(ctx, "config", "merge.manicule.driver", driver); err != nil {
		return nil, err
	}
	o := &services.Opener{Now: now, Random: rand.NewChaCha8([32]byte{seed}), Version: "eval", Getenv: func(k string) string {
		return map[string]string{"HOME": c.home}[k]
	}}
	w, err := o.Open(c.dir, nil)
	if err != nil {
		return nil, err
	}
	w.Maker().SetDefaults(person, "")
	c.w = w
	return c, nil
}

func (c *clone) git(ctx context.Context, args ...string) error { return c.gitIn(ctx, c.dir, args...) }

func (c *clone) gitIn(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	date := c.now().Format(time.RFC3339)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+c.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date,
		"GIT_AUTHOR_NAME="+c.person, "GIT_AUTHOR_EMAIL="+c.person+"@x", "GIT_COMMITTER_NAME="+c.person, "GIT_COMMITTER_EMAIL="+c.person+"@x")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git %v: %w: %s", args, err, out.Bytes())
	}
	return nil
}

// exchange commits what there is, and merges it with what the others pushed. A memory that one side
// archived and the other changed stays: the change is newer evidence.
func (c *clone) exchange(ctx context.Context) error {
	if err := c.git(ctx, "add", "-A"); err != nil {
		return err
	}
	if err := c.git(ctx, "commit", "-q", "--allow-empty", "-m", "work"); err != nil {
		return err
	}
	if err := c.git(ctx, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main"); err != nil {
		if err := errors.Join(c.git(ctx, "add", "-A"), c.git(ctx, "commit", "-q", "--no-edit")); err != nil {
			return err
		}
	}
	return c.git(ctx, "push", "-q", "origin", "HEAD:main")
}

// look brings the databases up to date, as a leader does.
func (c *clone) look(ctx context.Context) error {
	if _, err := c.w.Sync(ctx); err != nil {
		return err
	}
	_, err := c.w.Tracker().Refresh(ctx)
	return err
}

func (c *clone) write(path, text string) error {
	abs := filepath.Join(c.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
		return err
	}
	return os.WriteFile(abs, []byte(text), 0o644)
}

// use recalls some memories, if they are there.
func (c *clone) use(ctx context.Context, uuids []string) error {
	var there []string
	for _, id := range uuids {
		if _, ok := c.w.View().Get(id); ok {
			there = append(there, id)
		}
	}
	return c.w.Uses().Recalled(ctx, there)
}

func (c *clone) remember(ctx context.Context, d memory.Draft) (string, error) {
	r, err := c.w.Remember(ctx, d)
	if err != nil || !r.Accepted {
		return "", errors.Join(err, fmt.Errorf("%q was not accepted: %s", d.What, r.Reason))
	}
	return r.Memory.UUID, nil
}
