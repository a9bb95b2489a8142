// Package remote gets vectors from a server: Ollama, or one with OpenAI's embeddings
// API. It is used only where the settings name one. It masks secrets before it sends
// a text, and sends to no other address. It must not know what the texts are.
package remote

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"manicule/memory/embed"
	"manicule/memory/httpjson"
	"manicule/memory/secret/full"
)

// Options name a server and a model.
type Options struct {
	// URL is the server: http://127.0.0.1:11434, https://api.openai.com/v1.
	URL   string
	Model string
	// Dims is the length of vectors to request, 0 for the model's own. Only a model that was
	// trained for it (Matryoshka) supports shorter ones.
	Dims int
	// Key, if not empty, is sent as a bearer token.
	Key string
	// Timeout limits one try of a request; 30 seconds when 0.
	Timeout time.Duration
	// Retries is how often a request is repeated after a network error, a 429 or a 5xx; 3 when 0,
	// none when negative. Retry-After counts.
	Retries int
	// Wait is the first pause between two tries; it doubles. 500 ms when 0.
	Wait time.Duration
}

// maxTexts limits one request.
const maxTexts = 64

// contract describes a server's API.
type contract struct {
	name string
	path string
	// request makes the body for some texts.
	request func(o Options, texts []string) any
	// answer parses a body into vectors in the order of the texts.
	answer func(body []byte, n int) ([][]float32, error)
}

// server is an embedder on another machine or in another process.
type server struct {
	c      contract
	o      Options
	client *httpjson.Client
	info   embed.Info
}

// open requests one vector, which shows whether the server runs, has the model, and how long its
// vectors are.
func open(ctx context.Context, c contract, o Options) (embed.Embedder, error) {
	client, err := httpjson.New(httpjson.Options{
		Name: c.name, URL: o.URL, Header: httpjson.Bearer(o.Key), Key: o.Key, Timeout: o.Timeout, Retries: o.Retries, Wait: o.Wait,
	})
	if err != nil {
		return nil, err
	}
	s := &server{c: c, o: o, client: client}
	v, err := s.ask(ctx, []string{"a text to find the length of vectors"})
	if err != nil {
		return nil, err
	}
	// Two servers may have different models under one name.
	s.info = embed.Info{Model: c.name + "/" + client.Host() + "/" + o.Model, Dims: len(v[0]), Backend: c.name}
	if o.Dims > 0 {
		if s.info.Dims, err = shorten(o, len(v[0])); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Info names the server's model.
func (s *server) Info() embed.Info { return s.info }

// Close closes idle connections.
func (s *server) Close() error {
	s.client.Close()
	return nil
}

// Embed returns the vectors of texts.
func (s *server) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for at := 0; at < len(texts); at += maxTexts {
		v, err := s.ask(ctx, texts[at:min(at+maxTexts, len(texts))])
		if err != nil {
			return nil, err
		}
		for _, x := range v {
			if len(x) < s.info.Dims {
				return nil, fmt.Errorf("%s gave a vector of %d values, want %d", s.c.name, len(x), s.info.Dims)
			}
			x = x[:s.info.Dims]
			if err := normalise(x); err != nil {
				return nil, fmt.Errorf("%s: %w", s.c.name, err)
			}
			out = append(out, x)
		}
	}
	return out, nil
}

// ask sends one request.
func (s *server) ask(ctx context.Context, texts []string) ([][]float32, error) {
	clean, err := full.MaskAll(texts)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", s.c.name, err)
	}
	for i, t := range clean {
		if clean[i] = strings.ToValidUTF8(t, ""); strings.TrimSpace(clean[i]) == "" {
			clean[i] = "(empty)" // servers reject a whole request with an empty input
		}
	}
	body, err := s.client.Post(ctx, s.c.path, s.c.request(s.o, clean))
	if err != nil {
		return nil, err
	}
	v, err := s.c.answer(body, len(texts))
	if err != nil {
		return nil, s.client.Misread(err)
	}
	return v, nil
}

// errNoLength is returned for a vector length that the model does not support.
var errNoLength = errors.New("the model gives no vectors of that length")

// shorten returns the length to keep of vectors with n values.
func shorten(o Options, n int) (int, error) {
	switch {
	case n == o.Dims:
		return n, nil
	case n > o.Dims && matryoshka(o.Model):
		return o.Dims, nil
	}
	return 0, fmt.Errorf("%w: %s has %d values, asked for %d", errNoLength, o.Model, n, o.Dims)
}

// matryoshka reports whether prefixes of a model's vectors are vectors too, because it was trained
// for that. For other models they are noise.
func matryoshka(model string) bool {
	for _, family := range []string{
		"qwen3-embedding", "nomic-embed-text", "mxbai-embed-large", "embeddinggemma", "snowflake-arctic-embed2",
		"text-embedding-3-", "jina-embeddings-v3", "voyage-3",
	} {
		if strings.Contains(strings.ToLower(model), family) {
			return true
		}
	}
	return false
}

// normalise scales a vector to length one, in place.
func normalise(v []float32) error {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return errors.New("a vector without a length")
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return nil
}
