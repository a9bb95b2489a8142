--- What a person can do with a memory that a hover shows: keys of the hover's
--- window, be it ours or the one that the editor shares among the servers.
local client = require('manicule.client')

local M = {}

--- A key of a hover's window.
---@class manicule.Act
---@field [1] string
---@field [2] string what it does
---@field [3] fun(uuid: string, bufnr: integer) gets the memory, and the buffer that the hover is about
---@field short string for the line below the memories

--- Runs a command of the server on a memory, and says what was done.
---@param command string
---@param done string
---@return fun(uuid: string, bufnr: integer)
local function run(command, done)
  return function(uuid, bufnr)
    client.execute(bufnr, command, { uuid }, function(result)
      local refused = client.refusal(result)
      vim.notify(refused and ('manicule: ' .. refused) or done)
      require('manicule.events').changed()
    end)
  end
end

--- Only keys that say nothing in a text that can't be changed, or little: moving,
--- searching and yanking stay what they are.
---@type manicule.Act[]
M.keys = {
  {
    'c',
    'correct it: it is wrong',
    function(uuid, bufnr) require('manicule.memory').correct(bufnr, uuid) end,
    short = 'correct',
  },
  {
    't',
    'still true: you confirm it',
    run('manicule.confirmMemory', '☞ Confirmed'),
    short = 'still true',
  },
  {
    'd',
    'dispute it: say what is wrong with it',
    function(uuid, bufnr) require('manicule.memory').dispute(bufnr, { uuid = uuid }) end,
    short = 'dispute',
  },
  {
    'r',
    'resolve: choose between the versions that a merge kept',
    function(uuid, bufnr)
      require('manicule.conflict').resolve(bufnr, uuid, function() require('manicule.events').changed() end)
    end,
    short = 'resolve',
  },
  {
    'x',
    'forget it: `manicule restore` brings it back for 30 days',
    run('manicule.forgetMemory', '☞ Forgotten. `manicule restore` brings it back for 30 days'),
    short = 'forget',
  },
  { 'H', 'its history', function(uuid) require('manicule.history').open(uuid) end, short = 'history' },
  {
    'o',
    "open the memory's file",
    function(uuid, bufnr) client.execute(bufnr, 'manicule.openMemory', { uuid }) end,
    short = 'open',
  },
  {
    '<CR>',
    'all that can be done with it, as |:Manicule-menu|',
    function(uuid, bufnr) require('manicule.commands').menu(bufnr, uuid) end,
    short = 'more',
  },
}

local starts_footer = '*In this window:*'

-- What fits in a window of a terminal of 80 columns: the editor makes no room for a line that it wraps.
local footer_width = 76

--- The lines below the memories of a hover. The key that showed the window goes into it.
---@param conflict boolean whether one of them has several versions
---@return string
function M.footer(conflict)
  local lines = { starts_footer }
  for _, key in ipairs(M.keys) do
    if key.short ~= 'resolve' or conflict then
      local act = ('`%s` %s'):format(key[1], key.short)
      local longer = lines[#lines] .. (lines[#lines] == starts_footer and ' ' or ' · ') .. act
      if vim.fn.strdisplaywidth(longer) <= footer_width then
        lines[#lines] = longer
      else
        lines[#lines + 1] = act
      end
    end
  end
  return table.concat(lines, '\n')
end

--- The uuid that a line of a hover links to.
---@param line string
---@return string?
local function linked(line)
  return line:match('/(%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x)%.json%)')
end

--- Leaves only the end of the addresses that a hover links memories' files by. The editor hides
--- addresses, and makes its window as wide as if it showed them.
---@param text string
---@return string
function M.with_short_links(text)
  return (
    text:gsub('%]%(file:[^()%s]*/([%x%-]+%.json%))', function(name) return linked('/' .. name) and '](/' .. name end)
  )
end

--- The memories of a hover, and the one that a line of it belongs to: each ends
--- with a link to its file.
---@param lines string[]
---@param row integer from 1
---@return string[] uuids
---@return string? uuid
function M.memories(lines, row)
  local uuids, seen = {}, {}
  for _, line in ipairs(lines) do
    local uuid = linked(line)
    if uuid and not seen[uuid] then
      seen[uuid] = true
      uuids[#uuids + 1] = uuid
    end
  end
  for index = row, #lines do
    local line = lines[index]
    if linked(line) then return uuids, linked(line) end
    -- a heading, or the rule between two servers
    if line:match('^☞') or line:match('^# ') or line:match('^─') or line:match('^%-%-%-') then break end
  end
  return uuids, #uuids == 1 and uuids[1] or nil
end

--- Passes the memory of a line to a function; a person picks if it is not one.
---@param bufnr integer
---@param uuids string[]
---@param uuid? string
---@param about string
---@param done fun(uuid: string)
local function choose(bufnr, uuids, uuid, about, done)
  if uuid then return done(uuid) end
  client.execute(bufnr, 'manicule.showMemories', { vim.NIL, vim.NIL, uuids }, function(memories)
    if type(memories) ~= 'table' or #memories == 0 then return end
    require('manicule.pick').items(memories, 'Which memory? ' .. about, function(memory) done(memory.uuid) end)
  end)
end

--- Maps the keys in the window of a hover that shows memories. Called when it is entered.
---@param win integer
---@param bufnr integer the buffer that the hover is about
function M.map(win, bufnr)
  local float = vim.api.nvim_win_get_buf(win)
  if vim.b[float].manicule_acts then return end
  local lines = vim.api.nvim_buf_get_lines(float, 0, -1, false)
  local ours = vim.iter(lines):any(function(line) return vim.startswith(line, starts_footer) end)
  if not ours then return end
  vim.b[float].manicule_acts = true
  for _, key in ipairs(M.keys) do
    vim.keymap.set('n', key[1], function()
      local uuids, uuid = M.memories(lines, vim.api.nvim_win_get_cursor(win)[1])
      vim.api.nvim_win_close(win, true) -- and the cursor is back in the text
      choose(bufnr, uuids, uuid, '(' .. key.short .. ')', function(chosen) key[3](chosen, bufnr) end)
    end, { buffer = float, nowait = true, silent = true, desc = 'Manicule: ' .. key[2] })
  end
  local elsewhere = vim.fn.maparg('gx', 'n', false, true)
  vim.keymap.set('n', 'gx', function()
    local uuid = linked(vim.api.nvim_get_current_line())
    if uuid then
      vim.api.nvim_win_close(win, true)
      client.execute(bufnr, 'manicule.openMemory', { uuid })
    elseif elsewhere.callback then
      elsewhere.callback()
    elseif elsewhere.rhs then -- a person's own mapping, or another plugin's
      vim.api.nvim_feedkeys(vim.keycode(elsewhere.rhs), elsewhere.noremap == 1 and 'n' or 'm', false)
    end
  end, { buffer = float, desc = "Manicule: open the memory's file, or the address at the cursor" })
end

return M
