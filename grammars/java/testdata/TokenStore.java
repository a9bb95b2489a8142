/*
 * Copyright: none.
 */
package com.acme.store;

import java.io.IOException;
import java.util.*;
import java.util.Map.Entry;
import static java.lang.Math.max;
import static com.acme.store.Limits.*;

/**
 * Keeps tokens until they expire.
 *
 * @param <K> the key
 */
@Service(name = "store", order = Limits.FIRST)
public sealed abstract class TokenStore<K extends Comparable<K> & Key> extends Base<K>
        implements Keeper, Iterable<Token>, AutoCloseable permits MemoryStore, com.acme.file.FileStore {

    /** Seconds that a token lives. */
    public static final long TTL = 60 * 60, GRACE[] = {1, 2};
    private static Logger log = Logger.getLogger(TokenStore.class.getName());

    protected final Map<K, List<Token>> tokens = new HashMap<>();
    @Inject private volatile Clock clock;
    int hits, misses;

    static {
        log.setLevel(Level.FINE);
    }

    /** Makes an empty store. */
    protected TokenStore(Clock clock, final String... names) throws IOException {
        super(clock.zone());
        this.clock = clock;
        for (var name : names) {
            insert(name);
        }
    }

    @Override
    public Optional<Token> get(K key) {
        var found = tokens.get(key);
        if (found == null || !(found instanceof ArrayList<Token> list)) return Optional.empty();
        Token best = null;
        for (Token token : list) {
            if (token.until() > clock.now() && max(token.until(), TTL) > FLOOR) best = token;
        }
        return Optional.ofNullable(best).map(Token::copy).or(() -> fallback(key));
    }

    abstract <E extends Exception> void insert(String name) throws E;

    public String describe(Object o) {
        return switch (o) {
            case Token t when t.until() > 0 -> t.name();
            case Pair(Token first, var second) -> first.name() + second;
            case Color color -> color.label;
            case null, default -> throw new IllegalStateException("none: " + o);
        };
    }

    void sweep(int[] order) throws IOException {
        try (Reader in = Files.open(path); var out = new Writer(in)) {
            outer:
            for (int i = 0, n = order.length; i < n; i++) {
                switch (order[i]) {
                    case RED: continue outer;
                    case Limits.BLUE: break outer;
                }
            }
            out.write("done", (line, number) -> line.trim(), value -> value);
        } catch (IOException | IllegalStateException e) {
            log.warning(e.getMessage());
        }
        Runnable task = new Runnable() {
            @Override public void run() { TokenStore.this.sweep(null); }
        };
        Entry<K, ? extends Token> entry = new AbstractMap.SimpleEntry<K, Token>(null, this.tokens.get(null).get(0));
        super.sweep(order);
        Keeper.super.sweep();
        this.clock.zone().id = entry.getValue().name;
        Supplier<List<Token>> make = ArrayList::new;
        String text = """
            A "text"
            block""";
    }

    /** What a token is. */
    public record Token(String name, long until, @Nullable int... tags) implements Named {
        static int made;

        public Token {
            Objects.requireNonNull(name);
        }

        Token(String name) {
            this(name, TTL);
        }

        Token copy() { return new Token(name, until); }
    }

    enum Color implements Named {
        RED("r") {
            @Override String show() { return "!"; }
        },
        GREEN;

        final String label;

        Color() { this("?"); }
        Color(String label) { this.label = label; }

        String show() { return label; }
    }

    static class Box<T> {
        T value;
        class Inner { }
    }
}

non-sealed interface Keeper extends Named, Visitor<Token> {
    int MAX = 10;

    void sweep();

    default int count(List<? super Token> all) { return all.size(); }
}

@Retention(RetentionPolicy.RUNTIME)
@interface Service {
    String name() default "";
    int order();
}
