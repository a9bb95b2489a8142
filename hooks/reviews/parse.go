// Package reviews turns the reviews of a pull request into suggestions for memories. It reads what GitHub's and
// GitLab's programs print, and judges texts by fixed rules. It must not know databases or the network.
package reviews

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Comment is one remark of a review, or a failed check.
type Comment struct {
	ID      string // unique among all comments of its host
	URL     string
	Author  string
	Bot     bool // its host says so
	Member  bool // its author belongs to the project
	Body    string
	Path    string // of the file that it is about, "" for none
	Line    int
	Thread  string // id of its thread
	Reply   bool   // it answers another comment
	Settled bool   // its thread is resolved, or the code that it is about was changed since
	Check   bool   // it is the message of a failed check
	Inline  bool   // it stands at a line of the change
}

// Limits of what is read.
const (
	maxDepth    = 24
	maxComments = 20_000
)

// ErrNoComments is returned for JSON without a comment, a review or a check.
var ErrNoComments = errors.New("no comment, review or check was found")

// Parse reads comments from JSON: arrays of GitHub's REST API (the comments of a pull request, its reviews, the comments of its issue,
// its check runs, its timeline), what `gh pr view --json comments,reviews` and a GraphQL query of reviewThreads print, GitLab's
// discussions, and objects or arrays that hold any of these.
func Parse(data []byte) ([]Comment, error) {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	var r reader
	r.walk(v, inherited{}, 0)
	if r.seen == 0 {
		return nil, ErrNoComments
	}
	return r.out, nil
}

type reader struct {
	out  []Comment
	seen int
}

// inherited is what a thread says of its comments.
type inherited struct {
	thread  string
	path    string
	line    int
	settled bool
	first   bool           // the next comment begins the thread
	counted bool           // there is a thread
	review  string         // the id of the review that the comments belong to
	author  map[string]any // who wrote it, and so the comments that name nobody
	member  bool
	nth     int
}

func (r *reader) walk(v any, in inherited, depth int) {
	if depth > maxDepth || len(r.out) >= maxComments {
		return
	}
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			in.first, in.nth = in.counted && i == 0, i
			r.walk(x, in, depth+1)
		}
	case map[string]any:
		r.object(v, in, depth)
	}
}

func (r *reader) object(o map[string]any, in inherited, depth int) {
	switch {
	case is(o, "isResolved"): // a thread of GitHub's GraphQL
		in = inherited{thread: text(o, "id"), path: text(o, "path"), line: number(o, "line"), settled: truth(o, "isResolved") || truth(o, "isOutdated"), counted: true}
	case is(o, "notes") && is(o, "individual_note"), is(o, "notes") && is(o, "id"): // a discussion of GitLab
		in = inherited{thread: text(o, "id"), counted: true}
	case is(o, "conclusion") && is(o, "name"):
		r.check(o)
		return
	case is(o, "diff_url"), is(o, "headRefName"), is(o, "mergedAt"): // a pull request: what its author says of it is no review
	case is(o, "body") && in.review != "" && !is(o, "user") && !is(o, "author"): // a remark of a review, without its author
		o["author"], o["id"] = in.author, fmt.Sprintf("%s#%d", in.review, in.nth)
		r.comment(o, in)
	case is(o, "body") && (is(o, "user") || is(o, "author")):
		r.comment(o, in)
		if is(o, "comments") && is(o, "state") {
			in.review, in.author, in.member = id(o), authorOf(o), isMember(o)
		}
	}
	for _, key := range []string{"data", "repository", "pullRequest", "pull_request", "mergeRequest", "pull", "reviews", "latestReviews", "reviewThreads", "threads", "discussions", "comments", "review_comments", "issue_comments",
		"events", "timeline", "notes", "checks", "check_runs", "nodes", "edges", "node"} {
		if x, ok := o[key]; ok {
			switch x.(type) {
			case []any, map[string]any:
				r.walk(x, in, depth+1)
			}
		}
	}
}

func (r *reader) comment(o map[string]any, in inherited) {
	r.seen++
	if truth(o, "system") || strings.TrimSpace(text(o, "body")) == "" {
		return // GitLab's notes about itself; a review without words
	}
	who := authorOf(o)
	c := Comment{ID: id(o), URL: first(text(o, "html_url"), text(o, "web_url"), text(o, "url")), Author: first(text(who, "login"), text(who, "username"), text(who, "name")),
		Body: text(o, "body"), Path: first(text(o, "path"), in.path), Line: number(o, "line"), Thread: in.thread, Settled: in.settled}
	c.Bot = text(who, "type") == "Bot" || text(who, "__typename") == "Bot" || truth(who, "is_bot") || truth(who, "bot") || strings.HasSuffix(c.Author, "[bot]")
	c.Member = isMember(o) || in.member
	c.Inline = c.Path != "" || in.review != ""
	if c.Line == 0 {
		c.Line = in.line
	}
	if p, ok := o["position"].(map[string]any); ok { // GitLab
		c.Path, c.Line = first(text(p, "new_path"), text(p, "old_path")), number(p, "new_line")
		c.Inline = true
	} else if _, has := o["diff_hunk"]; has && o["position"] == nil && o["line"] == nil {
		c.Settled = true // GitHub: the lines are gone
	}
	if truth(o, "resolved") {
		c.Settled = true
	}
	if to, ok := o["in_reply_to_id"]; ok && to != nil {
		c.Reply, c.Thread = true, id(map[string]any{"id": to})
	} else if in.counted && !in.first {
		c.Reply = true
	}
	if c.Thread == "" {
		c.Thread = c.ID
	}
	if c.ID != "" {
		r.out = append(r.out, c)
	}
}

// authorOf returns who wrote a comment. Some exports name only the login.
func authorOf(o map[string]any) map[string]any {
	for _, key := range []string{"user", "author"} {
		switch who := o[key].(type) {
		case map[string]any:
			return who
		case string:
			return map[string]any{"login": who}
		}
	}
	return nil
}

func isMember(o map[string]any) bool {
	switch first(text(o, "author_association"), text(o, "authorAssociation")) {
	case "OWNER", "MEMBER", "COLLABORATOR":
		return true
	}
	return false
}

// check reads a check that failed.
func (r *reader) check(o map[string]any) {
	r.seen++
	switch strings.ToLower(text(o, "conclusion")) {
	case "failure", "action_required":
	default:
		return
	}
	output, _ := o["output"].(map[string]any)
	body := strings.TrimSpace(text(output, "summary") + "\n" + text(output, "text"))
	if body == "" {
		return
	}
	r.out = append(r.out, Comment{ID: first(id(o), text(o, "name")), URL: first(text(o, "html_url"), text(o, "detailsUrl")), Author: text(o, "name"), Body: body, Check: true, Thread: id(o)})
}

func is(o map[string]any, key string) bool { _, ok := o[key]; return ok }

func text(o map[string]any, key string) string { s, _ := o[key].(string); return s }

func truth(o map[string]any, key string) bool { b, _ := o[key].(bool); return b }

func number(o map[string]any, key string) int { n, _ := o[key].(float64); return int(n) }

// id is the id of an object: a number, or a text.
func id(o map[string]any) string {
	switch v := o["id"].(type) {
	case string:
		return v
	case float64:
		return strconv.FormatInt(int64(v), 10)
	}
	return first(text(o, "node_id"), text(o, "html_url"), text(o, "url"))
}

func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}
