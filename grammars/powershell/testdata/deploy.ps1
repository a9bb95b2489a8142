<# .SYNOPSIS
function Not-Code { #>
$Region = "eu"

# Sends it.
function Send-Package {
    param([string]$Name = "a{b")
    if ($Name) { Write-Host "sent" }
}

class Target {
    [void] Stop() { $this.Running = $false }
}
