-- What waits for a person: the review queue, the stale queue, the summary of a
-- session. Gets the harness, returns the steps.
local t = ...
local lua = t.lua
local type_keys = t.type_keys
local shows = t.shows
local eventually = t.eventually
local until_shown = t.until_shown
local equal = t.equal
local open = t.open
local float_text = t.float_text
local shows_in_float = t.shows_in_float
local line_of = t.line_of
local current = t.current
local diagnostic_lines = t.diagnostic_lines
local manicule = t.manicule

local accepted = 'Tokens are compared in constant time'
local edited = 'Sessions are never shared by two users'
local rejected = 'Reports run at night'

-- Looks like a secret, which is never stored.
local token = 'ghp_' .. '0123456789abcdefghijABCDEFGHIJ012345'

-- What the memories say, as the command line lists them.
local function all_memories() return manicule('list', '--json') end

local function memory_says(text) return all_memories():find(text, 1, true) ~= nil end

local function review_queue()
  open('auth/token.go')
  manicule('remember', accepted, '--draft', '--type', 'convention', '--at', 'auth/token.go#Store.Validate')
  manicule('remember', edited, '--draft', '--scope', 'web/**', '--why', 'An audit asked for it')
  manicule('remember', rejected, '--draft', '--scope', 'tools/**')
  eventually(
    'review: the statusline counts what waits',
    function() return lua('return require("manicule").status()'):find('3 to review', 1, true) ~= nil end
  )
  type_keys(':Manicule review<CR>')
  eventually('review: the queue shows a candidate', function() return shows_in_float(accepted) end)
  eventually('review: and what it is about', function() return shows_in_float('An audit asked for it') end)
  type_keys('?')
  eventually('review: ? explains the keys', function() return shows_in_float('reject: it is not proposed again') end)
  type_keys('?')
  eventually('review: ? hides the help', function() return not float_text():find('reject: it is not', 1, true) end)
  type_keys('/' .. accepted .. '<CR>a')
  eventually(
    'review: a takes it from the queue',
    function() return not float_text():find(accepted, 1, true) and float_text():find(edited, 1, true) ~= nil end
  )
  equal('review: a made a memory of it', memory_says(accepted), true)
  type_keys('u')
  eventually('review: u has it wait again', function() return shows_in_float(accepted) end)
  equal('review: and no memory is left of it', memory_says(accepted), false)
  type_keys('/' .. accepted .. '<CR>a')
  eventually('review: a accepts it again', function() return not float_text():find(accepted, 1, true) end)
  type_keys('/' .. edited .. '<CR>e')
  eventually('review: e opens it for editing', function() return shows('Accept, edited') and shows('# What') end)
  type_keys('<C-w>p')
  eventually('review: the list is still there', function() return current() == 'manicule://review' end)
  type_keys('e')
  eventually(
    'review: e again goes to the form that is open',
    function() return vim.startswith(current(), 'manicule://edit/') end
  )
  type_keys('/' .. edited .. '<CR>A ' .. token .. '<Esc>:write<CR>')
  eventually('review: the server says that it refuses', function() return shows('Manicule: not stored: ') end)
  type_keys('<CR>') -- its message may fill the screen
  eventually('review: so does the form, and why', function() return shows('Not stored: "what" holds') end)
  equal('review: and stays in the form', shows('# What') and shows(token), true)
  type_keys('u')
  type_keys('/' .. edited .. '<CR>A (see the audit)<Esc>')
  eventually('review: what is typed is seen', function() return shows(edited .. ' (see the audit)') end)
  type_keys(':write<CR>')
  eventually(
    'review: :w accepts it and closes',
    function() return not shows('# What') and not shows(edited) and current() == 'manicule://review' end
  )
  equal('review: the memory is the edited one', memory_says(edited .. ' (see the audit)'), true)
  type_keys('/' .. rejected .. '<CR>x')
  eventually('review: x empties the queue', function() return shows_in_float('Nothing waits for a review.') end)
  type_keys(':Manicule undo<CR>')
  eventually('review: :Manicule undo has it wait again', function() return shows_in_float(rejected) end)
  type_keys('/' .. rejected .. '<CR>x')
  eventually('review: until it is rejected again', function() return shows_in_float('Nothing waits for a review.') end)
  equal('review: what was rejected is no memory', memory_says(rejected), false)
  type_keys('q')
  eventually('review: q closes it', function() return float_text() == '' end)
  eventually(
    'review: the statusline is quiet again',
    function() return not lua('return require("manicule").status()'):find('review', 1, true) end
  )
end

--- Rule files are imported after a question that says how many they are.
local function import()
  vim.fn.writefile({
    '# Rules',
    '',
    '- Never call `Close` twice: the pool panics then.',
    '- Always write SQL in the store, and nowhere else.',
  }, t.workspace .. '/AGENTS.md')
  type_keys(':Manicule import<CR>')
  eventually(
    'import: it says how many rules there are, and where',
    function() return shows('Import the rules here as memories (2)?') and shows('AGENTS.md: 2') end
  )
  type_keys('y')
  eventually('import: and how many it made', function() return shows('Imported as memories: 2') end)
  type_keys('<CR>')
  equal('import: which are memories', memory_says('Always write SQL in the store, and nowhere else.'), true)
  type_keys(':Manicule import<CR>')
  eventually('import: once', function() return shows('The rules here are memories already.') end)
  vim.fn.delete(t.workspace .. '/AGENTS.md')
end

local function rewrite(path, from, to)
  local name = t.workspace .. '/' .. path
  local text = table.concat(vim.fn.readfile(name, 'b'), '\n')
  local first, last = text:find(from, 1, true)
  assert(first, path .. ' has no ' .. from)
  vim.fn.writefile(vim.split(text:sub(1, first - 1) .. to .. text:sub(last + 1), '\n'), name, 'b')
end

local function stale_queue()
  manicule('remember', 'Logging out is not told to others', '--type', 'decision', '--at', 'web/session.ts#logout')
  manicule('remember', 'Totals are never rounded', '--type', 'decision', '--at', 'tools/report.py#total')
  rewrite('web/session.ts', 'session.expires = 0;', 'session.expires = 0;\n  session.user = "";')
  rewrite(
    'tools/report.py',
    'return sum(row["amount"] for row in rows)',
    'result = 0\n    for row in rows:\n        result += row["amount"]\n    return result'
  )
  type_keys('<Esc>:edit web/session.ts<CR>:checktime<CR>')
  eventually(
    'stale: the statusline counts them',
    function() return lua('return require("manicule").status()'):find('2 stale', 1, true) ~= nil end
  )
  type_keys('<Esc>:Manicule stale<CR>')
  eventually('stale: the queue shows a memory', function() return shows_in_float('Logging out is not told') end)
  eventually('stale: and why it is there', function() return shows_in_float('because') end)
  type_keys('?')
  eventually(
    'stale: ? explains the keys',
    function() return shows_in_float('still true') and shows_in_float('re-anchor') end
  )
  type_keys('?')
  eventually('stale: ? hides the help', function() return not float_text():find('re-anchor', 1, true) end)
  type_keys('/Logging out<CR>t')
  eventually(
    'stale: t takes it from the queue',
    function() return not float_text():find('Logging out', 1, true) and float_text():find('Totals', 1, true) ~= nil end
  )
  equal('stale: t keeps the memory', memory_says('Logging out is not told'), true)
  type_keys('/Totals<CR>m')
  eventually(
    'stale: m asks for the place, and proposes the cursor',
    function() return shows('Place (FILE:LINE or FILE#Symbol): web/session.ts:') end
  )
  type_keys('<C-u>tools/report.py#month<CR>')
  eventually(
    'stale: m ties it to the place that was typed',
    function() return shows_in_float('No memory has lost its code.') end
  )
  equal('stale: the memory is there now', all_memories():find('"symbol": "month"', 1, true) ~= nil, true)
  type_keys('q')
  eventually('stale: q closes it', function() return float_text() == '' end)
  rewrite(
    'tools/report.py',
    'return [row for row in rows if row["month"] == name]',
    'found = []\n    for row in rows:\n        found.append(row)\n    return found'
  )
  type_keys(':edit tools/report.py<CR>:Manicule stale<CR>')
  eventually(
    'stale: it comes back by itself when code changes',
    function() return shows_in_float('Totals are never rounded') end
  )
  type_keys('/Totals<CR>x')
  eventually('stale: x archives', function() return shows_in_float('No memory has lost its code.') end)
  equal('stale: what was archived is no memory', memory_says('Totals are never rounded'), false)
  type_keys('q')
  eventually('stale: q closes it again', function() return float_text() == '' end)
end

local wrong = 'Months are counted from zero'
local right = 'Months are named in English'
local note = 'They were never numbers'

local function correction()
  open('tools/report.py')
  manicule('remember', wrong, '--type', 'gotcha', '--at', 'tools/report.py#month')
  local line = line_of('tools/report.py', 'def month')
  eventually('correct: the memory is seen at its function', function() return t.line_showing(wrong) == line end)
  type_keys(line .. 'G0w')
  eventually('correct: the cursor is there', function() return lua('return vim.fn.line(".")') == line end)
  -- As a person who picks it from the list would; the list itself is the editor's.
  lua([[vim.schedule(function()
    vim.lsp.buf.code_action({ apply = true, filter = function(action)
      return action.command.command == 'manicule.memoryActions' and action.title:find('Months', 1, true) ~= nil
    end })
  end)]])
  eventually('correct: the code action has a menu', function() return shows('Correct') and shows('Type number') end)
  type_keys(t.number_of('Correct') .. '<CR>')
  eventually(
    'correct: the code action opens a form',
    function() return shows_in_float('# What was wrong') and shows_in_float(wrong) and shows('Correct the memory') end
  )
  equal('correct: the cursor is in it', vim.startswith(current(), 'manicule://correct/'), true)
  type_keys('i' .. note .. '<Esc>')
  eventually('correct: what was wrong is seen', function() return shows_in_float(note) end)
  type_keys(':write<CR>')
  eventually(
    'correct: the server says that it refuses',
    function() return shows('not stored: nothing was corrected') end
  )
  type_keys('<CR>') -- its message may fill the screen
  eventually('correct: a note alone corrects nothing', function() return shows('Not stored: nothing was corrected') end)
  type_keys('/' .. wrong .. '<CR>C' .. right .. ', ' .. token .. '<Esc>')
  eventually('correct: what is right is seen', function() return shows_in_float(right) end)
  type_keys(':write<CR>')
  eventually('correct: a secret is refused', function() return shows('Manicule: not stored: "what" holds') end)
  type_keys('<CR>')
  eventually('correct: and the form says so', function() return shows('Not stored: "what" holds') end)
  type_keys('/' .. right .. '<CR>C' .. right .. '<Esc>')
  eventually(
    'correct: it is taken out',
    function() return shows_in_float(right) and not float_text():find(token, 1, true) end
  )
  type_keys(':write<CR>')
  eventually('correct: :w closes the form', function() return float_text() == '' end)
  eventually('correct: the text shows what is right', function() return t.line_showing(right) == line end)
  equal('correct: the memory says it', memory_says(right), true)
  equal('correct: and no longer what was wrong', memory_says(wrong), false)
  equal(
    'correct: it keeps what was wrong',
    all_memories():find('"change_note": "' .. note .. '"', 1, true) ~= nil,
    true
  )
  type_keys(':Manicule history<CR>')
  eventually(
    'correct: the history has both versions',
    function() return shows_in_float('correct') and shows_in_float(note) and shows_in_float('v1') end
  )
  type_keys('q')
  eventually('correct: q closes the history', function() return float_text() == '' end)
  type_keys(':Manicule correct<CR>')
  eventually('correct: the command opens the form too', function() return shows_in_float('# What was wrong') end)
  type_keys(':q!<CR>')
  eventually('correct: :q! leaves it', function() return float_text() == '' end)
end

-- Runs a script beside this one.
local function script(name, ...)
  local argv = { vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2)) .. '/' .. name, t.workspace, ... }
  local ran = vim.system(argv, { env = { MANICULE_BIN = vim.env.MANICULE_SERVER }, text = true }):wait(60000)
  if ran.code ~= 0 then error(ran.stdout .. ran.stderr) end
end

-- Two clones change a memory, and git merges them with the driver: it has both versions then.
local function disagree(...) script('merge-conflict.sh', ...) end

local function git(...)
  local name = { '-c', 'user.name=Ann', '-c', 'user.email=ann@example.test' }
  return vim
    .system(vim.list_extend(vim.list_extend({ 'git', '-C', t.workspace }, name), { ... }), { text = true })
    :wait()
end

local function conflict()
  local mine, theirs = 'Exports run at full hours', 'Exports run at midnight alone'
  manicule('remember', 'Exports run at some time', '--type', 'gotcha', '--scope', 'tools/**')
  disagree('Exports run at some time', mine, theirs)
  lua('vim.g.manicule = { picker = "select", merge_hover = true }')
  eventually(
    'conflict: it waits for a person',
    function() return lua('return require("manicule").status()'):find('1 to review', 1, true) ~= nil end
  )
  open('tools/report.py')
  until_shown('conflict: the hover has a key for it', '<Esc>ggK', function() return shows('· r resolve') end)
  type_keys('K')
  eventually('conflict: K again goes into it', t.in_float)
  type_keys('/' .. mine .. '<CR>r')
  eventually(
    'conflict: r in the hover asks what it should say',
    function() return shows('Keep version 2') and shows('Keep both') end
  )
  type_keys('q<CR>')
  eventually('conflict: no answer decides nothing', function() return not shows('Keep version 2') end)
  type_keys(':Manicule review<CR>')
  eventually(
    'conflict: the queue shows both versions',
    function() return shows_in_float(mine) and shows_in_float(theirs) end
  )
  type_keys('/' .. mine .. '<CR>a')
  eventually(
    'conflict: a asks what it should say',
    function() return shows('Keep version 2') and shows('Keep both') end
  )
  type_keys('2<CR>')
  eventually('conflict: the queue is empty', function() return shows_in_float('Nothing waits for a review.') end)
  equal('conflict: the chosen version is the memory', memory_says(theirs) and not memory_says(mine), true)
  type_keys('q')
  eventually('conflict: q closes it', function() return float_text() == '' end)
  lua('vim.g.manicule = nil')
end

local function left_open()
  local first, second = 'Expired tokens are still accepted', 'Write the release notes'
  manicule('thread', 'add', first, '--at', 'auth/token.go#Store.Validate')
  manicule('thread', 'add', second, '--next')
  type_keys('<Esc>:edit auth/token.go<CR>:Manicule threads<CR>')
  eventually('threads: the list has both', function() return shows_in_float(first) and shows_in_float(second) end)
  type_keys('/' .. second .. '<CR>h')
  eventually('threads: h asks for a name', function() return shows('Who is to go on with it?') end)
  type_keys('Ann<CR>')
  eventually('threads: h hands it over', function() return shows_in_float('for Ann') end)
  type_keys('/' .. second .. '<CR>p')
  eventually('threads: p parks it', function() return shows_in_float('parked') end)
  type_keys('/' .. second .. '<CR>d')
  eventually('threads: d takes it from the list', function() return not float_text():find(second, 1, true) end)
  type_keys('/' .. first .. '<CR><CR>')
  eventually(
    'threads: <CR> goes to its place',
    function() return float_text() == '' and current() == 'auth/token.go' end
  )
  equal(
    'threads: at the declaration',
    lua('return vim.api.nvim_get_current_line()'):find('Validate', 1, true) ~= nil,
    true
  )
  eventually('threads: the code says it', function() return shows('☞ thread: ' .. first) end)
  type_keys(':Manicule threads<CR>')
  eventually('threads: it is still there', function() return shows_in_float(first) end)
  type_keys('/' .. first .. '<CR>D')
  eventually('threads: D asks how', function() return shows('How was it settled?') end)
  type_keys('by the clock<CR>')
  eventually('threads: nothing is left', function() return shows_in_float('Nothing is left open on this branch.') end)
  type_keys('q')
  eventually('threads: q closes it', function() return float_text() == '' end)
  eventually('threads: and gone from the code', function() return not shows('☞ thread: ' .. first) end)
  type_keys(':Manicule leave The store has no limit<CR>')
  eventually(
    'threads: one is left from the editor',
    function() return manicule('thread', 'list'):find('The store has no limit', 1, true) ~= nil end
  )
  equal('threads: at its place', manicule('thread', 'list'):find('auth/token.go#Store.Validate', 1, true) ~= nil, true)
end

-- What a person who has decided tells git.
local function merged(name)
  equal(
    name .. ' git waits for the file alone',
    vim.trim(git('diff', '--name-only', '--diff-filter=U').stdout):match('^%S+$') ~= nil,
    true
  )
  git('add', '-A')
  local done = git('commit', '-q', '--no-edit')
  equal(name .. ' git goes on', done.code == 0, true)
  equal(name .. ' and nothing is left to decide', git('status', '--porcelain').stdout, '')
end

-- The threads of the branch, as the command line lists them.
local function threads() return manicule('thread', 'list') end

-- git stops at a shared thread: once one side deleted it, and once its file has git's conflict markers.
local function thread_conflict()
  local text, mine, theirs = 'The store has no limit', 'The store keeps too many tokens', 'The store forgets no token'
  open('auth/token.go')
  script('thread-conflict.sh', text, mine)
  -- Neovim 0.10 has the lens in the same line, so that the screen's end cuts the warning.
  eventually('thread conflict: the code has a warning', function() return #diagnostic_lines('deleted by cleo') > 0 end)
  local line = line_of('auth/token.go', 'Validate(token string)')
  equal('thread conflict: at its place', diagnostic_lines('deleted by cleo'), { line })
  until_shown(
    'thread conflict: the code actions decide',
    '<Esc>' .. line .. 'G0w:lua vim.lsp.buf.code_action()<CR>',
    function() return shows('1: Manicule: keep “' .. mine .. '”, which was deleted by cleo') end
  )
  type_keys('1<CR>')
  eventually('thread conflict: the warning is gone', function() return #diagnostic_lines('deleted by cleo') == 0 end)
  merged('thread conflict:')
  equal(
    'thread conflict: the changed one is kept',
    threads():find(mine, 1, true) ~= nil and not threads():find('undecided', 1, true),
    true
  )

  lua('vim.g.manicule = { picker = "select" }')
  script('thread-conflict.sh', mine, text, theirs)
  eventually(
    'thread markers: it waits for a person',
    function() return lua('return require("manicule").status()'):find('1 to review', 1, true) ~= nil end
  )
  type_keys(':Manicule review<CR>')
  eventually(
    'thread markers: the queue shows both versions',
    function() return shows_in_float('thread ' .. text) and shows_in_float(theirs) end
  )
  type_keys('/' .. theirs .. '<CR>a')
  eventually('thread markers: a asks what it should say', function() return shows('Keep version 2') end)
  type_keys('2<CR>')
  eventually('thread markers: the queue is empty', function() return shows_in_float('Nothing waits for a review.') end)
  merged('thread markers:')
  equal(
    'thread markers: the chosen version is the thread',
    threads():find(theirs, 1, true) ~= nil and not threads():find(text, 1, true),
    true
  )
  type_keys('q')
  eventually('thread markers: q closes it', function() return float_text() == '' end)
  lua('vim.g.manicule = nil')
end

return { review_queue, import, left_open, thread_conflict, conflict, stale_queue, correction }
