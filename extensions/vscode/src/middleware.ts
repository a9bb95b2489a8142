// What the extension changes of what the language client does by itself.

import * as vscode from "vscode";
import {
  CodeLensResolveRequest,
  DidChangeConfigurationNotification,
  ErrorCodes,
  ExecuteCommandRequest,
  type LanguageClient,
  LSPErrorCodes,
  type Middleware,
  ResponseError,
} from "vscode-languageclient/node";

import { executeCommand, type Front } from "./commands";
import { forServer, section } from "./config";
import { showError } from "./error";
import type { Peek } from "./peek";
import { NotStored } from "./typed";

// The person or the server cancelled it, it is outdated, or the server was stopped: no failure.
const noFailure: ReadonlySet<unknown> = new Set([
  LSPErrorCodes.RequestCancelled,
  LSPErrorCodes.ServerCancelled,
  LSPErrorCodes.ContentModified,
  ErrorCodes.PendingResponseRejected,
  ErrorCodes.ConnectionInactive,
]);

/** The middleware of a client; keys are those of the settings, client the one that runs when it is asked for. */
export function middleware(peek: Peek, front: Front, client: () => LanguageClient | undefined, keys: readonly string[]): Middleware {
  const commands = executeCommand(peek, front);
  return {
    // The language client and the editor would each tell of an error, the editor in a dialog.
    executeCommand: async (command, args, next) => {
      const now = client();
      try {
        return await commands(command, args, now ? (id, given) => now.sendRequest(ExecuteCommandRequest.type, { command: id, arguments: given }) : next);
      } catch (error) {
        const typed = error instanceof NotStored ? error : undefined;
        const reason: unknown = typed ? typed.cause : error;
        const ended = reason instanceof ResponseError && noFailure.has(reason.code);
        if (ended && !typed) return undefined;
        now?.error(`${command} failed.`, reason, false); // for the log
        showError(ended ? new Error(vscode.l10n.t("the server ended before it answered")) : reason, typed?.again);
        return undefined;
      }
    },
    workspace: {
      configuration: async (params, token, next) => {
        const answer: unknown = await next(params, token);
        return params.items.map((item, i) => {
          if (item.section !== section) return Array.isArray(answer) ? (answer[i] as unknown) : null;
          const settings = vscode.workspace.getConfiguration(section, item.scopeUri === undefined ? null : vscode.Uri.parse(item.scopeUri, true));
          return forServer(keys, (key) => settings.inspect(key));
        });
      },
      // The server is told that something changed, and asks: so that what it
      // gets goes through the above.
      didChangeConfiguration: async () => {
        await client()?.sendNotification(DidChangeConfigurationNotification.method, { settings: null });
      },
    },
    // The editor waits a quarter of a second before it asks for the titles of
    // lenses, and shows empty lines meanwhile, after each refresh anew: they
    // come with their titles. The server has them at hand.
    provideCodeLenses: async (document, token, next) => {
      const lenses = await next(document, token);
      const now = client();
      return lenses && now ? titled(now, lenses, token) : lenses;
    },
    provideHover: async (document, position, token, next) => {
      const hover = await next(document, position, token);
      return hover ? trustCommands(hover, commandsOf(client())) : hover;
    },
  };
}

/** The commands that the server offers. */
export function commandsOf(client: LanguageClient | undefined): readonly string[] {
  const offered = client?.initializeResult?.capabilities.executeCommandProvider?.commands ?? [];
  return offered.filter((command) => command.startsWith("manicule."));
}

function titled(client: LanguageClient, lenses: readonly vscode.CodeLens[], token: vscode.CancellationToken): Promise<vscode.CodeLens[]> {
  return Promise.all(
    lenses.map(async (lens) => {
      if (lens.isResolved) return lens;
      try {
        const answer = await client.sendRequest(CodeLensResolveRequest.type, client.code2ProtocolConverter.asCodeLens(lens), token);
        return client.protocol2CodeConverter.asCodeLens(answer);
      } catch {
        // Probably cancelled. The editor asks again.
        return lens;
      }
    }),
  );
}

/** Lets the links of a hover run the server's own commands, and nothing else. */
function trustCommands(hover: vscode.Hover, commands: readonly string[]): vscode.Hover {
  for (const content of hover.contents) {
    if (content instanceof vscode.MarkdownString) content.isTrusted = { enabledCommands: commands };
  }
  return hover;
}
