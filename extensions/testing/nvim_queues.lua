-- What waits for a person: the review queue, the stale queue, the summary of a
-- session. Gets the harness, returns the steps.
local t = ...
local lua = t.lua
local type_keys = t.type_keys
local shows = t.shows
local eventually = t.eventually
local equal = t.equal
local open = t.open
local float_text = t.float_text
local shows_in_float = t.shows_in_float
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
  type_keys('/' .. edited .. '<CR>e')
  eventually('review: e opens it for editing', function() return shows('Accept, edited') and shows('# What') end)
  type_keys('<C-w>pe')
  eventually(
    'review: e again goes to the form that is open',
    function() return lua('return vim.api.nvim_buf_get_name(0)'):find('manicule://edit/', 1, true) ~= nil end
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
  eventually('review: :w accepts it and closes', function() return not shows('# What') and not shows(edited) end)
  equal('review: the memory is the edited one', memory_says(edited .. ' (see the audit)'), true)
  type_keys('/' .. rejected .. '<CR>x')
  eventually('review: x empties the queue', function() return shows_in_float('Nothing waits for a review.') end)
  equal('review: what was rejected is no memory', memory_says(rejected), false)
  type_keys('q')
  eventually('review: q closes it', function() return float_text() == '' end)
  eventually(
    'review: the statusline is quiet again',
    function() return not lua('return require("manicule").status()'):find('review', 1, true) end
  )
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
  type_keys(':Manicule stale<CR>')
  eventually('stale: the queue shows a memory', function() return shows_in_float('Logging out is not told') end)
  eventually('stale: and why it is there', function() return shows_in_float('because') end)
  type_keys('?')
  eventually(
    'stale: ? explains the keys',
    function() return shows_in_float('still true') and shows_in_float('re-anchor') end
  )
  type_keys('?/Logging out<CR>t')
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
end

return { review_queue, stale_queue }
