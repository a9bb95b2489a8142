package store

import (
	"context"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"manicule/indexer/sqlfile"
)

// withReadFaults runs f on a thread on which no byte of a file from an offset on can be read, as on a disk that fails.
func withReadFaults(t *testing.T, from uint32, f func() error) error {
	t.Helper()
	const offset = 16 + 3*8 // where struct seccomp_data has the fourth argument, low word first
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_PREAD64, Jf: 2},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset},
		{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: from, Jt: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EIO)},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	set, done := make(chan error, 1), make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its filter
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err == nil {
			err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
		}
		if set <- err; err == nil {
			done <- f()
		}
	}()
	if err := <-set; err != nil {
		t.Skip("no filter can be set: ", err)
	}
	return <-done
}

// TestReadFaultIsNoDamage: what a disk can't give now is refused, and there again when it can.
func TestReadFaultIsNoDamage(t *testing.T) {
	ctx := context.Background()
	s := newStateFile(t.TempDir()+"/state.db", time.Now)
	count := func() (n int, err error) {
		err = s.use(ctx, func(db *sqlfile.DB) error {
			return db.QueryRowContext(ctx, "SELECT count(*) FROM kept_of_test").Scan(&n)
		})
		return n, err
	}
	if err := s.backup(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.use(ctx, func(db *sqlfile.DB) error {
		_, err := db.ExecContext(ctx, "CREATE TABLE kept_of_test AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 2000) SELECT i, 'what nobody wants to lose' AS text FROM n")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.backup(ctx); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := withReadFaults(t, 8192, func() error {
			_, err := count()
			return err
		})
		if err == nil || sqlfile.IsCorrupt(err) {
			t.Errorf("got %v, want a fault of reading", err)
		}
	}
	if d := s.damaged(); len(d) > 0 {
		t.Errorf("it was set aside: %v", d)
	}
	if n, err := count(); err != nil || n != 2000 {
		t.Errorf("%d rows are there, %v", n, err)
	}
}
