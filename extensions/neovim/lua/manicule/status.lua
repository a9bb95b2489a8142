--- The statusline: how many memories there are, and how many wait for review.
local client = require('manicule.client')

local M = {}

--- The server's newest answer to manicule/overview.
---@type { folders: table[], version?: string }?
local overview

--- The id of the client with a request in flight. One that died never
--- answers, and the one after it has another id.
---@type integer?
local asking

--- Whether to ask again after the request in flight.
local again = false

--- Asks the server for the numbers. Calls during a request lead to one more
--- request after it.
function M.refresh()
  local own = client.near(vim.api.nvim_get_current_buf())
  if not own then
    overview, asking, again = nil, nil, false
    return
  end
  if asking == own.id then
    again = true
    return
  end
  asking, again = own.id, false
  local sent = client.request(own, 'manicule/overview', vim.empty_dict(), function(err, result)
    if asking ~= own.id then return end -- another was asked meanwhile
    asking = nil
    if not err and type(result) == 'table' then overview = result end
    vim.cmd.redrawstatus({ bang = true })
    if again then
      again = false
      M.refresh()
    end
  end, 0)
  if not sent then asking = nil end
end

--- The sums over all folders; nil before the server has answered.
---@return { memories: integer, candidates: integer, stale: integer, orphaned: integer, invalid: integer, indexing?: integer }?
function M.numbers()
  if not overview or #client.running() == 0 then return end
  local sums = { memories = 0, candidates = 0, stale = 0, orphaned = 0, invalid = 0 }
  local done, total = 0, 0
  for _, folder in ipairs(overview.folders or {}) do
    for name, sum in pairs(sums) do
      sums[name] = sum + (tonumber(folder[name]) or 0)
    end
    local index = folder.index
    if type(index) == 'table' and index.state == 'indexing' then
      done, total = done + (index.done or 0), total + (index.total or 0)
      sums.indexing = total > 0 and math.floor(100 * done / total) or 0
    end
  end
  return sums
end

--- The text for a statusline.
---@return string
function M.text()
  local n = M.numbers()
  if not n then return '' end
  local parts = { ('☞ %d'):format(n.memories) }
  if n.candidates > 0 then parts[#parts + 1] = ('%d to review'):format(n.candidates) end
  local lost = n.stale + n.orphaned
  if lost > 0 then parts[#parts + 1] = ('%d stale'):format(lost) end
  if n.invalid > 0 then parts[#parts + 1] = ('%d invalid'):format(n.invalid) end
  if n.indexing then parts[#parts + 1] = ('indexing %d %%'):format(n.indexing) end
  return table.concat(parts, ' · ')
end

--- The lines of :Manicule status.
---@return string[]
function M.lines()
  if not overview then return { 'The server has not said anything yet. See :checkhealth manicule' } end
  local lines = {}
  for _, folder in ipairs(overview.folders or {}) do
    local index = type(folder.index) == 'table' and folder.index or { state = 'off' }
    local facts = { ('%d memories'):format(folder.memories or 0) }
    for _, fact in ipairs({
      { folder.candidates, '%d to review' },
      { folder.stale, '%d may be stale' },
      { folder.orphaned, '%d lost their code' },
      { folder.invalid, "%d files can't be read" },
    }) do
      if (fact[1] or 0) > 0 then facts[#facts + 1] = fact[2]:format(fact[1]) end
    end
    local graph = {
      indexing = ('code graph: %d of %d files'):format(index.done or 0, index.total or 0),
      ready = 'code graph ready',
    }
    facts[#facts + 1] = graph[index.state] or 'no code graph'
    lines[#lines + 1] = (folder.name or vim.uri_to_fname(folder.uri)) .. ': ' .. table.concat(facts, ', ')
  end
  if #lines == 0 then lines[1] = 'No folder with memories is open' end
  return lines
end

--- Asks the server and shows the numbers of each folder.
---@param bufnr integer
function M.show(bufnr)
  client.ask(bufnr, 'manicule/overview', vim.empty_dict(), function(result)
    overview = result
    vim.notify(table.concat(M.lines(), '\n'), vim.log.levels.INFO, { title = 'Manicule' })
  end)
end

return M
