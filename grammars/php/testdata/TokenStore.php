<?php

declare(strict_types=1);

namespace Acme\Store;

use Acme\Common\{Clock, Named as Labelled, Log\Writer};
use Acme\Base\Keeper;
use Psr\Log\LoggerInterface as Logger, Countable;
use function Acme\Common\helper;
use const Acme\Common\LIMIT;

require_once __DIR__ . '/legacy.php';
include 'functions.php';

const TTL = 60 * 60, GRACE = 30;
define('ACME_VERSION', '1.0');

/**
 * What keeps tokens.
 */
interface Store extends Countable, \IteratorAggregate
{
    public const MAX = 10;

    /** Finds one. */
    public function find(string $name): ?Token;
}

enum Color: string implements Labelled
{
    case Red = 'r';
    case Green = 'g';

    public static function parse(string $text): self
    {
        return self::tryFrom($text) ?? self::Red;
    }
}

trait Sweeps
{
    use Ticks;

    protected int $swept = 0;

    abstract protected function limit(): int;

    public function sweep(): static
    {
        $this->swept++;
        return $this;
    }
}

/** One token. */
#[Entity(table: 'tokens')]
final readonly class Token implements Labelled
{
    public function __construct(
        public string $name,
        private ?\DateTimeImmutable $until = null,
        protected array $tags = [],
    ) {
    }

    public function live(Clock $clock): bool
    {
        return $this->until?->getTimestamp() > $clock->now();
    }
}

abstract class TokenStore extends Keeper implements Store, Common\Closer
{
    use Sweeps, Writer {
        Sweeps::sweep insteadof Writer;
        Writer::sweep as protected write;
    }

    public const VERSION = '1', NAME = 'store';
    private static ?TokenStore $shared = null;
    protected array $tokens = [], $names;
    private Logger $log;

    public function __construct(private Clock $clock, Logger $log, string ...$names)
    {
        parent::__construct($clock->zone());
        $this->log = $log;
        foreach ($names as $index => $name) {
            $this->insert(name: $name, ttl: TTL);
        }
        self::$shared ??= $this;
    }

    public static function create(): static
    {
        $clock = new Clock();
        $logger = Writer::make()->logger();
        return new static($clock, $logger);
    }

    public function find(string $name): ?Token
    {
        $token = $this->tokens[$name] ?? null;
        if (!$token instanceof Token || !$token->live($this->clock)) {
            throw new \Acme\Errors\Expired(sprintf('%s is gone', $name), code: LIMIT);
        }
        try {
            [$low, $high] = $this->bounds($token);
            $weigh = fn(Token $t): int => $t->tags['x'] * $high;
            $visit = function (Token $t, int &$depth) use ($weigh, $low): ?int {
                static $seen = 0;
                return $weigh($t) + $depth + $low;
            };
            foreach ($this->tokens as $other) {
                $visit($other, $low);
            }
            usort($this->tokens, strcmp(...));
        } catch (Expired | \RuntimeException $e) {
            $this->log->error("failed {$e->getMessage()} for $name", ['class' => self::class]);
        } finally {
            helper($token);
        }
        $color = match (true) {
            $token->name === 'a', $low > Store::MAX => Color::Red,
            default => Color::parse($name),
        };
        $listener = new class($this) extends Listener implements Labelled {
            public function changed(Token $token): void
            {
                echo $token->name, PHP_EOL, TokenStore::$shared->clock::ZONE;
            }
        };
        switch ($color) {
            case Color::Green:
                goto done;
        }
        done:
        return clone $token;
    }

    abstract protected function insert(string $name, int|float $ttl = TTL): Token;
}

function open_store(?string $path = null): TokenStore|false
{
    global $config;
    $text = <<<TEXT
        $path {$config->name}
        TEXT;
    return namespace\open($text);
}

$store = TokenStore::create();
$store->find('a')?->live(new Clock);
