// Package llm sends one question at a time to the chat model that the settings name,
// with OpenAI's API or Anthropic's. It counts the questions of a day and stops at the
// settings' limit, and masks secrets in a question before it sends it. Without
// configuration there is no model. The package must not know the questions or their
// purpose.
package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"manicule/memory/config"
	"manicule/memory/httpjson"
	"manicule/memory/secret/full"
)

// The kinds of provider, as in the settings.
const (
	Off       = "off"
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// Options name a model and its limits.
type Options struct {
	Provider string // OpenAI or Anthropic; anything else is none
	Endpoint string // the server; the provider's own when empty
	Name     string // the model's
	Key      string // the key itself, from the environment; none is sent when empty
	KeyName  string // the variable it was read from, for messages
	// MaxCalls limits the calls of Complete in a day (UTC). They are counted in Dir, for all
	// processes together.
	MaxCalls int
	Dir      string
	Now      func() time.Time

	// Timeout limits one try; 60 seconds when 0, because models write slowly.
	Timeout time.Duration
	// Retries and Wait are as in httpjson.Options.
	Retries int
	Wait    time.Duration
}

const defaultTimeout = 60 * time.Second

// Answer is what a model wrote.
type Answer struct {
	Text string `json:"text"`
	// InputTokens and OutputTokens are the server's counts, 0 if it sends none.
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	// Cut says that the answer hit the token limit.
	Cut bool `json:"cut"`
}

var (
	// ErrNone is returned if no model is configured.
	ErrNone = errors.New("no chat model is configured")
	// errSettings is wrapped if the configuration of a model is incomplete.
	errSettings = errors.New("the chat model's settings are incomplete")
	// ErrBudget is wrapped if the day's calls are used up. Nothing was sent.
	ErrBudget = errors.New("the chat model's calls for today are used up")
	// errRefused is wrapped if the model declines to answer.
	errRefused = errors.New("the chat model refuses to answer")
)

// Client sends questions to one model. It is safe for concurrent use.
type Client struct {
	o      Options
	c      contract
	server *httpjson.Client
	calls  counter
}

// contract describes a server's API.
type contract struct {
	name    string
	url     string // of the provider itself
	keyName string // the usual variable of its key
	header  func(key string) map[string]string
	ask     func(ctx context.Context, c *Client, system, user string, maxTokens int) (Answer, error)
}

func contracts() map[string]contract {
	return map[string]contract{OpenAI: openAI(), Anthropic: anthropic()}
}

// Configured returns the options from the settings and the environment. dir is where calls are
// counted, now the clock. The key in a provider's usual variable goes only to that provider's own
// server; another endpoint needs model.key_variable.
func Configured(c *config.Config, getenv func(string) string, dir string, now func() time.Time) Options {
	o := Options{
		Provider: c.String("model.provider"), Endpoint: c.String("model.endpoint"), Name: c.String("model.name"),
		KeyName: c.String("model.key_variable"), MaxCalls: c.Int("model.max_calls_per_day"), Dir: dir, Now: now,
	}
	if o.KeyName == "" && o.Endpoint == "" {
		o.KeyName = contracts()[o.Provider].keyName
	}
	if o.KeyName != "" {
		o.Key = getenv(o.KeyName)
	}
	return o
}

// Open returns the client of a model. It sends nothing. It returns ErrNone if none is configured,
// and wraps errSettings if a setting or the key is missing.
func Open(o Options) (*Client, error) {
	k, ok := contracts()[o.Provider]
	switch {
	case !ok:
		return nil, ErrNone
	case o.Name == "":
		return nil, fmt.Errorf("%w: model.name names none", errSettings)
	case o.Key == "" && o.KeyName != "":
		return nil, fmt.Errorf("%w: the environment has no %s", errSettings, o.KeyName)
	}
	server, err := httpjson.New(httpjson.Options{
		Name: k.name, URL: versioned(cmp.Or(o.Endpoint, k.url)), Header: k.header(o.Key), Key: o.Key, KeyName: o.KeyName,
		Timeout: cmp.Or(o.Timeout, defaultTimeout), Retries: o.Retries, Wait: o.Wait, Paid: true,
	})
	if err != nil {
		return nil, err
	}
	return &Client{o: o, c: k, server: server, calls: counter{dir: o.Dir, now: o.Now, limit: o.MaxCalls}}, nil
}

// versioned adds /v1 to an address without a path, where both APIs are.
func versioned(address string) string {
	u, err := url.Parse(address)
	if err == nil && u.Host != "" && strings.Trim(u.Path, "/") == "" {
		return u.JoinPath("v1").String()
	}
	return address
}

// Model names the provider and the model.
func (c *Client) Model() string { return c.c.name + "/" + c.o.Name }

// Close closes idle connections.
func (c *Client) Close() { c.server.Close() }

// Complete asks the model once. system is its role, user the request, maxTokens the limit of the
// answer. The call is counted before it is sent, and stays counted if it fails, because it may have
// been charged. Secrets in the request are masked. Errors wrap ErrBudget, errRefused,
// httpjson.ErrAnswer or *httpjson.StatusError.
func (c *Client) Complete(ctx context.Context, system, user string, maxTokens int) (Answer, error) {
	if maxTokens < 1 {
		return Answer{}, fmt.Errorf("ask %s: an answer of %d tokens is none", c.c.name, maxTokens)
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	user, err := full.Mask(user)
	if err != nil {
		return Answer{}, fmt.Errorf("ask %s: %w", c.c.name, err)
	}
	if err := c.calls.take(ctx); err != nil {
		return Answer{}, err
	}
	return c.c.ask(ctx, c, system, user, maxTokens)
}

// Used returns how many of the day's calls are used, and the limit.
func (c *Client) Used(ctx context.Context) (used, limit int, err error) {
	used, err = c.calls.used(ctx)
	return used, c.o.MaxCalls, err
}

// Hint returns what a person can do about an error of this package, or "".
func Hint(err error) string {
	switch {
	case errors.Is(err, ErrNone):
		return "Set model.provider and model.name in your own configuration."
	case errors.Is(err, errSettings):
		return "Set model.name in your own configuration, and the key in the environment."
	case errors.Is(err, ErrBudget):
		return "It begins again at midnight UTC; model.max_calls_per_day is the limit."
	}
	return httpjson.Hint(err)
}
