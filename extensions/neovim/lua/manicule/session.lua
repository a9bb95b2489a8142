--- The result of an agent's session: what it was shown and what was learned from
--- it, with a key for each.
local client = require('manicule.client')
local item = require('manicule.item')
local review = require('manicule.review')
local view = require('manicule.view')

local M = {}

---@param text string
---@return manicule.Block
local function heading(text) return { lines = { { { text, 'Title' } }, {} } } end

---@param items table[]
---@param learned boolean
---@return manicule.Block[]
local function blocks_of(items, learned)
  return vim.tbl_map(function(each)
    each.learned = learned
    return { lines = item.lines(each), item = each, id = each.uuid }
  end, items)
end

---@param summary table
---@return manicule.Block[]
local function to_blocks(summary)
  local used, learned = summary.used or {}, summary.learned or {}
  local tokens = summary.tokens and summary.tokens > 0 and (', %d tokens'):format(summary.tokens) or ''
  if (summary.saved or 0) > 0 then tokens = tokens .. (', at most %d spared'):format(summary.saved) end
  local blocks = { heading(('%s %s%s'):format(summary.agent or '', summary.session or '', tokens)) }
  blocks[#blocks + 1] = heading(('Learned (%d)'):format(#learned))
  vim.list_extend(blocks, blocks_of(learned, true))
  blocks[#blocks + 1] = heading(('Used (%d)'):format(#used))
  vim.list_extend(blocks, blocks_of(used, false))
  return blocks
end

---@param list manicule.View
---@param command string
---@param arguments any[]
local function run(list, command, arguments)
  client.execute(list.buf, command, arguments, function() view.refresh(list) end)
end

---@param what table
---@param list manicule.View
local function ok(what, list)
  if what.learned then return review.accept(what, list) end
  run(list, 'manicule.confirmMemory', { what.uuid })
end

---@param what table
---@param list manicule.View
local function edit(what, list)
  if what.learned then return review.edit(what, list) end
  require('manicule.memory').edit(what, function() view.refresh(list) end)
end

---@param what table
---@param list manicule.View
local function wrong(what, list)
  if what.learned then return review.reject(what, list) end
  vim.ui.input({ prompt = 'What is wrong with this memory? ' }, function(note)
    if note and vim.trim(note) ~= '' then run(list, 'manicule.disputeMemory', { what.uuid, vim.trim(note) }) end
  end)
end

--- Accepts all that was learned. What should be read first stays.
---@param list manicule.View
local function accept_all(_, list)
  local session = list.spec.name:match('^session/(.+)$')
  client.execute(list.buf, 'manicule.acceptSession', { session }, function(result)
    local left = result and result.left or 0
    local rest = left > 0 and (', %d to be read before they are accepted'):format(left) or ''
    vim.notify(('☞ %d accepted%s'):format(result and result.accepted or 0, rest))
    view.refresh(list)
    require('manicule.status').refresh()
  end)
end

--- The keys of the summary, in the order of the help.
---@type manicule.Key[]
M.keys = {
  { 'a', 'right: accept what was learned, confirm what was used', ok },
  { 'A', 'accept all that was learned and needs no closer look', accept_all, any = true },
  { 'e', 'edit it', edit },
  { 'x', 'wrong: reject what was learned, dispute what was used', wrong },
  { '<CR>', 'go to the code that it is about', review.visit },
}

--- Opens the summary of a session; without an id, of the one that ended last.
---@param id? string
function M.open(id)
  local session = id and id ~= '' and id or require('manicule.events').last_session
  if not session then
    vim.notify('manicule: no session has ended since the editor started; :Manicule log lists earlier ones')
    return
  end
  view.open({
    name = 'session/' .. session,
    title = 'Session',
    empty = 'Nothing is known about this session.',
    keys = M.keys,
    load = function(list, show)
      client.ask(
        list.buf,
        'manicule/sessionSummary',
        { session = session },
        function(result) show(result and to_blocks(result) or {}) end
      )
    end,
  })
end

return M
