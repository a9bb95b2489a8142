package memories

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// manicule is the product.
type manicule struct{ bin string }

func (m manicule) Name() string { return "Manicule" }

func (m manicule) Prepare(ctx context.Context, p *place) error {
	_, err := p.run(ctx, m.bin, "init", "--agent", "claude-code")
	return err
}

func (m manicule) Hooks(p *place) (hooks, error) {
	return readHooks(filepath.Join(p.repo, ".claude", "settings.local.json"))
}

func (m manicule) Server(ctx context.Context, p *place) *exec.Cmd {
	return p.command(ctx, m.bin, "mcp")
}

// Open writes as a person does, since what an agent proposes waits for one, and asks the
// server as an agent does.
func (m manicule) Open(ctx context.Context, p *place) (door, error) {
	asked, err := openServer(m.Server(ctx, p), nil, func(q string) call {
		return call{"search", map[string]any{"query": q, "limit": 5}}
	})
	return remember{asked, m.bin, p}, err
}

type remember struct {
	door
	bin   string
	place *place
}

func (r remember) Save(ctx context.Context, n note) error {
	args := []string{r.bin, "remember", n.Text, "--type", "gotcha", "--again", "keep"}
	if n.Where != "" {
		args = append(args, "--at", n.Where)
	}
	_, err := r.place.run(ctx, args...)
	return err
}

func (m manicule) Share(context.Context, *place) error   { return nil } // files in the repository
func (m manicule) Receive(context.Context, *place) error { return nil }

// serverMemory is the reference server of the Model Context Protocol.
type serverMemory struct {
	alone
	dir string
}

func (s serverMemory) Name() string { return "server-memory " + serverMemoryVersion }

func (s serverMemory) Server(ctx context.Context, p *place) *exec.Cmd {
	cmd := p.command(ctx, "node", filepath.Join(s.dir, "node_modules/@modelcontextprotocol/server-memory/dist/index.js"))
	cmd.Env = append(cmd.Env, "MEMORY_FILE_PATH="+filepath.Join(p.repo, "memory.jsonl"))
	return cmd
}

func (s serverMemory) Open(ctx context.Context, p *place) (door, error) {
	return openServer(s.Server(ctx, p), func(n note) call {
		observations := []string{n.Text}
		if n.Where != "" {
			observations = append(observations, n.Where)
		}
		return call{"create_entities", map[string]any{"entities": []any{map[string]any{"name": n.Title, "entityType": "memory", "observations": observations}}}}
	}, func(q string) call { return call{"search_nodes", map[string]any{"query": q}} })
}

// engram keeps an SQLite database behind a server on a port.
type engram struct {
	bin, plugin string // plugin is the folder plugin/claude-code of its sources
}

func (e engram) Name() string                          { return "engram " + engramVersion }
func (e engram) Prepare(context.Context, *place) error { return nil }

func (e engram) Hooks(p *place) (hooks, error) {
	p.env = append(p.env, "CLAUDE_PLUGIN_ROOT="+e.plugin)
	return readHooks(filepath.Join(e.plugin, "hooks", "hooks.json"))
}

func (e engram) Server(ctx context.Context, p *place) *exec.Cmd {
	return p.command(ctx, e.bin, "mcp", "--tools=agent")
}

func (e engram) Open(ctx context.Context, p *place) (door, error) {
	return openServer(e.Server(ctx, p), func(n note) call {
		content := n.Text
		if n.Where != "" {
			content += "\n**Where**: " + n.Where
		}
		return call{"mem_save", map[string]any{"title": n.Title, "content": content, "type": "discovery", "project": "shop"}}
	}, func(q string) call {
		return call{"mem_search", map[string]any{"query": q, "limit": 5, "project": "shop"}}
	})
}

func (e engram) Share(ctx context.Context, p *place) error {
	_, err := p.run(ctx, e.bin, "sync")
	return err
}

func (e engram) Receive(ctx context.Context, p *place) error {
	_, err := p.run(ctx, e.bin, "sync", "--import")
	return err
}

// claudeMem runs a worker on a port, to which hooks and server talk.
type claudeMem struct {
	alone
	plugin string
}

// workerPort is the worker's for a user id of 0, and set for any other.
const workerPort = "37700"

func (c claudeMem) Name() string { return "claude-mem " + claudeMemVersion }

func (c claudeMem) Prepare(ctx context.Context, p *place) error {
	p.env = append(p.env, "CLAUDE_PLUGIN_ROOT="+c.plugin, "CLAUDE_MEM_WORKER_PORT="+workerPort)
	for range 3 { // after a crash the first start gives up
		said, err := p.run(ctx, "node", filepath.Join(c.plugin, "scripts/bun-runner.js"), filepath.Join(c.plugin, "scripts/worker-service.cjs"), "start")
		if err != nil || strings.Contains(said, `"ready"`) {
			return err
		}
	}
	return errNotReady
}

var errNotReady = errors.New("the worker does not start")

func (c claudeMem) Hooks(*place) (hooks, error) {
	return readHooks(filepath.Join(c.plugin, "hooks", "hooks.json"))
}

func (c claudeMem) Server(ctx context.Context, p *place) *exec.Cmd {
	return p.command(ctx, "node", filepath.Join(c.plugin, "scripts/mcp-server.cjs"))
}

func (c claudeMem) Open(context.Context, *place) (door, error) { return worker{}, nil }

// worker is the door of claude-mem: no tool of its server saves a memory by itself.
type worker struct{}

func (w worker) Save(ctx context.Context, n note) error {
	body, err := json.Marshal(map[string]any{"text": n.Text, "title": n.Title, "project": "shop"})
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	_, err = w.ask(ctx, http.MethodPost, "/api/memory/save", body)
	return err
}

// Search does the two steps that its skill teaches: titles, then the texts of the found.
func (w worker) Search(ctx context.Context, query string) (string, error) {
	titles, err := w.ask(ctx, http.MethodGet, "/api/search?limit=5&project=shop&query="+url.QueryEscape(query), nil)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, m := range observation.FindAllStringSubmatch(titles, -1) {
		ids = append(ids, m[1])
	}
	if len(ids) == 0 {
		return titles, nil
	}
	texts, err := w.ask(ctx, http.MethodPost, "/api/observations/batch", []byte(`{"ids":[`+strings.Join(ids, ",")+`]}`))
	return titles + texts, err
}

var observation = regexp.MustCompile(`#(\d+) \|`)

func (worker) Close() error { return nil }

func (worker) ask(ctx context.Context, method, path string, body []byte) (_ string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1:"+workerPort+path, bytes.NewReader(body))
	if err != nil {
		return "", fmt.Errorf("ask the worker: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", fmt.Errorf("ask the worker: %w", err)
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	said, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		return "", fmt.Errorf("ask the worker: %s: %s: %w", resp.Status, said, errors.Join(err, errRefused))
	}
	return string(said), nil
}

// errRefused is the answer of a worker that did not do what it was asked.
var errRefused = errors.New("refused")

// agentMemory is measured without its engine, which no registry carries: its server then
// has seven of its tools, and its hooks find nobody to talk to.
type agentMemory struct {
	alone
	dir string
}

func (a agentMemory) Name() string { return "agentmemory " + agentMemoryVersion + " (no engine)" }

func (a agentMemory) Hooks(p *place) (hooks, error) {
	plugin := filepath.Join(a.dir, "node_modules/@agentmemory/agentmemory/plugin")
	p.env = append(p.env, "CLAUDE_PLUGIN_ROOT="+plugin)
	return readHooks(filepath.Join(plugin, "hooks", "hooks.json"))
}

func (a agentMemory) Server(ctx context.Context, p *place) *exec.Cmd {
	return p.command(ctx, "node", filepath.Join(a.dir, "node_modules/@agentmemory/agentmemory/dist/standalone.mjs"))
}

func (a agentMemory) Open(ctx context.Context, p *place) (door, error) {
	return openServer(a.Server(ctx, p), func(n note) call {
		return call{"memory_save", map[string]any{"content": n.Text, "type": "fact", "files": n.Where}}
	}, func(q string) call { return call{"memory_smart_search", map[string]any{"query": q, "limit": 5}} })
}

// beads is an issue tracker that also keeps memories, in a database with versions.
type beads struct{ bin string }

func (b beads) Name() string { return "beads " + beadsVersion }

func (b beads) Prepare(ctx context.Context, p *place) error {
	start := []string{b.bin, "init", "--quiet", "--prefix", "shop"}
	if _, err := os.Stat(filepath.Join(p.repo, ".beads")); err == nil {
		start = []string{b.bin, "bootstrap", "--yes"} // a clone, or after a crash
	}
	if _, err := p.run(ctx, start...); err != nil {
		return err
	}
	_, err := p.run(ctx, b.bin, "setup", "claude", "--project")
	return err
}

func (b beads) Hooks(p *place) (hooks, error) {
	h, err := readHooks(filepath.Join(p.repo, ".claude", "settings.json"))
	if errors.Is(err, os.ErrNotExist) {
		return readHooks(filepath.Join(p.repo, ".claude", "settings.local.json"))
	}
	return h, err
}

func (b beads) Server(context.Context, *place) *exec.Cmd { return nil }

func (b beads) Open(_ context.Context, p *place) (door, error) {
	return command{p, func(n note) []string {
		text := n.Text
		if n.Where != "" {
			text += " (" + n.Where + ")"
		}
		return []string{b.bin, "remember", text, "--key", n.Title}
	}, func(q note) []string { return []string{b.bin, "memories", q.Text} }}, nil
}

// Share and Receive use its own branch of the same remote, not git's merge.
func (b beads) Share(ctx context.Context, p *place) error {
	_, pulled := p.run(ctx, b.bin, "dolt", "pull")
	_, err := p.run(ctx, b.bin, "dolt", "push")
	if err != nil {
		return errors.Join(pulled, err)
	}
	return nil
}

func (b beads) Receive(ctx context.Context, p *place) error {
	_, err := p.run(ctx, b.bin, "dolt", "pull")
	return err
}
