package memories

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"manicule/cmd/internal/evalkit"
)

// follow moves and renames the function of a memory, then deletes it, and looks what an
// agent is told that reads its file, and what a search answers.
func (b *bench) follow(ctx context.Context) error {
	table := evalkit.NewTable("a memory about a function", "told at its file", "after rename and move, told at the new file", "the answer names the new place", "after its deletion, the answer says so")
	return errors.Join(b.each(ctx, table, func(t tool, p *place) (err error) {
		h, err := t.Hooks(p)
		if err != nil {
			return err
		}
		const mark = "zqmarkx"
		if err := errors.Join(fill(ctx, t, p, []note{{mark, "Never trust " + mark + " tokens with a blank: the gateway cuts them off without an error.", "auth/token.go#Validate"}}), p.commit(ctx, "A memory")); err != nil {
			return err
		}
		if cmd := t.Server(ctx, p); cmd != nil { // an agent has it running
			d, err := openServer(cmd, nil, nil)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, d.Close()) }()
		}
		toldAt := func(path string) (string, error) {
			began := time.Now()
			for session := 0; ; session++ {
				said, err := toldOf(ctx, p, h, fmt.Sprintf("%s-%d", path, session), path)
				if err != nil || strings.Contains(said, mark) {
					return fmt.Sprintf("yes, within %.1f s", time.Since(began).Seconds()), err
				}
				select {
				case <-time.After(100 * time.Millisecond):
				case <-ctx.Done():
					return "", ctx.Err()
				}
				if time.Since(began) > patience {
					return "no", nil
				}
			}
		}
		ask := func() (string, error) {
			d, err := t.Open(ctx, p)
			if err != nil {
				return "", err
			}
			said, err := d.Search(ctx, mark)
			return said, errors.Join(err, d.Close())
		}
		before, err := toldAt("auth/token.go")
		if err != nil {
			return err
		}
		moved := strings.ReplaceAll(sources["auth/token.go"], "Validate", "CheckForm")
		err = errors.Join(p.git(ctx, "mv", "auth/token.go", "auth/form.go"), os.WriteFile(filepath.Join(p.repo, "auth/form.go"), []byte(moved), 0o644), p.commit(ctx, "Move"))
		if err != nil {
			return err
		}
		after, err := toldAt("auth/form.go")
		if err != nil {
			return err
		}
		said, err := ask()
		if err != nil {
			return err
		}
		if err := errors.Join(os.WriteFile(filepath.Join(p.repo, "auth/form.go"), []byte("package auth\n"), 0o644), p.commit(ctx, "Delete")); err != nil {
			return err
		}
		gone, err := ask()
		if err != nil {
			return err
		}
		evalkit.Progress("after the move:\n%s\nafter the deletion:\n%s", said, gone)
		table.Add(t.Name(), before, after, yes(strings.Contains(said, "form.go")), yes(stale.MatchString(gone)))
		return nil
	}), show(table))
}

// toldOf is what an agent is told when it reads a file as the first act of a session.
func toldOf(ctx context.Context, p *place, h hooks, session, path string) (string, error) {
	if _, err := p.fire(ctx, h, momentOf(p, "SessionStart", session)); err != nil {
		return "", err
	}
	before, err := p.fire(ctx, h, read(p, session, "PreToolUse", path))
	if err != nil {
		return "", err
	}
	after, err := p.fire(ctx, h, read(p, session, "PostToolUse", path))
	return before.told + after.told, err
}

// patience is how long a tool may take to notice that code moved.
const patience = 10 * time.Second

// stale are the words by which an answer may say that its code is gone.
var stale = regexp.MustCompile(`(?i)\b(stale|orphaned|gone|outdated|no longer|drifted|deleted|missing)\b`)

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// The writers of one tool, and when they are killed.
const (
	sessions    = 20
	perSession  = 10
	killedAfter = 60
)

// writers has twenty sessions write ten memories each at once, to the end, and again in
// a place whose processes are killed after sixty acknowledgements. Lost is what was
// acknowledged and is not found afterwards.
func (b *bench) writers(ctx context.Context) error {
	table := evalkit.NewTable("20 sessions, 10 memories each", "acknowledged of 200", "lost", "kill -9 after 60: acknowledged", "lost", "usable again after")
	return errors.Join(b.rows(ctx, table, func(t tool) error {
		var acked, killed []string
		var lost, gone int
		var usable string
		err := b.at(ctx, t, func(p *place) (err error) {
			if err := fill(ctx, t, p, numbered(1)); err != nil { // a first start at once with others is rare
				return err
			}
			acked = write(ctx, t, p, 0)
			lost, err = missing(ctx, t, p, acked)
			return err
		})
		if err != nil {
			return err
		}
		err = b.at(ctx, t, func(p *place) error {
			if err := fill(ctx, t, p, numbered(1)); err != nil {
				return err
			}
			killed = write(ctx, t, p, killedAfter)
			began := time.Now()
			err := errors.Join(p.kill(ctx), t.Prepare(ctx, p))
			usable = fmt.Sprintf("%.1f s", time.Since(began).Seconds())
			if err == nil {
				gone, err = missing(ctx, t, p, killed)
			}
			if err != nil {
				usable = "never"
				evalkit.Progress("after the kill: %v", err)
			}
			return nil
		})
		table.Add(t.Name(), len(acked), lost, len(killed), gone, usable)
		return err
	}), show(table))
}

// write returns the memories that were acknowledged. After kill of them, all that runs
// in the place is ended, unless kill is 0.
func write(ctx context.Context, t tool, p *place, kill int64) (acked []string) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex
	var count atomic.Int64
	var wg sync.WaitGroup
	for s := range sessions {
		wg.Go(func() {
			d, err := t.Open(ctx, p)
			if err != nil {
				evalkit.Progress("%v", err)
				return
			}
			defer func() { _ = d.Close() }() // killed, perhaps
			for i := range perSession {
				mark := fmt.Sprintf("zq%02dy%02dx", s, i)
				err := d.Save(ctx, note{Title: mark, Text: fmt.Sprintf("Never call %s before queue %s of shard %d is drained, it blocks.", mark, word(s*perSession+i), s)})
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					evalkit.Progress("%.300v", err)
					continue
				}
				mu.Lock()
				acked = append(acked, mark)
				mu.Unlock()
				if n := count.Add(1); kill > 0 && n == kill {
					if err := p.kill(context.WithoutCancel(ctx)); err != nil {
						evalkit.Progress("%v", err)
					}
					stop()
					return
				}
			}
		})
	}
	wg.Wait()
	return acked
}

// absent is the mark of no memory.
const absent = "zqabsentx"

// mentions reports whether an answer has a mark, other than where it repeats the
// question.
func mentions(said, mark string) bool {
	repeated := regexp.MustCompile(`(?:matching|for:?|query"?:) ?\\?"` + mark)
	return strings.Contains(repeated.ReplaceAllString(said, ""), mark)
}

// missing counts the memories that a search by their own mark does not find.
func missing(ctx context.Context, t tool, p *place, marks []string) (lost int, err error) {
	d, err := t.Open(ctx, p)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	for _, mark := range append(marks, absent) {
		said, err := d.Search(ctx, mark)
		switch {
		case err != nil:
			return 0, err
		case mark == absent && mentions(said, absent):
			return 0, fmt.Errorf("a search finds what is not there: %s", said)
		case mark != absent && !mentions(said, mark):
			lost++
		}
	}
	return lost, nil
}

// secret has a memory with a token in its text kept.
func (b *bench) secret(ctx context.Context) error {
	table := evalkit.NewTable("a token in a memory's text", "the tool's answer", "found in a file", "told by a search")
	token := "gh" + "p_" + "A7f3Kq9ZxW2mB8sT4vLc6YpR1nDe5HjU0gXo" // no one's
	return errors.Join(b.each(ctx, table, func(t tool, p *place) error {
		d, err := t.Open(ctx, p)
		if err != nil {
			return err
		}
		answer := "kept"
		if err := d.Save(ctx, note{Title: "zqdeploy", Text: "Never deploy zqdeploy by hand, use the bot's token " + token + " in CI."}); err != nil {
			answer = "refused"
			evalkit.Progress("%v", err)
		}
		said, err := d.Search(ctx, "zqdeploy")
		if err := errors.Join(err, d.Close()); err != nil {
			return err
		}
		file := p.holds(token)
		if file == "" {
			file = "no"
		}
		table.Add(t.Name(), answer, file, yes(strings.Contains(said, token)))
		return nil
	}), show(table))
}

var (
	connected = regexp.MustCompile(`connect\(\d+.*(?:sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)|sin6_port=htons\((\d+)\).*inet_pton\(AF_INET6, "([^"]+)")`)
	bound     = regexp.MustCompile(`bind\(\d+.*sin6?_port=htons\((\d+)\).*= 0`)
)

// network traces a session: its start, a prompt, a tool, a memory, a search.
func (b *bench) network(ctx context.Context) error {
	table := evalkit.NewTable("one session under strace", "tried to reach beyond this machine", "ports opened here", "connections to ports here")
	return errors.Join(b.rows(ctx, table, func(t tool) error {
		p, err := b.place(ctx)
		if err != nil {
			return err
		}
		p.traced = filepath.Join(b.work, fmt.Sprintf("trace-%d", b.made))
		err = func() error {
			if err := t.Prepare(ctx, p); err != nil {
				return err
			}
			h, err := t.Hooks(p)
			if err != nil {
				return err
			}
			for _, name := range moments {
				if _, err := p.fire(ctx, h, momentOf(p, name, "traced")); err != nil {
					return err
				}
			}
			if err := fill(ctx, t, p, numbered(3)); err != nil {
				return err
			}
			if cmd := t.Server(ctx, p); cmd != nil {
				d, err := openServer(cmd, nil, nil)
				if err != nil {
					return err
				}
				return d.Close()
			}
			return nil
		}()
		if err := errors.Join(err, p.kill(ctx)); err != nil {
			return err
		}
		data, err := os.ReadFile(p.traced)
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		away, here, ports := connections(string(data))
		evalkit.Progress("%s", strings.Join(away, "\n"))
		table.Add(t.Name(), len(away), strings.Join(ports, " "), here)
		return err
	}), show(table))
}

// connections reads strace's account: the addresses elsewhere that were tried, how often
// a port of this machine was connected to, and the ports that were opened.
func connections(trace string) (away []string, here int, ports []string) {
	for line := range strings.Lines(trace) {
		if m := bound.FindStringSubmatch(line); m != nil && m[1] != "0" && !slices.Contains(ports, m[1]) {
			ports = append(ports, m[1])
		}
		m := connected.FindStringSubmatch(line)
		switch {
		case m == nil:
		case strings.HasPrefix(m[2], "127.") || m[4] == "::1":
			here++
		default:
			away = append(away, m[2]+m[4]+":"+m[1]+m[3])
		}
	}
	return away, here, ports
}

// clones has two people keep a memory each in clones, commit, and merge by git.
func (b *bench) clones(ctx context.Context) error {
	table := evalkit.NewTable("two clones, a memory each, merged by git", "git's merge", "memories found in the merged clone")
	return errors.Join(b.rows(ctx, table, func(t tool) (err error) {
		p, err := b.place(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.kill(ctx), os.RemoveAll(p.dir)) }()
		origin := filepath.Join(p.dir, "origin.git")
		if err := errors.Join(p.git(ctx, "init", "--quiet", "--bare", "--initial-branch=main", origin), p.git(ctx, "remote", "add", "origin", origin),
			p.git(ctx, "push", "--quiet", "origin", "main"), t.Prepare(ctx, p), p.commit(ctx, "Set up"), p.git(ctx, "push", "--quiet", "origin", "main")); err != nil {
			return err
		}
		other, err := b.place(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(other.dir) }()
		if err := errors.Join(os.RemoveAll(other.repo), os.Mkdir(other.repo, 0o755), other.git(ctx, "clone", "--quiet", origin, ".")); err != nil {
			return err
		}
		work := func(p *place, mark string) error {
			memory := note{mark, "Never call " + mark + " before its queue is drained, it blocks for ever.", "auth/token.go#Validate"}
			return errors.Join(fill(ctx, t, p, []note{memory}), t.Share(ctx, p), p.commit(ctx, "A memory"))
		}
		if err := errors.Join(work(p, "zqfirstx"), p.git(ctx, "push", "--quiet", "origin", "main"), p.kill(ctx), t.Prepare(ctx, other)); err != nil {
			return err
		}
		if err := work(other, "zqsecondx"); err != nil {
			return err
		}
		merge := "clean"
		if err := other.git(ctx, "pull", "--quiet", "--no-rebase", "--no-edit"); err != nil {
			merge = "conflict"
			evalkit.Progress("%v", err)
		}
		if err := t.Receive(ctx, other); err != nil {
			evalkit.Progress("%v", err)
		}
		found := 0
		d, err := t.Open(ctx, other)
		if err != nil {
			return err
		}
		for _, mark := range []string{"zqfirstx", "zqsecondx"} {
			if said, err := d.Search(ctx, mark); err == nil && mentions(said, mark) {
				found++
			}
		}
		table.Add(t.Name(), merge, fmt.Sprintf("%d of 2", found))
		return errors.Join(d.Close(), other.kill(ctx))
	}), show(table))
}

// disk fills the disk of a place, and makes it read-only, while a session goes on.
func (b *bench) disk(ctx context.Context) error {
	table := evalkit.NewTable("the disk", "full: writes that were acknowledged, of 10", "of them lost", "hooks that failed, of 4", "read-only: acknowledged, of 3", "hooks that failed, of 4", "older memory found")
	return errors.Join(b.rows(ctx, table, func(t tool) (err error) {
		b.made++
		dir := filepath.Join(b.work, fmt.Sprint(b.made))
		if err := smallDisk(dir); err != nil {
			return err
		}
		p, err := newPlace(ctx, dir, filepath.Join(b.dir, "bin"))
		if err != nil {
			return errors.Join(err, unmount(dir))
		}
		defer func() { err = errors.Join(err, p.kill(ctx), unmount(dir)) }()
		if err := t.Prepare(ctx, p); err != nil {
			return err
		}
		h, err := t.Hooks(p)
		if err != nil {
			return err
		}
		if err := fill(ctx, t, p, numbered(1)); err != nil {
			return err
		}
		filler := filepath.Join(dir, "filler")
		fillDisk(filler)
		acked, failed := onBadDisk(ctx, t, p, h, "full", 10)
		if err := os.Remove(filler); err != nil {
			return fmt.Errorf("free the disk: %w", err)
		}
		if err := errors.Join(p.kill(ctx), t.Prepare(ctx, p)); err != nil {
			evalkit.Progress("after the full disk: %v", err)
		}
		lost, err := missing(ctx, t, p, acked)
		if err != nil {
			return err
		}
		if readOnly(dir) != nil { // what has files open for writing is ended
			if err := errors.Join(p.kill(ctx), readOnly(dir)); err != nil {
				return err
			}
		}
		written, broken := onBadDisk(ctx, t, p, h, "readonly", 3)
		older := "no"
		if gone, err := missing(ctx, t, p, []string{"zq0000x"}); err == nil && gone == 0 {
			older = "yes"
		}
		table.Add(t.Name(), len(acked), lost, failed, len(written), broken, older)
		return nil
	}), show(table))
}

// fillDisk writes until nothing more can be written.
func fillDisk(path string) {
	f, err := os.Create(path)
	if err != nil {
		return
	}
	for size := 1 << 20; size > 0; size /= 2 {
		for block := make([]byte, size); ; {
			if _, err := f.Write(block); err != nil {
				break
			}
		}
	}
	_ = f.Close() // the disk is full
}

// onBadDisk lets a session go on and returns the memories that were acknowledged, and
// how many hooks failed.
func onBadDisk(ctx context.Context, t tool, p *place, h hooks, name string, n int) (acked []string, failed int) {
	for _, moment := range moments {
		a, err := p.fire(ctx, h, momentOf(p, moment, name))
		if err != nil || len(a.failed) > 0 {
			failed++
		}
	}
	for i := range n {
		mark := fmt.Sprintf("zq%s%dx", name, i)
		err := fill(ctx, t, p, []note{{Title: mark, Text: fmt.Sprintf("Never call %s before queue %s is drained, it blocks.", mark, word(i))}})
		if err == nil {
			acked = append(acked, mark)
		} else {
			evalkit.Progress("%.200v", err)
		}
	}
	return acked, failed
}
