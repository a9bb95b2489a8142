package store

import (
	"context"
	"database/sql"
	"errors"
)

// runner runs statements in a transaction.
type runner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// preparedTx is a transaction that writes many rows. It prepares each statement once, because that
// takes longer than running it.
type preparedTx struct {
	tx    *sql.Tx
	known map[string]*sql.Stmt
}

func prepareOnce(tx *sql.Tx) *preparedTx { return &preparedTx{tx, map[string]*sql.Stmt{}} }

func (p *preparedTx) close() error {
	var errs []error
	for _, s := range p.known {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

func (p *preparedTx) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s := p.known[query]; s != nil {
		return s, nil
	}
	s, err := p.tx.PrepareContext(ctx, query)
	if err == nil {
		p.known[query] = s
	}
	return s, err
}

// ExecContext implements runner.
func (p *preparedTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// QueryContext implements runner.
func (p *preparedTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, args...)
}

// QueryRowContext implements runner.
func (p *preparedTx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return p.tx.QueryRowContext(ctx, query, args...) // it fails again, and the row reports it
	}
	return s.QueryRowContext(ctx, args...)
}
