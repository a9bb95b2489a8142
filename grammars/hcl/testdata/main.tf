terraform {
  required_version = ">= 1.5"
}

variable "cidr" {
  type    = string
  default = "10.0.0.0/16"
}

locals {
  tags = merge(var.tags, { # a comment { with a bracket
    Name = "main"
  })
  az_count = 2
}

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]
  }
}

# The network of all services.
resource "aws_vpc" "this" {
  cidr_block = var.cidr

  dynamic "timeouts" {
    for_each = var.timeouts
    content {
      create = timeouts.value
    }
  }
  user_data = <<-EOT
    resource "not" "this" {
  EOT
  tags = { for k, v in local.tags : k => "${v}-${lookup(var.names, "x")}" }
}

module "db" {
  source = "./modules/db"
}

output "id" { value = aws_vpc.this.id }
