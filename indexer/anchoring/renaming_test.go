package anchoring_test

import (
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
)

// connection is a class whose type and variable are called alike.
const connection = `class Transport {
  private final FramedConnection framedConnection;
  private int count;

  Transport(FramedConnection framedConnection) {
    this.framedConnection = framedConnection;
  }

  void write(Request request) throws IOException {
    FramedConnection current = framedConnection.current(request);
    if (framedConnection.isShutdown()) {
      throw new IOException("shut down");
    }
    count++;
    framedConnection.flush(current);
  }
}
`

// TestRenamedAndRetyped has a type and the variables named after it renamed at once.
func TestRenamedAndRetyped(t *testing.T) {
	is := strings.NewReplacer("FramedConnection", "Http2Link", "framedConnection", "http2Link").Replace(connection)
	w := &anchoring.World{
		Old: func(string) *anchoring.Source { return anchoring.TextSource("T.java", "java", "1", []byte(connection)) },
		New: func(string) *anchoring.Source { return anchoring.TextSource("T.java", "java", "2", []byte(is)) },
	}
	field := w.Resolve(anchor.Anchor{Kind: anchor.KindSymbol, Path: "T.java", Language: "java", Symbol: "Transport.framedConnection", Blob: "1"})
	if field.State != anchor.Followed || field.Symbol != "Transport.http2Link" {
		t.Errorf("the field: %+v", field)
	}
	line := anchor.Anchor{Kind: anchor.KindLines, Path: "T.java", Language: "java", Lines: &anchor.LineRange{Start: 10, End: 10}, Focus: "current", Blob: "1"}
	if r := w.Resolve(line); r.State != anchor.Drifted || r.Line != 10 || r.Focus != "current" {
		t.Errorf("the variable: %+v", r)
	}
}

// TestTypeAndNameChanged has a field of another type and another name, which its uses show.
func TestTypeAndNameChanged(t *testing.T) {
	is := strings.NewReplacer("private int count;", "private long written;", "count++", "written++").Replace(connection)
	more := "\n  int seen() { return count + count; }\n}\n"
	was := strings.TrimSuffix(connection, "}\n") + more
	is = strings.TrimSuffix(is, "}\n") + strings.ReplaceAll(more, "count", "written")
	w := &anchoring.World{
		Old: func(string) *anchoring.Source { return anchoring.TextSource("T.java", "java", "1", []byte(was)) },
		New: func(string) *anchoring.Source { return anchoring.TextSource("T.java", "java", "2", []byte(is)) },
	}
	r := w.Resolve(anchor.Anchor{Kind: anchor.KindSymbol, Path: "T.java", Language: "java", Symbol: "Transport.count", Blob: "1"})
	if r.State != anchor.Followed || r.Symbol != "Transport.written" {
		t.Errorf("%+v", r)
	}
}

// TestWrappedCall has the calls of a renamed method wrapped in another new one, so that its name gave way
// to that one's: the method is where its code is.
func TestWrappedCall(t *testing.T) {
	was := `abstract class Bloc<Event, State> {
  Stream<State> transform(
    Stream<Event> events,
    Stream<State> next(Event event),
  ) {
    return events.asyncExpand(next);
  }

  Stream<State> mapEventToState(Event event);

  void bind() {
    transform(events, (Event event) {
      current = event;
      return mapEventToState(current);
    }).forEach((State next) => add(next));
  }
}
`
	is := strings.NewReplacer("State> transform(", "State> transformEvents(", "    transform(", "    transformStates(transformEvents(", "})", "}))",
		"  void bind", "  Stream<State> transformStates(Stream<State> states) => states;\n\n  void bind").Replace(was)
	w := &anchoring.World{
		Old: func(string) *anchoring.Source { return anchoring.TextSource("a.dart", "dart", "1", []byte(was)) },
		New: func(string) *anchoring.Source { return anchoring.TextSource("a.dart", "dart", "2", []byte(is)) },
	}
	r := w.Resolve(anchor.Anchor{Kind: anchor.KindSymbol, Path: "a.dart", Language: "dart", Symbol: "Bloc.transform", Blob: "1"})
	if r.State != anchor.Followed || r.Symbol != "Bloc.transformEvents" {
		t.Errorf("%+v", r)
	}
}
