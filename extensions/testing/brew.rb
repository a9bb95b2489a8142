# brew.rb FORMULA DIST PREFIX: what brew does with a formula on Linux, without brew: reads it, compares the archive's sum and
# runs its install method in the current folder, where the archive was unpacked.
require "digest"
require "fileutils"
require "pathname"

formula, dist, prefix = ARGV
PREFIX = Pathname(prefix)

# Keg is a folder that files are installed into, with other names where a hash says so.
class Keg
  def initialize(dir) = @dir = PREFIX.join(dir)

  def install(*files)
    FileUtils.mkdir_p(@dir)
    files.each { |f| f.is_a?(Hash) ? f.each { |from, to| FileUtils.cp(from, @dir.join(to)) } : FileUtils.cp(f, @dir) }
  end

  def to_s = @dir.to_s
end

class Formula
  class << self
    attr_reader :fields

    def inherited(other) = other.instance_variable_set(:@fields, {})
    def on_linux = yield
    def on_intel = yield
    def on_macos; end
    def on_arm; end
    def test; end

    %i[desc homepage version license url sha256].each do |name|
      define_method(name) { |value| @fields[name] = value }
    end
  end

  { bin: "bin", man1: "share/man/man1", bash_completion: "etc/bash_completion.d",
    zsh_completion: "share/zsh/site-functions", fish_completion: "share/fish/vendor_completions.d" }.each do |name, dir|
    define_method(name) { Keg.new(dir) }
  end
end

load formula
fields = Manicule.fields
missing = %i[desc homepage version license url sha256] - fields.keys
abort "the formula lacks #{missing}" unless missing.empty?
# What `brew audit` refuses of a description.
abort "the description is too long, ends with a period or begins with the name" if fields[:desc].size > 80 || fields[:desc] =~ /\.\z|\Amanicule/i
archive = File.join(dist, File.basename(fields[:url]))
abort "#{archive} has another sum" if Digest::SHA256.file(archive).hexdigest != fields[:sha256]
Manicule.new.install
