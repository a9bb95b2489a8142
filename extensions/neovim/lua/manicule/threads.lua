--- What sessions have left open: a list with a key for each answer, and a way
--- to leave something.
local client = require('manicule.client')
local remember = require('manicule.remember')
local review = require('manicule.review')
local view = require('manicule.view')

local M = {}

local kinds = { thread = 'thread', next_step = 'next step', decision = 'decision', context = 'to know' }

---@class manicule.Thread
---@field uuid string
---@field kind string thread, next_step, decision or context
---@field state string open or parked
---@field text string
---@field why? string
---@field owner? string
---@field by string
---@field branch? string
---@field path? string
---@field location? table
---@field observed boolean nobody wrote it
---@field tainted boolean it may repeat text from outside

--- Says why a thread was not written, and tells whether it was.
---@param result any
---@return boolean
local function accepted(result)
  local reason = client.refusal(result)
  if reason then vim.notify('manicule: ' .. reason, vim.log.levels.WARN) end
  return not reason
end

---@param thread manicule.Thread
---@return manicule.Block
local function to_block(thread)
  local mark = thread.state == 'parked' and { 'parked    ', 'Comment' }
    or { ('%-10s'):format(kinds[thread.kind] or thread.kind), 'ManiculeType' }
  local facts = {}
  local function fact(text)
    if text and text ~= '' then facts[#facts + 1] = text end
  end
  fact(thread.owner and 'for ' .. thread.owner)
  fact(thread.path)
  fact(thread.observed and 'found in a session' or thread.by)
  fact(thread.branch and 'on ' .. thread.branch)
  fact(thread.shared and 'shared' or nil)
  fact(thread.tainted and 'may come from outside' or nil)
  local lines = { { mark, { ' ' }, { thread.text, 'ManiculeWhat' } } }
  if thread.why and thread.why ~= '' then lines[#lines + 1] = { { '           because ' .. thread.why } } end
  lines[#lines + 1] = { { '           ' .. table.concat(facts, ', '), 'Comment' } }
  return { lines = lines, item = thread, id = thread.uuid }
end

---@param list manicule.View
---@param command string
---@param arguments any[]
local function run(list, command, arguments)
  client.execute(list.buf, command, arguments, function(result)
    if accepted(result) then view.refresh(list) end
  end)
end

--- Asks for the second argument of a command, and runs it.
---@param command string
---@param prompt string
---@return fun(thread: manicule.Thread, list: manicule.View)
local function asking(command, prompt)
  return function(thread, list)
    vim.ui.input({ prompt = prompt .. ' ' }, function(text)
      if text and vim.trim(text) ~= '' then run(list, command, { thread.uuid, vim.trim(text) }) end
    end)
  end
end

--- The keys of the list, in the order of the help.
---@type manicule.Key[]
M.keys = {
  {
    'd',
    'done: it is gone from the list and the code',
    function(thread, list) run(list, 'manicule.threadDone', { thread.uuid }) end,
  },
  { 'D', 'done, and say how it was settled', asking('manicule.threadDone', 'How was it settled?') },
  {
    'p',
    'park: no session is told of it; open a parked one again',
    function(thread, list)
      run(list, thread.state == 'parked' and 'manicule.reopenThread' or 'manicule.threadPark', { thread.uuid })
    end,
  },
  { 'h', 'hand over: say who is to go on with it', asking('manicule.handThread', 'Who is to go on with it?') },
  {
    '<CR>',
    'go to the code that it is about',
    function(thread, list)
      if thread.location then return review.visit(thread, list) end
      vim.notify('manicule: it has no place in the code')
    end,
  },
}

--- Opens the list.
function M.open()
  view.open({
    name = 'threads',
    title = 'Left open',
    empty = 'Nothing is left open on this branch.',
    keys = M.keys,
    load = function(list, show)
      client.ask(
        list.buf,
        'manicule/threads',
        { limit = view.most },
        function(result)
          show(view.rest(vim.tbl_map(to_block, result and result.threads or {}), result and result.total))
        end
      )
    end,
  })
end

--- Leaves something open at the cursor, for the next session.
---@param bufnr integer
---@param text string asked for when empty
function M.leave(bufnr, text)
  remember.place(bufnr, nil, function(uri, place)
    remember.with_text(text, 'What should the next session know?', function(given, stored)
      client.execute(bufnr, 'manicule.leaveThread', { uri, place, given }, function(result)
        if accepted(result) then
          stored()
          vim.notify(result.same and 'manicule: that is left open already' or '☞ left open')
        end
      end)
    end)
  end)
end

return M
