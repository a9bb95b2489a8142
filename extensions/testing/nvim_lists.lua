-- Lists: search, recall, the tree, the log, history with a diff, impact, and the
-- pickers that are there. Gets the harness, returns the steps.
local t = ...
local lua = t.lua
local type_keys = t.type_keys
local shows = t.shows
local report = t.report
local eventually = t.eventually
local equal = t.equal
local open = t.open
local line_of = t.line_of
local float_text = t.float_text
local shows_in_float = t.shows_in_float
local manicule = t.manicule

local refresh = 'Refresh fails silently when Redis is unreachable'
local skew = 'Clock skew of clients is up to a minute'

local function in_memory_file() return lua('return vim.fn.expand("%:.")'):match('^%.manicule/memories/.*%.json$') ~= nil end

local function uuid_of(text)
  for _, listed in ipairs(vim.json.decode(manicule('list', '--json')).memories) do
    if listed.memory.what == text then return listed.memory.uuid end
  end
  error('there is no memory ' .. text)
end

-- What is typed before a list is gone answers the list.
local function leave_list(name, text)
  type_keys('<CR>')
  eventually(name, function() return not shows(text) end)
end

local function picks_without_a_picker()
  lua('vim.g.manicule = { picker = "select", merge_hover = true }')
  open('auth/token.go')
  type_keys(':Manicule search Redis<CR>')
  eventually('search: the list shows what fits', function() return shows('[gotcha] ' .. refresh) end)
  type_keys('1<CR>')
  eventually('search: picking opens its file', in_memory_file)
  open('web/session.ts')
  type_keys(':Manicule recall<CR>')
  eventually('recall: the list has the memory of the file', function() return shows('[gotcha] ' .. skew) end)
  type_keys('1<CR>')
  eventually('recall: picking opens its file', in_memory_file)
  open('web/session.ts')
  type_keys(':Manicule recall auth/token.go<CR>')
  eventually('recall FILE: the list has the memory of that file', function() return shows('] ' .. refresh) end)
  leave_list('recall FILE: the list goes', '] ' .. refresh)
  open('web/session.ts')
  lua('require("manicule.client").execute(0, "manicule.dismiss", { ... })', uuid_of(skew))
  eventually(
    'recall: a dismissed memory is not in the text',
    function() return #t.diagnostic_lines(skew) == 0 and not shows(skew) end
  )
  type_keys(':Manicule recall<CR>')
  eventually('recall: the list has what was dismissed', function() return shows('[gotcha] ' .. skew) end)
  leave_list('recall: this list goes too', '[gotcha] ' .. skew)
end

-- The pickers of other people that are here, each with what sets it up.
local pickers = {
  { 'mini', 'mini.pick', 'require("mini.pick").setup()' },
  { 'fzf-lua', 'fzf-lua', 'require("fzf-lua").setup({ winopts = { preview = { hidden = false } } })' },
  { 'snacks', 'snacks', 'require("snacks").setup({ picker = { enabled = true } })' },
  { 'telescope', 'telescope', 'require("telescope").setup({})' },
}

-- Types keys until a condition holds: pickers are drawn before they take keys,
-- and in the text these keys do no harm.
local function press_until(keys, condition)
  vim.wait(t.patience, function()
    if condition() then return true end
    type_keys(keys)
    return vim.wait(700, condition, 20)
  end, 20)
end

local function picks_with(name, set_up)
  lua(set_up)
  lua('vim.g.manicule = { picker = ... }', name)
  open('auth/token.go')
  type_keys(':Manicule search Redis<CR>')
  eventually(name .. ': the list shows what fits', function() return shows('[gotcha] ' .. refresh) end)
  local function previewed() return shows('user taught') end
  if name == 'mini' then press_until('<Tab>', previewed) end -- its preview is shown when asked for
  eventually(name .. ': the preview shows from whom it is', previewed)
  press_until('<CR>', in_memory_file)
  eventually(name .. ': picking opens its file', in_memory_file)
  eventually(
    name .. ': and closes the list',
    function() return float_text() == '' and not shows('[gotcha] ' .. refresh) end
  )
end

local function picks_with_pickers()
  local found = 0
  for _, picker in ipairs(pickers) do
    local name, module, set_up = unpack(picker)
    local needs = name ~= 'fzf-lua' or vim.fn.executable('fzf') == 1
    if needs and lua('return (pcall(require, ...))', module) then
      found = found + 1
      picks_with(name, set_up)
    else
      io.stdout:write(('SKIP %s is not here\n'):format(name))
    end
  end
  lua('vim.g.manicule = { picker = "auto", merge_hover = true }')
  local backend = lua('return require("manicule.pick").backend()')
  report('a picker that is here is found', (backend ~= 'select') == (found > 0), 'it would be ' .. backend)
  lua('vim.g.manicule = { picker = "select", merge_hover = true }')
end

local function tree()
  open('auth/token.go')
  type_keys(':Manicule tree type<CR>')
  eventually('tree: it stands beside the text', function() return shows('Memories by type') and shows('▾ gotcha') end)
  eventually('tree: with the memories', function() return shows('Clock skew') end)
  type_keys('/▾ gotcha<CR><CR>')
  eventually('tree: <CR> folds a group', function() return shows('▸ gotcha') and not shows('Clock skew') end)
  type_keys('<CR>')
  eventually('tree: and unfolds it', function() return shows('Clock skew') end)
  type_keys('ss') -- the second before the first is answered
  eventually(
    'tree: s orders it by state, then by file',
    function() return shows('Memories by file') and shows('web/session.ts') end
  )
  type_keys('/Clock skew<CR><CR>')
  eventually(
    'tree: <CR> goes to the code',
    function() return lua('return vim.fn.expand("%:.")') == 'web/session.ts' end
  )
  equal(
    'tree: at the line',
    lua('return vim.api.nvim_win_get_cursor(0)[1]'),
    line_of('web/session.ts', 'session.expires > Date.now()')
  )
  type_keys('<C-w>lq')
  eventually('tree: q closes it', function() return not shows('Memories by file') end)
end

-- Where there are many memories, those of a group are asked for when it is opened, and page by page.
local function tree_of_many()
  lua([[
    local tree, client = require('manicule.tree'), require('manicule.client')
    tree.most_inline, tree.page = 0, 5
    _G.asked, _G.ask = {}, client.ask
    client.ask = function(buf, method, params, done)
      if method == 'manicule/tree' then table.insert(_G.asked, params) end
      return _G.ask(buf, method, params, done)
    end]])
  open('auth/token.go')
  type_keys(':Manicule tree type<CR>')
  eventually(
    'many: groups come without memories',
    function() return shows('▸ gotcha') and not shows('Clock skew') end
  )
  equal('many: which are not asked for', lua('return #_G.asked == 1 and _G.asked[1].inline == 0'), true)
  type_keys('/▸ gotcha<CR><CR>')
  eventually('many: <CR> brings a page', function() return shows('▾ gotcha') and shows('4 more') end)
  type_keys('gg/ more<CR><CR>')
  eventually(
    'many: and on the last line the next one',
    function() return shows('Clock skew') and not shows('4 more') end
  )
  type_keys('gg/▾ gotcha<CR><CR>')
  eventually('many: <CR> folds it', function() return shows('▸ gotcha') and not shows('Clock skew') end)
  type_keys(':q<CR>:Manicule tree type type=gotcha<CR>')
  eventually('many: a filter has all', function() return shows('▾ gotcha') and shows('Clock skew') end)
  type_keys('gg/▾ gotcha<CR><CR>')
  eventually('many: <CR> folds what passes', function() return shows('▸ gotcha') and not shows('Clock skew') end)
  type_keys('F')
  eventually('many: F leaves it folded', function() return shows('▸ gotcha') and not shows('shows all') end)
  type_keys('gg/▸ gotcha<CR><CR>')
  eventually('many: and <CR> opens it again', function() return shows('▾ gotcha') and shows('4 more') end)
  type_keys('<C-w>lq')
  lua([[
    require('manicule.tree').most_inline, require('manicule.tree').page = 500, 500
    require('manicule.client').ask = _G.ask]])
end

-- Only some memories are shown, which the tree says, and all again.
local function tree_filter()
  open('auth/token.go')
  type_keys(':Manicule tree type<CR>')
  eventually('filter: all are there at first', function() return shows('Clock skew') and shows('Amounts are in') end)
  type_keys('f')
  eventually(
    'filter: f lists types, states and ages',
    function() return shows('type gotcha (') and shows('state fresh (') and shows('changed within 7 days (') end
  )
  local number
  for _, row in ipairs(t.screen()) do
    number = number or row:match('^%s*(%d+): type convention %(')
  end
  type_keys(number .. '<CR>')
  eventually('filter: what passes is shown', function() return shows('Amounts are in') and not shows('Clock skew') end)
  eventually(
    'filter: and the tree says so',
    function() return shows('only type convention') and shows('F shows all') end
  )
  type_keys('F')
  eventually('filter: F shows all again', function() return shows('Clock skew') and not shows('only type') end)
  type_keys('q')
  type_keys(':Manicule tree file state=fresh age=7_days<CR>')
  eventually(
    'filter: as arguments of the command',
    function()
      return shows('only state fresh')
        and shows('only changed within 7 days')
        and shows('Clock skew')
        and not shows('Amounts are in')
    end
  )
  type_keys('Fq')
  eventually('filter: q closes the tree', function() return not shows('Memories by file') end)
  type_keys(':Manicule tree colour=red<CR>')
  eventually('filter: what is no filter is said', function() return shows('colour=red is no order of the tree') end)
  type_keys('<CR>')
  equal(
    'filter: values of one facet are alternatives, several facets must all hold',
    lua(
      [[
      local filter = require('manicule.filter')
      local function names(text)
        local out = {}
        for _, memory in ipairs({
          { uuid = '1', type = 'gotcha', contributor = 'Ada', tags = { 'x' }, state = 'stale', updatedAt = '2026-01-01T00:00:00Z' },
          { uuid = '2', type = 'dead_end', contributor = 'Bo', state = 'fresh', disputed = true, updatedAt = os.date('!%Y-%m-%dT%H:%M:%S.000Z') },
          { uuid = '3', type = 'gotcha', contributor = 'Bo', trust = { tainted = true }, updatedAt = '2000-01-01T00:00:00Z' },
        }) do
          if filter.passes(memory, (filter.parse(text))) then out[#out + 1] = memory.uuid end
        end
        return table.concat(out)
      end
      return vim.tbl_map(names, { '', 'author=Bo', 'author=Ada author=Bo', 'author=Bo type=gotcha', 'type=dead_end', 'tag=x', 'state=disputed', 'state=from_outside', 'state=without_a_place', 'age=7_days', 'author=Nobody' })]]
    ),
    { '123', '23', '123', '3', '2', '1', '2', '3', '3', '2', '' }
  )
end

-- Groups of one label: what two folders have of one type is folded apart.
local function tree_groups()
  local folds = lua(
    [[
    local names = require('manicule.tree').names({
      { label = 'gotcha', folder = 'file:///a', items = {} },
      { label = 'gotcha', folder = 'file:///b', items = {} },
      { label = 'src', folder = 'file:///a', path = 'src', items = {} },
      { label = 'src', folder = 'file:///a', path = 'src', items = {} },
    }, 'type')
    return { names, require('manicule.tree').names({ { label = 'gotcha', folder = 'file:///b', items = {} } }, 'type') }]]
  )
  local seen = {}
  for _, name in ipairs(folds[1]) do
    seen[name] = true
  end
  equal('tree: each group has a name of its own', vim.tbl_count(seen), 4)
  equal('tree: which stays when others go', folds[2][1], folds[1][2])
end

-- A path is a path: in a pattern or a command of the shell nothing of it is run.
local function finds_its_server()
  local odd = t.workspace .. '/../a*b`touch ran`$HOME'
  vim.fn.mkdir(odd, 'p')
  vim.uv.fs_symlink(vim.env.MANICULE_SERVER, odd .. '/manicule')
  vim.uv.fs_symlink(vim.env.MANICULE_SERVER, vim.env.HOME .. '/manicule-here')
  local function found(path)
    return lua(
      [[
      local before = vim.g.manicule
      vim.g.manicule = { server_path = ... }
      local path, problem = require('manicule.config').server()
      vim.g.manicule = before
      return path or problem]],
      path
    )
  end
  equal(
    'server_path: a path with * and backticks is one',
    vim.fs.normalize(found(odd .. '/manicule'), { expand_env = false }),
    vim.fs.normalize(odd .. '/manicule', { expand_env = false })
  )
  equal('server_path: nothing of it was run', vim.uv.fs_stat(t.workspace .. '/ran'), nil)
  equal('server_path: ~ is the home folder', found('~/manicule-here'), vim.env.HOME .. '/manicule-here')
  equal(
    'server_path: a pattern is no path',
    found(t.workspace .. '/../a*/manicule'):find('not a program', 1, true) ~= nil,
    true
  )
  local program = lua(
    [[
    local here, path, named = vim.uv.cwd(), vim.env.PATH, vim.env.MANICULE_SERVER
    vim.uv.chdir(...)
    vim.env.PATH, vim.env.MANICULE_SERVER = '.', ''
    local found = require('manicule.config').server()
    vim.uv.chdir(here)
    vim.env.PATH, vim.env.MANICULE_SERVER = path, named
    return found or 'none']],
    odd
  )
  equal('$PATH: a relative folder is nowhere', program, 'none')
end

local function history()
  local uuid = uuid_of(refresh)
  manicule('edit', uuid, '--why', 'Incident in May: nobody saw the dial error', '--note', 'said better')
  open('auth/token.go')
  type_keys(':Manicule history ' .. uuid .. '<CR>')
  eventually('history: it lists the versions', function() return shows_in_float('v2') and shows_in_float('v1') end)
  eventually('history: with the note of a change', function() return shows_in_float('said better') end)
  type_keys('gg<CR>')
  eventually(
    'history: <CR> shows both versions',
    function() return shows('the dial error was swallowed') and shows('nobody saw the dial error') end
  )
  equal(
    'history: in two windows in diff mode',
    lua([[return #vim.tbl_filter(function(win) return vim.wo[win].diff end, vim.api.nvim_tabpage_list_wins(0))]]),
    2
  )
  type_keys('q')
  eventually('history: q closes the diff', function() return lua('return #vim.api.nvim_list_tabpages()') == 1 end)
end

local function impact()
  open('auth/token.go')
  local name = t.workspace .. '/auth/login.go'
  vim.fn.writefile({
    'package auth',
    '',
    '// Login renews the token of a person.',
    'func Login(s *Store) (string, error) {',
    '\treturn s.Refresh("x")',
    '}',
  }, name)
  local listed = false
  vim.wait(t.patience, function()
    if listed then return true end
    lua('vim.fn.setqflist({}, "f")')
    type_keys('<Esc>:Manicule impact Store.Refresh<CR>')
    listed = vim.wait(1500, function()
      local items = lua('return vim.tbl_map(function(i) return i.text end, vim.fn.getqflist())')
      return table.concat(items, '\n'):find('Login', 1, true) ~= nil
    end, 20)
    return listed
  end, 20)
  report('impact: the quickfix list has the caller', listed, vim.inspect(lua('return vim.fn.getqflist()')))
  type_keys('<Esc>:cclose<CR>')
end

-- Sends an event of an agent, as its hook does.
local function hook(event)
  local payload = vim.tbl_extend('force', {
    session_id = 'e2e-1',
    transcript_path = t.workspace .. '/../transcript.jsonl',
    cwd = t.workspace,
  }, event)
  local done = vim
    .system(
      { vim.env.MANICULE_SERVER, 'hook', 'claude-code' },
      { cwd = t.workspace, stdin = vim.json.encode(payload), text = true }
    )
    :wait()
  assert(done.code == 0, done.stderr)
  return done.stdout
end

local function session()
  open('auth/token.go')
  hook({ hook_event_name = 'SessionStart', source = 'startup', model = 'm' })
  for _ = 1, 20 do -- on a busy machine a hook that is out of time says nothing
    local told = hook({
      hook_event_name = 'PreToolUse',
      tool_name = 'Read',
      tool_use_id = 'toolu_1',
      tool_input = { file_path = t.workspace .. '/auth/token.go' },
    })
    if told:find('☞', 1, true) then break end
  end
  hook({ hook_event_name = 'SessionEnd', reason = 'exit' })
  eventually(
    'session: its end is said',
    function() return lua('return require("manicule.events").last_session') == 'e2e-1' end
  )
  type_keys('<Esc>:Manicule session<CR>')
  eventually(
    'session: the summary has what it used',
    function() return shows_in_float('Used (') and shows_in_float(refresh) end
  )
  type_keys('q')
  eventually('session: q closes it', function() return float_text() == '' end)
  type_keys(':Manicule log<CR>')
  eventually('log: it has what the agent was shown', function() return shows_in_float('shown') end)
  type_keys('q')
  eventually('log: q closes it', function() return float_text() == '' end)
end

-- At the highest trust level the end of a session is no message; scripts hear of it all the same.
local function autonomous()
  local function trust(level)
    local done = vim.system({ vim.env.MANICULE_SERVER, 'trust', level }, { cwd = t.workspace, text = true }):wait()
    assert(done.code == 0, done.stderr)
  end
  lua('_G.manicule_said, _G.manicule_notify = {}, vim.notify')
  lua('vim.notify = function(text) table.insert(_G.manicule_said, text) end')
  local function ends(id, asks)
    lua('require("manicule.events").handlers()["manicule/sessionEnded"](nil, ...)', {
      session = id,
      agent = 'claude-code',
      used = 2,
      learned = 0,
      asks = asks,
      tokens = 412,
      saved = 1900,
    })
    return #lua('return _G.manicule_said')
  end
  equal('trust: the usual level tells of the end of a session', ends('e2e-2', 'all'), 1)
  equal(
    'trust: with what it was told and what that spared',
    lua('return _G.manicule_said[1]:match("412 tokens told, at most 1900 spared")'),
    '412 tokens told, at most 1900 spared'
  )
  equal('trust: the highest does not', ends('e2e-3', 'none'), 1)
  trust('4')
  hook({ session_id = 'e2e-4', hook_event_name = 'SessionStart', source = 'startup', model = 'm' })
  hook({ session_id = 'e2e-4', hook_event_name = 'UserPromptSubmit', prompt = 'Why does the refresh fail?' })
  hook({ session_id = 'e2e-4', hook_event_name = 'SessionEnd', reason = 'exit' })
  eventually(
    'trust: scripts hear of the end',
    function() return lua('return require("manicule.events").last_session') == 'e2e-4' end
  )
  equal('trust: a session ends without a word', #lua('return _G.manicule_said'), 1)
  lua('vim.notify = _G.manicule_notify')
  trust('2')
end

local function completes()
  local function completed(line) return lua('return vim.fn.getcompletion(..., "cmdline")', line) end
  equal('completion: subcommands', completed('Manicule re'), { 'recall', 'remember', 'restart', 'review' })
  equal('completion: what judges', completed('Manicule co'), { 'confirm', 'consolidate', 'correct', 'coverage' })
  equal(
    'completion: of the tree',
    completed('Manicule tree '),
    { 'age=', 'author=', 'file', 'module', 'state', 'state=', 'tag=', 'type', 'type=' }
  )
  equal('completion: of its filters', completed('Manicule tree type=g'), { 'type=gotcha' })
  equal('completion: files', completed('Manicule recall web/s'), { 'web/session.ts' })
end

return {
  picks_without_a_picker,
  picks_with_pickers,
  tree,
  tree_of_many,
  tree_filter,
  tree_groups,
  finds_its_server,
  history,
  impact,
  session,
  autonomous,
  completes,
}
