-- Drives a real Neovim with the plugin and the real server, and asserts on its
-- screen. Run by run-nvim.sh: nvim -l nvim_e2e.lua.
--
-- This Neovim holds another one in a terminal buffer, types into it as a person
-- would, and reads what stands on its screen: the terminal's lines. Beside
-- that it asks the editor over RPC for what a screen shows only as colours.
-- Nothing sleeps: every wait is for a condition.

local workspace = assert(vim.env.MANICULE_E2E_WORKSPACE)
local here = debug.getinfo(1, 'S').source:match('^@(.*)/[^/]*$')
local patience = tonumber(vim.env.MANICULE_E2E_PATIENCE or 15000) -- milliseconds

local passed, failed = 0, 0
local terminal, job, editor

---------------------------------------------------------------- the editor

local function start_editor()
  local socket = vim.fn.tempname()
  local argv = { vim.env.MANICULE_E2E_NVIM, '-u', here .. '/nvim_init.lua', '-i', 'NONE', '--listen', socket }
  local options = { cwd = workspace, env = { TERM = 'xterm-256color', COLORTERM = 'truecolor' } }
  terminal = vim.api.nvim_create_buf(false, true)
  -- The editor gets the size of the window that shows it.
  vim.api.nvim_open_win(terminal, true, { relative = 'editor', row = 0, col = 0, width = 160, height = 44 })
  if vim.fn.has('nvim-0.11') == 1 then
    options.term = true
    job = vim.fn.jobstart(argv, options)
  else
    job = vim.fn.termopen(argv, options)
  end
  local connected = vim.wait(patience, function()
    local ok, channel = pcall(vim.fn.sockconnect, 'pipe', socket, { rpc = true })
    if ok then editor = channel end
    return ok
  end, 20)
  assert(connected, 'the editor did not start')
end

local function lua(code, ...) return vim.rpcrequest(editor, 'nvim_exec_lua', code, { ... }) end

-- Types keys, as into a terminal; "<Esc>" and the like are understood.
-- Nobody waits for an answer: the last keys end the editor.
local function type_keys(keys) vim.rpcnotify(editor, 'nvim_input', keys) end

local function screen() return vim.api.nvim_buf_get_lines(terminal, 0, -1, false) end

-- The number of the source line that a row of the screen shows, from its number column.
local function source_line(row) return row and tonumber(row:match('^%s*[^%d%s]?%s*(%d+) ')) end

-- The source line that shows a text on the screen: on its own row, or on a
-- virtual line above it. And the row itself.
local function line_showing(text)
  local rows = screen()
  for index, row in ipairs(rows) do
    if row:find(text, 1, true) then return source_line(row) or source_line(rows[index + 1]), row end
  end
end

local function shows(text)
  for _, row in ipairs(screen()) do
    if row:find(text, 1, true) then return true end
  end
  return false
end

---------------------------------------------------------------- assertions

local function report(name, ok, detail)
  if ok then passed = passed + 1 else failed = failed + 1 end
  io.stdout:write(('%s %s%s\n'):format(ok and 'PASS' or 'FAIL', name, ok and '' or ': ' .. detail))
  return ok
end

local function eventually(name, condition)
  local ok = vim.wait(patience, condition, 20)
  return report(name, ok, 'the screen was\n' .. table.concat(screen(), '\n'):gsub('\n+$', ''))
end

local function equal(name, got, want)
  return report(name, vim.deep_equal(got, want), ('got %s, want %s'):format(vim.inspect(got), vim.inspect(want)))
end

local function line_of(path, text)
  local number = 0
  for line in io.lines(workspace .. '/' .. path) do
    number = number + 1
    if line:find(text, 1, true) then return number end
  end
  error(path .. ' has no line with ' .. text)
end

local function open(path)
  type_keys('<Esc>:edit ' .. path .. '<CR>')
  vim.wait(patience, function() return lua('return vim.fn.expand("%:.")') == path end, 20)
end

local function diagnostic_lines(text)
  return lua(
    [[
    local lines = {}
    for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
      if diagnostic.message:find(..., 1, true) then lines[#lines + 1] = diagnostic.lnum + 1 end
    end
    return lines]],
    text
  )
end

-- The text of the floating window, for what stands elsewhere on the screen too.
local function float_text()
  return lua([[
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= '' then
        return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), '\n')
      end
    end
    return '']])
end

-- Whether a text stands in the floating window, and so on the screen.
local function shows_in_float(text) return shows(text) and float_text():find(text, 1, true) ~= nil end

local function in_float() return lua('return vim.api.nvim_win_get_config(0).relative ~= ""') end

-- Runs a command line of the server, from outside of the editor.
local function manicule(...)
  local done = vim.system({ vim.env.MANICULE_SERVER, ... }, { cwd = workspace, text = true }):wait()
  assert(done.code == 0, done.stderr)
end

---------------------------------------------------------------- what a person does

local one, two, three = '☞ 1 memory here', '☞ 2 memories here', '☞ 3 memories here'
local refresh_text = 'Refresh fails silently when Redis is unreachable'
local why = 'Incident in May: the dial error was swallowed'

local function sees_a_symbol()
  open('auth/token.go')
  local line = line_of('auth/token.go', 'func (s *Store) Refresh')
  eventually('Go: the lens stands at the method', function() return line_showing(one) == line end)
  eventually('Go: the diagnostic is read in the line of the method', function() return line_showing(refresh_text) == line end)
  equal('Go: there is one diagnostic, at the method', diagnostic_lines(refresh_text), { line })
  type_keys(line .. 'Gfh') -- somewhere in the signature
  type_keys('0fRK')
  eventually('Go: K shows why', function() return shows_in_float(why) end)
  type_keys('<Esc>' .. line_of('auth/token.go', 'func (s *Store) Validate') .. 'GK')
  eventually('Go: K says that another function has nothing', function() return shows('No information available') end)
  equal('Go: and shows no window', float_text(), '')
end

local function sees_a_line()
  open('web/session.ts')
  local text = 'Clock skew of clients is up to a minute'
  local line = line_of('web/session.ts', 'session.expires > Date.now()')
  eventually('TypeScript: the diagnostic is read in its line', function() return line_showing(text) == line end)
  equal('TypeScript: there is one diagnostic, at the line', diagnostic_lines(text), { line })
  eventually('TypeScript: there is a lens', function() return shows(one) end)
  type_keys(line .. 'G0wK')
  eventually('TypeScript: K shows the memory', function() return shows_in_float(text) end)
end

local function sees_a_scope()
  open('tools/report.py')
  eventually('Python: the lens of the folder stands at the top', function() return line_showing(one) == 1 end)
  type_keys('ggK')
  eventually('Python: K on the first line shows the memory', function() return shows('Amounts are in cents') end)
  equal('Python: a convention is no diagnostic', diagnostic_lines('cents'), {})
end

-- Attaching a file asks for its lenses more than once, and the answers come in
-- another order each time.
local function opens_again()
  local at = { ['tools/report.py'] = 1, ['auth/token.go'] = line_of('auth/token.go', 'func (s *Store) Refresh') }
  local times, shown = 12, 0
  for time = 1, times do
    local path = time % 2 == 0 and 'tools/report.py' or 'auth/token.go'
    type_keys('<Esc>:%bwipeout!<CR>')
    open(path)
    if not vim.wait(patience, function() return line_showing(one) == at[path] end, 20) then break end
    shown = time
  end
  equal('opened again: the lens stands each time', shown, times)
end

local function types()
  open('auth/token.go')
  local line = line_of('auth/token.go', 'func (s *Store) Refresh')
  eventually('typing: the lens is back', function() return line_showing(one) == line end)
  type_keys((line + 1) .. 'Go//')
  local seen = {}
  for _ = 1, 20 do
    type_keys('0123456789')
    vim.rpcrequest(editor, 'nvim_command', 'redraw')
    vim.wait(50, function() return false end, 10) -- a person's pace: each burst reaches the server
    local at = line_showing(one)
    seen[at or 'gone'] = true
  end
  type_keys('<Esc>')
  equal('typing: 200 characters inside the function never moved the lens', seen, { [line] = true })
  equal('typing: they all arrived', lua('return select(2, vim.api.nvim_get_current_line():gsub("%d", ""))'), 200)
  eventually('typing: the lens stays when insert mode ends', function() return line_showing(one) == line end)
  type_keys('gg0O<Esc>')
  eventually('typing: a line above moves the lens with its method', function() return line_showing(one) == line + 1 end)
  type_keys(':edit!<CR>')
  eventually('typing: taking it back does too', function() return line_showing(one) == line end)
end

local function others_write()
  manicule('remember', 'Refresh must not be retried', '--type', 'gotcha', '--at', 'auth/token.go#Store.Refresh')
  local line = line_of('auth/token.go', 'func (s *Store) Refresh')
  eventually('a memory from outside: the lens counts it', function() return line_showing(two) == line end)
  eventually('a memory from outside: its diagnostic comes', function()
    return vim.deep_equal(diagnostic_lines('Refresh must not be retried'), { line })
  end)
end

local function uses_commands()
  local line = line_of('auth/token.go', 'func (s *Store) Refresh')
  type_keys(line .. 'G0fR:Manicule hover<CR>')
  eventually(':Manicule hover shows the memories', function() return shows_in_float(why) end)
  type_keys('<Esc>l')
  eventually(':Manicule hover goes when the cursor moves', function() return float_text() == '' end)
  type_keys(':Manicule remember The token grows with each refresh<CR>')
  eventually(':Manicule remember writes, and the lens counts', function() return line_showing(three) == line end)
  type_keys('gl')
  eventually('the lens, run, lists the memories', function() return shows('] The token grows with each refresh') end)
  type_keys('1<CR>')
  eventually('picking one opens its file', function()
    return lua('return vim.fn.expand("%:.")'):match('^%.manicule/memories/.*%.json$') ~= nil
  end)
  open('auth/token.go')
  local before = lua('return vim.lsp.get_clients({ name = "manicule" })[1].id')
  type_keys(':Manicule restart<CR>')
  eventually(':Manicule restart starts another server', function()
    local after = lua('local c = vim.lsp.get_clients({ name = "manicule", bufnr = 0 })[1] return c and c.id or 0')
    return after ~= 0 and after ~= before
  end)
  eventually(':Manicule restart brings the lens back', function() return line_showing(three) == line end)
  type_keys(':checkhealth manicule<CR>')
  eventually(':checkhealth manicule finds the server running', function() return shows('the server runs for') end)
  type_keys(':bwipeout!<CR>')
end

local function has_another_server()
  open('auth/token.go')
  local line = line_of('auth/token.go', 'func (s *Store) Refresh')
  type_keys(':OtherServer<CR>')
  vim.wait(patience, function() return lua('return #vim.lsp.get_clients({ bufnr = 0 })') == 2 end, 20)
  type_keys(line .. 'G0fRK')
  eventually('beside another server: K shows its answer', function() return shows('Answer of the other server') end)
  equal('beside another server: the cursor stays in the text', in_float(), false)
  if vim.fn.has('nvim-0.11') == 1 then
    eventually('beside another server: K shows the memories too', function() return shows_in_float(why) end)
  end
  type_keys('<Esc>lgK')
  eventually('beside another server: gK shows the memories', function()
    return shows_in_float(why) and not shows('Answer of the other server')
  end)
  type_keys('<Esc>l')
end

local function leaves()
  local pids = lua([[
    local running = {}
    for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do running[#running + 1] = pid end
    return running]])
  type_keys('<Esc>:qall!<CR>')
  equal('the editor ends', vim.fn.jobwait({ job }, patience)[1], 0)
  report('and leaves no server behind', vim.wait(patience, function()
    for _, pid in ipairs(pids) do
      if vim.uv.kill(pid, 0) == 0 then return false end
    end
    return true
  end, 20), 'these are alive: ' .. table.concat(pids, ' '))
end

local function run()
  start_editor()
  local steps = {
    sees_a_symbol,
    sees_a_line,
    sees_a_scope,
    opens_again,
    types,
    others_write,
    uses_commands,
    has_another_server,
  }
  for _, step in ipairs(steps) do
    step()
  end
  leaves()
end

local ok, problem = xpcall(run, debug.traceback)
if not ok then report('the test itself', false, problem) end
io.stdout:write(('%d passed, %d failed\n'):format(passed, failed))
os.exit((ok and failed == 0) and 0 or 1)
