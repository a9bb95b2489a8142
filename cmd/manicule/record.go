package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/gate"
	"manicule/memory/record"
	"manicule/memory/records"
	"manicule/memory/services"
)

// recordCommand is `manicule record` with its subcommands.
type recordCommand struct {
	*cli
	agent, kind string
	tags        []string
}

func newRecordCommand(shared *cli) *cobra.Command {
	rc := &recordCommand{cli: shared}
	c := &cobra.Command{
		Use:   "record",
		Short: "What agents keep beside memories: identity, conversations, touchstones",
		Long: "Records are what agents keep beside memories. An identity slot says what an agent is here (its profile, persona,\n" +
			"tool policy, preferences), and is told to its sessions at their start; a conversation has a topic and entries\n" +
			"that are only ever added; a touchstone is something that matters. Every change is a version, the earlier ones are\n" +
			"kept. They stay on this machine; `manicule purge --personal` deletes them.",
		Example: "  manicule record put identity tool-policy '{\"network\": \"ask first\"}' --agent claude-code\n" +
			"  manicule record put conversation 'Which queue?' --tag queue\n  manicule record append 1f2e3d4c 'Redis loses jobs' --type observation\n" +
			"  manicule record show 1f2e3d4c",
		Args: noCommand,
		RunE: onlyBelow(shared),
	}
	c.AddCommand(rc.newPut(), rc.newAppend(), rc.newList(), rc.newShow())
	return c
}

func (rc *recordCommand) newPut() *cobra.Command {
	c := &cobra.Command{
		Use:   "put KIND NAME [CONTENT]",
		Short: "Keep an identity slot, a conversation or a touchstone, or its next version",
		Long:  "Keep a record. KIND is identity, conversation or touchstone; NAME is the slot, the topic or the fact; CONTENT is a\nJSON object or text. An identity slot or a conversation of the same name gets a version.",
		Args:  cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			return rc.with(cmd.Context(), func(w *services.Workspace) error {
				r := record.Record{Kind: record.Kind(args[0]), Name: args[1], Agent: rc.agent, Type: rc.kind, Tags: rc.tags, Content: record.Content(strings.Join(args[2:], ""))}
				byAgent := rc.asAgent(cmd, w, &r)
				now, err := records.Of(w.Workspace).Put(cmd.Context(), r, byAgent)
				return rc.report(now, err)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&rc.agent, "agent", "", "whose it is, by the names that init --agent takes; everybody's if not given")
	f.StringSliceVar(&rc.tags, "tag", nil, "a word by which it can be found")
	f.StringVar(&rc.kind, "type", "", "the type of a touchstone, in your words")
	return c
}

func (rc *recordCommand) newAppend() *cobra.Command {
	c := &cobra.Command{
		Use:   "append ID TEXT",
		Short: "Append an entry to a conversation",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return rc.with(cmd.Context(), func(w *services.Workspace) error {
				r := record.Record{Type: rc.kind, Content: record.Content(args[1])}
				byAgent := rc.asAgent(cmd, w, &r)
				now, err := records.Of(w.Workspace).Append(cmd.Context(), args[0], r, byAgent)
				return rc.report(now, err)
			})
		},
	}
	c.Flags().StringVar(&rc.kind, "type", "", "message (if not given), observation, decision or question")
	return c
}

// asAgent names the agent that runs the command as the author, and reports whether there is one.
func (rc *recordCommand) asAgent(cmd *cobra.Command, w *services.Workspace, r *record.Record) bool {
	var as memory.Draft
	rc.draftForAgent(cmd.Context(), w, &as)
	if as.Agent {
		r.Author, r.Tainted = as.Tool, as.Tainted
	}
	return as.Agent
}

func (rc *recordCommand) newList() *cobra.Command {
	c := &cobra.Command{
		Use:   "list [KIND]",
		Short: "List the records",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return rc.with(cmd.Context(), func(w *services.Workspace) error {
				out := recordsJSON{Records: []recordJSON{}}
				kinds := record.Kinds()
				if len(args) == 1 {
					kinds = []record.Kind{record.Kind(args[0])}
				}
				for _, k := range kinds {
					rows, err := rc.rows(cmd, w, k)
					if err != nil {
						return err
					}
					out.Records = append(out.Records, rows...)
				}
				if rc.json {
					rc.printJSON("records", out)
					return nil
				}
				for i := range out.Records {
					rc.line(&out.Records[i])
				}
				if len(out.Records) == 0 {
					rc.printf("no records; `manicule record put KIND NAME` keeps one\n")
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&rc.agent, "agent", "", "only those of an agent, and everybody's")
	c.Flags().StringSliceVar(&rc.tags, "tag", nil, "only those with all of these tags")
	return c
}

// rows lists the records of a kind; an agent is not shown what may come from outside.
func (rc *recordCommand) rows(cmd *cobra.Command, w *services.Workspace, k record.Kind) (out []recordJSON, err error) {
	byAgent := rc.caller().ID != ""
	add := func(r record.Record) *recordJSON {
		if byAgent && r.Tainted || rc.agent != "" && r.Agent != "" && r.Agent != rc.agent || !hasTags(r.Tags, rc.tags) {
			return nil
		}
		out = append(out, recordOf(r))
		return &out[len(out)-1]
	}
	if k == record.Conversation {
		talks, err := w.State().Records().Talks(cmd.Context())
		for _, t := range talks {
			if row := add(t.Record); row != nil {
				row.Entries, row.LastActive = &t.Entries, t.LastActive.Format(time.RFC3339)
			}
		}
		return out, err
	}
	list, err := w.State().Records().Latest(cmd.Context(), k, "*")
	for _, r := range list {
		add(r)
	}
	return out, err
}

func hasTags(tags, want []string) bool {
	for _, tag := range want {
		found := false
		for _, t := range tags {
			found = found || strings.EqualFold(t, tag)
		}
		if !found {
			return false
		}
	}
	return true
}

func (rc *recordCommand) newShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show a record with its versions, and the entries of a conversation",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return rc.with(cmd.Context(), func(w *services.Workspace) error {
				versions, err := records.Of(w.Workspace).Get(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				if rc.caller().ID != "" && versions[0].Tainted {
					return &memory.UserError{Msg: "the record may come from outside: only a person is shown it", Hint: "Leave it."}
				}
				entries, err := w.State().Records().Entries(cmd.Context(), versions[0].Lineage)
				if err != nil {
					return fmt.Errorf("read the entries: %w", err)
				}
				if rc.json {
					out := recordShowJSON{Record: recordOf(versions[0]), Versions: []recordJSON{}, Entries: []recordJSON{}}
					for _, v := range versions[1:] {
						out.Versions = append(out.Versions, recordOf(v))
					}
					for _, e := range entries {
						out.Entries = append(out.Entries, recordOf(e))
					}
					rc.printJSON("record", out)
					return nil
				}
				head := recordOf(versions[0])
				rc.line(&head)
				if text := versions[0].Text(); text != "" {
					rc.printf("  %s\n", plainLine(text))
				}
				for _, e := range entries {
					rc.printf("  %s %s: %s  %s\n", e.At.Format("2006-01-02 15:04"), plainLine(e.Author), plainLine(e.Text()), rc.paint(faint, e.Type))
				}
				for _, v := range versions[1:] {
					rc.printf("  %s\n", rc.paint(faint, fmt.Sprintf("version %d, %s, by %s: %s", v.Version, v.At.Format("2006-01-02 15:04"), plainLine(v.Author), plainLine(v.Text()))))
				}
				return nil
			})
		},
	}
}

// report prints the result of a write.
func (rc *recordCommand) report(r record.Record, err error) error {
	if x, ok := errors.AsType[*gate.Rejection](err); ok {
		return &codeError{exitRefused, &memory.UserError{Msg: "not kept: " + x.Reason, Hint: x.Hint}}
	}
	if err != nil {
		return err
	}
	row := recordOf(r)
	if rc.json {
		rc.printJSON("record", recordShowJSON{Record: row, Versions: []recordJSON{}, Entries: []recordJSON{}})
		return nil
	}
	rc.printf("☞ kept: ")
	rc.line(&row)
	return nil
}

// line prints a record on a line.
func (rc *recordCommand) line(r *recordJSON) {
	notes := []string{r.Kind}
	if r.Kind == string(record.Entry) {
		notes = []string{r.Type}
	} else if r.Type != "" {
		notes = append(notes, plainLine(r.Type))
	}
	if r.Agent != "" {
		notes = append(notes, "of "+plainLine(r.Agent))
	}
	if r.Entries != nil {
		notes = append(notes, count(*r.Entries, "entry", "entries"))
	}
	if r.Version > 1 {
		notes = append(notes, fmt.Sprintf("version %d", r.Version))
	}
	if len(r.Tags) > 0 {
		notes = append(notes, "#"+plainLine(strings.Join(r.Tags, " #")))
	}
	if r.Tainted {
		notes = append(notes, "may come from outside: no agent is told")
	}
	var text string
	if r.Name == "" {
		x := record.Record{Content: r.Content}
		text = x.Text()
	}
	rc.printf("%s  %s  %s\n", rc.paint(faint, record.ShortLineage(r.ID)), plainLine(cmp.Or(r.Name, text)), rc.paint(faint, strings.Join(notes, ", ")))
}

// recordJSON is a record as it is printed.
type recordJSON struct {
	ID         string         `json:"id"`
	Version    int            `json:"version"`
	Kind       string         `json:"kind"`
	Agent      string         `json:"agent,omitempty"`
	Name       string         `json:"name,omitempty"`
	Parent     string         `json:"parent,omitempty"`
	Type       string         `json:"type,omitempty"`
	Author     string         `json:"author"`
	Tags       []string       `json:"tags,omitempty"`
	Content    jsontext.Value `json:"content"`
	Tainted    bool           `json:"tainted"`
	At         string         `json:"at"`
	Entries    *int           `json:"entries,omitempty"`
	LastActive string         `json:"last_active,omitempty"`
}

type recordsJSON struct {
	Records []recordJSON `json:"records"`
}

type recordShowJSON struct {
	Record   recordJSON   `json:"record"`
	Versions []recordJSON `json:"versions"`
	Entries  []recordJSON `json:"entries"`
}

func recordOf(r record.Record) recordJSON {
	return recordJSON{ID: r.Lineage, Version: r.Version, Kind: string(r.Kind), Agent: r.Agent, Name: r.Name, Parent: r.Parent, Type: r.Type, Author: r.Author,
		Tags: r.Tags, Content: r.Content, Tainted: r.Tainted, At: r.At.UTC().Format(time.RFC3339)}
}
