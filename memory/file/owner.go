package file

// The kinds of owners.
const (
	OwnedByAgent   = "agent"
	OwnedByMission = "mission"
	OwnedBySession = "session"
)

// HiddenFrom reports whether a memory belongs to another agent than the one that asks, or to another
// session than the one in which it asks, "" if that is unknown. People, who ask as "", see all.
func (m *Memory) HiddenFrom(agent, session string) bool {
	if agent == "" || m.Owner == nil {
		return false
	}
	switch m.Owner.Kind {
	case OwnedByAgent:
		return m.Owner.ID != "" && m.Owner.ID != agent
	case OwnedBySession:
		return m.Owner.ID != session
	}
	return false
}

// OfSession returns the session that a memory belongs to alone, "" for none.
func (m *Memory) OfSession() string {
	if m.Owner == nil || m.Owner.Kind != OwnedBySession {
		return ""
	}
	return m.Owner.ID
}

// OwnedBy is the id of the agent that a memory belongs to alone, "" for none.
func (m *Memory) OwnedBy() string {
	if m.Owner == nil || m.Owner.Kind != OwnedByAgent {
		return ""
	}
	return m.Owner.ID
}

// Mission returns the mission that a memory belongs to, "" for none.
func (m *Memory) Mission() string {
	if m.Owner == nil || m.Owner.Kind != OwnedByMission {
		return ""
	}
	return m.Owner.ID
}
