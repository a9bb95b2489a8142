const x = require("x");
module.exports = { a, b() {}, c: function () {}, d: () => 1 };
module.exports.foo = function (a, b) {};
exports.bar = (q) => q;
exports.val = 1;
exports = module.exports = 3;
Foo.prototype.run = function (a) { this.x = function () {} };
Foo.stat = () => {};
function Foo() {}
function* gen(a) {}
class K extends Foo { static x = 1; #p = 2; async go() {} handle = () => {}; static { const q = 1 } get a() { return 1 } }
const Cls = class { m() {} };
export default { name: "x", data() { return {} }, methods: { go() {} } };
var v1 = 1, v2 = function () {};
const Comp = () => <div onClick={() => 1}>don't // no</div>;
