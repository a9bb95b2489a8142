--- The stale queue: memories whose code changed, moved or was deleted, and a
--- person's decisions about them.
local anchors = require('manicule.anchors')
local client = require('manicule.client')
local review = require('manicule.review')
local view = require('manicule.view')

local M = {}

---@param list manicule.View
---@param command string
---@param arguments any[]
local function run(list, command, arguments)
  client.execute(list.buf, command, arguments, function()
    view.refresh(list)
    require('manicule.status').refresh()
  end)
end

--- Runs a command about the anchor that a person chooses.
---@param command string
---@param ... any arguments after the memory's uuid and the index of the anchor
---@return fun(memory: manicule.Item, list: manicule.View)
local function about_anchor(command, ...)
  local more = { ... }
  return function(memory, list)
    anchors.choose(memory, function(index) run(list, command, vim.list_extend({ memory.uuid, index }, more)) end)
  end
end

--- Anchors a memory to another place, by default where the cursor was.
---@param memory manicule.Item
---@param list manicule.View
function M.reanchor(memory, list)
  anchors.choose(memory, function(index)
    vim.ui.input({ prompt = 'Place (FILE:LINE or FILE#Symbol): ', default = anchors.here(list) }, function(place)
      if place and vim.trim(place) ~= '' then
        run(list, 'manicule.anchorMemory', { memory.uuid, index, vim.trim(place) })
      end
    end)
  end)
end

--- Forgets a memory; it can be restored for 30 days.
---@param memory manicule.Item
---@param list manicule.View
function M.archive(memory, list) run(list, 'manicule.archiveMemory', { memory.uuid }) end

--- The keys of the queue, in the order of the help.
---@type manicule.Key[]
M.keys = {
  { 't', 'still true: it holds for the present code', about_anchor('manicule.stillTrue') },
  { 'f', 'follow it to the suggested place', about_anchor('manicule.followMemory', { confirmed = true }) },
  { 'n', 'not that place: do not suggest it again', about_anchor('manicule.rejectPlace') },
  { 'm', 're-anchor: tie it to another place', M.reanchor },
  { 'd', 'detach: keep it for the file', about_anchor('manicule.detachMemory') },
  { 'x', 'forget it: it can be restored for 30 days', M.archive },
  { '<CR>', 'go to its place', review.visit },
}

--- Opens the queue.
function M.open()
  view.open({
    name = 'stale',
    title = 'May be stale',
    empty = 'No memory has lost its code.',
    keys = M.keys,
    load = function(list, show)
      client.ask(
        list.buf,
        'manicule/stale',
        { limit = view.most },
        function(result) show(view.rest(review.blocks(result and result.items or {}), result and result.total)) end
      )
    end,
  })
end

return M
