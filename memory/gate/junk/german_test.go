package junk

import "testing"

// TestGerman: a German line that says something is no heading, whatever English makes of its words, and a name stays one.
func TestGerman(t *testing.T) {
	for line, says := range map[string]bool{
		"Die Sitzung endet nach dreißig Minuten":          true,
		"Tabellen werden nach Namen gesperrt":             true,
		"Der Pool muss vor dem Server geschlossen werden": true,
		"Preise sind immer in Cent":                       true,
		"Migrationen nie von Hand ändern":                 true,
		"Zeitstempel kommen in UTC":                       true,
		"Keine Netzaufrufe in Tests":                      true,
		"Fehler beim Lesen werfen keine Ausnahme":         true,
		"Übersicht über den Code":                         false,
		"Wichtige Befehle":                                false,
		"Installation und Einrichtung":                    false,
		"Umgang mit Fehlern":                              false,
		"Architektur und Aufbau":                          false,
		"Overview of the code":                            false,
		"Die casting and war stories":                     false,
		"Gilt edges":                                      false,
		"von Neumann architecture: the important part":    false,
		"Jürgen's deployment checklist":                   false,
		"Smörgåsbord of test utilities and the default":   false,
	} {
		kind, found := Doubt(line)
		if _, p := Likely(line); says && (found || p > 0) {
			t.Errorf("%q is taken for %s, %.2f", line, kind, p)
		}
		if !says && saysInGerman(line) {
			t.Errorf("%q is taken for a statement", line)
		}
	}
	for _, line := range []string{"Übersicht über den Code", "Wichtige Befehle", "Umgang mit Fehlern"} {
		if _, found := Doubt(line); !found {
			t.Errorf("%q is taken for a statement", line)
		}
	}
}
