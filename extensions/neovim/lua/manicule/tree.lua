--- The tree: all memories, by file, module, type or state, beside the text.
local client = require('manicule.client')
local filter = require('manicule.filter')
local item = require('manicule.item')
local review = require('manicule.review')
local view = require('manicule.view')

local M = {}

--- What the tree can be ordered by.
M.orders = { 'file', 'module', 'type', 'state' }

local order = 'file'
---@type manicule.Choice[] which memories are shown
local chosen = {}
---@type manicule.Item[] all memories, as they were loaded last
local all = {}
---@type table<string, boolean> groups that are folded, by their names
local folded = {}

--- With more memories than this in all, those of a group are asked for when it is opened.
M.most_inline = 500
--- How many of a group are asked for at a time, then.
M.page = 500

local later = false -- whether there are so many
---@type table<string, integer> how many memories are wanted of groups that were opened, by their names
local wanted = {}

--- A group from the server.
---@class manicule.Group
---@field label string
---@field folder? string the URI of the folder that it is of
---@field path? string
---@field id? string names it to the server
---@field count? integer of its memories
---@field items? manicule.Item[] left out where there are many in all

--- Names for groups, one for each: two of one folder may have the same path, two
--- folders groups of the same label. A name stays while others come and go, so
--- that what a person has folded stays folded.
---@param groups manicule.Group[]
---@param by string what they are ordered by
---@return string[]
function M.names(groups, by)
  local seen, names = {}, {}
  for index, group in ipairs(groups) do
    local name = table.concat({ by, group.folder or '', group.path or '', group.label }, '\n')
    seen[name] = (seen[name] or 0) + 1
    names[index] = name .. '\n' .. seen[name]
  end
  return names
end

---@param group manicule.Group
---@param name string
---@return manicule.Block[]
local function to_blocks(group, name)
  local items = group.items or {}
  local count = math.max(group.count or 0, #items)
  local shut = folded[name] or #items == 0
  local sign = shut and '▸ ' or '▾ '
  local head = { { sign, 'Comment' }, { group.label, 'Directory' }, { (' %d'):format(count), 'Comment' } }
  local blocks = { { lines = { head }, item = { group = name }, id = 'group ' .. name } }
  if shut then return blocks end
  for _, each in ipairs(items) do
    local line = item.head(each)
    table.insert(line, 1, { '  ' })
    blocks[#blocks + 1] = { lines = { line }, item = each, id = name .. ' ' .. each.uuid }
  end
  if count > #items then
    local line = { { ('  %d more'):format(count - #items), 'Comment' } }
    blocks[#blocks + 1] = { lines = { line }, item = { group = name, shown = #items }, id = 'more ' .. name }
  end
  return blocks
end

--- Opens or folds the group of a line. The line below a group's last memory brings more of them.
---@param line { group: string, shown?: integer }
local function turn(line)
  local name = line.group
  if not later then
    folded[name] = not folded[name]
  elseif line.shown then
    wanted[name] = line.shown + M.page
  else -- it may have been folded while all memories were here
    local shut = folded[name] or not wanted[name]
    wanted[name], folded[name] = shut and M.page or nil, nil
  end
end

--- Asks for the tree, and for the memories of the groups that were opened.
---@param bufnr integer
---@param by string
---@param whole boolean whether all memories are wanted, however many there are
---@param done fun(groups: manicule.Group[])
local function ask(bufnr, by, whole, done)
  client.ask(bufnr, 'manicule/tree', { by = by, inline = not whole and M.most_inline or nil }, function(result)
    local groups = result and result.groups or {} ---@type manicule.Group[]
    if whole then return done(groups) end
    later = vim.iter(groups):any(function(group) return group.items == nil end)
    local names, left = M.names(groups, by), 1
    local function one_less()
      left = left - 1
      if left == 0 then done(groups) end
    end
    for index, group in ipairs(groups) do
      local limit = wanted[names[index]]
      if not group.items and limit then
        left = left + 1
        local params = { by = by, group = group.id, folder = group.folder, limit = limit }
        client.ask(bufnr, 'manicule/tree', params, function(part)
          groups[index] = part and part.groups and part.groups[1] or group
          one_less()
        end)
      end
    end
    one_less()
  end)
end

--- The memories of groups that are here.
---@param groups manicule.Group[]
---@return manicule.Item[]
local function memories_of(groups)
  local out = {}
  for _, group in ipairs(groups) do
    vim.list_extend(out, group.items or {})
  end
  return out
end

---@param act fun(memory: manicule.Item, list: manicule.View)
---@return fun(memory: table, list: manicule.View)
local function on_memory(act)
  return function(memory, list)
    if not memory.group then act(memory, list) end
  end
end

---@param list manicule.View
local function back(list)
  if vim.api.nvim_win_is_valid(list.from) then vim.api.nvim_set_current_win(list.from) end
end

---@type manicule.Key[]
M.keys = {
  {
    '<CR>',
    'go to the code, or fold the group',
    function(memory, list)
      if not memory.group then return review.visit(memory, list) end
      turn(memory)
      view.refresh(list)
    end,
  },
  {
    'o',
    "open the memory's file",
    on_memory(function(memory, list)
      back(list)
      item.open_file(memory)
    end),
  },
  {
    'e',
    'edit the memory',
    on_memory(function(memory, list)
      require('manicule.memory').edit(memory, function() view.refresh(list) end)
    end),
  },
  {
    'c',
    'correct it: it is wrong',
    on_memory(function(memory, list)
      require('manicule.memory').correct(list.buf, memory.uuid, function() view.refresh(list) end)
    end),
  },
  { 'H', 'its history', on_memory(function(memory) require('manicule.history').open(memory.uuid) end) },
  { 'x', 'forget it', on_memory(require('manicule.stale').archive) },
  {
    's',
    'order by the next of file, module, type, state',
    function(_, list)
      for index, name in ipairs(M.orders) do
        if name == order then
          order = M.orders[index % #M.orders + 1]
          break
        end
      end
      view.refresh(list)
    end,
    any = true,
  },
  {
    'f',
    'filter by author, type, tag, state or age; choosing one again takes it back',
    function(_, list)
      local function choose(from)
        filter.ask(from, chosen, function(now)
          chosen = now
          view.refresh(list)
        end)
      end
      if not later then return choose(all) end
      ask(list.buf, order, true, function(groups) choose(memories_of(groups)) end)
    end,
    any = true,
  },
  {
    'F',
    'show all memories again',
    function(_, list)
      chosen = {}
      view.refresh(list)
    end,
    any = true,
  },
}

--- The groups with the memories that pass, without empty ones.
---@param groups manicule.Group[]
---@return manicule.Group[]
local function passing(groups)
  if #chosen == 0 then return groups end
  local out = {}
  for _, group in ipairs(groups) do
    local items = vim.tbl_filter(function(memory) return filter.passes(memory, chosen) end, group.items or {})
    if #items > 0 then out[#out + 1] = vim.tbl_extend('force', group, { items = items, count = #items }) end
  end
  return out
end

--- Opens the tree.
---@param text? string one of M.orders, and choices such as author=Ada; default: as it was last
function M.open(text)
  local by, rest = (text or ''):match('^(%a*)%f[%s%z]%s*(.*)$')
  local only, wrong = filter.parse(by and rest or text or '')
  if by and by ~= '' and not vim.tbl_contains(M.orders, by) then wrong = by end
  if wrong then
    local facets = table.concat(filter.facets, '=, ') .. '='
    local message = 'manicule: %s is no order of the tree (%s) and no filter (%s)'
    vim.notify(message:format(wrong, table.concat(M.orders, ', '), facets), vim.log.levels.ERROR)
    return
  end
  if by and by ~= '' then order = by end
  if #only > 0 then chosen = only end
  view.open({
    name = 'tree',
    title = 'Memories',
    empty = 'There are no memories here yet.',
    keys = M.keys,
    split = true,
    load = function(list, show)
      local now = order -- it may change before the answer comes
      -- A filter needs all, to know what it lets pass.
      ask(list.buf, now, #chosen > 0, function(found)
        if #chosen > 0 then later = false end
        local head = { { { 'Memories by ' .. now, 'Title' } } }
        for _, choice in ipairs(chosen) do
          head[#head + 1] = { { 'only ' .. filter.describe({ choice }), 'Comment' } }
        end
        if #chosen > 0 then head[#head + 1] = { { 'F', 'ManiculeKey' }, { ' shows all', 'Comment' } } end
        local blocks = { { lines = head } }
        all = memories_of(found)
        local groups = passing(found)
        local names = M.names(groups, now)
        for index, group in ipairs(groups) do
          vim.list_extend(blocks, to_blocks(group, names[index]))
        end
        if #blocks == 1 and #found > 0 then
          blocks[2] = { lines = { { { 'No memory passes the filter.', 'Comment' } } } }
        end
        show(#blocks > 1 and blocks or {})
      end)
    end,
  })
end

--- Completes an order, or a facet with the values that memories had when the tree was loaded last.
---@param typed string
---@return string[]
function M.complete(typed)
  local out = vim.list_extend({}, M.orders)
  for _, facet in ipairs(filter.facets) do
    out[#out + 1] = facet .. '='
  end
  if not typed:find('=', 1, true) then return out end
  return vim.tbl_map(
    function(choice) return choice.facet .. '=' .. choice.value:gsub(' ', '_') end,
    filter.choices(all)
  )
end

return M
