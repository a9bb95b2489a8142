// What one begins with: the rule files that a folder has already, and the model for search by
// meaning. Both are the program's work, which is run with its progress in a notification.

import { spawn } from "node:child_process";

import * as vscode from "vscode";

import type { ServerControl } from "./client";
import { failureOf, importOf, installOf } from "./protocol";
import { rootOf } from "./setup";

/** Imports the rule files of an open folder as memories, after a person has seen how many they are. */
export async function importRules(server: ServerControl): Promise<void> {
  const root = await chosenRoot(vscode.l10n.t("The rule files of which folder?"));
  if (root === undefined) return;
  const looked = importOf(await program(server, root, vscode.l10n.t("☞ Reading the rule files"), ["import", "--dry-run"]));
  if (looked.added === 0) {
    const nothing = looked.known === 0 ? vscode.l10n.t("No rule files were found here: CLAUDE.md, AGENTS.md, .cursor/rules and others are read.") : vscode.l10n.t("The rules here are memories already ({0}).", looked.known);
    void vscode.window.showInformationMessage(`☞ ${nothing}`);
    return;
  }
  const go = vscode.l10n.t("Import");
  const detail = looked.files.map(([name, count]) => `${name}: ${String(count)}`).join("\n");
  const question = vscode.l10n.t("Import the rules of {0} as memories ({1})?", looked.files.length === 1 ? (looked.files[0]?.[0] ?? "") : vscode.l10n.t("{0} rule files", looked.files.length), looked.added);
  if ((await vscode.window.showInformationMessage(question, { modal: true, detail }, go)) !== go) return;
  const done = importOf(await program(server, root, vscode.l10n.t("☞ Importing the rule files"), ["import"]));
  if (server.running) await server.run("manicule.sync");
  else await server.startHere();
  const show = vscode.l10n.t("Show");
  const choice = await vscode.window.showInformationMessage(vscode.l10n.t("☞ Imported as memories: {0}", done.added), show);
  if (choice === show) await vscode.commands.executeCommand("manicule.memories.focus");
}

/** Downloads and selects the model for search by meaning, if the person agrees. */
export async function installModel(server: ServerControl): Promise<void> {
  const root = await chosenRoot(vscode.l10n.t("The memories of which folder?"));
  if (root === undefined) return;
  const go = vscode.l10n.t("Install");
  const question = vscode.l10n.t("Install the model for search by meaning?");
  const detail = vscode.l10n.t("About 50 MB are downloaded once, and nothing later. The model runs on this machine.");
  if ((await vscode.window.showInformationMessage(question, { modal: true, detail }, go)) !== go) return;
  const { model, embedded } = installOf(await program(server, root, vscode.l10n.t("☞ Installing the model"), ["model", "install"]));
  await server.restart();
  void vscode.window.showInformationMessage(vscode.l10n.t("☞ {0} is installed. Memories that can be found by meaning: {1}", model, embedded));
}

async function chosenRoot(placeHolder: string): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted) {
    await vscode.commands.executeCommand("workbench.trust.manage");
    return undefined;
  }
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick({ placeHolder }) : folders[0];
  return folder && ((await rootOf(folder.uri.fsPath)) ?? folder.uri.fsPath);
}

/** Runs the program in a folder and resolves to its answer; what it says meanwhile is the progress. It can be cancelled. */
async function program(server: ServerControl, cwd: string, title: string, args: readonly string[]): Promise<unknown> {
  const { command } = await server.find();
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (progress, token) => {
    const child = spawn(command, [...args, "--json"], { cwd, windowsHide: true, stdio: ["ignore", "pipe", "pipe"] });
    token.onCancellationRequested(() => child.kill("SIGINT"));
    let answer = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (answer += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      const line = text.split(/[\r\n]+/u).filter((part) => part.trim() !== "").at(-1);
      if (line !== undefined) progress.report({ message: line.replace(/^manicule: /u, "").trim() });
    });
    return new Promise<unknown>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => {
        let value: unknown;
        try {
          value = JSON.parse(answer);
        } catch {
          value = undefined;
        }
        if (code === 0) resolve(value);
        else reject(new Error(token.isCancellationRequested ? vscode.l10n.t("It was stopped.") : failureOf(value) || vscode.l10n.t("The program ended without an answer.")));
      });
    });
  });
}
