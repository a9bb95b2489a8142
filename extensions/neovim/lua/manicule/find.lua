--- Finding memories: those of a file, those that match words, and what a change
--- may break.
local client = require('manicule.client')
local item = require('manicule.item')
local pick = require('manicule.pick')

local M = {}

--- The memories of a file: those whose code is in it, in the order of its lines,
--- after those that the server lists for the file as a whole.
---@param groups { uri?: string, items: manicule.Item[] }[] the tree, by file
---@param listed manicule.Item[] what applies at the top of the file
---@param path string of the file
---@return manicule.Item[]
local function of_file(groups, listed, path)
  local full, found, seen = {}, {}, {} -- the tree's items say more than the list's
  for _, group in ipairs(groups) do
    for _, each in ipairs(group.items) do
      full[each.uuid] = each
    end
  end
  local function add(memory)
    if seen[memory.uuid] then return end
    seen[memory.uuid] = true
    local place = memory.location
    local here = place and vim.uri_to_fname(place.uri) == path
    found[#found + 1] = { memory = memory, line = here and place.range.start.line or -1, index = #found }
  end
  for _, memory in ipairs(listed) do
    add(full[memory.uuid] or memory)
  end
  for _, group in ipairs(groups) do
    if group.uri and vim.uri_to_fname(group.uri) == path then vim.tbl_map(add, group.items) end
  end
  table.sort(found, function(a, b)
    if a.line ~= b.line then return a.line < b.line end
    return a.index < b.index
  end)
  return vim.tbl_map(function(each) return each.memory end, found)
end

--- Lists all memories of a file; picking one opens its file. Lenses are not a
--- source for it: they leave out what was dismissed, and can be switched off.
---@param bufnr integer
---@param path? string default: the file of the buffer
function M.recall(bufnr, path)
  local uri = path and path ~= '' and vim.uri_from_fname(vim.fn.fnamemodify(path, ':p')) or vim.uri_from_bufnr(bufnr)
  local full = vim.uri_to_fname(uri)
  local name = vim.fn.fnamemodify(full, ':.')
  client.ask(bufnr, 'manicule/tree', { by = 'file', uri = uri }, function(tree)
    -- The server knows the scopes that match a file: it lists their memories for the first line.
    client.execute(bufnr, 'manicule.showMemories', { uri, { line = 0, character = 0 } }, function(listed)
      local memories = of_file(tree and tree.groups or {}, type(listed) == 'table' and listed or {}, full)
      if #memories == 0 then return vim.notify('No memories about ' .. name) end
      pick.items(memories, 'Memories about ' .. name, item.open_file)
    end)
  end)
end

--- A hit of the server, as an item.
---@param hit table
---@return manicule.Item
local function to_item(hit)
  local memory = hit.memory
  local anchor = (memory.anchors or {})[1]
  local scope = memory.scope
  return {
    uuid = memory.uuid,
    type = memory.type,
    what = memory.what,
    why = memory.why,
    uri = hit.file,
    path = anchor and anchor.path,
    scope = type(scope) == 'string' and { scope } or scope,
    state = hit.state,
    trust = memory.trust and {
      origin = memory.trust.origin,
      tainted = memory.trust.tainted,
      verifiedBy = memory.trust.verified_by,
    },
    contributor = memory.contributor,
    confidence = memory.confidence,
  }
end

---@param bufnr integer
---@param text string
local function search(bufnr, text)
  client.ask(bufnr, 'manicule/search', { text = text, limit = 50 }, function(folders)
    local found = {}
    for _, folder in ipairs(folders or {}) do
      for _, hit in ipairs(folder.hits or {}) do
        found[#found + 1] = to_item(hit)
      end
    end
    if #found == 0 then return vim.notify(('No memory matches "%s"'):format(text)) end
    pick.items(found, ('Memories for "%s"'):format(text), item.open_file)
  end)
end

--- Searches the memories by words, meaning and structure; picking one opens its file.
---@param bufnr integer
---@param text? string asked for when missing
function M.search(bufnr, text)
  if text and text ~= '' then return search(bufnr, text) end
  vim.ui.input({ prompt = 'Search the memories: ' }, function(typed)
    if typed and vim.trim(typed) ~= '' then search(bufnr, vim.trim(typed)) end
  end)
end

--- Something that a change may break, as an entry of the quickfix list.
---@param ref table
---@param root string
local function to_quickfix(ref, root)
  local how = { ref.edge or 'affected', ref.distance and ('distance %d'):format(ref.distance) or nil }
  if ref.test then how[#how + 1] = 'test' end
  return {
    filename = root .. '/' .. ref.file,
    lnum = ref.line or 1,
    col = ref.column or 1,
    text = ('%s (%s)'):format(ref.symbol or ref.name or ref.file, table.concat(how, ', ')),
  }
end

--- Puts what a change to the symbol at the cursor may break into the quickfix
--- list, nearest first.
---@param bufnr integer
---@param symbol? string of this file, instead of that at the cursor
function M.impact(bufnr, symbol)
  local params = client.cursor(bufnr)
  if symbol and symbol ~= '' then params = { textDocument = params.textDocument, symbol = symbol } end
  client.ask(bufnr, 'manicule/impact', params, function(impact, own)
    local affected = impact and impact.affected or {}
    local targets = vim.tbl_map(
      function(ref) return ref.symbol or ref.name or ref.file end,
      impact and impact.targets or {}
    )
    local title = 'What may break with ' .. (#targets > 0 and table.concat(targets, ', ') or 'this file')
    if #affected == 0 then return vim.notify(title .. ': no known dependents') end
    local entries = vim.tbl_map(function(ref) return to_quickfix(ref, own.root_dir) end, affected)
    vim.fn.setqflist({}, ' ', { title = title, items = entries })
    vim.cmd('botright copen')
  end)
end

--- Puts the files that change much and have no memory into the quickfix list,
--- those that changed most first. Its title says how much memories cover.
---@param bufnr integer
function M.coverage(bufnr)
  client.ask(bufnr, 'manicule/coverage', vim.empty_dict(), function(result)
    local folders = result and result.folders or {}
    if #folders == 0 then return vim.notify('manicule: there is no history to count changes of') end
    local entries, said = {}, {}
    for _, folder in ipairs(folders) do
      said[#said + 1] = ('%d of 100 (%d of %d changes)'):format(folder.score, folder.covered, folder.changes)
      for _, file in ipairs(folder.files or {}) do
        entries[#entries + 1] = {
          filename = vim.uri_to_fname(file.uri),
          lnum = 1,
          text = ('%d changes, and nothing is remembered about it'):format(file.changes),
          nr = file.changes,
        }
      end
    end
    local title = 'Memories cover ' .. table.concat(said, ', ')
    if #entries == 0 then return vim.notify(title .. ': no file that changes much is without one') end
    table.sort(entries, function(a, b)
      if a.nr ~= b.nr then return a.nr > b.nr end
      return a.filename < b.filename
    end)
    vim.fn.setqflist({}, ' ', { title = title, items = entries })
    vim.cmd('botright copen')
  end)
end

return M
