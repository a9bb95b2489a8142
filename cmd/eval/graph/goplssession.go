package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/wire"
)

// goAnswers returns gopls' answers, from the cache if they are there.
func (e *evaluation) goAnswers(ctx context.Context, name string, m *goModule, probes []goProbe) (answers map[string]goAnswer, err error) {
	kept := filepath.Join(e.cache, "gopls-"+name+".json")
	answers = map[string]goAnswer{}
	if data, err := os.ReadFile(kept); err == nil {
		if err := json.Unmarshal(data, &answers); err != nil {
			return nil, fmt.Errorf("read %s: %w", kept, err)
		}
	}
	if !slices.ContainsFunc(probes, func(p goProbe) bool { _, ok := answers[p.key()]; return !ok }) {
		return answers, nil
	}
	bin, err := e.goplsProgram(ctx)
	if err != nil {
		return nil, err
	}
	evalkit.Progress("asking gopls about %d symbols of %s", len(probes), name)
	cmd := exec.CommandContext(ctx, bin, "serve")
	cmd.Dir = m.root
	client, err := wire.Start(cmd)
	if err != nil {
		return nil, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		err = errors.Join(err, client.Close(closing))
	}()
	if err := client.Initialize(ctx, m.root); err != nil {
		return nil, err
	}
	q := &goplsSession{client: client, m: m}
	for i, p := range probes {
		if _, ok := answers[p.key()]; ok {
			continue
		}
		start := time.Now()
		a, err := q.ask(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.key(), err)
		}
		answers[p.key()] = a
		if took := time.Since(start); took > 5*time.Second {
			evalkit.Progress("%d of %d: %s took %s", i+1, len(probes), p.key(), took.Round(time.Second))
		}
		data, err := json.Marshal(answers)
		if err != nil {
			return nil, fmt.Errorf("keep the answers: %w", err)
		}
		if err := os.WriteFile(kept, data, 0o644); err != nil {
			return nil, fmt.Errorf("keep the answers: %w", err)
		}
	}
	return answers, nil
}

// goplsProgram returns the path of gopls and builds it if no path was given.
func (e *evaluation) goplsProgram(ctx context.Context) (string, error) {
	if e.gopls != "" {
		return e.gopls, nil
	}
	bin := filepath.Join(e.dir, "bin")
	cmd := exec.CommandContext(ctx, "go", "install", goplsModule)
	cmd.Env = append(os.Environ(), "GOBIN="+bin)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", evalkit.Missing("%s can't be built: %s", goplsModule, out)
	}
	e.gopls = filepath.Join(bin, "gopls")
	return e.gopls, nil
}

type goplsSession struct {
	client *wire.Client
	m      *goModule
}

type lspLocation struct {
	URI   string     `json:"uri"`
	Range wire.Range `json:"range"`
}

// ask finds the references of a symbol, and the callers in gopls' call hierarchy. They
// include references of the interface methods that a method implements, and of the
// methods that implement an interface method.
func (q *goplsSession) ask(ctx context.Context, p goProbe) (goAnswer, error) {
	var found []lspLocation
	at := map[string]any{
		"textDocument": map[string]string{"uri": wire.URI(filepath.Join(q.m.root, filepath.FromSlash(p.file)))},
		"position":     wire.Position{Line: p.line - 1, Character: p.col - 1},
		"context":      map[string]bool{"includeDeclaration": false},
	}
	if err := q.client.Call(ctx, "textDocument/references", at, &found); err != nil {
		return goAnswer{}, err
	}
	refs := places{}
	for _, l := range found {
		file := q.m.relative(l.URI)
		if !q.m.in[file] {
			continue
		}
		here := place{file, l.Range.Start.Line + 1}
		if here == (place{p.file, p.line}) {
			continue
		}
		refs[here] = true
	}
	return goAnswer{References: refs.sorted()}, nil
}

func (m *goModule) relative(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(m.root, u.Path)
	if err != nil {
		return ""
	}
	return path.Clean(filepath.ToSlash(rel))
}
