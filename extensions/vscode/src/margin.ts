// The margin: marks in the overview ruler, a red tint where something was tried and
// failed, and an icon beside each line that memories are about where no lens says so.

import * as vscode from "vscode";

import { showsLenses } from "./config";
import type { Item } from "./items";
import type { Store } from "./store";

type Look = "memory" | "doubtful" | "deadEnd";
type Looks = Readonly<Record<Look, vscode.TextEditorDecorationType>>;

// The last one wins where several share a line.
const order: readonly Look[] = ["memory", "doubtful", "deadEnd"];

/** Draws the margin of all visible editors. */
export class Margin implements vscode.Disposable {
  // With an icon, and without where a lens already says that something is there.
  private readonly icons: Looks;
  private readonly rulers: Looks;
  private readonly subscriptions: vscode.Disposable;

  constructor(
    extension: vscode.Uri,
    private readonly store: Store,
  ) {
    const icon = (name: string): vscode.Uri => vscode.Uri.joinPath(extension, "media", `${name}.svg`);
    const look = (color: string, more?: vscode.DecorationRenderOptions): vscode.TextEditorDecorationType =>
      vscode.window.createTextEditorDecorationType({
        overviewRulerColor: new vscode.ThemeColor(color),
        overviewRulerLane: vscode.OverviewRulerLane.Left,
        // Typing at the end of the line does not move the icon.
        rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
        ...more,
      });
    const looks = (iconOf: (name: string) => vscode.DecorationRenderOptions): Looks => ({
      memory: look("editorOverviewRuler.infoForeground", iconOf("gutter")),
      doubtful: look("editorOverviewRuler.warningForeground", iconOf("gutter-doubtful")),
      deadEnd: look("editorOverviewRuler.errorForeground", {
        ...iconOf("gutter-dead-end"),
        isWholeLine: true,
        backgroundColor: new vscode.ThemeColor("manicule.deadEndBackground"),
      }),
    });
    this.icons = looks((name) => ({ gutterIconPath: icon(name), gutterIconSize: "contain" }));
    this.rulers = looks(() => ({}));
    const redraw = (): void => {
      this.draw();
    };
    this.subscriptions = vscode.Disposable.from(
      ...Object.values(this.icons),
      ...Object.values(this.rulers),
      store.onDidChange(redraw),
      store.onDidLook(redraw),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        this.draw(editors);
      }),
    );
    this.draw();
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  /** Redraws the margin of editors. */
  draw(editors: readonly vscode.TextEditor[] = vscode.window.visibleTextEditors): void {
    const on = vscode.workspace.getConfiguration("manicule").get<boolean>("margin.enabled", true);
    for (const editor of editors) {
      const here = on ? this.store.at(editor.document.uri.toString()) : [];
      const ranges = rangesOf(here, editor.document.lineCount);
      const [shown, hidden] = showsLenses() ? [this.rulers, this.icons] : [this.icons, this.rulers];
      for (const name of order) {
        editor.setDecorations(shown[name], ranges[name]);
        editor.setDecorations(hidden[name], []);
      }
    }
  }
}

// One icon per line: dead ends first, then memories that may be stale, then the rest.
function rangesOf(items: readonly Item[], lineCount: number): Record<Look, vscode.Range[]> {
  const lines = new Map<number, Look>();
  for (const item of items) {
    const line = item.location?.range.start.line;
    if (line === undefined || line >= lineCount) continue;
    const look = lookOf(item);
    const now = lines.get(line);
    if (now === undefined || order.indexOf(look) > order.indexOf(now)) lines.set(line, look);
  }
  const out: Record<Look, vscode.Range[]> = { memory: [], doubtful: [], deadEnd: [] };
  for (const [line, look] of lines) out[look].push(new vscode.Range(line, 0, line, 0));
  return out;
}

function lookOf(item: Item): Look {
  if (item.type === "dead_end") return "deadEnd";
  return item.state === "stale" || item.state === "drifted" || item.state === "orphaned" ? "doubtful" : "memory";
}
