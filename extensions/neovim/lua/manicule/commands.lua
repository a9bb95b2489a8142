--- The :Manicule command, and the editor's part of the server's commands:
--- questions (vim.ui.input) and lists (vim.ui.select).
local client = require('manicule.client')

local M = {}

--- Runs a command on the server, and gives its answer to a function.
---@param bufnr integer
---@param command string
---@param arguments table[]
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

--- The place of the cursor, as an argument of the server's commands.
local function cursor()
  local own = client.of(0)
  local params = vim.lsp.util.make_position_params(0, own and own.offset_encoding or 'utf-16')
  return { uri = params.textDocument.uri, position = params.position }
end

--- Asks for one member of a command's argument, unless the caller gave it,
--- and then runs the command. Nothing typed: nothing done.
---@param member string
---@param prompt string
local function asking(member, prompt)
  return function(command, bufnr)
    local arguments = vim.deepcopy(command.arguments or {})
    local argument = arguments[1] or cursor()
    arguments[1] = argument
    if argument[member] and argument[member] ~= '' then return run(bufnr, command.command, arguments) end
    vim.ui.input({ prompt = prompt .. ' ' }, function(text)
      if not text or vim.trim(text) == '' then return end
      argument[member] = vim.trim(text)
      run(bufnr, command.command, arguments)
    end)
  end
end

--- Lists the memories of a place; picking one opens its file.
local function show(command, bufnr)
  run(bufnr, command.command, command.arguments or { cursor() }, function(result)
    local memories = result and result.memories or {}
    if #memories == 0 then
      vim.notify('No memories here')
      return
    end
    vim.ui.select(memories, {
      prompt = 'Memories here',
      kind = 'manicule',
      format_item = function(memory) return ('[%s] %s'):format(memory.kind, memory.title) end,
    }, function(picked)
      if picked then vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(picked.uri))) end
    end)
  end)
end

local asked = {
  ['manicule.showMemories'] = show,
  ['manicule.remember'] = asking('text', 'What should be remembered here?'),
  ['manicule.disputeMemory'] = asking('note', 'What is wrong with this memory?'),
}

--- The commands of the server that the editor has a part in, for the language client.
---@return table<string, fun(command: table, ctx: table)>
function M.handlers()
  local handlers = {}
  for name, ask in pairs(asked) do
    handlers[name] = function(command, ctx) ask(command, ctx.bufnr or vim.api.nvim_get_current_buf()) end
  end
  return handlers
end

---@type table<string, fun(text: string)>
local subcommands = {
  health = function() vim.cmd.checkhealth('manicule') end,
  hover = function() require('manicule').hover() end,
  remember = function(text)
    local argument = cursor()
    argument.text = text
    asked['manicule.remember']({ command = 'manicule.remember', arguments = { argument } }, vim.api.nvim_get_current_buf())
  end,
  restart = function() client.restart() end,
  show = function() show({ command = 'manicule.showMemories' }, vim.api.nvim_get_current_buf()) end,
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
    subcommand(text)
  end, { nargs = '+', complete = complete, desc = 'Manicule: memories in the margin' })
end

return M
