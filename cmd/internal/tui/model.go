package tui

import (
	"context"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// mode is what the keys mean.
type mode int

const (
	listing   mode = iota
	filtering      // keys are text of the filter
	reading        // a page has the screen
	choosing       // the versions of a memory have the screen, and a key keeps one
	asking         // yes or no, before a release
	helping
)

// Model is the state of the interface.
type Model struct {
	ctx     context.Context
	source  Source
	options Options
	turn    *sync.Mutex // one call of the source at a time

	width, height int
	mode          mode
	review        bool // only what waits
	all, shown    []Item
	loaded, busy  bool
	cursor, top   int
	filter        string

	preview  string // of the item previewOf
	previews string // uuid
	page     string // when reading or choosing
	pageOf   Page
	scroll   int // of the page, or of the preview
	status   string
	said     string // by an act, shown with the list that it led to
	failed   bool
	gone     []Item // forgotten here, the last one last
	decided  bool   // the item under the cursor was, and the next one is to be decided about
	unheard  bool   // keys were pressed while an act ran
	outdated bool   // the list is to be read again once the next item's preview is there
}

// New returns the model before anything is loaded.
func New(ctx context.Context, s Source, o Options) Model {
	return Model{ctx: ctx, source: s, options: o, turn: &sync.Mutex{}, review: o.Review}
}

// Init loads the list.
func (m Model) Init() tea.Cmd { return m.load(false) }

type (
	loadedMsg struct {
		items  []Item
		err    error
		behind bool // while the person went on
	}
	textMsg struct {
		uuid string
		page Page
		text string
		err  error
	}
	doneMsg struct {
		request Request
		said    string
		err     error
	}
)

func (m Model) load(behind bool) tea.Cmd {
	return func() tea.Msg {
		m.turn.Lock()
		defer m.turn.Unlock()
		items, err := m.source.Items(m.ctx)
		return loadedMsg{items, err, behind}
	}
}

func (m Model) text(item Item, page Page) tea.Cmd {
	return func() tea.Msg {
		m.turn.Lock()
		defer m.turn.Unlock()
		text, err := m.source.Text(m.ctx, item, page)
		return textMsg{item.UUID, page, text, err}
	}
}

// do runs an act. An editor gets the terminal while it runs.
func (m Model) do(r Request) (Model, tea.Cmd) {
	m.busy, m.status, m.failed, m.unheard = true, "", false, false
	var said string
	run := func() (err error) {
		m.turn.Lock()
		defer m.turn.Unlock()
		said, err = m.source.Do(m.ctx, r)
		return err
	}
	if r.Act == Edit || r.Act == Open {
		return m, tea.Exec(&lent{run}, func(err error) tea.Msg { return doneMsg{r, said, err} })
	}
	return m, func() tea.Msg {
		err := run()
		return doneMsg{r, said, err}
	}
}

// lent is a function that has the terminal while it runs. It takes the standard streams itself.
type lent struct{ run func() error }

func (l *lent) Run() error        { return l.run() }
func (*lent) SetStdin(io.Reader)  {}
func (*lent) SetStdout(io.Writer) {}
func (*lent) SetStderr(io.Writer) {}

// current is the item under the cursor.
func (m Model) current() (Item, bool) {
	if m.cursor < 0 || m.cursor >= len(m.shown) {
		return Item{}, false
	}
	return m.shown[m.cursor], true
}

// Update changes the state after a message.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m.moved(0), nil
	case loadedMsg:
		m.busy = m.busy && msg.behind // by an act that began meanwhile
		if msg.err != nil {
			return m.fail(msg.err), nil
		}
		at, had := m.current()
		m.all, m.loaded = msg.items, true
		if m.said != "" {
			m.status, m.failed, m.said = m.said, false, ""
		}
		shown, scroll := m.preview, m.scroll
		m.previews = "" // it may have changed
		m, cmd := m.filtered(false)
		m.decided = false
		if now, ok := m.current(); ok && had && now.UUID == at.UUID {
			m.scroll = scroll
		}
		if now, ok := m.current(); ok && had && reflect.DeepEqual(now, at) {
			m.preview = shown // until it is read again
		}
		if now, ok := m.current(); had && (!ok || now.UUID != at.UUID) && (m.mode == reading || m.mode == choosing || m.mode == asking) {
			m.mode, m.scroll = listing, 0 // the page is of an item that is gone
		}
		return m, cmd
	case textMsg:
		if m = m.received(msg); m.outdated {
			m.outdated = false
			return m, m.load(true)
		}
		return m, nil
	case doneMsg:
		return m.done(msg)
	case tea.PasteMsg:
		if m.mode == filtering {
			m.filter += printable(inOneLine.Replace(strings.TrimRight(msg.Content, "\r\n")))
			return m.filtered(true)
		}
	case tea.KeyPressMsg:
		return m.key(msg)
	}
	return m, nil
}

func (m Model) fail(err error) Model {
	m.failed, m.status = true, err.Error()
	if m.options.Explain != nil {
		m.status = m.options.Explain(err)
	}
	return m
}

// read begins to show a page.
func (m Model) read(item Item, page Page, as mode) (Model, tea.Cmd) {
	m.mode, m.page, m.pageOf, m.scroll, m.status = as, "", page, 0, ""
	return m, m.text(item, page)
}

// seen reports whether the preview shows all that agents would be told.
func (m Model) seen(item Item) bool {
	l := m.layout()
	return m.preview != "" && !item.Hidden && len(wrap(item.Told, l.paneWidth-labelWidth))+2 <= l.paneRows
}

// received takes a text, unless the person went on meanwhile.
func (m Model) received(msg textMsg) Model {
	if item, ok := m.current(); !ok || item.UUID != msg.uuid {
		return m
	}
	if msg.err != nil {
		m.preview = ""
		if m.mode == reading || m.mode == choosing {
			m.mode = listing
		}
		return m.fail(msg.err)
	}
	switch {
	case msg.page == Preview:
		m.preview = msg.text
	case msg.page == m.pageOf && (m.mode == reading || m.mode == choosing):
		m.page = msg.text
	}
	return m
}

func (m Model) done(msg doneMsg) (Model, tea.Cmd) {
	m.busy = false
	if msg.err != nil {
		m = m.fail(msg.err)
		// An act that failed may have found the list out of date.
		m.busy = true
		return m, m.load(false)
	}
	if m.said = msg.said; m.unheard {
		m.said = "keys pressed meanwhile were not heard · " + m.said
	}
	switch msg.request.Act {
	case Forget:
		m.gone = append(m.gone, msg.request.Item)
		return m.goOn(msg.request.Item)
	case Accept, Reject:
		return m.goOn(msg.request.Item)
	case Restore:
		if n := len(m.gone); n > 0 {
			m.gone = m.gone[:n-1]
		}
	case Release, Resolve:
		m.decided = true
	case Open, Edit, Confirm:
	}
	m.busy = true // until the list is that of now
	return m, m.load(false)
}

// goOn goes on to the next item at once: to read the list again takes a while where there are many.
func (m Model) goOn(from Item) (Model, tea.Cmd) {
	m.all = slices.DeleteFunc(slices.Clone(m.all), func(i Item) bool { return i.UUID == from.UUID })
	m.status, m.said, m.failed, m.previews = m.said, "", false, ""
	m, cmd := m.filtered(false)
	if cmd == nil { // it was the last one
		return m, m.load(true)
	}
	m.outdated = true
	return m, cmd
}

// filtered selects what the list shows. The cursor stays on its item, or begins at the top for
// a new filter.
func (m Model) filtered(anew bool) (Model, tea.Cmd) {
	at, had := m.current()
	items := m.all
	if m.review {
		items = nil
		for _, i := range m.all {
			if i.waits() {
				items = append(items, i)
			}
		}
	}
	m.shown = match(items, m.filter)
	if anew {
		m.cursor, m.top = 0, 0
	} else if had && !m.decided { // else the cursor stays where the next one is
		for i, item := range m.shown {
			if item.UUID == at.UUID {
				m.cursor = i
				break
			}
		}
	}
	return m.at(0)
}

// at moves the cursor by some lines and asks for the preview of what it is on.
func (m Model) at(by int) (Model, tea.Cmd) {
	m = m.moved(by)
	item, ok := m.current()
	if !ok {
		m.preview, m.previews = "", ""
		return m, nil
	}
	if m.previews == item.UUID {
		return m, nil
	}
	m.previews, m.preview, m.scroll = item.UUID, "", 0
	return m, m.text(item, Preview)
}

func (m Model) moved(by int) Model {
	m.cursor = max(0, min(m.cursor+by, len(m.shown)-1))
	rows := m.layout().rows
	m.top = max(0, min(m.top, m.cursor, len(m.shown)-rows))
	if m.cursor >= m.top+rows {
		m.top = m.cursor - rows + 1
	}
	return m
}

// inOneLine makes one line of several: words at the ends of lines stay words.
var inOneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

// printable drops what is no text from what was typed or pasted.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
