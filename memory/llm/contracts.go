package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"manicule/memory/httpjson"
)

// message is one turn, in both APIs.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// openAI is POST /chat/completions of OpenAI's API, which many servers implement.
func openAI() contract {
	return contract{name: OpenAI, url: "https://api.openai.com/v1", keyName: "OPENAI_API_KEY", header: httpjson.Bearer, ask: askOpenAI}
}

type openAIRequest struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	// MaxTokens is known to all servers. OpenAI's newer models want MaxCompletionTokens, which
	// older servers ignore.
	MaxTokens           int `json:"max_tokens,omitempty"`
	MaxCompletionTokens int `json:"max_completion_tokens,omitempty"`
}

func askOpenAI(ctx context.Context, c *Client, system, user string, maxTokens int) (Answer, error) {
	r := openAIRequest{Model: c.o.Name, Messages: []message{{"system", system}, {"user", user}}, MaxTokens: maxTokens}
	if system == "" {
		r.Messages = r.Messages[1:]
	}
	body, err := c.server.Post(ctx, "chat/completions", r)
	if wantsOther(err) { // refused before any work: free of charge
		r.MaxTokens, r.MaxCompletionTokens = 0, maxTokens
		body, err = c.server.Post(ctx, "chat/completions", r)
	}
	if err != nil {
		return Answer{}, err
	}
	var a struct {
		Choices []struct {
			Message struct {
				Content *string `json:"content"`
				Refusal string  `json:"refusal"`
			} `json:"message"`
			Finish string `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return Answer{}, c.server.Misread(err)
	}
	if len(a.Choices) == 0 {
		return Answer{}, c.server.Misread(errors.New("it has no choices"))
	}
	first := a.Choices[0]
	out := Answer{InputTokens: a.Usage.Prompt, OutputTokens: a.Usage.Completion, Cut: first.Finish == "length"}
	if first.Message.Content != nil {
		out.Text = strings.TrimSpace(*first.Message.Content)
	}
	return c.written(out, first.Message.Refusal != "" || first.Finish == "content_filter")
}

// wantsOther reports whether a server refused the name max_tokens.
func wantsOther(err error) bool {
	s, ok := errors.AsType[*httpjson.StatusError](err)
	return ok && s.Code == http.StatusBadRequest && bytes.Contains(s.Body, []byte("max_completion_tokens"))
}

// anthropicVersion is the version of the API in use.
const anthropicVersion = "2023-06-01"

// anthropic is POST /messages of Anthropic's API.
func anthropic() contract {
	return contract{
		name: Anthropic, url: "https://api.anthropic.com/v1", keyName: "ANTHROPIC_API_KEY", ask: askAnthropic,
		header: func(key string) map[string]string {
			h := map[string]string{"anthropic-version": anthropicVersion}
			if key != "" {
				h["x-api-key"] = key
			}
			return h
		},
	}
}

func askAnthropic(ctx context.Context, c *Client, system, user string, maxTokens int) (Answer, error) {
	body, err := c.server.Post(ctx, "messages", struct {
		Model     string    `json:"model"`
		MaxTokens int       `json:"max_tokens"`
		System    string    `json:"system,omitempty"`
		Messages  []message `json:"messages"`
	}{c.o.Name, maxTokens, system, []message{{"user", user}}})
	if err != nil {
		return Answer{}, err
	}
	var a struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		Stop  string `json:"stop_reason"`
		Usage struct {
			Input   int `json:"input_tokens"`
			Output  int `json:"output_tokens"`
			Created int `json:"cache_creation_input_tokens"`
			Read    int `json:"cache_read_input_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &a); err != nil {
		return Answer{}, c.server.Misread(err)
	}
	var text strings.Builder
	for _, part := range a.Content {
		if part.Type == "text" {
			text.WriteString(part.Text)
		}
	}
	return c.written(Answer{
		Text: strings.TrimSpace(text.String()), InputTokens: a.Usage.Input + a.Usage.Created + a.Usage.Read, OutputTokens: a.Usage.Output,
		Cut: a.Stop == "max_tokens",
	}, a.Stop == "refusal")
}

// written refuses an answer without text. The token counts accompany the error, because the call
// was charged.
func (c *Client) written(a Answer, refused bool) (Answer, error) {
	switch {
	case refused:
		a.Text = ""
		return a, fmt.Errorf("%s: %w", c.Model(), errRefused)
	case a.Text == "" && a.Cut:
		return a, c.server.Misread(fmt.Errorf("the model had no token left for a text after %d", a.OutputTokens))
	case a.Text == "":
		return a, c.server.Misread(errors.New("it has no text"))
	}
	return a, nil
}
