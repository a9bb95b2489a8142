// The review queue: accept, edit and reject what is proposed. A candidate that
// is edited is a document in a file system of its own; saving it accepts it.

import * as vscode from "vscode";

import type { Server } from "./client";
import { type Candidate, refusalOf } from "./protocol";
import type { Store } from "./store";
import { editable, editsOf, oneLine } from "./words";

/** The scheme of candidates that are edited: manicule-candidate:/UUID/review.candidate.json. */
export const candidateScheme = "manicule-candidate";

/** How much of a memory's text a message shows. */
const shown = 60;

export class Review implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable;
  private readonly files: CandidateFiles;
  private hint: vscode.Disposable | undefined;

  constructor(
    private readonly server: Server,
    private readonly store: Store,
  ) {
    this.files = new CandidateFiles(async (uuid, text) => {
      await this.acceptEdited(uuid, text);
    });
    this.subscriptions = vscode.Disposable.from(
      vscode.workspace.registerFileSystemProvider(candidateScheme, this.files, { isCaseSensitive: true }),
      // What is saved is accepted, and so done with.
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.scheme === candidateScheme) void closeTab(uri);
      }),
    );
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.files.dispose();
  }

  /**
   * Accepts a candidate as it is, and resolves to whether it was accepted. One
   * that may repeat text from outside is asked about first.
   */
  async accept(candidate: Candidate): Promise<boolean> {
    if (candidate.tainted && !(await confirmTainted(candidate))) return false;
    const answer = await this.server.run("manicule.acceptMemory", candidate.uuid);
    const accepted = refusalOf(answer) === "";
    if (accepted) vscode.window.setStatusBarMessage(`☞ Accepted: ${oneLine(candidate.what, shown)}`, 5000);
    await this.store.refresh();
    return accepted;
  }

  /** Opens a candidate as a document; saving it accepts it. */
  async edit(candidate: Candidate): Promise<void> {
    const uri = this.files.put(candidate);
    await vscode.window.showTextDocument(uri, { preview: false });
    this.hint?.dispose();
    this.hint = vscode.window.setStatusBarMessage("☞ Save to accept the memory, close to leave it in the queue", 10_000);
  }

  /** Rejects a candidate, for a reason if a person gives one. */
  async reject(candidate: Candidate): Promise<void> {
    const reason = await vscode.window.showInputBox({
      title: `Reject: ${oneLine(candidate.what, shown)}`,
      prompt: "Why not? Enter alone rejects without a reason, Escape leaves it in the queue.",
    });
    if (reason !== undefined) await this.drop(candidate, reason.trim());
  }

  /** Rejects a candidate without a question. */
  async drop(candidate: Candidate, reason = ""): Promise<boolean> {
    await this.server.run("manicule.rejectMemory", candidate.uuid, ...(reason === "" ? [] : [reason]));
    await this.store.refresh();
    return true;
  }

  private async acceptEdited(uuid: string, text: string): Promise<void> {
    const answer = await this.server.run("manicule.acceptMemory", uuid, editsOf(text));
    const refusal = refusalOf(answer);
    if (refusal !== "") throw new Error(refusal);
    this.hint?.dispose();
    vscode.window.setStatusBarMessage("☞ Accepted as edited", 5000);
    await this.store.refresh();
  }
}

async function confirmTainted(candidate: Candidate): Promise<boolean> {
  const accept = "Accept";
  const choice = await vscode.window.showWarningMessage(
    "This memory may repeat text from outside of the repository.",
    { modal: true, detail: `${candidate.what}\n\n${candidate.why}\n\nAgents will be told it as yours.` },
    accept,
  );
  return choice === accept;
}

/** Candidates as files, kept in memory; a write is what save() makes of it. */
class CandidateFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  private readonly texts = new Map<string, { data: Uint8Array; time: number }>();

  constructor(private readonly save: (uuid: string, text: string) => Promise<void>) {}

  /** Adds a candidate, unless it is there with a person's edits. */
  put(candidate: Candidate): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: candidateScheme, path: `/${candidate.uuid}/review.candidate.json` });
    const open = vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString() && document.isDirty);
    if (!open) {
      this.texts.set(uri.path, { data: new TextEncoder().encode(editable(candidate)), time: Date.now() });
      this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    }
    return uri;
  }

  dispose(): void {
    this.changed.dispose();
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { data, time } = this.file(uri);
    return { type: vscode.FileType.File, ctime: time, mtime: time, size: data.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.file(uri).data;
  }

  async writeFile(uri: vscode.Uri, data: Uint8Array): Promise<void> {
    const [, uuid = ""] = uri.path.split("/");
    try {
      await this.save(uuid, new TextDecoder().decode(data));
    } catch (error) {
      throw vscode.FileSystemError.Unavailable(error instanceof Error ? error.message : String(error));
    }
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
