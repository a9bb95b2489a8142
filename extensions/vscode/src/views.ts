// The side bar: the memories, the review queue, what needs attention, and what
// agents were shown.

import * as vscode from "vscode";

import { type Candidate, type CandidateDetail, candidateDetailOf } from "./candidates";
import type { Server } from "./client";
import { choicesOf, type Facet, Filter, valueName } from "./filter";
import { goesOnAt, Lines, type Outline } from "./lines";
import { attentionLines, batchLines, factsOf, groupLines, itemLines, itemOf, logLines, lone, type Node, type NodeLine, rest, threadOutline, tooltipOf } from "./nodes";
import { requests } from "./protocol";
import type { Grouping, Store } from "./store";
import { batchesOf, candidateCard, memories, oneLine } from "./words";

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
  const attention = tree(() => [...itemLines(attentionLines, store.stale.items), ...rest(attentionLines, store.stale)]);
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
    attentionView.badge = badge(store.stale.total, vscode.l10n.t("{0} to look at", memories(store.stale.total)));
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

function badge(value: number, tooltip: string): vscode.ViewBadge | undefined {
  return value === 0 ? undefined : { value, tooltip };
}
