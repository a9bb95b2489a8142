package services

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestSlowServer: a server that accepts and never answers costs one short wait, which is said once,
// and the memories are written all the same.
func TestSlowServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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
	now = now.Add(serverRest)
	remember(t, w, "Refresh of tokens waits when the Redis cache is slow")
	if asked.Load() == first {
		t.Error("the server is never asked again")
	}
}
