import Foundation
import struct UIKit.CGRect
@testable import Shop

/// What a basket can hold.
public protocol Priced: Identifiable, Sendable where ID == String {
    associatedtype Currency: Hashable
    var price: Decimal { get }
    static var zero: Self { get }
    func discounted(by rate: Double) async throws -> Self
    init(price: Decimal)
}

typealias Handler<T> = (T) -> Void
let shared = Basket<Fruit>(items: [])
var counter: Int = 0

@propertyWrapper
struct Clamped<Value: Comparable> {
    var wrappedValue: Value
    private let range: ClosedRange<Value>
}

enum Failure: Error, CaseIterable {
    case empty
    case tooMany(count: Int, limit: Int)
    case network(URLError), unknown
    indirect case nested(Failure)

    var text: String {
        switch self {
        case .empty: return "empty"
        case .tooMany(let count, _) where count > 3: return "\(count)"
        case let .network(error): return error.localizedDescription
        default: return String(describing: self)
        }
    }
}

/// A basket.
@MainActor
public final class Basket<Item: Priced>: NSObject, Codable, ObservableObject {
    static let limit = 10
    @Published private(set) var items: [Item]
    weak var delegate: (any BasketDelegate)?
    lazy var total: Decimal = self.sum()
    private let store: Store, name = "basket"
    var isEmpty: Bool { items.isEmpty }
    var first: Item? {
        get { items.first }
        set { if let newValue { items.insert(newValue, at: 0) } }
    }
    @Clamped(range: 0...1) var rate: Double = 0.5

    init(items: [Item], store: Store = .shared) {
        self.items = items
        self.store = store
        super.init()
    }

    convenience init?(from json: Data) {
        guard let found = try? JSONDecoder().decode([Item].self, from: json) else { return nil }
        self.init(items: found)
    }

    deinit { store.close() }

    subscript(index: Int) -> Item {
        items[index]
    }

    @discardableResult
    func add(_ item: Item, times count: Int = 1, then done: @escaping Handler<Item>) async throws -> Decimal {
        guard items.count < Self.limit else { throw Failure.tooMany(count: items.count, limit: Self.limit) }
        for i in 0..<count where i > 0 {
            items.append(item)
        }
        let saved = try await store.save(items.map { $0.id })
        let (left, right) = (saved.count, counter)
        var copy: Basket<Item> = Basket(items: items)
        items.forEach { entry in
            delegate?.basket(self, didAdd: entry)
        }
        do {
            try copy.check(left + right)
        } catch let error as Failure {
            log(error.text)
        } catch {
            print(error)
        }
        if case .some(let head) = first, let price = head.price as? Decimal {
            done(head)
            return price
        }
        defer { Task { await store.flush() } }
        while let next = copy.items.popLast() { _ = next.price }
        return total
    }

    static func == (lhs: Basket, rhs: Basket) -> Bool { lhs.items == rhs.items }

    class func make<S: Sequence>(_ all: S) -> Basket where S.Element == Item {
        Basket(items: Array(all))
    }

    struct Line { let item: Item; var count = 1 }
}

extension Basket: CustomStringConvertible {
    public override var description: String { "Basket(\(items.count))" }

    func sum() -> Decimal {
        items.reduce(.zero) { result, item in result + item.price }
    }
}

actor Store {
    static let shared = Store()
    private var open: [String: Date] = [:]

    func save(_ ids: [String]) throws -> [String] {
        open[ids[0]] = Date()
        return ids.filter({ (id: String) -> Bool in open.keys.contains(id) })
    }
    nonisolated func close() {}
    func flush() async {}
}

protocol BasketDelegate: AnyObject {
    func basket<I>(_ basket: Basket<I>, didAdd item: I)
}

infix operator <+>: AdditionPrecedence

func total<T>(of baskets: Basket<T>..., using f: (Basket<T>) -> Decimal = { $0.total }) -> some Numeric {
    #if DEBUG
    print("total", baskets)
    #endif
    return baskets.map(f).reduce(0, +)
}
