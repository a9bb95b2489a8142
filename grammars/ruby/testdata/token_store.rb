# frozen_string_literal: true

require "json"
require_relative "store/clock"
autoload :Legacy, "store/legacy"

# What keeps tokens.
module Acme::Store
  # Seconds that a token lives.
  TTL = 60 * 60
  LOW, HIGH = 1, 2

  Token = Struct.new(:name, :until) do
    # Whether it is still good.
    def live?(now = Time.now)
      self.until > now
    end
  end

  class Error < StandardError; end

  class Expired < Acme::Store::Error
    attr_reader :at

    def initialize(at)
      super("expired at #{at}")
      @at = at
    end
  end

  module Named
    def label = name.to_s
  end

  # Keeps tokens in memory.
  class TokenStore < Base::Keeper
    include Named, Enumerable
    extend Forwardable
    attr_reader :clock, :tokens
    attr_accessor :title

    @@made = 0
    LIMIT = 1 << 10

    has_many :entries, dependent: :destroy
    scope :recent, -> { where("until > ?", Time.now) }
    def_delegators :@tokens, :size, :empty?

    class << self
      # Makes one.
      def create(*names, clock: Clock.new, **options, &block)
        store = new(clock)
        names.each { |name| store.insert(name, **options) }
        block&.call(store)
        store
      end

      private

      attr_writer :registry
    end

    def self.load(path)
      JSON.parse(File.read(path)).map do |row, (low, high)|
        Token.new(row["name"], low + high)
      end
    end

    def initialize(clock, title: nil)
      @clock = clock
      @tokens = {}
      @title ||= title || default_title
      @low, @high = LOW, HIGH
      @@made += 1
    end

    def find(name)
      token = @tokens[name]
      raise Expired.new(token.until) unless token&.live?(clock.now)

      token
    rescue Acme::Store::Error, KeyError => e
      warn "#{self.class}: #{e.message}"
      nil
    ensure
      clock.tick
    end

    def [](name) = find(name)

    def ==(other)
      other.is_a?(TokenStore) && other.tokens == tokens
    end

    def title=(value)
      @title = value.strip
    end

    def insert(name, ttl = TTL, *tags, **)
      entry, rest = tags
      index = 0
      weigh = ->(token, depth = 1) { token.until * depth }
      for tag in tags do index += tag.size end
      case entry
      when Token then entry.name
      when nil, Named then label
      end
      case rest
      in [first, *others] then first.merge(others)
      in Token => other then other.label
      end
      yield weigh.call(entry), index if block_given?
      @tokens[name] ||= Token.new(name, clock.now + ttl)
      Acme::Registry.instance.notify(self, on: :insert) { |event| event.tags = rest }
      send(:sweep)
    end

    define_method(:reset) { |all = false| @tokens.clear if all }
    alias lookup find
    alias_method :fetch, :find

    private

    def sweep
      tokens.reject { |token| token.live? }.each_with_index do |token, at|
        puts <<~TEXT
          #{at} #{token.name}
        TEXT
      end
    end

    private def default_title
      "store"
    end
  end
end

class Acme::Store::TokenStore
  def late; end
end

def main(argv)
  store = Acme::Store::TokenStore.create(*argv)
  $store = store
  puts store.map(&:name)
end

main(ARGV) if __FILE__ == $PROGRAM_NAME
