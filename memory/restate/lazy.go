package restate

import "sync"

// lazy is a table that is made at its first use. Unlike sync.OnceValue in a variable it needs no
// work before main, which every hook would pay for.
type lazy[T any] struct {
	once  sync.Once
	value T
}

func (l *lazy[T]) get(build func() T) T {
	l.once.Do(func() { l.value = build() })
	return l.value
}
