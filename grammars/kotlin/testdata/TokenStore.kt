@file:JvmName("Tokens")

package com.acme.store

import java.util.concurrent.ConcurrentHashMap
import kotlin.math.*
import com.acme.common.Clock as Ticker

/** Seconds that a token lives. */
const val TTL = 60 * 60L
private val registry by lazy { TokenStore<String>(Ticker()) }
internal var made: Int = 0

typealias Visit<T> = (T, Int) -> Boolean

/** What can go wrong. */
sealed class StoreError(message: String) : Exception(message) {
    object Closed : StoreError("closed")
    data class Expired(val at: Long, private val grace: Long? = null) : StoreError("expired at $at")
}

/** Keeps things. */
interface Keeper<out T : Any> : Closer, Named<T> {
    val size: Int
    val empty: Boolean get() = size == 0
    fun find(name: String): T?
    fun sweep(limit: Int = 3) = find("x")
}

fun interface Check {
    fun ok(token: Token): Boolean
}

@Serializable
data class Token(val name: String, var until: Long = TTL, vararg val tags: String)

enum class Color(val label: String) : Named<String> {
    RED("r") {
        override fun show() = "!"
    },
    GREEN("g");

    open fun show(): String = label
}

/**
 * Keeps tokens in memory.
 */
@Service(name = "store")
open class TokenStore<K : Comparable<K>>(
    protected val clock: Ticker,
    names: List<String> = emptyList(),
) : Base<K>(clock), Keeper<Token>, Check by Always where K : Key {

    private val tokens = ConcurrentHashMap<K, MutableList<Token>>()
    lateinit var hook: (Token) -> Unit
    var title: String? = null
        private set(value) {
            field = value?.trim()
        }
    override val size: Int get() = tokens.size
    val names by lazy { names.map { it.length } }

    init {
        names.forEach { name -> insert(name, until = TTL) }
    }

    constructor(clock: Ticker, name: String) : this(clock, listOf(name)) {
        title = name
    }

    /** Finds one. */
    override fun find(name: String): Token? {
        val list = tokens[name] ?: return null
        var best: Token? = null
        for (token in list) {
            if (token.until > clock.now() && max(token.until, TTL) > FLOOR) best = token
        }
        for ((key, value) in tokens) key.log(value)
        val (first, second) = list
        when (val found = best?.check(first)) {
            is Token -> found.name
            in 1..3 -> Color.RED.label
            Color.GREEN, null -> throw StoreError.Closed
            else -> second!!.tags.size
        }
        return best
    }

    suspend fun <E : Exception> insert(name: String, vararg rest: Int, until: Long = 1, then: (Token) -> Unit = {}): Result<E> where E : Named<K> {
        try {
            this.tokens.getOrPut(key) { mutableListOf() }.add(Token(name, until))
        } catch (e: StoreError) {
            super.sweep(1)
            return Result.failure(e as Throwable)
        }
        val listener = object : Listener(), Named<String> {
            override fun changed(token: Token) = then(token)
        }
        val weigh = { token: Token, depth -> token.until * depth }
        val handler: Visit<Token> = fun(token: Token, depth: Int): Boolean { return weigh(token, depth) > 1 }
        fun inner(count: Int): Int = count + rest.size
        listener.add(::println, Token::copy)
        hook = handler
        loop@ while (true) {
            if (name !is String) continue@loop
            break@loop
        }
        return Result.success(name to inner(1))
    }

    companion object {
        const val LIMIT = 10
        @JvmStatic fun create() = TokenStore<String>(Ticker(), "a")
    }

    inner class Entry(val token: Token)
}

object Always : Check {
    override fun ok(token: Token) = true
}

operator fun Token.plus(other: Token): Token = copy(until = until + other.until)
val Token.live: Boolean get() = until > 0
fun <T> List<T>.second(): T = this[1]
