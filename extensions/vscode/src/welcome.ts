// The first run: one message that leads to the walkthrough, once.

import * as vscode from "vscode";

import { anySetUp } from "./client";

const seen = "manicule.welcomed";

/** Opens the walkthrough. */
export async function getStarted(extension: vscode.Extension<unknown>): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.openWalkthrough", `${extension.id}#manicule.start`, false);
}

/** Offers the walkthrough the first time that there is something to show. */
export async function welcome(context: vscode.ExtensionContext): Promise<void> {
  if (context.globalState.get<boolean>(seen, false) || !vscode.workspace.isTrusted || !(await anySetUp())) return;
  await context.globalState.update(seen, true);
  const start = vscode.l10n.t("Get Started");
  const choice = await vscode.window.showInformationMessage(vscode.l10n.t("☞ Manicule shows memories in the margin of your code."), start, vscode.l10n.t("Later"));
  if (choice === start) await getStarted(context.extension);
}
