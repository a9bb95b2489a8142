-- Beside a language's own server (gopls): both hovers, errors that were seen
-- before; and how long a person waits for lens and hover. Gets the harness,
-- returns the steps.
local t = ...
local lua = t.lua
local type_keys = t.type_keys
local shows = t.shows
local report = t.report
local eventually = t.eventually
local until_shown = t.until_shown
local equal = t.equal
local open = t.open
local line_of = t.line_of
local float_text = t.float_text
local shows_in_float = t.shows_in_float
local in_float = t.in_float
local manicule = t.manicule

local why = 'Incident in May'
local merges = vim.fn.has('nvim-0.11') == 1
local limit = 500 -- milliseconds from the keys until both are on the screen

-- Milliseconds from the keys until the screen shows what is waited for.
local function milliseconds(keys, condition)
  local before = vim.uv.hrtime()
  type_keys(keys)
  local ok = vim.wait(t.patience, condition, 1)
  return ok and (vim.uv.hrtime() - before) / 1e6 or math.huge
end

local function median(times)
  table.sort(times)
  return times[math.ceil(#times / 2)]
end

---------------------------------------------------------------- gopls

local function starts_gopls()
  open('auth/token.go')
  lua(
    [[
    local gopls = { name = 'gopls', cmd = { ... }, root_dir = vim.fn.getcwd() }
    vim.lsp.start(gopls)
    vim.api.nvim_create_autocmd('FileType', { pattern = 'go', callback = function() vim.lsp.start(gopls) end })]],
    vim.env.MANICULE_E2E_GOPLS
  )
  vim.wait(t.patience, function() return lua('return #vim.lsp.get_clients({ bufnr = 0 })') == 2 end, 20)
end

-- gopls reads the standard library first: asks it until it answers.
local function wait_for_gopls()
  vim.wait(
    6 * t.patience,
    function()
      return lua([[
      local gopls = vim.lsp.get_clients({ name = 'gopls', bufnr = 0 })[1]
      if not gopls then return false end
      local params = vim.lsp.util.make_position_params(0, gopls.offset_encoding)
      local ask = vim.fn.has('nvim-0.11') == 1 and function(...) return gopls:request_sync(...) end or gopls.request_sync
      local answer = ask('textDocument/hover', params, 1000, 0)
      return answer ~= nil and answer.result ~= nil]])
    end,
    100
  )
end

-- K is pressed several times beside gopls, until both are on the screen.
local function is_quick_beside_gopls()
  local times, most = {}, 1000
  local function both() return shows_in_float('func (s *Store) Refresh(id string)') and shows_in_float(why) end
  for round = 1, 5 do
    times[round] = milliseconds('K', both)
    type_keys('<Esc>' .. (round % 2 == 1 and 'l' or 'h'))
    vim.wait(t.patience, function() return float_text() == '' end, 5)
  end
  local middle = median(times)
  io.stdout:write(('     beside gopls: K shows both, median of 5: %.0f ms (worst %.0f)\n'):format(middle, times[5]))
  report(('beside gopls: K shows both within %d ms'):format(most), middle < most, ('%.0f ms'):format(middle))
end

-- gopls has just been started, and reads the standard library. The cursor is elsewhere afterwards: what
-- gopls answers late is then dropped by the editor.
local function does_not_wait_for_gopls()
  local most = 1000
  local took = milliseconds('K', function() return shows_in_float(why) end)
  io.stdout:write(('     while gopls loads: K shows the memories after %.0f ms\n'):format(took))
  report(('while gopls loads: K shows the memories within %d ms'):format(most), took < most, ('%.0f ms'):format(took))
  type_keys('<Esc>l')
  eventually('while gopls loads: the window goes with the cursor', function() return float_text() == '' end)
end

local function hovers_are_merged()
  lua('vim.g.manicule = { picker = "select", merge_hover = ' .. tostring(not merges) .. ' }')
  type_keys('<Esc>:bwipeout!<CR>')
  open('auth/token.go')
  starts_gopls()
  type_keys(line_of('auth/token.go', 'func (s *Store) Refresh') .. 'G0fR')
  does_not_wait_for_gopls()
  wait_for_gopls()
  type_keys('K')
  eventually(
    'beside gopls: K shows what gopls says',
    function() return shows_in_float('func (s *Store) Refresh(id string)') end
  )
  eventually('beside gopls: and the memories, in the same window', function() return shows_in_float(why) end)
  equal('beside gopls: the cursor stays in the text', in_float(), false)
  type_keys('<Esc>l')
  eventually('beside gopls: the window goes with the cursor', function() return float_text() == '' end)
  type_keys('h')
  is_quick_beside_gopls()
  type_keys('gK')
  eventually(
    'beside gopls: gK shows the memories alone',
    function() return shows_in_float(why) and not float_text():find('func (s *Store)', 1, true) end
  )
  type_keys('<Esc>h')
end

-- The line of the diagnostic of the buffer that has a text; 0 for none.
local function diagnosed(text)
  return lua(
    [[
    local text = ...
    for _, d in ipairs(vim.diagnostic.get(0)) do
      if d.message:find(text, 1, true) then return d.lnum + 1 end
    end
    return 0]],
    text
  )
end

local embed_error = 'pattern dist/*: no matching files found'

-- What is typed before the list is gone answers the list.
local function leave_list(name)
  type_keys('<CR>')
  eventually('seen before: ' .. name, function() return not shows('☞ Seen before: ') end)
end

local function sees_errors_again()
  manicule(
    'remember',
    '“' .. embed_error .. '” is the web page that was not built',
    '--type',
    'error_pattern',
    '--why',
    'npm run build in web/'
  )
  vim.fn.mkdir(t.workspace .. '/page', 'p')
  local source = { 'package page', '', 'import "embed"', '', '//go:embed dist/*', 'var Files embed.FS' }
  vim.fn.writefile(source, t.workspace .. '/page/page.go')
  open('page/page.go')
  local seen = vim.wait(6 * t.patience, function() return diagnosed(embed_error) > 0 end, 50)
  if not report('seen before: gopls has a diagnostic', seen, vim.inspect(lua('return vim.diagnostic.get(0)'))) then
    return
  end
  local line = diagnosed(embed_error)
  until_shown(
    'seen before: a code action says so',
    '<Esc>' .. line .. 'G0w:lua vim.lsp.buf.code_action()<CR>',
    function() return shows('☞ Seen before: ') and shows('npm run build in web/') end
  )
  leave_list('the list goes')
  -- A linter is no language server: nobody but us sends its diagnostics on.
  lua(
    [[
    vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), 0, { {
      lnum = 0, col = 0, end_lnum = 0, end_col = 7, severity = 1, source = 'linter', message = ...,
    } })]],
    embed_error
  )
  until_shown(
    'seen before: a linter counts too',
    '<Esc>gg0:lua vim.lsp.buf.code_action()<CR>',
    function() return shows('☞ Seen before: ') end
  )
  leave_list('and this list goes too')
end

-- gopls takes its time to end, and the editor waits for it.
local function stops_gopls()
  lua('for _, c in ipairs(vim.lsp.get_clients({ name = "gopls" })) do vim.lsp.stop_client(c.id, true) end')
  vim.wait(t.patience, function() return lua('return #vim.lsp.get_clients({ name = "gopls" })') == 0 end, 20)
end

---------------------------------------------------------------- writing

local function has_memory(text) return manicule('list', '--json'):find(text, 1, true) ~= nil end

local function writes()
  open('web/session.ts')
  type_keys(':Manicule teach Sessions live in one file<CR>')
  eventually('teach: it is about the file', function() return has_memory('Sessions live in one file') end)
  type_keys(':1,4Manicule remember These fields are sent to the browser<CR>')
  eventually(
    'remember with a range: it is written',
    function() return has_memory('These fields are sent to the browser') end
  )
end

-- What was typed at the prompt and could not be written is there again.
local function is_kept()
  local folder, away = t.workspace .. '/.manicule/memories', t.workspace .. '/.manicule/away'
  local text, ask = 'Sessions end with the browser', '<Esc>:Manicule teach<CR>'
  local function asks() return shows('What should be known about web/session.ts?') end
  local function offers() return shows('web/session.ts? ' .. text) end
  open('web/session.ts')
  assert(vim.uv.fs_rename(folder, away))
  vim.fn.writefile({}, folder) -- no file can be written below it
  until_shown('teach asks for a text', ask, asks)
  type_keys(text .. '<CR>')
  eventually('it is not written', function() return not asks() end)
  until_shown('what could not be written is offered again', ask, offers)
  vim.fn.delete(folder)
  assert(vim.uv.fs_rename(away, folder))
  type_keys('<CR>')
  eventually('and is written then', function() return has_memory(text) end)
  until_shown('and is offered no more', ask, function() return asks() and not offers() end)
  type_keys('<Esc>')
end

---------------------------------------------------------------- time

-- A file is opened with the index warm, as often as said, and K pressed.
local function is_quick()
  local path, rounds, lens, hover = 'quick/sum.py', 9, {}, {}
  vim.fn.mkdir(t.workspace .. '/quick', 'p')
  vim.fn.writefile({ 'import os', '', '', 'def total(rows):', '    return sum(rows)' }, t.workspace .. '/' .. path)
  manicule('remember', 'Sums are of cents', '--type', 'gotcha', '--at', path .. '#total')
  local line = line_of(path, 'def total')
  open(path)
  vim.wait(t.patience, function() return t.line_showing('☞ 1 memory here') == line end, 5)
  for round = 1, rounds do
    open('auth/token.go')
    vim.wait(t.patience, function() return shows('func (s *Store) Refresh') end, 5)
    type_keys(':silent! bwipeout! ' .. path .. '<CR>')
    vim.wait(t.patience, function() return lua('return vim.fn.bufnr(...)', path) == -1 end, 5)
    lens[round] = milliseconds(
      ':edit ' .. path .. '<CR>',
      function() return t.line_showing('☞ 1 memory here') == line end
    )
    type_keys(line .. 'G0w')
    hover[round] = milliseconds('K', function() return shows('Sums are of cents') and float_text() ~= '' end)
    type_keys('<Esc>0')
    vim.wait(t.patience, function() return float_text() == '' end, 5)
  end
  local a, b = median(lens), median(hover)
  io.stdout:write(
    ('     opening a file on a warm index, median of %d: lens %.0f ms (worst %.0f), then hover %.0f ms (worst %.0f)\n'):format(
      rounds,
      a,
      lens[rounds],
      b,
      hover[rounds]
    )
  )
  report(('lens and hover are seen within %d ms'):format(limit), a + b < limit, ('%.0f ms'):format(a + b))
end

local steps = { is_quick, writes, is_kept }
if vim.env.MANICULE_E2E_GOPLS and vim.env.MANICULE_E2E_GOPLS ~= '' then
  vim.list_extend(steps, { hovers_are_merged, sees_errors_again, stops_gopls })
else
  io.stdout:write('SKIP gopls is not here\n')
end
return steps
