// The status item: how many memories there are, how many wait for review, and
// whether the server runs.

import * as vscode from "vscode";

import type { Server } from "./client";
import { agentOf } from "./handover";
import type { Store } from "./store";
import { summaryOf } from "./words";

/** How long the message about a compacted context stays, in milliseconds. */
const messageTime = 10_000;

/** Shows the status item for as long as the extension lives. */
export function showStatus(server: Server, store: Store): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("manicule.status", vscode.StatusBarAlignment.Right, 90);
  item.name = "Manicule";
  item.command = "manicule.showMenu";
  // A screen reader would say the names of the icons, and the marks of Markdown.
  const say = (text: string): void => {
    item.accessibilityInformation = { label: `Manicule: ${text}`, role: "button" };
  };
  const update = (): void => {
    if (!vscode.workspace.isTrusted) {
      item.text = "☞ $(shield)";
      item.tooltip = vscode.l10n.t("Manicule waits until you trust this folder.");
      say(item.tooltip);
    } else if (server.idle) {
      item.hide();
      return;
    } else if (!server.failed && !store.listed) {
      item.text = "☞ $(loading~spin)";
      item.tooltip = vscode.l10n.t("Manicule is starting…");
      say(item.tooltip);
    } else if (!server.running) {
      item.text = "☞ $(debug-disconnect)";
      item.tooltip = vscode.l10n.t("Manicule's server does not run.");
      say(item.tooltip);
    } else if (store.unread.size > 0) {
      item.text = "☞ $(error)";
      item.tooltip = vscode.l10n.t("This can't be read: {0}", store.unread.values().next().value ?? "");
      say(item.tooltip);
    } else {
      const { text, tooltip, spoken } = summaryOf(store.folders);
      item.text = text;
      item.tooltip = new vscode.MarkdownString(tooltip);
      say(spoken);
    }
    item.show();
  };
  update();
  return vscode.Disposable.from(
    item,
    store.onDidChange(update),
    server.onDidChange(update),
    server.onCompacted((params) => {
      const message = vscode.l10n.t("☞ {0} compacted its context: what it was told may be told again", agentOf(params));
      vscode.window.setStatusBarMessage(message, messageTime);
    }),
  );
}

/** The menu behind the status item. */
export async function showMenu(server: Server, store: Store): Promise<void> {
  const { candidates, attention } = summaryOf(store.folders);
  const choices: (vscode.QuickPickItem & { command: string })[] = [];
  if (!vscode.workspace.isTrusted) {
    choices.push({ label: vscode.l10n.t("$(shield) Trust this folder…"), command: "workbench.trust.manage" });
  }
  if (server.running) {
    choices.push(
      { label: vscode.l10n.t("$(inbox) Review"), description: vscode.l10n.t("{0} waiting", candidates), command: "manicule.review.focus" },
      { label: vscode.l10n.t("$(warning) Needs attention"), description: String(attention), command: "manicule.attention.focus" },
      { label: vscode.l10n.t("$(search) Search the memories…"), command: "manicule.searchMemories" },
      { label: vscode.l10n.t("$(map) Show the map"), command: "manicule.showMap" },
      { label: vscode.l10n.t("$(add) Remember something here…"), command: "manicule.remember" },
    );
  }
  if (server.idle) choices.push({ label: vscode.l10n.t("$(add) Remember something here…"), description: vscode.l10n.t("the first memory"), command: "manicule.remember" });
  if (server.running || server.idle) choices.push({ label: vscode.l10n.t("$(cloud-download) Import the rule files…"), command: "manicule.importRules" });
  if (vscode.workspace.isTrusted) choices.push({ label: vscode.l10n.t("$(refresh) Restart the server"), command: "manicule.restartServer" });
  choices.push({ label: vscode.l10n.t("$(output) Show the log"), command: "manicule.showLog" });
  const picked = await vscode.window.showQuickPick(choices, { title: "☞ Manicule" });
  if (picked) await vscode.commands.executeCommand(picked.command);
}
