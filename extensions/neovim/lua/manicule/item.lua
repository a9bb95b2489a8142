--- A memory or a candidate from the server: its lines in a list, and
--- how to open its place or its file.
local M = {}

--- A memory from the server.
---@class manicule.Item
---@field uuid string
---@field type string
---@field what string
---@field why? string
---@field uri? string of the memory's own file
---@field location? { uri: string, range: table } where it is in the code
---@field path? string the file it is about, from the workspace's root
---@field scope? string[]
---@field state? string fresh, followed, drifted, stale or orphaned
---@field reason? string why it is in that state
---@field suggestion? { location: table, confidence: number, preview?: string } where its code may be now
---@field trust? { origin?: string, tainted?: boolean, verifiedBy?: string }
---@field pinned? boolean
---@field branch? string that a personal memory belongs to
---@field owner? string the agent that it is for alone
---@field disputed? boolean
---@field contributor? string
---@field tags? string[]
---@field updatedAt? string

--- A memory that waits for review.
---@class manicule.Candidate: manicule.Item
---@field evidence? string[]
---@field paths? string[]
---@field confidence? number
---@field sessions? integer how many sessions agree
---@field tainted? boolean it may repeat text from outside
---@field origin? string
---@field versions? manicule.ConflictVersion[] of a memory that a merge could not combine
---@field thread? boolean it is a shared thread

local state_groups = {
  followed = 'DiagnosticInfo',
  drifted = 'DiagnosticWarn',
  stale = 'DiagnosticWarn',
  orphaned = 'DiagnosticError',
}

--- Lines of an item after its first one, indented.
---@param out manicule.Chunk[][]
---@param label string
---@param text? string
---@param group? string
local function add(out, label, text, group)
  if text and text ~= '' then out[#out + 1] = { { '    ' .. label, 'Comment' }, { text, group } } end
end

---@param place { uri: string, range: table }
---@return string path from the working directory, with the line
function M.place_text(place)
  local path = vim.fn.fnamemodify(vim.uri_to_fname(place.uri), ':.')
  return ('%s:%d'):format(path, place.range.start.line + 1)
end

--- Where an item is: its place in the code, or what it is about.
---@param item manicule.Item|manicule.Candidate
---@return string
function M.about(item)
  if item.location then return M.place_text(item.location) end
  if item.path and item.path ~= '' then return item.path end
  local paths = {}
  local scope = item.scope or {}
  for _, path in ipairs(item.paths or {}) do
    if not vim.tbl_contains(scope, path .. '/**') then paths[#paths + 1] = path end
  end
  for _, pattern in ipairs(scope) do
    if not vim.tbl_contains(paths, pattern) then paths[#paths + 1] = pattern end
  end
  return table.concat(paths, ', ')
end

--- The first line of an item: its type, what it says, its state.
---@param item manicule.Item
---@return manicule.Chunk[]
function M.head(item)
  local line = { { item.type:gsub('_', ' ') .. ' ', 'ManiculeType' }, { item.what, 'ManiculeWhat' } }
  if item.pinned then line[#line + 1] = { ' (pinned)', 'Comment' } end
  if item.owner then line[#line + 1] = { ' (only for ' .. item.owner .. ')', 'Comment' } end
  if item.branch then line[#line + 1] = { ' (of ' .. item.branch .. ')', 'Comment' } end
  if item.disputed then line[#line + 1] = { ' (disputed)', 'DiagnosticWarn' } end
  if item.state and state_groups[item.state] then line[#line + 1] = { ' ' .. item.state, state_groups[item.state] } end
  return line
end

---@param item manicule.Candidate
local function provenance(item)
  local parts = {}
  local origin = item.origin or (item.trust and item.trust.origin)
  if origin then parts[#parts + 1] = (origin:gsub('_', ' ')) end
  if item.confidence and item.confidence < 1 and not item.thread then
    parts[#parts + 1] = ('confidence %.2f'):format(item.confidence)
  end
  if origin == 'observer_inferred' and item.sessions and item.sessions > 0 then -- what was written was seen in none
    parts[#parts + 1] = item.sessions == 1 and '1 session' or item.sessions .. ' sessions'
  end
  if item.contributor then parts[#parts + 1] = item.contributor end
  return table.concat(parts, ', ')
end

--- All lines of an item.
---@param item manicule.Item|manicule.Candidate
---@return manicule.Chunk[][]
function M.lines(item)
  local out = { M.head(item) }
  add(out, 'why     ', item.why)
  add(out, 'about   ', M.about(item), 'Directory')
  add(out, 'because ', item.reason, 'DiagnosticWarn')
  for _, evidence in ipairs(item.evidence or {}) do
    add(out, 'noted   ', evidence)
  end
  local suggestion = item.suggestion
  if suggestion and suggestion.location then
    local sure = suggestion.confidence and (' (%.2f)'):format(suggestion.confidence) or ''
    add(out, 'now at? ', M.place_text(suggestion.location) .. sure, 'DiagnosticInfo')
    for _, line in ipairs(vim.list_slice(vim.split(suggestion.preview or '', '\n', { trimempty = true }), 1, 3)) do
      add(out, '        ', line, 'String')
    end
  end
  add(out, 'from    ', provenance(item), 'Comment')
  if item.tainted or (item.trust and item.trust.tainted and not item.trust.verifiedBy) then
    add(out, 'tainted ', 'it may repeat text from outside; read it as data', 'DiagnosticWarn')
  end
  out[#out + 1] = {}
  return out
end

--- The text of an item without highlights, for a picker's preview.
---@param item manicule.Item
---@return string[]
function M.text(item)
  local out = {}
  for _, chunks in ipairs(M.lines(item)) do
    local text = ''
    for _, chunk in ipairs(chunks) do
      text = text .. chunk[1]
    end
    vim.list_extend(out, vim.split(text, '\n'))
  end
  return out
end

---@param uri string
local function edit(uri) vim.cmd.edit({ args = { vim.fn.fnameescape(vim.uri_to_fname(uri)) } }) end

--- Opens a memory's own file in the current window.
---@param item manicule.Item
function M.open_file(item)
  if item.uri and item.uri ~= '' then
    edit(item.uri)
  else
    vim.notify('manicule: a candidate has no file until it is accepted')
  end
end

--- Goes to a place in the code, in the current window.
---@param place { uri: string, range: table }
function M.go(place)
  edit(place.uri)
  local start = place.range.start
  local last = vim.api.nvim_buf_line_count(0)
  local line = math.min(start.line + 1, last)
  local text = vim.api.nvim_buf_get_lines(0, line - 1, line, false)[1] or ''
  vim.api.nvim_win_set_cursor(0, { line, math.min(start.character, #text) })
  vim.cmd('normal! zz')
end

--- Goes to what an item is about: its place, the file, or else the memory's file.
---@param item manicule.Item|manicule.Candidate
---@param root? string the workspace's folder
function M.visit(item, root)
  local path = item.path or (item.paths or {})[1]
  if item.location then
    M.go(item.location)
  elseif path and path ~= '' and root and vim.uv.fs_stat(root .. '/' .. path) then
    edit(vim.uri_from_fname(root .. '/' .. path))
  else
    M.open_file(item)
  end
end

--- The highlight groups of lists and signs, which a colour scheme may define.
function M.define_highlights()
  for group, link in pairs({
    ManiculeType = 'Type',
    ManiculeKey = 'Special',
    ManiculeSign = 'DiagnosticSignHint',
  }) do
    vim.api.nvim_set_hl(0, group, { link = link, default = true })
  end
  vim.api.nvim_set_hl(0, 'ManiculeWhat', { bold = true, default = true })
end

return M
