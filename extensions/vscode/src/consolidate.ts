// Memories that say the same: the server finds them and shows its progress; a
// person picks the groups to merge.

import * as vscode from "vscode";
import type { ExecuteCommandSignature } from "vscode-languageclient/node";

import { consolidationOf } from "./answers";

interface Choice extends vscode.QuickPickItem {
  readonly id: string;
}

/** Finds the groups, and merges those that are picked. */
export async function consolidate(command: string, args: unknown[], next: ExecuteCommandSignature): Promise<unknown> {
  if (args.length > 0) return next(command, args); // the caller names the groups
  const answer: unknown = await next(command, []);
  const { groups, problems, needsModel } = consolidationOf(answer);
  if (groups.length === 0 && needsModel) {
    const install = vscode.l10n.t("Install the Model…");
    const choice = await vscode.window.showInformationMessage(vscode.l10n.t("☞ This needs the model for search by meaning, which is not installed."), install);
    if (choice === install) await vscode.commands.executeCommand("manicule.installModel");
    return answer;
  }
  if (groups.length === 0) {
    void vscode.window.showInformationMessage(`☞ ${problems[0] ?? vscode.l10n.t("No two memories say the same.")}`);
    return answer;
  }
  const picked = await vscode.window.showQuickPick<Choice>(
    groups.map(({ id, kept, others, adds }) => ({ id, label: kept, description: vscode.l10n.t("stays"), detail: [vscode.l10n.t("archived: {0}", others.join(" · ")), ...adds.map((add) => vscode.l10n.t("adds {0}", add))].join(" · ") })),
    { canPickMany: true, ignoreFocusOut: true, title: vscode.l10n.t("☞ Memories that say the same"), placeHolder: vscode.l10n.t("Which groups become one memory? The others can be restored for 30 days.") },
  );
  if (!picked || picked.length === 0) return answer;
  const done: unknown = await next(command, [{ apply: picked.map(({ id }) => id) }]);
  const { merged, problems: failed } = consolidationOf(done);
  const text = vscode.l10n.t("☞ {0} of {1} groups became one memory", merged, picked.length);
  if (failed.length > 0) void vscode.window.showWarningMessage(`${text}: ${failed.join("; ")}`);
  else void vscode.window.showInformationMessage(`${text}.`);
  return done;
}
