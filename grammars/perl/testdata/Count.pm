package Acme::Count;
use strict;

our $VERSION = '1.0';

# Counts.
sub count {
    my ($self, %opts) = @_;
    return scalar keys %{ $self->{items} };
}

package Acme::Other;
sub new { bless {}, shift }
