--- The diagnostics of other servers and linters, for the server to compare with
--- errors in memories.
local M = {}

---@param text string a line of the buffer
---@param byte integer column in bytes
---@param encoding string of the client
---@return integer column in the client's units
local function units(text, byte, encoding)
  byte = math.min(byte, #text)
  if encoding == 'utf-8' then return byte end
  if vim.fn.has('nvim-0.11') == 1 then return vim.str_utfindex(text, encoding, byte, false) end
  local utf32, utf16 = vim.str_utfindex(text, byte)
  return encoding == 'utf-16' and utf16 or utf32
end

---@param bufnr integer
---@param line integer from 0
---@param byte integer
---@param encoding string
local function position(bufnr, line, byte, encoding)
  local text = vim.api.nvim_buf_get_lines(bufnr, line, line + 1, false)[1] or ''
  return { line = line, character = units(text, byte, encoding) }
end

--- A diagnostic of the editor, in the form of the protocol.
---@param diagnostic vim.Diagnostic
---@param encoding string
local function to_lsp(diagnostic, encoding)
  local bufnr = diagnostic.bufnr
  return {
    range = {
      start = position(bufnr, diagnostic.lnum, diagnostic.col, encoding),
      ['end'] = position(bufnr, diagnostic.end_lnum or diagnostic.lnum, diagnostic.end_col or diagnostic.col, encoding),
    },
    severity = diagnostic.severity,
    source = diagnostic.source,
    code = diagnostic.code,
    message = diagnostic.message,
  }
end

--- Whether a diagnostic is one of ours, which the editor sends itself.
---@param diagnostic vim.Diagnostic
local function is_ours(diagnostic) return (diagnostic.source or ''):lower():match('^manicule') ~= nil end

--- Adds other sources' diagnostics in the range of a request for code actions.
---
--- Since 0.11 the editor sends each server only its own diagnostics; a linter's
--- are sent to none. The server needs them all to recognize an error.
---@param params table of textDocument/codeAction; changed
---@param encoding string of the client
function M.add_others(params, encoding)
  local bufnr = vim.uri_to_bufnr(params.textDocument.uri)
  if not vim.api.nvim_buf_is_loaded(bufnr) then return end
  local known = {}
  params.context.diagnostics = params.context.diagnostics or {}
  for _, sent in ipairs(params.context.diagnostics) do
    known[sent.message] = true
  end
  local first, last = params.range.start.line, params.range['end'].line
  for _, diagnostic in ipairs(vim.diagnostic.get(bufnr)) do
    local touches = diagnostic.lnum <= last and (diagnostic.end_lnum or diagnostic.lnum) >= first
    if touches and not is_ours(diagnostic) and not known[diagnostic.message] then
      table.insert(params.context.diagnostics, to_lsp(diagnostic, encoding))
    end
  end
end

--- Adds other sources' diagnostics to every request for code actions.
---@param rpc vim.lsp.rpc.PublicClient the connection to the server
---@return vim.lsp.rpc.PublicClient
function M.with_others(rpc)
  local request, encoding = rpc.request, 'utf-16'
  rpc.request = function(method, params, callback, ...)
    if method == 'initialize' then
      return request(method, params, function(err, result, ...)
        encoding = vim.tbl_get(result or {}, 'capabilities', 'positionEncoding') or encoding
        callback(err, result, ...)
      end, ...)
    end
    if method == 'textDocument/codeAction' and params.context then M.add_others(params, encoding) end
    return request(method, params, callback, ...)
  end
  return rpc
end

--- Publishes diagnostics without a code that their text begins with: virtual_lines writes it before the text, and
--- a float behind it.
function M.publish(err, params, ...)
  for _, diagnostic in ipairs(params and params.diagnostics or {}) do
    local label = type(diagnostic.code) == 'string' and diagnostic.code:gsub('_', ' ') .. ': '
    if label and vim.startswith(diagnostic.message, label) then diagnostic.code = nil end
  end
  return vim.lsp.handlers['textDocument/publishDiagnostics'](err, params, ...)
end

return M
