const std = @import("std");

/// Grows.
pub const List = struct {
    items: []u8,
    len: usize = 0,

    pub fn append(self: *List, byte: u8) !void {
        const at = self.len;
        self.items[at] = byte;
    }
};

pub const Kind = enum { small, large };

test "append grows" {
    try std.testing.expect(true);
}
