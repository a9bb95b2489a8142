--- The :Manicule command, and the editor's part of the server's commands:
--- questions (vim.ui.input) and lists (vim.ui.select).
local client = require('manicule.client')

local M = {}

--- Runs a command on the server, and gives its answer to a function.
---@param bufnr integer
---@param command string
---@param arguments any[]
---@param done? fun(result: any)
local function run(bufnr, command, arguments, done)
  local own = client.of(bufnr)
  if not own then
    vim.notify('manicule: the server does not run for this file. See :checkhealth manicule', vim.log.levels.WARN)
    return
  end
  local params = { command = command, arguments = arguments }
  client.request(own, 'workspace/executeCommand', params, function(err, result)
    if err then
      vim.notify('manicule: ' .. err.message, vim.log.levels.ERROR)
    elseif done then
      done(result)
    end
  end, bufnr)
end

--- The document and the position of the cursor.
---@param bufnr integer
local function cursor(bufnr)
  local own = client.of(bufnr)
  return vim.lsp.util.make_position_params(0, own and own.offset_encoding or 'utf-16')
end

--- Asks for one of a command's arguments, unless the caller gave it, and then
--- runs the command. Nothing typed: nothing done.
---@param index integer
---@param prompt string
local function asking(index, prompt)
  return function(command, bufnr)
    local arguments = vim.deepcopy(command.arguments or {})
    if arguments[index] and arguments[index] ~= '' then return run(bufnr, command.command, arguments) end
    vim.ui.input({ prompt = prompt .. ' ' }, function(text)
      if not text or vim.trim(text) == '' then return end
      arguments[index] = vim.trim(text)
      run(bufnr, command.command, arguments)
    end)
  end
end

--- Lists the memories of a place; picking one opens its file.
local function show(command, bufnr)
  run(bufnr, command.command, command.arguments, function(memories)
    if type(memories) ~= 'table' or #memories == 0 then
      vim.notify('No memories here')
      return
    end
    vim.ui.select(memories, {
      prompt = 'Memories here',
      kind = 'manicule',
      format_item = function(memory) return ('[%s] %s'):format(memory.type, memory.what) end,
    }, function(picked)
      if picked then vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(picked.uri))) end
    end)
  end)
end

--- The commands that need something from a person: what is asked for is an
--- argument (remember: URI, place, text; dispute: UUID, note).
local asked = {
  ['manicule.showMemories'] = show,
  ['manicule.remember'] = asking(3, 'What should be remembered here?'),
  ['manicule.disputeMemory'] = asking(2, 'What is wrong with this memory?'),
}

--- Writes a memory about the place of the cursor. Which place that is the
--- server knows: it offers the innermost one as its first code action.
---@param bufnr integer
---@param text string
local function remember(bufnr, text)
  local own = client.of(bufnr)
  if not own then return run(bufnr, 'manicule.remember', {}) end
  local params = vim.lsp.util.make_range_params(0, own.offset_encoding)
  params.context = { diagnostics = {}, only = { 'refactor.manicule.remember' }, triggerKind = 1 }
  client.request(own, 'textDocument/codeAction', params, function(err, actions)
    local command = not err and actions and actions[1] and actions[1].command
    if not command then
      vim.notify('manicule: there is nothing to remember something about here', vim.log.levels.WARN)
      return
    end
    command.arguments[3] = text
    asked['manicule.remember'](command, bufnr)
  end, bufnr)
end

--- The commands of the server that the editor has a part in, for the language client.
---@return table<string, fun(command: table, ctx: table)>
function M.handlers()
  local handlers = {}
  for name, ask in pairs(asked) do
    handlers[name] = function(command, ctx) ask(command, ctx.bufnr or vim.api.nvim_get_current_buf()) end
  end
  return handlers
end

---@type table<string, fun(text: string, bufnr: integer)>
local subcommands = {
  health = function() vim.cmd.checkhealth('manicule') end,
  hover = function() require('manicule').hover() end,
  remember = function(text, bufnr) remember(bufnr, text) end,
  restart = function() client.restart() end,
  show = function(_, bufnr)
    local at = cursor(bufnr)
    show({ command = 'manicule.showMemories', arguments = { at.textDocument.uri, at.position } }, bufnr)
  end,
}

local function complete(typed, line)
  if line:match('^%s*%S+%s+%S+%s') then return {} end
  local names = vim.tbl_filter(function(name) return vim.startswith(name, typed) end, vim.tbl_keys(subcommands))
  table.sort(names)
  return names
end

--- Creates the :Manicule command.
function M.create()
  vim.api.nvim_create_user_command('Manicule', function(call)
    local name, text = call.args:match('^(%S+)%s*(.*)$')
    local subcommand = subcommands[name]
    if not subcommand then
      vim.notify(('manicule: there is no :Manicule %s'):format(name), vim.log.levels.ERROR)
      return
    end
    subcommand(text, vim.api.nvim_get_current_buf())
  end, { nargs = '+', complete = complete, desc = 'Manicule: memories in the margin' })
end

return M
