// The history of a memory: a list of its versions, and what each changed.

import * as vscode from "vscode";

import type { Server } from "./client";
import { type Item, refOf, type Version, versionsOf } from "./items";
import { nameOf } from "./l10n";
import { requests } from "./protocol";
import { ago, oneLine, versionPath } from "./words";

const scheme = "manicule-version";

/** Holds the texts of versions for as long as they may be shown. */
export class History implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly registration: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  dispose(): void {
    this.registration.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "";
  }

  /** Lists the versions of a memory, and shows what the chosen one changed. */
  async show(item: Item): Promise<void> {
    const versions = versionsOf(await this.server.request(requests.history, { uuid: item.uuid, folder: item.uri }));
    const choices = versions.map((version) => ({
      label: `${version.current ? "$(circle-filled)" : "$(circle-outline)"} ${vscode.l10n.t("version {0}", version.version)}`,
      description: [nameOf(version.kind), version.author, ago(version.at, Date.now())].filter((part) => part !== "").join(" · "),
      detail: version.note,
    }));
    if (choices.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t("This memory has no history yet."));
      return;
    }
    const picked = await vscode.window.showQuickPick(choices, {
      title: vscode.l10n.t("History of “{0}”", oneLine(item.what, 60)),
      placeHolder: vscode.l10n.t("Pick a version to see what it changed"),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (picked) await this.compare(item, versions, choices.indexOf(picked));
  }

  /** Shows what one of a memory's versions changed, and offers to return to it. */
  async compare(item: Item, versions: readonly Version[], index: number): Promise<void> {
    const version = versions[index];
    if (!version) return;
    await this.diff(item.uuid, versions[index + 1], version);
    if (!version.current) await this.offerRevert(item, version);
  }

  // The server writes the earlier content as the memory's next version.
  private async offerRevert(item: Item, version: Version): Promise<void> {
    const revert = vscode.l10n.t("Revert to it");
    const chosen = await vscode.window.showInformationMessage(vscode.l10n.t("☞ version {0} of this memory", version.version), revert);
    if (chosen === revert) await vscode.commands.executeCommand("manicule.revertMemory", refOf(item), version.hash);
  }

  // The first version is compared with an empty text.
  private async diff(uuid: string, before: Version | undefined, version: Version): Promise<void> {
    const left = this.put(uuid, before);
    const right = this.put(uuid, version);
    const from = before ? vscode.l10n.t("version {0}", before.version) : vscode.l10n.t("nothing");
    await vscode.commands.executeCommand("vscode.diff", left, right, `☞ ${from} ↔ ${vscode.l10n.t("version {0}", version.version)}`, { preview: true });
  }

  private put(uuid: string, version: Version | undefined): vscode.Uri {
    const path = versionPath(uuid, version);
    this.texts.set(path, version?.text ?? "");
    return vscode.Uri.from({ scheme, path });
  }
}
