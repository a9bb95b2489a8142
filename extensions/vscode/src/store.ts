// The server's lists for the views. Only the store requests them; all views read it.

import * as vscode from "vscode";
import { ErrorCodes, LSPErrorCodes, ResponseError } from "vscode-languageclient/node";

import type { Server } from "./client";
import { Filter } from "./filter";
import {
  type Candidate,
  candidatesOf,
  type Folder,
  foldersOf,
  type Group,
  groupsOf,
  type Item,
  itemsOf,
  type LogEntry,
  logOf,
  requests,
  type Thread,
  threadsOf,
} from "./protocol";

/** How the memories are grouped in the side bar. */
export type Grouping = "file" | "module" | "type" | "state";

/** The codes of requests that the server knows and can't answer. */
const unanswered: ReadonlySet<number> = new Set([ErrorCodes.InternalError, LSPErrorCodes.RequestFailed]);

/** How many entries of the log are requested. */
const logLines = 100;

/** Caches the server's answers and requests them again after manicule/changed. */
export class Store implements vscode.Disposable {
  folders: readonly Folder[] = [];
  groups: readonly Group[] = [];
  /** The memories by file, for the margin, in any grouping of the side bar. */
  byFile: readonly Group[] = [];
  candidates: readonly Candidate[] = [];
  stale: readonly Item[] = [];
  log: readonly LogEntry[] = [];
  threads: readonly Thread[] = [];
  grouping: Grouping = "file";
  private chosen = new Filter();

  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires after new answers. */
  readonly onDidChange = this.changed.event;
  private readonly subscription: vscode.Disposable;
  private asking: Promise<void> | undefined;
  private again = false;
  private shown = "";
  /** Whether the server that runs has said what there is: before that, an empty list says nothing. */
  listed = false;
  /** Why lists can't be read, by their requests: an empty one would say that there is nothing. */
  unread: ReadonlyMap<string, string> = new Map();
  private failed = new Map<string, string>();

  constructor(
    private readonly server: Server,
    private readonly output: vscode.LogOutputChannel,
  ) {
    this.subscription = server.onDidChange(() => {
      void this.refresh();
    });
  }

  /** Which memories the side bar shows. */
  get filter(): Filter {
    return this.chosen;
  }

  set filter(filter: Filter) {
    this.chosen = filter;
    this.changed.fire();
  }

  /** The groups with the memories that the filter lets pass. */
  get filtered(): readonly Group[] {
    return this.chosen.apply(this.groups, Date.now());
  }

  /** Requests everything. Calls during a request lead to one more request after it. */
  refresh(): Promise<void> {
    if (this.asking) {
      this.again = true;
      return this.asking;
    }
    this.asking = this.ask().finally(() => {
      this.asking = undefined;
      if (!this.again) return;
      this.again = false;
      void this.refresh();
    });
    return this.asking;
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  private async ask(): Promise<void> {
    this.failed = new Map();
    const [folders, byFile, groups, candidates, stale, log, threads] = await Promise.all([
      this.answer(requests.overview, {}, foldersOf),
      this.answer(requests.tree, { by: "file" }, groupsOf),
      this.grouping === "file" ? undefined : this.answer(requests.tree, { by: this.grouping }, groupsOf),
      this.answer(requests.candidates, {}, candidatesOf),
      this.answer(requests.stale, {}, itemsOf),
      this.answer(requests.log, { limit: logLines }, logOf),
      this.answer(requests.threads, {}, threadsOf),
    ]);
    this.folders = folders;
    this.byFile = byFile;
    this.groups = groups ?? byFile;
    this.candidates = candidates;
    this.stale = stale;
    this.log = log;
    this.threads = threads;
    // Trees that are rebuilt under the pointer lose clicks, so they are rebuilt only if
    // something changed.
    if (this.listed !== this.server.running) {
      this.listed = this.server.running;
      await vscode.commands.executeCommand("setContext", "manicule.listed", this.listed);
    }
    for (const method of new Set([...this.unread.keys(), ...this.failed.keys()])) {
      await vscode.commands.executeCommand("setContext", `manicule.unread:${method}`, this.failed.has(method));
    }
    this.unread = this.failed;
    const now = JSON.stringify([this.server.running, [...this.unread], this.grouping, folders, byFile, groups, candidates, stale, log, threads]);
    if (now === this.shown) return;
    this.shown = now;
    this.changed.fire();
  }

  // If the server does not know a request, its view is empty. One that stops or is busy answers the next time.
  private async answer<T>(method: string, params: object, read: (answer: unknown) => T[]): Promise<T[]> {
    if (!this.server.running) return [];
    try {
      return read(await this.server.request(method, params));
    } catch (error) {
      this.output.debug(`${method}: ${String(error)}`);
      if (error instanceof ResponseError && unanswered.has(error.code)) this.failed.set(method, error.message.replace(`${method}: `, ""));
      return [];
    }
  }
}
