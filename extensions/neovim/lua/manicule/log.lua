--- The log: what agents were shown, and what was learned from them.
local client = require('manicule.client')
local view = require('manicule.view')

local M = {}

local groups = { shown = 'Identifier', learned = 'DiagnosticInfo', written = 'String', ended = 'Comment' }

---@param at string|number? RFC 3339 or milliseconds
local function time_text(at)
  if type(at) == 'number' then return tostring(os.date('%Y-%m-%d %H:%M', math.floor(at / 1000))) end
  return (tostring(at or ''):gsub('^(%d+%-%d+%-%d+)T(%d+:%d+).*$', '%1 %2'))
end

---@param entry table
---@return manicule.Block
local function to_block(entry)
  local line = {
    { time_text(entry.at) .. '  ', 'Comment' },
    { ('%-8s'):format(entry.kind or ''), groups[entry.kind] },
    { ('%-14s'):format(entry.agent or ''), 'Comment' },
    { entry.what or '' },
  }
  return {
    lines = { line },
    item = entry,
    id = table.concat({ entry.session or '', time_text(entry.at), entry.what or '' }, ' '),
  }
end

---@type manicule.Key[]
M.keys = {
  {
    '<CR>',
    'open the memory, or the summary of the session',
    function(entry, list)
      if entry.memory and entry.memory ~= '' then
        view.close(list)
        require('manicule.memory').open(entry.memory)
      else
        require('manicule.session').open(entry.session)
      end
    end,
  },
  { 's', 'the summary of the session', function(entry) require('manicule.session').open(entry.session) end },
}

--- Opens the log.
---@param limit? integer how many entries; default 200
function M.open(limit)
  view.open({
    name = 'log',
    title = 'Log',
    empty = 'No agent was told or taught anything here yet.',
    keys = M.keys,
    load = function(list, show)
      client.ask(
        list.buf,
        'manicule/log',
        { limit = limit or 200 },
        function(result) show(vim.tbl_map(to_block, result and result.entries or {})) end
      )
    end,
  })
end

return M
