// Runs gopls on the same files as Manicule, as an extension for Go would: to see
// what becomes of both in one editor. MANICULE_E2E_GOPLS names the program.

import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export function activate(): void {
  const command = process.env["MANICULE_E2E_GOPLS"];
  if (command === undefined || command === "") return;
  client = new LanguageClient("second", "gopls", { command, args: [] }, { documentSelector: [{ scheme: "file", language: "go" }] });
  void client.start();
}

export function deactivate(): Promise<void> | undefined {
  return client?.stop();
}
