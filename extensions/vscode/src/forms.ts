// Forms: documents in a file system of their own, kept in memory. Saving one sends
// its content and closes it; a form that is refused stays open and says why.

import * as vscode from "vscode";

import { refusedLine } from "./words";

/** What a form is: where its documents are, and what saving one does. */
export interface Kind {
  /** The scheme of its documents: SCHEME:/UUID/NAME. */
  readonly scheme: string;
  /** The name of its documents, by which they get their JSON schema. */
  readonly name: string;
  /** What the status bar says while one is open. */
  readonly hint: string;
  /** Sends what a person wrote; rejects with the problem. */
  readonly save: (uuid: string, text: string) => Promise<void>;
}

/** The documents of one kind of form. */
export class Forms implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  private readonly texts = new Map<string, { data: Uint8Array; time: number }>();
  private readonly refusals: vscode.DiagnosticCollection;
  private readonly subscriptions: vscode.Disposable;
  private hint: vscode.Disposable | undefined;
  /** Documents that the editor is about to save by itself. */
  private readonly automatic = new Set<string>();

  constructor(private readonly kind: Kind) {
    this.refusals = vscode.languages.createDiagnosticCollection(kind.scheme);
    const ours = (uri: vscode.Uri): boolean => uri.scheme === kind.scheme;
    this.subscriptions = vscode.Disposable.from(
      vscode.workspace.registerFileSystemProvider(kind.scheme, this, { isCaseSensitive: true }),
      vscode.workspace.onWillSaveTextDocument(({ document, reason }) => {
        if (reason === vscode.TextDocumentSaveReason.Manual) this.automatic.delete(document.uri.toString());
        else if (ours(document.uri)) this.automatic.add(document.uri.toString());
      }),
      // A saved form was accepted and is done.
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (ours(uri)) void closeTab(uri);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (ours(document.uri) && contentChanges.length > 0) this.refusals.delete(document.uri);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (ours(uri)) this.refusals.delete(uri);
      }),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.refusals.dispose();
    this.changed.dispose();
    this.hint?.dispose();
  }

  /** Whether a form is open with unsaved text. */
  isDirty(uuid: string): boolean {
    const uri = this.uri(uuid).toString();
    return vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri && document.isDirty);
  }

  /** Opens a form with a text, or as it is where a person has written in it; the cursor goes to an offset of the text. */
  async open(uuid: string, text: string, cursor = 0): Promise<void> {
    const uri = this.uri(uuid);
    const dirty = this.isDirty(uuid);
    if (!dirty) {
      this.texts.set(uri.path, { data: new TextEncoder().encode(text), time: Date.now() });
      this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    }
    const editor = await vscode.window.showTextDocument(uri, { preview: false });
    if (!dirty && cursor > 0) {
      const at = editor.document.positionAt(cursor);
      editor.selection = new vscode.Selection(at, at);
    }
    this.hint?.dispose();
    this.hint = vscode.window.setStatusBarMessage(this.kind.hint, 10_000);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { data, time } = this.file(uri);
    return { type: vscode.FileType.File, ctime: time, mtime: time, size: data.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.file(uri).data;
  }

  async writeFile(uri: vscode.Uri, data: Uint8Array): Promise<void> {
    // An unfinished text is not an answer. The editor tries to save it once.
    if (this.automatic.delete(uri.toString())) throw vscode.FileSystemError.Unavailable("this form is sent when you save it yourself, not by autosave");
    const [, uuid = ""] = uri.path.split("/");
    const text = new TextDecoder().decode(data);
    try {
      await this.kind.save(uuid, text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.refuse(uri, text, reason);
      throw vscode.FileSystemError.Unavailable(reason);
    }
    this.refusals.delete(uri);
    this.hint?.dispose();
    this.texts.set(uri.path, { data, time: Date.now() });
    this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  private uri(uuid: string): vscode.Uri {
    return vscode.Uri.from({ scheme: this.kind.scheme, path: `/${uuid}/${this.kind.name}` });
  }

  // The message about a failed save disappears; this stays until the next edit.
  private refuse(uri: vscode.Uri, text: string, reason: string): void {
    const line = refusedLine(text, reason);
    const range = new vscode.Range(line, 0, line, text.split("\n")[line]?.length ?? 0);
    const refusal = new vscode.Diagnostic(range, `Not stored: ${reason}`, vscode.DiagnosticSeverity.Error);
    refusal.source = "manicule";
    this.refusals.set(uri, [refusal]);
  }

  private file(uri: vscode.Uri): { data: Uint8Array; time: number } {
    const file = this.texts.get(uri.path);
    if (!file) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}

async function closeTab(uri: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const ours = tabs.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
  await vscode.window.tabGroups.close(ours);
}
