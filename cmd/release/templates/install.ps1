# Installs {{.Name}} {{.Version}}: irm {{.Download .Version "install.ps1"}} | iex
$ErrorActionPreference = "Stop"
$version = "{{.Version}}"
$to = if ($env:TO) { $env:TO } else { Join-Path $env:LOCALAPPDATA "Programs\manicule" }
$archive = "{{(.By "windows-amd64").File}}"
$tmp = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
New-Item -ItemType Directory -Force $tmp, $to | Out-Null
try {
    Invoke-WebRequest -UseBasicParsing "{{.URL "windows-amd64"}}" -OutFile (Join-Path $tmp $archive)
    $sum = (Get-FileHash -Algorithm SHA256 (Join-Path $tmp $archive)).Hash.ToLower()
    if ($sum -ne "{{(.By "windows-amd64").SHA256}}") { throw "$archive is not what was released" }
    Expand-Archive (Join-Path $tmp $archive) $tmp -Force
    foreach ($program in "manicule.exe", "manicule-hook.exe") {
        Copy-Item (Join-Path $tmp "{{.Folder "windows-amd64"}}\$program") $to -Force
    }
    $path = [Environment]::GetEnvironmentVariable("Path", "User")
    if (($path -split ";") -notcontains $to) {
        [Environment]::SetEnvironmentVariable("Path", "$path;$to", "User")
        Write-Output "$to was added to your Path; new windows have it"
    }
    Write-Output "manicule $version is in $to"
} finally {
    Remove-Item -Recurse -Force $tmp
}
