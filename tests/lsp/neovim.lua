-- What the tests ask of Neovim, beside its own functions.
Said, Choice = {}, "Do it"

function Json(path)
  local done, value = pcall(dofile, path)
  return vim.fn.json_encode(done and (value == nil and vim.NIL or value) or { error = tostring(value) })
end

local clients = vim.lsp.get_clients or function() return vim.lsp.buf_get_clients(0) end

-- Wait until the server has started, if the file is in a vault.
function Ready()
  if vim.fn.finddir(".memstore", vim.fn.expand("%:p:h") .. ";") == "" then return end
  vim.wait(20000, function() return next(clients({ bufnr = 0 })) ~= nil end, 10)
end

function Here()
  local _, client = next(clients({ bufnr = 0 }))
  return vim.lsp.util.make_position_params(0, client.offset_encoding)
end

function Ask(method, params)
  for _, one in pairs(vim.lsp.buf_request_sync(0, method, params, 20000) or {}) do
    if one.result then return one.result end
  end
end

function Place()
  return { vim.fn.expand("%:t"), vim.fn.line(".") }
end

local function position(text)
  vim.fn.cursor(1, 1)
  assert(vim.fn.search("\\V" .. vim.fn.escape(text, "\\"), "cW") > 0, text .. " is not there")
  return vim.fn.line(".") - 1, vim.fn.col(".") - 1
end

function Replace(old, new)
  local row, col = position(old)
  vim.api.nvim_buf_set_text(0, row, col, row, col + #old, vim.split(new, "\n"))
end

function Point(text, after)
  local row, col = position(text)
  vim.api.nvim_win_set_cursor(0, { row + 1, col + after })
end

-- The lists in which somebody would choose: actions, and what to do when the server asks.
local wanted
local offered = {}
vim.ui.select = function(items, options, choose)
  local asks = options.kind == "lsp_message"
  if asks then table.insert(Said, options.prompt) end
  for place, item in ipairs(items) do
    local shown = options.format_item(item)
    table.insert(offered, shown)
    if shown:find(asks and Choice or wanted, 1, true) then return choose(item, place) end
  end
end
vim.fn.inputlist = function(lines)
  table.insert(Said, lines[1])
  for place, line in ipairs(lines) do
    if line:find(Choice, 1, true) and place > 2 then return place - 2 end
  end
  return 0
end

function Act(title)
  wanted, offered = title, {}
  vim.lsp.buf.code_action()
  vim.wait(5000, function() return #offered > 0 end, 10)
  return offered
end

local show = vim.lsp.handlers["window/showMessage"]
vim.lsp.handlers["window/showMessage"] = function(fault, result, ...)
  table.insert(Said, result.message)
  return show(fault, result, ...)
end
vim.api.nvim_create_autocmd("FileType", {
  pattern = "markdown",
  callback = function() vim.bo.omnifunc = "v:lua.vim.lsp.omnifunc" end,
})
vim.o.completeopt = "menuone,noselect"
