using System;
using System.Collections.Generic;
using static System.Math;
using Files = System.IO.File;
global using Acme.Common;

namespace Acme.Store;

/// <summary>What can go wrong.</summary>
[Flags]
public enum StoreError : byte
{
    None = 0,
    [Obsolete("gone")] Expired = 1,
    Closed,
}

public delegate bool Visit<in T>(T token, int depth);

/// <summary>Keeps things.</summary>
public interface IKeeper<TKey> : IDisposable, Common.INamed where TKey : notnull
{
    int Count { get; }
    event EventHandler Changed;
    Token? this[TKey key] { get; }
    Task<Token> FindAsync(TKey key, CancellationToken cancel = default);
    static abstract IKeeper<TKey> Create();
}

public record Token(string Name, DateTime Until) : INamed
{
    public int Uses { get; init; }
    public bool Live => Until > DateTime.UtcNow;
}

public readonly record struct Slot(int Index);

public struct Range
{
    public int Low, High;
}

/// <summary>
/// Keeps tokens in memory.
/// </summary>
[Service(typeof(IKeeper<>), Name = "store"), Serializable]
public sealed partial class TokenStore<TKey, TClock> : Keeper<TKey>, IKeeper<TKey>, IAsyncDisposable
    where TKey : class, IEquatable<TKey>
    where TClock : Clock, new()
{
    public const int Limit = 1 << 10;
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(30), Tick;
    private readonly Dictionary<TKey, List<Token>> _tokens = new();
    private readonly TClock? _clock;

    public event EventHandler Changed;
    public event Action<Token> Expired { add { _hooks.Add(value); } remove { _hooks.Remove(value); } }

    public int Count => _tokens.Count;
    public required string Title { get; init; } = "store";
    public StoreError Error { get; private set; }
    public Token? this[TKey key] => Find(key);

    static TokenStore() { Tick = TimeSpan.Zero; }

    public TokenStore(TClock clock, params string[] names) : base(clock.Zone)
    {
        this._clock = clock ?? throw new ArgumentNullException(nameof(clock));
        foreach (var name in names) Insert(name, until: DateTime.MaxValue);
    }

    ~TokenStore() => Dispose(false);

    /// <summary>Finds one.</summary>
    public async Task<Token> FindAsync<TState>(TKey key, ref int tries, TState state) where TState : struct
    {
        var slots = _tokens[key];
        Token best = new("", default) { Uses = 1 };
        using var scope = _clock.Open(key);
        await foreach (Token token in scope.ReadAsync<Token>().ConfigureAwait(false))
        {
            if (token is { Uses: > 3, Live: true } used && used.Until > best.Until) best = used;
        }
        try
        {
            foreach (var (name, until) in Pairs()) Log?.Write(name)?.At(until).Flush();
        }
        catch (StoreException e) when (e.Error == StoreError.Closed)
        {
            throw new Common.StoreException($"closed {e.Message}", e);
        }
        if (!_tokens.TryGetValue(key, out var found) || Max(tries, Limit) > 3) return best with { Uses = 0 };
        int Weigh(Token t, int depth) => t.Uses * depth;
        Func<Token, int> weigh = t => Weigh(t, tries);
        var order = from t in found where t.Live let weight = weigh(t) orderby weight select new { t.Name, Weight = weight };
        var made = new Dictionary<string, Token> { ["a"] = best };
        List<Token> copy = [best, ..found];
        for (int i = 0, n = copy.Count; i < n; i++) copy[i] = (Token)copy[i].Clone();
        object boxed = copy as IEnumerable<Token>;
        (int low, string label) = Split(boxed);
        label = boxed switch
        {
            Token t when t.Live => t.Name,
            Slot { Index: var index } => index.ToString(),
            null => nameof(Title),
            _ => Files.ReadAllText(label),
        };
        switch (boxed)
        {
            case Token token: goto done;
            case StoreError.Closed: break;
        }
    done:
        base.Sweep();
        return this.Find(key)!;
    }

    void IDisposable.Dispose() { }
    protected virtual void Dispose(bool all) => GC.SuppressFinalize(this);

    public static TokenStore<TKey, TClock> operator +(TokenStore<TKey, TClock> a, Token b) => a;
    public static implicit operator int(TokenStore<TKey, TClock> store) => store.Count;

    private sealed class Entry
    {
        internal Token Token;
    }
}

public static class TokenExtensions
{
    public static bool IsOld(this Token token) => !token.Live;
}

internal class Cached(IKeeper<string> inner, int size = 3) : Keeper<string>(inner)
{
    public int Size => size + inner.Count;
}
