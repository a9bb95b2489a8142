// The side bar: the memories, the review queue, what needs attention, and what
// agents were shown.

import * as vscode from "vscode";

import type { Server } from "./client";
import { choicesOf, type Facet, Filter, valueName } from "./filter";
import { nameOf, wordsOf } from "./l10n";
import { goesOnAt, type Line, Lines, type Outline } from "./lines";
import { startOf } from "./places";
import { type Candidate, type CandidateDetail, candidateDetailOf, type Code, type Folder, type Group, type Item, type LogEntry, memoryTypes, type Part, type Place, requests, type Thread } from "./protocol";
import { type Grouping, pageOfGroup, type Store } from "./store";
import {
  ago,
  type Batch,
  batchDetail,
  batchesOf,
  broken,
  candidateCard,
  candidateDetail,
  cardOf,
  codeLines,
  detailOf,
  different,
  escapeMarkdown,
  groupDetail,
  groupIds,
  itemIds,
  memories,
  oneLine,
  placeOf,
  threadCard,
  threadDetail,
} from "./words";

/** The longest label, in characters. */
const labelLength = 120;

/** How wide a text is that lies open in the side bar as it is at first, in characters: its lines are not broken there. */
const openWidth = 32;

/** How long a text is that a narrow side bar shows in full on its line, in characters. */
const shortText = 32;

/** What the ids of the lines begin with that need attention. */
export const attentionLines = "attention";

/** What a line of a tree is about. */
export type Node =
  | { readonly kind: "group"; readonly group: Group; readonly detail: string; readonly isFile: boolean; /** Its memories are requested when it is opened. */ readonly later: boolean }
  | { readonly kind: "more"; readonly group: string; readonly text: string }
  | { readonly kind: "item"; readonly item: Item }
  | { readonly kind: "batch"; readonly batch: Batch; readonly detail: string }
  | { readonly kind: "candidate"; readonly candidate: Candidate }
  | { readonly kind: "thread"; readonly thread: Thread }
  | { readonly kind: "fact"; readonly text: string; readonly whole: string; readonly icon: string }
  | { readonly kind: "place"; readonly text: string; readonly icon: string; readonly place: Place; readonly code: readonly string[] }
  | { readonly kind: "log"; readonly entry: LogEntry };

/** A line of a tree. What commands of the views get as their argument. */
export type NodeLine = Line<Node>;

/** The views of the side bar. */
export interface Views {
  readonly all: vscode.Disposable;
  /** The lines that are selected in the review queue. */
  selectedForReview(): readonly NodeLine[];
  /** The memory that is selected among those that need attention. */
  selectedForAttention(): NodeLine | undefined;
  /**
   * Runs what a key does to lines of a list that are decided about one after the other. If they are gone then, the next one is
   * selected and has the keyboard. Who pressed a button with the mouse may have the keyboard in an editor: it would be taken
   * from there, and VS Code then drops the lenses that it was about to draw.
   */
  settling(lines: readonly NodeLine[], run: () => unknown): Promise<void>;
}

/** Creates the views; they show what the store holds. */
export function createViews(server: Server, store: Store): Views {
  const tree = (roots: () => Outline<Node>[]): Tree => new Tree(server, store, roots);
  const memoryTree = tree(() => groupLines(store));
  const review = tree(() => [...batchesOf(store.waiting.items).flatMap((batch) => batchLines(batch, store.folders)), ...rest("review", store.waiting)]);
  const attention = tree(() => itemLines(attentionLines, store.stale));
  const threads = tree(() => [...store.left.items.map(threadOutline), ...rest("threads", store.left)]);
  const activity = tree(() => logLines(store.log));
  const memoriesView = vscode.window.createTreeView<NodeLine>("manicule.memories", { treeDataProvider: memoryTree, showCollapseAll: true });
  const reviewView = vscode.window.createTreeView<NodeLine>("manicule.review", { treeDataProvider: review, canSelectMany: true });
  const attentionView = vscode.window.createTreeView<NodeLine>("manicule.attention", { treeDataProvider: attention });
  const threadsView = vscode.window.createTreeView<NodeLine>("manicule.threads", { treeDataProvider: threads });
  const activityView = vscode.window.createTreeView<NodeLine>("manicule.activity", { treeDataProvider: activity });
  const unread = (method: string): string => {
    const reason = store.unread.get(method);
    return reason === undefined ? "" : vscode.l10n.t("This can't be read: {0}", reason);
  };
  const update = (): void => {
    memoriesView.description = [groupedBy(store.grouping), store.filter.describe()].filter((part) => part !== "").join(" · ");
    memoriesView.message = !store.filter.empty && store.groups.length > 0 && store.filtered.length === 0 ? vscode.l10n.t("No memory passes the filter.") : unread(requests.tree);
    void vscode.commands.executeCommand("setContext", "manicule.filtered", !store.filter.empty);
    // An empty list would say that there is nothing.
    for (const [view, method] of [[reviewView, requests.candidates], [attentionView, requests.stale], [threadsView, requests.threads], [activityView, requests.log]] as const) {
      view.message = unread(method);
    }
    reviewView.badge = badge(store.waiting.total, vscode.l10n.t("{0} to review", memories(store.waiting.total)));
    attentionView.badge = badge(store.stale.length, vscode.l10n.t("{0} to look at", memories(store.stale.length)));
    threadsView.description = store.left.open === 0 ? "" : String(store.left.open);
  };
  update();
  const all = vscode.Disposable.from(memoryTree, review, attention, threads, activity, memoriesView, reviewView, attentionView, threadsView, activityView, store.onDidChange(update));
  const settling = async (lines: readonly NodeLine[], run: () => unknown): Promise<void> => {
    const queue = ([[review, reviewView], [attention, attentionView]] as const).find(([of]) => lines.some((line) => of.has(line)));
    if (!queue) {
      await run();
      return;
    }
    const [tree, view] = queue;
    const goOn = tree.settling(lines);
    const hands = watchHands();
    try {
      await run();
    } finally {
      hands.dispose();
    }
    const next = goOn();
    // A list that was folded or left meanwhile does not come back for it, and what a person has selected stays selected.
    if (!next || !view.visible || view.selection.some((line) => tree.has(line))) return;
    try {
      await view.reveal(next, { select: true, focus: !hands.inEditor });
    } catch {
      // The list has changed again, and has no such line.
    }
  };
  return { all, selectedForReview: () => reviewView.selection, selectedForAttention: () => attentionView.selection[0], settling };
}

/** Tells whether a person went on in an editor since: what is typed there must not get into a list. */
function watchHands(): { readonly inEditor: boolean; dispose(): void } {
  let inEditor = false;
  const moves = vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
    if (kind === vscode.TextEditorSelectionChangeKind.Keyboard || kind === vscode.TextEditorSelectionChangeKind.Mouse) inEditor = true;
  });
  return {
    get inEditor() { return inEditor; },
    dispose: () => { moves.dispose(); },
  };
}

/** The candidates among lines of the review queue, each once. A group stands for all of its own. */
export function candidatesOf(lines: readonly NodeLine[]): Candidate[] {
  const found = lines.flatMap(({ content }) => {
    if (content.kind === "batch") return content.batch.candidates;
    return content.kind === "candidate" ? [content.candidate] : [];
  });
  return [...new Map(found.map((candidate) => [candidate.uuid, candidate])).values()];
}

function groupedBy(grouping: Grouping): string {
  switch (grouping) {
    case "file":
      return vscode.l10n.t("by file");
    case "module":
      return vscode.l10n.t("by module");
    case "type":
      return vscode.l10n.t("by type");
    case "state":
      return vscode.l10n.t("by state");
  }
}

/** Lets a person choose how the memories are grouped. */
export async function chooseGrouping(store: Store): Promise<void> {
  const choices: { label: string; by: Grouping }[] = [
    { label: vscode.l10n.t("By file"), by: "file" },
    { label: vscode.l10n.t("By module"), by: "module" },
    { label: vscode.l10n.t("By type"), by: "type" },
    { label: vscode.l10n.t("By state"), by: "state" },
  ];
  const picked = await vscode.window.showQuickPick(
    choices.map((choice) => ({ ...choice, description: choice.by === store.grouping ? vscode.l10n.t("now") : "" })),
    { title: vscode.l10n.t("Group the memories") },
  );
  if (!picked) return;
  store.grouping = picked.by;
  await store.refresh();
}

/** Lets a person choose which memories are shown. */
export async function chooseFilter(store: Store): Promise<void> {
  const names: Record<Facet, string> = {
    author: vscode.l10n.t("Author"),
    type: vscode.l10n.t("Type"),
    tag: vscode.l10n.t("Tag"),
    state: vscode.l10n.t("State"),
    age: vscode.l10n.t("Changed within"),
  };
  const picked = await vscode.window.showQuickPick(
    choicesOf(await store.all(), Date.now()).map(({ facet, value, count }) => ({
      label: `${names[facet]}: ${oneLine(valueName(facet, value), 60)}`,
      description: String(count),
      picked: store.filter.has(facet, value),
      facet,
      value,
    })),
    { title: vscode.l10n.t("Show only memories with…"), canPickMany: true, placeHolder: vscode.l10n.t("None chosen shows all") },
  );
  if (picked) store.filter = new Filter(picked.map(({ facet, value }) => ({ facet, value })));
}

class Tree implements vscode.TreeDataProvider<NodeLine>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<NodeLine[] | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly lines = new Lines<Node>();
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly store: Store,
    roots: () => Outline<Node>[],
  ) {
    this.lines.update(roots());
    this.subscription = store.onDidChange(() => {
      const redraw = this.lines.update(roots());
      if (redraw === "all") this.changed.fire(undefined);
      else if (redraw.length > 0) this.changed.fire([...redraw]);
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  has(line: NodeLine): boolean {
    return this.lines.inOrder().includes(line);
  }

  /** Returns what tells, later, where a person goes on who settles these lines now; undefined if they are still there. */
  settling(lines: readonly NodeLine[]): () => NodeLine | undefined {
    const before = this.lines.inOrder();
    const settled = new Set(lines.flatMap((line) => [line, ...line.below]));
    return () => goesOnAt(before, settled, this.lines.inOrder(), ({ content: { kind } }) => kind === "batch" || kind === "more");
  }

  getParent(line: NodeLine): NodeLine | undefined {
    return this.lines.parentOf(line);
  }

  async getChildren(line?: NodeLine): Promise<NodeLine[]> {
    if (!line) return [...this.lines.roots];
    const { content } = line;
    switch (content.kind) {
      case "group":
        if (content.later && line.below.length === 0) await this.store.open(line.id);
        return line.below;
      case "more":
        if (content.group !== "" && line.below.length === 0) await this.store.open(content.group);
        return line.below;
      case "candidate":
        return factsOf(line.id, content.candidate, await this.detailOf(content.candidate));
      case "place":
        return content.code.map((text, at) => lone(`${line.id}:${String(at)}`, { kind: "fact", text, whole: content.code.join("\n"), icon: "" }));
      default:
        return line.below;
    }
  }

  /** What a line says under the pointer is made when it is asked for: there may be ten thousand, and code must be read from files. */
  async resolveTreeItem(item: vscode.TreeItem, { content }: NodeLine): Promise<vscode.TreeItem> {
    item.tooltip ??= content.kind === "candidate" ? new vscode.MarkdownString(candidateCard(content.candidate, (await this.detailOf(content.candidate)).code)) : tooltipOf(content, Date.now());
    return item;
  }

  getTreeItem(line: NodeLine): vscode.TreeItem {
    const item = itemOf(line);
    item.id = line.id;
    return item;
  }

  // A server that does not know the request knows no code.
  private async detailOf(candidate: Candidate): Promise<CandidateDetail> {
    try {
      return candidateDetailOf(await this.server.request(requests.candidate, { uuid: candidate.uuid, folder: candidate.folder }));
    } catch {
      return { folder: "", code: [] };
    }
  }
}

function itemOf(line: NodeLine): vscode.TreeItem {
  const { content } = line;
  switch (content.kind) {
    case "group":
      return groupItem(content);
    case "more":
      return new vscode.TreeItem(content.text, content.group === "" ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed);
    case "item":
      return memoryItem(line, content.item);
    case "batch":
      return batchItem(content);
    case "candidate":
      return candidateItem(content.candidate);
    case "thread":
      return threadItem(line, content.thread);
    case "fact":
      return factItem(content);
    case "place":
      return placeItem(content);
    case "log":
      return logItem(content.entry);
  }
}

/** A line that has nothing below it yet. */
function lone(id: string, content: Node): NodeLine {
  return { id, content, print: "", below: [] };
}

/** A line whose looks follow from what it is about; more is what they follow from besides, as the time. */
function outline(id: string, content: Node, below: readonly Outline<Node>[] = [], more = ""): Outline<Node> {
  return { id, content, below, print: JSON.stringify([content, more]) };
}

function groupLines({ filtered: groups, folders, grouping, later }: Store): Outline<Node>[] {
  const ids = groupIds(groups);
  return groups.map((group, index) => {
    const id = ids[index] ?? "";
    const named = group.path === "" ? { ...group, label: wordsOf(group.label) } : group;
    const isFile = grouping === "file" && group.uri !== "" && group.label === group.path;
    const content: Node = { kind: "group", group: named, detail: groupDetail(group, folders), isFile, later };
    return { id, content, below: pages(id, group, 0), print: JSON.stringify([named.label, content.detail, isFile, group.uri, later]) };
  });
}

/** The memories of a group from one on: a page of them, and below one more line those after it. */
function pages(id: string, group: Group, from: number): Outline<Node>[] {
  const lines = itemLines(id, group.items.slice(from, from + pageOfGroup));
  const next = from + pageOfGroup;
  if (lines.length === 0 || group.count <= next) return lines;
  const text = vscode.l10n.t("{0} more", String(group.count - next));
  return [...lines, { id: `${id}:from ${String(next)}`, content: { kind: "more", group: id, text }, below: pages(id, group, next), print: text }];
}

/** What stands below the first of a list that is too long. */
function rest(list: string, { items, total }: Part<unknown>): Outline<Node>[] {
  return total <= items.length ? [] : [outline(`rest:${list}`, { kind: "more", group: "", text: vscode.l10n.t("{0} more, when these are decided", String(total - items.length)) })];
}

function groupItem({ group, detail, isFile, later }: Node & { kind: "group" }): vscode.TreeItem {
  const line = new vscode.TreeItem(group.label, later ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.Expanded);
  line.description = detail;
  if (!isFile) {
    line.iconPath = new vscode.ThemeIcon("symbol-folder");
    return line;
  }
  // The URI gives the line the icon of its file.
  line.resourceUri = vscode.Uri.parse(group.uri, true);
  line.iconPath = vscode.ThemeIcon.File;
  return line;
}

// A line stays the same line, selected or not, when its memory is written anew.
function itemLines(below: string, items: readonly Item[]): Outline<Node>[] {
  const ids = itemIds(below, items);
  return items.map((item, index) => outline(ids[index] ?? "", { kind: "item", item }));
}

// One candidate that is alone about its place is no group.
function batchLines(batch: Batch, folders: readonly Folder[]): Outline<Node>[] {
  const below = batch.candidates.map((candidate) => outline(`candidate:${candidate.uuid}`, { kind: "candidate", candidate }));
  if (below.length < 2) return below;
  const detail = batchDetail(batch, folders);
  return [{ id: `batch:${JSON.stringify([batch.folder, batch.about])}`, content: { kind: "batch", batch, detail }, below, print: detail }];
}

function batchItem({ batch: { about, candidates }, detail }: Node & { kind: "batch" }): vscode.TreeItem {
  const line = new vscode.TreeItem(about === "" ? vscode.l10n.t("whole project") : about, vscode.TreeItemCollapsibleState.Expanded);
  line.description = detail;
  line.iconPath = new vscode.ThemeIcon(about !== "" && candidates[0]?.scope.length === 0 ? "file" : "symbol-folder");
  line.contextValue = "candidates";
  return line;
}

function tooltipOf(node: Node, now: number): vscode.MarkdownString | undefined {
  switch (node.kind) {
    case "item":
      return new vscode.MarkdownString(cardOf(node.item, now));
    case "thread":
      return new vscode.MarkdownString(threadCard(node.thread, now));
    case "log":
      return new vscode.MarkdownString(escapeMarkdown(`${node.entry.what}\n${vscode.l10n.t("Session {0}", node.entry.session)}`));
    default:
      return undefined;
  }
}

function memoryItem(own: NodeLine, item: Item): vscode.TreeItem {
  const line = new vscode.TreeItem(oneLine(item.what, labelLength));
  line.description = item.reason === "" ? detailOf(item) : `${detailOf(item)} · ${item.reason}`;
  line.iconPath = iconOf(item);
  line.contextValue = contextOf(item);
  line.command = { command: "manicule.openPlace", title: vscode.l10n.t("Open"), arguments: [own] };
  return line;
}

// The context values that the menus' conditions in package.json match.
function contextOf(item: Item): string {
  const words = ["memory", item.pinned ? "pinned" : "unpinned"];
  if (item.state === "stale" || item.state === "drifted" || item.state === "orphaned" || item.state === "followed") words.push("doubtful");
  if (item.state === "orphaned") words.push("lost");
  if (item.suggestion) words.push("suggested");
  if (item.disputed) words.push("disputed");
  return words.join(" ");
}

function candidateItem(candidate: Candidate): vscode.TreeItem {
  const line = new vscode.TreeItem(oneLine(candidate.what, labelLength), vscode.TreeItemCollapsibleState.Collapsed);
  line.description = candidateDetail(candidate);
  line.iconPath = new vscode.ThemeIcon(candidate.tainted ? "unverified" : iconName(candidate.type));
  if (candidate.versions.length > 0) line.iconPath = new vscode.ThemeIcon("git-merge");
  line.contextValue = candidate.versions.length > 0 ? "conflict" : "candidate";
  return line;
}

/** What lies below a candidate: all that it says, why, on what evidence, and where it applies, with the code there. */
function factsOf(below: string, candidate: Candidate, { folder, code }: CandidateDetail): NodeLine[] {
  const reasons = [...openText(candidate.why, "question"), ...candidate.evidence.flatMap((text) => openText(text, "quote"))];
  const scope = candidate.scope.map((text): Node => ({ kind: "fact", text, whole: text, icon: "symbol-folder" }));
  const files = candidate.paths
    .filter((path) => !candidate.scope.includes(`${path}/**`) && !candidate.scope.includes(path) && !code.some((piece) => piece.path === path))
    .map((path): Node => fileNode(folder, path));
  const more = [...reasons, ...scope, ...code.map(codeNode), ...files];
  // Its own line says a short text in full.
  const facts = more.length > 0 && candidate.what.length <= shortText ? more : [...openText(candidate.what, "note"), ...more];
  return facts.map((node, at) => lone(`${below}:${String(at)}`, node));
}

/** A text in lines that the side bar has room for; the first has an icon, and each says all of it under the pointer. */
function openText(text: string, icon: string): Node[] {
  const lines = text.trim() === "" ? [] : text.trim().split("\n").flatMap((line) => broken(line, openWidth));
  return lines.map((line, at): Node => ({ kind: "fact", text: line, whole: text, icon: at === 0 ? icon : "blank" }));
}

function codeNode(piece: Code): Node {
  return { kind: "place", text: placeOf(piece), icon: "file-code", place: piece.location, code: codeLines(piece) };
}

function fileNode(folder: string, path: string): Node {
  if (folder === "") return { kind: "fact", text: path, whole: path, icon: "file" };
  const start = { line: 0, character: 0 };
  return { kind: "place", text: path, icon: "file", place: { uri: vscode.Uri.joinPath(vscode.Uri.parse(folder, true), path).toString(), range: { start, end: start } }, code: [] };
}

function factItem({ text, whole, icon }: Node & { kind: "fact" }): vscode.TreeItem {
  const line = new vscode.TreeItem(text);
  if (icon !== "") line.iconPath = new vscode.ThemeIcon(icon);
  line.tooltip = whole;
  // A screen reader would say the whole text with each line of it, and no icon.
  const kind = icon === "question" ? vscode.l10n.t("Why: {0}", text) : icon === "quote" ? vscode.l10n.t("Evidence: {0}", text) : text;
  line.accessibilityInformation = { label: kind };
  return line;
}

function placeItem({ text, icon, place, code }: Node & { kind: "place" }): vscode.TreeItem {
  const line = new vscode.TreeItem(text, code.length > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None);
  line.iconPath = new vscode.ThemeIcon(icon);
  line.command = { command: "vscode.open", title: vscode.l10n.t("Open"), arguments: [vscode.Uri.parse(place.uri, true), { selection: startOf(place), preview: true }] };
  return line;
}

function threadOutline(thread: Thread): Outline<Node> {
  return outline(`thread:${thread.uuid}`, { kind: "thread", thread }, [], ago(thread.updatedAt, Date.now()));
}

function threadItem(own: NodeLine, thread: Thread): vscode.TreeItem {
  const line = new vscode.TreeItem(oneLine(thread.text, labelLength));
  line.description = threadDetail(thread, Date.now());
  line.iconPath = new vscode.ThemeIcon(thread.state === "parked" ? "debug-pause" : (threadIcons[thread.kind] ?? "circle-large-outline"));
  line.contextValue = thread.state === "parked" ? "thread parked" : "thread open";
  line.command = { command: "manicule.openThread", title: vscode.l10n.t("Open"), arguments: [own] };
  return line;
}

const threadIcons: Readonly<Record<string, string>> = { thread: "issues", next_step: "arrow-right", decision: "law", context: "info" };

// An entry has no id of its own: what was said at a time in a session is that entry, and the same again counts up.
function logLines(log: readonly LogEntry[]): Outline<Node>[] {
  const ids = different(log.map(({ at, session, kind, memory, what }) => `log:${JSON.stringify([at, session, kind, memory, what])}`));
  return log.map((entry, index) => outline(ids[index] ?? "", { kind: "log", entry }, [], ago(entry.at, Date.now())));
}

function logItem(entry: LogEntry): vscode.TreeItem {
  const line = new vscode.TreeItem(oneLine(entry.what, labelLength));
  line.description = [nameOf(entry.kind), entry.agent, ago(entry.at, Date.now())].filter((part) => part !== "").join(" · ");
  line.iconPath = new vscode.ThemeIcon(logIcons[entry.kind] ?? "circle-small");
  if (entry.memory !== "") line.command = { command: "manicule.openMemory", title: vscode.l10n.t("Open"), arguments: [entry.memory] };
  return line;
}

const logIcons: Readonly<Record<string, string>> = { shown: "eye", learned: "lightbulb", written: "edit", ended: "debug-stop" };

/** The icon of a memory: that of its type, in the colour of its state. */
function iconOf(item: Item): vscode.ThemeIcon {
  return new vscode.ThemeIcon(iconName(item.type), colorOf(item));
}

function colorOf(item: Item): vscode.ThemeColor | undefined {
  switch (item.state) {
    case "stale":
    case "orphaned":
      return new vscode.ThemeColor("list.warningForeground");
    case "drifted":
      return new vscode.ThemeColor("editorInfo.foreground");
    default:
      return item.type === "dead_end" ? new vscode.ThemeColor("list.errorForeground") : undefined;
  }
}

const typeIcons: Readonly<Record<string, string>> = {
  gotcha: "alert",
  dead_end: "error",
  decision: "law",
  convention: "checklist",
  pattern: "symbol-structure",
  requirement: "pass",
  preference: "heart",
  error_pattern: "bug",
  module_insight: "lightbulb",
  causal_dependency: "link",
  workflow_recipe: "list-ordered",
} satisfies Record<(typeof memoryTypes)[number], string>;

function iconName(type: string): string {
  return typeIcons[type] ?? "note";
}

function badge(value: number, tooltip: string): vscode.ViewBadge | undefined {
  return value === 0 ? undefined : { value, tooltip };
}
