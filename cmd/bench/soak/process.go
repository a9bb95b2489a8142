package soak

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"manicule/cmd/internal/evalkit"
)

// Sample is the state of a process at one moment.
type Sample struct {
	After time.Duration `json:"after"` // since the start of the process

	CPU     time.Duration `json:"cpu"`     // used so far
	Wakeups int           `json:"wakeups"` // voluntary context switches of its threads, so far
	Threads int           `json:"threads"`
	Files   int           `json:"files"` // open descriptors
	RSS     float64       `json:"rss"`   // resident megabytes
	Own     float64       `json:"own"`   // of them, pages that belong to no file
	PSS     float64       `json:"pss"`   // share after shared pages are divided among their users

	Goroutines int     `json:"goroutines"`
	Live       float64 `json:"live"`   // megabytes of Go's heap in use
	Mapped     float64 `json:"mapped"` // megabytes that Go holds from the system
}

// process is a process under observation.
type process struct {
	name   string
	pid    int
	vitals string // the file to which it writes its vitals on request
	start  time.Time
}

// tick is the unit of time in /proc.
const tick = 10 * time.Millisecond

// vitalsWait bounds the wait for the vitals of a process.
const vitalsWait = 5 * time.Second

// sample reads the state of the process.
func (w *process) sample() (Sample, error) {
	s := Sample{After: time.Since(w.start)}
	dir := filepath.Join("/proc", strconv.Itoa(w.pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return s, fmt.Errorf("look at %s: %w", w.name, err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])) // a name may have spaces
	if len(fields) < 18 {
		return s, fmt.Errorf("look at %s: its stat has %d fields", w.name, len(fields))
	}
	s.CPU = tick * time.Duration(number(fields[11])+number(fields[12]))
	s.Threads = number(fields[17])
	if fds, err := os.ReadDir(filepath.Join(dir, "fd")); err == nil {
		s.Files = len(fds)
	}
	s.RSS, s.Own = evalkit.Megabytes(filepath.Join(dir, "status"), "VmRSS"), evalkit.Megabytes(filepath.Join(dir, "status"), "RssAnon")
	s.PSS = evalkit.Megabytes(filepath.Join(dir, "smaps_rollup"), "Pss")
	threads, err := os.ReadDir(filepath.Join(dir, "task"))
	if err != nil {
		return s, fmt.Errorf("look at the threads of %s: %w", w.name, err)
	}
	for _, t := range threads {
		s.Wakeups += number(evalkit.Field(filepath.Join(dir, "task", t.Name(), "status"), "voluntary_ctxt_switches"))
	}
	return s, w.ask(&s)
}

// ask requests the vitals that only the process itself knows. Answering costs the process
// a little, so idle measurements do not ask.
func (w *process) ask(s *Sample) error {
	if w.vitals == "" {
		return nil
	}
	if err := os.Remove(w.vitals); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("ask %s: %w", w.name, err)
	}
	if err := syscall.Kill(w.pid, syscall.SIGUSR1); err != nil {
		return fmt.Errorf("ask %s: %w", w.name, err)
	}
	var v struct {
		Goroutines             int
		Live, Mapped, Released float64
	}
	for end := time.Now().Add(vitalsWait); ; time.Sleep(2 * time.Millisecond) {
		data, err := os.ReadFile(w.vitals)
		if err == nil && json.Unmarshal(data, &v) == nil {
			break
		}
		if time.Now().After(end) {
			return fmt.Errorf("ask %s: it does not report its vitals", w.name)
		}
	}
	s.Goroutines, s.Live, s.Mapped = v.Goroutines, v.Live/(1<<20), (v.Mapped-v.Released)/(1<<20)
	return nil
}

// profile makes the process write its profiles.
func (w *process) profile() error {
	if w.vitals == "" {
		return nil
	}
	if err := syscall.Kill(w.pid, syscall.SIGUSR2); err != nil {
		return fmt.Errorf("profile %s: %w", w.name, err)
	}
	return nil
}

func number(s string) int {
	n, _ := strconv.Atoi(strings.TrimSpace(s)) // a value that is no number counts as absent
	return n
}

// databases sums the sizes of files below folders in megabytes, by the name up to its
// first dot. Journals are counted separately.
func databases(dirs ...string) map[string]float64 {
	out := map[string]float64{}
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // a file that vanished has no size
			if err != nil || d.IsDir() {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return nil
			}
			name, _, _ := strings.Cut(d.Name(), ".")
			switch {
			case strings.HasSuffix(d.Name(), "-wal"):
				name += "-wal"
			case strings.HasSuffix(d.Name(), "-shm"), strings.HasSuffix(d.Name(), ".lock"):
				return nil
			case strings.HasSuffix(d.Name(), ".jsonl"):
				name = "logs"
			case !strings.Contains(d.Name(), ".db"):
				name = "other"
			}
			out[name] += float64(info.Size()) / (1 << 20)
			return nil
		})
	}
	return out
}
