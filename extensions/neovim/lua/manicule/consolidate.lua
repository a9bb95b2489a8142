--- Memories that say the same: the server finds them and shows its progress; a
--- person picks the group to merge.
local client = require('manicule.client')
local pick = require('manicule.pick')

local M = {}

local command = 'manicule.consolidate'

--- Joins one list of all folders in an answer.
---@param answer any
---@param name string
---@return table[]
local function all(answer, name)
  local found = {}
  for _, folder in ipairs(type(answer) == 'table' and answer.folders or {}) do
    vim.list_extend(found, type(folder[name]) == 'table' and folder[name] or {})
  end
  return found
end

--- What the remaining memory takes from the others, one line for each field.
---@param group table
---@return string[]
local function added(group)
  local lines = {}
  for _, field in ipairs(type(group.adds) == 'table' and group.adds or {}) do
    lines[#lines + 1] = field.name .. ': ' .. field.new:gsub('\n', ' ')
  end
  return lines
end

--- A group, as an entry of a list.
---@param group table
---@return manicule.Entry
local function to_entry(group)
  local preview = { '# Stays', group.kept.what, '', '# Archived, and can be restored for 30 days' }
  for _, other in ipairs(group.others) do
    preview[#preview + 1] = '- ' .. other.what:gsub('\n', ' ')
  end
  local adds = added(group)
  if #adds > 0 then vim.list_extend(preview, { '', '# Added to what stays' }) end
  for _, add in ipairs(adds) do
    preview[#preview + 1] = '- ' .. add
  end
  local text = ('%s (and %d more)'):format(group.kept.what:gsub('\n', ' '), #group.others)
  return { text = text, preview = vim.split(table.concat(preview, '\n'), '\n'), value = group }
end

--- Why nothing could be compared, if so.
---@param answer any
---@return string?
local function unavailable(answer)
  for _, folder in ipairs(type(answer) == 'table' and answer.folders or {}) do
    if folder.unavailable then return folder.unavailable .. '. ' .. (folder.hint or '') end
  end
end

---@param bufnr integer
---@param group table
local function merge(bufnr, group)
  local texts = { 'Stays: ' .. group.kept.what }
  for _, other in ipairs(group.others) do
    texts[#texts + 1] = 'Archived: ' .. other.what
  end
  for _, add in ipairs(added(group)) do
    texts[#texts + 1] = 'Added: ' .. add
  end
  if vim.fn.confirm(table.concat(texts, '\n'), '&Merge\n&Cancel', 2) ~= 1 then return end
  client.execute(bufnr, command, { { apply = { group.id } } }, function(answer)
    local failed = all(answer, 'failed')[1]
    if #all(answer, 'merged') > 0 then
      vim.notify(('Merged %d memories into one'):format(#group.others + 1))
    else
      vim.notify('Not merged: ' .. (failed and failed.reason or 'its memories were changed'), vim.log.levels.WARN)
    end
    require('manicule.events').changed()
  end)
end

--- Lists the groups of memories that say the same. Picking one asks, and merges
--- it.
---@param bufnr integer
function M.open(bufnr)
  client.execute(bufnr, command, {}, function(answer)
    local groups = all(answer, 'clusters')
    if #groups == 0 then return vim.notify(unavailable(answer) or 'No two memories say the same') end
    pick.entries(
      vim.tbl_map(to_entry, groups),
      'Memories that say the same',
      function(entry) merge(bufnr, entry.value) end
    )
  end)
end

return M
