--- Writing memories: about the place of the cursor, about lines, about a whole
--- file or folder.
local client = require('manicule.client')

local M = {}

--- What was typed and no server has stored, by the question that it answers.
---@type table<string, string>
local unstored = {}

--- Asks for a text unless there is one. Without an answer nothing is done. What was typed is offered again until it is stored.
---@param text string
---@param prompt string
---@param done fun(text: string, stored: fun())
function M.with_text(text, prompt, done)
  local function give(given)
    unstored[prompt] = given
    done(given, function() unstored[prompt] = nil end)
  end
  if vim.trim(text) ~= '' then return give(vim.trim(text)) end
  vim.ui.input({ prompt = prompt .. ' ', default = unstored[prompt] }, function(typed)
    if not typed then return end -- left without an answer: what was typed before may still be wanted
    unstored[prompt] = nil
    if vim.trim(typed) ~= '' then give(vim.trim(typed)) end
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
---@param done fun(uri: string, place: string, others: string[])
function M.place(bufnr, lines, done)
  local own = client.of(bufnr)
  if not own then return vim.notify('manicule: ' .. client.unserved(bufnr), vim.log.levels.WARN) end
  local params = range_params(bufnr, lines, own)
  params.context = { diagnostics = {}, only = { 'refactor.manicule.remember' }, triggerKind = 1 }
  client.ask(bufnr, 'textDocument/codeAction', params, function(actions)
    local places, uri = {}, nil
    for _, action in ipairs(actions or {}) do
      local arguments = action.command and action.command.arguments or {}
      uri = uri or arguments[1]
      places[#places + 1] = arguments[2]
    end
    if uri then return done(uri, table.remove(places, 1), places) end
    vim.notify('manicule: nothing can be anchored here', vim.log.levels.WARN)
  end)
end

--- Names below the last line of a form, which is the place, what else the memory may be about.
---@param others string[]
local function offer(others)
  local buf = vim.api.nvim_get_current_buf()
  local lines = vim.tbl_map(function(place) return { { 'or ' .. place, 'Comment' } } end, others)
  local space = vim.api.nvim_create_namespace('manicule.places')
  vim.api.nvim_buf_set_extmark(buf, space, vim.api.nvim_buf_line_count(buf) - 1, 0, { id = 1, virt_lines = lines })
end

--- Writes a memory in a buffer, which has a part for its text, why, the type and the place.
---@param bufnr integer
---@param uri string of the document
---@param place string what it is about, unless the person says something else
---@param others string[] what else it may be about
local function in_form(bufnr, uri, place, others)
  local form = require('manicule.form')
  local start = { uuid = place, what = '', why = '', type = 'gotcha', place = place }
  form.open(form.new, start, 'Remember something', function(changed, answered)
    local given = vim.tbl_extend('force', start, changed)
    local more = { why = given.why, type = (vim.trim(given.type):gsub('[%s-]+', '_')) }
    client.execute(bufnr, 'manicule.remember', { uri, given.place, given.what, more }, function(result)
      -- What another memory says again is not refused: the server asks what becomes of it.
      local asked = type(result) == 'table' and result.code == 'same'
      if answered(not asked and client.refusal(result) or nil) and not asked then
        vim.notify('☞ Remembered at ' .. given.place)
      end
    end)
  end)
  offer(others)
  vim.cmd.startinsert()
end

--- Writes a memory about the place of the cursor, or about lines.
---@param bufnr integer
---@param text string asked for in a form when empty
---@param lines? { [1]: integer, [2]: integer } first and last line, from 1
function M.here(bufnr, text, lines)
  M.place(bufnr, lines, function(uri, place, others)
    if vim.trim(text) == '' then return in_form(bufnr, uri, place, others) end
    client.execute(bufnr, 'manicule.remember', { uri, place, vim.trim(text) })
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
  M.with_text(text, ('What should be known about %s?'):format(name == '' and path or name), function(given, stored)
    client.execute(bufnr, 'manicule.rememberFile', { vim.uri_from_fname(path), given }, function(result)
      if not client.refusal(result) then stored() end
    end)
  end)
end

return M
