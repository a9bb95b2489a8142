-- What stands in the margin: lens, diagnostic, hover, beside typing, other
-- writers and another server. Gets the harness, returns the steps.
local t = ...
local lua = t.lua
local type_keys = t.type_keys
local line_showing = t.line_showing
local shows = t.shows
local eventually = t.eventually
local until_shown = t.until_shown
local equal = t.equal
local line_of = t.line_of
local open = t.open
local diagnostic_lines = t.diagnostic_lines
local float_text = t.float_text
local shows_in_float = t.shows_in_float
local in_float = t.in_float
local manicule = t.manicule
local patience = t.patience

local one, two, three = '☞ 1 memory here', '☞ 2 memories here', '☞ 3 memories here'
local refresh_text = 'Refresh fails silently when Redis is unreachable'
local why = 'Incident in May: the dial error was swallowed'

local function sees_a_symbol()
  open('auth/token.go')
  local line = line_of('auth/token.go', 'func (s *Store) Refresh')
  eventually('Go: the lens stands at the method', function() return line_showing(one) == line end)
  eventually(
    'Go: the diagnostic is read in the line of the method',
    function() return line_showing(refresh_text) == line end
  )
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
  until_shown('TypeScript: K shows the memory', '<Esc>' .. line .. 'G0wK', function() return shows_in_float(text) end)
end

local function sees_a_scope()
  open('tools/report.py')
  eventually('Python: the lens of the folder stands at the top', function() return line_showing(one) == 1 end)
  until_shown(
    'Python: K on the first line shows the memory',
    '<Esc>ggK',
    function() return shows('Amounts are in cents') end
  )
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
  local function look() seen[line_showing(one) or 'gone'] = true end
  for burst = 1, 20 do
    type_keys('0123456789')
    vim.wait(patience, function()
      look()
      return lua('return select(2, vim.api.nvim_get_current_line():gsub("%d", ""))') == 10 * burst
    end, 5)
    -- The server answers in the order of what it is sent: now it has the burst.
    lua(
      [[
      local params = { textDocument = vim.lsp.util.make_text_document_params(0) }
      vim.lsp.buf_request_sync(0, 'textDocument/codeLens', params, ...)]],
      patience
    )
    lua('vim.cmd.redraw()')
    look()
  end
  type_keys('<Esc>')
  eventually('typing: insert mode ends', function() return lua('return vim.api.nvim_get_mode().mode') == 'n' end)
  look()
  equal('typing: 200 characters inside the function never moved the lens', seen, { [line] = true })
  equal('typing: they all arrived', lua('return select(2, vim.api.nvim_get_current_line():gsub("%d", ""))'), 200)
  eventually('typing: the lens stays when insert mode ends', function() return line_showing(one) == line end)
  type_keys('gg0O<Esc>')
  eventually('typing: a line above moves the lens with its method', function() return line_showing(one) == line + 1 end)
  type_keys(':edit!<CR>')
  eventually('typing: taking it back does too', function() return line_showing(one) == line end)
end

-- 0.12 may ask for the lenses of a text by itself after it drew older ones of the same text.
local asked_by_itself = [[
  local capability = package.loaded['vim.lsp._capability']
  if capability then capability.all.codelens.active[vim.api.nvim_get_current_buf()]:request() end]]
local refresh_handler = [[
  local client = vim.lsp.get_clients({ name = 'manicule' })[1]
  if package.loaded['vim.lsp._capability'] then client.handlers['workspace/codeLens/refresh'] = ... and function() return vim.NIL end or nil end]]

local function others_write()
  lua(refresh_handler, true)
  manicule('remember', 'Refresh must not be retried', '--type', 'gotcha', '--at', 'auth/token.go#Store.Refresh')
  local line = line_of('auth/token.go', 'func (s *Store) Refresh')
  eventually(
    'a memory from outside: its diagnostic comes',
    function() return vim.deep_equal(diagnostic_lines('Refresh must not be retried'), { line }) end
  )
  lua(asked_by_itself)
  eventually('a memory from outside: the lens counts it', function() return line_showing(two) == line end)
  lua(refresh_handler, false)
end

-- Without a file nothing of the plugin is loaded; the command, the keys and the help are there.
local function starts_light()
  vim.wait(patience, function() return lua('return vim.v.vim_did_enter') == 1 end, 20)
  equal(
    'start: nothing is loaded',
    lua(
      [[return vim.tbl_filter(function(name) return name:find('^manicule') ~= nil end, vim.tbl_keys(package.loaded))]]
    ),
    {}
  )
  equal('start: :Manicule is there', lua('return vim.fn.exists(":Manicule")'), 2)
  equal('start: and keys to map', lua('return vim.fn.maparg("<Plug>(manicule-menu)", "n")'), '<Cmd>Manicule menu<CR>')
  type_keys(':help :Manicule-review<CR>')
  eventually('start: the help is there without :helptags', function() return shows('Opens the review queue') end)
  type_keys(':helpclose<CR>')
end

-- A memory with all that it says, in a form.
local function remembers_in_a_form()
  open('tools/report.py')
  local line = line_of('tools/report.py', 'def month')
  type_keys(line .. 'G0w:Manicule remember<CR>')
  eventually(
    'form: it asks for the text, why, the type and the place',
    function() return shows_in_float('# Why') and shows_in_float('tools/report.py#month') and shows('INSERT') == false end
  )
  eventually(
    'form: it names the other places',
    function() return shows('or tools/report.py:') and shows(' Remember something ') end
  )
  eventually('form: and one writes at once', function() return lua('return vim.fn.mode()') == 'i' end)
  type_keys('Months are named by the shop<Tab>Its sheets say so<Tab><C-u>decision<Tab>')
  eventually(
    'form: <Tab> goes on',
    function() return shows_in_float('Its sheets say so') and shows_in_float('decision') end
  )
  equal('form: up to the place', lua('return vim.api.nvim_get_current_line()'), 'tools/report.py#month')
  type_keys('<C-s>')
  eventually('form: <C-s> stores it', function() return float_text() == '' end)
  local stored = vim.json.decode(manicule('list', '--json')).memories
  local found = vim.tbl_filter(function(each) return each.memory.what == 'Months are named by the shop' end, stored)[1]
  equal(
    'form: with all that was written',
    found and { found.memory.type, found.memory.why, found.memory.anchors[1].symbol },
    { 'decision', 'Its sheets say so', 'month' }
  )
  type_keys('<Esc>:Manicule remember<CR>')
  eventually('form: it is empty again', function() return lua('return vim.fn.mode()') == 'i' end)
  type_keys('1<C-s>')
  eventually('form: what says nothing is refused', function() return shows('it is a fragment') end)
  type_keys('<CR><Esc>:q!<CR>')
  eventually('form: :q! leaves it', function() return float_text() == '' end)
  type_keys(line .. 'Gj0gK')
  eventually('body: gK says where a function has its memories', function() return shows('on its first line') end)
  type_keys(':Manicule list<CR>')
  eventually('command: another name names ours', function() return shows('but :Manicule tree') end)
  type_keys('<CR>')
  type_keys(line .. 'G0w:Manicule menu<CR>')
  eventually(
    'menu: it lists what can be done',
    function() return shows('Withdraw') or (shows('Pin') and shows('Dispute')) end
  )
  type_keys(t.number_of('Pin') .. '<CR>')
  eventually(
    'menu: what is chosen is done',
    function() return manicule('list', '--json'):find('"pinned": true', 1, true) ~= nil end
  )
  type_keys('<Esc>' .. line .. 'G0w:Manicule remember<CR>')
  eventually('form: it asks once more', function() return lua('return vim.fn.mode()') == 'i' end)
  type_keys('Months are always named by the shop<C-s>')
  eventually(
    'form: of what a memory says already it is asked what becomes',
    function() return shows('2: Keep both') end
  )
  type_keys('1<CR>')
  eventually('form: which is no refusal', function() return float_text() == '' and not shows('2: Keep both') end)
  manicule('forget', found.memory.uuid)
  open('auth/token.go')
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
  eventually(
    'picking one opens its file',
    function() return lua('return vim.fn.expand("%:.")'):match('^%.manicule/memories/.*%.json$') ~= nil end
  )
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

-- The name of a file is a pattern to some of the editor's functions.
local function names_are_no_patterns()
  for _, path in ipairs({ 'web/[d].ts', 'web/d.ts' }) do
    vim.fn.writefile({ 'export const one = 1;', 'export const two = 2;' }, t.workspace .. '/' .. path)
  end
  manicule('remember', 'Two is the number of shops', '--type', 'gotcha', '--at', 'web/[d].ts:2')
  open('web/d.ts')
  lua('vim.cmd.edit(vim.fn.fnameescape("web/[d].ts"))')
  local function signs(path)
    return lua(
      [[
      local ns = vim.api.nvim_get_namespaces()['manicule.signs']
      for _, buf in ipairs(vim.api.nvim_list_bufs()) do
        if vim.fs.basename(vim.api.nvim_buf_get_name(buf)) == ... then
          return vim.tbl_map(function(mark) return mark[2] + 1 end, vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, {}))
        end
      end]],
      path
    )
  end
  eventually('brackets in a name: the sign is there', function() return vim.deep_equal(signs('[d].ts'), { 2 }) end)
  equal('brackets in a name: and not in another file', signs('d.ts'), {})
end

-- Off by default: the test switches it on for one file.
local function says_who_at_the_end()
  open('auth/token.go')
  lua('vim.o.updatetime = 100 require("manicule.current_line").attach(vim.api.nvim_get_current_buf())')
  local function ends()
    return lua([[
      local ns = vim.api.nvim_get_namespaces()['manicule.current_line']
      return vim.tbl_map(
        function(mark) return { mark[2] + 1, mark[4].virt_text[1][1] } end,
        vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })
      )]])
  end
  local line = line_of('auth/token.go', 'func (s *Store) Refresh')
  type_keys(line .. 'G')
  eventually('the end of the line: what is known, and since when', function()
    local all = ends()
    return #all == 1
      and all[1][1] == line
      and all[1][2]:find('The token grows', 1, true)
      and all[1][2]:find('today', 1, true)
  end)
  type_keys(line_of('auth/token.go', 'func (s *Store) Validate') .. 'G')
  eventually('the end of the line: nothing of another function', function() return #ends() == 0 end)
  lua(
    'vim.o.updatetime = 4000 vim.api.nvim_del_augroup_by_name("manicule.current_line." .. vim.api.nvim_get_current_buf())'
  )
end

-- A server that dies leaves a question without an answer.
local function outlives_the_server()
  open('auth/token.go')
  local function count() return lua('return (require("manicule").numbers() or {}).memories or 0') end
  local before = count()
  lua(
    [[
    for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
      if vim.api.nvim_get_proc(pid).name == ... then
        vim.uv.kill(pid, 'sigstop')
        require('manicule.status').refresh()
        vim.uv.kill(pid, 'sigkill')
      end
    end]],
    vim.fs.basename(vim.env.MANICULE_SERVER)
  )
  vim.wait(patience, function() return lua('return #vim.lsp.get_clients({ name = "manicule" })') == 0 end, 20)
  type_keys('<CR>:Manicule restart<CR>')
  open('auth/token.go')
  equal(
    'a server that died: the other open files have the next one, too',
    lua('return #vim.lsp.get_clients({ name = "manicule", bufnr = vim.fn.bufnr("tools/report.py") })'),
    1
  )
  manicule('remember', 'Shops open at nine', '--type', 'convention', '--scope', 'shops/**')
  eventually('a server that died: the status counts on', function() return count() == before + 1 end)
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
  eventually(
    'beside another server: gK shows the memories',
    function() return shows_in_float(why) and not shows('Answer of the other server') end
  )
  type_keys('<Esc>l')
end

-- What the old name had is gone, and what the new one has is there, before anything is saved.
local function gets_another_name()
  open('auth/token.go')
  local line = line_of('auth/token.go', 'func (s *Store) Refresh')
  eventually('another name: the lens stands at the method', function() return line_showing(two) == line end)
  type_keys('<Esc>:saveas auth/copy.go<CR>')
  eventually('another name: a copy has no lens', function() return not shows(two) and t.current() == 'auth/copy.go' end)
  equal('another name: nor a diagnostic', diagnostic_lines(refresh_text), {})
  type_keys(':file auth/token.go<CR>')
  eventually('another name: the first one has it again', function() return line_showing(two) == line end)
  type_keys(':bwipeout! | call delete("auth/copy.go")<CR>')
end

-- A list that was opened from a file is about that file's workspace.
local function has_two_workspaces()
  local other = vim.fn.tempname()
  vim.fn.mkdir(other .. '/.manicule', 'p')
  vim.fn.writefile({ 'a = 1' }, other .. '/a.py')
  local function tree_of(path)
    type_keys('<Esc>:edit ' .. path .. '<CR>')
    vim.wait(
      patience,
      function() return lua('return #vim.lsp.get_clients({ name = "manicule", bufnr = vim.fn.bufnr(...) })', path) == 1 end,
      20
    )
    type_keys(':Manicule tree type<CR>')
  end
  tree_of(other .. '/a.py')
  eventually(
    'two workspaces: the second has no memories',
    function() return shows('There are no memories here yet') end
  )
  type_keys('q')
  tree_of('auth/token.go')
  eventually('two workspaces: those of the first are in its tree', function() return shows('▾ gotcha') end)
  type_keys('q:bwipeout! ' .. other .. '/a.py<CR>')
end

-- A session of the editor has an empty buffer in the place of the tree.
local function comes_back_with_a_session()
  open('auth/token.go')
  local session = vim.fn.tempname()
  type_keys(':Manicule tree type<CR>')
  eventually('a session: the tree is there', function() return shows('▾ gotcha') end)
  type_keys(':mksession ' .. session .. '<CR>:silent source ' .. session .. '<CR>')
  eventually(
    'a session: the tree comes back',
    function()
      return shows('▾ gotcha')
        and lua('return vim.v.this_session') == session
        and lua('return #vim.api.nvim_list_wins()') == 2
    end
  )
  equal('a session: the cursor is in the text', t.current(), 'auth/token.go')
  type_keys(':only<CR>')
end

return {
  starts_light,
  sees_a_symbol,
  sees_a_line,
  sees_a_scope,
  opens_again,
  types,
  others_write,
  gets_another_name,
  has_two_workspaces,
  comes_back_with_a_session,
  remembers_in_a_form,
  uses_commands,
  says_who_at_the_end,
  names_are_no_patterns,
  outlives_the_server,
  has_another_server,
}
