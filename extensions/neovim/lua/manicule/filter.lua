--- Which memories a list shows: by author, type, tag, state and age.
local M = {}

--- What a filter may be about.
M.facets = { 'author', 'type', 'tag', 'state', 'age' }

--- The ages, in days, by what they are called.
local ages = { { '7 days', 7 }, { '30 days', 30 }, { 'a year', 365 } }

--- A value of a facet, such as the author Ada.
---@class manicule.Choice
---@field facet string
---@field value string
---@field count? integer how many memories have it

--- How many days ago a time was, nil if it is none.
---@param time? string RFC 3339, in UTC
---@param now integer of os.time, in UTC
---@return number?
local function days_ago(time, now)
  local year, month, day, hour, min, sec = (time or ''):match('^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)')
  if not year then return nil end
  local fields = { year = year, month = month, day = day, hour = hour, min = min, sec = sec, isdst = false }
  return (now - os.time(vim.tbl_map(function(field) return tonumber(field) or field end, fields))) / 86400
end

---@return integer
local function utc()
  local now = os.date('!*t') --[[@as osdate]]
  now.isdst = false
  return os.time(now)
end

--- What a memory has of a facet.
---@param memory manicule.Item
---@param facet string
---@param now integer
---@return string[]
local function values(memory, facet, now)
  if facet == 'author' then return memory.contributor and { memory.contributor } or {} end
  if facet == 'type' then return { (memory.type:gsub('_', ' ')) } end
  if facet == 'tag' then return memory.tags or {} end
  if facet == 'age' then
    local days, found = days_ago(memory.updatedAt, now), {}
    for _, age in ipairs(ages) do
      if days and days <= age[2] then found[#found + 1] = age[1] end
    end
    return found
  end
  local trust = memory.trust or {}
  local found = { (memory.state or '') ~= '' and memory.state or 'without a place' }
  if memory.pinned then found[#found + 1] = 'pinned' end
  if memory.disputed then found[#found + 1] = 'disputed' end
  if trust.tainted and not trust.verifiedBy then found[#found + 1] = 'from outside' end
  return found
end

--- Whether a memory passes: values of one facet are alternatives, those of several
--- must all hold.
---@param memory manicule.Item
---@param chosen manicule.Choice[]
---@param now? integer
---@return boolean
function M.passes(memory, chosen, now)
  local wanted, met = {}, {}
  for _, choice in ipairs(chosen) do
    wanted[choice.facet] = true
    local has = vim.tbl_contains(values(memory, choice.facet, now or utc()), choice.value)
    met[choice.facet] = met[choice.facet] or has
  end
  for facet in pairs(wanted) do
    if not met[facet] then return false end
  end
  return true
end

--- Every value that some memory has, by facet, the most frequent first.
---@param memories manicule.Item[]
---@return manicule.Choice[]
function M.choices(memories)
  local now, seen, out = utc(), {}, {}
  for _, facet in ipairs(M.facets) do
    local counts, found = {}, {}
    for _, memory in ipairs(memories) do
      if not seen[facet .. memory.uuid] then -- one may be in several groups
        seen[facet .. memory.uuid] = true
        for _, value in ipairs(values(memory, facet, now)) do
          counts[value] = (counts[value] or 0) + 1
        end
      end
    end
    for value, count in pairs(counts) do
      found[#found + 1] = { facet = facet, value = value, count = count }
    end
    table.sort(found, function(a, b)
      if a.count ~= b.count then return a.count > b.count end
      return a.value < b.value
    end)
    vim.list_extend(out, found)
  end
  return out
end

---@param chosen manicule.Choice[]
---@param choice manicule.Choice
---@return integer?
local function index_of(chosen, choice)
  for index, each in ipairs(chosen) do
    if each.facet == choice.facet and each.value == choice.value then return index end
  end
end

--- A choice in words.
---@param choice manicule.Choice
---@return string
local function words(choice)
  return choice.facet == 'age' and 'changed within ' .. choice.value or choice.facet .. ' ' .. choice.value
end

--- A filter in words, '' for none.
---@param chosen manicule.Choice[]
---@return string
function M.describe(chosen) return table.concat(vim.tbl_map(words, chosen), ', ') end

--- Reads what a person typed, such as "author=Ada state=stale". Underscores stand for
--- spaces.
---@param text string
---@return manicule.Choice[] chosen
---@return string? wrong the word that is no choice
function M.parse(text)
  local chosen = {}
  for word in text:gmatch('%S+') do
    local facet, value = word:match('^(%a+)=(.+)$')
    if not facet or not vim.tbl_contains(M.facets, facet) then return chosen, word end
    chosen[#chosen + 1] = { facet = facet, value = (value:gsub('_', ' ')) }
  end
  return chosen
end

--- Lets a person choose one more value, or take one back.
---@param memories manicule.Item[]
---@param chosen manicule.Choice[]
---@param done fun(chosen: manicule.Choice[])
function M.ask(memories, chosen, done)
  local choices = M.choices(memories)
  for _, choice in ipairs(chosen) do -- what is chosen can be taken back, also if nothing has it any more
    if not index_of(choices, choice) then table.insert(choices, 1, choice) end
  end
  if #choices == 0 then return vim.notify('There are no memories here yet.') end
  vim.ui.select(choices, {
    prompt = 'Show only memories with',
    kind = 'manicule.filter',
    format_item = function(choice)
      local mark = index_of(chosen, choice) and '✓ ' or ''
      return ('%s%s (%d)'):format(mark, words(choice), choice.count or 0)
    end,
  }, function(choice)
    if not choice then return end
    local next_chosen = vim.deepcopy(chosen)
    local at = index_of(next_chosen, choice)
    if at then
      table.remove(next_chosen, at)
    else
      next_chosen[#next_chosen + 1] = { facet = choice.facet, value = choice.value }
    end
    done(next_chosen)
  end)
end

return M
