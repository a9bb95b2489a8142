package provider

import (
	"context"

	"manicule/memory/embed/remote"
)

// Offer is a server that this machine seems to have the means for. Nothing is asked over the network to find out, and none is
// used before the person's own settings name it.
type Offer struct {
	Provider string `json:"provider"` // the value for embedding.provider
	Found    string `json:"found"`    // what was seen
	Model    string `json:"model"`    // the one that it would use
	Leaves   bool   `json:"leaves"`   // texts would leave the machine
}

// Offers looks for servers that could make the vectors: an Ollama program or address, and a key for OpenAI. has reports whether
// a program can be run.
func Offers(ctx context.Context, getenv func(string) string, has func(program string) bool) (out []Offer) {
	found := ""
	if getenv("OLLAMA_HOST") != "" {
		found = "OLLAMA_HOST is set"
	} else if has("ollama") {
		found = "the program ollama is there"
	}
	if found != "" {
		out = append(out, Offer{Provider: Ollama, Found: found, Model: remote.OllamaModel(memory(ctx))})
	}
	if getenv("OPENAI_API_KEY") != "" {
		out = append(out, Offer{Provider: OpenAI, Found: "OPENAI_API_KEY is set", Model: openAIModel, Leaves: true})
	}
	return out
}
