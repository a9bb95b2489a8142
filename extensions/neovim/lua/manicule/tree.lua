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

--- A group from the server.
---@class manicule.Group
---@field label string
---@field folder? string the URI of the folder that it is of
---@field path? string
---@field items manicule.Item[]

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
  local shut = folded[name]
  local sign = shut and '▸ ' or '▾ '
  local head = { { sign, 'Comment' }, { group.label, 'Directory' }, { (' %d'):format(#group.items), 'Comment' } }
  local blocks = { { lines = { head }, item = { group = name }, id = 'group ' .. name } }
  if shut then return blocks end
  for _, each in ipairs(group.items) do
    local line = item.head(each)
    table.insert(line, 1, { '  ' })
    blocks[#blocks + 1] = { lines = { line }, item = each, id = name .. ' ' .. each.uuid }
  end
  return blocks
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
      folded[memory.group] = not folded[memory.group]
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
      filter.ask(all, chosen, function(now)
        chosen = now
        view.refresh(list)
      end)
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
    local items = vim.tbl_filter(function(memory) return filter.passes(memory, chosen) end, group.items)
    if #items > 0 then out[#out + 1] = vim.tbl_extend('force', group, { items = items }) end
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
      client.ask(list.buf, 'manicule/tree', { by = now }, function(result)
        local head = { { { 'Memories by ' .. now, 'Title' } } }
        for _, choice in ipairs(chosen) do
          head[#head + 1] = { { 'only ' .. filter.describe({ choice }), 'Comment' } }
        end
        if #chosen > 0 then head[#head + 1] = { { 'F', 'ManiculeKey' }, { ' shows all', 'Comment' } } end
        local blocks = { { lines = head } }
        all = {}
        for _, group in ipairs(result and result.groups or {}) do
          vim.list_extend(all, group.items)
        end
        local groups = passing(result and result.groups or {})
        local names = M.names(groups, now)
        for index, group in ipairs(groups) do
          vim.list_extend(blocks, to_blocks(group, names[index]))
        end
        if #blocks == 1 and #all > 0 then
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
