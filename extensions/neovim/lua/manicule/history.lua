--- The versions of a memory, and what changed between two of them.
local client = require('manicule.client')
local view = require('manicule.view')

local M = {}

---@class manicule.Version
---@field version integer
---@field at? string
---@field author? string
---@field kind? string what kind of change it was
---@field note? string
---@field current boolean
---@field text string the memory's file in that version

---@param uuid string
---@param version manicule.Version
---@return integer buffer
local function scratch(uuid, version)
  local name = ('manicule://%s/v%d.json'):format(uuid, version.version)
  local old = client.loaded(name)
  if old then vim.api.nvim_buf_delete(old, { force = true }) end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, name)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.split((version.text or ''):gsub('\n$', ''), '\n'))
  vim.bo[buf].bufhidden, vim.bo[buf].filetype, vim.bo[buf].modifiable = 'wipe', 'json', false
  return buf
end

--- Shows two versions beside each other in a tab of their own, the older one left.
---@param uuid string
---@param older manicule.Version
---@param newer manicule.Version
function M.diff(uuid, older, newer)
  vim.cmd('tab split')
  vim.api.nvim_win_set_buf(0, scratch(uuid, older))
  vim.cmd.diffthis()
  vim.cmd('rightbelow vertical split')
  vim.api.nvim_win_set_buf(0, scratch(uuid, newer))
  vim.cmd.diffthis()
  local function close() vim.cmd.tabclose() end
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    vim.keymap.set(
      'n',
      'q',
      close,
      { buffer = vim.api.nvim_win_get_buf(win), nowait = true, desc = 'Manicule: close the diff' }
    )
  end
end

---@param version manicule.Version
---@param previous? manicule.Version
---@param current manicule.Version
local function to_block(version, previous, current)
  local at = (version.at or ''):gsub('T(%d+:%d+).*$', ' %1')
  local line = {
    { ('v%-3d '):format(version.version), 'Number' },
    { ('%-10s '):format(version.kind or ''), 'ManiculeType' },
    { at .. '  ', 'Comment' },
    { version.author or '' },
    { version.note and version.note ~= '' and ('  ' .. version.note) or '', 'String' },
    { version.current and '  current' or '', 'DiagnosticOk' },
  }
  return {
    lines = { line },
    item = { version = version, previous = previous, current = current },
    id = tostring(version.version),
  }
end

---@param uuid string
---@param list manicule.View
---@param older manicule.Version?
---@param newer manicule.Version
local function show_diff(uuid, list, older, newer)
  if not older or older == newer then
    vim.notify('manicule: there is no other version to compare it with')
    return
  end
  view.close(list)
  M.diff(uuid, older, newer)
end

--- The keys of the list; the items know their neighbours.
---@param uuid string
---@return manicule.Key[]
function M.keys(uuid)
  return {
    {
      '<CR>',
      'what this version changed',
      function(entry, list) show_diff(uuid, list, entry.previous, entry.version) end,
    },
    {
      'c',
      'compare it with the current version',
      function(entry, list) show_diff(uuid, list, entry.version, entry.current) end,
    },
    {
      'r',
      'revert the memory to this version',
      function(entry, list)
        if entry.version.current then
          vim.notify('manicule: this is the current version')
          return
        end
        client.execute(list.buf, 'manicule.revertMemory', { uuid, entry.version.hash }, function()
          vim.notify('☞ Back to version ' .. entry.version.version .. ', as the next version')
          view.close(list)
        end)
      end,
    },
  }
end

--- Lists the versions of a memory, newest first.
---@param uuid string
function M.open(uuid)
  view.open({
    name = 'history/' .. uuid,
    title = 'History',
    empty = 'No versions are known.',
    keys = M.keys(uuid),
    load = function(list, show)
      client.ask(list.buf, 'manicule/history', { uuid = uuid }, function(result)
        local versions = result and result.versions or {}
        local current = versions[1]
        for _, version in ipairs(versions) do
          if version.current then current = version end
        end
        local blocks = {}
        for index, version in ipairs(versions) do
          blocks[index] = to_block(version, versions[index + 1], current)
        end
        show(blocks)
      end)
    end,
  })
end

return M
