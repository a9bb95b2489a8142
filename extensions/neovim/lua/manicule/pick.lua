--- Lists to pick from: the picker that the person has, else vim.ui.select. None
--- is needed; which one is there is looked up whenever a list is shown.
local M = {}

--- Something to pick.
---@class manicule.Entry
---@field text string its line
---@field preview? string[] what a picker shows beside the list
---@field uri? string the file it stands for
---@field line? integer from 1
---@field value any what is given back

--- A picker: gives the entry that was picked to a function, or nothing.
---@alias manicule.Picker fun(entries: manicule.Entry[], prompt: string, done: fun(entry: manicule.Entry))

---@param name string of a module
---@return any
local function module(name)
  local ok, found = pcall(require, name)
  return ok and found or nil
end

---@type table<string, manicule.Picker>
local pickers = {}

--- A text that fits into a number of cells.
---@param text string
---@param cells integer
---@return string
function M.shortened(text, cells)
  if vim.fn.strdisplaywidth(text) <= cells then return text end
  local short = vim.fn.strcharpart(text, 0, cells - 1)
  while vim.fn.strdisplaywidth(short) > cells - 1 do
    short = vim.fn.strcharpart(short, 0, vim.fn.strchars(short) - 1)
  end
  return short .. '…'
end

pickers.select = function(entries, prompt, done)
  vim.ui.select(entries, {
    prompt = prompt,
    kind = 'manicule',
    format_item = function(entry) return M.shortened(entry.text, vim.o.columns - 8) end, -- a line each, with its number
    preview_item = function(entry) return entry.preview or {} end, -- some replacements of vim.ui.select use it
  }, function(entry)
    if entry then done(entry) end
  end)
end

pickers.telescope = function(entries, prompt, done)
  local actions, state = require('telescope.actions'), require('telescope.actions.state')
  local conf = require('telescope.config').values
  require('telescope.pickers')
    .new({}, {
      prompt_title = prompt,
      finder = require('telescope.finders').new_table({
        results = entries,
        entry_maker = function(entry) return { value = entry, display = entry.text, ordinal = entry.text } end,
      }),
      sorter = conf.generic_sorter({}),
      previewer = require('telescope.previewers').new_buffer_previewer({
        title = 'Memory',
        define_preview = function(self, entry)
          vim.api.nvim_buf_set_lines(self.state.bufnr, 0, -1, false, entry.value.preview or {})
          vim.wo[self.state.winid].wrap = true
        end,
      }),
      attach_mappings = function(buf)
        actions.select_default:replace(function()
          local picked = state.get_selected_entry()
          if not picked then return end -- it is still sorting
          actions.close(buf)
          vim.schedule(function() done(picked.value) end)
        end)
        return true
      end,
    })
    :find()
end

pickers['fzf-lua'] = function(entries, prompt, done)
  local lines, by_number = {}, {}
  for index, entry in ipairs(entries) do
    lines[index] = ('%d. %s'):format(index, entry.text)
    by_number[tostring(index)] = entry
  end
  local function picked(selected) return by_number[(selected[1] or ''):match('^(%d+)%.') or ''] end
  require('fzf-lua').fzf_exec(lines, {
    prompt = '> ',
    winopts = { title = (' %s '):format(prompt) },
    fzf_opts = { ['--no-multi'] = true },
    preview = function(selected)
      local entry = picked(selected)
      return entry and table.concat(entry.preview or {}, '\n') or ''
    end,
    actions = {
      ['default'] = function(selected)
        local entry = picked(selected)
        if entry then done(entry) end
      end,
    },
  })
end

pickers.snacks = function(entries, prompt, done)
  local items = {}
  for index, entry in ipairs(entries) do
    items[index] = {
      idx = index,
      text = entry.text,
      entry = entry,
      preview = { text = table.concat(entry.preview or {}, '\n'), loc = false },
    }
  end
  require('snacks').picker.pick({
    title = prompt,
    items = items,
    format = function(item) return { { item.text } } end,
    preview = 'preview',
    confirm = function(picker, item)
      picker:close()
      if item then vim.schedule(function() done(item.entry) end) end
    end,
  })
end

pickers.mini = function(entries, prompt, done)
  local picked
  MiniPick.start({
    source = {
      name = prompt,
      items = entries,
      choose = function(entry) picked = entry end,
      preview = function(buf, entry) vim.api.nvim_buf_set_lines(buf, 0, -1, false, entry.preview or {}) end,
    },
  })
  if picked then done(picked) end
end

--- Whether a picker is installed and usable.
---@type { [1]: string, [2]: fun(): boolean }[]
local present = {
  {
    'snacks',
    function()
      local enabled = vim.tbl_get(_G, 'Snacks', 'config', 'picker', 'enabled')
      return enabled == true
    end,
  },
  { 'telescope', function() return module('telescope') ~= nil and module('plenary') ~= nil end },
  { 'fzf-lua', function() return vim.fn.executable('fzf') == 1 and module('fzf-lua') ~= nil end },
  { 'mini', function() return _G.MiniPick ~= nil end },
}

--- The name of the picker that lists are shown in: the one that the option
--- `picker` names, else the first of snacks, telescope, fzf-lua and mini that is
--- here, else "select" for |vim.ui.select()|.
---@return string
function M.backend()
  local wanted = require('manicule.config').get().picker
  if wanted ~= 'auto' then return wanted end
  for _, candidate in ipairs(present) do
    if candidate[2]() then return candidate[1] end
  end
  return 'select'
end

--- Shows entries in the available picker.
---@param entries manicule.Entry[]
---@param prompt string
---@param done fun(entry: manicule.Entry)
function M.entries(entries, prompt, done)
  local name = M.backend()
  local ok, problem = pcall(pickers[name], entries, prompt, done)
  if ok then return end
  vim.notify(('manicule: the picker %s failed: %s'):format(name, problem), vim.log.levels.WARN)
  if name ~= 'select' then pickers.select(entries, prompt, done) end
end

--- Shows memories in the available picker.
---@param memories manicule.Item[]
---@param prompt string
---@param done fun(memory: manicule.Item)
function M.items(memories, prompt, done)
  local item = require('manicule.item')
  local entries = vim.tbl_map(function(memory)
    local state = memory.state and memory.state ~= '' and memory.state ~= 'fresh' and (' (%s)'):format(memory.state)
      or ''
    local text = ('[%s] %s%s'):format(memory.type, memory.what, state):gsub('%s*\n%s*', ' ')
    return { text = text, preview = item.text(memory), uri = memory.uri, value = memory }
  end, memories)
  M.entries(entries, prompt, function(entry) done(entry.value) end)
end

return M
