--- Writing memories: about the place of the cursor, about lines, about a whole
--- file or folder.
local client = require('manicule.client')

local M = {}

--- Asks for a text unless there is one. Without an answer nothing is done.
---@param text string
---@param prompt string
---@param done fun(text: string)
function M.with_text(text, prompt, done)
  if vim.trim(text) ~= '' then return done(vim.trim(text)) end
  vim.ui.input({ prompt = prompt .. ' ' }, function(typed)
    if typed and vim.trim(typed) ~= '' then done(vim.trim(typed)) end
  end)
end

---@param bufnr integer
---@param lines? { [1]: integer, [2]: integer } from 1; nil for the cursor
---@param own vim.lsp.Client
local function range_params(bufnr, lines, own)
  if not lines then return vim.lsp.util.make_range_params(0, own.offset_encoding) end
  local last = vim.api.nvim_buf_get_lines(bufnr, lines[2] - 1, lines[2], false)[1] or ''
  return vim.lsp.util.make_given_range_params(
    { lines[1], 0 },
    { lines[2], math.max(0, #last - 1) },
    bufnr,
    own.offset_encoding
  )
end

--- Finds the innermost place of the cursor, or of lines: the server offers it as
--- its first code action.
---@param bufnr integer
---@param lines? { [1]: integer, [2]: integer } first and last line, from 1
---@param done fun(uri: string, place: string)
function M.place(bufnr, lines, done)
  local own = client.of(bufnr)
  if not own then return client.execute(bufnr, 'manicule.remember', {}) end
  local params = range_params(bufnr, lines, own)
  params.context = { diagnostics = {}, only = { 'refactor.manicule.remember' }, triggerKind = 1 }
  client.ask(bufnr, 'textDocument/codeAction', params, function(actions)
    local command = actions and actions[1] and actions[1].command
    if command then return done(command.arguments[1], command.arguments[2]) end
    vim.notify('manicule: nothing can be anchored here', vim.log.levels.WARN)
  end)
end

--- Writes a memory about the place of the cursor, or about lines.
---@param bufnr integer
---@param text string asked for when empty
---@param lines? { [1]: integer, [2]: integer } first and last line, from 1
function M.here(bufnr, text, lines)
  M.place(bufnr, lines, function(uri, place)
    M.with_text(
      text,
      'What should be remembered here?',
      function(given) client.execute(bufnr, 'manicule.remember', { uri, place, given }) end
    )
  end)
end

--- What a buffer shows: its file, or the folder of a file manager.
---@param bufnr integer
---@return string
local function shown(bufnr)
  local folder = vim.b[bufnr].netrw_curdir
  local name = vim.api.nvim_buf_get_name(bufnr)
  return folder or name:match('^oil://(.*)$') or name
end

--- Writes a memory about a whole file or folder.
---@param bufnr integer
---@param text string asked for when empty
function M.teach(bufnr, text)
  local path = shown(bufnr)
  if path == '' then return vim.notify('manicule: this buffer is not a file', vim.log.levels.WARN) end
  local name = vim.fn.fnamemodify(path, ':.')
  M.with_text(
    text,
    ('What should be known about %s?'):format(name == '' and path or name),
    function(given) client.execute(bufnr, 'manicule.rememberFile', { vim.uri_from_fname(path), given }) end
  )
end

return M
