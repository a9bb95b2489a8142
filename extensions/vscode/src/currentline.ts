// The memory of the line that the cursor is in, at its end: what it says, who wrote it and when.

import * as vscode from "vscode";

import { section } from "./config";
import type { Store } from "./store";
import { lineText } from "./words";

/** Draws behind the cursor's line; off unless manicule.currentLine.enabled is on, since lens and hover say the same. */
export class CurrentLine implements vscode.Disposable {
  private readonly look = vscode.window.createTextEditorDecorationType({
    after: { margin: "0 0 0 3em", color: new vscode.ThemeColor("editorCodeLens.foreground"), fontStyle: "italic" },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
  });
  private readonly subscriptions: vscode.Disposable;
  private drawn: vscode.TextEditor | undefined;

  constructor(private readonly store: Store) {
    const draw = (): void => {
      this.draw(vscode.window.activeTextEditor);
    };
    this.subscriptions = vscode.Disposable.from(
      this.look,
      store.onDidChange(draw),
      store.onDidLook(draw),
      vscode.window.onDidChangeActiveTextEditor(draw),
      vscode.window.onDidChangeTextEditorSelection(draw),
    );
    draw();
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  /** Draws in an editor, and nowhere else. */
  draw(editor: vscode.TextEditor | undefined): void {
    if (this.drawn !== editor) this.drawn?.setDecorations(this.look, []);
    this.drawn = editor;
    if (!editor) return;
    const text = vscode.workspace.getConfiguration(section).get<boolean>("currentLine.enabled", false) ? this.textAt(editor) : "";
    const end = editor.document.lineAt(editor.selection.active.line).range.end;
    editor.setDecorations(this.look, text === "" ? [] : [{ range: new vscode.Range(end, end), renderOptions: { after: { contentText: text } } }]);
  }

  private textAt(editor: vscode.TextEditor): string {
    const line = editor.selection.active.line;
    const here = this.store.at(editor.document.uri.toString()).filter(({ location }) => location?.range.start.line === line);
    return lineText(here, Date.now());
  }
}
