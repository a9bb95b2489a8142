--- The memory of the line that the cursor rests in, at its end: what it says,
--- who wrote it and when. Off unless a person wants it: lens and hover say so too.
local client = require('manicule.client')

local M = {}

local namespace = vim.api.nvim_create_namespace('manicule.current_line')

--- What a memory says is cut after so many characters.
local most = 80

--- The memories of each file of a server, by its URI, until the server says that they changed.
---@type table<integer, table<string, manicule.Item[]>>
local known = {}

--- How long ago a day was that the server names, in the largest unit that fits; nil for none.
---@param time? string RFC 3339
---@param now integer seconds since 1970
---@return string?
local function ago(time, now)
  local year, month, day = (time or ''):match('^(%d%d%d%d)-(%d%d)-(%d%d)')
  if not year then return nil end
  local days = math.floor((now - os.time({ year = year, month = month, day = day, hour = 12 })) / 86400 + 0.5)
  for _, unit in ipairs({ { 365, 'year' }, { 30, 'month' }, { 1, 'day' } }) do
    local n = math.floor(days / unit[1])
    if n > 0 then return ('%d %s%s ago'):format(n, unit[2], n == 1 and '' or 's') end
  end
  return 'today'
end

--- What stands at the end of a line that memories are about: the newest, by whom,
--- when, and how many more there are.
---@param memories manicule.Item[] at least one
---@param now integer seconds since 1970
---@return string
function M.text(memories, now)
  table.sort(memories, function(a, b) return (a.updatedAt or '') > (b.updatedAt or '') end)
  local newest = memories[1]
  local what = vim.trim((newest.what:gsub('%s+', ' ')))
  if vim.fn.strchars(what) > most then what = vim.fn.strcharpart(what, 0, most - 1) .. '…' end
  local facts = { what }
  for _, fact in ipairs({ newest.contributor or '', ago(newest.updatedAt, now) or '' }) do
    if fact ~= '' then facts[#facts + 1] = fact end
  end
  if #memories > 1 then facts[#facts + 1] = ('%d more'):format(#memories - 1) end
  return '☞ ' .. table.concat(facts, ' · ')
end

---@param bufnr integer
local function clear(bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) then vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1) end
end

--- Draws at the cursor's line, if the buffer is still the one that is looked at.
---@param bufnr integer
---@param memories manicule.Item[]
local function draw(bufnr, memories)
  clear(bufnr)
  if vim.api.nvim_get_current_buf() ~= bufnr or vim.fn.mode() ~= 'n' then return end
  local uri, line = vim.uri_from_bufnr(bufnr), vim.api.nvim_win_get_cursor(0)[1] - 1
  local here = vim.tbl_filter(
    function(memory) return memory.location and memory.location.uri == uri and memory.location.range.start.line == line end,
    memories
  )
  if #here == 0 then return end
  vim.api.nvim_buf_set_extmark(bufnr, namespace, line, 0, {
    virt_text = { { M.text(here, os.time()), 'LspCodeLens' } },
    virt_text_pos = 'eol',
    hl_mode = 'combine',
  })
end

--- Shows what is known at the cursor's line.
---@param bufnr integer
local function show(bufnr)
  local from = client.of(bufnr)
  if not from then return end
  local uri = vim.uri_from_bufnr(bufnr)
  local files = known[from.id] or {}
  known[from.id] = files
  if files[uri] then return draw(bufnr, files[uri]) end
  client.request(from, 'manicule/tree', { by = 'file', uri = uri }, function(err, tree)
    if err or not tree then return end
    local memories, seen = {}, {}
    for _, group in ipairs(tree.groups or {}) do
      for _, memory in ipairs(group.items or {}) do -- one may be in several groups
        if not seen[memory.uuid] then memories[#memories + 1] = memory end
        seen[memory.uuid] = true
      end
    end
    files[uri] = memories
    vim.schedule(function() draw(bufnr, memories) end)
  end, bufnr)
end

--- The server says that memories changed.
function M.forget() known = {} end

--- Shows the memory of the cursor's line in a buffer from now on.
---@param bufnr integer
function M.attach(bufnr)
  local group = vim.api.nvim_create_augroup('manicule.current_line.' .. bufnr, {})
  vim.api.nvim_create_autocmd({ 'CursorHold', 'BufEnter' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      if not client.of(bufnr) then return true end
      show(bufnr)
    end,
  })
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'InsertEnter', 'BufLeave' }, {
    group = group,
    buffer = bufnr,
    callback = function() clear(bufnr) end,
  })
end

return M
