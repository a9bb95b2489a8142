-- nvim_doc.lua [--check]: writes the plugin's help file, doc/manicule.txt, or says
-- that it is not up to date. Run by nvim -l.
--
-- The prose is in manicule.txt.in beside this script. What can be known from
-- the annotations of the Lua is put into it: the options (the fields of
-- manicule.Config and their defaults), the subcommands and the keys of the
-- lists (their tables), and the functions of the module.

local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
local plugin = vim.fs.normalize(here .. '/../neovim')
local width = 78
vim.opt.runtimepath:prepend(plugin)

---@param path string
---@return string
local function read(path)
  local file = assert(io.open(path))
  local text = file:read('*a')
  file:close()
  return text
end

-- Breaks a text into lines that are indented.
local function wrapped(text, indent, first)
  local lines, line = {}, first or indent
  local empty = true
  for word in text:gmatch('%S+') do
    if not empty and vim.fn.strdisplaywidth(line .. ' ' .. word) > width then
      lines[#lines + 1] = line
      line, empty = indent, true
    end
    line = line .. (empty and '' or ' ') .. word
    empty = false
  end
  lines[#lines + 1] = line
  return table.concat(lines, '\n')
end

-- A heading line with a tag at its right end.
local function tagged(left, tag)
  local gap = width - vim.fn.strdisplaywidth(left) - #tag - 2
  if gap < 1 then return (' '):rep(width - #tag - 2) .. '*' .. tag .. '*\n' .. left end
  return left .. (' '):rep(gap) .. '*' .. tag .. '*'
end

-- A value as it is written in Lua.
local function literal(value)
  if type(value) == 'string' then return "'" .. value .. "'" end
  return (vim.inspect(value))
end

local function options()
  local source = read(plugin .. '/lua/manicule/config.lua')
  local class =
    assert(source:match('%-%-%-@class manicule%.Config\n(.-)M%.defaults'), 'config.lua has no class manicule.Config')
  local defaults = require('manicule.config').defaults
  local out, seen = {}, {}
  for name, kind, about in class:gmatch('%-%-%-@field (%S+) (%S+) ([^\n]+)') do
    assert(defaults[name] ~= nil, name .. ' has no default')
    seen[name] = true
    local head = ('%s  %s, default `%s`'):format(name, kind:gsub('|false$', ' or false'), literal(defaults[name]))
    out[#out + 1] = tagged(head, 'manicule.' .. name) .. '\n' .. wrapped(about .. '.', '    ')
  end
  for name in pairs(defaults) do
    assert(seen[name], name .. ' is not annotated')
  end
  return table.concat(out, '\n\n')
end

local function commands()
  local subcommands = require('manicule.commands').subcommands
  local names, out = vim.tbl_keys(subcommands), {}
  table.sort(names)
  for _, name in ipairs(names) do
    local each = subcommands[name]
    local head = (':Manicule %s%s'):format(name, each.args and ' ' .. each.args or '')
    out[#out + 1] = tagged(head, ':Manicule-' .. name) .. '\n' .. wrapped(each.about, '    ')
  end
  return table.concat(out, '\n\n')
end

-- The keys of a window.
local function keys_of(list)
  local out = {}
  for _, key in ipairs(list) do
    out[#out + 1] = wrapped(key[2], (' '):rep(10), ('    %-6s'):format(key[1]))
  end
  return table.concat(out, '\n')
end

-- The keys of a list, with those that each list has.
local function keys(list) return keys_of(vim.list_extend(vim.deepcopy(list), require('manicule.view').common_keys)) end

-- The functions of require('manicule'), from their annotations.
local function functions()
  local out, comment = {}, {}
  for line in (read(plugin .. '/lua/manicule/init.lua') .. '\n'):gmatch('(.-)\n') do
    local name, arguments = line:match('^function M%.([%w_]+)%(([^)]*)%)')
    if line:match('^%-%-%-') then
      comment[#comment + 1] = line:sub(4):gsub('^ ', '', 1)
    else
      if name and #comment > 0 then
        local text, notes, code = {}, {}, {}
        for _, each in ipairs(comment) do
          local parameter, kind, about = each:match('^@param (%S+) (%S+)%s*(.*)$')
          local result = each:match('^@return (.*)$')
          if parameter then
            notes[#notes + 1] =
              wrapped(('{%s} (%s) %s'):format(parameter:gsub('%?$', ''), kind, about), '        ', '    ')
          elseif result then
            notes[#notes + 1] = wrapped('Returns: ' .. result, '        ', '    ')
          elseif each:match('^    ') then
            code[#code + 1] = '    ' .. each
          elseif each == '<' then
            code[#code + 1] = '<'
          else
            text[#text + 1] = each
          end
        end
        local entry = { tagged(("require('manicule').%s(%s)"):format(name, arguments), ('manicule.%s()'):format(name)) }
        entry[#entry + 1] = wrapped(table.concat(text, ' '), '    ')
        vim.list_extend(entry, code)
        vim.list_extend(entry, notes)
        out[#out + 1] = table.concat(entry, '\n')
      end
      comment = {}
    end
  end
  return (table.concat(out, '\n\n'):gsub('\n<\n', '\n<\n'))
end

local parts = {
  options = options,
  commands = commands,
  functions = functions,
  hover_keys = function() return keys_of(require('manicule.acts').keys) end,
  review_keys = function() return keys(require('manicule.review').keys) end,
  stale_keys = function() return keys(require('manicule.stale').keys) end,
  threads_keys = function() return keys(require('manicule.threads').keys) end,
  session_keys = function() return keys(require('manicule.session').keys) end,
  tree_keys = function() return keys(require('manicule.tree').keys) end,
  log_keys = function() return keys(require('manicule.log').keys) end,
  history_keys = function() return keys(require('manicule.history').keys('')) end,
}

local text = read(here .. '/manicule.txt.in'):gsub(
  '{{([%w_]+)}}\n',
  function(name) return assert(parts[name], 'there is no part ' .. name)() .. '\n' end
)

-- The tags of a help file, as |:helptags| writes them.
local function tags_of(help)
  local dir = vim.fn.tempname()
  vim.fn.mkdir(dir, 'p')
  vim.fn.writefile(vim.split(help, '\n'), dir .. '/manicule.txt', 'b')
  vim.cmd.helptags(vim.fn.fnameescape(dir))
  local tags = read(dir .. '/tags')
  vim.fn.delete(dir, 'rf')
  return tags
end

local path = plugin .. '/doc/manicule.txt'
local tags = plugin .. '/doc/tags'
if vim.tbl_contains(arg, '--check') then
  if read(path) ~= text or read(tags) ~= tags_of(text) then
    io.stderr:write('doc/manicule.txt is not what the annotations say: run make nvim-doc\n')
    os.exit(1)
  end
else
  local file = assert(io.open(path, 'w'))
  file:write(text)
  file:close()
  file = assert(io.open(tags, 'w'))
  file:write(tags_of(text))
  file:close()
end
