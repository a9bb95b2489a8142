library(dplyr)

limit <- 10

#' Removes rows.
clean_rows <- function(df, n = limit) {
  helper <- function(x) x + 1
  df[seq_len(n), ]
}

short <- function(x) x * 2

setClass("Person", representation(name = "character"))
