package repair

import (
	"slices"
	"strings"

	"manicule/indexer/hashing"
	"manicule/indexer/sorting"
	"manicule/memory/file"
)

// sound is a file that is as it shall be, by itself: what has to be known to compare it with the others. A workspace may have a
// hundred thousand of them.
type sound struct {
	rel, id string
	key     [hashing.Size]byte // of [TwinKey]
	names   []string           // the memories that its relations name
}

// census is the memory files of a workspace.
type census struct {
	options Options
	reader  *file.Reader
	sound   []sound
	files   []*found // that may have to be mended, in the order of the folders
}

func keyOf(m *file.Memory) [hashing.Size]byte { return hashing.Sum256([]byte(TwinKey(m))) }

// add reads a file, and keeps as little of it as it can.
func (c *census) add(rel string) error {
	f, err := c.options.read(c.reader, rel)
	if err != nil || f == nil {
		return err
	}
	if f.changed || atHome(f) == 0 {
		c.files = append(c.files, f)
		return nil
	}
	s := sound{rel: rel, id: f.m.UUID, key: keyOf(f.m)}
	for _, r := range f.m.Relations {
		s.names = append(s.names, r.Memory)
	}
	c.sound = append(c.sound, s)
	return nil
}

// recallShared reads those again that share their id or their words with another one.
func (c *census) recallShared() error {
	ids, keys := map[string]int{}, map[[hashing.Size]byte]int{}
	for _, f := range c.files {
		ids[f.m.UUID]++
		keys[keyOf(f.m)]++
	}
	for i := range c.sound {
		ids[c.sound[i].id]++
		keys[c.sound[i].key]++
	}
	return c.recall(func(s sound) bool { return ids[s.id] > 1 || keys[s.key] > 1 })
}

// retarget has the relations of memories name what the others became.
func (c *census) retarget(became map[string]string) error {
	if len(became) == 0 {
		return nil
	}
	if err := c.recall(func(s sound) bool {
		return slices.ContainsFunc(s.names, func(id string) bool { return became[id] != "" && became[id] != s.id })
	}); err != nil {
		return err
	}
	for _, f := range c.files {
		if f.m != nil {
			f.retarget(became)
		}
	}
	return nil
}

// recall moves sound files to those that may have to be mended.
func (c *census) recall(which func(sound) bool) error {
	left := c.sound[:0]
	for _, s := range c.sound {
		if !which(s) {
			left = append(left, s)
			continue
		}
		f, err := c.options.read(c.reader, s.rel)
		if err != nil {
			return err
		}
		if f != nil { // it may have gone meanwhile
			c.files = append(c.files, f)
		}
	}
	c.sound = left
	sorting.StableFunc(c.files, func(a, b *found) int { // as a walk finds them
		return slices.Compare(strings.Split(a.rel, "/"), strings.Split(b.rel, "/"))
	})
	return nil
}
