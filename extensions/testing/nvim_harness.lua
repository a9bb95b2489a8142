-- A real Neovim with the plugin and the real server, to drive and to look at.
--
-- This Neovim holds another one in a terminal buffer, types into it as a person
-- would, and reads what stands on its screen: the terminal's lines. Beside
-- that it asks the editor over RPC for what a screen shows only as colours.
-- Nothing sleeps: every wait is for a condition.

local workspace = assert(vim.env.MANICULE_E2E_WORKSPACE)
local here = debug.getinfo(1, 'S').source:match('^@(.*)/[^/]*$')
local patience = tonumber(vim.env.MANICULE_E2E_PATIENCE or 40000) -- milliseconds

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
-- A sign stands before it.
local function source_line(row) return row and tonumber((row:gsub('^☞', '')):match('^%s*[^%d%s]?%s*(%d+) ')) end

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

-- The number of an entry of a list on the screen, as a person types it.
local function number_of(entry)
  for _, row in ipairs(screen()) do
    local number, text = row:match('^%s*(%d+):%s*(.-)%s*$')
    if text == entry then return number end
  end
  error('no list on the screen has ' .. entry)
end

---------------------------------------------------------------- assertions

local function report(name, ok, detail)
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
  end
  io.stdout:write(('%s %s%s\n'):format(ok and 'PASS' or 'FAIL', name, ok and '' or ': ' .. detail))
  return ok
end

local function eventually(name, condition)
  local ok = vim.wait(patience, condition, 20)
  return report(name, ok, 'the screen was\n' .. table.concat(screen(), '\n'):gsub('\n+$', ''))
end

-- Types keys until a condition holds: they are lost on a list that is drawn anew in that moment, and
-- what a server does not know yet is not in its answer. For keys that may be pressed again: they begin with
-- what leaves a list or an answer that is there.
local function until_shown(name, keys, condition)
  local met = false
  for _ = 1, 4 do
    type_keys(keys)
    met = vim.wait(patience / 4, condition, 20)
    if met then break end
  end
  return report(name, met, 'the screen was\n' .. table.concat(screen(), '\n'):gsub('\n+$', ''))
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

-- The name of the buffer that keys go into: a path from the workspace, or a URL.
local function current() return lua('return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ":.")') end

-- Opens a file of the workspace, and waits until the server knows it. The keys
-- are typed one after another; what they do is not done when they are.
local function open(path)
  lua('vim.g.opened = nil')
  type_keys('<Esc>:edit ' .. path .. '<CR>:let g:opened = 1<CR>')
  local opened = vim.wait(
    patience,
    function()
      return lua('return vim.g.opened') == 1
        and current() == path
        and lua('return #vim.lsp.get_clients({ name = "manicule", bufnr = 0 })') > 0
    end,
    20
  )
  if not opened then report('open ' .. path, false, 'the screen was\n' .. table.concat(screen(), '\n')) end
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

-- Runs a command line of the server, from outside of the editor; returns what it printed.
local function manicule(...)
  local done = vim.system({ vim.env.MANICULE_SERVER, ... }, { cwd = workspace, text = true }):wait()
  assert(done.code == 0, done.stderr)
  return done.stdout
end

---------------------------------------------------------------- end

local function is_alive(pid) return vim.uv.kill(pid, 0) == 0 end

local function leave()
  local ours, others = {}, {}
  for _, child in
    ipairs(lua([[
    return vim.tbl_map(vim.api.nvim_get_proc, vim.api.nvim_get_proc_children(vim.fn.getpid()))]]))
  do
    table.insert(child.name == vim.fs.basename(vim.env.MANICULE_SERVER) and ours or others, child.pid)
  end
  type_keys('<Esc>:qall!<CR>')
  local code = vim.fn.jobwait({ job }, 2 * patience)[1]
  report('the editor ends', code == 0, ('code %d, the screen was\n%s'):format(code, table.concat(screen(), '\n')))
  local function gone(pids) return #vim.tbl_filter(is_alive, pids) == 0 end
  report(
    'and leaves no server behind',
    #ours > 0 and vim.wait(patience, function() return gone(ours) end, 20),
    vim.inspect(ours)
  )
  vim.wait(2 * patience, function() return gone(others) end, 50) -- gopls still writes its cache
end

-- Runs steps, and prints what came of it; ends this process.
local function run(steps)
  local ok, problem = xpcall(function()
    start_editor()
    for _, step in ipairs(steps) do
      step()
    end
    leave()
  end, debug.traceback)
  if not ok then report('the test itself', false, problem) end
  io.stdout:write(('%d passed, %d failed\n'):format(passed, failed))
  os.exit((ok and failed == 0) and 0 or 1)
end

return {
  workspace = workspace,
  patience = patience,
  run = run,
  lua = lua,
  type_keys = type_keys,
  screen = screen,
  line_showing = line_showing,
  shows = shows,
  number_of = number_of,
  report = report,
  eventually = eventually,
  until_shown = until_shown,
  equal = equal,
  line_of = line_of,
  current = current,
  open = open,
  diagnostic_lines = diagnostic_lines,
  float_text = float_text,
  shows_in_float = shows_in_float,
  in_float = in_float,
  manicule = manicule,
}
