--- The tree: all memories, by file, module, type or state, beside the text.
local client = require('manicule.client')
local item = require('manicule.item')
local review = require('manicule.review')
local view = require('manicule.view')

local M = {}

--- What the tree can be ordered by.
M.orders = { 'file', 'module', 'type', 'state' }

local order = 'file'
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
  { 'h', 'its history', on_memory(function(memory) require('manicule.history').open(memory.uuid) end) },
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
}

--- Opens the tree.
---@param by? string one of M.orders; default: as it was last
function M.open(by)
  if by and by ~= '' then
    if not vim.tbl_contains(M.orders, by) then
      vim.notify('manicule: the tree can be ordered by ' .. table.concat(M.orders, ', '), vim.log.levels.ERROR)
      return
    end
    order = by
  end
  view.open({
    name = 'tree',
    title = 'Memories',
    empty = 'There are no memories here yet.',
    keys = M.keys,
    split = true,
    load = function(list, show)
      local now = order -- it may change before the answer comes
      client.ask(list.buf, 'manicule/tree', { by = now }, function(result)
        local blocks = { { lines = { { { 'Memories by ' .. now, 'Title' } } } } }
        local groups = result and result.groups or {}
        local names = M.names(groups, now)
        for index, group in ipairs(groups) do
          vim.list_extend(blocks, to_blocks(group, names[index]))
        end
        show(#blocks > 1 and blocks or {})
      end)
    end,
  })
end

return M
