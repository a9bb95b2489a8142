"""A language server that has rope refactor: rename, extract, inline, move, and a new parameter.

It reads the files of its work tree anew for each request, and never writes them: it
answers with edits.
"""

import json
import os
import sys
from urllib.parse import quote, unquote, urlparse

from rope.base import change, project
from rope.refactor import change_signature, extract, inline, move, rename

OFFERED = ["refactor.extract.function", "refactor.extract.variable", "refactor.inline", "refactor.move", "refactor.rewrite.signature"]


class Server:
    def __init__(self):
        self.project = None
        self.root = ""

    def start(self, params):
        self.root = unquote(urlparse(params["rootUri"]).path)
        self.project = project.Project(self.root, ropefolder=None, ignore_syntax_errors=True)
        return {"capabilities": {"renameProvider": True, "codeActionProvider": {"resolveProvider": True}}}

    def resource(self, uri):
        return self.project.get_resource(os.path.relpath(unquote(urlparse(uri).path), self.root))

    def uri(self, resource):
        return "file://" + quote(os.path.join(self.root, resource.path))

    def offset(self, resource, position):
        """The offset of a position, whose characters are units of UTF-16."""
        lines = resource.read().split("\n")[: position["line"] + 1]
        units = position["character"] * 2
        inside = lines[-1].encode("utf-16-le")[:units].decode("utf-16-le", "ignore")
        return sum(len(line) + 1 for line in lines[:-1]) + len(inside)

    def rename(self, params):
        resource = self.resource(params["textDocument"]["uri"])
        at = self.offset(resource, params["position"])
        return self.edit(rename.Rename(self.project, resource, at).get_changes(params["newName"]))

    def move_file(self, params):
        """Moves and renames a module. The caller moves the file, so only the edits of others count."""
        asked = params["files"][0]
        old = self.resource(asked["oldUri"])
        new = os.path.relpath(unquote(urlparse(asked["newUri"]).path), self.root)
        folder, name = os.path.split(new)
        if folder == os.path.dirname(old.path):
            changes = rename.Rename(self.project, old).get_changes(os.path.splitext(name)[0])
        elif name == os.path.basename(old.path):
            changes = move.create_move(self.project, old).get_changes(self.project.get_resource(folder))
        else:
            raise ValueError("rope moves a module or renames it, not both")
        return self.edit(changes)

    def offers(self, params):
        return [{"title": kind, "kind": kind, "data": params | {"kind": kind}} for kind in OFFERED]

    def resolve(self, action):
        asked = action["data"]
        resource = self.resource(asked["textDocument"]["uri"])
        start = self.offset(resource, asked["range"]["start"])
        end = self.offset(resource, asked["range"]["end"])
        action["edit"] = self.edit(getattr(self, "do_" + asked["kind"].split(".")[-1])(resource, start, end))
        return action

    def do_function(self, resource, start, end):
        return extract.ExtractMethod(self.project, resource, start, end).get_changes("extracted_part")

    def do_variable(self, resource, start, end):
        return extract.ExtractVariable(self.project, resource, start, end).get_changes("extracted_value")

    def do_inline(self, resource, start, end):
        return inline.create_inline(self.project, resource, start).get_changes(only_current=True, remove=False)

    def do_move(self, resource, start, end):
        """Moves a definition to the next module of its folder."""
        text = resource.read()
        for word in ("async ", "def ", "class "):
            if text.startswith(word, start):
                start += len(word)
        beside = sorted(r.path for r in resource.parent.get_files() if r.path.endswith(".py"))
        after = beside[(beside.index(resource.path) + 1) % len(beside)]
        return move.create_move(self.project, resource, start).get_changes(self.project.get_resource(after))

    def do_signature(self, resource, start, end):
        changer = change_signature.ChangeSignature(self.project, resource, start)
        named = [name for name, _ in changer.get_args()]
        first = 1 if named[:1] in (["self"], ["cls"]) else 0
        return changer.get_changes([change_signature.ArgumentAdder(first, "execution", None, "None")])

    def edit(self, changes):
        """The edit of rope's changes, each of a whole file."""
        edits = []
        for c in changes.changes:
            if isinstance(c, change.ChangeContents):
                whole = {"start": {"line": 0, "character": 0}, "end": {"line": 10**6, "character": 0}}
                edits.append({"textDocument": {"uri": self.uri(c.resource)}, "edits": [{"range": whole, "newText": c.new_contents}]})
        return {"documentChanges": edits}


def read():
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def main():
    server = Server()
    methods = {
        "initialize": server.start,
        "textDocument/rename": server.rename,
        "textDocument/codeAction": server.offers,
        "codeAction/resolve": server.resolve,
        "workspace/willRenameFiles": server.move_file,
    }
    while asked := read():
        if "id" not in asked or "method" not in asked:
            if asked.get("method") == "workspace/didChangeWatchedFiles":
                server.project.validate()
            continue
        answer = {"jsonrpc": "2.0", "id": asked["id"]}
        try:
            answer["result"] = methods[asked["method"]](asked["params"])
        except Exception as err:  # rope fails in many ways on real code: each is an answer
            answer["error"] = {"code": -32000, "message": f"{type(err).__name__}: {err}"}
        data = json.dumps(answer).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        sys.stdout.buffer.flush()


main()
