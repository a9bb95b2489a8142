// The language client: how the server is started, restarted and stopped.

import * as vscode from "vscode";
import { CloseAction, ErrorAction, type ErrorHandler, LanguageClient, type LanguageClientOptions, type Middleware } from "vscode-languageclient/node";

import { findServer, ServerNotFoundError } from "./bootstrap";
import { executeCommand } from "./commands";
import { readConfig } from "./config";
import { clientAbilities } from "./protocol";

/** Owns the one language client. Starting, a changed setting and a manual restart are all restart(). */
export class ServerControl implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private last: Promise<void> = Promise.resolve();
  private started = false;

  constructor(
    private readonly extensionPath: string,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Stops the server if it runs, and starts it. Never rejects: a person is told instead. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopClient();
      await this.startClient();
    });
  }

  /** Stops the server. */
  stop(): Promise<void> {
    return this.enqueue(() => this.stopClient());
  }

  dispose(): void {
    void this.stop();
  }

  // One step at a time: two quick restarts must not leave two servers.
  private enqueue(step: () => Promise<void>): Promise<void> {
    this.last = this.last.then(step).catch((error: unknown) => this.report(error));
    return this.last;
  }

  private async startClient(): Promise<void> {
    const config = readConfig();
    const server = await findServer({
      setting: config.serverPath,
      env: process.env,
      extensionPath: this.extensionPath,
      platform: process.platform,
    });
    this.log.info(`starting ${server.command} (${server.from})`);
    // No transport is named: with one, the client would append --stdio.
    const run = { command: server.command, args: ["lsp", ...config.serverArguments] };
    this.started = false;
    this.client = new LanguageClient("manicule", "Manicule", run, this.options());
    await this.client.start();
    this.started = true;
    await setRunning(true);
  }

  private options(): LanguageClientOptions {
    return {
      // Old versions of files, as git's views name them, show the memories of then.
      documentSelector: [{ scheme: "file" }, { scheme: "git" }, { scheme: "gitlens" }],
      diagnosticCollectionName: "manicule",
      outputChannel: this.log,
      initializationOptions: clientAbilities,
      middleware: this.middleware(),
      // Both are told once, by report(), and not by the client in its own words.
      initializationFailedHandler: () => false,
      errorHandler: this.errorHandler(),
    };
  }

  // A server that ends after it ran is started again by the client, unless it
  // keeps ending; one that never ran would only fail again.
  private errorHandler(): ErrorHandler {
    let ends: number[] = [];
    return {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        if (!this.started) return { action: CloseAction.DoNotRestart, handled: true };
        ends = [...ends.filter((time) => Date.now() - time < 3 * 60_000), Date.now()];
        if (ends.length <= 3) return { action: CloseAction.Restart };
        void this.report(new Error("it ended four times within three minutes"));
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  private middleware(): Middleware {
    return {
      executeCommand,
      provideHover: async (document, position, token, next) => {
        const hover = await next(document, position, token);
        return hover ? trustCommands(hover, this.commands()) : hover;
      },
    };
  }

  private commands(): readonly string[] {
    const offered = this.client?.initializeResult?.capabilities.executeCommandProvider?.commands ?? [];
    return offered.filter((command) => command.startsWith("manicule."));
  }

  private async stopClient(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await setRunning(false);
    if (!client) return;
    try {
      await client.dispose();
    } catch (error) {
      // A server that died, or never started, can't be asked to stop.
      this.log.debug(`the server did not stop in order: ${String(error)}`);
    }
  }

  private async report(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    this.log.error(message);
    const settings = "Open Settings";
    const log = "Show Log";
    const text = error instanceof ServerNotFoundError ? message : `Manicule's server does not run: ${message}. Its log may say why.`;
    // Not awaited: the message may stay open for hours, and a restart must not wait for it.
    void vscode.window.showErrorMessage(text, settings, log).then((choice) => {
      if (choice === log) this.log.show();
      if (choice !== settings) return undefined;
      return vscode.commands.executeCommand("workbench.action.openSettings", "manicule.server.path");
    });
    await setRunning(false);
  }
}

/** Lets the links of a hover run the server's own commands, and nothing else. */
function trustCommands(hover: vscode.Hover, commands: readonly string[]): vscode.Hover {
  for (const content of hover.contents) {
    if (content instanceof vscode.MarkdownString) content.isTrusted = { enabledCommands: commands };
  }
  return hover;
}

// The command palette offers the server's commands only while it runs.
async function setRunning(running: boolean): Promise<void> {
  await vscode.commands.executeCommand("setContext", "manicule.running", running);
}
