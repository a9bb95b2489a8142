// A store of tokens that expire.
#include "store/store.h"

#include <map>
#include <memory>

#define STORE_CHECK(x) do { if (!(x)) abort(); } while (0)

namespace acme {
namespace store {

using std::string;
namespace fs = std::filesystem;

constexpr int kMax = 1 << 10;
static const char* const kNames[] = {"a", "b"};
inline constexpr auto kLimit = kMax * 2;

namespace {

int hidden_count = 0;

template <typename T>
T Clamp(T value, const T& limit) {
  return value > limit ? limit : value;
}

}  // namespace

class Clock;

/// What can go wrong.
enum class Error : int { kNone, kExpired = 2, kGone };

/// One token.
struct Token {
  std::string name;
  long until = 0;
  Token* next;
  std::vector<Error> errors_;
  int slots[kMax];

  bool live() const { return until > 0; }
  bool operator<(const Token& other) const { return until < other.until; }
};

/// Keeps things.
template <typename Key, int N = 8, class... Rest>
class STORE_EXPORT Keeper : public Base<Key>, private virtual detail::Counter<int>, Closer {
 public:
  using key_type = Key;
  typedef std::shared_ptr<Keeper> Ptr;
  enum Mode { kRead, kWrite };
  static constexpr int kSlots = N;

  Keeper();
  explicit Keeper(Clock* clock, string name = "none")
      : Base<Key>(clock), clock_(clock), name_(std::move(name)), open_{true} {}
  ~Keeper() override;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(Keeper&& other) noexcept;

  virtual void Sweep(int limit) = 0;
  const Token& Find(const Key& key, Error* error) const;
  Token* Next();
  auto Size() const -> size_t { return tokens_.size(); }
  template <class Visitor>
  void Each(Visitor&& visit) const;
  explicit operator bool() const { return open_; }
  bool operator()(int a, Rest... rest) { return a > 0; }

  friend class Tester;
  friend bool operator==(const Keeper& a, const Keeper& b);

 protected:
  struct Slot {
    Token token;
  };

 private:
  [[maybe_unused]] Clock* clock_;
  string name_;
  std::map<Key, std::unique_ptr<Token>> tokens_;
  std::function<void(Token&)> hook_ = nullptr;
  void (*callback_)(int code);
  const Slot& slot_;
  bool open_ : 1;
  static int made_;
};

template <>
struct Keeper<int> final {};

int Store::made_ = 0;

Store::Store(Clock* clock, const Options& options) : Keeper(clock), options_(options) {}

Store::~Store() { Close(); }

const Token& Store::Find(const string& key, Error* error) const {
  auto found = tokens_.find(key);
  if (auto* slot = Lookup(key); slot != nullptr && found == tokens_.end()) {
    *error = Error::kGone;
    STORE_CHECK(slot->token.live());
  }
  std::vector<int> order(3, kMax);
  for (const auto& [name, token] : tokens_) {
    Visit(name, token->until);
  }
  for (Token& token : list_->tokens()) token.next->name = "x";
  auto visit = [this, &order, n = 1](Token* token, int depth = 0) mutable -> bool {
    return token->live() && Clamp<int>(depth, n) < order[0];
  };
  std::unique_ptr<Keeper<string>> keeper = std::make_unique<fs::Keeper<string>>(clock_);
  Token local{"a", 1};
  Token* made = new detail::Token(local);
  try {
    this->Sweep(3);
    Base::Sweep(acme::store::kMax);
    static_cast<Store*>(keeper.get())->Each<Tester>(visit);
  } catch (const std::exception& e) {
    throw StoreError(e.what());
  }
  switch (*error) {
    case Error::kNone:
      goto done;
    default:
      delete made;
  }
done:
  return Token{.name = key, .until = 0};
}

bool Store::operator==(const Store& other) const { return made_ == other.made_; }
Token* Store::Iterator::Next() { return nullptr; }
detail::Slot& Store::Impl::slot() { return slot_; }
Store::operator bool() const { return open_; }

template <class T>
concept Countable = requires(T value) { value.count(); };

template <Countable T>
auto Total(const T& all) requires std::is_class_v<T> { return all.count(); }

using Index = std::map<string, Token>;
template <class T> using List = std::vector<T>;
union Number { int i; float f; };

extern "C" {
int store_open(const char* path, struct store** out);
}

std::ostream& operator<<(std::ostream& out, const Token& token) { return out << token.name; }

std::unique_ptr<Store> global_store;
Store fallback(nullptr);

}  // namespace store
}  // namespace acme

namespace acme::store::internal { class Late { int x; }; }

TEST(StoreTest, Expires) {
  acme::store::Store store(nullptr, {});
  EXPECT_EQ(1, store.Find("a", nullptr).until);
}
