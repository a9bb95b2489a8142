// The Explorer: folders and files that change much and have no memory are marked, where a
// person wants it. The server says which; only a path that changed has a mark.

import * as vscode from "vscode";

import type { Server } from "./client";
import { type Coverage, coverageOf } from "./items";
import { requests } from "./protocol";

/** The setting that turns the marks on. */
export const coverageSetting = "coverage.enabled";

/** The least time between two questions, in milliseconds: memories come in groups. */
const pause = 2000;

/** Shows or hides the marks, in the person's own settings: a folder's settings may be a file that everybody shares. Where these say something, they are changed. */
export async function toggleCoverage(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("manicule");
  const target = settings.inspect<boolean>(coverageSetting)?.workspaceValue === undefined ? vscode.ConfigurationTarget.Global : vscode.ConfigurationTarget.Workspace;
  await settings.update(coverageSetting, !settings.get<boolean>(coverageSetting, false), target);
}

/** Marks folders with their coverage, and files that change much and have no memory. */
export class CoverageMarks implements vscode.Disposable, vscode.FileDecorationProvider {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeFileDecorations = this.changed.event;
  private readonly subscriptions: vscode.Disposable;
  private marks = new Map<string, vscode.FileDecoration>();
  private asked = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscriptions = vscode.Disposable.from(
      vscode.window.registerFileDecorationProvider(this),
      server.onDidChange(() => void this.refresh()),
    );
    void this.refresh();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.dispose();
    this.changed.dispose();
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    return this.marks.get(uri.toString());
  }

  private isOn(): boolean {
    return this.server.running && vscode.workspace.getConfiguration("manicule").get<boolean>(coverageSetting, false);
  }

  /** Asks the server again, or takes the marks away. */
  async refresh(now = false): Promise<void> {
    if (!this.isOn()) {
      if (this.marks.size > 0) this.show(new Map());
      return;
    }
    const wait = this.asked + pause - Date.now();
    if (!now && wait > 0) {
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        void this.refresh(true);
      }, wait);
      return;
    }
    this.asked = Date.now();
    try {
      const marks = marksOf(coverageOf(await this.server.request(requests.coverage, {})));
      if (this.isOn()) this.show(marks); // they may have been switched off meanwhile
    } catch (error) {
      this.log.debug(`${requests.coverage}: ${String(error)}`);
    }
  }

  private show(marks: Map<string, vscode.FileDecoration>): void {
    this.marks = marks;
    this.changed.fire(undefined);
  }
}

function marksOf(folders: readonly Coverage[]): Map<string, vscode.FileDecoration> {
  const color = new vscode.ThemeColor("list.warningForeground");
  const marks = new Map<string, vscode.FileDecoration>();
  const mark = (uri: string, badge: string, tooltip: string, bare: boolean): void => {
    marks.set(vscode.Uri.parse(uri, true).toString(), new vscode.FileDecoration(badge, tooltip, bare ? color : undefined));
  };
  for (const folder of folders) {
    for (const { uri, path, score, changes, covered } of folder.folders) {
      // A badge has two characters at most.
      if (path !== ".") mark(uri, score === 100 ? "☞" : String(score), vscode.l10n.t("Memories cover {0} of {1} changes", covered, changes), false);
    }
    for (const { uri, changes } of folder.files) mark(uri, "☞?", vscode.l10n.t("Changed {0} times, and nothing is remembered about it", changes), true);
  }
  return marks;
}
