// The server's lists for the views. Only the store requests them; all views read it.

import { setTimeout as delay } from "node:timers/promises";

import * as vscode from "vscode";

import { type Candidate, firstCandidatesOf } from "./candidates";
import type { Server } from "./client";
import { Filter } from "./filter";
import { firstThreadsOf, type LogEntry, logOf, type Thread } from "./handover";
import { firstItemsOf, type Folder, foldersOf, type Group, groupsOf, type Item, type Part } from "./items";
import { cellScheme } from "./places";
import { requests } from "./protocol";
import { groupIds } from "./words";

/** How the memories are grouped in the side bar. */
export type Grouping = "file" | "module" | "type" | "state";

/** The codes of requests that the server knows and can't answer: InternalError of JSON-RPC and RequestFailed of LSP. */
const unanswered: ReadonlySet<unknown> = new Set([-32603, -32803]);

/** The code of a request that the server does not know: MethodNotFound of JSON-RPC. */
const unknownRequest = -32601;

/** How many entries of the log are requested. */
const logLines = 100;

/** With more memories than this in all, those of a group are requested when it is opened. */
const mostInline = 500;

/** How many memories of a group are requested at a time, then. */
export const pageOfGroup = 500;

/** How many candidates, threads and memories to look at are requested: a person decides one after the other. */
const mostWaiting = 300;

/** How long what tells of changes is collected before everything is requested, in milliseconds: the answer to an act and the server's own word of it. */
export const collected = 20;

/** How long that waits for acts to end, in milliseconds: one may ask the person something, or many may follow each other. */
const longest = 1000;

const nothing = { items: [], total: 0 } as const;

/** Caches the server's answers and requests them again after manicule/changed. */
export class Store implements vscode.Disposable {
  folders: readonly Folder[] = [];
  groups: readonly Group[] = [];
  waiting: Part<Candidate> = nothing;
  stale: Part<Item> = nothing;
  log: readonly LogEntry[] = [];
  left: Part<Thread> & { readonly open: number } = { ...nothing, open: 0 };
  grouping: Grouping = "file";
  /** Whether there are so many memories that those of a group are requested when it is opened. */
  later = false;
  private chosen = new Filter();
  /** The filter that the groups here are whole for. */
  private applied = new Filter();
  /** How many memories are wanted of groups that were opened, by the groups' ids. */
  private readonly opened = new Map<string, number>();
  /** The memories of the files that are looked at, by URI. */
  private files: ReadonlyMap<string, readonly Item[]> = new Map();
  /** Which look each of these is of. */
  private lookOf: ReadonlyMap<string, number> = new Map();
  private looks = 0;

  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires after new answers. */
  readonly onDidChange = this.changed.event;
  private readonly subscription: vscode.Disposable;
  private readonly looked = new vscode.EventEmitter<void>();
  /** Fires when other files are looked at, whose memories are here by then. */
  readonly onDidLook = this.looked.event;
  private asking: Promise<unknown> = Promise.resolve();
  /** The request that is to come, and waits for more to be heard of. */
  private coming: Promise<void> | undefined;
  private acts = 0;
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
    this.subscription = vscode.Disposable.from(
      server.onDidChange(() => {
        void this.refresh();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        void this.look();
      }),
    );
  }

  /** Which memories the side bar shows. */
  get filter(): Filter {
    return this.chosen;
  }

  set filter(filter: Filter) {
    this.chosen = filter;
    if (filter.empty || this.groups.every(isWhole)) this.applied = filter;
    this.changed.fire();
    void this.refresh(); // it passes over memories that may not be here
  }

  /** The groups with the memories that the filter lets pass. */
  get filtered(): readonly Group[] {
    return this.applied.apply(this.groups, Date.now());
  }

  /** The memories whose code is in a document that is looked at, by any of its URIs. */
  at(uri: string): readonly Item[] {
    return (this.files.get(uri) ?? []).filter(({ location }) => location && vscode.Uri.parse(location.uri, true).toString() === uri);
  }

  /** Every memory, also of groups that were not opened. */
  async all(): Promise<readonly Group[]> {
    return this.groups.every(isWhole) ? this.groups : this.list(requests.tree, { by: this.grouping }, groupsOf, []);
  }

  /** Requests memories of a group: as many as fit on one page more than are here. The id is that of words.groupIds. */
  async open(id: string): Promise<void> {
    const group = this.groupOf(id);
    if (!group || isWhole(group)) return;
    const wanted = group.items.length + pageOfGroup;
    this.opened.set(id, wanted);
    const by = this.grouping;
    const found = await this.part(group, by, wanted);
    if (by !== this.grouping) return;
    if (found === group) return this.refresh(); // it could not be read, or is gone
    // All groups may have been requested meanwhile, before or after it was known that more of this one are wanted.
    const now = this.groupOf(id);
    if (!now || now.items.length >= found.items.length) return;
    this.groups = this.groups.map((one) => (one === now ? { ...now, items: found.items } : one));
    this.changed.fire();
  }

  private groupOf(id: string): Group | undefined {
    return this.groups[groupIds(this.groups).indexOf(id)];
  }

  /** Requests everything, once for calls close together. What is requested already may not know yet what a call knows, and comes first. */
  refresh(): Promise<void> {
    this.coming ??= this.collect();
    return this.coming;
  }

  /** Runs an act on memories, and resolves when it is seen what became of it. What is heard of meanwhile is requested with that. */
  async act<T>(run: () => Promise<T>): Promise<T> {
    this.acts++;
    try {
      return await run();
    } finally {
      this.acts--;
      await this.refresh();
    }
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
    this.looked.dispose();
  }

  private async collect(): Promise<void> {
    await this.asking;
    const until = Date.now() + longest;
    do await delay(collected);
    while (this.acts > 0 && Date.now() < until);
    this.coming = undefined;
    const asked = this.ask();
    this.asking = asked.catch(() => undefined); // who waits for it hears of it
    await asked;
  }

  private async ask(): Promise<void> {
    this.failed = new Map();
    const filter = this.chosen;
    const [folders, groups, waiting, stale, log, left] = await Promise.all([
      this.list(requests.overview, {}, foldersOf, [], this.folders),
      this.tree(this.grouping),
      this.list(requests.candidates, { limit: mostWaiting }, firstCandidatesOf, nothing, this.waiting),
      this.list(requests.stale, { limit: mostWaiting }, firstItemsOf, nothing, this.stale),
      this.list(requests.log, { limit: logLines }, logOf, [], this.log),
      this.list(requests.threads, { limit: mostWaiting }, firstThreadsOf, { ...nothing, open: 0 }, this.left),
      this.lookAt(urisOfCode()),
    ]);
    this.folders = folders;
    this.groups = this.withPages(groups);
    if (filter === this.chosen && (filter.empty || groups.every(isWhole))) this.applied = filter; // what can't be read now is not here in full
    this.waiting = waiting;
    this.stale = stale;
    this.log = log;
    this.left = left;
    // Trees that are rebuilt under the pointer lose clicks, so they are rebuilt only if
    // something changed.
    if (this.listed !== this.server.running) {
      this.listed = this.server.running;
      await vscode.commands.executeCommand("setContext", "manicule.listed", this.listed);
    }
    for (const method of new Set([...this.unread.keys(), ...this.failed.keys()])) {
      await vscode.commands.executeCommand("setContext", `manicule.unread:${method}`, this.failed.has(method));
    }
    this.unread = new Map(this.failed); // what one group or file could not be asked for later says nothing about the list
    const now = JSON.stringify([this.server.running, [...this.unread], this.grouping, folders, this.groups, waiting, stale, log, left, [...this.files]]);
    if (now === this.shown) return;
    this.shown = now;
    this.changed.fire();
  }

  // A filter needs what it lets pass or not.
  private async tree(by: Grouping): Promise<readonly Group[]> {
    const groups = await this.list(requests.tree, this.chosen.empty ? { by, inline: mostInline } : { by }, groupsOf, [], this.groups);
    this.later = !groups.every(isWhole);
    const ids = groupIds(groups);
    return Promise.all(
      groups.map(async (group, at) => {
        const wanted = this.opened.get(ids[at] ?? "");
        return wanted === undefined || isWhole(group) ? group : await this.part(group, by, wanted);
      }),
    );
  }

  // A group that was opened after all were requested has more memories by now than that answer.
  private withPages(groups: readonly Group[]): readonly Group[] {
    const ids = groupIds(groups);
    return groups.map((group, at) => {
      const wanted = this.opened.get(ids[at] ?? "") ?? 0;
      if (group.items.length >= Math.min(wanted, group.count)) return group;
      const now = this.groups.find(({ id, folder }) => id === group.id && folder === group.folder);
      return now && now.items.length > group.items.length ? { ...group, items: now.items } : group;
    });
  }

  private async part(group: Group, by: Grouping, limit: number): Promise<Group> {
    const before = this.groups.find(({ id, folder }) => id === group.id && folder === group.folder) ?? group;
    const [found] = await this.list(requests.tree, { by, group: group.id, folder: group.folder, limit }, groupsOf, [], [before]);
    return found ?? group;
  }

  // Requests the memories of documents. Of each, an answer that comes after that of a later request is dropped; what is looked at no longer is, too.
  private async lookAt(uris: readonly string[]): Promise<void> {
    const turn = ++this.looks;
    const answers = new Map(await Promise.all(uris.map(async (uri) => [uri, await this.itemsIn(uri)] as const)));
    const [files, lookOf] = [new Map<string, readonly Item[]>(), new Map<string, number>()];
    for (const uri of urisOfCode()) {
      const [answer, last] = [answers.get(uri), this.lookOf.get(uri) ?? 0];
      const items = answer && turn > last ? answer : this.files.get(uri);
      if (!items) continue;
      files.set(uri, items);
      lookOf.set(uri, answer ? Math.max(turn, last) : last);
    }
    [this.files, this.lookOf] = [files, lookOf];
  }

  private async itemsIn(uri: string): Promise<readonly Item[] | undefined> {
    try {
      const groups = await this.answer(requests.tree, { by: "file", uri }, groupsOf, []);
      return [...new Map(groups.flatMap(({ items }) => items.map((item) => [item.uuid, item] as const))).values()]; // one about two files is in two groups
    } catch {
      return undefined; // that of one file says nothing about the list of all
    }
  }

  // Requests the memories of the editors that have become visible. Those of the others are here.
  private async look(): Promise<void> {
    const unknown = urisOfCode().filter((uri) => !this.files.has(uri));
    if (unknown.length === 0) return;
    await this.lookAt(unknown);
    this.looked.fire();
  }

  // What a list is now. One that can't be read stays as it was: drawn anew, it would lose what is selected and open in it.
  private async list<T>(method: string, params: object, read: (answer: unknown) => T, none: T, before = none): Promise<T> {
    try {
      return await this.answer(method, params, read, none);
    } catch (error) {
      if (error instanceof Error && "code" in error && unanswered.has(error.code)) this.failed.set(method, error.message.replace(`${method}: `, ""));
      return before;
    }
  }

  // It is empty without a server, and if the server does not know the request. One that starts again soon answers.
  private async answer<T>(method: string, params: object, read: (answer: unknown) => T, none: T): Promise<T> {
    if (this.server.starting) throw new Error(vscode.l10n.t("Manicule is starting…"));
    if (!this.server.running) return none;
    try {
      return read(await this.server.request(method, params));
    } catch (error) {
      this.output.debug(`${method}: ${String(error)}`);
      if (error instanceof Error && "code" in error && error.code === unknownRequest) return none;
      throw error;
    }
  }
}

/** The schemes of documents that memories may be about. */
const ofCode = new Set(["file", cellScheme]);

/** The documents in visible editors that memories may be about. */
function urisOfCode(): string[] {
  return [...new Set(vscode.window.visibleTextEditors.flatMap(({ document: { uri } }) => (ofCode.has(uri.scheme) ? [uri.toString()] : [])))];
}

/** Whether all memories of a group are here. */
export function isWhole(group: Group): boolean {
  return group.items.length >= group.count;
}
