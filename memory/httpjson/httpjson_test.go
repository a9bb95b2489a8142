package httpjson

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"manicule/indexer/must"
)

// serve answers by a function, which is told the number of the request, from 1.
func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, n int64)) (string, *atomic.Int64) {
	t.Helper()
	var count atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r, count.Add(1)) }))
	t.Cleanup(s.Close)
	return s.URL, &count
}

func client(t *testing.T, o Options) *Client {
	t.Helper()
	o.Name, o.Wait = "judge", time.Millisecond
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Second
	}
	c, err := New(o)
	must.OK(t, err)
	t.Cleanup(c.Close)
	return c
}

// TestFaults: each fault is asked again or not, says what the server said, and
// what to do.
func TestFaults(t *testing.T) {
	const key = "sk-secret"
	tests := []struct {
		name   string
		code   int
		header string // of Retry-After
		body   string
		asked  int64
		want   string // in the error
		hint   string
	}{
		{"a wrong key", 401, "", `{"error":{"message":"Incorrect key: sk-secret"}}`, 1, "401 Unauthorized: Incorrect key: …", "in the environment variable JUDGE_KEY"},
		{"no such model", 404, "", `{"error":"model 'x' not found"}`, 1, "model 'x' not found", "the model's name"},
		{"Cohere's form", 400, "", `{"message":"too many documents"}`, 1, "too many documents", ""},
		{"busy", 429, "0", `{}`, 3, "429 Too Many Requests", "Try again later."},
		{"busy for long", 429, "120", `{"error":{"type":"rate_limit_error","message":"slow down"}}`, 1, "slow down", "Try again in 2m0s."},
		{"overloaded", 529, "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, 3, "Overloaded", "Try again later."},
		{"HTML", 502, "", "<html>\n<b>bad\xff gateway", 3, "<html> <b>bad gateway", "Try again later."},
		{"a redirect", 307, "", "", 1, "307", "is not followed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url, count := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int64) {
				if tt.header != "" {
					w.Header().Set("Retry-After", tt.header)
				}
				w.Header().Set("Location", "http://192.0.2.1/collect")
				w.WriteHeader(tt.code)
				_, _ = w.Write([]byte(tt.body)) // the client's fault when it fails
			})
			_, err := client(t, Options{URL: url, Key: key, KeyName: "JUDGE_KEY", Retries: 2}).Post(t.Context(), "v1/rerank", nil)
			s, ok := errors.AsType[*StatusError](err)
			if !ok || s.Code != tt.code || count.Load() != tt.asked || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), key) {
				t.Errorf("after %d requests, want %d: %v", count.Load(), tt.asked, err)
			}
			if h := Hint(err); !strings.Contains(h, tt.hint) || (tt.hint == "") != (h == "") {
				t.Errorf("hint %q, want %q", h, tt.hint)
			}
		})
	}
}

// TestHang: a server that says nothing is asked again, unless asking costs.
func TestHang(t *testing.T) {
	for paid, asked := range map[bool]int64{false: 3, true: 1} {
		release := make(chan struct{})
		url, count := serve(t, func(http.ResponseWriter, *http.Request, int64) { <-release })
		_, err := client(t, Options{URL: url, Timeout: 20 * time.Millisecond, Retries: 2, Paid: paid}).Post(t.Context(), "", nil)
		close(release)
		if err == nil || count.Load() != asked || !strings.Contains(Hint(err), "server runs") {
			t.Errorf("paid %t: %d requests, want %d; hint %q: %v", paid, count.Load(), asked, Hint(err), err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	url, _ := serve(t, func(http.ResponseWriter, *http.Request, int64) { cancel(); <-release })
	if _, err := client(t, Options{URL: url}).Post(ctx, "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestPost: what is sent is what the options say.
func TestPost(t *testing.T) {
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request, n int64) {
		if n == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization") + " " + r.Header.Get("Content-Type")))
	})
	got, err := client(t, Options{URL: url + "/v1/", Header: Bearer("k")}).Post(t.Context(), "rerank", map[string]int{"n": 1})
	if want := "POST /v1/rerank Bearer k application/json"; err != nil || string(got) != want {
		t.Errorf("%q, want %q: %v", got, want, err)
	}
	if Bearer("") != nil {
		t.Error("a header of no key")
	}
}

func TestAddress(t *testing.T) {
	for _, address := range []string{"", "localhost:11434", "file:///etc/passwd", "http://", "http://a b"} {
		if _, err := New(Options{Name: "judge", URL: address}); !errors.Is(err, ErrAddress) || Hint(err) == "" {
			t.Errorf("%q: %v", address, err)
		}
	}
	c := client(t, Options{URL: "http://127.0.0.1:1"})
	if err := c.Misread(errors.New("no scores")); !errors.Is(err, ErrAnswer) || Hint(err) == "" {
		t.Errorf("%v", err)
	}
	if Hint(errors.New("another")) != "" {
		t.Error("a hint for an unknown error")
	}
}
