defmodule Shop.Basket do
  @moduledoc """
  A basket.
  """
  use GenServer
  import Ecto.Query, only: [from: 2]
  require Logger
  alias Shop.{Item, Store}
  alias Shop.Money, as: Cash
  alias __MODULE__.Line

  @behaviour Shop.Holder
  @limit 10
  @type t :: %__MODULE__{items: [Item.t()], total: Cash.t()}
  @typep key :: String.t() | atom()
  @callback close(t()) :: :ok

  defstruct [:id, items: [], total: 0]

  defmodule Line do
    defstruct item: nil, count: 1
    def price(%__MODULE__{item: item, count: count}), do: item.price * count
  end

  @doc "Starts it."
  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(opts \\ []) do
    name = Keyword.get(opts, :name, __MODULE__)
    GenServer.start_link(__MODULE__, opts, name: name)
  end

  @impl true
  def handle_call({:add, %Item{} = item}, _from, %{items: items} = state) when length(items) < @limit do
    new = %{state | items: [item | items], total: sum(items)}
    {:reply, :ok, new}
  end

  def handle_call(:total, from, state), do: {:reply, reply(from, state.total), state}

  def checkout(%__MODULE__{} = basket, store) do
    basket.items
    |> Enum.filter(&Item.ready?/1)
    |> Enum.map(fn item -> Store.take(store, item.id) end)
    |> Enum.reduce(0, fn {:ok, price}, acc -> Cash.add(acc, price) end)

    with {:ok, order} <- Store.place(basket),
         total when total > 0 <- order.total do
      {:ok, order}
    else
      {:error, reason} -> fail(reason)
    end

    for %{id: id} <- basket.items, id != nil, do: notify(id)

    case Store.find(basket.id) do
      nil -> Logger.warning("none: #{basket.id}")
      %Line{} = line -> Line.price(line)
      other -> other.count
    end
  rescue
    e in [RuntimeError, ArgumentError] -> reraise e, __STACKTRACE__
  end

  defp sum(items), do: Enum.sum_by(items, & &1.price)
  defp fail(reason) when is_binary(reason), do: raise(Shop.Error, reason: reason)

  defmacro deftotal(name) do
    quote do
      def unquote(name)(), do: 0
    end
  end

  defguard is_open(state) when state.open
  defdelegate close(basket), to: Store
end

defprotocol Shop.Priced do
  @doc "The price."
  def price(thing)
end

defimpl Shop.Priced, for: Shop.Basket do
  def price(basket), do: basket.total
end

defmodule Shop.Error do
  defexception [:reason]
  @impl true
  def message(error), do: "failed: #{inspect(error.reason)}"
end
