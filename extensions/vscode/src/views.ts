// The side bar: the memories, the review queue, what needs attention, and what
// agents were shown.

import * as vscode from "vscode";

import { choicesOf, type Facet, Filter } from "./filter";
import { type Candidate, type Group, type Item, type LogEntry, memoryTypes, type Thread } from "./protocol";
import type { Grouping, Store } from "./store";
import { ago, candidateCard, candidateDetail, cardOf, counted, detailOf, escapeMarkdown, groupDetail, groupIds, itemIds, oneLine, threadCard, threadDetail } from "./words";

/** The longest label, in characters. */
const labelLength = 120;

/** A line of a tree. What commands of the views get as their argument. */
export type Node =
  | { readonly kind: "group"; readonly group: Group; readonly id: string; readonly detail: string; readonly isFile: boolean }
  | { readonly kind: "item"; readonly item: Item; readonly id: string }
  | { readonly kind: "candidate"; readonly candidate: Candidate }
  | { readonly kind: "thread"; readonly thread: Thread }
  | { readonly kind: "fact"; readonly text: string; readonly icon: string }
  | { readonly kind: "log"; readonly entry: LogEntry };

/** The views of the side bar. */
export interface Views {
  readonly all: vscode.Disposable;
  /** The candidates that are selected in the review queue. */
  selectedCandidates(): Candidate[];
}

/** Creates the views; they show what the store holds. */
export function createViews(store: Store): Views {
  const memories = new Tree(store, () => groupNodes(store));
  const review = new Tree(store, () => store.candidates.map((candidate) => ({ kind: "candidate", candidate })));
  const attention = new Tree(store, () => itemNodes("attention", store.stale));
  const threads = new Tree(store, () => store.threads.map((thread) => ({ kind: "thread", thread })));
  const activity = new Tree(store, () => store.log.map((entry) => ({ kind: "log", entry })));
  const memoriesView = vscode.window.createTreeView<Node>("manicule.memories", { treeDataProvider: memories, showCollapseAll: true });
  const reviewView = vscode.window.createTreeView<Node>("manicule.review", { treeDataProvider: review, canSelectMany: true });
  const attentionView = vscode.window.createTreeView<Node>("manicule.attention", { treeDataProvider: attention });
  const threadsView = vscode.window.createTreeView<Node>("manicule.threads", { treeDataProvider: threads });
  const activityView = vscode.window.createTreeView<Node>("manicule.activity", { treeDataProvider: activity });
  const update = (): void => {
    memoriesView.description = [`by ${store.grouping}`, store.filter.describe()].filter((part) => part !== "").join(" · ");
    memoriesView.message = !store.filter.empty && store.groups.length > 0 && store.filtered.length === 0 ? vscode.l10n.t("No memory passes the filter.") : "";
    void vscode.commands.executeCommand("setContext", "manicule.filtered", !store.filter.empty);
    reviewView.badge = badge(store.candidates.length, "to review");
    attentionView.badge = badge(store.stale.length, "to look at");
    threadsView.description = openText(store.threads);
  };
  update();
  const all = vscode.Disposable.from(memories, review, attention, threads, activity, memoriesView, reviewView, attentionView, threadsView, activityView, store.onDidChange(update));
  return { all, selectedCandidates: () => candidatesOf(reviewView.selection) };
}

/** The candidates among lines of the review queue. */
export function candidatesOf(nodes: readonly Node[]): Candidate[] {
  return nodes.flatMap((node) => (node.kind === "candidate" ? [node.candidate] : []));
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
    choices.map((choice) => ({ ...choice, description: choice.by === store.grouping ? "now" : "" })),
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
    choicesOf(store.groups, Date.now()).map(({ facet, value, count }) => ({
      label: `${names[facet]}: ${oneLine(value, 60)}`,
      description: String(count),
      picked: store.filter.has(facet, value),
      facet,
      value,
    })),
    { title: vscode.l10n.t("Show only memories with…"), canPickMany: true, placeHolder: vscode.l10n.t("None chosen shows all") },
  );
  if (picked) store.filter = new Filter(picked.map(({ facet, value }) => ({ facet, value })));
}

class Tree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscription: vscode.Disposable;

  constructor(
    store: Store,
    private readonly roots: () => Node[],
  ) {
    this.subscription = store.onDidChange(() => {
      this.changed.fire();
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  getChildren(node?: Node): Node[] {
    if (!node) return this.roots();
    switch (node.kind) {
      case "group":
        return itemNodes(node.id, node.group.items);
      case "candidate":
        return factsOf(node.candidate);
      default:
        return [];
    }
  }

  /** What a line says under the pointer is made when it is asked for: there may be ten thousand. */
  resolveTreeItem(line: vscode.TreeItem, node: Node): vscode.TreeItem {
    line.tooltip ??= tooltipOf(node, Date.now());
    return line;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case "group":
        return groupLine(node);
      case "item":
        return itemLine(node);
      case "candidate":
        return candidateLine(node.candidate);
      case "thread":
        return threadLine(node);
      case "fact":
        return factLine(node.text, node.icon);
      case "log":
        return logLine(node.entry);
    }
  }
}

function groupNodes({ filtered: groups, folders, grouping }: Store): Node[] {
  const ids = groupIds(groups);
  return groups.map((group, index) => ({ kind: "group", group, id: ids[index] ?? "", detail: groupDetail(group, folders), isFile: grouping === "file" && group.uri !== "" && group.label === group.path }));
}

function groupLine({ group, id, detail, isFile }: Node & { kind: "group" }): vscode.TreeItem {
  const line = new vscode.TreeItem(group.label, vscode.TreeItemCollapsibleState.Expanded);
  line.description = detail;
  line.id = id;
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
function itemNodes(below: string, items: readonly Item[]): Node[] {
  const ids = itemIds(below, items);
  return items.map((item, index) => ({ kind: "item", item, id: ids[index] ?? "" }));
}

function tooltipOf(node: Node, now: number): vscode.MarkdownString | undefined {
  switch (node.kind) {
    case "item":
      return new vscode.MarkdownString(cardOf(node.item, now));
    case "candidate":
      return new vscode.MarkdownString(candidateCard(node.candidate));
    case "thread":
      return new vscode.MarkdownString(threadCard(node.thread, now));
    case "log":
      return new vscode.MarkdownString(escapeMarkdown(`${node.entry.what}\nSession ${node.entry.session}`));
    default:
      return undefined;
  }
}

function itemLine(node: Node & { kind: "item" }): vscode.TreeItem {
  const { item } = node;
  const line = new vscode.TreeItem(oneLine(item.what, labelLength));
  line.id = node.id;
  line.description = item.reason === "" ? detailOf(item) : `${detailOf(item)} · ${item.reason}`;
  line.iconPath = iconOf(item);
  line.contextValue = contextOf(item);
  line.command = { command: "manicule.openPlace", title: "Open", arguments: [node] };
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

function candidateLine(candidate: Candidate): vscode.TreeItem {
  const open = candidate.why !== "" || candidate.evidence.length > 0;
  const line = new vscode.TreeItem(
    oneLine(candidate.what, labelLength),
    open ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
  );
  line.id = `candidate:${candidate.uuid}`;
  line.description = candidateDetail(candidate);
  line.iconPath = new vscode.ThemeIcon(candidate.tainted ? "unverified" : iconName(candidate.type));
  if (candidate.versions.length > 0) line.iconPath = new vscode.ThemeIcon("git-merge");
  line.contextValue = candidate.versions.length > 0 ? "conflict" : "candidate";
  return line;
}

function factsOf(candidate: Candidate): Node[] {
  const why: Node[] = candidate.why === "" ? [] : [{ kind: "fact", text: candidate.why, icon: "question" }];
  const evidence = candidate.evidence.map((text): Node => ({ kind: "fact", text, icon: "quote" }));
  const paths = candidate.paths.map((text): Node => ({ kind: "fact", text, icon: candidate.scope.includes(`${text}/**`) ? "symbol-folder" : "file" }));
  return [...why, ...evidence, ...paths];
}

function factLine(text: string, icon: string): vscode.TreeItem {
  const line = new vscode.TreeItem(oneLine(text, labelLength));
  line.iconPath = new vscode.ThemeIcon(icon);
  line.tooltip = text;
  return line;
}

function threadLine(node: Node & { kind: "thread" }): vscode.TreeItem {
  const { thread } = node;
  const line = new vscode.TreeItem(oneLine(thread.text, labelLength));
  line.id = `thread:${thread.uuid}`;
  line.description = threadDetail(thread, Date.now());
  line.iconPath = new vscode.ThemeIcon(thread.state === "parked" ? "debug-pause" : (threadIcons[thread.kind] ?? "circle-large-outline"));
  line.contextValue = thread.state === "parked" ? "thread parked" : "thread open";
  line.command = { command: "manicule.openThread", title: "Open", arguments: [node] };
  return line;
}

const threadIcons: Readonly<Record<string, string>> = { thread: "issues", next_step: "arrow-right", decision: "law", context: "info" };

function openText(threads: readonly Thread[]): string {
  const open = threads.filter(({ state }) => state === "open").length;
  return open === 0 ? "" : String(open);
}

function logLine(entry: LogEntry): vscode.TreeItem {
  const line = new vscode.TreeItem(oneLine(entry.what, labelLength));
  line.description = [entry.kind, entry.agent, ago(entry.at, Date.now())].filter((part) => part !== "").join(" · ");
  line.iconPath = new vscode.ThemeIcon(logIcons[entry.kind] ?? "circle-small");
  if (entry.memory !== "") line.command = { command: "manicule.openMemory", title: "Open", arguments: [entry.memory] };
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

function badge(value: number, what: string): vscode.ViewBadge | undefined {
  return value === 0 ? undefined : { value, tooltip: `${counted(value, "memory", "memories")} ${what}` };
}
