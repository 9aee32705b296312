// Starts `memstore lsp` when a Markdown file is opened.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const [command, ...args] = workspace.getConfiguration("memstore").get("command");
  const documentSelector = [{ scheme: "file", language: "markdown" }];
  client = new LanguageClient("memstore", { command, args }, { documentSelector });
  return client.start();
};

exports.deactivate = () => client?.stop();
