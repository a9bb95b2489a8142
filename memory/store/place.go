package store

import (
	"time"

	"manicule/indexer/anchor"
)

// Place is where an anchor was when it was last looked for. Lines are 1-based.
type Place struct {
	Key        string             `json:"key"` // of the anchor's record
	State      anchor.State       `json:"state"`
	Reason     string             `json:"reason,omitzero"`
	Path       string             `json:"path"`
	Symbol     string             `json:"symbol,omitzero"`
	Ordinal    int                `json:"ordinal,omitzero"`
	Line       int                `json:"line,omitzero"`
	EndLine    int                `json:"end_line,omitzero"`
	Confidence float64            `json:"confidence"`
	Rung       anchor.Rung        `json:"rung,omitzero"`
	Suggestion *anchor.Suggestion `json:"suggestion,omitzero"`
	Since      time.Time          `json:"since"` // it is in this state
}
