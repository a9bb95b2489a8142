// Package store is a sample.
package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

import "time"

// ErrExpired says that a token is too old.
var ErrExpired = errors.New("expired")

const (
	// defaultTTL is used when the store has none.
	defaultTTL = 5 * time.Minute
	maxTokens  = 1 << 10 // not a doc

	low, high = iota, iota + 1
)

const Version = "v1"

var (
	registry, fallback           = map[string]*Store[string, int]{}, &Store[string, int]{}
	_                  Validator = (*TokenStore)(nil)
)

// Validator checks tokens.
type Validator interface {
	fmt.Stringer
	// Validate returns ErrExpired for an old one.
	Validate(ctx context.Context, token string) error
	Close()
	~int | ~string
}

// Store keeps values.
//
// It has a second paragraph.
type Store[K comparable, V any] struct {
	mu sync.Mutex
	// values is guarded by mu.
	values       map[K]V
	hits, misses int `json:"hits"`
	sync.Once
	hook func(k K) (V, error)
}

type TokenStore struct{ Store[string, time.Time] }

type (
	Alias = TokenStore
	// Handler is a function type.
	Handler func(ctx context.Context, token string) error
	ID      string
)

// New makes a store.
func New[K comparable, V any](ttl time.Duration, options ...func(*Store[K, V])) *Store[K, V] {
	const inside = 1
	var also int
	type local struct{ a int }
	run := func(x int) { var y = x; _ = y }
	run(also + inside)
	return &Store[K, V]{}
}

// Get is on a generic pointer receiver.
func (s *Store[K, V]) Get(key K) (value V, ok bool) {
	value, ok = s.values[key]
	return
}

func (s Store[K, V]) Len() int { return len(s.values) }

//go:noinline
func (*TokenStore) Validate(_ context.Context, token string) error {
	return fmt.Errorf("%q: %w", token, ErrExpired)
}

/* A block comment is a doc too. */
func (t TokenStore) Close() {}

// Far away, with a blank line below.

func init() {}

func init() { registry["ü"] = nil }

func external(a, b int, c string) (d int)
