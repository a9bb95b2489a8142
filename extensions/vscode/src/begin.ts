// What one begins with: the rule files that a folder has already, and the model for search by
// meaning. Both are the program's work; where it takes long, a notification shows its progress.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

import * as vscode from "vscode";

import { failureOf, importOf, installOf } from "./answers";
import type { ServerControl } from "./client";
import { foldersOnDisk, sayNoFolder } from "./places";
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
  const folders = foldersOnDisk();
  if (folders.length === 0) {
    void sayNoFolder();
    return undefined;
  }
  const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick({ placeHolder }) : folders[0];
  return folder && ((await rootOf(folder.uri.fsPath)) ?? folder.uri.fsPath);
}

/**
 * How long the program runs unseen, in milliseconds. A window of VS Code shows three messages in 0.8 s and no more, and what tells of
 * progress is one of them: after two short ones the message of the result would be in the bell's list alone.
 */
const unseenFor = 500;

/** Runs the program and returns what it prints as JSON. One that takes longer is seen at work, and can be stopped. */
async function program(server: ServerControl, cwd: string, title: string, args: readonly string[]): Promise<unknown> {
  const { command } = await server.find();
  const run = new Run(spawn(command, [...args, "--json"], { cwd, windowsHide: true, stdio: ["ignore", "pipe", "pipe"] }));
  if (await Promise.race([run.ended.then(() => true), delay(unseenFor, false)])) return run.answer();
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, async (progress, token) => {
    token.onCancellationRequested(() => { run.stop(); });
    run.tell((message) => { progress.report({ message }); });
    await run.ended;
    return run.answer();
  });
}

/** A run of the program, from its start. */
class Run {
  /** Settles when the run is over, however it ended. */
  readonly ended: Promise<void>;
  private printed = "";
  private said = "";
  private stopped = false;
  private code: number | null = null;
  private failure: Error | undefined;
  private listener: (line: string) => void = () => undefined;

  constructor(private readonly child: ChildProcessByStdio<null, Readable, Readable>) {
    child.stdout.setEncoding("utf8").on("data", (text: string) => (this.printed += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      const line = text.split(/[\r\n]+/u).filter((part) => part.trim() !== "").at(-1);
      if (line === undefined) return;
      this.said = line.replace(/^manicule: /u, "").trim();
      this.listener(this.said);
    });
    this.ended = new Promise((resolve) => {
      child.on("error", (error) => {
        this.failure = error;
        resolve();
      });
      child.on("close", (code) => {
        this.code = code;
        resolve();
      });
    });
  }

  /** Calls a function with the last line about its progress, and with each further one. */
  tell(listener: (line: string) => void): void {
    this.listener = listener;
    if (this.said !== "") listener(this.said);
  }

  stop(): void {
    this.stopped = true;
    this.child.kill("SIGINT");
  }

  /** What it printed, after it has ended. It throws if the program failed. */
  answer(): unknown {
    if (this.failure !== undefined) throw this.failure;
    let value: unknown;
    try {
      value = JSON.parse(this.printed);
    } catch {
      value = undefined;
    }
    if (this.code === 0) return value;
    throw new Error(this.stopped ? vscode.l10n.t("It was stopped.") : failureOf(value) || vscode.l10n.t("The program ended without an answer."));
  }
}
