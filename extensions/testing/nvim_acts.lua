-- What can be done with a memory in its hover, and what K shows while another
-- server is slow. Gets the harness, returns the steps.
local t = ...
local lua = t.lua
local type_keys = t.type_keys
local shows = t.shows
local eventually = t.eventually
local until_shown = t.until_shown
local equal = t.equal
local report = t.report
local current = t.current
local open = t.open
local line_of = t.line_of
local float_text = t.float_text
local shows_in_float = t.shows_in_float
local in_float = t.in_float
local diagnostic_lines = t.diagnostic_lines
local manicule = t.manicule

local path, first, second = 'tools/report.py', 'Totals are rounded at the end', 'Rows without an amount are zero'
local merges = vim.fn.has('nvim-0.11') == 1

-- The memory of a text, as it is stored.
local function stored(text)
  for _, each in ipairs(vim.json.decode(manicule('list', '--json')).memories) do
    if each.memory.what == text then return each.memory end
  end
end

-- Goes to the function and into the hover of its memories.
local function into_hover(key)
  until_shown(
    key .. ': the hover names its keys',
    '<Esc>' .. line_of(path, 'def total') .. 'G0w' .. key,
    function() return shows_in_float('In this window:') end
  )
  eventually(key .. ': to the last one', function() return shows('<CR> more') end)
  equal(key .. ': the cursor stays in the text', in_float(), false)
  type_keys(key)
  eventually(key .. ' again goes into it', in_float)
end

local function acts()
  lua('vim.g.manicule = { picker = "select" }')
  manicule('remember', first, '--type', 'gotcha', '--at', path .. '#total')
  lua('vim.cmd("nnoremap gx <Cmd>let g:own_gx = 1<CR>")')
  open(path)
  local line = line_of(path, 'def total')
  eventually('acts: the memory is there', function() return vim.deep_equal(diagnostic_lines(first), { line }) end)
  into_hover('K')
  local width = lua('return vim.api.nvim_win_get_width(0)')
  report('acts: the window is not wider than its text', width <= 80, width .. ' columns')
  type_keys('gggx')
  eventually("acts: gx elsewhere is the person's own", function() return lua('return vim.g.own_gx == 1') end)
  type_keys('/open<CR>gx')
  eventually('acts: gx on the link opens the file', function() return vim.endswith(current(), '.json') end)
  type_keys('<C-^>')
  eventually('acts: and back', function() return current() == path end)
  into_hover('K')
  type_keys('H')
  eventually('acts: H shows the history', function() return shows_in_float('v1') end)
  type_keys('q')
  eventually('acts: q closes it', function() return float_text() == '' end)
  into_hover('gK')
  type_keys('t')
  eventually(
    'acts: t confirms',
    function() return stored(first).trust.verified_at ~= nil and shows('☞ Confirmed') end
  )
  into_hover('K')
  type_keys('c')
  eventually('acts: c opens the form of a correction', function() return shows_in_float('# What was wrong') end)
  type_keys(':q!<CR>')
  eventually('acts: :q! leaves it', function() return float_text() == '' end)
  into_hover('K')
  type_keys('d')
  eventually('acts: d asks what is wrong', function() return shows('What is wrong with this memory?') end)
  type_keys('it is rounded twice<CR>')
  eventually(
    'acts: d disputes',
    function() return vim.json.encode(stored(first).trust):find('it is rounded twice', 1, true) ~= nil end
  )
  into_hover('K')
  type_keys('<CR>')
  eventually('acts: <CR> lists all that can be done', function() return shows('Withdraw') and shows('Pin') end)
  type_keys(t.number_of('Pin') .. '<CR>')
  eventually('acts: what is chosen is done', function() return stored(first).pinned == true end)
  into_hover('K')
  type_keys('o')
  eventually('acts: o opens the file', function() return t.current():match('^%.manicule/memories/.*%.json$') ~= nil end)
end

-- Two memories in one hover: a key is about the one at the cursor.
local function acts_on_one_of_two()
  manicule('remember', second, '--type', 'gotcha', '--at', path .. '#total')
  open(path)
  local line = line_of(path, 'def total')
  eventually('two: both are there', function() return vim.deep_equal(diagnostic_lines(second), { line }) end)
  equal(
    'two: virtual_lines, which writes the code before the text, says the type once',
    lua([[
    local lines = {}
    for _, d in ipairs(vim.diagnostic.get(0)) do
      lines[#lines + 1] = (d.code and d.code .. ': ' or '') .. d.message
    end
    return table.concat(lines, '\n'):find('gotcha: gotcha: ') == nil and #lines > 0]]),
    true
  )
  into_hover('K')
  local uuid = stored(second).uuid
  type_keys('/' .. uuid .. '<CR>?^\\*\\*gotcha<CR>') -- the card begins there
  type_keys('x')
  eventually('two: x forgets the one at the cursor', function() return stored(second) == nil end)
  eventually('two: the text shows it', function() return #diagnostic_lines(second) == 0 end)
  equal('two: and not the other', stored(first) ~= nil, true)
  manicule('restore', uuid)
  eventually('two: it is back', function() return vim.deep_equal(diagnostic_lines(second), { line }) end)
  into_hover('K')
  type_keys('gg') -- the heading is of both
  type_keys('x')
  eventually('two: on the heading it asks which', function() return shows('Which memory? (forget)') end)
  type_keys('q<CR>')
  eventually('two: no answer forgets nothing', function() return not shows('Which memory?') end)
  equal('two: both are kept', stored(first) ~= nil and stored(second) ~= nil, true)
end

-- A server that never answers by itself: what it is asked waits for the test.
local function shows_what_answered()
  lua('vim.g.manicule = { picker = "select", merge_hover = ' .. tostring(not merges) .. ' }')
  type_keys('<Esc>:%bwipeout!<CR>')
  open(path)
  type_keys(':SlowServer<CR>')
  vim.wait(t.patience, function() return lua('return #vim.lsp.get_clients({ bufnr = 0 })') == 2 end, 20)
  type_keys(line_of(path, 'def total') .. 'G0wK')
  eventually(
    'slow server: K shows the memories without it',
    function() return shows_in_float(first) and shows_in_float('slow has not answered yet') end
  )
  lua('_G.answer_hovers()')
  eventually(
    'slow server: and both when it answers',
    function() return shows_in_float('Answer of the slow server') and shows_in_float(first) end
  )
  equal('slow server: in one window', float_text():find('has not answered', 1, true), nil)
  equal('slow server: the cursor stays in the text', in_float(), false)
  type_keys('K')
  eventually('slow server: K again goes into the window', in_float)
  type_keys('G')
  type_keys('H')
  eventually(
    'slow server: its keys are there beside another server, too',
    function() return shows('Which memory? (history)') or shows_in_float('v1') end
  )
  type_keys('q<CR><Esc>')
  lua('_G.answer_hovers()')
  eventually('slow server: the list goes', function() return not shows('Which memory?') end)
  lua('for _, c in ipairs(vim.lsp.get_clients({ name = "slow" })) do vim.lsp.stop_client(c.id, true) end')
  manicule('forget', stored(first).uuid)
  manicule('forget', stored(second).uuid)
  lua('vim.g.manicule = nil')
  type_keys('<Esc>:%bwipeout!<CR>')
end

return { acts, acts_on_one_of_two, shows_what_answered }
