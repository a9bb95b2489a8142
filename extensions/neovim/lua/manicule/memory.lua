--- Actions on one memory, and the choice of one.
local client = require('manicule.client')

local M = {}

--- The memories of a place: what applies at the cursor.
---@param bufnr integer
---@param done fun(memories: manicule.Item[])
function M.at_cursor(bufnr, done)
  local at = client.cursor(bufnr)
  client.execute(
    bufnr,
    'manicule.showMemories',
    { at.textDocument.uri, at.position },
    function(memories) done(type(memories) == 'table' and memories or {}) end
  )
end

--- Passes the memory at the cursor to a function. A person picks if there are several.
---@param bufnr integer
---@param prompt string
---@param done fun(memory: manicule.Item)
function M.choose(bufnr, prompt, done)
  M.at_cursor(bufnr, function(memories)
    if #memories == 0 then return client.none_here() end
    if #memories == 1 then return done(memories[1]) end
    require('manicule.pick').items(memories, prompt, done)
  end)
end

--- Opens the file of a memory.
---@param uuid string
function M.open(uuid) client.execute(0, 'manicule.openMemory', { uuid }) end

--- Edits a memory in a buffer; a new version is written.
---@param memory manicule.Item
---@param done? fun()
function M.edit(memory, done)
  M.full(memory, function(full)
    local form = require('manicule.form')
    form.open(form.edit, full, 'Edit the memory', function(changed, answered)
      if not next(changed) then return answered() end
      client.execute(0, 'manicule.editMemory', { memory.uuid, changed }, function(result)
        if answered(client.refusal(result)) and done then done() end
      end)
    end)
  end)
end

--- Puts a memory right that is wrong, in a buffer with a part for what was wrong.
--- The server says what it starts from, and takes the version back that was read.
---@param bufnr integer
---@param uuid string
---@param done? fun()
function M.correct(bufnr, uuid, done)
  client.execute(bufnr, 'manicule.correctMemory', { uuid }, function(start)
    if type(start) ~= 'table' or not start.needsCorrection then return end
    local form = require('manicule.form')
    form.open(form.correction, start, 'Correct the memory', function(changed, answered)
      local correction = vim.tbl_extend('force', changed, { version = start.version })
      client.execute(0, 'manicule.correctMemory', { uuid, correction }, function(result)
        if not answered(client.refusal(result)) then return end
        vim.notify('☞ Corrected; its history has what it said before')
        if done then done() end
      end)
    end)
  end)
end

--- Edits the memory or the candidate that has a uuid, in a buffer: what the
--- server's code actions ask for.
---@param bufnr integer
---@param uuid string
function M.edit_by_uuid(bufnr, uuid)
  client.execute(bufnr, 'manicule.showMemories', { vim.NIL, vim.NIL, { uuid } }, function(memories)
    if memories and memories[1] then return M.edit(memories[1]) end
    client.ask(bufnr, 'manicule/candidates', vim.empty_dict(), function(result)
      for _, candidate in ipairs(result and result.candidates or {}) do
        if candidate.uuid == uuid then return require('manicule.review').correct(candidate) end
      end
      vim.notify('manicule: it is no longer there', vim.log.levels.WARN)
    end)
  end)
end

--- Gives a memory with all that can be corrected to a function, read from its
--- file: lists carry less.
---@param memory manicule.Item
---@param done fun(memory: manicule.Item)
function M.full(memory, done)
  local ok, lines = pcall(vim.fn.readfile, memory.uri and vim.uri_to_fname(memory.uri) or '')
  local decoded, content =
    pcall(vim.json.decode, ok and table.concat(lines, '\n') or '', { luanil = { object = true } })
  if not decoded or type(content) ~= 'table' then return done(memory) end
  local scope = content.scope
  if type(scope) == 'string' then scope = { scope } end
  done(vim.tbl_extend('force', memory, { what = content.what, why = content.why, type = content.type, scope = scope }))
end

--- Asks what is wrong with a memory, and disputes it.
---@param bufnr integer
---@param memory manicule.Item
---@param note? string
function M.dispute(bufnr, memory, note)
  local function send(text)
    if text and vim.trim(text) ~= '' then
      client.execute(bufnr, 'manicule.disputeMemory', { memory.uuid, vim.trim(text) })
    end
  end
  if note and note ~= '' then return send(note) end
  vim.ui.input({ prompt = 'What is wrong with this memory? ' }, send)
end

return M
