--- The :Manicule command, and the editor's part of the server's commands:
--- questions (vim.ui.input) and lists.
local client = require('manicule.client')

local M = {}

--- Asks for one of a command's arguments, unless the caller gave it, and then
--- runs the command. Without an answer nothing is done.
---@param index integer
---@param prompt string
local function asking(index, prompt)
  return function(command, bufnr)
    local arguments = vim.deepcopy(command.arguments or {})
    if arguments[index] and arguments[index] ~= '' then return client.execute(bufnr, command.command, arguments) end
    vim.ui.input({ prompt = prompt .. ' ' }, function(text)
      if not text or vim.trim(text) == '' then return end
      arguments[index] = vim.trim(text)
      client.execute(bufnr, command.command, arguments)
    end)
  end
end

--- Lists the memories of a place; picking one opens its file.
local function show(command, bufnr)
  client.execute(bufnr, command.command, command.arguments, function(memories)
    if type(memories) ~= 'table' or #memories == 0 then
      client.none_here()
      return
    end
    require('manicule.pick').items(memories, 'Memories here', require('manicule.item').open_file)
  end)
end

--- Lets the person choose what to do with a memory; the editor's part of what is chosen runs too. The
--- choice looks as the one among code actions does: there is nothing to preview.
local function menu(command, bufnr)
  client.execute(bufnr, command.command, command.arguments, function(answer)
    if type(answer) ~= 'table' or type(answer.entries) ~= 'table' then return end
    vim.ui.select(answer.entries, {
      prompt = ('☞ “%s”'):format(answer.what or 'Memory'),
      kind = 'manicule.menu',
      format_item = function(entry) return entry.title end,
    }, function(entry)
      if not entry then return end
      local chosen = { command = entry.command, arguments = entry.arguments }
      local handler = M.handlers()[chosen.command]
      if handler then return handler(chosen, { bufnr = bufnr }) end
      client.execute(bufnr, chosen.command, chosen.arguments, function() require('manicule.events').changed() end)
    end)
  end)
end

--- Lists what can be done with a memory.
---@param bufnr integer
---@param uuid string
function M.menu(bufnr, uuid) menu({ command = 'manicule.memoryActions', arguments = { uuid } }, bufnr) end

--- Changes a memory in a buffer, unless the caller says what to change.
---@param open string the function of manicule.memory that opens the buffer
local function in_form(open)
  return function(command, bufnr)
    local uuid, changes = unpack(command.arguments or {})
    if changes or type(uuid) ~= 'string' then return client.execute(bufnr, command.command, command.arguments) end
    require('manicule.memory')[open](bufnr, uuid)
  end
end

--- Decides between the versions of a memory, unless the caller says how.
local function resolve(command, bufnr)
  local uuid, choice = unpack(command.arguments or {})
  if choice or type(uuid) ~= 'string' then return client.execute(bufnr, command.command, command.arguments) end
  require('manicule.conflict').resolve(bufnr, uuid)
end

--- The commands that need an answer from a person. The answer is an
--- argument (remember: URI, place, text; dispute: UUID, note).
local asked = {
  ['manicule.memoryActions'] = menu,
  ['manicule.showMemories'] = show,
  ['manicule.editMemory'] = in_form('edit_by_uuid'),
  ['manicule.correctMemory'] = in_form('correct'),
  ['manicule.resolveConflict'] = resolve,
  ['manicule.remember'] = asking(3, 'What should be remembered here?'),
  ['manicule.rememberFile'] = asking(2, 'What should be known about this file?'),
  ['manicule.handThread'] = asking(2, 'Who is to go on with it?'),
  ['manicule.disputeMemory'] = asking(2, 'What is wrong with this memory?'),
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

--- What a subcommand is called with.
---@class manicule.Call
---@field text string what was typed after its name
---@field bufnr integer
---@field lines? { [1]: integer, [2]: integer } the range that was typed

--- A subcommand of :Manicule. The help file is made of these.
---@class manicule.Subcommand
---@field args? string for the help
---@field about string for the help
---@field run fun(call: manicule.Call)
---@field complete? fun(typed: string): string[]

--- A subcommand that runs a command of the server on the memory at the cursor.
---@param command string
---@param prompt string
---@return fun(call: manicule.Call)
local function on_memory(command, prompt)
  return function(call)
    require('manicule.memory').choose(call.bufnr, prompt, function(memory)
      client.execute(call.bufnr, command, { memory.uuid }, function() require('manicule.events').changed() end)
    end)
  end
end

---@type table<string, manicule.Subcommand>
M.subcommands = {
  confirm = {
    about = 'Confirms a memory at the cursor: you verified that it is true.',
    run = on_memory('manicule.confirmMemory', 'Confirm which memory?'),
  },
  consolidate = {
    about = 'Lists the groups of memories that say the same; picking one asks, and merges it.',
    run = function(call) require('manicule.consolidate').open(call.bufnr) end,
  },
  correct = {
    about = 'Corrects a memory at the cursor, in a buffer with a part for what was wrong; |:write| makes a new version of it.',
    run = function(call)
      require('manicule.memory').choose(
        call.bufnr,
        'Correct which memory?',
        function(memory) require('manicule.memory').correct(call.bufnr, memory.uuid) end
      )
    end,
  },
  coverage = {
    about = 'Puts the files that change much and have no memory into the |quickfix| list; its title says which part of the changes memories cover.',
    run = function(call) require('manicule.find').coverage(call.bufnr) end,
  },
  dismiss = {
    about = 'Stops showing a memory at the cursor on its own; the hover still does. A type that is dismissed often comes last.',
    run = on_memory('manicule.dismiss', "Don't show which memory here?"),
  },
  dispute = {
    args = '[note]',
    about = 'Says that a memory at the cursor is wrong, and what is wrong. Without a note it asks for one.',
    run = function(call)
      require('manicule.memory').choose(
        call.bufnr,
        'Dispute which memory?',
        function(memory) require('manicule.memory').dispute(call.bufnr, memory, call.text) end
      )
    end,
  },
  edit = {
    about = 'Edits a memory at the cursor in a buffer; |:write| makes a new version of it.',
    run = function(call)
      require('manicule.memory').choose(
        call.bufnr,
        'Edit which memory?',
        function(memory) require('manicule.memory').edit(memory) end
      )
    end,
  },
  forget = {
    about = 'Forgets a memory at the cursor. `manicule restore` brings it back for 30 days.',
    run = on_memory('manicule.forgetMemory', 'Forget which memory?'),
  },
  health = {
    about = 'The same as `:checkhealth manicule`.',
    run = function() vim.cmd.checkhealth('manicule') end,
  },
  history = {
    args = '[uuid]',
    about = 'Lists the versions of a memory, by default of one at the cursor; <CR> shows what a version changed.',
    run = function(call)
      local history = require('manicule.history')
      if call.text ~= '' then return history.open(call.text) end
      require('manicule.memory').choose(
        call.bufnr,
        'The history of which memory?',
        function(memory) history.open(memory.uuid) end
      )
    end,
  },
  hover = {
    about = 'Shows the memories at the cursor in a window of their own.',
    run = function() require('manicule').hover() end,
  },
  impact = {
    args = '[symbol]',
    about = 'Puts what a change to the symbol at the cursor may break into the |quickfix| list, nearest first.',
    run = function(call) require('manicule.find').impact(call.bufnr, call.text) end,
  },
  import = {
    about = 'Reads CLAUDE.md, AGENTS.md and other rule files into memories, after it has said how many they are.',
    run = function(call) require('manicule.begin').import(call.bufnr) end,
  },
  leave = {
    args = '[text]',
    about = "Leaves something open at the cursor, for the next session: yours, or an agent's.",
    run = function(call) require('manicule.threads').leave(call.bufnr, call.text) end,
  },
  log = {
    args = '[count]',
    about = 'Lists what agents were told and what was learned from them, newest first.',
    run = function(call) require('manicule.log').open(tonumber(call.text)) end,
  },
  menu = {
    about = 'Lists what can be done with a memory at the cursor: edit, pin, confirm, correct, dispute, forget and so on.',
    run = function(call)
      require('manicule.memory').choose(
        call.bufnr,
        'Which memory?',
        function(memory) M.menu(call.bufnr, memory.uuid) end
      )
    end,
  },
  model = {
    about = 'Downloads the model for search by meaning, after a question.',
    run = function(call) require('manicule.begin').model(call.bufnr) end,
  },
  pin = {
    about = 'Pins a memory at the cursor: it never fades.',
    run = on_memory('manicule.pinMemory', 'Pin which memory?'),
  },
  recall = {
    args = '[file]',
    about = 'Lists all memories of a file, by default the current one; picking one opens its file.',
    run = function(call) require('manicule.find').recall(call.bufnr, call.text) end,
    complete = function(typed) return vim.fn.getcompletion(typed, 'file') end,
  },
  remember = {
    args = '[text]',
    about = 'Writes a memory about the place of the cursor, or with a range about these lines. Without a text it opens a buffer for the text, why, the type and the place; |:write| stores it.',
    run = function(call) require('manicule.remember').here(call.bufnr, call.text, call.lines) end,
  },
  restart = {
    about = 'Stops the server and starts it again.',
    run = function() client.restart() end,
  },
  review = {
    about = 'Opens the review queue, see |manicule-review|.',
    run = function() require('manicule.review').open() end,
  },
  undo = {
    about = 'Takes the latest accept or reject back: what it was about waits for a review again.',
    run = function(call)
      require('manicule.review').undo(call.bufnr, function() require('manicule.events').changed() end)
    end,
  },
  search = {
    args = '[words]',
    about = 'Searches the memories by words, meaning and structure; picking one opens its file.',
    run = function(call) require('manicule.find').search(call.bufnr, call.text) end,
  },
  session = {
    args = '[id]',
    about = 'Shows the summary of a session of an agent, by default of the one that ended last.',
    run = function(call) require('manicule.session').open(call.text) end,
  },
  show = {
    about = 'Lists the memories at the cursor; picking one opens its file. The same as running the lens with |vim.lsp.codelens.run()|.',
    run = function(call)
      local at = client.cursor(call.bufnr)
      show({ command = 'manicule.showMemories', arguments = { at.textDocument.uri, at.position } }, call.bufnr)
    end,
  },
  stale = {
    about = 'Opens the queue of memories whose code changed, moved or was deleted, see |manicule-stale|.',
    run = function() require('manicule.stale').open() end,
  },
  status = {
    about = 'Says how many memories the open folders have, what waits for review, and how far the code is indexed.',
    run = function(call) require('manicule.status').show(call.bufnr) end,
  },
  sync = {
    about = 'Makes the server read the memory files again.',
    run = function(call) client.execute(call.bufnr, 'manicule.sync', {}) end,
  },
  teach = {
    args = '[text]',
    about = 'Writes a memory about the whole file, or about the folder that |netrw| or oil.nvim shows.',
    run = function(call) require('manicule.remember').teach(call.bufnr, call.text) end,
  },
  threads = {
    about = 'Lists what sessions have left open on this branch, see |manicule-threads|.',
    run = function() require('manicule.threads').open() end,
  },
  tree = {
    args = '[file|module|type|state] [author=NAME] [type=…] [tag=…] [state=…] [age=…]',
    about = 'Shows all memories beside the text, or only some: `:Manicule tree type author=Ada state=stale`. Underscores stand for spaces.',
    run = function(call) require('manicule.tree').open(call.text) end,
    complete = function(typed) return require('manicule.tree').complete(typed) end,
  },
  unpin = {
    about = 'Unpins a memory at the cursor.',
    run = on_memory('manicule.unpinMemory', 'Unpin which memory?'),
  },
  withdraw = {
    about = 'Takes back your dispute of a memory at the cursor.',
    run = on_memory('manicule.withdrawDispute', 'Withdraw your dispute of which memory?'),
  },
}

---@param typed string
---@param words string[]
---@return string[]
local function starting(typed, words)
  local found = vim.tbl_filter(function(word) return vim.startswith(word, typed) end, words)
  table.sort(found)
  return found
end

--- Completes the names of subcommands and their arguments.
---@param typed string
---@param line string
---@return string[]
function M.complete(typed, line)
  local name = line:match('Manicule!?%s+(%S+)%s')
  if not name then return starting(typed, vim.tbl_keys(M.subcommands)) end
  local subcommand = M.subcommands[name]
  if not subcommand or not subcommand.complete then return {} end
  return starting(typed, subcommand.complete(typed))
end

--- What is called by another name on the command line.
local words_elsewhere =
  { list = 'tree', ls = 'tree', verify = 'stale', wake = 'threads', find = 'search', delete = 'forget' }

--- Runs the :Manicule command.
---@param call table what |nvim_create_user_command()| passes
function M.run(call)
  local name, text = call.args:match('^(%S+)%s*(.*)$')
  local subcommand = M.subcommands[name]
  if not subcommand then
    local near = vim.fn.matchfuzzy(vim.tbl_keys(M.subcommands), name)[1] or words_elsewhere[name]
    local hint = near and (', but :Manicule %s'):format(near) or '; <Tab> lists what there is'
    vim.notify(('manicule: there is no :Manicule %s%s'):format(name, hint), vim.log.levels.ERROR)
    return
  end
  subcommand.run({
    text = vim.trim(text),
    bufnr = vim.api.nvim_get_current_buf(),
    lines = call.range > 0 and { call.line1, call.line2 } or nil,
  })
end

return M
