---@brief
---
--- {{.Homepage}}
---
--- {{.Description}}. No filetypes are named: a memory can be about any file.

---@type vim.lsp.Config
return {
  cmd = { '{{.Name}}', 'lsp' },
  root_markers = { '.manicule', '.git' },
  workspace_required = true,
}
