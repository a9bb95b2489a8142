import 'package:flutter/material.dart';

typedef Price = double;

/// A page.
class ShopPage extends StatefulWidget {
  const ShopPage({super.key, required this.title});
  final String title;
  static const int limit = 3;

  @override
  State<ShopPage> createState() => _ShopPageState();

  Future<List<Item>> load(
    String query, {
    int count = 10,
  }) async {
    if (query.isEmpty) {
      return [];
    }
    final local = await fetch(query);
    return local;
  }

  String get name => 'it\'s $title';
}

enum Level { low, high }

void main() {
  runApp(const ShopPage(title: "a"));
}

class SaleView<T extends Object, S>
    extends StatefulWidget
    with Priced {
  SaleView({required this.of, super.key})
      : assert(of != null),
        count = 1 {
    start();
  }

  @override
  State<SaleView<T, S>> createState() =>
      _SaleState('${names["first"]} of ${of.length}');
}

Future<T> pick<T extends List<int>>(T of) async {
  return of;
}
