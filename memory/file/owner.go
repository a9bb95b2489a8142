package file

// The kinds of owners.
const (
	OwnedByAgent   = "agent"
	OwnedByMission = "mission"
)

// HiddenFrom reports whether a memory belongs to another agent than the one that asks. People, who
// ask as "", see all.
func (m *Memory) HiddenFrom(agent string) bool {
	owner := m.OwnedBy()
	return agent != "" && owner != "" && owner != agent
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
