// Package httpjson is the client for the servers that the settings name. It sends a
// request with a JSON body, applies time-outs, retries with backoff, and returns
// errors that say what to do and never contain a key. It must not know the content of
// a request, and sends to no other address than the given one.
package httpjson

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"manicule/indexer/clip"

	"github.com/hashicorp/go-retryablehttp"
)

// Options identify a server and set timeouts.
type Options struct {
	// Name is the server's name in messages: "ollama".
	Name string
	// URL is the base of all paths: http://127.0.0.1:11434, https://api.openai.com/v1.
	URL string
	// Header is sent with each request.
	Header map[string]string
	// Key is the part of Header that must never be shown, even if the server repeats it.
	Key string
	// KeyName is the environment variable from which the key was read.
	KeyName string
	// Timeout limits one try of a request; 30 seconds when 0.
	Timeout time.Duration
	// Retries is how often a request is repeated after a network error, a 429 or a 5xx; 3 when 0,
	// none when negative. Retry-After counts unless it exceeds 10 seconds; then the answer is
	// final.
	Retries int
	// Wait is the first pause between two tries; it doubles. 500 ms when 0.
	Wait time.Duration
	// Paid says that a request costs money. It is not repeated after a timeout, because the server
	// may have done the work.
	Paid bool
}

// Limits of an answer.
const (
	maxAnswer   = 64 << 20 // bytes
	maxComplain = 300      // bytes of a server's message that are shown
)

// Defaults of Options.
const (
	defaultTimeout = 30 * time.Second
	// DefaultRetries is the meaning of Options.Retries when it is 0.
	DefaultRetries = 3
	defaultWait    = 500 * time.Millisecond
	maxWait        = 10 * time.Second
)

// Client sends requests to one server. It is safe for concurrent use.
type Client struct {
	o    Options
	base *url.URL
	http *retryablehttp.Client
}

// ErrAddress is wrapped if the address of a server is no http or https URL.
var ErrAddress = errors.New("no http or https URL")

// ErrAnswer is wrapped if a server's answer breaks its contract.
var ErrAnswer = errors.New("an answer that can't be used")

// StatusError is an answer with a status other than 200.
type StatusError struct {
	Server  string // its name
	Host    string // its address, without path and user
	Code    int    // the HTTP status
	Status  string // the same with its text: "429 Too Many Requests"
	Message string // the server's own, one line, without the key
	Body    []byte // raw answer, for callers that look for an error code; never shown
	KeyName string // the environment variable of the key
	// Wait is the requested delay, 0 if the server names none.
	Wait time.Duration
}

// requestError is an error between here and a server. It tells Hint that a time-out or
// a network error is one of this package.
type requestError struct{ error }

func (e *requestError) Unwrap() error { return e.error }

// Error names the server and its message.
func (e *StatusError) Error() string {
	return fmt.Sprintf("%s at %s answers %s: %s", e.Server, e.Host, e.Status, e.Message)
}

// New returns the client of a server. It sends nothing.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.URL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("the address of %s is %w: %q", o.Name, ErrAddress, o.URL)
	}
	c := retryablehttp.NewClient()
	c.Logger = nil
	c.RetryMax = orDefault(o.Retries, DefaultRetries)
	c.RetryWaitMin, c.RetryWaitMax = orDefault(o.Wait, defaultWait), maxWait
	c.HTTPClient.Timeout = orDefault(o.Timeout, defaultTimeout)
	// A redirect could send texts and the key to another address.
	c.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.ErrorHandler = retryablehttp.PassthroughErrorHandler // the last answer says why
	c.CheckRetry = func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		if retryAfter(resp) > maxWait || (o.Paid && timedOut(err)) {
			return false, ctx.Err()
		}
		return retryablehttp.DefaultRetryPolicy(ctx, resp, err)
	}
	return &Client{o: o, base: base, http: c}, nil
}

func orDefault[T int | time.Duration](v, standard T) T {
	switch {
	case v == 0:
		return standard
	case v < 0:
		return 0
	}
	return v
}

// retryAfter returns the delay that an answer requests, or 0.
func retryAfter(resp *http.Response) time.Duration {
	return retryablehttp.DefaultBackoff(0, 0, 0, resp) // it reads both forms of the header
}

func timedOut(err error) bool {
	n, ok := errors.AsType[net.Error](err)
	return ok && n.Timeout()
}

// Host returns the server's address without path and user.
func (c *Client) Host() string { return c.base.Host }

// Close closes idle connections.
func (c *Client) Close() { c.http.HTTPClient.CloseIdleConnections() }

// Post sends a JSON body to a path below the server's URL and returns the answer, at most 64 MB. An
// answer other than 200 is a *StatusError.
func (c *Client) Post(ctx context.Context, path string, body any) (_ []byte, err error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", c.o.Name, err)
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(path).String(), data)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", c.o.Name, err)
	}
	req.Header.Set("Content-Type", "application/json")
	for k, v := range c.o.Header {
		req.Header.Set(k, v)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", c.o.Name, &requestError{err})
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", c.o.Name, &requestError{err})
	}
	if resp.StatusCode != http.StatusOK {
		return nil, &StatusError{
			Server: c.o.Name, Host: req.URL.Host, Code: resp.StatusCode, Status: resp.Status, Message: complaint(answer, c.o.Key),
			Body: answer, KeyName: c.o.KeyName, Wait: retryAfter(resp),
		}
	}
	return answer, nil
}

// Misread is the error for an answer that breaks its contract; it wraps ErrAnswer.
func (c *Client) Misread(why error) error {
	return fmt.Errorf("read the answer of %s: %w: %w", c.o.Name, ErrAnswer, why)
}

// Bearer returns the header for a key, empty without one.
func Bearer(key string) map[string]string {
	if key == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + key}
}

// Hint returns what a person can do about an error of this package, or "".
func Hint(err error) string {
	if s, ok := errors.AsType[*StatusError](err); ok {
		switch {
		case s.Code == http.StatusUnauthorized || s.Code == http.StatusForbidden:
			if s.KeyName == "" {
				return "Check which environment variable holds the server's key."
			}
			return "Check the key in the environment variable " + s.KeyName + "."
		case s.Code == http.StatusNotFound:
			return "Check the server's address and the model's name."
		case s.Code == http.StatusTooManyRequests && s.Wait > 0:
			return "Try again in " + s.Wait.String() + "."
		case s.Code == http.StatusTooManyRequests || s.Code >= 500:
			return "Try again later."
		case s.Code >= 300 && s.Code < 400:
			return "The server redirects, which is not followed. Set the address that it names."
		}
		return ""
	}
	_, network := errors.AsType[*requestError](err)
	switch {
	case errors.Is(err, context.Canceled):
	case errors.Is(err, ErrAddress):
		return "Write it as http://127.0.0.1:8080/v1."
	case errors.Is(err, ErrAnswer):
		return "Check that the server speaks what the settings say."
	case network:
		return "Check that the server runs, and its address."
	}
	return ""
}

// complaint extracts a server's message as one line, in the formats of OpenAI, Anthropic, Ollama
// and Cohere, or the raw body. It masks a key that the server repeats.
func complaint(body []byte, key string) string {
	var form struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	text := string(body)
	if json.Unmarshal(body, &form) == nil {
		var nested struct {
			Message string `json:"message"`
		}
		var plain string
		switch {
		case form.Error != nil && json.Unmarshal(form.Error, &plain) == nil && plain != "":
			text = plain
		case form.Error != nil && json.Unmarshal(form.Error, &nested) == nil && nested.Message != "":
			text = nested.Message
		case form.Message != "":
			text = form.Message
		}
	}
	if key != "" {
		text = strings.ReplaceAll(text, key, "…")
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	return clip.MarkedBytes(text, maxComplain)
}
