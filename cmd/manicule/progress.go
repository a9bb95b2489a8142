package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"

	"manicule/indexer/graph"
	"manicule/memory/services"
)

// How long a command runs before it shows its progress.
const (
	progressAfter = 2 * time.Second  // a shorter wait needs no line
	progressEvery = 3 * time.Second  // between two lines at first
	progressMost  = 10 * time.Second // between two lines of work that takes minutes
)

// progress reports the progress of long work on standard error, even if that is no
// terminal.
func (c *console) progress(act, what string) func(done, total int) {
	return progressOnce(c, time.Now, act, what) // real time, whatever a test's clock says
}

// progressOnce reports work that begins with the first call, which may be long after: a person was
// asked something before.
func progressOnce(c *console, clock func() time.Time, act, what string) func(done, total int) {
	var show func(done, total int)
	return func(done, total int) {
		if show == nil {
			show = progressBy(c, clock, act, what)
		}
		show(done, total)
	}
}

func progressBy(c *console, clock func() time.Time, act, what string) func(done, total int) {
	start, last, known := clock(), time.Time{}, -1
	return func(done, total int) {
		now := clock()
		if known < 0 {
			known = done // by an earlier run, which took its own time
		}
		took := now.Sub(start)
		every := min(max(progressEvery, took/10), progressMost)
		if c.quiet || took < progressAfter || now.Sub(last) < every || done == total {
			return
		}
		last = now
		_, _ = fmt.Fprintf(c.err, "manicule: %s %s of %s %s%s\n", act, humanize.Comma(int64(done)), humanize.Comma(int64(total)), what, timeLeft(took, done-known, total-done)) // nowhere left to report
	}
}

// timeLeft says how long the rest takes if it goes on as it did, "" if that is less than a minute or
// can't be said yet.
func timeLeft(took time.Duration, done, rest int) string {
	if took < progressMost || done <= 0 {
		return ""
	}
	left := time.Duration(float64(took) / float64(done) * float64(rest)).Round(time.Minute)
	if left < time.Minute {
		return ""
	}
	return ", about " + count(int(left/time.Minute), "minute", "minutes") + " left"
}

// steps says on standard error what long work is at, every [progressMost], where nobody counts how much there is of it.
type steps struct {
	console *console
	mu      sync.Mutex
	name    string
	since   time.Time
	stop    func()
}

// beginSteps begins to say what is done. Until at is called it says nothing.
func beginSteps(c *console) *steps {
	ticker := time.NewTicker(progressMost)
	return newSteps(c, time.Now, ticker.C, ticker.Stop)
}

func newSteps(c *console, clock func() time.Time, ticks <-chan time.Time, stopTicks func()) *steps {
	s := &steps{console: c}
	done := make(chan struct{})
	var saying sync.WaitGroup
	saying.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-ticks:
				s.say(clock())
			}
		}
	})
	s.stop = sync.OnceFunc(func() {
		stopTicks()
		close(done)
		saying.Wait()
	})
	return s
}

// at names what is done now, "" for what says itself how far it is.
func (s *steps) at(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.name, s.since = name, time.Time{}
}

func (s *steps) say(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.name == "" || s.console.quiet {
		return
	}
	if s.since.IsZero() {
		s.since = now
		_, _ = fmt.Fprintf(s.console.err, "manicule: %s\n", s.name) // nowhere left to report
		return
	}
	_, _ = fmt.Fprintf(s.console.err, "manicule: still %s\n", s.name) // as above
}

// showAfter is the delay before indexing shows a progress bar.
const showAfter = 300 * time.Millisecond

// syncGraph updates the graph from the files, with a progress bar for a person.
func syncGraph(ctx context.Context, c *console, ix *graph.Index) (graph.Report, error) {
	room := newHeapRoom()
	if !c.tty || c.json || c.quiet {
		lines := indexLines(c, time.Now)
		return ix.Sync(ctx, func(p graph.Progress) {
			room.widen()
			lines(p)
		})
	}
	var bar *progressbar.ProgressBar
	start, phase := c.now(), ""
	r, err := ix.Sync(ctx, func(p graph.Progress) {
		room.widen()
		if bar == nil && c.now().Sub(start) < showAfter {
			return
		}
		if p.Phase != phase {
			phase = p.Phase
			bar = progressbar.NewOptions(p.Total, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription(phaseName(p)),
				progressbar.OptionClearOnFinish(), progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(50*time.Millisecond))
		}
		_ = bar.Set(p.Done) // a closed terminal
	})
	if bar != nil {
		_ = bar.Finish()
	}
	return r, err
}

// indexLines reports the progress of indexing in lines, for a log or an agent: where there
// is no terminal, a bar is a heap of control characters.
func indexLines(c *console, clock func() time.Time) func(graph.Progress) {
	lines := map[string]func(done, total int){"read": progressBy(c, clock, "read", "files"), "resolve": progressBy(c, clock, "resolved", "files")}
	return func(p graph.Progress) {
		phase := "resolve"
		if p.Phase == "read" {
			phase = "read"
		}
		lines[phase](p.Done, p.Total)
	}
}

func phaseName(p graph.Progress) string {
	name := "resolving"
	if p.Phase == "read" {
		name = "reading  "
	}
	if p.First {
		name += " (the first time)"
	}
	return name
}

// bar shows a progress bar. Where there is no terminal for it, act and things say the same in a
// line every few seconds.
func (c *console) bar(what, act, things string) (func(done, total int), func()) {
	if !c.tty || c.json || c.quiet {
		return c.progress(act, things), func() {}
	}
	var bar *progressbar.ProgressBar
	start := c.now()
	return func(done, total int) {
			if bar == nil && c.now().Sub(start) < showAfter {
				return
			}
			if bar == nil {
				bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription(what),
					progressbar.OptionClearOnFinish(), progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(50*time.Millisecond))
			}
			_ = bar.Set(done) // a closed terminal
		}, func() {
			if bar != nil {
				_ = bar.Finish()
			}
		}
}

// embedMissing computes the missing vectors of memories and returns how many vectors
// there are now.
func (c *cli) embedMissing(ctx context.Context, w *services.Workspace) (int, error) {
	show, finish := c.bar("embedding", "has embedded", "memories")
	n, fallback, err := w.EmbedMemories(ctx, show)
	finish()
	if fallback != "" {
		c.warn("%s does not answer, the local model is used: %s", w.Config.String("embedding.provider"), fallback)
	}
	return n, err
}
