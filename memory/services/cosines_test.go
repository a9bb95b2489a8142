package services

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"manicule/indexer/must"
)

// TestSlowServer: a server that accepts and never answers costs one short wait, which is said once,
// and the memories are written all the same.
func TestSlowServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must.OK(t, err)
	var asked atomic.Int32
	done := make(chan struct{})
	go func() {
		defer close(done)
		var open []net.Conn
		defer func() {
			for _, c := range open {
				_ = c.Close()
			}
		}()
		for {
			c, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			asked.Add(1)
			open = append(open, c)
		}
	}()
	defer func() { _ = l.Close(); <-done }()

	o := opener(t)
	vars := o.Getenv
	o.Getenv = func(k string) string {
		switch k {
		case "MANICULE_EMBEDDING_PROVIDER":
			return "ollama"
		case "MANICULE_EMBEDDING_URL":
			return "http://" + l.Addr().String()
		}
		return vars(k)
	}
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	o.Now = func() time.Time { return now }
	w := open(t, o, project(t))
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	remember(t, w, "Refresh of tokens fails silently when the Redis cache is down")
	if asked.Load() != 0 {
		t.Fatal("the server was asked though there is nothing to compare with")
	}
	begun := time.Now()
	remember(t, w, "When Redis is down the tokens in its cache are refreshed by the worker")
	if took := time.Since(begun); took >= 10*serverLimit {
		t.Errorf("it waited for %v", took)
	}
	first := asked.Load()
	if first == 0 {
		t.Fatal("the server was never asked: the two texts have too little in common")
	}
	remember(t, w, "Refresh of tokens pauses when the Redis cache is full")
	if asked.Load() != first {
		t.Error("a server that hangs was asked again at once")
	}
	if n := strings.Count(log.String(), "did not answer within"); n != 1 {
		t.Errorf("said %d times: %s", n, log.String())
	}
}

// TestColdServer: a server that loads its model at the first question keeps that question, though nobody
// waits for the answer, and compares from then on.
func TestColdServer(t *testing.T) {
	loaded, asked := make(chan struct{}), make(chan struct{}, 100)
	var cut atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Input []string `json:"input"`
		}
		data, err := io.ReadAll(r.Body)
		if err == nil && json.Unmarshal(data, &q) != nil { // not a question
			w.WriteHeader(http.StatusNotFound)
			return
		}
		asked <- struct{}{}
		select {
		case <-loaded:
		case <-r.Context().Done():
			cut.Add(1)
			return
		}
		out := map[string]any{}
		var rows []any
		for i := range q.Input {
			rows = append(rows, map[string]any{"index": i, "embedding": []float32{1, 0}})
		}
		out["data"] = rows
		if err := json.NewEncoder(w).Encode(out); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	o := opener(t)
	vars := o.Getenv
	o.Getenv = func(k string) string {
		switch k {
		case "MANICULE_EMBEDDING_PROVIDER":
			return "openai"
		case "MANICULE_EMBEDDING_URL":
			return server.URL
		case "MANICULE_EMBEDDING_MODEL":
			return "same"
		}
		return vars(k)
	}
	w := open(t, o, project(t))
	defer func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}()
	compare := cosines(w)
	if _, err := compare(t.Context(), "a", []string{"b"}); !errors.Is(err, errSlowServer) {
		t.Fatalf("a cold server: %v", err)
	}
	<-asked
	if got, err := compare(t.Context(), "a", []string{"b"}); err != nil || got != nil || len(asked) != 0 {
		t.Fatalf("asked again while it loads: %v, %v", got, err)
	}
	close(loaded)
	for {
		got, err := compare(t.Context(), "a", []string{"b"})
		if err != nil && !errors.Is(err, errSlowServer) { // a busy machine is slow, too
			t.Fatal(err)
		}
		if got == nil { // the first answer is still on its way
			runtime.Gosched()
			continue
		}
		if len(got) != 1 || got[0] < .99 || cut.Load() != 0 {
			t.Errorf("compared: %v, cut off %d times", got, cut.Load())
		}
		return
	}
}
