// The language client: how the server is started, restarted and stopped.

import { stat } from "node:fs/promises";

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  type ErrorHandler,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  ResponseError,
  State,
} from "vscode-languageclient/node";

import { findServer, ServerNotFoundError } from "./bootstrap";
import type { OpenCard } from "./commands";
import { readConfig } from "./config";
import { commandsOf, middleware } from "./middleware";
import type { Peek } from "./peek";
import { cellScheme, foldersOnDisk, sayNoFolder } from "./places";
import { Program } from "./program";
import { clientAbilities, notifications } from "./protocol";
import { isSetUp } from "./setup";
import type { Typed } from "./typed";

/** The server, as far as the views use it. */
export interface Server {
  readonly running: boolean;
  /** Whether no server was started because no folder has memories. */
  readonly idle: boolean;
  /** Whether the server could not be started, or kept ending. */
  readonly failed: boolean;
  /** Whether a server is being started, or started again. */
  readonly starting: boolean;
  /** Whether the server offers a command. */
  offers(command: string): boolean;
  /** Sends a request; rejects if no server runs or it does not know the request. */
  request(method: string, params: object): Promise<unknown>;
  /** Runs one of the server's commands. */
  run(command: string, ...args: unknown[]): Promise<unknown>;
  /** Fires after the server started, stopped or sent manicule/changed. */
  readonly onDidChange: vscode.Event<void>;
  /** Fires with the parameters of manicule/sessionEnded. */
  readonly onSessionEnded: vscode.Event<unknown>;
  /** Fires with the parameters of manicule/compacted. */
  readonly onCompacted: vscode.Event<unknown>;
  /** Fires with the answer of a command that needs a form. */
  readonly onNeedsForm: vscode.Event<unknown>;
}

/** How often a server that ends is started again within this time, in milliseconds. */
const restarts = 3;
const restartsWithin = 3 * 60 * 1000;

/** How long a server may take to answer for the first time until a person is told, in milliseconds. */
const patience = 30_000;

/** Owns the one language client. Starting, a changed setting and a manual restart are all restart(). */
export class ServerControl implements vscode.Disposable, Server {
  private client: LanguageClient | undefined;
  private program: Program | undefined;
  /** When servers ended that had run. */
  private ends: number[] = [];
  private last: Promise<void> = Promise.resolve();
  /** How many starts and stops were asked for. */
  private asked = 0;
  private closed = false;
  private firstStart: Promise<void> | undefined;
  private started = false;
  private wanted = false;
  private waits = false;
  private broken = false;
  private stand: vscode.Disposable | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly sessionEnded = new vscode.EventEmitter<unknown>();
  private readonly compacted = new vscode.EventEmitter<unknown>();
  private readonly needsForm = new vscode.EventEmitter<unknown>();
  readonly onDidChange = this.changed.event;
  readonly onSessionEnded = this.sessionEnded.event;
  readonly onCompacted = this.compacted.event;
  readonly onNeedsForm = this.needsForm.event;
  /** Opens the card of a memory, which is made later than the client. */
  openCard: OpenCard = () => Promise.resolve(false);
  /** What a person typed and no server has stored. */
  readonly typed: Typed = new Map();
  /** Gets the answer of a command that needs a form. */
  readonly fillIn = (answer: unknown): void => {
    this.needsForm.fire(answer);
  };

  constructor(
    private readonly extensionPath: string,
    private readonly log: vscode.LogOutputChannel,
    private readonly peek: Peek,
    private readonly settingKeys: readonly string[],
  ) {
    this.standIn();
  }

  get running(): boolean {
    return this.started;
  }

  get idle(): boolean {
    return this.waits;
  }

  get failed(): boolean {
    return this.broken;
  }

  get starting(): boolean {
    return !this.started && !this.waits && !this.broken && vscode.workspace.isTrusted;
  }

  offers(command: string): boolean {
    return commandsOf(this.client).includes(command);
  }

  request(method: string, params: object): Promise<unknown> {
    if (!this.client || !this.started) return Promise.reject(new Error(vscode.l10n.t("Manicule's server is not running.")));
    return this.client.sendRequest<unknown>(method, params);
  }

  run(command: string, ...args: unknown[]): Promise<unknown> {
    return this.request(ExecuteCommandRequest.method, { command, arguments: args });
  }

  /** Stops the server if it runs, and starts it. Never rejects: it shows errors to the person instead. */
  restart(): Promise<void> {
    this.ends = []; // what a person starts counts anew
    return this.startAnew();
  }

  private startAnew(): Promise<void> {
    return this.enqueue(async (overtaken) => {
      await this.stopClient();
      if (!overtaken()) await this.startClient(overtaken);
    });
  }

  /** Starts the server although no folder has memories: a person asked for it. Who asks meanwhile waits for the same start. */
  startHere(): Promise<void> {
    this.wanted = true;
    this.firstStart ??= this.restart().finally(() => {
      this.firstStart = undefined;
    });
    return this.firstStart;
  }

  /** Starts the server if it waited for memories and there are some now. */
  async look(): Promise<void> {
    if (!this.idle || !(await anySetUp()) || !this.waits) return;
    this.waits = false; // who looks at the same time finds it starting
    await this.restart();
  }

  /** Finds the program of the server. */
  find(): ReturnType<typeof findServer> {
    return findServer({ setting: readConfig().serverPath, env: process.env, extensionPath: this.extensionPath, platform: process.platform });
  }

  /** Stops the server. */
  stop(): Promise<void> {
    return this.enqueue(() => this.stopClient());
  }

  /** Stops the server for good: who waits for it to start another one does not when the window closes. */
  close(): Promise<void> {
    this.closed = true;
    return this.stop();
  }

  dispose(): void {
    void this.close().then(() => { this.stand?.dispose(); });
    this.changed.dispose();
    this.sessionEnded.dispose();
    this.compacted.dispose();
    this.needsForm.dispose();
  }

  // Serialized: two quick restarts must not leave two servers. What is asked for later overtakes a start: one that never answers
  // would keep it waiting. Resolves when what was asked for last is done.
  private enqueue(step: (overtaken: () => boolean) => Promise<void>): Promise<void> {
    if (!this.started) void this.program?.kill();
    const turn = ++this.asked;
    this.last = this.last.then(() => step(() => this.closed || turn !== this.asked)).catch((error: unknown) => this.report(error));
    return this.settled();
  }

  private async settled(): Promise<void> {
    for (let last: Promise<void> | undefined; last !== this.last; ) {
      last = this.last;
      await last;
    }
  }

  private async startClient(overtaken: () => boolean): Promise<void> {
    if (this.broken) {
      this.broken = false;
      await setFailed(false);
      this.changed.fire(); // the status says that it starts
    }
    // The server runs git in the folder, and git runs what the folder's own
    // configuration names: it waits until a person trusts the folder.
    if (!vscode.workspace.isTrusted) {
      this.log.info("waiting until the folder is trusted");
      return;
    }
    // Nobody's machine works for a folder that has no memories.
    if (!this.wanted && !(await anySetUp())) {
      this.log.info("waiting: no folder here has memories");
      this.waits = true;
      this.changed.fire();
      await setIdle(true);
      return;
    }
    const config = readConfig();
    const server = await this.find();
    const root = await rootFolder();
    if (overtaken()) return;
    this.log.info(`starting ${server.command} (${server.from})`);
    this.started = false;
    const program = new Program(server.command, ["lsp", ...config.serverArguments], root);
    this.program = program;
    const client = new Client("manicule", "Manicule", () => program.start(), this.options(program));
    this.client = client;
    client.onNotification(notifications.changed, () => {
      this.changed.fire();
    });
    client.onNotification(notifications.sessionEnded, (params: unknown) => {
      this.sessionEnded.fire(params);
    });
    client.onNotification(notifications.compacted, (params: unknown) => {
      this.compacted.fire(params);
    });
    this.stand?.dispose();
    this.stand = undefined;
    try {
      await this.answered(client, program);
    } catch (error) {
      await this.stopClient(); // the stand-ins try again
      if (program.killed) return; // who asked for that starts the next one
      if (this.ends.length > 0) {
        this.endedByItself(program);
        return;
      }
      throw error;
    }
    this.log.info(`the server is ${client.initializeResult?.serverInfo?.version ?? "of an unknown version"}`);
    this.started = true;
    await setRunning(true);
    this.changed.fire();
  }

  // Resolves when the server has answered for the first time. Of one that ends before, the client's own error tells little,
  // or there is none, and it waits forever if the end came before it listened: then why it ended is the reason.
  private async answered(client: LanguageClient, program: Program): Promise<void> {
    const slow = setTimeout(() => {
      if (this.client === client) this.tell(vscode.window.showWarningMessage, vscode.l10n.t("Manicule's server was started and has not answered yet. Its log may say why."));
    }, patience);
    try {
      await Promise.race([client.start(), program.over]);
      if (client.state !== State.Running) throw new Error(vscode.l10n.t("Manicule's server is not running."));
    } catch (error) {
      this.log.debug(String(error));
      throw (await program.ends()) ? new Error(program.why, { cause: error }) : error;
    } finally {
      clearTimeout(slow);
    }
  }

  // Until the server offers its commands, the ones that write the first memory start it. They are
  // there from the beginning: one of them may be what the extension was activated for.
  private standIn(): void {
    const asked = new Set<string>();
    this.stand ??= vscode.Disposable.from(
      ...firstCommands.map((id) =>
        vscode.commands.registerCommand(id, async (...args: unknown[]) => {
          if (asked.has(id)) return; // its key was pressed again while the server starts
          if (!isFolderOpen()) return void sayNoFolder();
          asked.add(id);
          try {
            await this.settled();
            if (!this.running) await this.startHere();
            if (this.running) await vscode.commands.executeCommand(id, ...args);
          } finally {
            asked.delete(id);
          }
        }),
      ),
    );
  }

  private options(program: Program): LanguageClientOptions {
    return {
      // Old versions of files, in git's views, show the memories of their time. The client sends the cells of notebooks
      // with their notebook, as the server asks for.
      documentSelector: [{ scheme: "file" }, { scheme: "git" }, { scheme: "gitlens" }, { scheme: cellScheme, pattern: "**/*.ipynb" }],
      diagnosticCollectionName: "manicule",
      outputChannel: this.log,
      initializationOptions: clientAbilities,
      middleware: middleware(this.peek, this, () => this.client, this.settingKeys),
      // report() shows both once, so the client must not.
      initializationFailedHandler: () => false,
      errorHandler: this.errorHandler(program),
    };
  }

  // A server that ends after it ran is started again, unless it keeps ending; one that never ran, and follows none that did,
  // would only fail again. The client would do so by itself, but nobody would hear of a start that fails.
  private errorHandler(program: Program): ErrorHandler {
    return {
      // Of a server that dies, several messages may fail before its end is known. The client's own handler stops for
      // good then; here its end decides.
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        if (this.started && this.program === program) this.endedByItself(program);
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  private endedByItself(program: Program): void {
    const now = Date.now();
    this.ends = [...this.ends.filter((at) => at > now - restartsWithin), now];
    void program.ends().then(() => { this.log.error(program.why); });
    if (this.ends.length <= restarts) return void this.startAnew();
    void this.report(new Error(vscode.l10n.t("it ended four times within three minutes")));
    return void this.stop(); // its commands are gone: the stand-ins take their place
  }

  private async stopClient(): Promise<void> {
    const { client, program } = this;
    this.client = undefined;
    this.program = undefined;
    this.started = false;
    this.waits = false;
    await setIdle(false);
    await setRunning(false);
    if (!client) return;
    this.changed.fire();
    try {
      await client.dispose();
    } catch (error) {
      // A server that died or never started can't be stopped.
      this.log.debug(`the server did not stop in order: ${String(error)}`);
    }
    await program?.ends();
    this.standIn();
  }

  // What helps comes first: another path where there is no program, another start where there is one. It is not awaited:
  // the message may stay open for hours, and a restart must not wait for it.
  private tell(show: (text: string, ...buttons: string[]) => Thenable<string | undefined>, text: string, canRestart = true): void {
    const settings = vscode.l10n.t("Open Settings");
    const restart = vscode.l10n.t("Restart the Server");
    const log = vscode.l10n.t("Show Log");
    void show(text, ...(canRestart ? [restart, settings, log] : [settings, log])).then((choice) => {
      if (choice === log) this.log.show();
      if (choice === restart) return vscode.commands.executeCommand("manicule.restartServer");
      if (choice !== settings) return undefined;
      return vscode.commands.executeCommand("workbench.action.openSettings", "manicule.server.path");
    });
  }

  private async report(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    this.log.error(message);
    if (error instanceof ServerNotFoundError) this.tell(vscode.window.showErrorMessage, message, false);
    else this.tell(vscode.window.showErrorMessage, vscode.l10n.t("Manicule's server does not run: {0}. Its log may say why.", message));
    this.started = false;
    this.broken = true;
    await setRunning(false);
    await setFailed(true);
    this.changed.fire();
  }
}

/** The folder that the server is started in: the first one that is open, if it is there. */
async function rootFolder(): Promise<string | undefined> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder?.uri.scheme !== "file") return undefined;
  return (await stat(folder.uri.fsPath).catch(() => undefined))?.isDirectory() ? folder.uri.fsPath : undefined;
}

/** What reading and writing fail with where the other end is gone, by the protocol's library. */
const lostConnection = new Set([-32099, -32098]);

/** A client that logs what fails because there is no server, or it had just died: report() says so, once. */
class Client extends LanguageClient {
  override error(message: string, data?: unknown, showNotification?: boolean | "force"): void {
    const lost = this.state !== State.Running || (data instanceof ResponseError && lostConnection.has(data.code));
    super.error(message, data, lost ? false : showNotification);
  }
}

/** The commands that write a folder's first memory. */
const firstCommands = ["manicule.remember", "manicule.rememberFile"];

/** Tells whether an open folder keeps memories. */
export async function anySetUp(): Promise<boolean> {
  const found = await Promise.all(foldersOnDisk().map((folder) => isSetUp(folder.uri.fsPath)));
  return found.includes(true);
}

function isFolderOpen(): boolean {
  return foldersOnDisk().length > 0;
}

async function setIdle(idle: boolean): Promise<void> {
  await vscode.commands.executeCommand("setContext", "manicule.idle", idle);
}

// A server that does not run yet is none that failed.
async function setFailed(failed: boolean): Promise<void> {
  await vscode.commands.executeCommand("setContext", "manicule.failed", failed);
}

// The command palette offers the server's commands only while it runs.
async function setRunning(running: boolean): Promise<void> {
  await vscode.commands.executeCommand("setContext", "manicule.running", running);
}
