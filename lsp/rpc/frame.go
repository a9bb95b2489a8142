package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxBody is the size in bytes of the largest message that is read. A larger one is
// skipped and reported as a [TooLargeError].
const maxBody = 256 << 20

// maxKeptBuffer is the size of the largest read buffer that is kept between messages.
const maxKeptBuffer = 1 << 20

// TooLargeError reports that a message was skipped. The next one can be read.
type TooLargeError struct {
	Bytes int // of the message's body
}

// Error names the size.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("a message of %d bytes is too large", e.Bytes)
}

// Reader reads the bodies of messages framed by Content-Length. It skips invalid
// headers.
type Reader struct {
	in   *bufio.Reader
	body []byte
}

// NewReader returns a reader of frames.
func NewReader(from io.Reader) *Reader { return &Reader{in: bufio.NewReaderSize(from, 16<<10)} }

// Next returns the body of the next message, which is valid until the next call. The
// error is io.EOF at the end, and a *TooLargeError for a message that was skipped.
func (r *Reader) Next() ([]byte, error) {
	n, err := r.header()
	if err != nil {
		return nil, err
	}
	if err := r.read(n); err != nil {
		return nil, err
	}
	if n > maxBody {
		return nil, &TooLargeError{n}
	}
	return r.body, nil
}

// header returns the length of the next body. It skips lines that are not headers, and
// header blocks without a length.
func (r *Reader) header() (int, error) {
	length, begun := -1, false
	for {
		line, err := r.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue // part of a line longer than any header
		case errors.Is(err, io.EOF) && (begun || len(line) > 0):
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if length > 0 {
				return length, nil
			}
			begun = false
			continue
		}
		begun = true
		if n, ok := contentLength(line); ok {
			length = n
		}
	}
}

// contentLength reads a Content-Length line. It skips bytes in front of it, left by a
// body that was longer than announced.
func contentLength(line []byte) (int, bool) {
	const name = "content-length:"
	low := strings.ToLower(string(line))
	i := strings.LastIndex(low, name)
	if i < 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(low[i+len(name):]), 10, 40)
	if err != nil {
		return 0, false
	}
	return int(n), true
}

func (r *Reader) read(n int) error {
	if n > maxBody {
		if _, err := io.CopyN(io.Discard, r.in, int64(n)); err != nil {
			return unexpected(err)
		}
		return nil
	}
	if cap(r.body) < n || cap(r.body) > maxKeptBuffer {
		r.body = make([]byte, n)
	}
	r.body = r.body[:n]
	_, err := io.ReadFull(r.in, r.body)
	return unexpected(err)
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
