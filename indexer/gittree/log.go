package gittree

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// LogEntry is a commit with its changes against the first parent.
type LogEntry struct {
	ID    string
	Time  time.Time // of the committer
	Files []string
}

// Commit is the description of a commit.
type Commit struct {
	ID      string
	Time    time.Time // of the committer
	Author  string    // the name
	Email   string    // of the author
	By      string    // the committer's name
	ByEmail string
	Wrote   time.Time // when the author did; a commit made of this one says the same
	Subject string    // first line of the message
	Body    string    // the rest of it
	Parents int
}

// Commits lists a commit and its first parents, newest first. It ends at a commit for
// which stop is true, at one that can't be read, or after max commits. It reads no
// trees.
func (r *Repo) Commits(id string, stop func(id string) bool, max int) []Commit {
	var out []Commit
	for id != "" && len(out) < max && !stop(id) {
		c, parent, ok := r.readCommit(id)
		if !ok {
			break
		}
		out = append(out, c)
		id = parent
	}
	return out
}

// Parents returns the parents of a commit, none if it can't be read.
func (r *Repo) Parents(id string) []string {
	_, parents, ok := r.timeAndParents(id)
	if !ok {
		return nil
	}
	return parents
}

// readCommit reads one commit, and its first parent.
func (r *Repo) readCommit(id string) (c Commit, parent string, ok bool) {
	r.mu.Lock()
	data, err := r.objects.read(plumbing.CommitObject, id)
	r.mu.Unlock()
	if err != nil {
		return c, "", false
	}
	c.ID = id
	head, message, _ := strings.Cut(string(data), "\n\n")
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "parent":
			if c.Parents++; parent == "" {
				parent = value
			}
		case "author":
			c.Author, c.Email, c.Wrote = person(value)
		case "committer":
			c.By, c.ByEmail, c.Time = person(value)
		}
	}
	subject, body, _ := strings.Cut(strings.TrimSpace(message), "\n")
	c.Subject, c.Body = strings.TrimSpace(subject), strings.TrimSpace(body)
	return c, parent, !c.Time.IsZero()
}

// person reads NAME <MAIL> SECONDS ZONE.
func person(value string) (name, email string, at time.Time) {
	name, rest, _ := strings.Cut(value, "<")
	email, rest, _ = strings.Cut(rest, ">")
	return strings.TrimSpace(name), email, unixTime(rest)
}

// unixTime reads SECONDS ZONE; zero if there is no number.
func unixTime(value string) time.Time {
	if f := strings.Fields(value); len(f) > 0 {
		if s, err := strconv.ParseInt(f[0], 10, 64); err == nil {
			return time.Unix(s, 0).UTC()
		}
	}
	return time.Time{}
}

// Log lists a commit and its first parents, newest first. It ends at a commit for
// which stop is true, at one older than since, at one that can't be read, or after max
// commits. A commit without a readable parent has no files: a shallow clone's first
// commit changed nothing.
func (r *Repo) Log(id string, stop func(id string) bool, since time.Time, max int) []LogEntry {
	var out []LogEntry
	for id != "" && len(out) < max && !stop(id) {
		at, parents, ok := r.timeAndParents(id)
		if !ok || at.Before(since) {
			break
		}
		parent := ""
		if len(parents) > 0 {
			parent = parents[0]
		}
		l := LogEntry{ID: id, Time: at}
		if parent != "" {
			if now, ok := r.Tree(id); ok {
				if before, ok := r.Tree(parent); ok {
					l.Files = now.Diff(before)
				}
			}
		}
		out = append(out, l)
		id = parent
	}
	return out
}
