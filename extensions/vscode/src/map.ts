// The map of the repository in a panel: the page of `manicule map`, whose memories and
// files open here. It is drawn again when memories change.

import { execFile } from "node:child_process";
import { promisify } from "node:util";

import * as vscode from "vscode";

import type { Cards } from "./cards";
import type { Server } from "./client";
import { showError } from "./error";
import { foldersOnDisk, sayNoFolder } from "./places";
import { rootOf } from "./setup";

/** How long memories must rest before the map is drawn again, in milliseconds. */
const rest = 3000;

/** The largest page that is shown, in bytes. */
const largest = 128 << 20;

const run = promisify(execFile);

/** The panel with the map; there is one. */
export class MapPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  /** The folder that is drawn, to which the paths of the page are relative. */
  private root: vscode.Uri | undefined;
  private stale = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly subscription: vscode.Disposable;

  constructor(
    server: Server,
    private readonly cards: Cards,
    /** The program that draws it. */
    private readonly program: () => Promise<string>,
  ) {
    this.subscription = server.onDidChange(() => {
      this.stale = true;
      this.later();
    });
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
    this.panel?.dispose();
  }

  /** Shows the map of an open folder, which a person chooses if there are several. */
  async show(): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      await vscode.commands.executeCommand("workbench.trust.manage"); // as what starts the server: no program runs here before
      return;
    }
    const folders = foldersOnDisk();
    if (folders.length === 0) return sayNoFolder();
    const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick({ placeHolder: vscode.l10n.t("The map of which folder?") }) : folders[0];
    if (!folder) return;
    this.root = vscode.Uri.file((await rootOf(folder.uri.fsPath)) ?? folder.uri.fsPath);
    if (!this.panel) {
      const panel = vscode.window.createWebviewPanel("manicule.map", vscode.l10n.t("☞ Map"), vscode.ViewColumn.Active, { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true });
      panel.webview.onDidReceiveMessage((message: unknown) => {
        this.hear(message).catch(showError);
      });
      panel.onDidChangeViewState(() => {
        this.later();
      });
      panel.onDidDispose(() => {
        this.panel = undefined;
      });
      this.panel = panel;
    }
    this.panel.reveal();
    await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: vscode.l10n.t("☞ drawing the map") }, () => this.draw());
  }

  private later(): void {
    if (!this.stale || !this.panel?.visible) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.draw().catch(showError);
    }, rest);
  }

  private async draw(): Promise<void> {
    if (!this.root) return;
    this.stale = false;
    const { stdout } = await run(await this.program(), ["map", "--personal", "--out", "-"], { cwd: this.root.fsPath, maxBuffer: largest, windowsHide: true });
    if (this.panel) this.panel.webview.html = stdout;
  }

  private async hear(message: unknown): Promise<void> {
    const { kind, id, path, folder, line } = (typeof message === "object" && message !== null ? message : {}) as Record<string, unknown>;
    if (kind === "memory" && typeof id === "string") {
      if (!(await this.cards.show(id))) void vscode.window.showInformationMessage(vscode.l10n.t("This memory is no longer there."));
    } else if (kind === "file" && typeof path === "string" && this.root) {
      const uri = vscode.Uri.joinPath(this.root, path);
      if (uri.path !== this.root.path && !uri.path.startsWith(`${this.root.path.replace(/\/$/, "")}/`)) return;
      if (folder === true) await vscode.commands.executeCommand("revealInExplorer", uri);
      else {
        const at = typeof line === "number" && line > 0 ? new vscode.Position(line - 1, 0) : undefined;
        await vscode.commands.executeCommand("vscode.open", uri, at ? { selection: new vscode.Range(at, at) } : {});
      }
    }
  }
}
