--- A buffer to correct the parts of a memory in; writing it sends them.
local M = {}

local namespace = vim.api.nvim_create_namespace('manicule.form')

--- What can be corrected.
---@class manicule.Fields
---@field what string
---@field why string
---@field type string
---@field scope string[] patterns

--- A part of a form; "list" parts have one entry a line.
---@class manicule.Part
---@field name string
---@field title string
---@field list? boolean

--- What a form has: its parts, in the order of the buffer, and the line that explains it.
---@class manicule.FormKind
---@field name string the buffer is manicule://NAME/UUID
---@field explanation string
---@field parts manicule.Part[]

local what = { name = 'what', title = 'What' }
local why = { name = 'why', title = 'Why' }
local kind_of = { name = 'type', title = 'Type' }

--- Changes what a memory or a candidate says.
---@type manicule.FormKind
M.edit = {
  name = 'edit',
  explanation = '<!-- <Tab> goes on, <C-s> sends it, :q! leaves. One scope pattern a line. -->',
  parts = { what, why, kind_of, { name = 'scope', title = 'Scope', list = true } },
}

--- Corrects a wrong memory.
---@type manicule.FormKind
M.correction = {
  name = 'correct',
  explanation = '<!-- Say what was wrong, and put it right. <Tab> goes on, <C-s> writes it, :q! leaves. -->',
  parts = { { name = 'note', title = 'What was wrong' }, what, why, kind_of },
}

--- Writes a memory.
---@type manicule.FormKind
M.new = {
  name = 'remember',
  explanation = '<!-- <Tab> goes on, <C-s> stores it, :q! leaves. Type: gotcha, decision, dead_end, … -->',
  parts = { what, why, kind_of, { name = 'place', title = 'Where' } },
}

---@param kind manicule.FormKind
---@param fields table
---@return string[]
local function to_lines(kind, fields)
  local lines = { kind.explanation }
  for _, part in ipairs(kind.parts) do
    vim.list_extend(lines, { '', '# ' .. part.title })
    local value = fields[part.name]
    vim.list_extend(lines, part.list and (value or {}) or vim.split(value or '', '\n'))
  end
  return lines
end

--- Reads the parts from the lines of a buffer. A part whose heading is gone is
--- left out, so the server keeps it.
---@param kind manicule.FormKind
---@param lines string[]
---@return manicule.Fields
function M.parse(kind, lines)
  local texts, current = {}, nil
  for _, line in ipairs(lines) do
    local heading
    for _, part in ipairs(kind.parts) do
      if vim.trim(line) == '# ' .. part.title and not texts[part.name] then heading = part end
    end
    if heading then
      current = heading.name
      texts[current] = {}
    elseif current then
      table.insert(texts[current], line)
    end
  end
  local fields = {}
  for _, part in ipairs(kind.parts) do
    local given = texts[part.name]
    if given and part.list then
      fields[part.name] = vim.tbl_filter(function(line) return line ~= '' end, vim.tbl_map(vim.trim, given))
    elseif given then
      fields[part.name] = vim.trim(table.concat(given, '\n'))
    end
  end
  return fields
end

--- The parts that were changed.
---@param kind manicule.FormKind
---@param before table
---@param after table
---@return table
local function changes(kind, before, after)
  local changed = {}
  for _, part in ipairs(kind.parts) do
    local old = before[part.name] or (part.list and {} or '')
    if after[part.name] and not vim.deep_equal(old, after[part.name]) then changed[part.name] = after[part.name] end
  end
  return changed
end

--- Breaks a text into lines that fit in a window, between words.
---@param text string
---@param width integer cells
---@return string[]
local function wrapped(text, width)
  local lines, line = {}, ''
  for word in text:gmatch('%S+') do
    if line ~= '' and vim.fn.strdisplaywidth(line .. ' ' .. word) > width then
      lines[#lines + 1] = line
      line = word
    else
      line = line == '' and word or line .. ' ' .. word
    end
  end
  lines[#lines + 1] = line
  return lines
end

--- Shows below the explanation why the server refused a form, until it
--- is written again.
---@param buf integer
---@param win integer
---@param reason? string nil takes the last one away
local function say_why(buf, win, reason)
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  if not reason then return end
  local lines = wrapped('Not stored: ' .. reason, vim.api.nvim_win_get_width(win))
  vim.api.nvim_buf_set_extmark(buf, namespace, 0, 0, {
    virt_lines = vim.tbl_map(function(line) return { { line, 'DiagnosticWarn' } } end, lines),
  })
end

--- Shows the buffer of a form in a window of its own.
---@param buf integer
---@param title string
---@return integer window
local function show(buf, title)
  local shape = require('manicule.view').shape(18)
  shape.border, shape.title, shape.title_pos = 'rounded', (' %s '):format(title), 'center'
  local win = vim.api.nvim_open_win(buf, true, shape)
  for _, option in ipairs({ 'wrap', 'linebreak' }) do
    vim.api.nvim_set_option_value(option, true, { win = win, scope = 'local' })
  end
  return win
end

--- Puts the cursor at the end of the next part, after the last one of the first.
---@param kind manicule.FormKind
---@param step integer 1, or -1 for the part before
local function go_on(kind, step)
  local titles, ends, current = {}, {}, 0
  for _, part in ipairs(kind.parts) do
    titles['# ' .. part.title] = true
  end
  local lines, row = vim.api.nvim_buf_get_lines(0, 0, -1, false), vim.fn.line('.')
  for number, line in ipairs(lines) do
    if titles[vim.trim(line)] then
      ends[#ends + 1] = math.min(number + 1, #lines)
      if number <= row then current = #ends end
    elseif #ends > 0 and line ~= '' then
      ends[#ends] = number -- of a part, its last line with a text
    end
  end
  if #ends == 0 then return end
  local at = ends[(current + step - 1) % #ends + 1]
  vim.api.nvim_win_set_cursor(0, { at, #lines[at] })
end

--- Keys of a form, while one writes and while one does not.
---@param kind manicule.FormKind
---@param buf integer
local function map_keys(kind, buf)
  local function map(key, run, about) vim.keymap.set({ 'n', 'i' }, key, run, { buffer = buf, desc = about }) end
  map('<Tab>', function() go_on(kind, 1) end, 'Manicule: the next part')
  map('<S-Tab>', function() go_on(kind, -1) end, 'Manicule: the part before')
  map('<C-s>', '<Cmd>stopinsert<Bar>write<CR>', 'Manicule: store it')
end

--- Opens the buffer in a window of its own, or goes there when it is open. When
--- it is written, send is called with what was changed, and calls back with the
--- reason when the server refused it: then the window stays, else it closes.
--- What is called back answers whether it closed.
---@param kind manicule.FormKind
---@param item manicule.Item|manicule.Candidate
---@param title string
---@param send fun(changed: table, answered: fun(reason?: string): boolean)
function M.open(kind, item, title, send)
  local name = ('manicule://%s/%s'):format(kind.name, item.uuid)
  local known = require('manicule.client').loaded(name)
  if known then
    local win = vim.fn.win_findbuf(known)[1]
    if win then return vim.api.nvim_set_current_win(win) end
    show(known, title)
    return
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, name)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, to_lines(kind, item))
  vim.bo[buf].buftype, vim.bo[buf].bufhidden, vim.bo[buf].filetype = 'acwrite', 'wipe', 'markdown'
  vim.bo[buf].modified = false
  map_keys(kind, buf)
  vim.api.nvim_win_set_cursor(show(buf, title), { 4, 0 }) -- below the first heading
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buf,
    callback = function()
      local after = M.parse(kind, vim.api.nvim_buf_get_lines(buf, 0, -1, false))
      if after.what == '' then
        vim.notify('manicule: a memory needs a text below "# What"', vim.log.levels.WARN)
        return
      end
      send(changes(kind, item, after), function(reason)
        if not vim.api.nvim_buf_is_valid(buf) then return not reason end
        local windows = vim.fn.win_findbuf(buf)
        if windows[1] then say_why(buf, windows[1], reason) end
        if reason then return false end
        vim.bo[buf].modified = false
        for _, win in ipairs(windows) do
          vim.api.nvim_win_close(win, true)
        end
        return true
      end)
    end,
  })
end

return M
