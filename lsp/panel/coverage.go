package panel

import (
	"context"

	"go.lsp.dev/uri"

	"manicule/lsp/folder"
	"manicule/memory/coverage"
)

// methodCoverage returns what changes in the open folders and has no memory.
const methodCoverage = "manicule/coverage"

// mostBareFiles is how many files of a workspace are told by name: an editor marks them.
const mostBareFiles = 500

// coverageItem is a workspace folder in the answer of manicule/coverage.
type coverageItem struct {
	URI     uri.URI         `json:"uri"`
	Score   int             `json:"score"`
	Changes int             `json:"changes"`
	Covered int             `json:"covered"`
	Folders []coveredFolder `json:"folders"`
	Files   []bareFile      `json:"files"` // without memories, and worth a word
}

// coveredFolder is a folder with the changes of its own files.
type coveredFolder struct {
	URI     uri.URI `json:"uri"`
	Path    string  `json:"path"` // "." for the root
	Score   int     `json:"score"`
	Files   int     `json:"files"`
	Changes int     `json:"changes"`
	Covered int     `json:"covered"`
}

// bareFile is a file that changes much and has no memory.
type bareFile struct {
	URI     uri.URI `json:"uri"`
	Path    string  `json:"path"`
	Changes int     `json:"changes"`
}

func (c *call) coverage(ctx context.Context, p params) (any, error) {
	folders, err := c.foldersIn(ctx, p.Folder)
	if err != nil {
		return nil, err
	}
	answer := struct {
		Folders []coverageItem `json:"folders"` // without those that have no history
	}{[]coverageItem{}}
	for _, f := range folders {
		if f.Coverage == nil {
			continue
		}
		r, ok, err := f.Coverage(ctx)
		if err != nil {
			return nil, err
		}
		if ok {
			answer.Folders = append(answer.Folders, coverageOf(f, r))
		}
	}
	return answer, nil
}

func coverageOf(f *folder.Folder, r coverage.Report) coverageItem {
	out := coverageItem{URI: f.RelURI(""), Score: r.Score(), Changes: r.Changes, Covered: r.Covered, Folders: []coveredFolder{}, Files: []bareFile{}}
	for _, x := range r.Folders {
		out.Folders = append(out.Folders, coveredFolder{f.RelURI(x.Folder), x.Folder, x.Score(), x.Files, x.Changes, x.Covered})
		for _, file := range x.Without {
			if file.Changes >= coverage.LeastChanges && len(out.Files) < mostBareFiles {
				out.Files = append(out.Files, bareFile{f.RelURI(file.Path), file.Path, file.Changes})
			}
		}
	}
	return out
}
