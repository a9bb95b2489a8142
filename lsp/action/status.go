package action

import (
	"context"

	"manicule/lsp/feature"
)

const cmdStatus = feature.StatusCommand

// statusFolder is a folder in the answer of manicule.status.
type statusFolder struct {
	Dir      string `json:"dir"`
	Root     string `json:"root,omitempty"`
	Memories int    `json:"memories"`
	Problems int    `json:"problems"`
	Error    string `json:"error,omitempty"`
}

func status(ctx context.Context, c *call) (any, error) {
	answer := struct {
		Version    string         `json:"version"`
		Encoding   string         `json:"encoding"`
		TrustLevel int            `json:"trustLevel,omitzero"`
		Folders    []statusFolder `json:"folders"`
	}{c.env.Version, string(c.snap.Encoding.Kind()), c.env.Folders.TrustLevel(ctx), []statusFolder{}}
	for _, f := range c.env.Folders.List(ctx) {
		st := statusFolder{Dir: f.Dir, Root: f.Root}
		if f.Err != nil {
			st.Error = f.Err.Error()
		} else {
			v := f.Memories.View()
			st.Memories, st.Problems = len(v.Live()), len(v.Problems())
		}
		answer.Folders = append(answer.Folders, st)
	}
	return answer, nil
}
