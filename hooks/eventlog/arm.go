package eventlog

import (
	"fmt"
	"os"
	"path/filepath"
)

// armPath is the file that marks a session whose arm is not the full one.
func armPath(stateDir, session string) string {
	return filepath.Join(folder(stateDir), SafeName(session)+".arm")
}

// NoteArm marks a session as one that is told less, for its later events.
func NoteArm(stateDir, session string) error {
	path := armPath(stateDir, session)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("mark a session: %w", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return fmt.Errorf("mark a session: %w", err)
	}
	return nil
}

// InArm reports whether a session was marked by NoteArm.
func InArm(stateDir, session string) bool {
	_, err := os.Lstat(armPath(stateDir, session))
	return err == nil
}
